//! A field is what a kernel's parameter may be, and each message points at the field.
use cuda_std::prelude::*;

#[derive(Arguments)]
struct MutableSlice<'a> {
    input: &'a [f32],
    output: &'a mut [f32],
}

#[derive(Arguments)]
struct Reference<'a> {
    input: &'a [f32],
    factor: &'a f32,
}

#[derive(Arguments)]
struct NoElement<'a> {
    output: &'a mut Chunk<'a, f32>,
}

#[derive(Arguments)]
struct OfThePlatform<'a> {
    input: &'a [f32],
    n: usize,
}

#[derive(Arguments)]
struct OwnAtomics<'a> {
    counts: &'a mut Atomics<'a, u32>,
}

macro_rules! element {
    () => { f32 };
}

#[derive(Arguments)]
struct OfAMacro<'a> {
    input: &'a [element!()],
}

#[derive(Arguments)]
struct Unnamed<'a>(&'a [f32]);

#[derive(Arguments)]
struct Lasting {
    input: &'static [f32],
}

#[derive(Arguments)]
struct TwoLifetimes<'a, 'b> {
    input: &'a [f32],
    other: &'b [f32],
}

#[derive(Arguments)]
struct Empty<'a> {}

#[derive(Arguments)]
enum Either<'a> {
    Floats(&'a [f32]),
    Words(&'a [u32]),
}

/// A kernel adds no error to that of its group.
#[kernel(threads = 32)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 32>, group: MutableSlice<'_>) {}

fn main() {}
