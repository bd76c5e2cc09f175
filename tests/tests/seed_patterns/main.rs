//! Patterns of programs that use a GPU, one test each. The guide's chapter "Patterns, corrected" lists them by name and
//! includes parts of them. What has a meaning on CPU cores is tested on any machine; what needs a device prints a line and
//! passes where there is none, unless PRISM_REQUIRE_GPU=1 asks for one.

mod batches;
mod devices;
mod errors;
mod kernels;
mod launches;
mod lifetimes;
mod memory;
mod pools;
mod streams;

use cuda_host::{CudaError, CudaExecutor, Device};
use cuda_std::Grid;
use cuda_std::launch::{Executor, Kernel};
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An executor of the test kernels on the first device, which this test has for itself: times are compared, and whoever
/// frees memory makes others wait.
struct Gpu {
    executor: CudaExecutor,
    _turn: MutexGuard<'static, ()>,
}

fn gpu() -> Option<Gpu> {
    static TURN: Mutex<()> = Mutex::new(());
    if !tests::device::is_there() {
        return None;
    }
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let executor = CudaExecutor::open(0, "test kernels", test_kernels::PTX).expect("a device that opens");
    Some(Gpu { executor, _turn: turn })
}

impl Deref for Gpu {
    type Target = CudaExecutor;

    fn deref(&self) -> &CudaExecutor {
        &self.executor
    }
}

impl Executor for Gpu {
    type Space = Device;
    type Error = CudaError;

    fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Device>) -> Result<(), CudaError> {
        self.executor.launch::<K>(grid, args)
    }
}

/// `0, 1, 2, ..` with a step.
fn rising(n: usize, step: f32) -> Vec<f32> {
    (0..n).map(|i| i as f32 * step).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}
