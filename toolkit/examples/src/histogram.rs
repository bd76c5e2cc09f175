//! A histogram: each block counts in shared memory, then adds its counts to the global ones.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Values per block.
const PART: u32 = 4096;

#[kernel(threads = 256, requires(counts.len() == 256))]
fn histogram(block: &mut Block, counts: &Atomics<u32>, values: &[u8], own: &mut Shared<u32, 256>) {
    let first = block.index() * PART;
    let n = (values.len() as u32).saturating_sub(first).min(PART);
    let mut own = own.fill(block, 256, |_| 0);
    own.update_atomic(block, n, |thread, cells, i| {
        cells.add(thread, u32::from(values.at(first + i)), 1);
    });
    block.for_each(256, |thread, value| {
        counts.add(thread, value, own.get(value));
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let values: Vec<u8> = (0..300_000).map(|i| (word(i) % 100 + word(i + 1) % 100) as u8).collect();
    let (on_machine, mut counts) = (machine.buffer(&values)?, machine.zeroed(256)?);
    let grid = blocks(values.len(), PART as usize);
    histogram::launch(machine, grid, histogram::Args { counts: counts.view_mut(), values: on_machine.view() })?;
    let found = counts.download()?;
    let mut expected = [0u32; 256];
    values.iter().for_each(|value| expected[usize::from(*value)] += 1);
    assert_eq!(found, expected);
    Ok(Report::new(format!("{} values, {} of them 99", values.len(), found[99]), &found))
}
