//! `cuda_host` on a GPU. Without one each test prints a line and passes, unless CUDA_REQUIRE_GPU=1 requires a GPU.

mod altered;
mod arguments;
mod copies;
mod cublas;
mod failing_calls;
mod faults;
mod futures;
mod graphs;
mod images;
mod leaks;
mod lent;
mod lifetimes;
mod modules;
mod nccl;
mod order;
mod panics;
mod parcels;
mod peers;
mod pools;
mod programs;
mod simulated;
mod staging;
mod two_devices;
mod visible;

use cuda_host::raw::Word;
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::{Offsets, Segments};
use test_kernels::{fail, spin};
use toolkit_tests::device::Alone;
use toolkit_tests::simulated::is_simulated;

/// The test kernels on the first device, for exclusive use by this test.
fn gpu() -> Option<Alone> {
    toolkit_tests::device::alone("test kernels", test_kernels::IMAGE)
}

fn offsets(list: &[u32]) -> Offsets {
    Offsets::new(list.to_vec()).expect("offsets that never fall")
}

/// A buffer with `offsets` for it, on the executor's stream.
fn ragged<T: cuda_layout::DeviceLayout>(gpu: &CudaExecutor, list: &[u32]) -> (DeviceBuffer<T>, DeviceOffsets) {
    let offsets = offsets(list);
    let buffer = DeviceBuffer::zeroed(gpu.stream(), offsets.end() as usize).expect("memory");
    (buffer, DeviceOffsets::new(gpu.stream(), &offsets).expect("memory"))
}

/// Queues `spin` for one segment.
fn try_spin(
    executor: &CudaExecutor,
    out: &mut DeviceBuffer<u32>,
    at: &DeviceOffsets,
    input: &DeviceBuffer<u32>,
    rounds: u32,
) -> Result<(), CudaError> {
    let out = Segments { data: out.slice_mut(..at.end() as usize)?, offsets: at };
    spin::launch(executor, 1, spin::Args { out, input: input.view(), rounds })
}

fn launch_spin(
    executor: &CudaExecutor,
    out: &mut DeviceBuffer<u32>,
    at: &DeviceOffsets,
    input: &DeviceBuffer<u32>,
    rounds: u32,
) {
    try_spin(executor, out, at, input, rounds).unwrap();
}

/// Queues `fail` for one segment, whose kernel panics.
fn launch_fail(executor: &CudaExecutor, out: &mut DeviceBuffer<u32>, at: &DeviceOffsets, input: &DeviceBuffer<u32>) {
    let out = Segments { data: out.view_mut(), offsets: at };
    fail::launch(executor, 1, fail::Args { out, input: input.view(), block_to_fail: 0, index: u32::MAX }).unwrap();
}

/// Queues `spin` with addresses that lead nowhere, after which the context is lost.
///
/// # Safety
/// Only in a process that exists for the fault.
unsafe fn launch_nowhere(executor: &CudaExecutor) {
    let kernel = executor.modules()[0].raw_kernel("spin").unwrap();
    let nowhere = || Word::value(0u64);
    // Output, offsets, input and its length, rounds, panic record, number.
    let words = [nowhere(), nowhere(), nowhere(), Word::value(64u64), Word::value(1u32), nowhere(), Word::value(0u32)];
    // SAFETY: deliberately unsafe, as the caller knows.
    unsafe { kernel.launch(executor.stream(), 1, 64, &words) }.unwrap();
}

/// The result of `spin` for `x` after `rounds` steps: the steps x * m + a, composed by repeated squaring.
fn spun(x: u32, rounds: u32) -> u32 {
    let (mut m, mut a) = (1u32, 0u32);
    let (mut step_m, mut step_a) = (1_664_525u32, 1_013_904_223u32);
    for bit in 0..32 {
        if rounds >> bit & 1 == 1 {
            (m, a) = (m.wrapping_mul(step_m), a.wrapping_mul(step_m).wrapping_add(step_a));
        }
        step_a = step_a.wrapping_mul(step_m).wrapping_add(step_a);
        step_m = step_m.wrapping_mul(step_m);
    }
    x.wrapping_mul(m).wrapping_add(a)
}

/// Enough steps to keep a GPU busy for some hundredths of a second, longer than queueing the next work takes.
const SLOW: u32 = 2_000_000;

/// As many steps, but fewer on a simulated device, which does its work while a caller waits.
fn slow() -> u32 {
    if is_simulated() { 1000 } else { SLOW }
}

#[test]
fn steps_composed_are_steps_taken() {
    let mut x = 7u32;
    for rounds in 0..100 {
        assert_eq!(spun(7, rounds), x);
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
}
