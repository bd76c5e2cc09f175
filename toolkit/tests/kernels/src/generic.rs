//! Generic kernels: instances over types, block and tile sizes, functors and operations.

use core::ops::{Add, Mul};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// A number that can be weighted.
pub trait Number: DeviceLayout + Add<Output = Self> + Mul<Output = Self> {
    /// Zero.
    const ZERO: Self;
}

impl Number for f32 {
    const ZERO: Self = 0.0;
}

impl Number for f64 {
    const ZERO: Self = 0.0;
}

impl Number for u32 {
    const ZERO: Self = 0;
}

/// Scaled sums of a part from its end on, each plus the sum of the whole part; computed in a tile. The constant is the size
/// of the part, the tile and the block.
#[kernel(
    threads = N,
    instances(weighted_f32 = <f32, 256>, weighted_f64 = <f64, 128>, weighted_u32 = <u32, 1024>)
)]
pub fn weighted<T: Number, const N: usize>(
    block: &mut Block,
    out: &mut Chunk<T, N>,
    x: &[T],
    factor: T,
    tile: &mut Shared<T, N>,
) {
    let (n, first) = (out.len(), out.start());
    let tile = tile.fill(block, n, |i| x.at(first + i) * factor);
    let sum = block.reduce(n, T::ZERO, |i| tile.get(i), |a, b| a + b);
    out.inclusive_scan(block, n, T::ZERO, |i| tile.get(n - 1 - i) + sum, |a, b| a + b);
}

/// A function chosen by the launch.
pub trait Curve: DeviceLayout {
    /// The value at `x`.
    fn at(&self, x: f32) -> f32;
}

/// `slope x + begin`.
#[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct Line {
    /// Rise.
    pub slope: f32,
    /// Value at 0.
    pub begin: f32,
}

/// `height sin(frequency x)`.
#[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct Wave {
    /// Largest value.
    pub height: f32,
    /// Radians per unit of x.
    pub frequency: f32,
}

impl Curve for Line {
    fn at(&self, x: f32) -> f32 {
        math::fma(self.slope, x, self.begin)
    }
}

impl Curve for Wave {
    fn at(&self, x: f32) -> f32 {
        self.height * math::sin(self.frequency * x)
    }
}

/// The curve at each x.
#[kernel(threads = 128, requires(x.len() == out.len()), instances(curve_line = <Line>, curve_wave = <Wave>))]
pub fn curve<F: Curve>(block: &mut Block, out: &mut Chunk<f32, 512, WriteOnly>, x: &[f32], f: F) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| f.at(x.at(first + i)));
}

/// An operation given by its type, without a value.
pub trait Operation {
    /// The neutral element.
    const NEUTRAL: u32;
    /// Combines two values.
    fn join(a: u32, b: u32) -> u32;
}

/// The sum.
pub struct Sum;

/// The maximum.
pub struct Largest;

impl Operation for Sum {
    const NEUTRAL: u32 = 0;
    fn join(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
}

impl Operation for Largest {
    const NEUTRAL: u32 = 0;
    fn join(a: u32, b: u32) -> u32 {
        a.max(b)
    }
}

/// The result for each `WIDTH` neighbours, by teams of as many lanes.
#[kernel(
    threads = 96,
    requires(x.len() == out.len() * WIDTH as usize),
    instances(sums_of_8 = <Sum, 8>, largest_of_8 = <Largest, 8>, largest_of_32 = <Largest, 32>)
)]
pub fn joined<O: Operation, const WIDTH: u32>(block: &mut Block, out: &mut Chunk<u32, 64, WriteOnly>, x: &[u32]) {
    let (n, first) = (out.len(), out.start());
    let value = |i, k| x.at((first + i) * WIDTH + k);
    if WIDTH == 32 {
        out.fill_by_team::<32>(block, n, |team, i| {
            team.reduce(WIDTH, O::NEUTRAL, |sum, k| O::join(sum, value(i, k)), O::join)
        });
    } else {
        out.fill_by_team::<8>(block, n, |team, i| {
            team.reduce(WIDTH, O::NEUTRAL, |sum, k| O::join(sum, value(i, k)), O::join)
        });
    }
}

/// An instance whose sources differ: the device has another operation than the host.
#[cfg_attr(target_arch = "nvptx64", kernel(threads = 32, instances(altered_instance = <Sum>)))]
#[cfg_attr(not(target_arch = "nvptx64"), kernel(threads = 32, instances(altered_instance = <Largest>)))]
pub fn altered_operation<O: Operation>(block: &mut Block, out: &mut Chunk<u32, 32>, x: u32) {
    let n = out.len();
    out.update(block, n, |_, own| *own = O::join(*own, x));
}
