//! Gauss's elimination in place: a launch for each column reads the rows above and changes those below (Rodinia `gaussian`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// How many times the pivot row each row below it contains.
#[kernel(threads = 256, requires(below.len() == factors.len() * pivot.len()))]
pub fn factors(block: &mut Block, factors: &mut Chunk<f32, 256, WriteOnly>, pivot: &[f32], below: &[f32], column: u32) {
    let (n, first) = (factors.len(), factors.start());
    let columns = pivot.len() as u32;
    let below = Table::new(below, below.len() as u32 / columns, columns).column(column);
    factors.fill(block, n, |i| below.at(first + i) / pivot.at(column));
}

// ANCHOR: eliminate
/// Subtracts the pivot row from the rows below it, from `column` on.
#[kernel(threads = 256, requires(pivot.len() == below.columns(), factors.len() == below.rows()))]
pub fn eliminate(block: &mut Block, below: &mut Tile2d<f32, 16, 32>, pivot: &[f32], factors: &[f32], column: u32) {
    let (top, left) = (below.first_row(), below.first_column());
    if left + 32 > column {
        below.update(block, |row, j, x| {
            if left + j >= column {
                *x = math::fma(-factors.at(top + row), pivot.at(left + j), *x);
            }
        });
    }
}

// ANCHOR_END: eliminate

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    // Equations whose largest coefficient is on the diagonal; each row ends with its right-hand side.
    let n = 90usize;
    let columns = n + 1;
    let mut matrix = floats((n * columns) as u32);
    for i in 0..n {
        matrix[i * columns + i] = n as f32;
    }
    let mut changed = machine.buffer(&matrix)?;
    let mut factor = machine.zeroed::<f32>(n)?;
    for column in 0..n - 1 {
        // ANCHOR: split
        // One buffer, of which a launch reads a part and writes another.
        let (above, mut below) = changed.view_mut().split_at_mut((column + 1) * columns)?;
        let pivot = above.as_view().slice(column * columns..)?;
        let (rest, column) = (n - 1 - column, column as u32);
        let args = factors::Args { factors: factor.slice_mut(..rest)?, pivot, below: below.as_view(), column };
        factors::launch(machine, blocks(rest, 256), args)?;
        // ANCHOR_END: split
        let below = Matrix { data: below.reborrow(), columns: columns as u32 };
        let args = eliminate::Args { below, pivot, factors: factor.slice(..rest)?, column };
        eliminate::launch(machine, (blocks(columns, 32), blocks(rest, 16)), args)?;
    }
    let found = changed.download()?;
    let mut solution = vec![0.0; n];
    for row in (0..n).rev() {
        let line = &found[row * columns..(row + 1) * columns];
        let known: f64 = (row + 1..n).map(|i| f64::from(line[i]) * solution[i]).sum();
        solution[row] = (f64::from(line[n]) - known) / f64::from(line[row]);
    }
    for line in matrix.chunks(columns) {
        let side: f64 = line.iter().zip(&solution).map(|(a, x)| f64::from(*a) * x).sum();
        assert!((side - f64::from(line[n])).abs() < 1e-4, "{side}, expected {}", line[n]);
    }
    Ok(Report::new(format!("{n} equations"), &found))
}
