//! Kernels in the raw style: the names of Rust-CUDA's `cuda_std`, for code that moves from there, and for algorithms that
//! the safe model cannot express.
//!
//! A raw kernel is an `unsafe fn` without a block. Its parameters are pointers, slices and values. Nothing checks that its
//! threads do not race, meet at every barrier, or stay within their buffers. The compiler still checks that the host passes
//! the right types in the right order. PTX built from another signature is refused, and a panic becomes an error of the
//! launch.
//!
//! ```
//! use cuda_std::compat::prelude::*;
//!
//! /// # Safety
//! /// `out` has as many elements as `a` and `b`, and nothing else uses them.
//! #[kernel]
//! pub unsafe fn add(a: &[f32], b: &[f32], out: *mut f32) {
//!     // SAFETY: each thread writes the element of its own index, if that exists.
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
//! - Values that differ among threads or blocks, and all collective operations, are `unsafe`: if they were safe, safe code could
//!   let only some threads reach a barrier, or only some blocks a meeting of a [`WholeGrid`](crate::WholeGrid). Values that are the
//!   same for the whole grid are safe.
//! - Barriers, shuffles, votes and matches are intrinsics, which the optimiser keeps convergent.
//! - `SystemAtomicF32` has the system's scope.
//! - [`shared_array!`](macro@shared_array) resolves its type and its length in the module around the function.
//! - Raw kernels run on GPUs only: [`CpuExecutor`](crate::launch::CpuExecutor) returns [`launch::GpuOnly`]. On a host the
//!   functions of this module exist so that a kernel's crate compiles there, but they panic.
//! - A Rust operation that panics in a kernel ends the thread. The other threads of its block continue, and barriers no
//!   longer wait for the ended thread. `a[i]` includes the code that formats its message, which costs registers and stack;
//!   `a.at(i)` performs the same check without it ([`Input`](crate::Input)).

pub mod atomic;
#[cfg(not(target_arch = "nvptx64"))]
pub mod launch;
pub mod misc;
pub mod shared;
pub mod thread;
pub mod warp;

pub use cuda_std_macros::shared_array;

/// The imports of a file of raw kernels.
pub mod prelude {
    pub use super::{atomic, misc, shared, shared::SharedPointer, shared_array, thread, warp};
    pub use crate::{Input, kernel, math};
}

/// Panics: functions of this module end up here on a host.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
#[track_caller]
fn gpu_only(what: &str) -> ! {
    panic!("`{what}` runs on the GPU only: it was called on the host");
}

/// The code on the device, and a panic on a host.
macro_rules! on_device {
    ($what:literal, $code:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        #[allow(unused_unsafe)]
        {
            // SAFETY: ensured by the caller where the function has a contract; otherwise this reads a register.
            unsafe { $code }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            $crate::compat::gpu_only($what)
        }
    }};
}
use on_device;
