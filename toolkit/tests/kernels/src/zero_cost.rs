//! Safe kernels that have forms with raw pointers, `raw_saxpy` and so on, and baselines in CUDA C++.

mod gather;
mod matmul;
mod memory;

pub use gather::safe_gather;
pub use matmul::{Quad, safe_matmul};
pub use memory::{safe_histogram, safe_saxpy, safe_sum, safe_transpose};
