//! Kernels that once broke the model. Each ends in a defined error.

mod float_mode;
mod odd;

use crate::message;
use cuda_std::prelude::*;

/// Writes `n` elements, one per thread, for any `n`.
#[kernel(threads = 32)]
fn written_by_threads(block: &mut Block, out: &mut Chunk<u32, 64>, tile: &mut Shared<u32, 64>, n: u32) {
    let _ = tile.fill(block, 64, |_| 0xdead);
    let own = block.per_thread(|thread| thread.index());
    let tile = tile.write(block, n, &own, |_, own| *own);
    out.fill(block, n, |i| tile.get(i));
}

#[kernel(threads = 32)]
fn dynamic(block: &mut Block, out: &mut Chunk<u32, 64>, tile: &mut DynamicShared<u32>, n: u32) {
    let own = block.per_thread(|thread| thread.index());
    let tile = tile.write(block, n, &own, |_, own| *own);
    out.fill(block, n, |i| tile.get(i));
}

#[test]
fn a_tile_has_no_element_that_nobody_wrote() {
    let cpu = CpuExecutor::new();
    let mut out = [1; 64];
    written_by_threads::launch(&cpu, 1, written_by_threads::Args { out: &mut out, n: 32 }).unwrap();
    assert_eq!((out[0], out[31], out[32]), (0, 31, 1));
    for n in [33, 64] {
        let mut out = [1; 64];
        let launched = written_by_threads::launch(&cpu, 1, written_by_threads::Args { out: &mut out, n });
        assert_eq!(message(launched), "index out of bounds");
        assert_eq!(out, [1; 64], "nothing goes on by it");
        let launched = dynamic::launch(&cpu, 1, dynamic::Args { out: &mut out, tile: DynamicLength(64), n });
        assert_eq!(message(launched), "index out of bounds");
    }
}

/// Reductions of more elements than a device counts.
#[kernel(threads = 32)]
fn too_many(block: &mut Block, out: &mut Chunk<u32, 1>, n: u32, how: u32) {
    match how {
        0 => _ = block.reduce(n, 0u32, |_| 1, |a, b| a | b),
        1 => out.fill_by_team::<8>(block, 1, |team, _| team.reduce(n, 0, |sum, _| sum | 1, |a, b| a | b)),
        _ => block.for_each(n, |_, _| {}),
    }
}

#[test]
fn both_sides_refuse_the_same_lengths() {
    for how in 0..3 {
        for n in [u32::MAX, u32::MAX - 1023] {
            let launched = too_many::launch(&CpuExecutor::new(), 1, too_many::Args { out: &mut [0], n, how });
            assert_eq!(message(launched), "index out of bounds", "{how}");
        }
    }
}
