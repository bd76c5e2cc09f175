//! A plate's temperatures by Jacobi's method until they no longer change: one launch, whose blocks meet after every turn
//! (like CUDA Samples `conjugateGradientMultiBlockCG`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// `plate` holds rows of `columns` temperatures. Those at the border do not change. `steps` counts the turns.
#[kernel(
    threads = 256,
    requires(
        columns >= 3 && plate.len() >= 3 * columns as usize && plate.len().is_multiple_of(columns as usize),
        other.len() == plate.len() && steps.len() == 1,
    )
)]
pub fn relax(
    grid: &mut WholeGrid,
    plate: &mut GridMemory<f32>,
    other: &mut GridMemory<f32>,
    steps: &Atomics<u32>,
    columns: u32,
    enough: f32,
) {
    let (n, rows) = (plate.len(), plate.len() / columns);
    // All threads of all blocks run the same code: each `fill` and `reduce` ends when all have finished it.
    loop {
        other.fill(grid, n, |thread, i| {
            let (row, column) = (i / columns, i % columns);
            if row == 0 || row == rows - 1 || column == 0 || column == columns - 1 {
                return plate.get(thread, i);
            }
            let [up, down] = [i - columns, i + columns].map(|i| plate.get(thread, i));
            let [left, right] = [i - 1, i + 1].map(|i| plate.get(thread, i));
            0.25 * ((up + down) + (left + right))
        });
        let change = |thread, i| (other.get(thread, i) - plate.get(thread, i)).abs();
        let most = grid.reduce(n, 0.0, change, math::larger);
        plate.fill(grid, n, |thread, i| other.get(thread, i));
        grid.for_each(1, |thread, _| {
            steps.add(thread, 0, 1);
        });
        if most <= enough {
            return;
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (40usize, 60usize);
    let at = |i: usize| if i < columns { 1.0 } else { 0.0 };
    let (mut plate, mut other) = (machine.buffer(&(0..rows * columns).map(at).collect::<Vec<f32>>())?, machine.zeroed(rows * columns)?);
    let mut steps = machine.zeroed::<u32>(1)?;
    let (plate_there, other, counted) = (plate.view_mut(), other.view_mut(), steps.view_mut());
    let args = relax::Args { plate: plate_there, other, steps: counted, columns: columns as u32, enough: 1e-4 };
    relax::launch(machine, 8, args)?;
    let (found, steps) = (plate.download()?, steps.download()?[0]);
    for i in (0..found.len()).filter(|i| i / columns > 0 && i / columns < rows - 1 && i % columns > 0 && i % columns < columns - 1) {
        let mean = 0.25 * (found[i - columns] + found[i + columns] + found[i - 1] + found[i + 1]);
        assert!((found[i] - mean).abs() <= 1e-4 && found[i] > 0.0 && found[i] < 1.0, "{i}: {}", found[i]);
    }
    Ok(Report::new(format!("{rows} x {columns} after {steps} turns in one launch"), &found))
}
