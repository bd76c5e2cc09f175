//! Radix sort by digits of eight bits, in one launch a digit (Onesweep: Adinets and Merrill 2022, <https://arxiv.org/abs/2206.01784>).
//!
//! One launch counts all digits of all keys. Then a launch for each digit, the lowest first, moves keys to where they belong by that digit, and
//! reads and writes each key once. A block has a part of the keys. It counts their digits, and announces the counts. Then it looks back at
//! the counts of earlier blocks, digit by digit, until it finds one that has added up all blocks before it (decoupled look-back). It puts
//! its keys in order in shared memory, so that neighbouring threads write neighbouring elements.
//!
//! One block sorts by all digits in one launch if there are no more elements than it has room for.

#[cfg(not(target_arch = "nvptx64"))]
mod host;
mod key;
mod rank;
mod single;

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Keys, KeysWith, PairSort, Sort, sort, sort_by_key};
pub use key::{Order, Word};
#[cfg(not(target_arch = "nvptx64"))]
pub use key::{SortKey, SortValue};

use crate::parts;
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{Slots, View, unrolled};
use rank::{count_in_block, count_in_warps, find_cells, rank, zeros};

/// Values of a digit.
pub const DIGITS: usize = 256;
/// Threads of a block.
pub const THREADS: usize = 512;
const WARPS: usize = THREADS / 32;
/// Counts of a block: those of a warp lie together.
const COUNTS: u32 = (WARPS * DIGITS) as u32;
/// Bits of a cell's number.
const CELL_BITS: u32 = COUNTS.ilog2();
/// Words of shared memory, for a block's counts, then for its keys, and then for its values.
const MEMORY: usize = 8192;
/// The most keys: a block's word has their number and a mark.
pub const MOST: usize = (1 << 30) - 1;

/// Marks in a block's word for a digit: it has the block's own count, or the count of all blocks up to it.
const OWN: u32 = 1 << 30;
const UP_TO: u32 = 2 << 30;

/// Elements of a block whose threads have `items` each.
#[must_use]
pub const fn part(items: usize) -> usize {
    THREADS * items
}

/// Adds to `counts` how often each digit occurs, the lowest digit first. A block takes `part` keys.
#[kernel(
    threads = THREADS,
    requires(counts.len() == CELLS, part > 0, keys.len().div_ceil(part as usize) == grid.x as usize),
    instances(
        count_digits_8 = <u8, 256>,
        count_digits_16 = <u16, 512>,
        count_digits_32 = <u32, 1024>,
        count_digits_64 = <u64, 2048>,
    )
)]
pub fn count_digits<K: Word, const CELLS: usize>(
    block: &mut Block,
    counts: &Atomics<u32>,
    keys: &[K],
    flip: K,
    flip_negative: K,
    part: u32,
    own: &mut Shared<u32, CELLS>,
) {
    /// Keys that a thread loads before it counts them.
    const AHEAD: usize = 8;
    let (first, n) = parts::of(keys.len(), block.index(), part);
    let keys = View::of(keys).part(first, n).clamped();
    let mut own = own.fill(block, CELLS as u32, |_| 0);
    own.update_atomic(block, THREADS as u32, |thread, cells, at| {
        let mut at = at;
        while at < n {
            let mut some = [K::zeroed(); AHEAD];
            unrolled::<AHEAD>(|k| some[k as usize] = keys.get(at.wrapping_add(k.wrapping_mul(THREADS as u32))));
            unrolled::<AHEAD>(|k| {
                if at.wrapping_add(k.wrapping_mul(THREADS as u32)) < n {
                    let key = some[k as usize].mapped([flip, flip_negative]);
                    for digit in 0..CELLS / DIGITS {
                        let cell = digit as u32 * DIGITS as u32 + key.digit(8 * digit as u32);
                        cells.add(thread, cell, 1);
                    }
                }
            });
            at = at.wrapping_add((AHEAD * THREADS) as u32);
        }
    });
    block.for_each(CELLS as u32, |thread, cell| {
        let count = own.get(cell);
        if count > 0 {
            counts.add(thread, cell, count);
        }
    });
}

/// Where the keys of each digit begin. A block computes this for one digit of keys.
#[kernel(threads = 256)]
pub fn digit_begins(block: &mut Block, counts: &mut Chunk<u32, DIGITS>) {
    counts.exclusive_scan_in_place(block, DIGITS as u32, 0, u32::wrapping_add);
}

