//! The product of two square matrices, which is bound by arithmetic.

use crate::gpu::Gpu;
use crate::{Form, Launch, Operation, Work};
use anyhow::Result;
use cuda_host::raw::Word;
use cuda_std::compat::launch::{DevicePointer, DevicePointerMut, LaunchShape};
use cuda_std::launch::Matrix;
use test_kernels::{Quad, raw_matmul, safe_matmul};
use toolkit_tests::dice::numbers;

/// C = A B.
pub fn matmul(gpu: &Gpu, n: u32) -> Result<Operation<Quad>> {
    let count = n as usize * n as usize;
    let upload = |seed| gpu.upload::<Quad>(&quads(&numbers(count, seed)));
    let (a, b) = (upload(61)?, upload(62)?);
    let launch: Launch<Quad> = Box::new(move |gpu, mut c, form, _| {
        let (a, b) = (a.view(), b.view());
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
    });
    let size = f64::from(n);
    Ok(Operation {
        name: format!("matmul {n}"),
        work: Work { operations: 2.0 * size * size * size, bytes: 12.0 * size * size },
        forms: gpu.forms::<safe_matmul::Kernel, raw_matmul::Kernel>("cu_matmul")?,
        out: gpu.zeroed(count / 4)?,
        launch,
    })
}

fn quads(values: &[f32]) -> Vec<Quad> {
    values.as_chunks().0.iter().map(|&elements| Quad { elements }).collect()
}
