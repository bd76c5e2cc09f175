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
mod offsets;
#[doc(hidden)]
pub mod private;
#[cfg(not(target_arch = "nvptx64"))]
mod shape;

#[cfg(not(target_arch = "nvptx64"))]
pub use {
    check::{MAX_SHARED_BYTES, check_arguments},
    cpu::{CpuExecutor, has_vector_instructions, has_wide_vector_instructions},
    error::LaunchError,
    host::{ArgVisitor, DynamicLength, Executor, Host, Kernel, Matrix, Segments, Space, Transfer},
    offsets::{Offsets, OffsetsError},
    shape::{BufferShape, MatrixShape, SegmentsShape},
};

/// What a kernel's description in PTX ends with if a launch has, after each [`Scatter`](crate::Scatter), the address of bits that say which
/// elements have been written: the kernel checks that none is written twice.
pub const CHECKS_WRITES: &str = " checks writes";
