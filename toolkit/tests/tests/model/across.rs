//! Elements in stripes and rows, what blocks hand on, and all elements for each thread.

use crate::{machines, words};
use test_kernels as k;
use toolkit_tests::device::Machines;

#[test]
fn blocks_compose_what_others_have_composed() {
    fn check<const N: usize>(machines: &Machines, n: usize)
    where
        k::composed_maps::Kernel<N>: k::composed_maps::Instance,
    {
        let maps: Vec<[u32; 2]> = words(2 * n as u32).as_chunks().0.to_vec();
        let found = machines.same(|on| {
            let grid = n.div_ceil(3 * N);
            let (x, mut out, mut states) = (on.buffer(&maps)?, on.zeroed(n)?, on.zeroed(2 * grid + 1)?);
            let args = k::composed_maps::Args { out: out.view_mut(), states: states.view_mut(), x: x.view() };
            k::composed_maps::launch::<N, _>(on, grid as u32, args)?;
            out.download()
        });
        let mut all = k::UNCHANGED;
        for (i, (map, found)) in maps.iter().zip(found).enumerate() {
            all = k::composed(all, *map);
            assert_eq!(found, all, "map {i} of {n}, {N} threads");
        }
    }
    let machines = machines();
    for n in [1, 33, 96, 97, 3000, 10_000] {
        check::<32>(&machines, n);
        check::<96>(&machines, n);
        check::<1024>(&machines, n);
    }
}

#[test]
fn threads_keep_elements_in_stripes() {
    let machines = machines();
    for n in [0, 1, 95, 96, 97, 200, 288] {
        let numbers = words(n as u32).iter().map(|word| word % 1000).collect::<Vec<_>>();
        let (doubled, sums) = machines.same(|on| {
            let (x, mut doubled, mut sums) = (on.buffer(&numbers)?, on.zeroed::<u32>(n)?, on.zeroed(1)?);
            let args = k::kept_in_stripes::Args { doubled: doubled.view_mut(), sums: sums.view_mut(), x: x.view() };
            k::kept_in_stripes::launch(on, 1, args)?;
            Ok((doubled.download()?, sums.download()?))
        });
        assert!(doubled.iter().zip(&numbers).all(|(doubled, x)| *doubled == 2 * x), "{n}");
        assert_eq!(sums, [numbers.iter().sum::<u32>() + 9 * (288 - n as u32)], "{n}");
    }
}

#[test]
fn all_elements_come_in_their_order() {
    let machines = machines();
    for n in [0, 1, 39, 40, 41, 80, 83, 400] {
        let x = words(n);
        let found = machines.same(|on| {
            let (x, mut out) = (on.buffer(&x)?, on.zeroed::<u32>(100)?);
            k::each_of_all::launch(on, 2, k::each_of_all::Args { out: out.view_mut(), x: x.view() })?;
            out.download()
        });
        for (thread, found) in found.into_iter().enumerate() {
            let thread = thread as u32 % 64;
            let expected = x.iter().fold(thread, |own, x| own.wrapping_mul(31).wrapping_add(x ^ thread));
            assert_eq!(found, expected, "thread {thread} of {n} elements");
        }
    }
}
