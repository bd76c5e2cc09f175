//! The batch on a CUDA device.

use super::lanes::{DeviceLanes, LaneOptions};
use super::selection::Request;
use super::worker::{Computation, Worker};
use super::{DeviceError, DeviceErrorKind, EngineError, kernels};
use crate::pack::PackedBatch;
use cuda_host::{Context, CudaError, CudaExecutor, Device, DeviceInfo, Module};

/// Batches at once on each device: while one is computed, the other is copied.
const BATCHES_PER_DEVICE: usize = 2;

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
    lanes: DeviceLanes,
}

/// Whether there is a driver's library at all. It is not initialised, which takes longer than computing one structure.
pub(super) fn driver() -> Result<(), CudaError> {
    cuda_host::driver_version().map(|_| ())
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
        let module = Module::load(&context, kernels::MODULE, kernels::IMAGE)?;
        let executor = CudaExecutor::new(&context.stream()?, [module])?;
        kernels::check(&executor)?;
        let lanes = DeviceLanes::new(&executor, LaneOptions::default())?;
        Ok(Self { name: format!("{} (device {})", device.name, device.ordinal), lanes })
    }
}

impl Worker for CudaWorker {
    fn name(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> usize {
        BATCHES_PER_DEVICE
    }

    fn has_turns(&self) -> bool {
        true
    }

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<Computation, EngineError> {
        let (features, times) = self.lanes.run(batch, request)?;
        Ok(Computation { features, times: Some(times) })
    }

    fn release(&self) {
        self.lanes.release();
    }
}

impl From<CudaError> for DeviceError {
    fn from(error: CudaError) -> Self {
        let kind = match &error {
            error if error.is_out_of_memory() => DeviceErrorKind::OutOfMemory,
            error if error.is_unavailable() => DeviceErrorKind::Unavailable,
            CudaError::Driver { .. } | CudaError::NoSuchDevice { .. } => DeviceErrorKind::Lost,
            _ => DeviceErrorKind::Other,
        };
        Self::new(kind, error)
    }
}
