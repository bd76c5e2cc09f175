//! Reads at indices from data: the cost of an index check that no compiler can remove.

use crate::gpu::Gpu;
use crate::memory::{bits, numbers, words};
use crate::{Form, Operation, Work};
use anyhow::Result;
use cuda_host::raw::Word;
use cuda_host::{DeviceBuffer, KernelAttributes};
use cuda_std::compat::launch::LaunchShape;
use test_kernels::{raw_gather, safe_gather};

/// out[i] = x[index[i]].
pub struct Gather {
    n: u32,
    /// Number of elements of the source.
    from: u32,
    order: Order,
    x: DeviceBuffer<f32>,
    index: Vec<DeviceBuffer<u32>>,
    out: DeviceBuffer<f32>,
}

/// The order of the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Consecutive elements: the full memory bandwidth, which leaves most time for checks.
    Rising,
    /// Random within a few KiB that fit into the L1 cache: the least time to hide the check.
    Near,
    /// Random in all elements.
    Far,
}

impl Gather {
    /// Elements per block.
    const CHUNK: u32 = 4096;

    pub fn new(gpu: &Gpu, n: u32, order: Order) -> Result<Self> {
        let from = if order == Order::Near { 4096 } else { n };
        let place = |(i, word): (u32, u32)| if order == Order::Rising { i } else { word % from };
        let index = |seed| (0..n).zip(words(n as usize, seed)).map(place).collect::<Vec<_>>();
        let index = [71, 72].into_iter().map(|seed| gpu.upload(&index(seed))).collect::<Result<_>>()?;
        let x = gpu.upload(&numbers(from as usize, 73))?;
        Ok(Self { n, from, order, x, index, out: gpu.zeroed(n as usize)? })
    }
}

impl Operation for Gather {
    fn name(&self) -> String {
        format!("gather {:?} {}", self.order, self.n).to_lowercase()
    }

    fn work(&self) -> Work {
        Work { operations: 0.0, bytes: 8.0 * f64::from(self.n) + 4.0 * f64::from(self.from) }
    }

    fn attributes(&self, gpu: &Gpu, form: Form) -> Result<Option<KernelAttributes>> {
        gpu.attributes::<safe_gather::Kernel, raw_gather::Kernel>(form, "cu_gather")
    }

    fn launch(&mut self, gpu: &Gpu, form: Form, turn: usize) -> Result<()> {
        let (x, index) = (self.x.view(), self.index[turn % self.index.len()].view());
        let (n, chunk, blocks) = (self.n, Self::CHUNK, self.n / Self::CHUNK);
        let mut out = self.out.view_mut();
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
    }

    fn clear(&mut self, gpu: &Gpu) -> Result<()> {
        Ok(self.out.view_mut().zero(gpu.executor.stream())?)
    }

    fn result(&self, gpu: &Gpu) -> Result<Vec<u32>> {
        Ok(bits(&self.out.download(gpu.executor.stream())?))
    }
}
