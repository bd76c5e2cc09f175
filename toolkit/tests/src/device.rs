//! Access to the device for tests and benchmarks, one test at a time.

use cuda_host::{CudaError, CudaExecutor, Device, Image, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::Grid;
#[cfg(debug_assertions)]
use cuda_std::launch::CpuExecutor;
use cuda_std::launch::{Executor, Kernel};
use cuda_std::panic::KernelPanic;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether there is a CUDA device. If not, prints one line.
///
/// # Panics
/// If there is none and `CUDA_REQUIRE_GPU=1` is set.
pub fn is_there() -> bool {
    if cfg!(miri) {
        println!("skipped: Miri interprets no driver");
        return false;
    }
    match Device::count() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var("CUDA_REQUIRE_GPU").as_deref() != Ok("1"), "CUDA_REQUIRE_GPU=1, but {error}");
            println!("skipped: no CUDA device ({error})");
            false
        }
    }
}

/// Whether there are two CUDA devices. If not, prints one line.
///
/// # Panics
/// If there are fewer and `CUDA_REQUIRE_TWO_GPUS=1` is set.
pub fn are_two() -> bool {
    let count = Device::count().unwrap_or(0);
    if count < 2 {
        assert!(
            std::env::var("CUDA_REQUIRE_TWO_GPUS").as_deref() != Ok("1"),
            "CUDA_REQUIRE_TWO_GPUS=1, but there is {count}"
        );
        println!("skipped: two CUDA devices are needed, and there is {count}");
    }
    count >= 2
}

/// An executor on the first device. `None` if there is no device; see [`is_there`].
pub fn executor(module: &str, image: Image<'_>) -> Option<CudaExecutor> {
    is_there().then(|| CudaExecutor::open(0, module, image).expect("a device that opens"))
}

/// An executor on the first device, for exclusive use by one test of an executable: tests compare times, and freeing memory
/// makes other tests wait.
#[derive(Debug)]
pub struct Alone {
    executor: CudaExecutor,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for the device, and loads a module. `None` if there is no device; see [`is_there`].
pub fn alone(module: &str, image: Image<'_>) -> Option<Alone> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Some(Alone { executor: executor(module, image)?, _turn: turn })
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

    fn most_blocks_that_meet<K: Kernel>(&self) -> Result<u32, CudaError> {
        self.executor.most_blocks_that_meet::<K>()
    }
}

/// Executors on the first device with each of some modules, by the modules' names. Prints a line if there is none; see
/// [`is_there`].
pub fn executors<'i>(module: &str, images: &[(&'i str, Image<'_>)]) -> Vec<(&'i str, CudaExecutor)> {
    if !is_there() {
        return Vec::new();
    }
    let open = |(name, image): &(&'i str, Image<'_>)| {
        (*name, CudaExecutor::open(0, module, *image).expect("a device that opens"))
    };
    images.iter().map(open).collect()
}

/// The machines on which a test runs its kernels: CPU cores, in order and in shuffled orders, and the first GPU if there is one.
#[derive(Debug)]
pub struct Machines(Vec<(String, Machine)>);

impl Machines {
    /// CPU cores, and the first GPU with a module of kernels. Prints a line if there is no GPU; see [`is_there`].
    pub fn new(module: &str, image: Image<'_>) -> Self {
        Self::of(executors(module, &[("a GPU", image)]))
    }

    /// CPU cores and some executors, by name.
    pub fn of<N: Into<String>>(executors: impl IntoIterator<Item = (N, CudaExecutor)>) -> Self {
        let cpu = ("CPU cores".to_owned(), Machine::cpu());
        Self([cpu].into_iter().chain(executors.into_iter().map(|(name, gpu)| (name.into(), gpu.into()))).collect())
    }

    /// The same, and CPU cores with blocks, warps and threads in shuffled orders, which only debug builds have.
    #[must_use]
    pub fn in_any_order(mut self) -> Self {
        self.0.splice(1..1, shuffled());
        self
    }

    /// The GPU's executor.
    pub fn gpu(&self) -> Option<&CudaExecutor> {
        self.0.last()?.1.as_cuda()
    }

    /// What `run` computes on each of them.
    #[track_caller]
    pub fn same<R: Bits>(&self, run: impl Fn(&Machine) -> Result<R, CudaError>) -> R {
        let run = |(name, machine): &(String, Machine)| run(machine).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = run(&self.0[0]);
        for machine in &self.0[1..] {
            assert!(
                run(machine).bits() == expected.bits(),
                "{}: other bits than those of CPU cores in order",
                machine.0
            );
        }
        expected
    }

    /// The panic with which `run` ends on CPU cores. On the other machines it ends with a panic of the same kernel and message.
    #[track_caller]
    pub fn panic<R: Debug>(&self, run: impl Fn(&Machine) -> Result<R, CudaError>) -> KernelPanic {
        let run = |(name, machine): &(String, Machine)| {
            let error = run(machine).expect_err(name);
            error.kernel_panic().unwrap_or_else(|| panic!("{name}: {error}")).clone()
        };
        let expected = run(&self.0[0]);
        for machine in &self.0[1..] {
            let found = run(machine);
            assert_eq!(
                (found.kernel, found.message),
                (expected.kernel.clone(), expected.message.clone()),
                "{}",
                machine.0
            );
        }
        expected
    }
}

#[cfg(debug_assertions)]
fn shuffled() -> impl Iterator<Item = (String, Machine)> {
    // Interpreters take their time.
    let seeds = if cfg!(miri) { 1..2 } else { 1..3 };
    seeds.map(|seed| (format!("CPU cores in the order of seed {seed}"), CpuExecutor::shuffled(seed).into()))
}

#[cfg(not(debug_assertions))]
fn shuffled() -> impl Iterator<Item = (String, Machine)> {
    std::iter::empty()
}

/// Results that are compared bit by bit.
pub trait Bits {
    /// All of their bytes.
    fn bits(&self) -> Vec<u8>;
}

impl<T: DeviceLayout> Bits for Vec<T> {
    fn bits(&self) -> Vec<u8> {
        bytemuck::cast_slice(self).to_vec()
    }
}

impl<A: Bits, B: Bits> Bits for (A, B) {
    fn bits(&self) -> Vec<u8> {
        [self.0.bits(), self.1.bits()].concat()
    }
}

impl<A: Bits, B: Bits, C: Bits> Bits for (A, B, C) {
    fn bits(&self) -> Vec<u8> {
        [self.0.bits(), self.1.bits(), self.2.bits()].concat()
    }
}
