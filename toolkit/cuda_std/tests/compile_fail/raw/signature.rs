//! A raw kernel has one PTX entry, which returns nothing.
use cuda_std::compat::prelude::*;

#[kernel]
pub unsafe fn of_types<T>(out: *mut T) {}

#[kernel]
pub unsafe fn returns(out: *mut f32) -> f32 {
    0.0
}

#[kernel]
pub async unsafe fn later(out: *mut f32) {}

fn main() {}
