//! One executor for a GPU and for CPU cores, so that a program is written once.

mod buffer;
mod split;
mod view;

pub use buffer::{Buffer, BufferOffsets};
pub use split::Split;
pub use view::{BufferView, BufferViewMut};

use crate::{CudaError, CudaExecutor, Device, DeviceInfo, DeviceOffsets, DeviceView, DeviceViewMut, Image, Module};
use cuda_layout::DeviceLayout;
use cuda_std::Grid;
use cuda_std::launch::{CpuExecutor, Executor, Host, Kernel, Offsets, Space, Transfer, check_arguments};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The executor of a program's kernels: a GPU or this machine's CPU cores, chosen when the program begins.
///
/// It is an executor, and also the space of its buffers. Results have the same bits on both.
///
/// ```
/// use cuda_host::{CudaError, Machine};
/// use cuda_std::prelude::*;
///
/// #[kernel(threads = 128)]
/// pub fn saxpy(block: &mut Block, y: &mut Chunk<f32, 1024>, x: &[f32], a: f32) {
///     let (n, first) = (y.len(), y.start());
///     y.update(block, n, |i, y| *y += a * x.at(first + i));
/// }
///
/// /// The machine decides where it runs.
/// fn scaled_sum(machine: &Machine, x: &[f32], y: &[f32]) -> Result<Vec<f32>, CudaError> {
///     let (x, mut y) = (machine.buffer(x)?, machine.buffer(y)?);
///     let blocks = y.len().div_ceil(1024) as u32;
///     saxpy::launch(machine, blocks, saxpy::Args { y: y.view_mut(), x: x.view(), a: 2.0 })?;
///     y.download()
/// }
///
/// # fn main() -> Result<(), CudaError> {
/// // `Machine::best("my kernels", IMAGE)` is a GPU if there is one.
/// let machine = Machine::cpu();
/// assert_eq!(scaled_sum(&machine, &[1.0, 2.0], &[10.0, 20.0])?, [12.0, 24.0]);
/// # Ok(())
/// # }
/// ```
///
/// A GPU queues a launch, so a kernel's panic is an error of the next [`synchronize`](Self::synchronize) or download; CPU
/// cores return it from the launch. Only a GPU refuses to read results of such a launch.
#[derive(Clone)]
pub struct Machine {
    executor: Choice,
    why_cpu: Option<Arc<str>>,
}

#[derive(Clone)]
enum Choice {
    Cpu(CpuExecutor),
    Cuda(CudaExecutor),
}

impl Machine {
    /// The GPU with the most memory, or CPU cores if there is no GPU or `image` is an `Err`. The `Err` says why there is no
    /// image of the kernels. [`why_cpu`](Self::why_cpu) and `Display` describe the choice.
    ///
    /// # Errors
    /// If a GPU exists but cannot be opened or refuses the image: this does not fall back to CPU cores.
    ///
    /// ```no_run
    /// use cuda_host::{Image, Machine};
    ///
    /// // In a crate made by `new-kernel`: `cuda_std::built_image!()`, whose `Err` says why there is no PTX.
    /// const IMAGE: Result<Image, &str> = Err("no compiler for GPUs");
    /// let machine = Machine::best("my kernels", IMAGE)?;
    /// println!("running on {machine}"); // CPU cores (no compiler for GPUs)
    /// # Ok::<(), cuda_host::CudaError>(())
    /// ```
    pub fn best(name: &str, image: Result<Image<'_>, &str>) -> Result<Self, CudaError> {
        let (image, devices) = match Self::usable(image)? {
            Ok(usable) => usable,
            Err(cpu) => return Ok(cpu),
        };
        let largest = devices.iter().max_by_key(|device| device.total_memory).expect("there is one");
        Ok(CudaExecutor::open(largest.ordinal, name, image)?.into())
    }

