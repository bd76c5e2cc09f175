//! Access to the device for tests and benchmarks, one test at a time.

use cuda_host::{CudaError, CudaExecutor, Device};
use cuda_std::Grid;
use cuda_std::launch::{Executor, Kernel};
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether there is a CUDA device. If not, prints one line.
///
/// # Panics
/// If there is none and `CUDA_REQUIRE_GPU=1` is set.
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

/// An executor on the first device, for exclusive use by one test of an executable: tests compare times, and freeing memory
/// makes other tests wait.
#[derive(Debug)]
pub struct Alone {
    executor: CudaExecutor,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for the device, and loads a module. `None` if there is no device; see [`is_there`].
///
/// # Panics
/// If there is a device that cannot be opened.
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
