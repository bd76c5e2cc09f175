//! The elements that satisfy a condition, in their order: each block counts, one block scans the counts, each block writes.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Elements per block.
const PART: usize = 1024;

fn is_kept(x: u32) -> bool {
    x.is_multiple_of(3)
}

#[kernel(threads = 256, requires(counts.len() == x.len().div_ceil(PART)))]
fn count(block: &mut Block, counts: &mut Chunk<u32, 1, WriteOnly>, x: &[u32]) {
    let first = block.index() * PART as u32;
    let n = (x.len() as u32 - first).min(PART as u32);
    let count = block.count(n, |i| is_kept(x.at(first + i)));
    counts.fill(block, 1, |_| count);
}

/// The index at which each block's elements begin, and their total number.
#[kernel(threads = 1024, requires(begins.segments() == 1, total.len() == 1))]
fn begin(block: &mut Block, begins: &mut Segment<u32>, total: &mut Chunk<u32, 1, WriteOnly>) {
    let n = begins.len();
    let all = begins.exclusive_scan_in_place(block, n, 0, u32::wrapping_add);
    total.fill(block, 1, |_| all);
}

#[kernel(threads = 256, requires(begins.len() == x.len().div_ceil(PART)))]
fn keep(block: &mut Block, out: &Scatter<u32>, x: &[u32], begins: &[u32], places: &mut Shared<u32, PART>) {
    let (begin, first) = (begins.at(block.index()), block.index() * PART as u32);
    let n = (x.len() as u32 - first).min(PART as u32);
    let mut places = places.fill(block, n, |i| u32::from(is_kept(x.at(first + i))));
    places.exclusive_scan_in_place(block, n, 0, |a, b| a + b);
    block.for_each(n, |thread, i| {
        if is_kept(x.at(first + i)) {
            out.put(thread, begin + places.get(i), x.at(first + i));
        }
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let x = words(50_000);
    let parts = blocks(x.len(), PART);
    let on_machine = machine.buffer(&x)?;
    let (mut counts, mut total) = (machine.zeroed(parts as usize)?, machine.zeroed(1)?);
    count::launch(machine, parts, count::Args { counts: counts.view_mut(), x: on_machine.view() })?;
    let whole = machine.offsets(&Offsets::new(vec![0, parts]).expect("offsets that rise"))?;
    let begins = Segments { data: counts.view_mut(), offsets: &whole };
    begin::launch(machine, 1, begin::Args { begins, total: total.view_mut() })?;
    let mut out = machine.zeroed(total.download()?[0] as usize)?;
    let args = keep::Args { out: out.view_mut(), x: on_machine.view(), begins: counts.view() };
    keep::launch(machine, parts, args)?;
    let found = out.download()?;
    assert!(x.iter().filter(|x| is_kept(**x)).eq(&found));
    Ok(Report::new(format!("{} of {} are kept", found.len(), x.len()), &found))
}