    /// The image, and the GPUs that can run kernels, one at least; or the CPU cores, with the reason.
    fn usable<'i>(image: Result<Image<'i>, &str>) -> Result<Result<(Image<'i>, Vec<DeviceInfo>), Self>, CudaError> {
        let image = match image {
            Ok(image) => image,
            Err(why) => return Ok(Err(Self::cpu_because(why))),
        };
        let mut devices = match Device::list() {
            Ok(devices) => devices,
            Err(error) if error.is_unavailable() => return Ok(Err(Self::cpu_because(&error.to_string()))),
            Err(error) => return Err(error),
        };
        devices.retain(DeviceInfo::is_supported);
        let none = || Self::cpu_because("no GPU of this machine is new enough");
        Ok(if devices.is_empty() { Err(none()) } else { Ok((image, devices)) })
    }

    /// The same machine with the kernels of another image, too: those of a library, for example. It has the same buffers and, on a GPU,
    /// the same stream, so launches through both are in order.
    ///
    /// # Errors
    /// On a GPU, that there is no image, and those of [`Module::load`](crate::Module::load).
    ///
    /// ```
    /// use cuda_host::{CudaError, Image, Machine};
    ///
    /// // In a library's crate: `cuda_std::built_image!()`.
    /// const OF_LIBRARY: Result<Image, &str> = Err("no compiler for GPUs");
    /// let machine = Machine::cpu();
    /// let with_library = machine.with("library", OF_LIBRARY)?;
    /// assert_eq!(with_library.to_string(), "CPU cores");
    /// # Ok::<(), CudaError>(())
    /// ```
    pub fn with(&self, name: &str, image: Result<Image<'_>, &str>) -> Result<Self, CudaError> {
        let Choice::Cuda(executor) = &self.executor else { return Ok(self.clone()) };
        let image = image.map_err(|why| CudaError::NoImage { module: name.to_owned(), why: why.to_owned() })?;
        let module = Module::load(executor.context(), name, image)?;
        let modules = executor.modules().iter().cloned().chain([module]);
        let executor = executor.with_modules(modules)?;
        Ok(Self { executor: Choice::Cuda(executor), why_cpu: self.why_cpu.clone() })
    }

    /// This machine's CPU cores.
    #[must_use]
    pub fn cpu() -> Self {
        CpuExecutor::new().into()
    }

    fn cpu_because(why: &str) -> Self {
        tracing::info!(why, "kernels run on CPU cores");
        Self { why_cpu: Some(why.into()), ..Self::cpu() }
    }

    /// Why [`best`](Self::best) chose CPU cores, if it did.
    #[must_use]
    pub fn why_cpu(&self) -> Option<&str> {
        self.why_cpu.as_deref()
    }

    /// The GPU's executor, for GPU features: streams, events, graphs.
    #[must_use]
    pub fn as_cuda(&self) -> Option<&CudaExecutor> {
        match &self.executor {
            Choice::Cuda(executor) => Some(executor),
            Choice::Cpu(_) => None,
        }
    }

    /// A buffer with the elements of a slice.
    ///
    /// # Errors
    /// Those of [`DeviceBuffer::from_slice`](crate::DeviceBuffer::from_slice).
    pub fn buffer<T: DeviceLayout>(&self, elements: &[T]) -> Result<Buffer<T>, CudaError> {
        Buffer::from_slice(self, elements)
    }

    /// A buffer of `len` elements whose bytes are zero.
    ///
    /// # Errors
    /// Those of [`DeviceBuffer::zeroed`](crate::DeviceBuffer::zeroed).
    pub fn zeroed<T: DeviceLayout>(&self, len: usize) -> Result<Buffer<T>, CudaError> {
        Buffer::zeroed(self, len)
    }

    /// The offsets of the segments of a ragged buffer.
    ///
    /// # Errors
    /// Those of [`DeviceOffsets::new`].
    pub fn offsets(&self, offsets: &Offsets) -> Result<BufferOffsets, CudaError> {
        BufferOffsets::new(self, offsets)
    }

    /// The same machine with a time limit for launches: see [`CudaExecutor::within`] and [`CpuExecutor::within`].
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        let executor = match &self.executor {
            Choice::Cpu(executor) => Choice::Cpu(executor.within(limit)),
            Choice::Cuda(executor) => Choice::Cuda(executor.within(limit)),
        };
        Self { executor, why_cpu: self.why_cpu.clone() }
    }

    /// Waits for the end of all launches.
    ///
    /// # Errors
    /// Those of [`Stream::synchronize`](crate::Stream::synchronize), including a kernel's panic.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.as_cuda().map_or(Ok(()), CudaExecutor::synchronize)
    }
}

impl From<CpuExecutor> for Machine {
    fn from(executor: CpuExecutor) -> Self {
        Self { executor: Choice::Cpu(executor), why_cpu: None }
    }
}

