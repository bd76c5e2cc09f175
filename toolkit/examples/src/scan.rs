//! Inclusive scan of a large array in three passes (Harris, GPU Gems 3).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Elements per block.
pub const PART: usize = 2048;

/// First pass: the sum of each part.
#[kernel(threads = 256, requires(x.len().div_ceil(PART) == sums.len()))]
pub fn part_sums(block: &mut Block, sums: &mut Chunk<u32, 1, WriteOnly>, x: &[u32]) {
    let first = block.index() * PART as u32;
    let n = (x.len() as u32 - first).min(PART as u32);
    let x = View::of(x).part(first, n);
    let sum = block.reduce_ahead(n, 0, |i| x.get(i), u32::wrapping_add);
    sums.fill(block, 1, |_| sum);
}

/// Second pass: the sum before each part, by one block.
#[kernel(threads = 1024, requires(before.segments() == 1, before.len() == sums.len()))]
pub fn scan_sums(block: &mut Block, before: &mut Segment<u32>, sums: &[u32]) {
    let n = before.len();
    before.exclusive_scan(block, n, 0, |i| sums.at(i), u32::wrapping_add);
}

/// Third pass: a scan of each part, which starts with the sum before it.
#[kernel(threads = 256, requires(x.len() == out.len(), before.len() == x.len().div_ceil(PART)))]
pub fn scan_parts(block: &mut Block, out: &mut Chunk<u32, PART>, x: &[u32], before: &[u32]) {
    let (n, first, before) = (out.len(), out.start(), before.at(block.index()));
    let x = View::of(x).part(first, n);
    out.inclusive_scan_from(block, n, before, 0, |i| x.get(i), u32::wrapping_add);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let x = words(100_000);
    let parts = blocks(x.len(), PART);
    let on_machine = machine.buffer(&x)?;
    let (mut sums, mut before) = (machine.zeroed(parts as usize)?, machine.zeroed(parts as usize)?);
    let mut out = machine.zeroed(x.len())?;
    part_sums::launch(machine, parts, part_sums::Args { sums: sums.view_mut(), x: on_machine.view() })?;
    let whole = machine.offsets(&Offsets::new(vec![0, parts]).expect("offsets that rise"))?;
    let segment = Segments { data: before.view_mut(), offsets: &whole };
    scan_sums::launch(machine, 1, scan_sums::Args { before: segment, sums: sums.view() })?;
    let args = scan_parts::Args { out: out.view_mut(), x: on_machine.view(), before: before.view() };
    scan_parts::launch(machine, parts, args)?;
    let found = out.download()?;
    let mut sum = 0u32;
    let expected = x.iter().map(|x| {
        sum = sum.wrapping_add(*x);
        sum
    });
    assert!(expected.eq(found.iter().copied()));
    Ok(Report::new(format!("{} sums", found.len()), &found))
}
