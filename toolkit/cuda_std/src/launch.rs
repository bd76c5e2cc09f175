//! Typed launches: what a host needs to run a kernel, wherever its buffers are.

#[cfg(not(target_arch = "nvptx64"))]
mod block_on_cpu;
#[cfg(not(target_arch = "nvptx64"))]
mod check;
#[cfg(not(target_arch = "nvptx64"))]
mod cpu;
#[cfg(not(target_arch = "nvptx64"))]
mod error;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod image;
#[cfg(not(target_arch = "nvptx64"))]
mod offsets;
#[doc(hidden)]
pub mod private;
#[cfg(not(target_arch = "nvptx64"))]
mod schedule;
#[cfg(not(target_arch = "nvptx64"))]
mod shape;

#[cfg(not(target_arch = "nvptx64"))]
pub use {
    check::{MAX_SHARED_BYTES, check_and_visit, check_arguments},
    cpu::{CpuExecutor, has_vector_instructions, has_wide_vector_instructions},
    error::LaunchError,
    host::{ArgVisitor, Arguments, DynamicLength, Executor, Host, Kernel, Matrix, Segments, Space, Transfer},
    image::Image,
    offsets::{Offsets, OffsetsError},
    schedule::{SCHEDULE_SEED, schedule_seed},
    shape::{BufferShape, MatrixShape, SegmentsShape},
};

/// Ends the description of a kernel in PTX that checks whether an element of a [`Scatter`](crate::Scatter) is written twice. A
/// launch of such PTX passes, after each `Scatter`, the address of one bit per element: whether it has been written.
pub const CHECKS_WRITES: &str = " checks writes";
