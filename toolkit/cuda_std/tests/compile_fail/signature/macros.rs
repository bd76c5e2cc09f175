//! A macro would be expanded once for each use of the signature, for checks and for code.
use cuda_std::prelude::*;

macro_rules! element {
    () => { u32 };
}

#[kernel(threads = line!())]
fn threads(block: &mut Block, out: &mut Chunk<f32, 64>) {}

#[kernel(threads = { if cfg!(debug_assertions) { 64 } else { 32 } })]
fn threads_in_braces(block: &mut Block, out: &mut Chunk<f32, 64>) {}

#[kernel(threads = 64, blocks_per_sm = line!())]
fn blocks(block: &mut Block, out: &mut Chunk<f32, 64>) {}

#[kernel(threads = 64)]
fn length(block: &mut Block, out: &mut Chunk<f32, { module_path!().len() }>) {}

#[kernel(threads = 64)]
fn kind(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[element!()]) {}

#[kernel(threads = 64, instances(one = <{ line!() as usize }>))]
fn instance<const N: usize>(block: &mut Block, out: &mut Chunk<u32, N>) {}

/// # Safety
/// None.
#[kernel]
unsafe fn raw(out: *mut element!()) {}

fn main() {}
