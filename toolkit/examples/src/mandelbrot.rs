//! The Mandelbrot set: neighbouring points take very different numbers of steps.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// The largest number of steps.
const MOST: u32 = 200;

/// The number of steps that each point takes to leave the circle of radius 2.
#[kernel(threads = 256)]
fn mandelbrot(block: &mut Block, out: &mut Tile2d<u32, 16, 16, WriteOnly>) {
    let [rows, columns] = out.matrix();
    let (top, left) = (out.first_row(), out.first_column());
    out.fill(block, |row, column| {
        let a = (left + column) as f32 / columns as f32 * 3.0 - 2.0;
        let b = (top + row) as f32 / rows as f32 * 2.0 - 1.0;
        let (mut x, mut y, mut steps) = (0.0f32, 0.0f32, 0);
        while steps < MOST && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + a, 2.0 * x * y + b);
            steps += 1;
        }
        steps
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (150u32, 200u32);
    let mut out = machine.zeroed::<u32>((rows * columns) as usize)?;
    let matrix = Matrix { data: out.view_mut(), columns };
    mandelbrot::launch(machine, (columns.div_ceil(16), rows.div_ceil(16)), mandelbrot::Args { out: matrix })?;
    let found = out.download()?;
    // 0 is inside, and 1 - i is not.
    let at = |row: u32, column: u32| found[(row * columns + column) as usize];
    assert!(at(75, 133) == MOST && at(0, 199) < 5);
    let inside = found.iter().filter(|steps| **steps == MOST).count();
    Ok(Report::new(format!("{inside} of {} points never left", found.len()), &found))
}