/// What a pass needs besides keys and values.
#[derive(Arguments)]
pub struct Pass<'a, K: DeviceLayout> {
    /// Where the keys of each digit begin.
    pub begins: &'a [u32],
    /// A word for each block and digit, then the next ticket; all 0 at first.
    pub states: &'a Atomics<'a, u32>,
    /// The number of bits below the digit.
    pub shift: u32,
    /// The order of keys: the first pass maps them to words in the order of unsigned numbers, the last one maps them back.
    pub flip: K,
    /// As above, for keys whose highest bit is set.
    pub flip_negative: K,
}

/// Elements of a thread: some of its block's part, and the rank of each in its part.
struct Own<T, const ITEMS: usize> {
    items: [T; ITEMS],
    ranks: [u32; ITEMS],
    /// Whether the ranks among the keys of a warp are known.
    is_ranked: bool,
}

/// The position in the block's part of a thread's element `k`. A warp has neighbouring elements, and each lane every 32nd of them.
///
/// The operations show the compiler that there is such a position.
#[inline(always)]
fn position<const ITEMS: usize>(thread: Thread, k: u32) -> u32 {
    const { assert!(ITEMS.is_power_of_two()) };
    let (warp, lane) = (thread.index() / 32 % WARPS as u32, thread.index() % 32);
    (warp * 32 * ITEMS as u32) | (32 * k) | lane
}

/// The position in the block's part that a thread writes in turn `k`.
#[inline(always)]
fn turn(thread: Thread, k: u32) -> u32 {
    (thread.index() % THREADS as u32) | (k * THREADS as u32)
}

/// Where the element of a rank lies in shared memory: rows of 32 are permuted, each in another way. If each digit of keys that are nearly
/// in order has a multiple of 32 keys, the elements of a warp would otherwise lie in one bank.
#[inline(always)]
fn permuted(rank: u32) -> u32 {
    rank ^ (rank / 32 % 32)
}

/// `permuted(turn(thread, k))`, of which only a bit depends on `k`, and what is added.
#[inline(always)]
fn permuted_turn(thread: Thread, k: u32) -> u32 {
    let own = permuted(thread.index() % THREADS as u32);
    (own ^ (THREADS as u32 / 32 * k % 32)) | (k * THREADS as u32)
}

/// Each thread's elements. Positions beyond the end have zeros.
#[inline(always)]
fn load<T: DeviceLayout, const ITEMS: usize>(block: &mut Block, elements: View<T>) -> PerThread<Own<T, ITEMS>> {
    block.per_thread(|thread| {
        let mut own = Own { items: [T::zeroed(); ITEMS], ranks: [0; ITEMS], is_ranked: false };
        if elements.len() == part(ITEMS) as u32 {
            unrolled::<ITEMS>(|k| own.items[k as usize] = elements.get(position::<ITEMS>(thread, k)));
        } else {
            unrolled::<ITEMS>(|k| {
                let position = position::<ITEMS>(thread, k);
                if position < elements.len() {
                    own.items[k as usize] = elements.get(position);
                }
            });
        }
        own
    })
}

/// The number of keys with a digit in all parts before `part`, which is not the first.
#[inline(always)]
fn look_back(thread: Thread, states: &Atomics<u32>, part: u32, digit: u32) -> u32 {
    /// Parts whose words are on the way at a time. One after the other, blocks would end faster than a thread can look back.
    const AHEAD: usize = 8;
    let digits = DIGITS as u32;
    let (mut before, mut at) = (0u32, part.wrapping_mul(digits).wrapping_add(digit));
    loop {
        let mut words = [0; AHEAD];
        // Beyond the first part it is once more the first part, whose word ends the search.
        unrolled::<AHEAD>(|k| words[k as usize] = states.load(thread, at.saturating_sub((k + 1) * digits).max(digit)));
        let (mut is_found, mut goes_on) = (false, true);
        unrolled::<AHEAD>(|k| {
            let word = words[k as usize];
            goes_on &= !is_found && word >= OWN;
            if goes_on {
                before = before.wrapping_add(word % OWN);
                at = at.wrapping_sub(digits);
                is_found = word >= UP_TO;
            }
        });
        if is_found {
            return before;
        }
    }
}

/// Keys of a block in order, and where they go.
struct Sorted<K, const ITEMS: usize> {
    /// Each thread's keys at their positions in the block's part, with their ranks in order.
    own: PerThread<Own<K, ITEMS>>,
    /// The index in the output of each element that a thread writes.
    to: PerThread<[u32; ITEMS]>,
    /// The block's elements: the first one, and their number.
    part: (u32, u32),
}

