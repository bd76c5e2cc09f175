//! Code shared by the examples' programs.

pub use cuda_host::{CudaError, Machine};
pub use cuda_layout::DeviceLayout;

/// An example.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its subject.
    pub about: &'static str,
    /// Runs it, and panics if its results are wrong.
    pub run: fn(&Machine) -> Answer,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// A line to print.
    pub text: String,
    /// The results, which have the same bits on every machine.
    pub bytes: Vec<u8>,
}

/// The result of an example's program.
pub type Answer = Result<Report, CudaError>;

impl Report {
    /// Makes a report of a line and results.
    pub fn new<T: DeviceLayout>(text: impl Into<String>, results: &[T]) -> Self {
        Self { text: text.into(), bytes: bytemuck::cast_slice(results).to_vec() }
    }
}

/// A pseudo-random word.
pub fn word(i: u32) -> u32 {
    let mut z = (i ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    z ^= z >> 13;
    z = z.wrapping_mul(0xc2b2_ae35);
    z ^ z >> 16
}

/// The first `n` pseudo-random words.
pub fn words(n: u32) -> Vec<u32> {
    (0..n).map(word).collect()
}

/// Pseudo-random numbers between -1 and 1.
pub fn floats(n: u32) -> Vec<f32> {
    (0..n).map(|i| (word(i) >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

/// The number of blocks for `n` elements.
pub fn blocks(n: usize, per_block: usize) -> u32 {
    n.div_ceil(per_block) as u32
}

/// Panics unless each number equals the expected one within `tolerance`, relative to it or to 1.
pub fn assert_near(found: &[f32], expected: impl Fn(usize) -> f64, tolerance: f64) {
    for (i, found) in found.iter().enumerate() {
        let (found, expected) = (f64::from(*found), expected(i));
        assert!((found - expected).abs() <= tolerance * (1.0 + expected.abs()), "{i}: {found}, expected {expected}");
    }
}
