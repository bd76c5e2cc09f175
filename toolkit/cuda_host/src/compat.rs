//! Launches raw kernels, those of [`cuda_std::compat`].
//!
//! Their signatures and layouts are checked like those of every kernel, and their panics are reported. The caller is
//! responsible for their use of pointers: buffers do not know of such a launch.
//!
//! ```no_run
//! use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, Image};
//! use cuda_std::compat::launch::LaunchShape;
//! use cuda_std::compat::prelude::*;
//!
//! /// # Safety
//! /// `out` has as many elements as `x`, which nothing else uses.
//! #[kernel]
//! pub unsafe fn double(x: &[f32], out: *mut f32) {
//!     // SAFETY: the kernel's contract.
//!     unsafe {
//!         let i = thread::index_1d();
//!         if (i as usize) < x.len() {
//!             out.add(i as usize).write(2.0 * x.at(i));
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), CudaError> {
//! let ptx = std::fs::read_to_string("kernels.sm_75.ptx").unwrap();
//! // SAFETY: `cargo kernel build` made it from this crate.
//! let executor = CudaExecutor::open(0, "kernels", unsafe { Image::from_files("kernels.sm_75.ptx", &ptx, &[]) })?;
//! let stream = executor.stream();
//! let x = DeviceBuffer::from_slice(stream, &[1.0f32; 1000])?;
//! let mut out = DeviceBuffer::<f32>::zeroed(stream, 1000)?;
//! let args = double::Args { x: x.view().raw_slice(), out: out.view_mut().pointer_mut() };
//! // SAFETY: both have 1000 elements and live until the stream is synchronised.
//! unsafe { double::launch(&executor, LaunchShape::for_elements(1000, 256), args)? };
//! executor.synchronize()?;
//! # Ok(())
//! # }
//! ```
//!
//! This needs a GPU: `tests/tests/compat_gpu.rs` runs such kernels if there is one.

use crate::args::RawArgs;
use crate::dynamic;
use crate::module::LoadedKernel;
use crate::{CudaError, CudaExecutor, DeviceView, DeviceViewMut, Module};
use cuda_layout::DeviceLayout;
use cuda_std::compat::launch::{
    DevicePointer, DevicePointerMut, DeviceSlice, LaunchShape, RawExecutor, RawKernel, RawVisitor,
};
use std::any::TypeId;
use std::ptr;
use std::sync::Arc;

impl<T: DeviceLayout> DeviceView<'_, T> {
    /// The address of the first element, for a raw kernel. It must not be used after the buffer is dropped.
    #[must_use]
    pub fn pointer(&self) -> DevicePointer<T> {
        DevicePointer::from_address(self.address())
    }

    /// The elements, for a raw kernel. They must not be used after the buffer is dropped.
    #[must_use]
    pub fn raw_slice(&self) -> DeviceSlice<T> {
        DeviceSlice { pointer: self.pointer(), len: self.len() }
    }
}

impl<T: DeviceLayout> DeviceViewMut<'_, T> {
    /// The address of the first element, for a raw kernel that writes. It must not be used after the buffer is dropped.
    #[must_use]
    pub fn pointer_mut(&mut self) -> DevicePointerMut<T> {
        DevicePointerMut::from_address(self.address())
    }
}

impl Module {
    /// As [`kernel`](Self::kernel), for a raw kernel.
    ///
    /// # Errors
    /// The same.
    pub fn raw_style_kernel<K: RawKernel>(&self) -> Result<LoadedKernel, CudaError> {
        self.checked(K::NAME, K::DESCRIPTION, K::THREADS.unwrap_or(1))
    }
}

impl CudaExecutor {
    /// As [`kernel`](Self::kernel), for a raw kernel.
    ///
    /// # Errors
    /// The same.
    pub fn raw_style_kernel<K: RawKernel>(&self) -> Result<Arc<LoadedKernel>, CudaError> {
        self.find(TypeId::of::<K>(), K::NAME, Module::raw_style_kernel::<K>)
    }
}

impl RawExecutor for CudaExecutor {
    type Error = CudaError;

    /// Queues the launch without waiting. A launch with no blocks does nothing.
    ///
    /// # Errors
    /// Those of [`raw_style_kernel`](Self::raw_style_kernel), [`CudaError::BlockSize`] and [`CudaError::BlockTooLarge`] if
    /// the kernel does not run in such blocks, [`CudaError::SharedMemory`] if a block cannot have that much shared memory,
    /// and those of the driver.
    unsafe fn launch_raw<K: RawKernel>(&self, shape: LaunchShape, args: &K::Args) -> Result<(), CudaError> {
        let loaded = self.raw_style_kernel::<K>()?;
        let attributes = loaded.attributes();
        let (kernel, threads) = (K::NAME, shape.threads());
        if let Some(expected) = K::THREADS
            && threads != u64::from(expected)
        {
            return Err(CudaError::BlockSize { kernel, threads, expected });
        }
        if threads > u64::from(attributes.max_threads) {
            let (limit, registers) = (attributes.max_threads, attributes.registers);
            let threads = u32::try_from(threads).unwrap_or(u32::MAX);
            return Err(CudaError::BlockTooLarge { kernel, threads, limit, registers });
        }
        dynamic::reserve(&loaded, kernel, shape.dynamic_shared_bytes, "the launch")?;
        let mut raw = RawArgs::new();
        K::visit(args, &mut raw);
        raw.push("panic record", &self.stream().slot().device_address());
        raw.push("kernel id", &loaded.id);
        raw.check_room(kernel)?;
        if let Some(parameters) = &loaded.parameters {
            raw.check_parameters(kernel, parameters)?;
        }
        if shape.grid.contains(&0) {
            return Ok(());
        }
        self.stream().check_runs("launching a raw kernel")?;
        self.context().bind()?;
        loaded.module().before_launch(kernel, self.stream())?;
        let driver = self.context().driver();
        let (grid, block) = (shape.grid, shape.block);
        let queued = raw.with_pointers(|parameters| {
            // SAFETY: the entry has these parameters, according to its description and the driver; the caller ensures that
            // the kernel uses them correctly.
            unsafe {
                driver.launch_kernel(
                    loaded.function,
                    grid[0],
                    grid[1],
                    grid[2],
                    block[0],
                    block[1],
                    block[2],
                    shape.dynamic_shared_bytes,
                    self.stream().raw(),
                    parameters,
                    ptr::null_mut(),
                )
            }
        });
        self.stream().note_launch(loaded.id);
        self.stream().check(queued, || format!("launching blocks {grid:?} of threads {block:?} of kernel `{kernel}`"))
    }
}

impl RawVisitor for RawArgs {
    fn pointer(&mut self, name: &'static str, address: u64) {
        self.push(name, &address);
    }

    fn slice<T: DeviceLayout>(&mut self, name: &'static str, slice: &DeviceSlice<T>) {
        self.push(name, &slice.pointer.address());
        self.push(name, &(slice.len as u64));
    }

    fn value<T: DeviceLayout>(&mut self, name: &'static str, value: &T) {
        self.push(name, value);
    }
}