/// Sorts the keys of a block by a digit and writes them.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn move_part<K: Word, const ITEMS: usize, const KEYS: usize>(
    block: &mut Block,
    keys_out: &Scatter<K>,
    keys: &[K],
    order: Order<K>,
    (begins, states, shift, keeps_order): (&[u32], &Atomics<u32>, u32, bool),
    memory: &mut Shared<u32, MEMORY>,
    ends: &mut Shared<u32, DIGITS>,
    offsets: &mut Shared<u32, DIGITS>,
) -> Sorted<K, ITEMS> {
    const { assert!(part(ITEMS) <= KEYS, "shared memory has room for the keys of a block") };
    let digits = DIGITS as u32;
    // A block that waits for a part waits for a block that has begun.
    let part = block.once(|thread| states.add(thread, states.len().wrapping_sub(1), 1));
    let (first, n) = parts::of(keys.len(), part, self::part(ITEMS) as u32);
    let mut own = load::<K, ITEMS>(block, View::of(keys).part(first, n));
    // While keys are on the way.
    let mut counts = zeros(block, &own, memory);
    block.each(&mut own, |thread, own| {
        if shift == 0 && order != [K::zeroed(); 2] {
            own.items = own.items.map(|key| key.mapped(order));
        }
        find_cells(thread, own, shift, n);
    });
    // What fills up the last part must come last.
    let in_any_order = !keeps_order && shift == 0 && n == self::part(ITEMS) as u32;
    count_in_warps(block, &mut own, &mut counts, in_any_order, n);
    let of_digits = count_in_block(block, &mut counts, ends, |thread, total| {
        let mark = if part == 0 { UP_TO } else { OWN };
        states.store(thread, part.wrapping_mul(digits).wrapping_add(thread.index() % digits), mark | total);
    });
    rank(block, &mut own, &mut counts, n);
    let in_order = memory.recast::<K, KEYS>().scatter(block, self::part(ITEMS) as u32, &own, put_all);
    let offsets = offsets.write(block, digits, &of_digits, |thread, [total, smaller]| {
        let digit = thread.index() % digits;
        let mut before = 0;
        if part > 0 {
            before = look_back(thread, states, part, digit);
            states.store(thread, part.wrapping_mul(digits).wrapping_add(digit), UP_TO | before.wrapping_add(*total));
        }
        begins.at(digit).wrapping_add(before).wrapping_sub(*smaller)
    });
    let to = block.per_thread(|thread| {
        let (mut items, mut to) = ([K::zeroed(); ITEMS], [0; ITEMS]);
        unrolled::<ITEMS>(|k| items[k as usize] = in_order.get(permuted_turn(thread, k)));
        unrolled::<ITEMS>(|k| {
            let digit = items[k as usize].digit(shift) % digits;
            to[k as usize] = offsets.get(digit).wrapping_add(turn(thread, k));
        });
        if shift == 8 * (size_of::<K>() as u32 - 1) && order != [K::zeroed(); 2] {
            items = items.map(|word| word.unmapped(order));
        }
        put(thread, keys_out, to, items, n);
        to
    });
    Sorted { own, to, part: (first, n) }
}

/// Writes those of a thread's elements that are below position `n`.
#[inline(always)]
fn put<T: DeviceLayout, const ITEMS: usize>(
    thread: Thread,
    out: &Scatter<T>,
    to: [u32; ITEMS],
    items: [T; ITEMS],
    n: u32,
) {
    if n == part(ITEMS) as u32 {
        out.put_each(thread, to, items);
    } else {
        unrolled::<ITEMS>(|k| {
            if turn(thread, k) < n {
                out.put(thread, to[k as usize], items[k as usize]);
            }
        });
    }
}

/// Puts a thread's elements at their ranks.
#[inline(always)]
fn put_all<T: DeviceLayout, const ITEMS: usize>(thread: Thread, own: &Own<T, ITEMS>, slots: &Slots<'_, T>) {
    unrolled::<ITEMS>(|k| {
        slots.put(thread, permuted(own.ranks[k as usize] % part(ITEMS) as u32), own.items[k as usize]);
    });
}

/// Moves keys to where they belong by a digit. Equal digits keep their order, except in the first pass.
///
/// Three blocks in a multiprocessor wait less than two, although 40 registers are too few for a thread's keys.
#[kernel(
    threads = THREADS,
    blocks_per_sm = 3,
    requires(
        keys_out.len() == keys.len(),
        keys.len() <= MOST,
        keys.len().div_ceil(part(ITEMS)) == grid.x as usize,
        pass.begins.len() == DIGITS,
        pass.states.len() == DIGITS * grid.x as usize + 1,
    ),
    instances(
        move_8 = <u8, 16, 32768>,
        move_16 = <u16, 16, 16384>,
        move_32 = <u32, 16, 8192>,
        move_64 = <u64, 8, 4096>,
    )
)]
pub fn move_keys<K: Word, const ITEMS: usize, const KEYS: usize>(
    block: &mut Block,
    keys_out: &Scatter<K>,
    keys: &[K],
    pass: Pass<'_, K>,
    memory: &mut Shared<u32, MEMORY>,
    ends: &mut Shared<u32, DIGITS>,
    offsets: &mut Shared<u32, DIGITS>,
) {
    let Pass { begins, states, shift, flip, flip_negative } = pass;
    // The order of equal digits in the first pass makes no difference: the next ones sort by all other digits, and equal keys are alike.
    let (order, pass) = ([flip, flip_negative], (begins, states, shift, false));
    move_part::<K, ITEMS, KEYS>(block, keys_out, keys, order, pass, memory, ends, offsets);
}

