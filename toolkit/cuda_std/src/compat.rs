//! Kernels in the raw style: the names of Rust-CUDA's `cuda_std`, for code that moves over, and for what the safe model
//! cannot say.
//!
//! A raw kernel is an `unsafe fn` without a block. Its parameters are pointers, slices and values; nothing checks that
//! its threads do not race, meet at every barrier, or stay within their buffers. What the compiler still does: the host
//! passes the right types in the right order, the PTX is refused when it was built from another signature, and a panic
//! becomes an error of the launch.
//!
//! ```
//! use cuda_std::compat::prelude::*;
//!
//! /// # Safety
//! /// `out` has as many elements as `a` and `b`, and nothing else uses them.
//! #[kernel]
//! pub unsafe fn add(a: &[f32], b: &[f32], out: *mut f32) {
//!     // SAFETY: a thread writes the element of its index, if there is one.
//!     unsafe {
//!         let i = thread::index_1d();
//!         if (i as usize) < a.len() {
//!             out.add(i as usize).write(a.at(i) + b.at(i));
//!         }
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! # Differences from Rust-CUDA
//!
//! - What differs from thread to thread, and every collective operation, is `unsafe`: in a safe kernel it would let a
//!   barrier be reached by some of the threads alone. What is the same for a whole block is safe.
//! - Barriers, shuffles, votes and matches are intrinsics, which the optimiser keeps convergent.
//! - `SystemAtomicF32` has the system's scope.
//! - [`shared_array!`](macro@shared_array) takes its type and its length from the module around the function.
//! - Raw kernels run on GPUs only: [`CpuExecutor`](crate::launch::CpuExecutor) answers with [`launch::GpuOnly`]. On a
//!   host the functions of this module exist, so that a kernel's crate compiles there, and panic.
//! - Operations of Rust that panic in a kernel end the thread. The other threads of its block go on; for them it has
//!   arrived at every barrier. `a[i]` brings the code along that writes its message, which costs registers and stack;
//!   `a.at(i)` checks as much without ([`Input`](crate::Input)).

pub mod atomic;
#[cfg(not(target_arch = "nvptx64"))]
pub mod launch;
pub mod misc;
pub mod shared;
pub mod thread;
pub mod warp;

pub use cuda_std_macros::shared_array;

/// What a file of raw kernels imports.
pub mod prelude {
    pub use super::{atomic, misc, shared, shared::SharedPointer, shared_array, thread, warp};
    pub use crate::{Input, kernel, math};
}

/// Where a function of this module ends up on a host.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
#[track_caller]
fn gpu_only(what: &str) -> ! {
    panic!("`{what}` runs on the GPU only: it was called on the host");
}

/// The code on the device; on a host, a panic.
macro_rules! on_device {
    ($what:literal, $code:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        #[allow(unused_unsafe)]
        {
            // SAFETY: ensured by the caller, where there is something to promise; otherwise a register is read.
            unsafe { $code }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            $crate::compat::gpu_only($what)
        }
    }};
}
use on_device;
