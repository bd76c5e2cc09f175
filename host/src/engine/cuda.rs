//! The batch on CUDA devices.

use super::work::Computed;
use super::{DeviceBatch, EngineError, kernels};
use crate::pack::PackedBatch;
use cuda_host::{Context, CudaError, CudaExecutor, Device, DeviceInfo, Module};
use shared_types::MegaFusedConfig;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Streams on each device: while one computes, the other's batch is copied.
const LANES_PER_DEVICE: usize = 2;

/// Runs batches on some devices. Whoever has a batch takes a free lane, or waits for one.
#[derive(Debug)]
pub(super) struct CudaRunner {
    free: Mutex<Vec<Lane>>,
    returned: Condvar,
    lanes: usize,
}

/// A stream with buffers of its own, kept from batch to batch.
#[derive(Debug)]
struct Lane {
    executor: CudaExecutor,
    buffers: Option<DeviceBatch>,
}

/// The devices that an engine computes on.
pub(super) struct Opened {
    pub(super) runner: CudaRunner,
    pub(super) devices: Vec<DeviceInfo>,
}

/// Opens devices and checks that the kernels there are those of this program. Where none is named, the first that
/// the kernels run on.
pub(super) fn open(ordinals: &[usize]) -> Result<Opened, CudaError> {
    let devices = match ordinals {
        [] => vec![first_usable()?],
        named => named.iter().map(|&ordinal| Device::info(ordinal)).collect::<Result<_, _>>()?,
    };
    let mut free = Vec::new();
    for device in &devices {
        let context = Context::new(device.ordinal)?;
        let module = Module::load(&context, kernels::MODULE, kernels::PTX)?;
        let executor = CudaExecutor::new(&context.stream()?, [module])?;
        kernels::check(&executor)?;
        for _ in 1..LANES_PER_DEVICE {
            free.push(Lane { executor: executor.on(&context.stream()?)?, buffers: None });
        }
        free.push(Lane { executor, buffers: None });
    }
    let lanes = free.len();
    Ok(Opened { runner: CudaRunner { free: Mutex::new(free), returned: Condvar::new(), lanes }, devices })
}

fn first_usable() -> Result<DeviceInfo, CudaError> {
    let devices = Device::list()?;
    if let Some(device) = devices.iter().find(|device| device.is_supported()) {
        return Ok(device.clone());
    }
    // Says why the first is not, or that there is none.
    Context::new(0)?;
    Err(CudaError::NoSuchDevice { ordinal: 0, count: devices.len() })
}

impl CudaRunner {
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    pub(super) fn run(&self, batch: &PackedBatch, config: MegaFusedConfig) -> Result<Computed, EngineError> {
        let mut lane = Borrowed { runner: self, lane: Some(self.take()) };
        let result = lane.lane.as_mut().map_or(Err(CudaError::NoLibrary), |lane| lane.run(batch, config));
        drop(lane);
        result.map_err(|error| match error.kernel_panic() {
            Some(panic) => EngineError::from_panic(panic.clone(), batch, config),
            None => EngineError::Cuda(error),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Lane {
        let mut free = self.lock();
        loop {
            match free.pop() {
                Some(lane) => return lane,
                None => free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// A lane in use; it goes back whatever happens.
struct Borrowed<'a> {
    runner: &'a CudaRunner,
    lane: Option<Lane>,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            self.runner.lock().push(lane);
            self.runner.returned.notify_one();
        }
    }
}

impl Lane {
    fn run(&mut self, batch: &PackedBatch, config: MegaFusedConfig) -> Result<Computed, CudaError> {
        let stream = self.executor.stream();
        // Taken, and put back after success alone: what a panicked kernel wrote is not used again, and memory that
        // ran out is free for a smaller batch.
        let mut buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => DeviceBatch::new(stream, config)?,
        };
        buffers.upload(stream, batch)?;
        buffers.launch(&self.executor)?;
        let results = buffers.results(stream)?;
        self.buffers = Some(buffers);
        Ok(results)
    }
}
