//! There is one PTX entry of a kernel.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn of_types<T>(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64)]
fn of_constants<const N: usize>(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64)]
fn of_lifetimes<'a>(block: &mut Block, out: &mut Segment<'a, f32>) {}

fn main() {}
