//! The examples of the chapter on atomic operations, on CPU cores.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

// ANCHOR: histogram
/// Counts values below 64. Each block first counts its own in shared memory, and then adds the result to the counts of all.
#[kernel(threads = 256, requires(bins.len() == 64, values.len() <= grid.x as usize * per_block as usize))]
pub fn histogram(block: &mut Block, bins: &Atomics<u32>, values: &[u32], per_block: u32, own: &mut Shared<u32, 64>) {
    let first = block.index() * per_block;
    let n = per_block.min(values.len() as u32 - first);
    let values = values.part(first, n);
    let mut own = own.fill(block, 64, |_| 0);
    own.update_atomic(block, n, |thread, cells, i| {
        cells.add(thread, values.at(i), 1);
    });
    block.for_each(64, |thread, bin| {
        bins.add(thread, bin, own.get(bin));
    });
}
// ANCHOR_END: histogram

#[test]
fn every_value_is_counted_once() -> Result<(), LaunchError> {
    let values: Vec<u32> = (0..2500u32).map(|i| i.wrapping_mul(2_654_435_761) >> 26).collect();
    // Counting starts from the buffer's contents.
    let mut expected = vec![5; 64];
    values.iter().for_each(|value| expected[*value as usize] += 1);
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)] {
        let mut bins = vec![5; 64];
        histogram::launch(&executor, 3, histogram::Args { bins: &mut bins, values: &values, per_block: 1000 })?;
        assert_eq!(bins, expected);
    }
    // A value without a bin.
    let mut bins = vec![0; 64];
    let launched = histogram::launch(
        &CpuExecutor::new(),
        1,
        histogram::Args { bins: &mut bins, values: &[3, 64], per_block: 1000 },
    );
    assert!(matches!(launched, Err(LaunchError::Panic(_))), "{launched:?}");
    Ok(())
}

// ANCHOR: labels
/// One round: both ends of each edge get the smaller of their labels.
#[kernel(threads = 128, requires(changes.len() == 1, edges.len() <= grid.x as usize * 128))]
pub fn lower(block: &mut Block, labels: &Atomics<u32>, changes: &Atomics<u32>, edges: &[[u32; 2]]) {
    let first = block.index() * 128;
    let n = (edges.len() as u32 - first).min(128);
    block.for_each(n, |thread, i| {
        let [a, b] = edges.at(first + i);
        let smaller = labels.load(thread, a).min(labels.load(thread, b));
        // The previous values.
        let (before_a, before_b) = (labels.min(thread, a, smaller), labels.min(thread, b, smaller));
        if before_a > smaller || before_b > smaller {
            changes.or(thread, 0, 1);
        }
    });
}

/// The connected components of a graph: for each of `n` nodes the smallest node that it can reach.
fn components(executor: &CpuExecutor, n: u32, edges: &[[u32; 2]]) -> Result<Vec<u32>, LaunchError> {
    let mut labels: Vec<u32> = (0..n).collect();
    let blocks = edges.len().div_ceil(128) as u32;
    loop {
        let mut changes = [0];
        lower::launch(executor, blocks, lower::Args { labels: &mut labels, changes: &mut changes, edges })?;
        if changes == [0] {
            return Ok(labels);
        }
    }
}
// ANCHOR_END: labels

#[test]
fn nodes_get_the_smallest_label_within_reach() -> Result<(), LaunchError> {
    // Node i is linked to i + 7 within each hundred, in random order: seven chains per hundred.
    let mut edges: Vec<[u32; 2]> = (0..600).filter(|i| i % 100 < 93).map(|i| [i, i + 7]).collect();
    edges.sort_by_key(|edge| edge[0].wrapping_mul(2_654_435_761));
    let expected: Vec<u32> = (0..600).map(|i| i / 100 * 100 + i % 100 % 7).collect();
    for seed in 0..4 {
        assert_eq!(components(&CpuExecutor::shuffled(seed), 600, &edges)?, expected);
    }
    assert_eq!(components(&CpuExecutor::new(), 600, &edges)?, expected);
    assert_eq!(components(&CpuExecutor::new(), 3, &[])?, [0, 1, 2]);
    Ok(())
}

// ANCHOR: float
/// The sum of all values, in any order of threads.
#[kernel(threads = 128, requires(sum.len() == 1))]
pub fn sum_of_floats(block: &mut Block, sum: &Atomics<f32>, values: &[f32]) {
    block.for_each(values.len() as u32, |thread, i| {
        sum.add(thread, 0, values.at(i));
    });
}

#[test]
fn a_sum_of_floats_is_within_its_bound_and_differs_from_order_to_order() -> Result<(), LaunchError> {
    let values: Vec<f32> = (1..2000u16).map(|i| 1.0 / f32::from(i)).collect();
    let exact: f64 = values.iter().map(|x| f64::from(*x)).sum();
    // Each of n - 1 additions has an error of at most half a unit in the last place of a sum not above the final one.
    let bound = (values.len() - 1) as f64 * f64::from(f32::EPSILON) / 2.0 * exact * 1.001;
    let mut sums = Vec::new();
    for seed in 0..10 {
        let mut sum = [0.0];
        sum_of_floats::launch(&CpuExecutor::shuffled(seed), 1, sum_of_floats::Args { sum: &mut sum, values: &values })?;
        assert!((f64::from(sum[0]) - exact).abs() <= bound, "{} for {exact}, bound {bound}", sum[0]);
        sums.push(sum[0].to_bits());
    }
    sums.sort_unstable();
    sums.dedup();
    assert!(sums.len() > 1, "ten orders and one sum: it does not depend on the order after all");
    Ok(())
}
// ANCHOR_END: float

// ANCHOR: fixed
/// The sum of all values in units of 2^-32, wrapping: negative numbers in two's complement.
#[kernel(threads = 128, requires(sum.len() == 1))]
pub fn sum_of_units(block: &mut Block, sum: &Atomics<u64>, values: &[f32]) {
    block.for_each(values.len() as u32, |thread, i| {
        let units = (f64::from(values.at(i)) * 4_294_967_296.0) as i64;
        sum.add(thread, 0, units as u64);
    });
}
// ANCHOR_END: fixed

#[test]
fn a_sum_of_whole_units_is_the_same_in_every_order() -> Result<(), LaunchError> {
    let values: Vec<f32> = (1..2000u16).map(|i| if i % 3 == 0 { -1.0 } else { 1.0 } / f32::from(i)).collect();
    let exact: f64 = values.iter().map(|x| f64::from(*x)).sum();
    let mut sums = Vec::new();
    for seed in 0..10 {
        let mut sum = [0];
        sum_of_units::launch(&CpuExecutor::shuffled(seed), 1, sum_of_units::Args { sum: &mut sum, values: &values })?;
        sums.push(sum[0]);
    }
    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
    let units = sums[0] as i64 as f64 / 4_294_967_296.0;
    assert!((units - exact).abs() < values.len() as f64 / 4_294_967_296.0, "{units} for {exact}");
    Ok(())
}
