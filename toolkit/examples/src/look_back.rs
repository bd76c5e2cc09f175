//! Inclusive scan of a large array in one pass, by decoupled look-back (Merrill and Garland; CUB `DeviceScan`).

use crate::FourWords;
#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Threads of a block, and groups of four elements per thread.
const THREADS: usize = 256;
const GROUPS: usize = 8;
/// Elements of a block.
pub const PART: usize = THREADS * GROUPS * 4;

// ANCHOR: look_back
/// `states` has a word for each part and then the next part, all 0 at first.
#[kernel(
    threads = THREADS,
    blocks_per_sm = 4,
    requires(
        x.len() == out.len() && grid.x as usize == x.len().div_ceil(PART / 4),
        states.len() == grid.x as usize + 1,
    )
)]
pub fn look_back(block: &mut Block, out: &Scatter<FourWords>, states: &Atomics<u64>, x: &[FourWords]) {
    let part = block.next_part(states);
    // A warp has neighbouring groups of four, and each lane every 32nd of them.
    let first = part * (THREADS * GROUPS) as u32;
    let index = |t: Thread, k: u32| first + t.index() / 32 * (32 * GROUPS as u32) + 32 * k + t.index() % 32;
    let mut own = block.per_thread(|thread| {
        let mut own = [[0u32; 4]; GROUPS];
        for k in 0..GROUPS as u32 {
            own[k as usize] = x.get(index(thread, k) as usize).map_or([0; 4], |four| four.all);
        }
        own.map(|[a, b, c, d]| {
            let (b, c) = (a.wrapping_add(b), c.wrapping_add(a.wrapping_add(b)));
            [a, b, c, c.wrapping_add(d)]
        })
    });
    let (sums, all) = block.inclusive_scan_rows(&own, 0, |_, own| own.map(|four| four[3]), u32::wrapping_add);
    let before = block.look_back(states, part, all, 0, u32::wrapping_add);
    block.each_with(&mut own, &sums, |thread, own, sums| {
        for k in 0..GROUPS {
            let (at, others) = (index(thread, k as u32), before.wrapping_add(sums[k].wrapping_sub(own[k][3])));
            if at < out.len() {
                out.put(thread, at, FourWords { all: own[k].map(|sum| sum.wrapping_add(others)) });
            }
        }
    });
}
// ANCHOR_END: look_back

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
