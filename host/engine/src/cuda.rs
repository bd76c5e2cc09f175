//! The backend for CUDA devices. No other module of the engine names CUDA.

mod batch;
mod locked;
mod memory;
mod recorded;
mod slots;
mod staging;

pub use batch::DeviceBatch;
pub use memory::DeviceMemory;
pub use recorded::{RecordedBatch, RecordedFeatures};
pub use slots::{DeviceSlots, SlotOptions, SlotStatistics};
pub use staging::Staging;

use super::base_pairs::Candidates;
use super::batch_sizes::BatchSizes;
use super::results::BatchFeatures;
use super::rooms::AtomRoom;
use super::selection::Request;
use super::threads::at_once;
use super::worker::Worker;
use super::{DeviceError, DeviceErrorKind, EngineError, kernels};
use crate::pack::{BatchChunk, PackedBatch};
use cuda_host::{CallersContext, Context, CudaError, CudaExecutor, Device, DeviceInfo, Image, Module, image};
use kernels_gpu::bases::TestedPair;
use std::path::Path;

/// Batches at once on each device: one is copied to it, two are computed, one is copied back.
pub(super) const BATCHES_PER_DEVICE: usize = 4;

/// The engine's kernels, for an executor of one's own. A device gets machine code if there is some for it, and PTX otherwise.
///
/// ```
/// // Compares every bit with the digests that the build wrote. It needs no device.
/// cuda_host::image::check(&prism_engine::kernel_image())?;
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
#[must_use]
pub fn kernel_image() -> Image<'static> {
    // Not a static, which would hold a second copy of both in the executable.
    // SAFETY: `cargo xtask build-ptx` made both from `kernels-gpu`; the checks of every change build them again and compare the bytes.
    unsafe { Image::from_files("kernels_gpu.sm_75.ptx", kernels_gpu::PTX, kernels_gpu::MACHINE_CODE) }
}

/// Which CUDA devices to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Devices {
    /// The first that the kernels run on.
    #[default]
    First,
    /// All that they run on.
    All,
    /// The devices with these ordinals.
    Named(Vec<usize>),
}

/// Computes batches on one device.
#[derive(Debug)]
pub(super) struct CudaWorker {
    name: String,
    /// Present until this is dropped.
    slots: Option<DeviceSlots>,
}

/// Whether there may be a driver. This does not initialise its library, which would take longer than computing one structure. If
/// the system has the driver's device files, it does not even load the library, which takes some milliseconds.
pub(super) fn driver() -> Result<(), CudaError> {
    // NVIDIA's own device files, and those of Windows under Linux.
    let nodes = ["/dev/nvidiactl", "/dev/dxg"];
    if cfg!(target_os = "linux") && nodes.iter().any(|node| Path::new(node).exists()) {
        return Ok(());
    }
    cuda_host::driver_version().map(|_| ())
}

