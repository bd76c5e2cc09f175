//! Memory-bound operations.

use crate::gpu::Gpu;
use crate::{Form, Launch, Operation, Work};
use anyhow::Result;
use cuda_host::DeviceBuffer;
use cuda_host::raw::Word;
use cuda_layout::DeviceLayout;
use cuda_std::compat::launch::LaunchShape;
use cuda_std::launch::Matrix;
use test_kernels::{
    raw_histogram, raw_saxpy, raw_sum, raw_transpose, safe_histogram, safe_saxpy, safe_sum, safe_transpose,
};
use toolkit_tests::bench::{Watch, median};
use toolkit_tests::dice::{numbers, words};

/// Number of alternating inputs.
const SETS: usize = 2;

/// The alternating inputs.
fn sets<T: DeviceLayout>(
    gpu: &Gpu,
    n: u32,
    seed: u32,
    values: fn(usize, u32) -> Vec<T>,
) -> Result<Vec<DeviceBuffer<T>>> {
    (0..SETS as u32).map(|set| gpu.upload(&values(n as usize, seed + set))).collect()
}

/// out = a x + y.
pub fn saxpy(gpu: &Gpu, n: u32) -> Result<Operation<f32>> {
    const A: f32 = 1.25;
    /// Elements per block.
    const CHUNK: u32 = 4096;
    let (xs, ys) = (sets(gpu, n, 1, numbers)?, sets(gpu, n, 11, numbers)?);
    let launch: Launch<f32> = Box::new(move |gpu, mut out, form, turn| {
        let (x, y) = (&xs[turn % SETS], &ys[turn % SETS]);
        let (a, chunk, blocks) = (A, CHUNK, n / CHUNK);
        // SAFETY: all have n elements; all work is on one stream.
        unsafe {
            match form {
                Form::Safe => {
                    safe_saxpy::launch(&gpu.executor, blocks, safe_saxpy::Args { out, x: x.view(), y: y.view(), a })?;
                }
                Form::Raw => {
                    let (x, y) = (x.view().pointer(), y.view().pointer());
                    let args = raw_saxpy::Args { out: out.pointer_mut(), x, y, a, n, chunk };
                    raw_saxpy::launch(&gpu.executor, LaunchShape::linear(blocks, 256), args)?;
                }
                Form::Cuda => {
                    let (x, y) = (Word::address(&x.view()), Word::address(&y.view()));
                    let words = [Word::address_mut(&mut out), x, y, a.into(), n.into(), chunk.into()];
                    gpu.launch_baseline("cu_saxpy", blocks, 256, &words)?;
                }
            }
        }
        Ok(())
    });
    Ok(Operation {
        name: format!("saxpy {n}"),
        work: Work { operations: 2.0 * f64::from(n), bytes: 12.0 * f64::from(n) },
        forms: gpu.forms::<safe_saxpy::Kernel, raw_saxpy::Kernel>("cu_saxpy")?,
        out: gpu.zeroed(n as usize)?,
        launch,
    })
}

/// Sums by block.
pub fn sum(gpu: &Gpu, n: u32) -> Result<Operation<f32>> {
    /// Elements per block.
    const CHUNK: u32 = 32768;
    let (inputs, blocks) = (sets(gpu, n, 21, numbers)?, n / CHUNK);
    let launch: Launch<f32> = Box::new(move |gpu, mut sums, form, turn| {
        let (input, chunk) = (inputs[turn % SETS].view(), CHUNK);
        // SAFETY: n elements, and a sum for each block; all work is on one stream.
        unsafe {
            match form {
                Form::Safe => {
                    safe_sum::launch(&gpu.executor, blocks, safe_sum::Args { sums, input, chunk })?;
                }
                Form::Raw => {
                    let args = raw_sum::Args { sums: sums.pointer_mut(), input: input.pointer(), n, chunk };
                    raw_sum::launch(&gpu.executor, LaunchShape::linear(blocks, 1024), args)?;
                }
                Form::Cuda => {
                    let words = [Word::address_mut(&mut sums), Word::address(&input), n.into(), chunk.into()];
                    gpu.launch_baseline("cu_sum", blocks, 1024, &words)?;
                }
            }
        }
        Ok(())
    });
    Ok(Operation {
        name: format!("sum {n}"),
        work: Work { operations: f64::from(n), bytes: 4.0 * f64::from(n) },
        forms: gpu.forms::<safe_sum::Kernel, raw_sum::Kernel>("cu_sum")?,
        out: gpu.zeroed(blocks as usize)?,
        launch,
    })
}

