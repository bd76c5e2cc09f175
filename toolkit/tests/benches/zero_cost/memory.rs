//! Memory-bound operations.

use crate::gpu::Gpu;
use crate::{Form, Operation, Work};
use anyhow::Result;
use cuda_host::raw::Word;
use cuda_host::{DeviceBuffer, KernelAttributes};
use cuda_std::compat::launch::LaunchShape;
use cuda_std::launch::Matrix;
use test_kernels::{
    raw_histogram, raw_saxpy, raw_sum, raw_transpose, safe_histogram, safe_saxpy, safe_sum, safe_transpose,
};

/// Number of alternating inputs.
const SETS: usize = 2;

/// Different numbers between -1 and 1.
pub fn numbers(n: usize, seed: u32) -> Vec<f32> {
    words(n, seed).into_iter().map(|word| (word >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

pub fn words(n: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // The low bits of such a generator have short periods.
        state ^ state >> 15
    };
    (0..n).map(step).collect()
}

pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// out = a x + y.
pub struct Saxpy {
    n: u32,
    x: Vec<DeviceBuffer<f32>>,
    y: Vec<DeviceBuffer<f32>>,
    out: DeviceBuffer<f32>,
}

impl Saxpy {
    /// Elements per block.
    const CHUNK: u32 = 4096;
    const A: f32 = 1.25;

    pub fn new(gpu: &Gpu, n: u32) -> Result<Self> {
        let sets = |seed| -> Result<Vec<_>> {
            (0..SETS as u32).map(|set| gpu.upload(&numbers(n as usize, seed + set))).collect()
        };
        Ok(Self { n, x: sets(1)?, y: sets(11)?, out: gpu.zeroed(n as usize)? })
    }
}

impl Operation for Saxpy {
    fn name(&self) -> String {
        format!("saxpy {}", self.n)
    }

    fn work(&self) -> Work {
        Work { operations: 2.0 * f64::from(self.n), bytes: 12.0 * f64::from(self.n) }
    }

    fn attributes(&self, gpu: &Gpu, form: Form) -> Result<Option<KernelAttributes>> {
        gpu.attributes::<safe_saxpy::Kernel, raw_saxpy::Kernel>(form, "cu_saxpy")
    }

    fn launch(&mut self, gpu: &Gpu, form: Form, turn: usize) -> Result<()> {
        let (x, y) = (&self.x[turn % SETS], &self.y[turn % SETS]);
        let (n, chunk, blocks, a) = (self.n, Self::CHUNK, self.n / Self::CHUNK, Self::A);
        let mut out = self.out.view_mut();
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
    }

    fn clear(&mut self, gpu: &Gpu) -> Result<()> {
        Ok(self.out.view_mut().zero(gpu.executor.stream())?)
    }

    fn result(&self, gpu: &Gpu) -> Result<Vec<u32>> {
        Ok(bits(&self.out.download(gpu.executor.stream())?))
    }
}

/// Sums by block.
pub struct Sum {
    n: u32,
    input: Vec<DeviceBuffer<f32>>,
    sums: DeviceBuffer<f32>,
}

impl Sum {
    /// Elements per block.
    const CHUNK: u32 = 32768;

    pub fn new(gpu: &Gpu, n: u32) -> Result<Self> {
        let input = (0..SETS as u32).map(|set| gpu.upload(&numbers(n as usize, 21 + set))).collect::<Result<_>>()?;
        let blocks = n / Self::CHUNK;
        Ok(Self { n, input, sums: gpu.zeroed(blocks as usize)? })
    }
}

impl Operation for Sum {
    fn name(&self) -> String {
        format!("sum {}", self.n)
    }

    fn work(&self) -> Work {
        Work { operations: f64::from(self.n), bytes: 4.0 * f64::from(self.n) }
    }

    fn attributes(&self, gpu: &Gpu, form: Form) -> Result<Option<KernelAttributes>> {
        gpu.attributes::<safe_sum::Kernel, raw_sum::Kernel>(form, "cu_sum")
    }

    fn launch(&mut self, gpu: &Gpu, form: Form, turn: usize) -> Result<()> {
        let input = self.input[turn % SETS].view();
        let (n, chunk, blocks) = (self.n, Self::CHUNK, self.n / Self::CHUNK);
        let mut sums = self.sums.view_mut();
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
    }

    fn clear(&mut self, gpu: &Gpu) -> Result<()> {
        Ok(self.sums.view_mut().zero(gpu.executor.stream())?)
    }

    fn result(&self, gpu: &Gpu) -> Result<Vec<u32>> {
        Ok(bits(&self.sums.download(gpu.executor.stream())?))
    }
}

/// The transpose of a matrix.
pub struct Transpose {
    rows: u32,
    columns: u32,
    input: Vec<DeviceBuffer<f32>>,
    out: DeviceBuffer<f32>,
}

impl Transpose {
    pub fn new(gpu: &Gpu, n: u32) -> Result<Self> {
        let columns = 4096.min(n / 32);
        let rows = n / columns;
        let input = (0..SETS as u32).map(|set| gpu.upload(&numbers(n as usize, 31 + set))).collect::<Result<_>>()?;
        Ok(Self { rows, columns, input, out: gpu.zeroed(n as usize)? })
    }
}

impl Operation for Transpose {
    fn name(&self) -> String {
        format!("transpose {} x {}", self.rows, self.columns)
    }

    fn work(&self) -> Work {
        Work { operations: 0.0, bytes: 8.0 * f64::from(self.rows) * f64::from(self.columns) }
    }

    fn attributes(&self, gpu: &Gpu, form: Form) -> Result<Option<KernelAttributes>> {
        gpu.attributes::<safe_transpose::Kernel, raw_transpose::Kernel>(form, "cu_transpose")
    }

    fn launch(&mut self, gpu: &Gpu, form: Form, turn: usize) -> Result<()> {
        let input = self.input[turn % SETS].view();
        let (rows, columns) = (self.rows, self.columns);
        let blocks = rows / 32 * (columns / 32);
        let mut out = self.out.view_mut();
        // SAFETY: both have rows times columns elements; all work is on one stream.
        unsafe {
            match form {
                Form::Safe => {
                    let out = Matrix { data: out, columns: rows };
                    let grid = (rows / 32, columns / 32);
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
    }

    fn clear(&mut self, gpu: &Gpu) -> Result<()> {
        Ok(self.out.view_mut().zero(gpu.executor.stream())?)
    }

    fn result(&self, gpu: &Gpu) -> Result<Vec<u32>> {
        Ok(bits(&self.out.download(gpu.executor.stream())?))
    }
}

/// The number of occurrences of each byte.
pub struct Histogram {
    n: u32,
    words: Vec<DeviceBuffer<u32>>,
    bins: DeviceBuffer<u32>,
}

impl Histogram {
    /// Words per block.
    const CHUNK: u32 = 16384;

    pub fn new(gpu: &Gpu, n: u32) -> Result<Self> {
        let words = (0..SETS as u32).map(|set| gpu.upload(&words(n as usize, 41 + set))).collect::<Result<_>>()?;
        Ok(Self { n, words, bins: gpu.zeroed(256)? })
    }
}

impl Operation for Histogram {
    fn name(&self) -> String {
        format!("histogram {}", 4 * u64::from(self.n))
    }

    fn work(&self) -> Work {
        Work { operations: 0.0, bytes: 4.0 * f64::from(self.n) }
    }

    fn attributes(&self, gpu: &Gpu, form: Form) -> Result<Option<KernelAttributes>> {
        gpu.attributes::<safe_histogram::Kernel, raw_histogram::Kernel>(form, "cu_histogram")
    }

    fn launch(&mut self, gpu: &Gpu, form: Form, turn: usize) -> Result<()> {
        let words = self.words[turn % SETS].view();
        let (n, chunk, blocks) = (self.n, Self::CHUNK, self.n / Self::CHUNK);
        let mut bins = self.bins.view_mut();
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
    }

    fn clear(&mut self, gpu: &Gpu) -> Result<()> {
        Ok(self.bins.view_mut().zero(gpu.executor.stream())?)
    }

    fn result(&self, gpu: &Gpu) -> Result<Vec<u32>> {
        Ok(self.bins.download(gpu.executor.stream())?)
    }
}

/// GB/s, reads plus writes, of copies within the device's memory: the limit of a memory-bound kernel.
pub fn copy_gbs(gpu: &Gpu, n: u32, repetitions: usize) -> Result<f64> {
    let from = gpu.upload(&numbers(n as usize, 51))?;
    let mut to = gpu.zeroed::<f32>(n as usize)?;
    let stream = gpu.executor.stream();
    let mut milliseconds = Vec::with_capacity(repetitions);
    for _ in 0..repetitions + 1 {
        milliseconds.push(gpu.time(|| Ok(to.view_mut().copy_from_device(stream, from.view())?))?);
    }
    Ok(8.0 * f64::from(n) / toolkit_tests::bench::median(&milliseconds[1..]) / 1e6)
}
