//! The largest element and its index. One atomic operation replaces both together.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// A number and its index.
#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(8))]
pub struct Best {
    score: f32,
    index: u32,
}

impl AtomicItem for Best {
    type Word = u64;
}

/// The better one; of equal numbers the first, so that the order of updates does not matter.
fn better(a: Best, b: Best) -> Best {
    if b.score > a.score || (b.score == a.score && b.index < a.index) { b } else { a }
}

#[kernel(threads = 256, requires(best.len() == 1))]
fn largest(block: &mut Block, best: &Atomics<Best>, x: &[f32]) {
    let first = block.index() * 4096;
    let n = (x.len() as u32 - first).min(4096);
    let nothing = Best { score: f32::NEG_INFINITY, index: u32::MAX };
    let own = block.reduce(n, nothing, |i| Best { score: x.at(first + i), index: first + i }, better);
    block.for_each(1, |thread, _| {
        best.update(thread, 0, |best| better(best, own));
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let x: Vec<f32> = words(200_000).into_iter().map(|word| (word % 50_000) as f32).collect();
    let on_machine = machine.buffer(&x)?;
    let mut best = machine.buffer(&[Best { score: f32::NEG_INFINITY, index: u32::MAX }])?;
    let args = largest::Args { best: best.view_mut(), x: on_machine.view() };
    largest::launch(machine, blocks(x.len(), 4096), args)?;
    let found = best.download()?;
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let first = x.iter().position(|x| *x == most).expect("one is the largest");
    assert_eq!(found, [Best { score: most, index: first as u32 }]);
    Ok(Report::new(format!("{most} at {first}"), &found))
}
