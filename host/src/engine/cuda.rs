//! The backend of CUDA devices: all of the engine that names CUDA.

mod batch;
mod lanes;
mod memory;
mod recorded;
mod staging;

pub use batch::DeviceBatch;
pub use lanes::{DeviceLanes, LaneOptions, LaneStatistics};
pub use memory::DeviceMemory;
pub use recorded::{RecordedBatch, RecordedFeatures};
pub use staging::Staging;

use super::selection::Request;
use super::work::BatchSizes;
use super::worker::{Computation, Worker};
use super::{DeviceError, DeviceErrorKind, EngineError, kernels};
use crate::pack::{BatchPart, PackedBatch};
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

/// Whether there is a driver at all: asks no device, and takes no time.
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
        let module = Module::load(&context, kernels::MODULE, kernels::PTX)?;
        let executor = CudaExecutor::new(&context.stream()?, [module])?;
        check(&executor)?;
        let lanes = DeviceLanes::new(&executor, LaneOptions::default())?;
        Ok(Self { name: format!("{} (device {})", device.name, device.ordinal), lanes })
    }
}

macro_rules! check_all {
    ($($kernel:ident),*) => {
        /// Checks that a device has all kernels, as this program knows them.
        fn check(executor: &CudaExecutor) -> Result<(), CudaError> {
            $(executor.kernel::<kernels_gpu::$kernel::Kernel>()?;)*
            Ok(())
        }
    };
}

kernels_gpu::for_each_kernel!(check_all);

impl Worker for CudaWorker {
    fn name(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> usize {
        BATCHES_PER_DEVICE
    }

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<Computation, EngineError> {
        let (features, times) = self.lanes.run(batch, request)?;
        Ok(Computation { features, times: Some(times) })
    }

    fn release(&self) {
        self.lanes.release();
    }
}

/// What `prism info` says of CUDA.
///
/// ```
/// let cuda = prism_host::engine::cuda_inventory();
/// match &cuda.driver {
///     Ok(version) => println!("CUDA {version}"),
///     Err(error) => assert!(cuda.devices.is_empty(), "{error}"),
/// }
/// ```
#[derive(Clone, Debug)]
pub struct CudaInventory {
    /// The newest version of CUDA that the driver knows, or why there is no driver.
    pub driver: Result<String, DeviceError>,
    /// Each device, and whether the kernels run on it.
    pub devices: Vec<(String, bool)>,
    /// Why devices could not be listed, where there is a driver.
    pub error: Option<DeviceError>,
}

/// The driver and the devices of this machine.
///
/// The example of [`CudaInventory`] calls it.
#[must_use]
pub fn cuda_inventory() -> CudaInventory {
    let driver = cuda_host::driver_version().map(|version| version.to_string()).map_err(DeviceError::from);
    let (devices, error) = match Device::list() {
        Ok(devices) => (devices.iter().map(|device| (device.to_string(), device.is_supported())).collect(), None),
        // The driver has said it.
        Err(error) if error.is_unavailable() => (Vec::new(), None),
        Err(error) => (Vec::new(), Some(error.into())),
    };
    CudaInventory { driver, devices, error }
}

/// What a device came to that worked on `batch`.
fn engine_error(error: CudaError, batch: &BatchPart<'_>, sizes: &BatchSizes) -> EngineError {
    match error.kernel_panic() {
        Some(panic) => EngineError::from_panic(panic.clone(), batch, sizes),
        None => EngineError::Device(error.into()),
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
