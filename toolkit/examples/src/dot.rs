//! A scalar product: each block reduces its part, and one block reduces the results.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Elements per block.
const PART: usize = 8192;

#[kernel(threads = 256, requires(a.len() == b.len(), sums.len() == a.len().div_ceil(PART)))]
fn part_products(block: &mut Block, sums: &mut Chunk<f32, 1, WriteOnly>, a: &[f32], b: &[f32]) {
    let first = block.index() * PART as u32;
    let n = (a.len() as u32 - first).min(PART as u32);
    let sum = block.reduce_ahead(n, 0.0, |i| a.at(first + i) * b.at(first + i), |x, y| x + y);
    sums.fill(block, 1, |_| sum);
}

#[kernel(threads = 256, requires(sum.len() == 1))]
fn all_sums(block: &mut Block, sum: &mut Chunk<f32, 1, WriteOnly>, sums: &[f32]) {
    let total = block.reduce(sums.len() as u32, 0.0, |i| sums.at(i), |x, y| x + y);
    sum.fill(block, 1, |_| total);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (a, b) = (floats(300_000), floats(600_000)[300_000..].to_vec());
    let parts = blocks(a.len(), PART);
    let (on_machine, b_on_machine) = (machine.buffer(&a)?, machine.buffer(&b)?);
    let (mut sums, mut sum) = (machine.zeroed(parts as usize)?, machine.zeroed(1)?);
    let args = part_products::Args { sums: sums.view_mut(), a: on_machine.view(), b: b_on_machine.view() };
    part_products::launch(machine, parts, args)?;
    all_sums::launch(machine, 1, all_sums::Args { sum: sum.view_mut(), sums: sums.view() })?;
    let found = sum.download()?;
    let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    assert_near(&found, |_| exact, 1e-4);
    Ok(Report::new(format!("{} products add up to {}", a.len(), found[0]), &found))
}
