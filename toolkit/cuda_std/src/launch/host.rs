//! The traits between a kernel and whoever runs it.

use super::Offsets;
use super::block_on_cpu::BlockOnCpu;
use crate::Grid;
use cuda_layout::DeviceLayout;

/// A memory where a kernel's buffers live: the host's, or a device's.
///
/// [`Host`] is one; `cuda_host::Device` is the memory of a GPU.
pub trait Space {
    /// A buffer that a kernel reads.
    type Ref<'a, T: DeviceLayout>: Copy;
    /// A buffer that a kernel writes.
    type Mut<'a, T: DeviceLayout>;
    /// Checked offsets in this memory.
    type Offsets<'a>: Copy;

    /// Number of elements.
    fn len<T: DeviceLayout>(buffer: &Self::Ref<'_, T>) -> usize;
    /// Number of elements.
    fn len_mut<T: DeviceLayout>(buffer: &Self::Mut<'_, T>) -> usize;
    /// Number of segments, and the end of the last one.
    fn extent(offsets: &Self::Offsets<'_>) -> (usize, u32);
    /// The same buffer, borrowed for a shorter time.
    fn shorter<'short, 'long: 'short, T: DeviceLayout>(buffer: Self::Ref<'long, T>) -> Self::Ref<'short, T>;
}

/// A ragged buffer: the argument for a kernel's `&mut Segment<T>`. Block `i` gets segment `i`.
///
/// [`Segment`](crate::Segment) has an example.
pub struct Segments<'a, S: Space, T: DeviceLayout> {
    /// The buffer.
    pub data: S::Mut<'a, T>,
    /// Where its segments are.
    pub offsets: S::Offsets<'a>,
}

/// A matrix, row by row: the argument for a kernel's `&mut Tile2d<T, ROWS, COLUMNS>`.
///
/// The buffer holds whole rows. Block (x, y) gets the tile in column x and row y of the tiles, and the grid has exactly one
/// block per tile.
///
/// [`Tile2d`](crate::Tile2d) has an example.
pub struct Matrix<'a, S: Space, T: DeviceLayout> {
    /// The buffer.
    pub data: S::Mut<'a, T>,
    /// Number of columns.
    pub columns: u32,
}

/// The number of elements of an array in shared memory: the argument for a kernel's `&mut DynamicShared<T>`.
///
/// [`DynamicShared`](crate::DynamicShared) has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynamicLength(pub u32);

/// A kernel as the host sees it. [`macro@crate::kernel`] implements it, on a type `Kernel` in the kernel's module.
///
/// # Safety
/// The constants describe the PTX entry called `NAME`, and `visit` shows every argument of its signature in order.
///
/// ```
/// # use cuda_std::prelude::*;
/// use cuda_std::launch::Kernel as _;
///
/// #[kernel(threads = 64)]
/// fn scale(block: &mut Block, out: &mut Chunk<f32, 256>, factor: f32) {
///     let n = out.len();
///     out.update(block, n, |_, x| *x *= factor);
/// }
/// # fn main() {
/// assert_eq!((scale::Kernel::NAME, scale::Kernel::THREADS, scale::Kernel::DIMENSIONS), ("scale", 64, 1));
/// assert!(scale::Kernel::DESCRIPTION.contains("factor"));
/// # }
/// ```
pub unsafe trait Kernel: 'static {
    /// Name of the PTX entry.
    const NAME: &'static str;
    /// The signature and layouts, as text. The PTX contains the same text as the device's compiler saw it.
    const DESCRIPTION: &'static str;
    /// Threads in a block.
    const THREADS: u32;
    /// Dimensions of the grid: 1, 2 or 3.
    const DIMENSIONS: u32;
    /// Whether its blocks meet, so that one call of [`on_cpu`](Self::on_cpu) runs all of them.
    const MEETS: bool;
    /// The launch's arguments by the names of the kernel's parameters.
    type Args<'a, S: Space>;

    /// Shows `visitor` every argument in the order of the signature.
    fn visit<'v, S: Space, V: ArgVisitor<'v, S>>(args: &'v Self::Args<'_, S>, visitor: &mut V);

    /// The first of the kernel's `requires(..)` that does not hold, as it was written.
    fn unmet_requirement<S: Space>(args: &Self::Args<'_, S>, grid: Grid) -> Option<&'static str> {
        let _ = (args, grid);
        None
    }

    /// The same launch with its buffers in another space.
    ///
    /// # Errors
    /// The first error of `by`.
    fn transfer<'a, A: Space, B: Space, C: Transfer<'a, A, B>>(
        args: Self::Args<'a, A>,
        by: &mut C,
    ) -> Result<Self::Args<'a, B>, C::Error>;

    /// A function that runs a block on this core. If blocks [meet](Self::MEETS), it gets the first one and runs all.
    ///
    /// # Safety
    /// [`check_arguments`](super::check_arguments) has accepted the arguments with the block's grid, and no block runs twice.
    unsafe fn on_cpu<'a>(args: Self::Args<'a, Host>) -> impl Fn(BlockOnCpu) + Sync + 'a;
}

