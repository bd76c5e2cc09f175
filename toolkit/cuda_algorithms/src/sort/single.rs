//! Sorts of as many elements as one block has room for: one launch for all digits.

use super::key::Word;
use super::rank::{count_in_block, count_in_warps, find_cells, rank, zeros};
use super::{DIGITS, MEMORY, Own, THREADS, load, part, permuted, position, put_all};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::unrolled;

/// Gives each key of a block its rank by a digit.
#[inline(always)]
fn rank_by_digit<K: Word, const ITEMS: usize>(
    block: &mut Block,
    own: &mut PerThread<Own<K, ITEMS>>,
    shift: u32,
    n: u32,
    memory: &mut Shared<u32, MEMORY>,
    ends: &mut Shared<u32, DIGITS>,
) {
    let mut counts = zeros(block, own, memory);
    block.each(own, |thread, own| find_cells(thread, own, shift, n));
    count_in_warps(block, own, &mut counts, false, n);
    count_in_block(block, &mut counts, ends, |_, _| {});
    rank(block, own, &mut counts, n);
}

/// Puts each thread's elements at their ranks. At the end they are written, otherwise each thread gets those at its positions.
#[inline(always)]
fn exchange<T: DeviceLayout, const ITEMS: usize, const LEN: usize, const MOST: usize>(
    block: &mut Block,
    own: &mut PerThread<Own<T, ITEMS>>,
    out: &mut Chunk<T, MOST>,
    is_last: bool,
    written: impl Fn(T) -> T + Sync,
    memory: &mut Shared<u32, MEMORY>,
) {
    const { assert!(part(ITEMS) == MOST && MOST <= LEN, "shared memory has room for the elements of a block") };
    let in_order = memory.recast::<T, LEN>().scatter(block, part(ITEMS) as u32, own, put_all);
    if is_last {
        let n = out.len();
        out.fill(block, n, |i| written(in_order.get(permuted(i % part(ITEMS) as u32))));
    } else {
        block.each(own, |thread, own| {
            unrolled::<ITEMS>(|k| own.items[k as usize] = in_order.get(permuted(position::<ITEMS>(thread, k))));
        });
    }
}

/// Sorts keys, in the order of [`Pass`](super::Pass).
#[kernel(
    threads = THREADS,
    requires(keys.len() <= MOST),
    instances(
        sort_8 = <u8, 16, 32768, 8192>,
        sort_16 = <u16, 16, 16384, 8192>,
        sort_32 = <u32, 16, 8192, 8192>,
        sort_64 = <u64, 8, 4096, 4096>,
    )
)]
pub fn sort_keys<K: Word, const ITEMS: usize, const LEN: usize, const MOST: usize>(
    block: &mut Block,
    keys: &mut Chunk<K, MOST>,
    flip: K,
    flip_negative: K,
    memory: &mut Shared<u32, MEMORY>,
    ends: &mut Shared<u32, DIGITS>,
) {
    let (n, order) = (keys.len(), [flip, flip_negative]);
    let mut own = load::<K, ITEMS>(block, keys.view(n));
    block.each(&mut own, |_, own| own.items = own.items.map(|key| key.mapped(order)));
    for digit in 0..size_of::<K>() as u32 {
        rank_by_digit(block, &mut own, 8 * digit, n, memory, ends);
        let is_last = digit + 1 == size_of::<K>() as u32;
        exchange::<K, ITEMS, LEN, MOST>(block, &mut own, keys, is_last, |word| word.unmapped(order), memory);
    }
}

/// Sorts keys as [`fn@sort_keys`] does, and moves a value with each. Equal keys keep their order.
#[kernel(
    threads = THREADS,
    requires(keys.len() <= MOST, values.len() == keys.len()),
    instances(
        sort_8_and_4 = <u8, u32, 16, 32768, 8192, 8192>,
        sort_16_and_4 = <u16, u32, 16, 16384, 8192, 8192>,
        sort_32_and_4 = <u32, u32, 16, 8192, 8192, 8192>,
        sort_64_and_4 = <u64, u32, 8, 4096, 8192, 4096>,
        sort_8_and_8 = <u8, u64, 8, 32768, 4096, 4096>,
        sort_16_and_8 = <u16, u64, 8, 16384, 4096, 4096>,
        sort_32_and_8 = <u32, u64, 8, 8192, 4096, 4096>,
        sort_64_and_8 = <u64, u64, 8, 4096, 4096, 4096>,
        sort_8_and_16 = <u8, [u64; 2], 4, 32768, 2048, 2048>,
        sort_16_and_16 = <u16, [u64; 2], 4, 16384, 2048, 2048>,
        sort_32_and_16 = <u32, [u64; 2], 4, 8192, 2048, 2048>,
        sort_64_and_16 = <u64, [u64; 2], 4, 4096, 2048, 2048>,
    )
)]
#[allow(clippy::too_many_arguments)]
pub fn sort_pairs<
    K: Word,
    V: DeviceLayout,
    const ITEMS: usize,
    const KEYS: usize,
    const VALUES: usize,
    const MOST: usize,
>(
    block: &mut Block,
    keys: &mut Chunk<K, MOST>,
    values: &mut Chunk<V, MOST>,
    flip: K,
    flip_negative: K,
    memory: &mut Shared<u32, MEMORY>,
    ends: &mut Shared<u32, DIGITS>,
) {
    let (n, order) = (keys.len(), [flip, flip_negative]);
    let mut own = load::<K, ITEMS>(block, keys.view(n));
    let mut with = load::<V, ITEMS>(block, values.view(n));
    block.each(&mut own, |_, own| own.items = own.items.map(|key| key.mapped(order)));
    for digit in 0..size_of::<K>() as u32 {
        rank_by_digit(block, &mut own, 8 * digit, n, memory, ends);
        block.each_with(&mut with, &own, |_, with, own| with.ranks = own.ranks);
        let is_last = digit + 1 == size_of::<K>() as u32;
        exchange::<K, ITEMS, KEYS, MOST>(block, &mut own, keys, is_last, |word| word.unmapped(order), memory);
        exchange::<V, ITEMS, VALUES, MOST>(block, &mut with, values, is_last, |value| value, memory);
    }
}
