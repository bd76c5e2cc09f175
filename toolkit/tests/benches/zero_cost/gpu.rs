//! The device, the kernels of both compilers, and a timer.

use crate::Form;
use anyhow::{Context as _, Result};
use cuda_host::raw::{RawKernel, Word, load_image};
use cuda_host::{CudaExecutor, DeviceBuffer, KernelAttributes, Module};
use cuda_layout::DeviceLayout;
use cuda_std::compat::launch::RawKernel as RawStyle;
use cuda_std::launch::Kernel;
use std::cell::RefCell;
use std::path::Path;

/// Bytes of the copy of [`Gpu::occupy`].
const OCCUPIED_BYTES: usize = 256 << 20;

pub struct Gpu {
    pub executor: CudaExecutor,
    baselines: Option<Module>,
    occupied: RefCell<[DeviceBuffer<u8>; 2]>,
}

impl Gpu {
    pub fn new(baselines: Option<&Path>) -> Result<Self> {
        let executor = CudaExecutor::open(0, "test kernels", test_kernels::IMAGE)?;
        let baselines = match baselines {
            None => None,
            Some(path) => {
                let image = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
                // SAFETY: the caller names an image made by nvcc.
                Some(unsafe { load_image(executor.context(), "baselines", &image) }?)
            }
        };
        let occupied = || DeviceBuffer::zeroed(executor.stream(), OCCUPIED_BYTES);
        let occupied = RefCell::new([occupied()?, occupied()?]);
        Ok(Self { executor, baselines, occupied })
    }

    /// Queues a copy that takes longer than the host takes to queue a launch. So the device has the launch before it can begin it.
    pub fn occupy(&self) -> Result<()> {
        let mut occupied = self.occupied.borrow_mut();
        let [from, to] = &mut *occupied;
        Ok(to.view_mut().copy_from_device(self.executor.stream(), from.view())?)
    }

    pub fn upload<T: DeviceLayout>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::from_slice(self.executor.stream(), values)?)
    }

    pub fn zeroed<T: DeviceLayout>(&self, n: usize) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::zeroed(self.executor.stream(), n)?)
    }

    /// The forms of an operation that there are, with the resources of their kernels.
    pub fn forms<Safe: Kernel, Raw: RawStyle>(&self, baseline: &'static str) -> Result<Vec<(Form, KernelAttributes)>> {
        let safe = self.executor.kernel::<Safe>().context(Form::Safe.name())?.attributes();
        let raw = self.executor.raw_style_kernel::<Raw>().context(Form::Raw.name())?.attributes();
        let cuda =
            self.baseline(baseline).context(Form::Cuda.name())?.map(|baseline| (Form::Cuda, baseline.attributes()));
        Ok([(Form::Safe, safe), (Form::Raw, raw)].into_iter().chain(cuda).collect())
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
