//! Kernels whose sources differ between device and host, as if a kernel was changed and its PTX was not rebuilt. They
//! cannot be launched; tests check how they are refused.

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident: device { $($old:ident: $old_type:ty),* } host { $($new:ident: $new_type:ty),* })*) => {$(
        $(#[$doc])*
        #[cfg(target_arch = "nvptx64")]
        #[derive(Clone, Copy, Debug, DeviceLayout, Zeroable, Pod)]
        #[repr(C)]
        pub struct $name {
            $(#[doc = "A field."] pub $old: $old_type,)*
        }

        $(#[$doc])*
        #[cfg(not(target_arch = "nvptx64"))]
        #[derive(Clone, Copy, Debug, DeviceLayout, Zeroable, Pod)]
        #[repr(C)]
        pub struct $name {
            $(#[doc = "A field."] pub $new: $new_type,)*
        }
    )*};
}

structs! {
    /// Two swapped fields: size and types are the same.
    Swapped: device { x: f32, y: f32 } host { y: f32, x: f32 }
    /// A field of another type and the same size.
    Retyped: device { x: f32, count: u32 } host { x: f32, count: i32 }
    /// A field inserted before the others.
    Grown: device { x: f32, y: f32 } host { mass: f32, x: f32, y: f32 }
}

/// Fields in another order.
#[kernel(threads = 32)]
pub fn altered_order(block: &mut Block, out: &mut Segment<f32>, points: &[Swapped]) {
    let n = out.len();
    out.fill(block, n, |i| points.at(i).x);
}

/// A field of another type.
#[kernel(threads = 32)]
pub fn altered_type(block: &mut Block, out: &mut Segment<f32>, weight: Retyped) {
    let n = out.len();
    out.fill(block, n, |_| weight.x * weight.count as f32);
}

/// An additional field in the elements of the output.
#[kernel(threads = 32)]
pub fn altered_field(block: &mut Block, out: &mut Segment<Grown>) {
    let n = out.len();
    out.update(block, n, |_, point| point.x = 0.0);
}

/// Parameters in another order, with equal numbers of raw arguments of each type.
#[cfg(target_arch = "nvptx64")]
#[kernel(threads = 32)]
pub fn altered_signature(block: &mut Block, out: &mut Segment<f32>, scale: f32, shift: f32) {
    let n = out.len();
    out.fill(block, n, |_| scale + shift);
}

/// Parameters in another order, with equal numbers of raw arguments of each type.
#[cfg(not(target_arch = "nvptx64"))]
#[kernel(threads = 32)]
pub fn altered_signature(block: &mut Block, out: &mut Segment<f32>, shift: f32, scale: f32) {
    let n = out.len();
    out.fill(block, n, |_| scale + shift);
}

/// An additional parameter.
#[cfg(target_arch = "nvptx64")]
#[kernel(threads = 32)]
pub fn altered_count(block: &mut Block, out: &mut Segment<f32>, scale: f32) {
    let n = out.len();
    out.fill(block, n, |_| scale);
}

/// An additional parameter.
#[cfg(not(target_arch = "nvptx64"))]
#[kernel(threads = 32)]
pub fn altered_count(block: &mut Block, out: &mut Segment<f32>, scale: f32, shift: f32) {
    let n = out.len();
    out.fill(block, n, |_| scale + shift);
}

/// Blocks of another size.
#[cfg(target_arch = "nvptx64")]
#[kernel(threads = 64)]
pub fn altered_threads(block: &mut Block, out: &mut Segment<f32>) {
    let n = out.len();
    out.fill(block, n, |_| 1.0);
}

/// Blocks of another size.
#[cfg(not(target_arch = "nvptx64"))]
#[kernel(threads = 32)]
pub fn altered_threads(block: &mut Block, out: &mut Segment<f32>) {
    let n = out.len();
    out.fill(block, n, |_| 1.0);
}

/// The device counts blocks in one dimension, the host in two.
#[cfg_attr(target_arch = "nvptx64", kernel(threads = 32, grid = 1))]
#[cfg_attr(not(target_arch = "nvptx64"), kernel(threads = 32, grid = 2))]
pub fn altered_grid(block: &mut Block, out: &mut Chunk<f32, 32>, scale: f32) {
    let n = out.len();
    out.fill(block, n, |_| scale);
}
