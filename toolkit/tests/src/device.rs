//! What tests and benchmarks ask about the device, and how tests take turns on it.

use cuda_host::{CudaError, CudaExecutor, Device};
use cuda_std::Grid;
use cuda_std::launch::{Executor, Kernel};
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether there is a CUDA device. Where there is none, says so in one line.
///
/// # Panics
/// Where there is none and `CUDA_REQUIRE_GPU=1` asks for one.
#[must_use]
pub fn is_there() -> bool {
    match Device::count() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var("CUDA_REQUIRE_GPU").as_deref() != Ok("1"), "CUDA_REQUIRE_GPU=1, but {error}");
            println!("skipped: no CUDA device ({error})");
            false
        }
    }
}

/// An executor on the first device, which one test of an executable has for itself: times are compared, and whoever frees
/// memory makes others wait.
#[derive(Debug)]
pub struct Alone {
    executor: CudaExecutor,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for the device, with a module's kernels. `None` where there is no device; see [`is_there`].
///
/// # Panics
/// Where there is one that does not open.
#[must_use]
pub fn alone(module: &str, ptx: &str) -> Option<Alone> {
    static TURN: Mutex<()> = Mutex::new(());
    if !is_there() {
        return None;
    }
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let executor = CudaExecutor::open(0, module, ptx).expect("a device that opens");
    Some(Alone { executor, _turn: turn })
}

impl Deref for Alone {
    type Target = CudaExecutor;

    fn deref(&self) -> &CudaExecutor {
        &self.executor
    }
}

impl Executor for Alone {
    type Space = Device;
    type Error = CudaError;

    fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Device>) -> Result<(), CudaError> {
        self.executor.launch::<K>(grid, args)
    }
}