/// The transpose of a matrix.
pub fn transpose(gpu: &Gpu, n: u32) -> Result<Operation<f32>> {
    let columns = 4096.min(n / 64);
    let rows = n / columns;
    let inputs = sets(gpu, n, 31, numbers)?;
    let launch: Launch<f32> = Box::new(move |gpu, mut out, form, turn| {
        let input = inputs[turn % SETS].view();
        let blocks = rows / 64 * (columns / 64);
        // SAFETY: both have rows times columns elements; all work is on one stream.
        unsafe {
            match form {
                Form::Safe => {
                    let out = Matrix { data: out, columns: rows };
                    let grid = (rows / 64, columns / 64);
                    safe_transpose::launch(&gpu.executor, grid, safe_transpose::Args { out, input, columns })?;
                }
                Form::Raw => {
                    let args = raw_transpose::Args { out: out.pointer_mut(), input: input.pointer(), rows, columns };
                    raw_transpose::launch(&gpu.executor, LaunchShape::linear(blocks, 256), args)?;
                }
                Form::Cuda => {
                    let words = [Word::address_mut(&mut out), Word::address(&input), rows.into(), columns.into()];
                    gpu.launch_baseline("cu_transpose", blocks, 256, &words)?;
                }
            }
        }
        Ok(())
    });
    Ok(Operation {
        name: format!("transpose {rows} x {columns}"),
        work: Work { operations: 0.0, bytes: 8.0 * f64::from(rows) * f64::from(columns) },
        forms: gpu.forms::<safe_transpose::Kernel, raw_transpose::Kernel>("cu_transpose")?,
        out: gpu.zeroed(n as usize)?,
        launch,
    })
}

/// The number of occurrences of each byte.
pub fn histogram(gpu: &Gpu, n: u32) -> Result<Operation<u32>> {
    /// Words per block.
    const CHUNK: u32 = 16384;
    let inputs = sets(gpu, n, 41, words)?;
    let launch: Launch<u32> = Box::new(move |gpu, mut bins, form, turn| {
        let words = inputs[turn % SETS].view();
        let (chunk, blocks) = (CHUNK, n / CHUNK);
        // SAFETY: n words and 256 bins; all work is on one stream.
        unsafe {
            match form {
                Form::Safe => {
                    safe_histogram::launch(&gpu.executor, blocks, safe_histogram::Args { bins, words, chunk })?;
                }
                Form::Raw => {
                    let args = raw_histogram::Args { bins: bins.pointer_mut(), words: words.pointer(), n, chunk };
                    raw_histogram::launch(&gpu.executor, LaunchShape::linear(blocks, 256), args)?;
                }
                Form::Cuda => {
                    let words = [Word::address_mut(&mut bins), Word::address(&words), n.into(), chunk.into()];
                    gpu.launch_baseline("cu_histogram", blocks, 256, &words)?;
                }
            }
        }
        Ok(())
    });
    Ok(Operation {
        name: format!("histogram {}", 4 * u64::from(n)),
        work: Work { operations: 0.0, bytes: 4.0 * f64::from(n) },
        forms: gpu.forms::<safe_histogram::Kernel, raw_histogram::Kernel>("cu_histogram")?,
        out: gpu.zeroed(256)?,
        launch,
    })
}

/// GB/s, reads plus writes, of copies within the device's memory: the limit of a memory-bound kernel.
pub fn copy_gbs(gpu: &Gpu, n: u32, repetitions: u16) -> Result<f64> {
    let from = gpu.upload(&numbers(n as usize, 51))?;
    let mut to = gpu.zeroed::<f32>(n as usize)?;
    let stream = gpu.executor.stream();
    let watch = Watch::new(stream)?;
    let milliseconds = watch.repeated(repetitions, || to.view_mut().copy_from_device(stream, from.view()))?;
    Ok(8.0 * f64::from(n) / median(&milliseconds) / 1e6)
}
