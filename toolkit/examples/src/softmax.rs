//! Softmax of each row (llm.c, Triton's tutorial): numbers of 32 bits, and of 16.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// Rows a block.
const ROWS: usize = 8;
/// The most columns.
const COLUMNS: usize = 4096;

/// Largest value, and the sum of exp(x - largest): the online softmax of Milakov and Gimelshein.
fn joined(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    let most = math::larger(a[0], b[0]);
    if most == f32::NEG_INFINITY {
        return [most, 0.0];
    }
    [most, math::fma(a[1], math::exp(a[0] - most), b[1] * math::exp(b[0] - most))]
}

const NOTHING: [f32; 2] = [f32::NEG_INFINITY, 0.0];

/// The rows of a block, whatever they are read from.
fn row_softmax(
    block: &mut Block,
    out: &mut Tile2d<f32, ROWS, COLUMNS, WriteOnly>,
    stats: &mut Shared<[f32; 2], ROWS>,
    value: impl Fn(u32, u32) -> f32 + Sync,
) {
    let (first, rows, columns) = (out.first_row(), out.rows(), out.columns());
    let stats = stats.fill_by_team::<32>(block, rows, |team, r| {
        team.reduce(columns, NOTHING, |sum, c| joined(sum, [value(first + r, c), 1.0]), joined)
    });
    out.fill(block, |r, c| {
        let [most, sum] = stats.get(r);
        math::exp(value(first + r, c) - most) / sum
    });
}


/// What rows hold.
pub trait Number: DeviceLayout {
    /// The number as `f32`, which has all of its bits.
    fn wide(self) -> f32;
}

impl Number for f32 {
    fn wide(self) -> f32 {
        self
    }
}

impl Number for f16 {
    fn wide(self) -> f32 {
        self.to_f32()
    }
}

impl Number for bf16 {
    fn wide(self) -> f32 {
        self.to_f32()
    }
}

/// Softmax of rows of at most 4096 columns.
#[kernel(
    threads = 256,
    requires(x.len() == out.rows() * out.columns(), out.columns() <= COLUMNS),
    instances(softmax_f32 = <f32>, softmax_f16 = <f16>, softmax_bf16 = <bf16>)
)]
fn softmax<T: Number>(
    block: &mut Block,
    out: &mut Tile2d<f32, ROWS, COLUMNS, WriteOnly>,
    x: &[T],
    stats: &mut Shared<[f32; 2], ROWS>,
) {
    let [_, columns] = out.matrix();
    row_softmax(block, out, stats, |row, c| x.at(row * columns + c).wide());
}

#[cfg(not(target_arch = "nvptx64"))]
fn checked<T: Number>(machine: &Machine, x: &[T], columns: u32) -> Result<Vec<f32>, CudaError>
where
    softmax::Kernel<T>: softmax::Instance<T>,
{
    let (on_machine, mut out) = (machine.buffer(x)?, machine.zeroed(x.len())?);
    let grid = (1, blocks(x.len() / columns as usize, ROWS));
    let matrix = Matrix { data: out.view_mut(), columns };
    softmax::launch(machine, grid, softmax::Args { out: matrix, x: on_machine.view() })?;
    let found = out.download()?;
    for (found, row) in found.chunks(columns as usize).zip(x.chunks(columns as usize)) {
        let row: Vec<f64> = row.iter().map(|x| f64::from(x.wide())).collect();
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|x| (x - most).exp()).sum();
        assert_near(found, |i| (row[i] - most).exp() / sum, 1e-5);
    }
    Ok(found)
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (20u32, 1000u32);
    let x: Vec<f32> = floats(rows * columns).into_iter().map(|x| 20.0 * x).collect();
    let half: Vec<f16> = x.iter().map(|x| f16::from_f32(*x)).collect();
    let brain: Vec<bf16> = x.iter().map(|x| bf16::from_f32(*x)).collect();
    let found =
        [checked(machine, &x, columns)?, checked(machine, &half, columns)?, checked(machine, &brain, columns)?];
    Ok(Report::new(format!("{rows} rows of {columns}, as f32, f16 and bf16"), &found.concat()))
}
