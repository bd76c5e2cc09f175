//! Each thread has its own rounding mode. Another library of the process may have changed it, and new threads inherit it.
#![cfg(all(target_arch = "x86_64", not(miri)))]

use cuda_std::prelude::*;
use std::arch::asm;

/// Subnormal numbers are zeros, as operands and as results, and results are rounded towards zero.
const FAST: u32 = 0x1f80 | 0x8000 | 0x0040 | 0x6000;

fn mode() -> u32 {
    let mut found = 0u32;
    // SAFETY: stores the register to a local.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut found) };
    // Without the exception flags.
    found & !0x3f
}

fn set_mode(mode: u32) {
    // SAFETY: this thread computes nothing else.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode) };
}

#[kernel(threads = 32)]
fn small(block: &mut Block, out: &mut Chunk<f32, 32>, x: &[f32]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| x.at(first + i) * 0.5 + x.at(first + i) / 3.0);
}

#[kernel(threads = 32)]
fn small_that_meets(grid: &mut WholeGrid, out: &mut GridMemory<f32>, x: &[f32]) {
    let n = out.len();
    out.fill(grid, n, |_, i| x.at(i) * 0.5 + x.at(i) / 3.0);
}

fn run() -> Vec<u32> {
    let x: Vec<f32> = (1..=64).map(|i| f32::from_bits(i * 0x0002_7f31)).chain((1..=64).map(|i| i as f32)).collect();
    let (mut out, mut met) = (vec![0.0; 128], vec![0.0; 128]);
    let cpu = CpuExecutor::new();
    small::launch(&cpu, 4, small::Args { out: &mut out, x: &x }).unwrap();
    small_that_meets::launch(&cpu, 4, small_that_meets::Args { out: &mut met, x: &x }).unwrap();
    out.iter().chain(&met).map(|x| x.to_bits()).collect()
}

#[test]
fn the_callers_rounding_changes_no_bits_and_stays_the_callers() {
    let expected = run();
    let run_fast = || {
        set_mode(FAST);
        // Its threads inherit the mode of this one.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (there, mode_there) = pool.install(|| (run(), mode()));
        (there, run(), mode_there, mode())
    };
    let (there, here, mode_there, mode_here) = std::thread::spawn(run_fast).join().unwrap();
    assert!(there == expected && here == expected);
    assert_eq!([mode_there, mode_here], [FAST; 2]);
}
