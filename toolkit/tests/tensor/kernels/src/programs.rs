//! Random programs of phases: the result of safe kernel code depends neither on the order of its threads nor on the
//! backend.

use cuda_std::lists::Pick;
use cuda_std::prelude::*;

/// Words per phase of [`fn@program`]: the operation, and its numbers.
pub const WORDS: usize = 4;

/// A number that depends on two others.
fn mixed(a: u32, b: u32) -> u32 {
    (a ^ b.rotate_left(13)).wrapping_mul(0x9e37_79b9).rotate_left(7) ^ b
}

/// Interprets a program. Each phase has four words: the operation and the numbers `a`, `b` and `c`. All threads know `x`,
/// which each phase changes. If a program exceeds its memory, it panics.
#[kernel(threads = 96)]
pub fn program(
    block: &mut Block,
    memory: &mut Segment<u32>,
    counts: &Atomics<u32>,
    program: &[[u32; WORDS]],
    tile: &mut Shared<u32, 192>,
    list: &mut Shared<u32, { 3 * 40 }>,
    picks: &mut Shared<Pick, { 3 * 50 }>,
    elements: &[[f32; 4]],
) {
    let mut x = 1;
    for step in 0..program.len() as u32 {
        let [what, a, b, c] = program.at(step);
        // Usually within the memory, and never so many that the work takes seconds.
        let n = if b.is_multiple_of(61) { b.min(1 << 20) } else { b % (memory.len() + 1) };
        match what % 24 {
            0 => memory.fill(block, n, |i| mixed(i ^ a, x)),
            1 => memory.update(block, n, |i, item| *item = mixed(*item, i.wrapping_add(a))),
            2 => x = block.reduce(n, a, |i| mixed(memory.get(i), c), |a, b| a.wrapping_add(b)),
            3 => {
                let sum = block.reduce(n, 0.0, |i| memory.get(i) as f32 * 1e-3, |a, b| a + b);
                x = sum.to_bits();
            }
            4 => x = memory.inclusive_scan(block, n, 0, |i| mixed(i, a) >> 5, u32::wrapping_add),
            5 => x = memory.exclusive_scan(block, n, u32::MAX, |i| mixed(i, x), u32::min),
            6 => {
                x ^= block.count(n, |i| memory.get(i) % 3 == 0);
                x ^= u32::from(block.any(n, |i| memory.get(i) == a)) << 8;
                x ^= u32::from(block.all(n, |i| memory.get(i) > c)) << 9;
            }
            7 => {
                let shared = tile.fill(block, n, |i| memory.get(i) ^ a);
                let places = shared.len();
                memory.fill(block, places, |i| shared.get(mixed(i, c) % places));
            }
            8 => {
                let shared = tile.fill_all(block, |i| mixed(i, x));
                let part = shared.part(a % 200, c % 64);
                x = x.wrapping_add(if part.is_empty() { 0 } else { part.get(b % 64) });
            }
            9 => {
                let own = block.per_thread(|thread| mixed(thread.index(), a));
                let shared = tile.write(block, n, &own, |_, own| *own);
                x ^= if shared.is_empty() { 7 } else { shared.get(c % shared.len()) };
            }
            10 => {
                let mut own = block.per_thread(|thread| memory.get(thread.index() % memory.len().max(1)));
                block.each(&mut own, |thread, own| *own = own.wrapping_mul(thread.index() | 1));
                x = block.reduce_threads(&own, x, |thread, own| own ^ thread.index(), u32::max);
                memory.write(block, c % 100, &own, |_, own| *own);
            }
            11 => memory.update_atomic(block, n, |thread, cells, i| {
                if cells.len() > 0 {
                    cells.add(thread, mixed(i, a) % cells.len(), i);
                    cells.add(thread, mixed(i, c) % cells.len(), x);
                }
            }),
            12 => {
                let mid = a % (memory.len() + 1);
                let mut whole = memory.whole();
                let (mut first, mut second) = whole.split_at(mid);
                let m = first.len().min(second.len());
                let seen = first.view(m);
                second.fill(block, m, |i| mixed(seen.get(m - 1 - i), c));
                let seen = second.view(m);
                first.fill(block, m / 2, |i| seen.get(i) >> 1);
            }
            13 => memory.fill_by_warp(block, n, |warp, i| {
                let lanes = warp.per_lane(|lane| mixed(lane.index(), i ^ a));
                let other = warp.shuffle_xor(&lanes, c % 32);
                let both = warp.map(&other, |lane, value| value.wrapping_add(lane.index()));
                warp.reduce(&both, u32::wrapping_add) ^ warp.ballot(&lanes, |_, value| value % 2 == 0)
            }),
            14 => memory.fill_by_lanes(block, n, |warp, first| {
                let lanes = warp.per_lane(|lane| mixed(first + lane.index(), a));
                let up = warp.shuffle_up(&lanes, c % 40);
                let any = warp.shuffle(&up, |lane| mixed(lane.index(), x));
                warp.inclusive_scan(&any, u32::wrapping_add)
            }),
            15 => memory.fill_by_team::<8>(block, n, |team, i| team.reduce(a % 70, i, mixed, u32::wrapping_add)),
            16 => memory.update_by_team::<4, _>(
                block,
                n,
                |team, i| team.reduce(c % 33, a, |most, k| most.max(mixed(k, i)), u32::max),
                |most, item| *item = item.wrapping_sub(most),
            ),
            17 => {
                let mut halves = tile.halves(block);
                let mut own = block.per_thread(|_| 0_u32);
                for turn in 0..a % 4 {
                    let written = halves.fill(block, (b % 98).max(1), |i| mixed(i, x ^ turn));
                    let written = block.meet(written);
                    block.each(&mut own, |thread, own| *own ^= written.get(thread.index() % written.len()));
                }
                memory.write(block, 0, &own, |_, own| *own);
            }
            18 => memory.fill_by_warp_with(block, n, (&mut *list,), |warp, (list,), i| {
                let ranges = warp.per_lane(|lane| if lane.index() % 9 == 2 { [i, i + a % 20] } else { [1, 0] });
                list.push_ranges(warp, &ranges);
                let (all, room) = (list.len(), list.capacity());
                if all <= room {
                    list.retain_from(warp, 0, |warp, items| {
                        warp.map(items, |_, item| !mixed(*item, c).is_multiple_of(3))
                    });
                }
                let items = list.items(warp);
                items.range(0, items.len()).fold(all, mixed)
            }),
            19 => {
                let elements = View::of(elements).clamped();
                memory.fill_by_warp_with(block, n, (&mut *picks,), |warp, (picks,), i| {
                    let ranges = warp.per_lane(|lane| [lane.index(), lane.index() + (mixed(i, a) % 5)]);
                    picks.push_ranges_where(warp, &elements, &ranges, |_, [x, y, ..]| x + y > 0.5);
                    let items = picks.items(warp);
                    let mut found = items.len();
                    let mut first = 0;
                    while first < items.len() {
                        let read = items.picks(warp, &elements, first);
                        let here = |lane: Lane| first + lane.index() < items.len();
                        let own = warp.map(read.index(), |lane, index| if here(lane) { *index } else { 0 });
                        found = mixed(found, warp.reduce(&own, u32::wrapping_add));
                        first += 32;
                    }
                    found
                });
            }
            20 => block.for_each(n, |thread, i| {
                if counts.len() > 0 {
                    counts.add(thread, mixed(i, a) % counts.len(), c);
                }
            }),
            21 => {
                let (rows, most) = (a % 5, c % 40);
                let lists = memory.collect::<4, _>(block, rows, most, |i| move |j| mixed(i, j).is_multiple_of(3));
                let mut sum = 0;
                for i in 0..lists.len() {
                    if lists.is_complete(i) {
                        lists.first(i, lists.count(i), |j| sum = mixed(sum, j));
                    }
                }
                x ^= sum;
            }
            22 => {
                x ^= memory.fill_reduce(block, n, 0, |i| (mixed(i, a), i), u32::max);
                x ^= memory.update_reduce(block, n, 0, |i, item| mixed(*item, i), u32::wrapping_add);
            }
            _ => memory.set(block, n, x),
        }
        x = x.rotate_left(3);
    }
    memory.set(block, 0, x);
}
