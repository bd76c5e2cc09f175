//! Arguments are plain data with a known layout, also behind pointers.
use cuda_std::compat::prelude::*;

pub struct Unknown(u32);

#[kernel]
pub unsafe fn pointer(_out: *mut Unknown) {}

fn main() {}