/// A group of arguments. [`derive@crate::Arguments`] implements it.
pub trait Arguments {
    /// What a launch gives for the group, by the names of its fields.
    type Args<'a, S: Space>;
}

/// Receives a launch's arguments one by one, for the time `'v`. Lengths are in elements.
///
/// See [`Executor`] for an example.
pub trait ArgVisitor<'v, S: Space> {
    /// A `&[T]`.
    fn slice<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Ref<'_, T>);
    /// A `&mut Segment<T>`.
    fn segments<T: DeviceLayout>(&mut self, name: &'static str, segments: &'v Segments<'_, S, T>);
    /// A `&mut Chunk<T, N>`, with its `N`.
    fn chunks<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Mut<'_, T>, per_block: usize);
    /// A `&mut Tile2d<T, ROWS, COLUMNS>`, with its `ROWS` and `COLUMNS`.
    fn matrix<T: DeviceLayout>(&mut self, name: &'static str, matrix: &'v Matrix<'_, S, T>, tile: [usize; 2]);
    /// A `&Atomics<T>` or a `&mut GridMemory<T>`, which are passed in the same way.
    fn atomics<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Mut<'_, T>);
    /// A `&Scatter<T>`. By default this calls [`atomics`](Self::atomics).
    fn scatter<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Mut<'_, T>) {
        self.atomics(name, buffer);
    }
    /// A `&mut DynamicShared<T>`.
    fn dynamic_shared<T: DeviceLayout>(&mut self, name: &'static str, length: DynamicLength);
    /// A value.
    fn value<T: DeviceLayout>(&mut self, name: &'static str, value: &'v T);
}

/// Converts a launch's buffers to another space, one by one. So an executor can pass a launch to an executor of another space, as
/// `cuda_host::Machine` does.
///
/// ```
/// use cuda_layout::DeviceLayout;
/// use cuda_std::launch::{Host, Kernel, Transfer};
/// use cuda_std::prelude::*;
///
/// /// Counts the elements of all buffers.
/// struct Counted(usize);
///
/// impl<'a> Transfer<'a, Host, Host> for Counted {
///     type Error = std::convert::Infallible;
///     fn read<T: DeviceLayout>(&mut self, _: &'static str, x: &'a [T]) -> Result<&'a [T], Self::Error> {
///         self.0 += x.len();
///         Ok(x)
///     }
///     fn write<T: DeviceLayout>(&mut self, _: &'static str, x: &'a mut [T]) -> Result<&'a mut [T], Self::Error> {
///         self.0 += x.len();
///         Ok(x)
///     }
///     fn offsets(&mut self, _: &'static str, offsets: &'a Offsets) -> Result<&'a Offsets, Self::Error> {
///         Ok(offsets)
///     }
/// }
///
/// #[kernel(threads = 32)]
/// fn copy(block: &mut Block, out: &mut Chunk<u32, 32>, x: &[u32]) {
///     let n = out.len();
///     out.fill(block, n, |i| x.at(i));
/// }
/// # fn main() {
/// let mut counted = Counted(0);
/// let args = copy::Args { out: &mut [0; 3][..], x: &[1, 2, 3][..] };
/// let args = copy::Kernel::transfer(args, &mut counted).unwrap();
/// copy::launch(&CpuExecutor::new(), 1, args).unwrap();
/// assert_eq!(counted.0, 6);
/// # }
/// ```
pub trait Transfer<'a, From: Space, To: Space> {
    /// Why a buffer is not available in the other space.
    type Error;

    /// A buffer that the kernel reads, by the name of its parameter.
    ///
    /// # Errors
    /// When it is not available in the other space.
    fn read<T: DeviceLayout>(
        &mut self,
        name: &'static str,
        buffer: From::Ref<'a, T>,
    ) -> Result<To::Ref<'a, T>, Self::Error>;

    /// A buffer that the kernel writes.
    ///
    /// # Errors
    /// When it is not available in the other space.
    fn write<T: DeviceLayout>(
        &mut self,
        name: &'static str,
        buffer: From::Mut<'a, T>,
    ) -> Result<To::Mut<'a, T>, Self::Error>;

    /// The offsets of a buffer's segments.
    ///
    /// # Errors
    /// When they are not available in the other space.
    fn offsets(&mut self, name: &'static str, offsets: From::Offsets<'a>) -> Result<To::Offsets<'a>, Self::Error>;
}

