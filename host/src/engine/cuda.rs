//! The batch on a CUDA device.

use super::worker::{Computation, DeviceTimes, Worker};
use super::{DeviceBatch, EngineError, kernels};
use crate::pack::PackedBatch;
use cuda_host::{Context, CudaError, CudaExecutor, Device, DeviceInfo, Event, Module};
use shared_types::MegaFusedConfig;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Streams on each device: while one computes, the other's batch is copied.
const LANES_PER_DEVICE: usize = 2;

/// Which CUDA devices to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Devices {
    /// The first that the kernels run on.
    #[default]
    First,
    /// All that they run on.
    All,
    /// These, by their ordinals.
    Named(Vec<usize>),
}

/// Computes batches on one device.
#[derive(Debug)]
pub(super) struct CudaWorker {
    name: String,
    lanes: Vec<Mutex<Lane>>,
}

/// A stream with buffers of its own, kept from batch to batch.
#[derive(Debug)]
struct Lane {
    executor: CudaExecutor,
    buffers: Option<DeviceBatch>,
    moments: Moments,
}

/// Opens devices and checks that the kernels there are those of this program.
pub(super) fn open(devices: &Devices) -> Result<Vec<CudaWorker>, CudaError> {
    match devices {
        Devices::First => Ok(vec![CudaWorker::open(&usable()?[0])?]),
        Devices::Named(ordinals) => ordinals.iter().map(|&ordinal| CudaWorker::open(&Device::info(ordinal)?)).collect(),
        Devices::All => {
            let (mut opened, mut failed) = (Vec::new(), None);
            for device in usable()? {
                match CudaWorker::open(&device) {
                    Ok(worker) => opened.push(worker),
                    Err(error) => {
                        tracing::warn!("device {} is left out: {error}", device.ordinal);
                        failed = Some(error);
                    }
                }
            }
            match failed {
                Some(error) if opened.is_empty() => Err(error),
                _ => Ok(opened),
            }
        }
    }
}

/// The devices that the kernels run on, at least one.
fn usable() -> Result<Vec<DeviceInfo>, CudaError> {
    let devices = Device::list()?;
    let supported: Vec<_> = devices.iter().filter(|device| device.is_supported()).cloned().collect();
    if supported.is_empty() {
        // Says why the first is not, or that there is none.
        Context::new(0)?;
        return Err(CudaError::NoSuchDevice { ordinal: 0, count: devices.len() });
    }
    Ok(supported)
}

impl CudaWorker {
    fn open(device: &DeviceInfo) -> Result<Self, CudaError> {
        let context = Context::new(device.ordinal)?;
        let module = Module::load(&context, kernels::MODULE, kernels::PTX)?;
        let executor = CudaExecutor::new(&context.stream()?, [module])?;
        kernels::check(&executor)?;
        let mut lanes = Vec::new();
        for _ in 1..LANES_PER_DEVICE {
            lanes.push(Mutex::new(Lane::new(executor.on(&context.stream()?)?)?));
        }
        lanes.push(Mutex::new(Lane::new(executor)?));
        Ok(Self { name: format!("{} (device {})", device.name, device.ordinal), lanes })
    }

    /// A lane that nobody uses now; there is one, as no more batches come at once than there are lanes.
    fn lane(&self) -> MutexGuard<'_, Lane> {
        let idle = self.lanes.iter().find_map(|lane| match lane.try_lock() {
            Ok(lane) => Some(lane),
            Err(TryLockError::Poisoned(lane)) => Some(lane.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        idle.unwrap_or_else(|| locked(&self.lanes[0]))
    }
}

impl Worker for CudaWorker {
    fn name(&self) -> &str {
        &self.name
    }

    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn has_turns(&self) -> bool {
        true
    }

    fn run(&self, batch: &PackedBatch, config: MegaFusedConfig) -> Result<Computation, EngineError> {
        let result = self.lane().run(batch, config);
        result.map_err(|error| match error.kernel_panic() {
            Some(panic) => EngineError::from_panic(panic.clone(), batch, config),
            None => EngineError::Cuda(error),
        })
    }

    fn release(&self) {
        for lane in &self.lanes {
            locked(lane).buffers = None;
        }
    }
}

fn locked(lane: &Mutex<Lane>) -> MutexGuard<'_, Lane> {
    lane.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lane {
    fn new(executor: CudaExecutor) -> Result<Self, CudaError> {
        let moments = Moments::new(executor.stream().context())?;
        Ok(Self { executor, buffers: None, moments })
    }

    fn run(&mut self, batch: &PackedBatch, config: MegaFusedConfig) -> Result<Computation, CudaError> {
        let stream = self.executor.stream();
        // Taken, and put back after success alone: what a panicked kernel wrote is not used again, and memory that
        // ran out is free for a smaller batch.
        let mut buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => DeviceBatch::new(stream, config)?,
        };
        let [begin, uploaded, launched, downloaded] = &self.moments.0;
        begin.record(stream)?;
        buffers.upload(stream, batch)?;
        uploaded.record(stream)?;
        buffers.launch(&self.executor)?;
        launched.record(stream)?;
        let computed = buffers.results(stream)?;
        downloaded.record(stream)?;
        let times = DeviceTimes {
            upload: between(begin, uploaded)?,
            kernels: between(uploaded, launched)?,
            download: between(launched, downloaded)?,
        };
        self.buffers = Some(buffers);
        Ok(Computation { computed, times: Some(times) })
    }
}

/// Where the parts of a batch's work begin and end in the stream.
#[derive(Debug)]
struct Moments([Event; 4]);

impl Moments {
    fn new(context: &Context) -> Result<Self, CudaError> {
        let event = || Event::new(context);
        Ok(Self([event()?, event()?, event()?, event()?]))
    }
}

fn between(start: &Event, end: &Event) -> Result<Duration, CudaError> {
    Ok(Duration::from_secs_f64(f64::from(end.elapsed_ms(start)?.max(0.0)) / 1000.0))
}
