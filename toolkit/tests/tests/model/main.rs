//! The kernel model: what kernels compute, and where they panic, is the same on CPU cores, in any order of their threads, and on a GPU.
//! Whatever a launch refuses before a kernel runs is in the tests of `cuda_std`.

mod across;
mod atomics;
mod broadcasts;
mod closures;
mod generic;
mod lists;
mod memory;
mod outputs;
mod reductions;
mod scans;
mod tiles;
mod warp_lists;
mod warps;

use cuda_std::launch::Offsets;
use toolkit_tests::device::Machines;

fn machines() -> Machines {
    Machines::new("test kernels", test_kernels::IMAGE).in_any_order()
}

/// One segment of `n` elements.
fn one_segment(n: usize) -> Offsets {
    Offsets::new(vec![0, n as u32]).unwrap()
}

/// Numbers of both signs and many exponents.
fn numbers(n: u32) -> Vec<f32> {
    (0..n)
        .map(|i| ((i.wrapping_mul(2_654_435_761) >> 9) as f32 * 1e-4 - 400.0) * if i % 5 == 0 { 1e-3 } else { 1.0 })
        .collect()
}

fn words(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) >> 12).collect()
}
