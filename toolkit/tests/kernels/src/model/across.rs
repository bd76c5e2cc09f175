//! Elements that threads keep in stripes or in rows, what blocks hand on to later ones, and all elements for each thread.

use cuda_std::prelude::*;

/// The map x -> a x + b, and then another one.
#[must_use]
pub fn composed([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

/// The map that changes nothing.
pub const UNCHANGED: [u32; 2] = [1, 0];

/// Each map after all those before it, in parts of three rows for each warp.
#[kernel(
    threads = N,
    requires(
        out.len() == x.len() && grid.x as usize == x.len().div_ceil(3 * N),
        states.len() == 2 * grid.x as usize + 1,
    ),
    instances(composed_maps_by_32 = <32>, composed_maps_by_96 = <96>, composed_maps_by_1024 = <1024>)
)]
pub fn composed_maps<const N: usize>(
    block: &mut Block,
    out: &Scatter<[u32; 2]>,
    states: &Atomics<u64>,
    x: &[[u32; 2]],
) {
    let first = block.next_part(states) * 3 * N as u32;
    let at = |thread: Thread, row: u32| first + thread.index() / 32 * 96 + 32 * row + thread.index() % 32;
    let own =
        block.per_thread(|thread| [0, 1, 2].map(|row| x.get(at(thread, row) as usize).map_or(UNCHANGED, |map| *map)));
    let (own, all) = block.inclusive_scan_rows(&own, UNCHANGED, |_, own| *own, composed);
    let before = block.look_back(states, first / (3 * N as u32), all, UNCHANGED, composed);
    let mut own = own;
    block.each(&mut own, |thread, own| {
        for row in 0..3 {
            let at = at(thread, row);
            if at < out.len() {
                out.put(thread, at, composed(before, own[row as usize]));
            }
        }
    });
}

/// Numbers that are kept in stripes of 96, with 9 in place of those that there are not, and then doubled. `sums` has all of them as they
/// were kept.
#[kernel(threads = 96, requires(doubled.len() == x.len()))]
pub fn kept_in_stripes(block: &mut Block, doubled: &Scatter<u32>, sums: &mut Chunk<u32, 1>, x: &[u32]) {
    let n = x.len() as u32;
    let mut own = block.striped::<_, 3>(n, 9, |i| x.at(i));
    let sum = block.reduce_threads(&own, 0, |_, own| own[0] + own[1] + own[2], |a, b| a + b);
    block.each_striped(&mut own, n, |_, _, x| *x *= 2);
    block.each_striped(&mut own, n, |thread, i, x| doubled.put(thread, i, *x));
    sums.set(block, 0, sum);
}

/// A number that depends on each of `x` and their order, for each thread, by tiles of 40.
#[kernel(threads = 64)]
pub fn each_of_all(block: &mut Block, out: &mut Chunk<u32, 64, WriteOnly>, x: &[u32], tiles: &mut Shared<u32, 80>) {
    let mut own = block.per_thread(|thread| thread.index());
    block.each_of_all(&mut own, View::of(x), tiles, |thread, own, x| {
        *own = own.wrapping_mul(31).wrapping_add(x ^ thread.index());
    });
    out.write(block, 0, &own, |_, own| *own);
}