/// Opens devices, several at the same time, and checks that their kernels are those of this program.
pub fn open(devices: &Devices) -> Result<Vec<CudaWorker>, CudaError> {
    let _callers = CallersContext::keep();
    let all = |devices| at_once(devices, |device: DeviceInfo| (CudaWorker::open(&device), device.ordinal)).into_iter();
    match devices {
        Devices::First => Ok(vec![CudaWorker::open(&usable()?[0])?]),
        Devices::Named(ordinals) => {
            let devices = ordinals.iter().map(|&ordinal| Device::info(ordinal)).collect::<Result<Vec<_>, _>>()?;
            all(devices).map(|(opened, _)| opened).collect()
        }
        Devices::All => {
            let (mut opened, mut failed) = (Vec::new(), None);
            for (worker, ordinal) in all(usable()?) {
                match worker {
                    Ok(worker) => opened.push(worker),
                    Err(error) => {
                        tracing::warn!("device {ordinal} is left out: {error}");
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

/// The devices that can run the kernels, at least one.
fn usable() -> Result<Vec<DeviceInfo>, CudaError> {
    let devices = Device::list()?;
    let supported: Vec<_> = devices.iter().filter(|device| device.is_supported()).cloned().collect();
    if supported.is_empty() {
        // Reports why the first device cannot, or that there is none.
        Context::new(0)?;
        return Err(CudaError::NoSuchDevice { ordinal: 0, count: devices.len() });
    }
    Ok(supported)
}

impl CudaWorker {
    fn open(device: &DeviceInfo) -> Result<Self, CudaError> {
        let context = Context::new(device.ordinal)?;
        let module = Module::load(&context, kernels::MODULE, kernel_image())?;
        let executor = CudaExecutor::new(&context.stream()?, [module])?;
        check(&executor)?;
        let slots = DeviceSlots::new(&executor, SlotOptions { slots: BATCHES_PER_DEVICE, ..SlotOptions::default() })?;
        Ok(Self { name: format!("{} (device {})", device.name, device.ordinal), slots: Some(slots) })
    }

    fn slots(&self) -> &DeviceSlots {
        self.slots.as_ref().expect("they are there until the worker is dropped")
    }
}

// The caller may use other libraries on another device.
impl Drop for CudaWorker {
    fn drop(&mut self) {
        let _callers = CallersContext::keep();
        drop(self.slots.take());
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

    fn gathers(&self) -> bool {
        true
    }

    fn atom_room(&self, atoms: usize) -> Option<Box<dyn AtomRoom>> {
        let _callers = CallersContext::keep();
        self.slots().atom_room(atoms)
    }

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
        let _callers = CallersContext::keep();
        let (features, times) = self.slots().run(batch, request)?;
        Ok(features.timed(times))
    }

    fn test_pairs(&self, given: &Candidates<'_>) -> Result<Vec<TestedPair>, EngineError> {
        let _callers = CallersContext::keep();
        self.slots().test_pairs(given).map_err(|error| match error.kernel_panic() {
            Some(panic) => EngineError::UnattributedPanic(Box::new(panic.clone())),
            None => EngineError::Device(error.into()),
        })
    }

    fn release(&self) {
        let _callers = CallersContext::keep();
        self.slots().release();
    }
}

/// What `prism info` reports about CUDA.
///
/// ```
/// let cuda = prism_engine::cuda_inventory();
/// match &cuda.driver {
///     Ok(version) => println!("CUDA {version}"),
///     Err(error) => assert!(cuda.devices.is_empty(), "{error}"),
/// }
/// for device in &cuda.devices {
///     println!("{}; kernels: {}", device.name, device.kernels); // machine code for sm_90, say
/// }
/// println!("machine code for {:?}", cuda.machine_code?);
/// # Ok::<(), prism_engine::DeviceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CudaInventory {
    /// The newest CUDA version that the driver supports, or why there is no driver.
    pub driver: Result<String, DeviceError>,
    /// Each device.
    pub devices: Vec<InventoryDevice>,
    /// Why there are no devices, if there is a driver.
    pub error: Option<DeviceError>,
    /// The architectures for which this program has machine code, or why its kernels cannot be used: PTX or machine code is damaged, or
    /// they do not belong together.
    pub machine_code: Result<Vec<String>, DeviceError>,
}

/// A device of [`CudaInventory`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventoryDevice {
    /// The device's name, with its memory and more.
    pub name: String,
    /// Whether the kernels run on it.
    pub is_usable: bool,
    /// The form of the kernels that it gets: machine code for its architecture, or PTX.
    pub kernels: String,
}

/// The driver and the devices of this machine. Devices are opened, so that they report their free memory.
#[must_use]
pub fn cuda_inventory() -> CudaInventory {
    let driver = cuda_host::driver_version().map(|version| version.to_string()).map_err(DeviceError::from);
    let contexts = Device::count().map(|count| (0..count).map(Context::new).collect::<Vec<_>>());
    let listed = contexts.and_then(|opened| {
        let devices = Device::list();
        drop(opened);
        devices
    });
    let (devices, error) = match listed {
        Ok(devices) => (devices.iter().map(inventory_of).collect(), None),
        // The driver has reported it.
        Err(_) if driver.is_err() => (Vec::new(), None),
        Err(error) => (Vec::new(), Some(error.into())),
    };
    let intact = image::check(&kernel_image()).and_then(|()| image::chips(&kernel_image()));
    let machine_code = intact.map(|chips| chips.iter().map(ToString::to_string).collect()).map_err(Into::into);
    CudaInventory { driver, devices, error, machine_code }
}

fn inventory_of(device: &DeviceInfo) -> InventoryDevice {
    let is_usable = device.is_supported();
    let kernels = match image::chip_for(&kernel_image(), device.compute_capability) {
        _ if !is_usable => "none: it is too old for them".to_owned(),
        Ok(Some(chip)) => format!("machine code for {chip}"),
        Ok(None) => "PTX, which the driver compiles the first time, for some seconds".to_owned(),
        Err(error) => format!("none: {error}"),
    };
    InventoryDevice { name: device.to_string(), is_usable, kernels }
}

/// Converts a device's error on `batch`.
fn engine_error(error: CudaError, batch: &BatchChunk<'_>, sizes: &BatchSizes) -> EngineError {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_files_are_intact() {
        image::check(&kernel_image()).expect("`cargo xtask build-ptx` makes both");
    }

    /// A bit in each of many places: loading, or asking for a device's code, finds it without a device, and names the file.
    #[test]
    fn a_flipped_bit_in_a_committed_file_is_an_error_with_its_name() {
        let (ptx, code) = (kernels_gpu::PTX.as_bytes(), kernels_gpu::MACHINE_CODE);
        let below_header = ptx.windows(4).position(|four| four == b"\n//\n").expect("the end of the header") + 1;
        let body_digest = kernels_gpu::PTX.find("// body: ").expect("a digest");
        fn checked(ptx: &str, code: &[u8]) -> Result<(), CudaError> {
            // SAFETY: nothing is loaded.
            image::check(&unsafe { Image::from_files("kernels_gpu.sm_75.ptx", ptx, code) })
        }
        let places = (0..24).map(|place| below_header + place * (ptx.len() - below_header) / 24);
        for at in places.chain([3, body_digest + 20, ptx.len() - 1]) {
            let mut changed = ptx.to_vec();
            changed[at] ^= 1;
            let error = checked(std::str::from_utf8(&changed).unwrap(), &[]).unwrap_err().to_string();
            assert!(error.contains("`kernels_gpu.sm_75.ptx`"), "{at}: {error}");
        }
        let ptx_digest = code.windows(5).position(|five| five == b"ptx: ").expect("a digest");
        for at in
            (0..48).map(|place| 1000 + place * (code.len() - 1000) / 48).chain([3, ptx_digest + 20, code.len() - 1])
        {
            let mut changed = code.to_vec();
            changed[at] ^= 16;
            let error = checked(kernels_gpu::PTX, &changed).unwrap_err().to_string();
            assert!(error.contains("`kernels_gpu.sm_75.cubins`"), "{at}: {error}");
        }
    }
}
