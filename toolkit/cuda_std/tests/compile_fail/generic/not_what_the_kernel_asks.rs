//! An instance fulfils the kernel's bounds, and a device can run it.
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// A function that the launch chooses.
pub trait Curve: DeviceLayout {
    /// The value at `x`.
    fn at(&self, x: f32) -> f32;
}

/// Has no layout.
#[derive(Clone, Copy)]
pub struct Line(f32);

#[kernel(threads = 64, instances(curve_line = <Line>))]
fn curve<F: Curve>(block: &mut Block, out: &mut Chunk<f32, 64>, f: F) {
    out.fill(block, 64, |i| f.at(i as f32));
}

#[kernel(threads = N, instances(odd = <33>, none = <0>, many = <2048>))]
fn sized<const N: usize>(block: &mut Block, out: &mut Chunk<f32, N>) {
    out.fill(block, 1, |_| 1.0);
}

#[kernel(threads = 64, instances(fits = <f32, 12_000>, large = <f64, 12_000>))]
fn tiled<T: DeviceLayout, const N: usize>(block: &mut Block, out: &mut Chunk<T, 64>, tile: &mut Shared<T, N>) {
    let x = out.view(1);
    let tile = tile.fill(block, 1, |i| x.get(i));
    out.fill(block, 1, |i| tile.get(i));
}

#[kernel(threads = 64, instances(same = <f32>, again = <f32>))]
fn twice<T: DeviceLayout>(block: &mut Block, out: &mut Chunk<T, 64>, x: &[T]) {
    out.fill(block, 1, |i| x.at(i));
}

#[kernel(threads = 64, instances(of_nothing = <Missing>))]
fn unknown<T: DeviceLayout>(block: &mut Block, out: &mut Chunk<T, 64>, x: &[T]) {
    out.fill(block, 1, |i| x.at(i));
}

fn main() {}
