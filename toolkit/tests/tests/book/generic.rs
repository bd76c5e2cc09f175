//! The examples of the chapter on generic kernels, on CPU cores.

use cuda_layout::DeviceLayout;
use cuda_std::launch::{Kernel, LaunchError};
use cuda_std::prelude::*;
use std::ops::Mul;

// ANCHOR: scale
/// Each block scales its own `N` elements.
#[kernel(threads = N, instances(scale_f32 = <f32, 256>, scale_f64 = <f64, 128>))]
pub fn scale<T: DeviceLayout + Mul<Output = T>, const N: usize>(block: &mut Block, out: &mut Chunk<T, N>, factor: T) {
    let n = out.len();
    out.update(block, n, |_, x| *x = *x * factor);
}
// ANCHOR_END: scale

#[test]
fn a_launch_says_which_instance() -> Result<(), LaunchError> {
    let executor = CpuExecutor::new();
    // ANCHOR: launch
    let mut x = [1.0f32; 1000];
    scale::launch::<_, 256, _>(&executor, 4, scale::Args { out: &mut x, factor: 0.5 })?;
    // ANCHOR_END: launch
    assert_eq!(x, [0.5; 1000]);
    // ANCHOR: names
    assert_eq!(scale::Kernel::<f64, 128>::NAME, "scale_f64");
    assert_eq!(scale::Kernel::<f64, 128>::THREADS, 128);
    // ANCHOR_END: names
    Ok(())
}

// ANCHOR: functor
/// A function that a launch passes to a kernel: what a closure would capture, and a method.
pub trait Curve: DeviceLayout {
    fn at(&self, x: f32) -> f32;
}

#[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct Line {
    pub slope: f32,
    pub begin: f32,
}

impl Curve for Line {
    fn at(&self, x: f32) -> f32 {
        math::fma(self.slope, x, self.begin)
    }
}

#[kernel(threads = 256, requires(x.len() == out.len()), instances(curve_line = <Line>))]
pub fn curve<F: Curve>(block: &mut Block, out: &mut Chunk<f32, 1024, WriteOnly>, x: &[f32], f: F) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| f.at(x.at(first + i)));
}
// ANCHOR_END: functor

#[test]
fn a_functor_says_which_instance() -> Result<(), LaunchError> {
    let (executor, x, mut out) = (CpuExecutor::new(), [3.0; 5], [0.0; 5]);
    // ANCHOR: inferred
    curve::launch(&executor, 1, curve::Args { out: &mut out, x: &x, f: Line { slope: 2.0, begin: 1.0 } })?;
    // ANCHOR_END: inferred
    assert_eq!(out, [7.0; 5]);
    Ok(())
}

// ANCHOR: operation
/// An operation given by its type.
pub trait Operation<T> {
    const NEUTRAL: T;
    fn join(a: T, b: T) -> T;
}

pub struct Largest;

impl Operation<u32> for Largest {
    const NEUTRAL: u32 = 0;
    fn join(a: u32, b: u32) -> u32 {
        a.max(b)
    }
}

#[kernel(threads = 256, instances(largest_u32 = <u32, Largest>))]
pub fn joined<T: DeviceLayout, O: Operation<T>>(block: &mut Block, out: &mut Chunk<T, 1>, x: &[T]) {
    let whole = block.reduce(x.len() as u32, O::NEUTRAL, |i| x.at(i), O::join);
    out.fill(block, 1, |_| whole);
}
// ANCHOR_END: operation

#[test]
fn an_operation_is_a_type() -> Result<(), LaunchError> {
    let (executor, x, mut out) = (CpuExecutor::new(), [3, 9, 4], [0]);
    // ANCHOR: by-type
    joined::launch::<_, Largest, _>(&executor, 1, joined::Args { out: &mut out, x: &x })?;
    // ANCHOR_END: by-type
    assert_eq!(out, [9]);
    Ok(())
}

// ANCHOR: tile
/// Sums of three by three, through a tile with its border in shared memory.
#[kernel(threads = 128, instances(blur_8x32 = <8, 32, 340>, blur_16x16 = <16, 16, 324>))]
pub fn blur<const ROWS: usize, const COLUMNS: usize, const NEAR: usize>(
    block: &mut Block,
    out: &mut Tile2d<f32, ROWS, COLUMNS, WriteOnly>,
    x: &[f32],
    near: &mut Shared<f32, NEAR>,
) {
    const { assert!(NEAR == (ROWS + 2) * (COLUMNS + 2), "a tile and its border") };
    let wide = COLUMNS as u32 + 2;
    let (top, left, [rows, columns]) = (out.first_row(), out.first_column(), out.matrix());
    let near = near.fill_all(block, |i| {
        // Row and column from 1 on: 0 is the border of the matrix.
        let (row, column) = (top + i / wide, left + i % wide);
        let inside = (1..=rows).contains(&row) && (1..=columns).contains(&column);
        if inside { x.at((row - 1) * columns + column - 1) } else { 0.0 }
    });
    out.fill(block, |r, c| (0..9).fold(0.0, |sum, k| sum + near.get((r + k / 3) * wide + c + k % 3)));
}
// ANCHOR_END: tile

#[test]
fn both_tiles_give_the_same() {
    let (rows, columns) = (20u32, 70u32);
    let x: Vec<f32> = (0..rows * columns).map(|i| (i % 13) as f32).collect();
    let mut found = [vec![0.0; x.len()], vec![0.0; x.len()]];
    let [one, two] = &mut found;
    let cpu = CpuExecutor::shuffled(4);
    let args = blur::Args { out: Matrix { data: &mut one[..], columns }, x: &x[..] };
    blur::launch::<8, 32, 340, _>(&cpu, (3, 3), args).unwrap();
    let args = blur::Args { out: Matrix { data: &mut two[..], columns }, x: &x[..] };
    blur::launch::<16, 16, 324, _>(&cpu, (5, 2), args).unwrap();
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0][0], 0.0 + 1.0 + x[70] + x[71]);
}

// ANCHOR: general
/// Scales elements of any type with an instance, on any executor.
fn halve<T, E>(executor: &E, blocks: u32, out: <E::Space as Space>::Mut<'_, T>, half: T) -> Result<(), E::Error>
where
    T: DeviceLayout,
    E: Executor,
    scale::Kernel<T, 256>: scale::Instance<T>,
{
    scale::launch::<T, 256, E>(executor, blocks, scale::Args { out, factor: half })
}
// ANCHOR_END: general

use cuda_std::launch::Space;

#[test]
fn generic_code_asks_for_an_instance() {
    let mut x = [3.0f32; 300];
    halve(&CpuExecutor::new(), 2, &mut x[..], 0.5).unwrap();
    assert_eq!(x, [1.5; 300]);
}
