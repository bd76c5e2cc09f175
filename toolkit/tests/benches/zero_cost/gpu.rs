//! The device, the kernels of both compilers, and a timer.

use crate::Form;
use anyhow::{Context as _, Result};
use cuda_host::raw::{RawKernel, Word, load_image};
use cuda_host::{CudaExecutor, DeviceBuffer, Event, KernelAttributes, Module};
use cuda_layout::DeviceLayout;
use cuda_std::compat::launch::RawKernel as RawStyle;
use cuda_std::launch::Kernel;
use std::path::Path;

pub struct Gpu {
    pub executor: CudaExecutor,
    baselines: Option<Module>,
    begin: Event,
    end: Event,
}

impl Gpu {
    pub fn new(baselines: Option<&Path>) -> Result<Self> {
        let executor = CudaExecutor::open(0, "test kernels", test_kernels::PTX)?;
        let baselines = match baselines {
            None => None,
            Some(path) => {
                let image = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
                // SAFETY: the caller names an image made by nvcc.
                Some(unsafe { load_image(executor.context(), "baselines", &image) }?)
            }
        };
        let (begin, end) = (Event::new(executor.context())?, Event::new(executor.context())?);
        Ok(Self { executor, baselines, begin, end })
    }

    pub fn upload<T: DeviceLayout>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::from_slice(self.executor.stream(), values)?)
    }

    pub fn zeroed<T: DeviceLayout>(&self, n: usize) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::zeroed(self.executor.stream(), n)?)
    }

    /// Milliseconds from the first to the last work that `queue` queues.
    pub fn time(&self, queue: impl FnOnce() -> Result<()>) -> Result<f64> {
        let stream = self.executor.stream();
        self.begin.record(stream)?;
        queue()?;
        self.end.record(stream)?;
        stream.synchronize()?;
        Ok(f64::from(self.end.elapsed_ms(&self.begin)?))
    }

    /// Resources of a form of a kernel.
    pub fn attributes<Safe: Kernel, Raw: RawStyle>(
        &self,
        form: Form,
        baseline: &'static str,
    ) -> Result<Option<KernelAttributes>> {
        Ok(match form {
            Form::Safe => Some(self.executor.kernel::<Safe>()?.attributes()),
            Form::Raw => Some(self.executor.raw_style_kernel::<Raw>()?.attributes()),
            Form::Cuda => self.baseline(baseline)?.map(|baseline| baseline.attributes()),
        })
    }

    fn baseline(&self, name: &'static str) -> Result<Option<RawKernel>> {
        Ok(self.baselines.as_ref().map(|baselines| baselines.raw_kernel(name)).transpose()?)
    }

    /// Launches a baseline.
    ///
    /// # Safety
    /// Those of [`RawKernel::launch`].
    pub unsafe fn launch_baseline(&self, name: &'static str, blocks: u32, threads: u32, words: &[Word]) -> Result<()> {
        let baseline = self.baseline(name)?.with_context(|| format!("there is no baseline {name}"))?;
        // SAFETY: ensured by the caller.
        Ok(unsafe { baseline.launch(self.executor.stream(), blocks, threads, words) }?)
    }
}
