//! Grids of one, two and three dimensions, and blocks in a shuffled order.

use crate::panic_of;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// Each block writes its number, its position, and the grid.
#[kernel(threads = 32, grid = 3)]
fn places(block: &mut Block, out: &mut Segment<[u32; 7]>) {
    let (index, [x, y, z], grid) = (block.index(), block.index_3d(), block.grid());
    out.fill(block, 1, |_| [index, x, y, z, grid.x, grid.y, grid.z]);
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

fn run_places(executor: &CpuExecutor, grid: impl Into<Grid>) -> Vec<[u32; 7]> {
    let grid = grid.into();
    let offsets = one_each(grid.blocks().unwrap());
    let mut out = vec![[99; 7]; offsets.segments()];
    places::launch(executor, grid, places::Args { out: Segments { data: &mut out[..], offsets: &offsets } }).unwrap();
    out
}

#[test]
fn blocks_are_numbered_with_x_fastest() {
    for (x, y, z) in [(1, 1, 1), (5, 1, 1), (1, 4, 1), (1, 1, 3), (3, 4, 5)] {
        let found = run_places(&CpuExecutor::new(), (x, y, z));
        for (i, found) in (0..).zip(found) {
            assert_eq!(found, [i, i % x, i / x % y, i / x / y, x, y, z]);
        }
    }
    assert_eq!(run_places(&CpuExecutor::new(), (2, 2))[2], [2, 0, 1, 0, 2, 2, 1]);
    assert_eq!(run_places(&CpuExecutor::new(), 2)[1], [1, 1, 0, 0, 2, 1, 1]);
    for empty in [(0, 3, 3), (3, 0, 3), (3, 3, 0)] {
        assert_eq!(run_places(&CpuExecutor::new(), empty), [] as [[u32; 7]; 0]);
    }
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
        let mut out = [[0; 7]];
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

#[test]
fn a_kernel_that_asks_for_no_order_gives_the_same_in_every_order() {
    let expected = run_places(&CpuExecutor::new(), (3, 4, 5));
    for seed in 0..20 {
        assert_eq!(run_places(&CpuExecutor::shuffled(seed), (3, 4, 5)), expected);
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

/// `PerThread` state, a phase over indices, teams and a reduction of floats, whose order of additions is fixed.
#[kernel(threads = 64)]
fn mixture(block: &mut Block, out: &mut Segment<f32>, input: &[f32]) {
    let n = out.len();
    let mut state = block.per_thread(|t| t.index() as f32 * 0.1);
    block.each(&mut state, |t, own| *own = *own * 1.7 + input.at(t.index()));
    out.fill(block, n, |i| input.at(i) * 3.1);
    out.update_by_team::<4, _>(
        block,
        n,
        |team, i| team.reduce(i, 0.0, |sum, j| sum + input.at(j), |a, b| a + b),
        |sum, item| *item += sum,
    );
    out.write(block, n - 64, &state, |_, own| *own);
    let sum = block.reduce(n, 0.0, |i| input.at(i), |a, b| a + b);
    out.set(block, 0, sum);
}

#[test]
fn all_phases_give_the_same_bits_in_every_order() {
    let input: Vec<f32> = (0..2500u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-5 - 70.0).collect();
    let run = |executor: &CpuExecutor| {
        let offsets = Offsets::new(vec![0, 2500]).unwrap();
        let mut out = vec![0.0; 2500];
        let args = mixture::Args { out: Segments { data: &mut out[..], offsets: &offsets }, input: &input[..] };
        mixture::launch(executor, 1, args).unwrap();
        out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let expected = run(&CpuExecutor::new());
    for seed in 0..10 {
        assert_eq!(run(&CpuExecutor::shuffled(seed)), expected, "seed {seed}");
    }
}