/// Keys, and a value for each.
#[derive(Arguments)]
pub struct Pairs<'a, K: DeviceLayout, V: DeviceLayout> {
    /// The keys.
    pub keys: &'a [K],
    /// Their values.
    pub values: &'a [V],
}

/// The same at their new ranks.
#[derive(Arguments)]
pub struct Moved<'a, K: DeviceLayout, V: DeviceLayout> {
    /// The keys.
    pub keys: &'a Scatter<'a, K>,
    /// Their values.
    pub values: &'a Scatter<'a, V>,
}

/// Moves keys and their values to where they belong by a digit. Equal digits keep their order.
///
/// As with [`fn@move_keys`], three blocks in a multiprocessor wait less than two. But with values of 4 or 8 bytes so many numbers leave their
/// registers that two are faster.
#[kernel(
    threads = THREADS,
    blocks_per_sm = if size_of::<V>() > 8 { 3 } else { 2 },
    requires(
        moved.keys.len() == pairs.keys.len(),
        moved.values.len() == pairs.keys.len(),
        pairs.values.len() == pairs.keys.len(),
        pairs.keys.len() <= MOST,
        pairs.keys.len().div_ceil(part(ITEMS)) == grid.x as usize,
        pass.begins.len() == DIGITS,
        pass.states.len() == DIGITS * grid.x as usize + 1,
    ),
    instances(
        move_8_and_4 = <u8, u32, 16, 32768, 8192>,
        move_16_and_4 = <u16, u32, 16, 16384, 8192>,
        move_32_and_4 = <u32, u32, 16, 8192, 8192>,
        move_64_and_4 = <u64, u32, 8, 4096, 8192>,
        move_8_and_8 = <u8, u64, 8, 32768, 4096>,
        move_16_and_8 = <u16, u64, 8, 16384, 4096>,
        move_32_and_8 = <u32, u64, 8, 8192, 4096>,
        move_64_and_8 = <u64, u64, 8, 4096, 4096>,
        move_8_and_16 = <u8, [u64; 2], 4, 32768, 2048>,
        move_16_and_16 = <u16, [u64; 2], 4, 16384, 2048>,
        move_32_and_16 = <u32, [u64; 2], 4, 8192, 2048>,
        move_64_and_16 = <u64, [u64; 2], 4, 4096, 2048>,
    )
)]
pub fn move_pairs<K: Word, V: DeviceLayout, const ITEMS: usize, const KEYS: usize, const VALUES: usize>(
    block: &mut Block,
    moved: Moved<'_, K, V>,
    pairs: Pairs<'_, K, V>,
    pass: Pass<'_, K>,
    memory: &mut Shared<u32, MEMORY>,
    ends: &mut Shared<u32, DIGITS>,
    offsets: &mut Shared<u32, DIGITS>,
) {
    const { assert!(part(ITEMS) <= VALUES, "shared memory has room for the values of a block") };
    let Pass { begins, states, shift, flip, flip_negative } = pass;
    let (order, pass, values) = ([flip, flip_negative], (begins, states, shift, true), pairs.values);
    let sorted = move_part::<K, ITEMS, KEYS>(block, moved.keys, pairs.keys, order, pass, memory, ends, offsets);
    let (Sorted { own: keys, mut to, part: (first, n) }, values_out) = (sorted, moved.values);
    let mut own = load::<V, ITEMS>(block, View::of(values).part(first, n));
    block.each_with(&mut own, &keys, |_, own, keys| own.ranks = keys.ranks);
    let in_order = memory.recast::<V, VALUES>().scatter(block, part(ITEMS) as u32, &own, put_all);
    block.each(&mut to, |thread, to| {
        let mut items = [V::zeroed(); ITEMS];
        unrolled::<ITEMS>(|k| items[k as usize] = in_order.get(permuted_turn(thread, k)));
        put(thread, values_out, *to, items, n);
    });
}
