//! A raw kernel takes pointers, slices to read, and values, by plain names.
use cuda_std::compat::prelude::*;

#[kernel]
pub unsafe fn unique(out: &mut [f32]) {}

#[kernel]
pub unsafe fn reference(factor: &f32) {}

#[kernel]
pub unsafe fn pattern((a, b): (u32, u32)) {}

struct Kernels;

impl Kernels {
    #[kernel]
    pub unsafe fn method(&self, out: *mut f32) {}
}

fn main() {}
