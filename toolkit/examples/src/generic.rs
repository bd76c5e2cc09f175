//! A generic kernel: its instances are entries of the PTX, and a functor is an argument.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// The function that a launch applies to each element.
pub trait Curve<T>: DeviceLayout {
    /// The value at `x`.
    fn at(self, x: T) -> T;
}

/// A straight line.
#[derive(Clone, Copy, DeviceLayout, Zeroable, Pod)]
#[repr(C)]
pub struct Line {
    slope: f32,
}

/// A parabola.
#[derive(Clone, Copy, DeviceLayout, Zeroable, Pod)]
#[repr(C)]
pub struct Parabola {
    factor: f64,
}

impl Curve<f32> for Line {
    fn at(self, x: f32) -> f32 {
        self.slope * x
    }
}

impl Curve<f64> for Parabola {
    fn at(self, x: f64) -> f64 {
        self.factor * x * x
    }
}

#[kernel(threads = 256, requires(x.len() == y.len()), instances(curve_line = <f32, Line>, curve_parabola = <f64, Parabola>))]
fn curve<T: DeviceLayout, F: Curve<T>>(block: &mut Block, y: &mut Chunk<T, 1024, WriteOnly>, x: &[T], f: F) {
    let (n, first) = (y.len(), y.start());
    y.fill(block, n, |i| f.at(x.at(first + i)));
}

#[cfg(not(target_arch = "nvptx64"))]
fn curved<T: DeviceLayout, F: Curve<T>>(machine: &Machine, x: &[T], f: F) -> Result<Vec<T>, CudaError>
where
    curve::Kernel<T, F>: curve::Instance<T, F>,
{
    let (on_machine, mut y) = (machine.buffer(x)?, machine.zeroed(x.len())?);
    curve::launch(machine, blocks(x.len(), 1024), curve::Args { y: y.view_mut(), x: on_machine.view(), f })?;
    y.download()
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let x = floats(5000);
    let line = curved(machine, &x, Line { slope: 2.0 })?;
    let wide: Vec<f64> = x.iter().copied().map(f64::from).collect();
    let parabola = curved(machine, &wide, Parabola { factor: 3.0 })?;
    assert!((0..x.len()).all(|i| line[i] == 2.0 * x[i] && parabola[i] == 3.0 * wide[i] * wide[i]));
    Ok(Report::new("a line in f32, a parabola in f64", &parabola))
}
