//! Launching raw kernels: the host side of `#[kernel]` on an `unsafe fn`.

use crate::launch::CpuExecutor;
use cuda_layout::DeviceLayout;
use std::fmt;
use std::marker::PhantomData;

macro_rules! pointers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name<T>(u64, PhantomData<fn(T)>);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }

        impl<T> $name<T> {
            /// A pointer with this address. Making one is safe; launching a kernel with it is not.
            #[must_use]
            pub fn from_address(address: u64) -> Self {
                Self(address, PhantomData)
            }

            /// The null pointer.
            #[must_use]
            pub fn null() -> Self {
                Self::from_address(0)
            }

            /// The address on the device.
            #[must_use]
            pub fn address(self) -> u64 {
                self.0
            }

            /// The pointer `count` elements further on.
            #[must_use]
            pub fn wrapping_add(self, count: u64) -> Self {
                Self::from_address(self.0.wrapping_add(count.wrapping_mul(size_of::<T>() as u64)))
            }
        }
    )*};
}

pointers! {
    /// The argument for a kernel's `*const T`: an address in a device's memory that a kernel reads.
    DevicePointer;
    /// The argument for a kernel's `*mut T`: an address in a device's memory that a kernel writes.
    DevicePointerMut;
}

/// The argument for a raw kernel's `&[T]`.
pub struct DeviceSlice<T> {
    /// The address of the first element.
    pub pointer: DevicePointer<T>,
    /// The number of elements.
    pub len: usize,
}

impl<T> Clone for DeviceSlice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceSlice<T> {}

/// The numbers of blocks and threads along x, y and z, and the dynamic shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks in the grid.
    pub grid: [u32; 3],
    /// Threads in a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory for each block.
    pub dynamic_shared_bytes: u32,
}

impl LaunchShape {
    /// The smallest number of blocks of `threads` threads, along x, with a thread for each element. 0 threads count as 1.
    #[must_use]
    pub fn for_elements(elements: u32, threads: u32) -> Self {
        let threads = threads.max(1);
        Self::linear(elements.div_ceil(threads), threads)
    }

    /// `blocks` blocks of `threads` threads, along x.
    #[must_use]
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: 0 }
    }

    /// Threads in a block.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.block.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul)
    }
}

/// A raw kernel as the host sees it. [`macro@crate::kernel`] implements it, on a type `Kernel` in the kernel's module.
///
/// # Safety
/// The constants describe the PTX entry called `NAME`, and `visit` shows every argument of its signature in order.
///
/// ```
/// use cuda_std::compat::launch::{DevicePointer, DevicePointerMut, DeviceSlice, GpuOnly, LaunchShape};
/// use cuda_std::compat::launch::{RawKernel as _, RawVisitor};
/// use cuda_std::launch::CpuExecutor;
/// use cuda_std::compat::prelude::*;
///
/// /// # Safety
/// /// `out` has as many elements as `x`, which nothing else uses.
/// #[kernel]
/// pub unsafe fn double(x: &[f32], out: *mut f32) {
///     // SAFETY: the kernel's contract.
///     unsafe {
///         let i = thread::index_1d();
///         if (i as usize) < x.len() {
///             out.add(i as usize).write(2.0 * x.at(i));
///         }
///     }
/// }
/// # struct Names(Vec<&'static str>);
/// # impl RawVisitor for Names {
/// #     fn pointer(&mut self, name: &'static str, _: u64) { self.0.push(name); }
/// #     fn slice<T: cuda_layout::DeviceLayout>(&mut self, name: &'static str, _: &DeviceSlice<T>) { self.0.push(name); }
/// #     fn value<T: cuda_layout::DeviceLayout>(&mut self, name: &'static str, _: &T) { self.0.push(name); }
/// # }
/// # fn main() {
///
/// let shape = LaunchShape::for_elements(1000, 256);
/// assert_eq!((shape.grid, shape.threads(), shape.dynamic_shared_bytes), ([4, 1, 1], 256, 0));
/// let pointer = DevicePointer::from_address(0x1000);
/// assert_eq!(pointer.wrapping_add(3).address(), 0x1000 + 12);
/// let args = double::Args { x: DeviceSlice { pointer, len: 0 }, out: DevicePointerMut::null() };
/// # let mut names = Names(Vec::new());
/// # double::Kernel::visit(&args, &mut names);
/// # assert_eq!((double::Kernel::NAME, double::Kernel::THREADS, names.0), ("double", None, vec!["x", "out"]));
/// // SAFETY: nothing runs, because this executor has no GPU.
/// let answer = unsafe { double::launch(&CpuExecutor::new(), shape, args) };
/// assert_eq!(answer, Err(GpuOnly { kernel: "double" }));
/// # }
/// ```
pub unsafe trait RawKernel: 'static {
    /// The name of the PTX entry.
    const NAME: &'static str;
    /// The signature and layouts, as text. The PTX contains the same text as the device's compiler saw it.
    const DESCRIPTION: &'static str;
    /// The number of threads in a block, if the kernel declares it.
    const THREADS: Option<u32>;
    /// The launch's arguments by the names of the kernel's parameters.
    type Args;

    /// Shows `visitor` every argument, in the order of the signature.
    fn visit<V: RawVisitor>(args: &Self::Args, visitor: &mut V);
}

/// Receives the arguments of a raw launch one by one.
pub trait RawVisitor {
    /// A pointer.
    fn pointer(&mut self, name: &'static str, address: u64);
    /// A slice.
    fn slice<T: DeviceLayout>(&mut self, name: &'static str, slice: &DeviceSlice<T>);
    /// A value.
    fn value<T: DeviceLayout>(&mut self, name: &'static str, value: &T);
}

/// Runs raw kernels.
pub trait RawExecutor {
    /// The error.
    type Error;

    /// Queues a launch.
    ///
    /// # Errors
    /// When the executor cannot start it. Synchronising reports a panic of the kernel.
    ///
    /// # Safety
    /// The kernel's own contract holds for these arguments in this shape: it reads and writes only live memory, which
    /// nobody else uses before the launch has ended. Buffers do not know of the launch: code that uses, changes or drops
    /// one of its buffers on another stream, or on the host, must have waited for it.
    unsafe fn launch_raw<K: RawKernel>(&self, shape: LaunchShape, args: &K::Args) -> Result<(), Self::Error>;
}

/// The error of launching a raw kernel without a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel `{kernel}` is a raw kernel, and raw kernels run on the GPU only; written with `&mut Block` it would run here, too"
)]
pub struct GpuOnly {
    /// The kernel.
    pub kernel: &'static str,
}

impl RawExecutor for CpuExecutor {
    type Error = GpuOnly;

    unsafe fn launch_raw<K: RawKernel>(&self, _: LaunchShape, _: &K::Args) -> Result<(), GpuOnly> {
        Err(GpuOnly { kernel: K::NAME })
    }
}
