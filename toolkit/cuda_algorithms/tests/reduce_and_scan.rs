//! Reductions and scans give what a loop gives, on CPU cores in several orders and on a GPU.

mod machines;

use cuda_algorithms::{Largest, Reduce, Scan, Scanned, Smallest, Sum, reduce, scan};
use cuda_host::{CudaError, Machine};
use machines::{Dice, machines};
use std::fmt::Debug;

/// Lengths around those of the parts of blocks, and of parts of parts.
const LENGTHS: [usize; 12] = [0, 1, 31, 33, 1025, 4095, 4096, 4097, 16_383, 16_384, 16_385, 70_001];

fn inclusive<T: Copy>(x: &[T], neutral: T, combine: impl Fn(T, T) -> T) -> Vec<T> {
    x.iter()
        .scan(neutral, |all, x| {
            *all = combine(*all, *x);
            Some(*all)
        })
        .collect()
}

fn check_scan<T: Scanned<O> + PartialEq + Debug, O: Copy>(
    machine: &Machine,
    operation: O,
    x: &[T],
    neutral: T,
    combine: impl Fn(T, T) -> T,
) {
    let on_machine = machine.buffer(x).unwrap();
    let mut out = machine.zeroed(x.len()).unwrap();
    scan(machine, operation, on_machine.view(), out.view_mut()).unwrap();
    let expected = inclusive(x, neutral, combine);
    assert!(out.download().unwrap() == expected, "{} elements on {machine}", x.len());
    // In memory of which only some is used.
    let mut scan = Scan::new(machine, operation, x.len() + 9000).unwrap();
    scan.run_exclusive(on_machine.view(), out.view_mut()).unwrap();
    let before = [neutral].into_iter().chain(expected).take(x.len());
    assert!(before.eq(out.download().unwrap()), "exclusive, {} elements on {machine}", x.len());
}

#[test]
fn scans_equal_a_loop() {
    for machine in machines() {
        let dice = &mut Dice::new(1);
        for n in LENGTHS {
            let x: Vec<u64> = (0..n).map(|_| dice.word()).collect();
            let of_32: Vec<u32> = x.iter().map(|x| *x as u32).collect();
            let signed: Vec<i32> = of_32.iter().map(|x| *x as i32).collect();
            check_scan(&machine, Sum, &x, 0, u64::wrapping_add);
            check_scan(&machine, Sum, &of_32, 0, u32::wrapping_add);
            check_scan(&machine, Sum, &signed, 0, i32::wrapping_add);
            check_scan(&machine, Smallest, &of_32, u32::MAX, u32::min);
            check_scan(&machine, Largest, &signed, i32::MIN, i32::max);
        }
    }
}

#[test]
fn reductions_equal_a_loop() {
    for machine in machines() {
        let dice = &mut Dice::new(2);
        for n in LENGTHS {
            let x: Vec<i64> = (0..n).map(|_| dice.word() as i64).collect();
            let on_machine = machine.buffer(&x).unwrap();
            assert_eq!(
                reduce(&machine, Sum, on_machine.view()).unwrap(),
                x.iter().fold(0i64, |a, b| a.wrapping_add(*b))
            );
            let smallest = x.iter().copied().min().unwrap_or(i64::MAX);
            assert_eq!(reduce(&machine, Smallest, on_machine.view()).unwrap(), smallest);
            let largest = x.iter().copied().max().unwrap_or(i64::MIN);
            assert_eq!(reduce(&machine, Largest, on_machine.view()).unwrap(), largest);
        }
    }
}

/// Their bits depend only on the numbers, and are near the exact sum.
#[test]
fn sums_of_floats_have_the_same_bits_everywhere() {
    let dice = &mut Dice::new(3);
    let x: Vec<f32> = (0..100_003).map(|_| (dice.word() >> 40) as f32 / 1e4 - 800.0).collect();
    let exact: f64 = x.iter().map(|x| f64::from(*x)).sum();
    let sums: Vec<f32> =
        machines().iter().map(|machine| reduce(machine, Sum, machine.buffer(&x).unwrap().view()).unwrap()).collect();
    assert!(sums.iter().all(|sum| sum.to_bits() == sums[0].to_bits()), "{sums:?}");
    let size: f64 = x.iter().map(|x| f64::from(x.abs())).sum();
    // A tree of 1024 slots, each of at most 16 additions, and two trees of five levels, for both launches.
    assert!((f64::from(sums[0]) - exact).abs() <= 52.0 * f64::from(f32::EPSILON) / 2.0 * size, "{} {exact}", sums[0]);
}

#[test]
fn unsuitable_lengths_are_errors() {
    for machine in machines() {
        let x = machine.buffer(&[1u32; 20_000]).unwrap();
        let mut sum = Reduce::new(&machine, Sum, 16_384).unwrap();
        assert!(matches!(sum.run(x.view()), Err(CudaError::OutOfBounds { .. })));
        assert!(matches!(sum.run(x.slice(..0).unwrap()), Err(CudaError::OutOfBounds { .. })));
        assert_eq!(sum.run(x.slice(..7).unwrap()).unwrap().download().unwrap(), [7]);
        let mut out = machine.zeroed(19_999).unwrap();
        assert!(scan(&machine, Sum, x.view(), out.view_mut()).is_err());
        let small = Scan::new(&machine, Sum, 4096).unwrap().run(x.view(), out.view_mut()).unwrap_err();
        assert!(matches!(small, CudaError::OutOfBounds { .. }), "{small}");
    }
}
