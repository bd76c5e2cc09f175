//! The examples of the chapters on dynamic shared memory, tables, and grids, on CPU cores.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

fn words(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect()
}

fn executors() -> [CpuExecutor; 2] {
    [CpuExecutor::new(), CpuExecutor::shuffled(1)]
}

// ANCHOR: dynamic
/// `out[i] = curve[index[i]]`, through a copy of the curve in shared memory.
#[kernel(threads = 256, requires(index.len() == out.len(), near.len() == curve.len()))]
pub fn look_up(
    block: &mut Block,
    out: &mut Chunk<f32, 4096, WriteOnly>,
    curve: &[f32],
    index: &[u32],
    near: &mut DynamicShared<f32>,
) {
    let (n, first, points) = (out.len(), out.start(), near.capacity());
    let curve = near.fill(block, points, |i| curve.at(i));
    out.fill(block, n, |i| curve.get(index.at(first + i)));
}
// ANCHOR_END: dynamic

#[test]
fn a_launch_says_how_long_shared_memory_is() -> Result<(), LaunchError> {
    // The last curve takes 60,000 bytes.
    for points in [1, 100, 15_000] {
        let curve: Vec<f32> = words(points).into_iter().map(|word| word as f32).collect();
        let index: Vec<u32> = words(5000).into_iter().map(|word| word % points).collect();
        let expected: Vec<f32> = index.iter().map(|i| curve[*i as usize]).collect();
        for executor in executors() {
            let mut out = vec![0.0; 5000];
            // ANCHOR: length
            look_up::launch(
                &executor,
                2,
                look_up::Args { out: &mut out, curve: &curve, index: &index, near: DynamicLength(curve.len() as u32) },
            )?;
            // ANCHOR_END: length
            assert_eq!(out, expected);
        }
    }
    // ANCHOR: too-much
    // 60,000 elements are 240,000 bytes.
    let curve = vec![0.0; 60_000];
    let launched = look_up::launch(
        &CpuExecutor::new(),
        1,
        look_up::Args { out: &mut [0.0], curve: &curve, index: &[0], near: DynamicLength(60_000) },
    );
    let Err(error @ LaunchError::SharedMemory { .. }) = launched else { panic!("{launched:?}") };
    assert!(error.to_string().contains("more shared memory than the 232448 bytes of any device"), "{error}");
    // ANCHOR_END: too-much
    let launched = look_up::launch(
        &CpuExecutor::new(),
        1,
        look_up::Args { out: &mut [0.0], curve: &curve[..9], index: &[0], near: DynamicLength(8) },
    );
    assert!(matches!(launched, Err(LaunchError::Requirement { .. })), "{launched:?}");
    Ok(())
}

// ANCHOR: consts
/// The worth of each of twenty letters.
const WORTH: [f32; 20] =
    [1.8, -4.5, -3.5, -3.5, 2.5, -3.5, -3.5, -0.4, -3.2, 4.5, 3.8, -3.9, 1.9, 2.8, -1.6, -0.8, -0.7, -0.9, -1.3, 4.2];

/// Weights of a window of nine, which decrease to both sides and add up to 1. The compiler computes them.
const WEIGHTS: [f32; 9] = {
    let mut weights = [0.0; 9];
    let mut i = 0;
    while i < 9 {
        weights[i] = (if i < 5 { i + 1 } else { 9 - i }) as f32 / 25.0;
        i += 1;
    }
    weights
};

/// The weighted worth of every nine neighbours.
#[kernel(threads = 128, requires(letters.len() == out.len() + 8))]
pub fn profile(block: &mut Block, out: &mut Chunk<f32, 512, WriteOnly>, letters: &[u8]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let value = |k| WORTH.at(u32::from(letters.at(first + i + k)));
        (0..9).fold(0.0, |sum, k| math::fma(WEIGHTS.at(k), value(k), sum))
    });
}
// ANCHOR_END: consts

#[test]
fn a_kernel_reads_constants() -> Result<(), LaunchError> {
    let letters: Vec<u8> = words(708).into_iter().map(|word| (word % 20) as u8).collect();
    let term = |(k, letter): (usize, &u8)| (5 - k.abs_diff(4)) as f64 / 25.0 * f64::from(WORTH[*letter as usize]);
    let expected: Vec<f64> = letters.windows(9).map(|window| window.iter().enumerate().map(term).sum()).collect();
    for executor in executors() {
        let mut out = vec![0.0; 700];
        profile::launch(&executor, 2, profile::Args { out: &mut out, letters: &letters })?;
        let off = out.iter().zip(&expected).map(|(found, expected)| (f64::from(*found) - expected).abs());
        assert!(off.fold(0.0, f64::max) < 1e-5);
    }
    // There is no letter number 20.
    let launched = profile::launch(&CpuExecutor::new(), 1, profile::Args { out: &mut [0.0], letters: &[20; 9] });
    assert!(matches!(launched, Err(LaunchError::Panic(_))), "{launched:?}");
    Ok(())
}

// ANCHOR: matrix
/// The similarity of two letters in worth: 0 for the same letter, and below 0 for others.
const ALIKE: [[f32; 20]; 20] = {
    let mut table = [[0.0; 20]; 20];
    let mut i = 0;
    while i < 400 {
        let difference = WORTH[i / 20] - WORTH[i % 20];
        table[i / 20][i % 20] = if difference < 0.0 { difference } else { -difference };
        i += 1;
    }
    table
};