impl From<CudaExecutor> for Machine {
    fn from(executor: CudaExecutor) -> Self {
        Self { executor: Choice::Cuda(executor), why_cpu: None }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.executor, self.why_cpu()) {
            (Choice::Cuda(executor), _) => write!(f, "CUDA device {}", executor.context().ordinal()),
            (Choice::Cpu(_), Some(why)) => write!(f, "CPU cores ({why})"),
            (Choice::Cpu(_), None) => write!(f, "CPU cores"),
        }
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Machine({self})")
    }
}

impl Space for Machine {
    type Ref<'a, T: DeviceLayout> = BufferView<'a, T>;
    type Mut<'a, T: DeviceLayout> = BufferViewMut<'a, T>;
    type Offsets<'a> = &'a BufferOffsets;

    fn len<T: DeviceLayout>(buffer: &BufferView<'_, T>) -> usize {
        buffer.len()
    }

    fn len_mut<T: DeviceLayout>(buffer: &BufferViewMut<'_, T>) -> usize {
        buffer.len()
    }

    fn extent(offsets: &&BufferOffsets) -> (usize, u32) {
        (offsets.segments(), offsets.end())
    }

    fn shorter<'short, 'long: 'short, T: DeviceLayout>(buffer: BufferView<'long, T>) -> BufferView<'short, T> {
        buffer
    }
}

impl Executor for Machine {
    type Space = Self;
    type Error = CudaError;

    /// Runs the launch on CPU cores, or queues it on the GPU.
    ///
    /// # Errors
    /// Those of [`CudaExecutor`]'s launch; on CPU cores also [`CudaError::Panic`]. [`CudaError::OtherMachine`] if a buffer
    /// belongs to another machine.
    fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Self>) -> Result<(), CudaError> {
        // An unsuitable argument is the same error on both, whatever memory it is in.
        check_arguments::<K, Self>(grid, &args)?;
        let other = |argument| CudaError::OtherMachine { kernel: K::NAME, argument, machine: self.place() };
        match &self.executor {
            Choice::Cpu(executor) => {
                let args = K::transfer::<Self, Host, _>(args, &mut OnHost).map_err(other)?;
                Ok(executor.launch::<K>(grid, args)?)
            }
            Choice::Cuda(executor) => {
                let args = K::transfer::<Self, Device, _>(args, &mut OnDevice).map_err(other)?;
                executor.launch::<K>(grid, args)
            }
        }
    }

    fn most_blocks_that_meet<K: Kernel>(&self) -> Result<u32, CudaError> {
        match &self.executor {
            Choice::Cpu(executor) => Ok(executor.most_blocks_that_meet::<K>()?),
            Choice::Cuda(executor) => executor.most_blocks_that_meet::<K>(),
        }
    }
}

impl Machine {
    fn place(&self) -> &'static str {
        match self.executor {
            Choice::Cpu(_) => "CPU cores",
            Choice::Cuda(_) => "a GPU",
        }
    }
}

/// Takes arguments in host memory. The error is the name of a parameter that is not.
struct OnHost;

impl<'a> Transfer<'a, Machine, Host> for OnHost {
    type Error = &'static str;

    fn read<T: DeviceLayout>(
        &mut self,
        name: &'static str,
        buffer: BufferView<'a, T>,
    ) -> Result<&'a [T], &'static str> {
        buffer.as_host().ok_or(name)
    }

    fn write<T: DeviceLayout>(
        &mut self,
        name: &'static str,
        buffer: BufferViewMut<'a, T>,
    ) -> Result<&'a mut [T], &'static str> {
        buffer.into_host().ok_or(name)
    }

    fn offsets(&mut self, name: &'static str, offsets: &'a BufferOffsets) -> Result<&'a Offsets, &'static str> {
        offsets.as_host().ok_or(name)
    }
}

/// Takes arguments in a device's memory.
struct OnDevice;

impl<'a> Transfer<'a, Machine, Device> for OnDevice {
    type Error = &'static str;

    fn read<T: DeviceLayout>(
        &mut self,
        name: &'static str,
        buffer: BufferView<'a, T>,
    ) -> Result<DeviceView<'a, T>, &'static str> {
        buffer.as_device().ok_or(name)
    }

    fn write<T: DeviceLayout>(
        &mut self,
        name: &'static str,
        buffer: BufferViewMut<'a, T>,
    ) -> Result<DeviceViewMut<'a, T>, &'static str> {
        buffer.into_device().ok_or(name)
    }

    fn offsets(&mut self, name: &'static str, offsets: &'a BufferOffsets) -> Result<&'a DeviceOffsets, &'static str> {
        offsets.as_device().ok_or(name)
    }
}
