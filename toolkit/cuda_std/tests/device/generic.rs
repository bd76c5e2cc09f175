use core::ops::Mul;
use cuda_layout::DeviceLayout;

/// An entry for each instance: its block, part and tile have the constant's size.
#[kernel(threads = N, instances(turned_f32 = <f32, 256>, turned_f64 = <f64, { 4 * 32 }>))]
pub fn turned<T: DeviceLayout + Mul<Output = T>, const N: usize>(
    block: &mut Block,
    out: &mut Chunk<T, N>,
    factor: T,
    tile: &mut Shared<T, N>,
) {
    let n = out.len();
    let own = out.view(n);
    let tile = tile.fill(block, n, |i| own.get(i));
    out.fill(block, n, |i| tile.get(n - 1 - i) * factor);
}

/// A function that the launch chooses.
pub trait Curve: DeviceLayout {
    /// The value at `x`.
    fn at(&self, x: f32) -> f32;
}

/// A line through the origin.
#[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct Line {
    slope: f32,
}

impl Curve for Line {
    fn at(&self, x: f32) -> f32 {
        self.slope * x
    }
}

/// Its argument is a functor.
#[kernel(threads = 64, instances(curve_line = <Line>))]
pub fn curve<F: Curve>(block: &mut Block, out: &mut Chunk<f32, 100>, f: F) {
    let n = out.len();
    out.fill(block, n, |i| f.at(i as f32));
}

/// The same without a functor.
#[kernel(threads = 64)]
pub fn curve_by_hand(block: &mut Block, out: &mut Chunk<f32, 100>, slope: f32) {
    let n = out.len();
    out.fill(block, n, |i| slope * i as f32);
}
