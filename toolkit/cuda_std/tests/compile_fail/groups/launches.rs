//! A launch gives every field of a group, of its type, and no buffer twice if one is written.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[derive(Arguments)]
struct Input<'a> {
    x: &'a [f32],
    factor: f32,
}

#[derive(Arguments)]
struct Output<'a> {
    out: &'a mut Chunk<'a, f32, 32>,
    again: &'a mut Chunk<'a, f32, 32>,
}

#[kernel(threads = 32)]
fn kernel(block: &mut Block, input: Input<'_>, output: Output<'_>, other: Output<'_>) {}

fn main() {
    let a = [0.0f32; 32];
    let missing = InputArgs { x: &a[..] };
    let more = InputArgs { x: &a[..], factor: 1.0, offset: 2.0 };
    let other_type = InputArgs { x: &[1.0f64][..], factor: 1.0 };
}

fn written_twice() {
    let (mut a, mut b, mut c) = ([0.0f32; 32], [0.0f32; 32], [0.0f32; 32]);
    let input = InputArgs { x: &[1.0f32][..], factor: 1.0 };
    let output = OutputArgs { out: &mut a[..], again: &mut b[..] };
    let twice = OutputArgs { out: &mut b[..], again: &mut c[..] };
    let _ = kernel::launch(&CpuExecutor::new(), 1, kernel::Args { input, output, other: twice });
}