/// Runs kernels whose buffers live in its space.
///
/// This one checks a launch, prints its arguments, and runs it on CPU cores:
///
/// ```
/// use cuda_std::launch::{ArgVisitor, Host, Kernel, LaunchError, Space, check_arguments};
/// use cuda_std::{Grid, prelude::*};
///
/// struct Loud;
///
/// impl Executor for Loud {
///     type Space = Host;
///     type Error = LaunchError;
///
///     fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Host>) -> Result<(), LaunchError> {
///         let blocks = check_arguments::<K, Host>(grid, &args)?;
///         let mut names = Names(Vec::new());
///         K::visit(&args, &mut names);
///         println!("{} of {blocks} blocks: {}", K::NAME, names.0.join(", "));
///         CpuExecutor::new().launch::<K>(grid, args)
///     }
/// }
///
/// struct Names(Vec<&'static str>);
///
/// impl<'v, S: Space> ArgVisitor<'v, S> for Names {
///     fn slice<T: DeviceLayout>(&mut self, name: &'static str, _: &'v S::Ref<'_, T>) {
///         self.0.push(name);
///     }
///     fn chunks<T: DeviceLayout>(&mut self, name: &'static str, _: &'v S::Mut<'_, T>, _: usize) {
///         self.0.push(name);
///     }
///     // .. and so on.
/// #     fn segments<T: DeviceLayout>(&mut self, _: &'static str, _: &'v Segments<'_, S, T>) {}
/// #     fn matrix<T: DeviceLayout>(&mut self, _: &'static str, _: &'v Matrix<'_, S, T>, _: [usize; 2]) {}
/// #     fn atomics<T: DeviceLayout>(&mut self, _: &'static str, _: &'v S::Mut<'_, T>) {}
/// #     fn dynamic_shared<T: DeviceLayout>(&mut self, _: &'static str, _: DynamicLength) {}
/// #     fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &'v T) {}
/// }
/// # use cuda_layout::DeviceLayout;
/// # #[kernel(threads = 32)]
/// # fn copy(block: &mut Block, out: &mut Chunk<u32, 32>, x: &[u32]) {
/// #     let n = out.len();
/// #     out.fill(block, n, |i| x.at(i));
/// # }
/// # fn main() {
///
/// let mut out = [0; 3];
/// copy::launch(&Loud, 1, copy::Args { out: &mut out, x: &[1, 2, 3] }).unwrap(); // copy of 1 blocks: out, x
/// assert_eq!(out, [1, 2, 3]);
/// # }
/// ```
pub trait Executor {
    /// Where the buffers live.
    type Space: Space;
    /// What can go wrong.
    type Error;

    /// Runs a grid of a kernel's blocks.
    ///
    /// # Errors
    /// When the arguments do not fit the launch ([`LaunchError`](super::LaunchError)), or the executor fails to start it. A GPU
    /// reports a panic of the kernel later, when it synchronises.
    fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Self::Space>) -> Result<(), Self::Error>;

    /// The most blocks of a launch of a kernel whose blocks [meet](Kernel::MEETS). More would be refused by a GPU. CPU cores need
    /// no more than one, for any number of threads.
    ///
    /// # Errors
    /// When the executor has no such kernel.
    fn most_blocks_that_meet<K: Kernel>(&self) -> Result<u32, Self::Error> {
        Ok(1)
    }
}

/// The host's own memory.
///
/// ```
/// use cuda_std::launch::{Host, Offsets, Space};
///
/// let (x, mut y) = ([1.0f32, 2.0], [0u32; 5]);
/// assert_eq!((Host::len(&&x[..]), Host::len_mut(&&mut y[..])), (2, 5));
/// let offsets = Offsets::new(vec![0, 2, 5]).unwrap();
/// assert_eq!(Host::extent(&&offsets), (2, 5));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Host {}

impl Space for Host {
    type Ref<'a, T: DeviceLayout> = &'a [T];
    type Mut<'a, T: DeviceLayout> = &'a mut [T];
    type Offsets<'a> = &'a Offsets;

    fn len<T: DeviceLayout>(buffer: &Self::Ref<'_, T>) -> usize {
        buffer.len()
    }

    fn len_mut<T: DeviceLayout>(buffer: &Self::Mut<'_, T>) -> usize {
        buffer.len()
    }

    fn extent(offsets: &Self::Offsets<'_>) -> (usize, u32) {
        (offsets.segments(), offsets.end())
    }

    fn shorter<'short, 'long: 'short, T: DeviceLayout>(buffer: &'long [T]) -> &'short [T] {
        buffer
    }
}