/// Compares each letter of a text with each of another one.
#[kernel(threads = 256, requires(a.len() == out.rows(), b.len() == out.columns()))]
pub fn dots(block: &mut Block, out: &mut Tile2d<f32, 16, 16, WriteOnly>, a: &[u8], b: &[u8]) {
    let (top, left) = (out.first_row(), out.first_column());
    let alike = Table::new(ALIKE.as_flattened(), 20, 20).window::<20, 20>(0, 0);
    out.fill(block, |row, column| alike.at(u32::from(a.at(top + row)), u32::from(b.at(left + column))));
}
// ANCHOR_END: matrix

#[test]
fn a_kernel_reads_a_constant_matrix() -> Result<(), LaunchError> {
    let text = |n| -> Vec<u8> { words(n).into_iter().map(|word| (word % 20) as u8).collect() };
    let (a, b) = (text(37), text(50));
    let value = |i: usize| -(WORTH[a[i / 50] as usize] - WORTH[b[i % 50] as usize]).abs();
    for executor in executors() {
        let mut out = vec![9.0; 37 * 50];
        let matrix = Matrix { data: &mut out[..], columns: 50 };
        dots::launch(&executor, (4, 3), dots::Args { out: matrix, a: &a, b: &b })?;
        assert_eq!(out, (0..37 * 50).map(value).collect::<Vec<_>>());
    }
    Ok(())
}

// ANCHOR: grid
/// The Laplacian of a field on a grid of points, with x fastest, in rows whose length is a multiple of 64. Beyond its
/// border the field is constant.
#[kernel(threads = 64, grid = 3, requires(field.len() == out.len(), out.len().is_multiple_of(64)))]
pub fn laplacian(block: &mut Block, out: &mut Chunk<f32, 64, WriteOnly>, field: &[f32]) {
    let ([part, y, z], grid) = (block.index_3d(), block.grid());
    let (width, height, depth) = (64 * grid.x, grid.y, grid.z);
    let at = |x: u32, y: u32, z: u32| field.at((z * height + y) * width + x);
    let around = |i: u32, n: u32| (i.saturating_sub(1), (i + 1).min(n - 1));
    out.fill(block, 64, |i| {
        let x = 64 * part + i;
        let ((x0, x1), (y0, y1), (z0, z1)) = (around(x, width), around(y, height), around(z, depth));
        at(x0, y, z) + at(x1, y, z) + at(x, y0, z) + at(x, y1, z) + at(x, y, z0) + at(x, y, z1) - 6.0 * at(x, y, z)
    });
}
// ANCHOR_END: grid

#[test]
fn a_grid_has_three_dimensions() -> Result<(), LaunchError> {
    for (width, height, depth) in [(64u32, 1u32, 1u32), (128, 5, 3)] {
        let field: Vec<f32> = words(width * height * depth).into_iter().map(|word| (word % 1000) as f32).collect();
        let sizes = [width, height, depth].map(i64::from);
        let at = |mut place: [i64; 3], dimension: usize, step: i64| {
            place[dimension] = (place[dimension] + step).clamp(0, sizes[dimension] - 1);
            field[((place[2] * sizes[1] + place[1]) * sizes[0] + place[0]) as usize]
        };
        let value = |i: i64| {
            let place = [i % sizes[0], i / sizes[0] % sizes[1], i / sizes[0] / sizes[1]];
            let steps = (0..3).flat_map(|dimension| [(dimension, -1), (dimension, 1)]);
            steps.map(|(dimension, step)| at(place, dimension, step) - at(place, dimension, 0)).sum::<f32>()
        };
        let expected: Vec<f32> = (0..field.len() as i64).map(value).collect();
        for executor in executors() {
            let mut out = vec![0.5; field.len()];
            // ANCHOR: grid-launch
            laplacian::launch(
                &executor,
                (width / 64, height, depth),
                laplacian::Args { out: &mut out, field: &field },
            )?;
            // ANCHOR_END: grid-launch
            assert_eq!(out, expected);
        }
    }
    Ok(())
}

#[test]
fn a_launch_has_the_grid_that_the_outputs_take() {
    let (mut out, field) = (vec![0.0; 64 * 6], vec![0.0; 64 * 6]);
    // ANCHOR: grid-refused
    // Six rows of 64 points, and four blocks.
    let launched = laplacian::launch(&CpuExecutor::new(), (1, 2, 2), laplacian::Args { out: &mut out, field: &field });
    let Err(LaunchError::Chunks { needed: 6, blocks: 4, .. }) = launched else { panic!("{launched:?}") };
    // This kernel does not specify a grid, so it has one dimension.
    let launched = profile::launch(&CpuExecutor::new(), (1, 2), profile::Args { out: &mut [0.0], letters: &[0; 9] });
    let Err(error @ LaunchError::GridDimensions { .. }) = launched else { panic!("{launched:?}") };
    assert!(error.to_string().ends_with("write #[kernel(grid = 2)]"), "{error}");
    // ANCHOR_END: grid-refused
}
