//! Bitonic sort (CUDA Samples `sortingNetworks`): within a block in shared memory and by shuffles, across blocks in global memory.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Keys per block: one per thread.
const PART: usize = 512;

/// Whether index `i` keeps the smaller key of the pair at distance `j`, in a network of runs of `k`.
fn keeps_less(i: u32, j: u32, k: u32) -> bool {
    (i & k == 0) == (i & j == 0)
}

fn kept(less: bool, a: u32, b: u32) -> u32 {
    if (a < b) == less { a } else { b }
}

/// The network's steps of distances `from`, `from / 2`, .. 1 for runs of `k`, on the threads' keys. It is a device
/// function: it takes the block and a thread's state, and contains barriers.
fn steps(
    block: &mut Block,
    keys: &mut PerThread<u32>,
    exchange: &mut DoubleBuffer<'_, u32>,
    base: u32,
    from: u32,
    k: u32,
) {
    let mut j = from;
    while j >= 32 {
        let tile = exchange.write(block, PART as u32, keys, |_, key| *key);
        let tile = block.meet(tile);
        block.each(keys, |thread, key| {
            let t = thread.index();
            *key = kept(keeps_less(base + t, j, k), *key, tile.get(t ^ j));
        });
        j /= 2;
    }
    block.warps_with(keys, |warp, keys| {
        let mut j = j;
        while j >= 1 {
            let other = warp.shuffle_xor(keys, j);
            warp.each_with(keys, &other, |lane, key, other| {
                *key = kept(keeps_less(base + lane.thread().index(), j, k), *key, *other);
            });
            j /= 2;
        }
    });
}

/// Sorts every 512 keys, every other part downwards.
#[kernel(threads = 512, requires(keys.len().is_multiple_of(PART)))]
fn sort_parts(block: &mut Block, keys: &mut Chunk<u32, PART>, exchange: &mut Shared<u32, { 2 * PART }>) {
    let base = keys.start();
    let input = keys.view(PART as u32);
    let mut own = block.per_thread(|thread| input.get(thread.index()));
    let mut exchange = exchange.halves(block);
    let mut k = 2;
    while k <= PART as u32 {
        steps(block, &mut own, &mut exchange, base, k / 2, k);
        k *= 2;
    }
    keys.write(block, 0, &own, |_, key| *key);
}

/// One step with a distance `j` of 512 or more. It is not in place, because a block would then write elements of another
/// one.
#[kernel(threads = 256, requires(x.len() == out.len(), x.len().is_power_of_two(), j as usize >= PART))]
fn merge_far(block: &mut Block, out: &mut Chunk<u32, PART, WriteOnly>, x: &[u32], j: u32, k: u32) {
    let first = out.start();
    out.fill(block, PART as u32, |i| {
        let i = first + i;
        kept(keeps_less(i, j, k), x.at(i), x.at(i ^ j))
    });
}

/// The steps with distances below 512 for runs of `k`.
#[kernel(threads = 512, requires(keys.len().is_multiple_of(PART)))]
fn merge_near(block: &mut Block, keys: &mut Chunk<u32, PART>, k: u32, exchange: &mut Shared<u32, { 2 * PART }>) {
    let base = keys.start();
    let input = keys.view(PART as u32);
    let mut own = block.per_thread(|thread| input.get(thread.index()));
    let mut exchange = exchange.halves(block);
    steps(block, &mut own, &mut exchange, base, PART as u32 / 2, k);
    keys.write(block, 0, &own, |_, key| *key);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let keys = words(1 << 14);
    let (n, grid) = (keys.len() as u32, blocks(keys.len(), PART));
    let (mut a, mut b) = (machine.buffer(&keys)?, machine.zeroed(keys.len())?);
    sort_parts::launch(machine, grid, sort_parts::Args { keys: a.view_mut() })?;
    let mut k = 2 * PART as u32;
    while k <= n {
        let mut j = k / 2;
        while j >= PART as u32 {
            merge_far::launch(machine, grid, merge_far::Args { out: b.view_mut(), x: a.view(), j, k })?;
            std::mem::swap(&mut a, &mut b);
            j /= 2;
        }
        merge_near::launch(machine, grid, merge_near::Args { keys: a.view_mut(), k })?;
        k *= 2;
    }
    let found = a.download()?;
    let mut expected = keys;
    expected.sort_unstable();
    assert_eq!(found, expected);
    Ok(Report::new(format!("{n} keys"), &found))
}
