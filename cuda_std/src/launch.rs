//! Typed launch: what a host needs to run a kernel, wherever its buffers live.

#[cfg(not(target_arch = "nvptx64"))]
mod check;
#[cfg(not(target_arch = "nvptx64"))]
mod cpu;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod offsets;
#[doc(hidden)]
pub mod private;

#[cfg(not(target_arch = "nvptx64"))]
pub use {
    check::{LaunchError, check_arguments},
    cpu::CpuExecutor,
    host::{ArgVisitor, Executor, Host, Kernel, Segments, Space},
    offsets::{Offsets, OffsetsError},
};
