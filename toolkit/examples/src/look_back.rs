//! Inclusive scan of a large array in one pass, by decoupled look-back (Merrill and Garland; CUB `DeviceScan`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Elements of a block.
const PART: usize = 2048;
/// A part's word: the part's own sum is there, or that of all up to it.
const SUM: u64 = 1 << 32;
const PREFIX: u64 = 2 << 32;

/// `states` has a word for each part and `next` is the ticket, all 0 at first.
///
/// Parts go by ticket, so that whoever waits for a part waits for a block that has begun. What it rests on, and nothing
/// checks: a block that has drawn a ticket goes on running.
#[kernel(threads = 256, requires(x.len() == out.len(), states.len() == x.len().div_ceil(PART), next.len() == 1))]
fn look_back(
    block: &mut Block,
    out: &Scatter<u32>,
    states: &Atomics<u64>,
    next: &Atomics<u32>,
    x: &[u32],
    own: &mut Shared<u32, PART>,
) {
    let part = block.once(|thread| next.add(thread, 0, 1));
    let first = part * PART as u32;
    let n = (x.len() as u32 - first).min(PART as u32);
    let x = View::of(x).part(first, n);
    let mut own = own.fill(block, n, |i| x.get(i));
    let sum = own.inclusive_scan_in_place(block, n, 0, u32::wrapping_add);
    let before = block.once(|thread| {
        let mut before = 0u32;
        if part > 0 {
            states.store(thread, part, SUM | u64::from(sum));
            let mut at = part - 1;
            loop {
                let state = states.load(thread, at);
                before = if state >= SUM { before.wrapping_add(state as u32) } else { before };
                if state >= PREFIX {
                    break;
                }
                if state >= SUM {
                    at -= 1;
                }
            }
        }
        states.store(thread, part, PREFIX | u64::from(before.wrapping_add(sum)));
        before
    });
    block.for_each(n, |thread, i| out.put(thread, first + i, before.wrapping_add(own.get(i))));
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let x = words(100_000);
    let parts = blocks(x.len(), PART);
    let (on_machine, mut out) = (machine.buffer(&x)?, machine.zeroed(x.len())?);
    let (mut states, mut next) = (machine.zeroed(parts as usize)?, machine.zeroed(1)?);
    let (states, next) = (states.view_mut(), next.view_mut());
    look_back::launch(machine, parts, look_back::Args { out: out.view_mut(), states, next, x: on_machine.view() })?;
    let found = out.download()?;
    let mut sum = 0u32;
    let expected = x.iter().map(|x| {
        sum = sum.wrapping_add(*x);
        sum
    });
    assert!(expected.eq(found.iter().copied()));
    Ok(Report::new(format!("{} sums", found.len()), &found))
}
