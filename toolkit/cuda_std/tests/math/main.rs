//! `cuda_std::math` on a CPU: errors against references of more digits, special values, and what is exact.
//!
//! The tests look at a sample of all numbers. CUDA_WIDE=1 makes them look at all 2^32, which takes a core about an hour.

mod accuracy;
mod bounded;
mod double;
mod measure;
mod rounding;
mod special;
