//! Sums by block, in shared memory and by shuffles.

use crate::{About, Clock, Lesson};
use anyhow::Result;
use cuda_host::{CudaExecutor, DeviceBuffer};
use test_kernels::{safe_sum, shared_sum, shuffle_sum};

/// Sums of 32,768 elements each.
pub struct Sums {
    n: u32,
    input: DeviceBuffer<f32>,
    sums: DeviceBuffer<f32>,
}

impl Sums {
    const CHUNK: u32 = 32_768;

    pub fn new(gpu: &CudaExecutor, n: u32) -> Result<Self> {
        // Small integers: their sums are exact in every order.
        let values: Vec<f32> = (0..n).map(|i| (i % 8) as f32).collect();
        let input = DeviceBuffer::from_slice(gpu.stream(), &values)?;
        Ok(Self { n, input, sums: DeviceBuffer::zeroed(gpu.stream(), n.div_ceil(Self::CHUNK) as usize)? })
    }
}

impl Lesson for Sums {
    fn about(&self) -> About {
        let name = "sums by block";
        let forms = ["in shared memory, 256 threads", "by shuffles, 256 threads", "by shuffles, 1024, reading ahead"]
            .map(str::to_owned)
            .to_vec();
        About { name, clock: Clock::Device, forms, bytes: 4.0 * f64::from(self.n) }
    }

    fn run(&mut self, gpu: &CudaExecutor, form: usize) -> Result<()> {
        let (sums, input, chunk) = (self.sums.view_mut(), self.input.view(), Self::CHUNK);
        let blocks = self.n.div_ceil(chunk);
        match form {
            0 => shared_sum::launch(gpu, blocks, shared_sum::Args { sums, input, chunk })?,
            1 => shuffle_sum::launch(gpu, blocks, shuffle_sum::Args { sums, input, chunk })?,
            _ => safe_sum::launch(gpu, blocks, safe_sum::Args { sums, input, chunk })?,
        }
        Ok(())
    }

    fn is_right(&self, gpu: &CudaExecutor) -> Result<bool> {
        // n is a multiple of the chunk, which is a multiple of 8.
        Ok(self.sums.download(gpu.stream())?.iter().all(|sum| *sum == 3.5 * Self::CHUNK as f32))
    }
}
