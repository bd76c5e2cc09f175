/// An implementation may contain a cell.
pub trait Curve: Sync {
    /// The value at `x`.
    fn at(&self, x: f32) -> f32;
}

struct Line(f32);

impl Curve for Line {
    fn at(&self, x: f32) -> f32 {
        self.0 * x
    }
}

/// Its closure holds an object of unknown type.
#[kernel(threads = 64)]
pub fn curve(block: &mut Block, out: &mut Chunk<f32, 64>, a: f32) {
    let (n, line) = (out.len(), Line(a));
    let curve: &dyn Curve = core::hint::black_box(&line);
    out.fill(block, n, |i| curve.at(i as f32));
}
