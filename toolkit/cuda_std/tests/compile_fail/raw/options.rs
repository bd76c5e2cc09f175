//! The options of a raw kernel.
use cuda_std::compat::prelude::*;

#[kernel(threads = 0)]
pub unsafe fn none(out: *mut f32) {}

#[kernel(threads = 1025)]
pub unsafe fn many(out: *mut f32) {}

#[kernel(blocks_per_sm = 2)]
pub unsafe fn half_said(out: *mut f32) {}

#[kernel(grid = 2)]
pub unsafe fn grid(out: *mut f32) {}

#[kernel(threads = 64, requires(n > 0))]
pub unsafe fn contract(out: *mut f32, n: u32) {}

fn main() {}
