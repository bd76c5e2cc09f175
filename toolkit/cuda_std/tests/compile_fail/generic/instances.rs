//! A generic kernel names its instances, and each instance names every parameter's value.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn of_types<T: bytemuck::Pod>(block: &mut Block, out: &mut Chunk<T, 64>, x: &[T]) {}

#[kernel(threads = 64)]
fn of_constants<const N: usize>(block: &mut Block, out: &mut Chunk<f32, N>, x: &[f32]) {}

#[kernel(threads = 64, instances(lifetimes = <'static>))]
fn of_lifetimes<'a>(block: &mut Block, out: &mut Segment<'a, f32>) {}

#[kernel(threads = 64, instances(one_more = <f32>))]
fn plain(block: &mut Block, out: &mut Segment<f32>) {}

#[kernel(threads = 64, instances(few = <f32>, many = <f32, 2, 3>))]
fn counted<T, const N: usize>(block: &mut Block, out: &mut Chunk<T, N>) {}

#[kernel(threads = 64, instances(turned = <2, f32>))]
fn in_order<T, const N: usize>(block: &mut Block, out: &mut Chunk<T, N>) {}

#[kernel(threads = 64, instances(of_f32 = <T = f32>))]
fn by_name<T>(block: &mut Block, out: &mut Segment<T>) {}

#[kernel(threads = 64, instances(<f32>))]
fn unnamed<T>(block: &mut Block, out: &mut Segment<T>) {}

fn main() {}
