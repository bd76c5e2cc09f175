//! k-means: each point gets the nearest centre, and centres move to the mean of their points (Rodinia `kmeans`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

// ANCHOR: nearest
/// The index of the centre nearest to each point. `points` has a row for each coordinate, so that neighbouring threads read
/// neighbouring elements; `centres` has a row for each centre.
#[kernel(threads = 256, requires(points.len() == nearest.len() * dimensions as usize))]
pub fn nearest_centre(
    block: &mut Block,
    nearest: &mut Chunk<u32, 256, WriteOnly>,
    points: &[f32],
    centres: &[f32],
    dimensions: u32,
) {
    let (n, first) = (nearest.len(), nearest.start());
    let points = Table::new(points, dimensions, points.len() as u32 / dimensions);
    let centres = Table::new(centres, centres.len() as u32 / dimensions, dimensions);
    nearest.fill(block, n, |i| {
        let (point, mut best) = (points.column(first + i), (f32::MAX, 0));
        for c in 0..centres.rows() {
            let (centre, mut distance) = (centres.row(c), 0.0);
            // The compiler sees that row and column have `dimensions` elements: no check is left in this loop.
            for k in 0..dimensions {
                let d = point.at(k) - centre.at(k);
                distance = math::fma(d, d, distance);
            }
            if distance < best.0 {
                best = (distance, c);
            }
        }
        best.1
    });
}

// ANCHOR_END: nearest

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    const DIMENSIONS: usize = 3;
    let (n, count) = (3000, 6);
    // Six heaps of points. Coordinate `k` of point `i` is element `k * n + i`.
    let heap = |i: usize, k: usize| ((i % count) >> k & 1) as f32 * 4.0 + (i % count / 4) as f32;
    let noise = floats((n * DIMENSIONS) as u32);
    let points: Vec<f32> = (0..n * DIMENSIONS).map(|at| heap(at % n, at / n) + noise[at]).collect();
    let point = |i: usize| -> [f32; DIMENSIONS] { std::array::from_fn(|k| points[k * n + i]) };
    let mut centres: Vec<[f32; DIMENSIONS]> = (0..count).map(point).collect();
    let (points_there, mut nearest_there) = (machine.buffer(&points)?, machine.zeroed::<u32>(n)?);
    let mut turn = 0;
    loop {
        turn += 1;
        let centres_there = machine.buffer(centres.as_flattened())?;
        let args = nearest_centre::Args {
            nearest: nearest_there.view_mut(),
            points: points_there.view(),
            centres: centres_there.view(),
            dimensions: DIMENSIONS as u32,
        };
        nearest_centre::launch(machine, blocks(n, 256), args)?;
        let nearest = nearest_there.download()?;
        let mut sums = vec![([0.0; DIMENSIONS], 0.0); count];
        for (i, &found) in nearest.iter().enumerate() {
            let distance = |c: &[f32; DIMENSIONS]| c.iter().zip(point(i)).map(|(c, p)| f64::from(c - p).powi(2)).sum::<f64>();
            let least = centres.iter().map(distance).fold(f64::MAX, f64::min);
            assert!(distance(&centres[found as usize]) <= least + 1e-4, "point {i}");
            let (sum, size) = &mut sums[found as usize];
            (*size, *sum) = (*size + 1.0, std::array::from_fn(|k| sum[k] + point(i)[k]));
        }
        let moved: Vec<_> = sums.iter().map(|(sum, size)| sum.map(|x| x / f32::max(*size, 1.0))).collect();
        if moved == centres || turn == 20 {
            return Ok(Report::new(format!("{n} points, {count} centres, {turn} turns"), &nearest));
        }
        centres = moved;
    }
}
