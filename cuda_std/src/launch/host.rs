//! The traits between a kernel and whoever runs it.

use super::Offsets;
use crate::panic::KernelPanic;
use cuda_layout::DeviceLayout;

/// A memory where a kernel's buffers live: the host's, or a device's.
pub trait Space {
    /// A buffer that a kernel reads.
    type Ref<'a, T: DeviceLayout>;
    /// A buffer that a kernel writes.
    type Mut<'a, T: DeviceLayout>;
    /// Checked offsets in this memory.
    type Offsets<'a>;

    /// Number of elements.
    fn len<T: DeviceLayout>(buffer: &Self::Ref<'_, T>) -> usize;
    /// Number of elements.
    fn len_mut<T: DeviceLayout>(buffer: &Self::Mut<'_, T>) -> usize;
    /// Number of segments, and the end of the last one.
    fn extent(offsets: &Self::Offsets<'_>) -> (usize, u32);
}

/// A ragged buffer: the argument for a kernel's `&mut Segment<T>`. Block `i` gets segment `i`.
pub struct Segments<'a, S: Space, T: DeviceLayout> {
    /// The buffer.
    pub data: S::Mut<'a, T>,
    /// Where its segments are.
    pub offsets: S::Offsets<'a>,
}

/// A kernel as the host sees it. [`macro@crate::kernel`] implements it, on a type `Kernel` in the kernel's module.
///
/// # Safety
/// The constants describe the PTX entry called `NAME`, and `visit` shows every argument of its signature in order.
pub unsafe trait Kernel: 'static {
    /// Name of the PTX entry.
    const NAME: &'static str;
    /// Signature and layouts, as text; the PTX carries the same text as the compiler of the device saw it.
    const DESCRIPTION: &'static str;
    /// Threads in a block.
    const THREADS: u32;
    /// The launch's arguments by the names of the kernel's parameters.
    type Args<'a, S: Space>;

    /// Shows `visitor` every argument in the order of the signature.
    fn visit<S: Space, V: ArgVisitor<S>>(args: &mut Self::Args<'_, S>, visitor: &mut V);

    /// Runs block `i` on this core when called with `i`.
    ///
    /// # Safety
    /// [`check_arguments`] has accepted the arguments, and no block runs twice.
    unsafe fn on_cpu<'a>(args: Self::Args<'a, Host>) -> impl Fn(u32) + Sync + 'a;
}

/// Sees a launch's arguments one by one.
pub trait ArgVisitor<S: Space> {
    /// A `&[T]`.
    fn slice<T: DeviceLayout>(&mut self, name: &'static str, buffer: &mut S::Ref<'_, T>);
    /// A `&mut Segment<T>`.
    fn segments<T: DeviceLayout>(&mut self, name: &'static str, segments: &mut Segments<'_, S, T>);
    /// A value.
    fn value<T: DeviceLayout>(&mut self, name: &'static str, value: &T);
}

/// Runs kernels whose buffers live in its space.
pub trait Executor {
    /// Where the buffers live.
    type Space: Space;
    /// What can go wrong.
    type Error;

    /// Runs `blocks` blocks of a kernel.
    ///
    /// # Errors
    /// When the arguments do not fit the launch ([`LaunchError`]), or the executor fails to start it. A GPU
    /// reports a panic of the kernel later, when it synchronises.
    fn launch<K: Kernel>(&self, blocks: u32, args: K::Args<'_, Self::Space>) -> Result<(), Self::Error>;
}

/// The host's own memory.
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
}

/// Why a kernel was not run, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A ragged buffer has fewer segments than there are blocks.
    #[error("kernel `{kernel}`: `{argument}` has {segments} segments, but {blocks} blocks were to run")]
    TooFewSegments {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// How many segments there are.
        segments: usize,
        /// How many blocks were asked for.
        blocks: u32,
    },
    /// A ragged buffer is shorter than its offsets say.
    #[error("kernel `{kernel}`: the segments of `{argument}` end at element {end}, but its buffer has {len}")]
    BufferTooShort {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// Where the last segment ends.
        end: u32,
        /// The buffer's length.
        len: usize,
    },
    /// A thread panicked.
    #[error(transparent)]
    Panic(#[from] KernelPanic),
}

/// Checks what a launch's types cannot: that every block has its segment, and every segment its memory.
///
/// # Errors
/// [`LaunchError::TooFewSegments`] or [`LaunchError::BufferTooShort`] for the first argument that does not fit.
pub fn check_arguments<K: Kernel, S: Space>(blocks: u32, args: &mut K::Args<'_, S>) -> Result<(), LaunchError> {
    struct Check {
        kernel: &'static str,
        blocks: u32,
        found: Result<(), LaunchError>,
    }
    impl<S: Space> ArgVisitor<S> for Check {
        fn slice<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Ref<'_, T>) {}

        fn segments<T: DeviceLayout>(&mut self, argument: &'static str, argument_value: &mut Segments<'_, S, T>) {
            let Self { kernel, blocks, .. } = *self;
            let (segments, end) = S::extent(&argument_value.offsets);
            let len = S::len_mut(&argument_value.data);
            if self.found.is_ok() {
                self.found = if segments < blocks as usize {
                    Err(LaunchError::TooFewSegments { kernel, argument, segments, blocks })
                } else if len < end as usize {
                    Err(LaunchError::BufferTooShort { kernel, argument, end, len })
                } else {
                    Ok(())
                };
            }
        }

        fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
    }
    let mut check = Check { kernel: K::NAME, blocks, found: Ok(()) };
    K::visit(args, &mut check);
    check.found
}
