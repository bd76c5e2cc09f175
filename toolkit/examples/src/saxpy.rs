//! `y += a x`.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Each block has 1024 elements of `y`.
#[kernel(threads = 256, requires(x.len() == y.len()))]
fn saxpy(block: &mut Block, y: &mut Chunk<f32, 1024>, x: &[f32], a: f32) {
    let (n, first) = (y.len(), y.start());
    y.update(block, n, |i, y| *y = math::fma(a, x.at(first + i), *y));
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (x, y) = (floats(100_000), floats(200_000)[100_000..].to_vec());
    let (on_machine, mut out) = (machine.buffer(&x)?, machine.buffer(&y)?);
    let args = saxpy::Args { y: out.view_mut(), x: on_machine.view(), a: 2.5 };
    saxpy::launch(machine, blocks(y.len(), 1024), args)?;
    let found = out.download()?;
    assert!((0..y.len()).all(|i| found[i] == 2.5f32.mul_add(x[i], y[i])));
    Ok(Report::new(format!("{} elements", found.len()), &found))
}
