//! Phases between two branches on a thread's value: every thread gets to each, on CPU cores and on a GPU, with the same bits.
//!
//! On a GPU, a barrier that the compiler has copied into a branch shows as a kernel that does not end.

use test_kernels as k;
use toolkit_tests::device::Machines;

const TURNS: u32 = 9;

fn machines() -> Machines {
    Machines::new("test kernels", k::IMAGE)
}

/// Values on both sides of the branches' limit, in no order.
fn values() -> Vec<u32> {
    (0..k::CONVERGENCE_THREADS).map(|i| if i % 2 == 0 { i % 8 } else { (i * 37) % 64 + 8 }).collect()
}

/// What the branches add in a run: at the places 0 to 4 once, at 5 and 6 in every turn.
fn sums_of_branches() -> Vec<u32> {
    let once: u32 = values().into_iter().filter(|&value| value > 7).sum();
    (0..7).map(|at| if at < 5 { once } else { once * TURNS }).collect()
}

macro_rules! phases {
    ($($name:ident,)*) => {
        $(
            #[test]
            fn $name() {
                let (_, sums) = machines().same(|on| {
                    let x = on.buffer(&values())?;
                    let (mut out, mut sum) = (on.buffer(&[5u32; 64])?, on.zeroed::<u32>(8)?);
                    let args = k::$name::Args { out: out.view_mut(), sum: sum.view_mut(), x: x.view(), turns: TURNS };
                    k::$name::launch(on, 1, args)?;
                    Ok((out.download()?, sum.download()?))
                });
                assert_eq!(sums[..7], sums_of_branches());
            }
        )*

        /// The kernels that a test above runs.
        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

phases! {
    between_fill,
    between_set,
    between_update,
    between_write,
    between_fill_reduce,
    between_update_reduce,
    between_inclusive_scan,
    between_exclusive_scan,
    between_update_atomic,
    between_update_atomic_by_warp,
    between_fill_by_team,
    between_update_by_team,
    between_fill_by_warp,
    between_write_by_warp,
    between_update_by_warp,
    between_reduce,
    between_reduce_ahead,
    between_reduce_threads,
    between_votes,
    between_votes_of_threads,
    between_broadcasts,
    between_votes_of_lanes,
    between_shuffles,
    between_sums_of_lanes,
    between_scans_of_lanes,
    between_matches,
    between_matches_of_bits,
}

#[test]
fn every_kernel_of_the_crate_is_tested() {
    let kernels = k::PTX.lines().filter_map(|line| line.strip_prefix(".visible .entry between_"));
    let kernels = kernels.map(|rest| rest.split('(').next().unwrap_or_default());
    let untested: Vec<_> = kernels
        .filter(|name| !["tiles", "grid_phases"].contains(name))
        .filter(|name| !TESTED.iter().any(|tested| tested.strip_prefix("between_") == Some(name)))
        .collect();
    assert!(untested.is_empty(), "no test runs {untested:?}");
}

#[test]
fn tiles_between_branches() {
    let (_, sums) = machines().same(|on| {
        let x = on.buffer(&values())?;
        let (mut out, mut sum) = (on.buffer(&[5u32; 64])?, on.zeroed::<u32>(8)?);
        let args = k::between_tiles::Args { out: out.view_mut(), sum: sum.view_mut(), x: x.view(), turns: TURNS };
        k::between_tiles::launch(on, 1, args)?;
        Ok((out.download()?, sum.download()?))
    });
    let once: u32 = values().into_iter().filter(|&value| value > 7).sum();
    assert_eq!(sums, [[once * TURNS; 7].as_slice(), &[0]].concat());
}

#[test]
fn phases_of_whole_grids_between_branches() {
    let (_, sums) = machines().same(|on| {
        let x = on.buffer(&values())?;
        let (mut data, mut sum) = (on.zeroed::<u32>(1000)?, on.zeroed::<u32>(4)?);
        let args =
            k::between_grid_phases::Args { data: data.view_mut(), sum: sum.view_mut(), x: x.view(), turns: TURNS };
        k::between_grid_phases::launch(on, 3, args)?;
        Ok((data.download()?, sum.download()?))
    });
    let above = (0..1000).filter(|i| values()[i % 64] > 7).count() as u32;
    assert_eq!(sums[..2], [above * TURNS, above * (0..TURNS).sum::<u32>()]);
}
