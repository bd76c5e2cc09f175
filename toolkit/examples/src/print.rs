//! Lines from a kernel.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

#[kernel(threads = 32)]
fn squares(block: &mut Block, out: &mut Chunk<u32, 32>) {
    gpu_print!(block, "block {} of {}", block.index(), block.grid().x);
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let square = (first + i) * (first + i);
        if i == 3 {
            gpu_print!("the square of {} is {}, and a third of it {}", first + i, square, square as f32 / 3.0);
        }
        square
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let mut out = machine.zeroed::<u32>(64)?;
    squares::launch(machine, 2, squares::Args { out: out.view_mut() })?;
    let found = out.download()?;
    assert!((0..64).all(|i| found[i as usize] == i * i));
    Ok(Report::new("two lines of each block, above", &found))
}
