//! Pi by random points in a square: a generator for each index, and a reduction in each block.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Points per block.
const PART: u32 = 1 << 16;

/// A pseudo-random number from 0 to 65535.
fn random(i: u32) -> u32 {
    let mut z = i.wrapping_add(0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    z ^= z >> 13;
    z = z.wrapping_mul(0xc2b2_ae35);
    (z ^ z >> 16) >> 16
}

/// The number of the block's points in the circle.
#[kernel(threads = 256)]
fn inside(block: &mut Block, counts: &mut Chunk<u32, 1, WriteOnly>) {
    let first = block.index().wrapping_mul(2 * PART);
    let count = block.count(PART, |i| {
        let [x, y] = [2 * i, 2 * i + 1].map(|at| u64::from(random(first.wrapping_add(at))));
        x * x + y * y < 1 << 32
    });
    counts.fill(block, 1, |_| count);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let mut counts = machine.zeroed::<u32>(64)?;
    inside::launch(machine, 64, inside::Args { counts: counts.view_mut() })?;
    let found = counts.download()?;
    let all: u32 = found.iter().sum();
    let pi = 4.0 * f64::from(all) / f64::from(64 * PART);
    assert!((pi - std::f64::consts::PI).abs() < 0.005, "{pi}");
    Ok(Report::new(format!("{pi:.4} from {} points", 64 * PART), &found))
}
