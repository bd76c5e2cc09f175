//! The product of two square matrices, which arithmetic bounds.

use crate::gpu::Gpu;
use crate::memory::numbers;
use crate::{Form, Operation, Work};
use anyhow::Result;
use cuda_host::raw::Word;
use cuda_host::{DeviceBuffer, KernelAttributes};
use cuda_std::compat::launch::LaunchShape;
use test_kernels::raw_matmul;

/// C = A B.
pub struct Matmul {
    n: u32,
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
}

impl Matmul {
    pub fn new(gpu: &Gpu, n: u32) -> Result<Self> {
        let count = n as usize * n as usize;
        let (a, b) = (gpu.upload(&numbers(count, 61))?, gpu.upload(&numbers(count, 62))?);
        Ok(Self { n, a, b, c: gpu.zeroed(count)? })
    }
}

impl Operation for Matmul {
    fn name(&self) -> String {
        format!("matmul {}", self.n)
    }

    fn work(&self) -> Work {
        let n = f64::from(self.n);
        Work { operations: 2.0 * n * n * n, bytes: 12.0 * n * n }
    }

    fn attributes(&self, gpu: &Gpu, form: Form) -> Result<Option<KernelAttributes>> {
        gpu.attributes_of_raw::<raw_matmul::Kernel>(form, "cu_matmul")
    }

    fn launch(&mut self, gpu: &Gpu, form: Form, _: usize) -> Result<()> {
        let (a, b, mut c, n) = (self.a.view(), self.b.view(), self.c.view_mut(), self.n);
        let blocks = (n / 128) * (n / 128);
        // SAFETY: all have n times n elements, n is a multiple of 128; everything is on one stream.
        unsafe {
            match form {
                Form::Safe => {}
                Form::Raw => {
                    let args = raw_matmul::Args { c: c.pointer_mut(), a: a.pointer(), b: b.pointer(), n };
                    raw_matmul::launch(&gpu.executor, LaunchShape::linear(blocks, 256), args)?;
                }
                Form::Cuda => {
                    let words = [Word::address_mut(&mut c), Word::address(&a), Word::address(&b), n.into()];
                    gpu.launch_twin("cu_matmul", blocks, 256, &words)?;
                }
            }
        }
        Ok(())
    }

    fn clear(&mut self, gpu: &Gpu) -> Result<()> {
        Ok(self.c.view_mut().zero(gpu.executor.stream())?)
    }

    fn result(&self, gpu: &Gpu) -> Result<Vec<u32>> {
        Ok(self.c.download(gpu.executor.stream())?.iter().map(|x| x.to_bits()).collect())
    }
}
