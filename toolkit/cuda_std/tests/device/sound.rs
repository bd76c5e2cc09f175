use bytemuck::Pod;
use core::ops::Add;

/// Tables do not change.
static TABLE: [f32; 64] = [0.5; 64];

/// A function that a launch chooses.
pub trait Curve: Sync + cuda_std::Frozen {
    /// The value at `x`.
    fn at(&self, x: f32) -> f32;
}

struct Line(f32);
struct Square(f32);

impl Curve for Line {
    fn at(&self, x: f32) -> f32 {
        self.0 * x
    }
}

impl Curve for Square {
    fn at(&self, x: f32) -> f32 {
        self.0 * x * x
    }
}

/// A trait object whose trait promises that nothing inside changes.
#[kernel(threads = 64)]
pub fn curve(block: &mut Block, out: &mut Chunk<f32, 64>, which: u32, a: f32) {
    let (n, line, square) = (out.len(), Line(a), Square(a));
    let curve: &dyn Curve = if which == 0 { &line } else { &square };
    out.fill(block, n, |i| curve.at(i as f32) + TABLE[i as usize % 64]);
}

fn add<T: Pod + Sync + Add<Output = T>>(block: &mut Block, y: &mut Chunk<T, 64>, x: &[T], a: T) {
    let n = y.len();
    y.update(block, n, |i, y| *y = *y + x.at(i) + a);
}

/// A generic function without a bound about cells.
#[kernel(threads = 64)]
pub fn generic(block: &mut Block, y: &mut Chunk<f64, 64>, x: &[f64], a: f64) {
    add(block, y, x, a);
}

/// Ordinary use of teams and warps.
#[kernel(threads = 64)]
pub fn teams(block: &mut Block, out: &mut Chunk<f32, 64>, x: &[f32], met: &Atomics<u32>) {
    let (n, all) = (out.len(), x.len() as u32);
    out.fill_by_team::<8>(block, n, |team, i| {
        let sum = team.reduce(all, 0.0, |sum, k| sum + x.at(k), |a, b| a + b);
        let most = team.reduce(all, 0.0, |most, k| math::larger(most, x.at(k) * i as f32), math::larger);
        sum + most
    });
    block.for_each(n, |thread, i| {
        met.add(thread, i % met.len(), 1);
    });
}
