//! Nothing reaches beyond its memory.

use crate::message;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn too_much(block: &mut Block, out: &mut Segment<u32>, tile: &mut Shared<u32, 8>, what: u32, n: u32) {
    match what {
        0 => out.fill(block, n, |i| i),
        1 => out.update(block, n, |i, item| *item = i),
        2 => out.set(block, n - 1, 1),
        3 => _ = out.fill_reduce(block, n, 0, |i| (i, i), |a, b| a + b),
        4 => _ = out.update_reduce(block, n, 0, |i, _| i, |a, b| a + b),
        5 => out.fill_by_team::<8>(block, n, |_, i| i),
        6 => out.update_by_team::<8, _>(block, n, |_, i| i, |i, item| *item = i),
        7 => _ = out.view(n).len(),
        8 => _ = out.whole().view(n).len(),
        9 => _ = out.whole().split_at(n).0.len(),
        10 => _ = out.get(n - 1),
        11 => _ = tile.fill(block, n, |i| i).len(),
        12 => _ = tile.fill_by_team::<4>(block, n, |_, i| i).len(),
        13 => {
            let state = block.per_thread(|t| t.index());
            tile.write(block, n, &state, |_, own| *own);
        }
        14 => {
            let view = out.view(n - 1);
            _ = view.get(n - 1);
        }
        15 => _ = tile.fill(block, n - 1, |i| i).get(n - 1),
        _ => unreachable!(),
    }
}

fn run(executor: &CpuExecutor, what: u32, n: u32) -> (Result<(), LaunchError>, [u32; 8]) {
    let (mut out, offsets) = ([7; 8], Offsets::new(vec![0, 8]).unwrap());
    let args = too_much::Args { out: Segments { data: &mut out[..], offsets: &offsets }, what, n };
    let result = too_much::launch(executor, 1, args);
    (result, out)
}

#[test]
fn nothing_reaches_beyond_its_memory() {
    // Interpreters take their time.
    let seeds = if cfg!(miri) { 0..1 } else { 0..3 };
    for executor in seeds.map(CpuExecutor::shuffled).chain([CpuExecutor::new()]) {
        for what in 0..=15 {
            let (result, _) = run(&executor, what, 8);
            assert!(result.is_ok() || what >= 14, "{what} at 8: {result:?}");
            let (result, out) = run(&executor, what, 9);
            assert_eq!(message(result), "index out of bounds", "{what}");
            if what != 14 && what != 15 {
                assert_eq!(out, [7; 8], "{what}: nothing is written");
            }
        }
    }
}
