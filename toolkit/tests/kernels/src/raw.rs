//! Forms of safe kernels with raw pointers, to measure the cost of the safe form, and a race that safe code cannot have.
//!
//! Algorithm, block sizes and tile sizes are the safe kernel's. baselines/zero_cost.cu has the same in CUDA C++.
#![allow(unsafe_code)]

mod gather;
mod histogram;
mod matmul;
mod saxpy;
mod sum;
mod transpose;
mod turn;

pub use gather::raw_gather;
pub use histogram::raw_histogram;
pub use matmul::raw_matmul;
pub use saxpy::raw_saxpy;
pub use sum::raw_sum;
pub use transpose::raw_transpose;
pub use turn::{raw_turn, raw_turn_unmet};
