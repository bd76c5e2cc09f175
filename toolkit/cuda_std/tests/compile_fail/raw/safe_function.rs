//! Pointers are for raw kernels, and those are `unsafe`.
use cuda_std::compat::prelude::*;

#[kernel(threads = 64)]
pub fn pointers(out: *mut f32, n: u32) {}

fn main() {}
