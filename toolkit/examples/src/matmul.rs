//! A matrix product: each block computes a tile, and loads the next pieces of both matrices while it uses the current ones.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Side of a tile of the product, and of the pieces of both matrices.
const SIDE: u32 = 16;

/// Two matrices, row by row. `a` has `inner` columns, and `b` as many rows.
#[derive(Arguments)]
struct Factors<'a> {
    a: &'a [f32],
    b: &'a [f32],
    inner: u32,
}

/// `out = a b`.
#[kernel(
    threads = 256,
    requires(
        factors.a.len() == out.rows() * factors.inner as usize,
        factors.b.len() == out.columns() * factors.inner as usize,
    )
)]
fn matmul(
    block: &mut Block,
    out: &mut Tile2d<f32, 16, 16, WriteOnly>,
    factors: Factors<'_>,
    rows_of_a: &mut Shared<f32, 512>,
    columns_of_b: &mut Shared<f32, 512>,
) {
    let (Factors { a, b, inner }, [rows, columns]) = (factors, out.matrix());
    let (top, left) = (out.first_row(), out.first_column());
    let (mut rows_of_a, mut columns_of_b) = (rows_of_a.halves(block), columns_of_b.halves(block));
    let mut sums = block.per_thread(|_| 0.0f32);
    for k in (0..inner).step_by(SIDE as usize) {
        let piece_of_a = rows_of_a.fill(block, SIDE * SIDE, |i| {
            let (row, at) = (top + i / SIDE, k + i % SIDE);
            if row < rows && at < inner { a.at(row * inner + at) } else { 0.0 }
        });
        let piece_of_b = columns_of_b.fill(block, SIDE * SIDE, |i| {
            let (at, column) = (k + i / SIDE, left + i % SIDE);
            if at < inner && column < columns { b.at(at * columns + column) } else { 0.0 }
        });
        let (piece_of_a, piece_of_b) = block.meet((piece_of_a, piece_of_b));
        block.each(&mut sums, |thread, sum| {
            let (row, column) = (thread.index() / SIDE, thread.index() % SIDE);
            for k in 0..SIDE {
                *sum = math::fma(piece_of_a.get(row * SIDE + k), piece_of_b.get(k * SIDE + column), *sum);
            }
        });
    }
    out.write::<1, 1, _>(block, &sums, |_, sum, _, _| *sum);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, inner, columns) = (100u32, 75u32, 130u32);
    let (a, b) = (floats(rows * inner), floats(2 * inner * columns)[(inner * columns) as usize..].to_vec());
    let (on_machine, b_on_machine) = (machine.buffer(&a)?, machine.buffer(&b)?);
    let mut out = machine.zeroed((rows * columns) as usize)?;
    let matrix = Matrix { data: out.view_mut(), columns };
    let factors = FactorsArgs { a: on_machine.view(), b: b_on_machine.view(), inner };
    let args = matmul::Args { out: matrix, factors };
    matmul::launch(machine, (columns.div_ceil(SIDE), rows.div_ceil(SIDE)), args)?;
    let found = out.download()?;
    let exact = |i: usize| -> f64 {
        let (row, column) = (i / columns as usize, i % columns as usize);
        let product = |k| f64::from(a[row * inner as usize + k]) * f64::from(b[k * columns as usize + column]);
        (0..inner as usize).map(product).sum()
    };
    assert_near(&found, exact, 1e-5);
    Ok(Report::new(format!("{rows} x {inner} times {inner} x {columns}"), &found))
}
