//! Inclusive scan of a large array in one pass, by decoupled look-back (Merrill and Garland; CUB `DeviceScan`).

use crate::FourWords;
#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// A part's word: the part's own sum is there, or that of all up to it.
const SUM: u64 = 1 << 32;
const PREFIX: u64 = 2 << 32;

/// Threads of a block, and groups of four elements that each has.
const THREADS: usize = 512;
const GROUPS: usize = 8;
/// Elements of a block.
pub const PART: usize = THREADS * GROUPS * 4;

/// What comes before part `part`: its warp looks back at 32 parts at a time, until it finds one that knows all up to it.
fn sum_before(warp: &mut Warp, states: &Atomics<u64>, part: u32) -> u32 {
    let (mut before, mut end) = (0u32, part);
    while end > 0 {
        let found = warp.per_lane(|lane| {
            let back = lane.index() + 1;
            if back <= end { states.load(lane.thread(), end - back) } else { PREFIX }
        });
        if warp.any(&found, |_, state| *state < SUM) {
            continue;
        }
        // The nearest part that knows all up to it; the parts between here and there have their own sums.
        let last = warp.ballot(&found, |_, state| *state >= PREFIX).trailing_zeros();
        let sums = warp.map(&found, |lane, state| if lane.index() <= last { *state as u32 } else { 0 });
        before = before.wrapping_add(warp.reduce(&sums, u32::wrapping_add));
        end = if last < 32 { 0 } else { end - 32 };
    }
    before
}

/// `states` has a word for each part and `next` is the ticket, all 0 at first.
///
/// Parts go by ticket, so that whoever waits for a part waits for a block that has begun. What it rests on, and nothing
/// checks: a block that has drawn a ticket goes on running.
#[kernel(
    threads = THREADS,
    requires(
        x.len() == out.len(),
        states.len() == x.len().div_ceil(PART / 4),
        grid.x as usize == states.len(),
        next.len() == 1,
    )
)]
pub fn look_back(
    block: &mut Block,
    out: &Scatter<FourWords>,
    states: &Atomics<u64>,
    next: &Atomics<u32>,
    x: &[FourWords],
    totals: &mut Shared<u32, THREADS>,
) {
    let (groups, warps) = (GROUPS as u32, THREADS as u32 / 32);
    let part = block.once(|thread| next.add(thread, 0, 1));
    // A warp has neighbouring groups of four, each lane every 32nd of them.
    let first = part * THREADS as u32 * groups;
    let place = |thread: Thread, k: u32| first + thread.index() / 32 * (32 * groups) + 32 * k + thread.index() % 32;
    let mut own = block.per_thread(|thread| {
        let mut own = [[0u32; 4]; GROUPS];
        for k in 0..GROUPS as u32 {
            let at = place(thread, k);
            if at < x.len() as u32 {
                own[k as usize] = x.at(at).all;
            }
        }
        own.map(|[a, b, c, d]| {
            let (b, c) = (a.wrapping_add(b), c.wrapping_add(a.wrapping_add(b)));
            [a, b, c, c.wrapping_add(d)]
        })
    });
    // Sums within the warp's part.
    block.warps_with(&mut own, |warp, own| {
        let mut before = 0u32;
        macro_rules! scan {
            ($($k:literal)*) => {$(
                let sums = warp.map(&*own, |_, own| own[$k][3]);
                let all = warp.inclusive_scan(&sums, u32::wrapping_add);
                warp.each_with(own, &all, |_, own, all| {
                    let before = before.wrapping_add(all.wrapping_sub(own[$k][3]));
                    own[$k] = own[$k].map(|sum| sum.wrapping_add(before));
                });
                before = before.wrapping_add(warp.broadcast(&all, 31));
            )*};
        }
        scan!(0 1 2 3 4 5 6 7);
        let _ = before;
    });
    let totals = totals.write(block, THREADS as u32, &own, |_, own| own[GROUPS - 1][3]);
    let total = |warp: u32| totals.get(32 * warp + 31);
    let mut before = block.per_thread(|_| 0);
    block.warps_with(&mut before, |warp, before| {
        if warp.index() > 0 {
            return;
        }
        let totals = warp.per_lane(|lane| if lane.index() < warps { total(lane.index()) } else { 0 });
        let sum = warp.reduce(&totals, u32::wrapping_add);
        // Exchanged, and not stored: a store would wait behind those of results.
        let announce = |warp: &mut Warp, state: u64| {
            warp.per_lane(|lane| {
                if lane.index() == 0 {
                    states.exchange(lane.thread(), part, state);
                }
            });
        };
        if part > 0 {
            announce(warp, SUM | u64::from(sum));
        }
        let found = sum_before(warp, states, part);
        announce(warp, PREFIX | u64::from(found.wrapping_add(sum)));
        warp.each(before, |_, before| *before = found);
    });
    let before = block.broadcast(&before, 0);
    block.each(&mut own, |thread, own| {
        let warp = thread.index() / 32;
        let before = (0..warps - 1).fold(before, |sum, k| if k < warp { sum.wrapping_add(total(k)) } else { sum });
        for k in 0..GROUPS as u32 {
            let at = place(thread, k);
            if at < x.len() as u32 {
                out.put(thread, at, FourWords { all: own[k as usize].map(|sum| sum.wrapping_add(before)) });
            }
        }
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let x = words(100_000);
    let fours: Vec<_> = x.as_chunks().0.iter().map(|four| FourWords { all: *four }).collect();
    let parts = blocks(x.len(), PART);
    let (on_machine, mut out) = (machine.buffer(&fours)?, machine.zeroed::<FourWords>(fours.len())?);
    let (mut states, mut next) = (machine.zeroed(parts as usize)?, machine.zeroed(1)?);
    let (states, next) = (states.view_mut(), next.view_mut());
    let args = look_back::Args { out: out.view_mut(), states, next, x: on_machine.view() };
    look_back::launch(machine, parts, args)?;
    let found: Vec<u32> = bytemuck::cast_slice(&out.download()?).to_vec();
    let mut sum = 0u32;
    let expected = x.iter().map(|x| {
        sum = sum.wrapping_add(*x);
        sum
    });
    assert!(expected.eq(found.iter().copied()));
    Ok(Report::new(format!("{} sums", found.len()), &found))
}
