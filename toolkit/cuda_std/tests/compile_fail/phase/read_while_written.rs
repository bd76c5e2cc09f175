//! No thread reads what another thread writes in the same phase.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn segment(block: &mut Block, out: &mut Segment<f32>) {
    let n = out.len();
    out.fill(block, n, |i| out.get(n - 1 - i));
}

#[kernel(threads = 64)]
fn view(block: &mut Block, out: &mut Segment<f32>) {
    let n = out.len();
    let view = out.view(n);
    out.fill(block, n, |i| view.get(n - 1 - i));
}

#[kernel(threads = 64)]
fn parts(block: &mut Block, out: &mut Segment<f32>) {
    let mut whole = out.whole();
    let (mut left, _right) = whole.split_at(1);
    whole.set(block, 0, 1.0);
    left.set(block, 0, 2.0);
}

fn main() {}
