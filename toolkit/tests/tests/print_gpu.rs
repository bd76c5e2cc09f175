//! Kernels print the same lines on a GPU as on CPU cores.

use cuda_host::Machine;
use std::process::Command;
use test_kernels::{IMAGE, printed};
use toolkit_tests::device::is_there;

/// Tells a process of this program where to print.
const SPEAKER: &str = "CUDA_TEST_SPEAKER";

fn numbers() -> Vec<f32> {
    let odd = [0.0, -0.0, 0.1, 1e-30, -3.5e20, f32::INFINITY, 16_777_216.0, 1e9];
    odd.into_iter().chain((8..100).map(|i| i as f32 * 0.37 - 9.0)).collect()
}

/// The sorted lines of the kernel, which go to the program's standard output.
fn lines(speaker: &str) -> Vec<String> {
    let arguments = ["--exact", "lines_are_printed", "--nocapture", "--test-threads=1"];
    let output = Command::new(std::env::current_exe().unwrap()).args(arguments).env(SPEAKER, speaker).output().unwrap();
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let is_ours = |line: &&str| line.starts_with("block ") || line.starts_with("at ");
    let mut lines: Vec<_> = text.lines().filter(is_ours).map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn lines_are_printed() {
    let Ok(speaker) = std::env::var(SPEAKER) else { return };
    let machine = if speaker == "cpu" { Machine::cpu() } else { Machine::best("test kernels", Ok(IMAGE)).unwrap() };
    // End the line that the test harness has begun.
    println!();
    let (x, mut out) = (machine.buffer(&numbers()).unwrap(), machine.zeroed(100).unwrap());
    printed::launch(&machine, 2, printed::Args { out: out.view_mut(), x: x.view() }).unwrap();
    machine.synchronize().unwrap();
}

#[test]
fn every_thread_prints_its_line_and_a_block_prints_once() {
    let found = lines("cpu");
    assert_eq!(found.len(), 102);
    for line in [
        "block 0 of 2, 100%",
        "block 1 of 2, 100%",
        "at 0: 0 0 0 {}",
        "at 1: -0 -8589934592 -0 {}",
        "at 2: 0.100000001 -17179869184 0.033333333830038704 {}",
        "at 4: -3.49999989e+20 -34359738368 -1.1666666314070701e+20 {}",
        "at 5: inf -42949672960 inf {}",
        "at 6: 16777216 -51539607552 5592405.333333333 {}",
        "at 7: 1e+09 -60129542144 333333333.33333331 {}",
    ] {
        assert!(found.iter().any(|found| found == line), "no `{line}` in {found:#?}");
    }
}

#[test]
fn a_gpu_prints_the_lines_of_cpu_cores() {
    if is_there() {
        assert_eq!(lines("gpu"), lines("cpu"));
    }
}
