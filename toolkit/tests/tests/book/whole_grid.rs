//! The examples of the chapter on kernels whose blocks meet, on CPU cores.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

// ANCHOR: smooth
/// Smooths until the largest change is small.
#[kernel(threads = 64, requires(other.len() == x.len(), x.len() >= 3))]
pub fn smooth(grid: &mut WholeGrid, x: &mut GridMemory<f32>, other: &mut GridMemory<f32>, enough: f32) {
    let n = x.len();
    loop {
        other.fill(grid, n, |thread, i| {
            let at = |i| x.get(thread, i);
            if i == 0 || i == n - 1 { at(i) } else { 0.25 * at(i - 1) + 0.5 * at(i) + 0.25 * at(i + 1) }
        });
        let change = |thread, i| (other.get(thread, i) - x.get(thread, i)).abs();
        let most = grid.reduce(n, 0.0, change, math::larger);
        x.fill(grid, n, |thread, i| other.get(thread, i));
        if most <= enough {
            return;
        }
    }
}
// ANCHOR_END: smooth

#[test]
fn one_launch_takes_all_turns() -> Result<(), LaunchError> {
    let executor = CpuExecutor::new();
    let mut x: Vec<f32> = (0..200).map(|i| if i < 100 { 0.0 } else { 1.0 }).collect();
    // ANCHOR: launch
    let mut other = vec![0.0; x.len()];
    let args = smooth::Args { x: &mut x[..], other: &mut other[..], enough: 0.004 };
    smooth::launch(&executor, 3, args)?;
    // ANCHOR_END: launch
    assert!(x.is_sorted() && x[90] > 0.0);
    Ok(())
}
