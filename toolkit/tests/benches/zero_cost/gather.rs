//! Reads at indices from data: the cost of an index check that no compiler can remove.

use crate::gpu::Gpu;
use crate::{Form, Launch, Operation, Work};
use anyhow::Result;
use cuda_host::DeviceBuffer;
use cuda_host::raw::Word;
use cuda_std::compat::launch::LaunchShape;
use test_kernels::{raw_gather, safe_gather};
use toolkit_tests::dice::{numbers, words};

/// The order of the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Consecutive elements: limited by memory bandwidth, which leaves most time for checks.
    Rising,
    /// Random within a few KiB that fit into the L1 cache: the least time to hide the check.
    Near,
    /// Random in all elements.
    Far,
}

/// out[i] = x[index[i]].
pub fn gather(gpu: &Gpu, n: u32, order: Order) -> Result<Operation<f32>> {
    /// Elements per block.
    const CHUNK: u32 = 4096;
    // The number of elements of the source.
    let from = if order == Order::Near { 4096 } else { n };
    let place = |(i, word): (u32, u32)| if order == Order::Rising { i } else { word % from };
    let index = |seed| (0..n).zip(words(n as usize, seed)).map(place).collect::<Vec<_>>();
    let indices: Vec<DeviceBuffer<u32>> =
        [71, 72].into_iter().map(|seed| gpu.upload(&index(seed))).collect::<Result<_>>()?;
    let x = gpu.upload(&numbers(from as usize, 73))?;
    let launch: Launch<f32> = Box::new(move |gpu, mut out, form, turn| {
        let (x, index) = (x.view(), indices[turn % indices.len()].view());
        let (chunk, blocks) = (CHUNK, n / CHUNK);
        // SAFETY: `out` and `index` have n elements, and no index is beyond `x`; all work is on one stream.
        unsafe {
            match form {
                Form::Safe => {
                    safe_gather::launch(&gpu.executor, blocks, safe_gather::Args { out, x, index })?;
                }
                Form::Raw => {
                    let (x, index) = (x.pointer(), index.pointer());
                    let args = raw_gather::Args { out: out.pointer_mut(), x, index, n, chunk };
                    raw_gather::launch(&gpu.executor, LaunchShape::linear(blocks, 256), args)?;
                }
                Form::Cuda => {
                    let (x, index) = (Word::address(&x), Word::address(&index));
                    let words = [Word::address_mut(&mut out), x, index, n.into(), chunk.into()];
                    gpu.launch_baseline("cu_gather", blocks, 256, &words)?;
                }
            }
        }
        Ok(())
    });
    Ok(Operation {
        name: format!("gather {order:?} {n}").to_lowercase(),
        work: Work { operations: 0.0, bytes: 8.0 * f64::from(n) + 4.0 * f64::from(from) },
        forms: gpu.forms::<safe_gather::Kernel, raw_gather::Kernel>("cu_gather")?,
        out: gpu.zeroed(n as usize)?,
        launch,
    })
}
