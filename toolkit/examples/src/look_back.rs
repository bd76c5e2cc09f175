//! Inclusive scan of a large array in one pass, by decoupled look-back (Merrill and Garland; CUB `DeviceScan`).

use crate::FourWords;
#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Marks in a part's word: it has the part's own sum, or the sum of all parts up to it.
const SUM: u64 = 1 << 32;
const PREFIX: u64 = 2 << 32;

/// Threads of a block, and groups of four elements per thread.
const THREADS: usize = 256;
const GROUPS: usize = 8;
const WARPS: usize = THREADS / 32;
/// Elements of a block.
pub const PART: usize = THREADS * GROUPS * 4;

/// The sum of all parts before `part`. The warp looks back at 32 parts at a time, until it finds one with the sum up to it.
fn sum_before(warp: &mut Warp, states: &Atomics<u64>, part: u32) -> u32 {
    let (mut before, mut end) = (0u32, part);
    while end > 0 {
        let found = warp.per_lane(|lane| {
            let back = lane.index() + 1;
            if back <= end { states.load(lane.thread(), end - back + 1) } else { PREFIX }
        });
        if warp.any(&found, |_, state| *state < SUM) {
            continue;
        }
        // The nearest part with the sum up to it. The parts in between have their own sums.
        let last = warp.ballot(&found, |_, state| *state >= PREFIX).trailing_zeros();
        let sums = warp.map(&found, |lane, state| if lane.index() <= last { *state as u32 } else { 0 });
        before = before.wrapping_add(warp.reduce(&sums, u32::wrapping_add));
        end = if last < 32 { 0 } else { end - 32 };
    }
    before
}

/// Adds element by element.
fn add<const N: usize>(a: [u32; N], b: [u32; N]) -> [u32; N] {
    core::array::from_fn(|k| a[k].wrapping_add(b[k]))
}

/// `states` has the next ticket and a word for each part, all 0 at first.
///
/// A block's part is its ticket. So a block that waits for a part waits for a block that has begun. This relies on something that
/// nothing checks: a block that has drawn a ticket continues to run.
#[kernel(
    threads = THREADS,
    blocks_per_sm = 4,
    requires(
        x.len() == out.len(),
        states.len() == x.len().div_ceil(PART / 4) + 1,
        grid.x as usize + 1 == states.len(),
    )
)]
pub fn look_back(
    block: &mut Block,
    out: &Scatter<FourWords>,
    states: &Atomics<u64>,
    x: &[FourWords],
    totals: &mut Shared<u32, THREADS>,
    befores: &mut Shared<u32, WARPS>,
) {
    let (groups, warps) = (GROUPS as u32, WARPS as u32);
    let part = block.once(|thread| states.add(thread, 0, 1)) as u32;
    // A warp has neighbouring groups of four, and each lane every 32nd of them.
    let first = part * THREADS as u32 * groups;
    let index = |thread: Thread, k: u32| first + thread.index() / 32 * (32 * groups) + 32 * k + thread.index() % 32;
    let mut own = block.per_thread(|thread| {
        let mut own = [[0u32; 4]; GROUPS];
        for k in 0..groups {
            own[k as usize] = x.get(index(thread, k) as usize).map_or([0; 4], |four| four.all);
        }
        own.map(|[a, b, c, d]| {
            let (b, c) = (a.wrapping_add(b), c.wrapping_add(a.wrapping_add(b)));
            [a, b, c, c.wrapping_add(d)]
        })
    });
    // Sums within the warp's part. All groups are scanned at once, so that their shuffles do not wait for each other.
    block.warps_with(&mut own, |warp, own| {
        let sums = warp.map(&*own, |_, own| own.map(|four| four[3]));
        let up_to = warp.inclusive_scan(&sums, add);
        let all = warp.broadcast(&up_to, 31);
        warp.each_with(own, &up_to, |_, own, up_to| {
            let mut before = 0u32;
            for k in 0..GROUPS {
                let others = before.wrapping_add(up_to[k].wrapping_sub(own[k][3]));
                own[k] = own[k].map(|sum| sum.wrapping_add(others));
                before = before.wrapping_add(all[k]);
            }
        });
    });
    let totals = totals.write(block, THREADS as u32, &own, |_, own| own[GROUPS - 1][3]);
    let total = |warp: u32| totals.get(32 * warp + 31);
    // The sum before each warp's part. The first threads have it.
    let mut before = block.per_thread(|_| 0);
    block.warps_with(&mut before, |warp, before| {
        if warp.index() > 0 {
            return;
        }
        let totals = warp.per_lane(|lane| if lane.index() < warps { total(lane.index()) } else { 0 });
        let up_to = warp.inclusive_scan(&totals, u32::wrapping_add);
        let sum = warp.broadcast(&up_to, 31);
        // An exchange, because a store would wait for the stores of results.
        let announce = |warp: &mut Warp, state: u64| {
            warp.per_lane(|lane| {
                if lane.index() == 0 {
                    states.exchange(lane.thread(), part + 1, state);
                }
            });
        };
        if part > 0 {
            announce(warp, SUM | u64::from(sum));
        }
        let found = sum_before(warp, states, part);
        announce(warp, PREFIX | u64::from(found.wrapping_add(sum)));
        warp.each_with(before, (&up_to, &totals), |_, before, (up_to, total)| {
            *before = found.wrapping_add(up_to.wrapping_sub(*total));
        });
    });
    let befores = befores.write(block, warps, &before, |_, before| *before);
    block.each(&mut own, |thread, own| {
        let before = befores.get(thread.index() / 32);
        for k in 0..groups {
            let at = index(thread, k);
            if at < out.len() {
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
    let mut states = machine.zeroed(parts as usize + 1)?;
    let args = look_back::Args { out: out.view_mut(), states: states.view_mut(), x: on_machine.view() };
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
