//! The product of two square matrices, which is bound by arithmetic.

use crate::gpu::Gpu;
use crate::memory::numbers;
use crate::{Form, Operation, Work};
use anyhow::Result;
use cuda_host::raw::Word;
use cuda_host::{DeviceBuffer, KernelAttributes};
use cuda_std::compat::launch::{DevicePointer, DevicePointerMut, LaunchShape};
use cuda_std::launch::Matrix;
use test_kernels::{Quad, raw_matmul, safe_matmul};

/// C = A B.
pub struct Matmul {
    n: u32,
    a: DeviceBuffer<Quad>,
    b: DeviceBuffer<Quad>,
    c: DeviceBuffer<Quad>,
}

impl Matmul {
    pub fn new(gpu: &Gpu, n: u32) -> Result<Self> {
        let count = n as usize * n as usize;
        let upload = |seed| gpu.upload::<Quad>(&quads(&numbers(count, seed)));
        Ok(Self { n, a: upload(61)?, b: upload(62)?, c: gpu.zeroed(count / 4)? })
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
        gpu.attributes::<safe_matmul::Kernel, raw_matmul::Kernel>(form, "cu_matmul")
    }

    fn launch(&mut self, gpu: &Gpu, form: Form, _: usize) -> Result<()> {
        let (a, b, mut c, n) = (self.a.view(), self.b.view(), self.c.view_mut(), self.n);
        let blocks = (n / 128) * (n / 128);
        // SAFETY: all have n times n elements, n is a multiple of 128; all work is on one stream.
        unsafe {
            match form {
                Form::Safe => {
                    let c = Matrix { data: c, columns: n / 4 };
                    safe_matmul::launch(&gpu.executor, (n / 128, n / 128), safe_matmul::Args { c, a, b, n })?;
                }
                Form::Raw => {
                    let args = raw_matmul::Args {
                        c: DevicePointerMut::from_address(c.pointer_mut().address()),
                        a: DevicePointer::from_address(a.pointer().address()),
                        b: DevicePointer::from_address(b.pointer().address()),
                        n,
                    };
                    raw_matmul::launch(&gpu.executor, LaunchShape::linear(blocks, 256), args)?;
                }
                Form::Cuda => {
                    let words = [Word::address_mut(&mut c), Word::address(&a), Word::address(&b), n.into()];
                    gpu.launch_baseline("cu_matmul", blocks, 256, &words)?;
                }
            }
        }
        Ok(())
    }

    fn clear(&mut self, gpu: &Gpu) -> Result<()> {
        Ok(self.c.view_mut().zero(gpu.executor.stream())?)
    }

    fn result(&self, gpu: &Gpu) -> Result<Vec<u32>> {
        let quads = self.c.download(gpu.executor.stream())?;
        Ok(quads.iter().flat_map(|quad| quad.elements.map(f32::to_bits)).collect())
    }
}

fn quads(values: &[f32]) -> Vec<Quad> {
    values.as_chunks().0.iter().map(|&elements| Quad { elements }).collect()
}
