//! A layout that is written by hand could differ from the compiler's. Safe code uses the derive.
#![forbid(unsafe_code)]
use cuda_layout::{DeviceLayout, Text};

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Wide(u64);

impl DeviceLayout for Wide {
    const TEXT: &'static Text = &Text::new().push("u32");
}

fn main() {}
