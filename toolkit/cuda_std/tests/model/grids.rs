//! Grids that a launch refuses, where in a grid a panic was, and blocks in a shuffled order.

use crate::panic_of;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

#[kernel(threads = 32, grid = 3)]
fn places(block: &mut Block, out: &mut Segment<[u32; 3]>) {
    let place = block.index_3d();
    out.fill(block, 1, |_| place);
}

#[kernel(threads = 32)]
fn flat(block: &mut Block, out: &mut Segment<u32>) {
    let (n, index) = (out.len(), block.index());
    out.fill(block, n, |i| index * 100 + i);
}

#[kernel(threads = 64, grid = 2)]
fn fails(block: &mut Block, out: &mut Segment<u32>, at: u32) {
    let index = block.index();
    out.fill(block, 1, |_| if index == at { panic!("told to") } else { 1 });
}

fn one_each(blocks: u32) -> Offsets {
    Offsets::new((0..=blocks).collect()).unwrap()
}

#[test]
fn a_panic_says_where_in_the_grid() {
    let offsets = one_each(12);
    let mut out = [0; 12];
    let args = fails::Args { out: Segments { data: &mut out[..], offsets: &offsets }, at: 7 };
    assert_eq!(panic_of(fails::launch(&CpuExecutor::new(), (4, 3), args)).block, [3, 1, 0]);
}

#[test]
fn what_no_device_takes_is_refused() {
    let offsets = one_each(1);
    let launch = |grid: Grid| {
        let mut out = [[0; 3]];
        let args = places::Args { out: Segments { data: &mut out[..], offsets: &offsets } };
        places::launch(&CpuExecutor::new(), grid, args).unwrap_err()
    };
    let too_large: [(u32, u32, u32); 4] = [(1 << 31, 1, 1), (1, 65536, 1), (1, 1, 65536), (65536, 65535, 2)];
    for grid in too_large {
        assert_eq!(launch(grid.into()), LaunchError::GridTooLarge { kernel: "places", grid: grid.into() });
    }
    // All three are within the device's limits, but there are too many blocks for 32-bit numbers.
    let text = launch(Grid { x: i32::MAX as u32, y: 65535, z: 65535 }).to_string();
    assert!(text.contains("2147483647 x 65535 x 65535 blocks"), "{text}");
    assert!(text.contains("9223090559730712575 blocks"), "{text}");
    // Within all limits, but there is one segment.
    let few = LaunchError::TooFewSegments { kernel: "places", argument: "out", segments: 1, blocks: 65536 * 65535 };
    assert_eq!(launch((65536, 65535).into()), few);
}

#[test]
fn a_kernel_of_one_dimension_refuses_more() {
    let offsets = one_each(4);
    let mut out = [0; 4];
    let args = flat::Args { out: Segments { data: &mut out[..], offsets: &offsets } };
    let error = flat::launch(&CpuExecutor::new(), (2, 2), args).unwrap_err();
    let text =
        "kernel `flat` has a grid of 1 dimension(s), and 2 x 2 x 1 blocks were to run; write #[kernel(grid = 2)]";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_grid_is_covered_by_whole_blocks() {
    let cases = [(0, 4, 0), (1, 4, 1), (4, 4, 1), (5, 4, 2), (usize::MAX, 1, usize::MAX), (5, 0, 0)];
    for (n, per_block, blocks) in cases {
        assert_eq!(Grid::to_cover(n, per_block), blocks);
    }
}

/// Every block fails. The reported block ran first.
#[kernel(threads = 32)]
fn all_fail(block: &mut Block, out: &mut Segment<u32>) {
    out.fill(block, 1, |i| if i < 1 { panic!("told to") } else { 0 });
}

#[test]
fn the_first_panic_depends_on_the_seed_alone() {
    let first = |seed| {
        let offsets = one_each(50);
        let mut out = [0; 50];
        let args = all_fail::Args { out: Segments { data: &mut out[..], offsets: &offsets } };
        panic_of(all_fail::launch(&CpuExecutor::shuffled(seed), 50, args)).block[0]
    };
    let found: Vec<_> = (0..20).map(first).collect();
    assert_eq!(found, (0..20).map(first).collect::<Vec<_>>());
    assert!(found.iter().any(|block| *block != found[0]), "{found:?}");
}
