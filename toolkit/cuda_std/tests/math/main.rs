//! `cuda_std::math` on a CPU: errors against references of more digits, special values, and exact results.
//!
//! The tests take a sample of all numbers. With CUDA_WIDE=1 they take all 2^32, which keeps a core busy for about an hour.

mod accuracy;
mod bounded;
mod double;
mod measure;
mod rounding;
mod special;
