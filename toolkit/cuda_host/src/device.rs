//! The devices of this machine.

use crate::context::{Context, MIN_COMPUTE_CAPABILITY};
use crate::driver::{CUdevice_attribute, driver, library};
use crate::error::CudaError;
use std::fmt;

/// The memory of a CUDA device, as the [`Space`](cuda_std::launch::Space) of a kernel's buffers; and queries about the
/// devices of this machine.
///
/// ```
/// use cuda_host::{CudaError, Device, driver_version};
///
/// match Device::list() {
///     Ok(devices) => {
///         println!("CUDA {}", driver_version()?);
///         for device in devices {
///             let fit = if device.is_supported() { "runs kernels" } else { "is too old" };
///             println!("{device}: {fit}, {} KiB of shared memory", device.shared_memory_per_block / 1024);
///         }
///     }
///     // No driver, or no device: the program is not at fault.
///     Err(error) if error.is_unavailable() => println!("{error}"),
///     Err(error) => return Err(error),
/// }
/// # Ok::<(), CudaError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Device {}

impl Device {
    /// Number of devices.
    ///
    /// # Errors
    /// [`CudaError::NoLibrary`] without CUDA, [`CudaError::NoDevice`] if the driver finds no usable device.
    pub fn count() -> Result<usize, CudaError> {
        driver()?.device_count()
    }

    /// All devices, in the driver's order.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn list() -> Result<Vec<DeviceInfo>, CudaError> {
        (0..Self::count()?).map(Self::info).collect()
    }

    /// One device. This does not open a [`Context`], which takes much longer.
    ///
    /// # Errors
    /// As [`count`](Self::count), and [`CudaError::NoSuchDevice`].
    pub fn info(ordinal: usize) -> Result<DeviceInfo, CudaError> {
        let driver = driver()?;
        let device = driver.find_device(ordinal)?;
        let attribute = |attribute| driver.device_attribute(device, attribute);
        use CUdevice_attribute as A;
        let mut info = DeviceInfo {
            ordinal,
            name: driver.device_name(device)?,
            compute_capability: driver.compute_capability(device)?,
            total_memory: 0,
            free_memory: None,
            multiprocessors: attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            shared_memory_per_block: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            shared_memory_per_block_with_asking: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            max_threads_per_block: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            pci_bus_id: driver.pci_bus_id(device)?,
        };
        // SAFETY: writes a number.
        unsafe { driver.device_total_mem(&raw mut info.total_memory, device) }
            .check(driver, || format!("reading the memory size of device {ordinal}"))?;
        // Only a context knows the free memory, and opening one takes a tenth of a second.
        let open = Context::open_already(ordinal);
        info.free_memory = open.and_then(|context| context.memory().ok()).map(|memory| memory.free);
        Ok(info)
    }
}

impl Context {
    /// Properties of the device.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn device(&self) -> Result<DeviceInfo, CudaError> {
        Device::info(self.ordinal())
    }
}

/// Bytes of shared memory that a block can have if its kernel requests more than the default.
pub(crate) fn shared_memory_with_asking(ordinal: usize) -> Result<u32, CudaError> {
    let driver = driver()?;
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    driver.device_attribute(driver.find_device(ordinal)?, attribute)
}

/// The number of multiprocessors of a device.
pub(crate) fn multiprocessors(ordinal: usize) -> Result<u32, CudaError> {
    let driver = driver()?;
    driver.device_attribute(driver.find_device(ordinal)?, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
}

/// Whether the host may access unified memory while the device computes.
pub(crate) fn has_concurrent_managed_access(ordinal: usize) -> Result<bool, CudaError> {
    let driver = driver()?;
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
    Ok(driver.device_attribute(driver.find_device(ordinal)?, attribute)? != 0)
}

/// Properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number, for [`Context::new`].
    pub ordinal: usize,
    /// The product's name.
    pub name: String,
    /// Major and minor compute capability.
    pub compute_capability: (u32, u32),
    /// Bytes of memory.
    pub total_memory: usize,
    /// Free bytes at the moment, if the program has a [`Context`] of the device; see also [`Context::memory`].
    pub free_memory: Option<usize>,
    /// Number of streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of shared memory that a block can have by default.
    pub shared_memory_per_block: u32,
    /// Bytes that it can have if the launch requests them, as launches of [`CudaExecutor`](crate::CudaExecutor) do.
    pub shared_memory_per_block_with_asking: u32,
    /// Most threads of a block.
    pub max_threads_per_block: u32,
    /// `domain:bus:device.function`.
    pub pci_bus_id: String,
}

impl DeviceInfo {
    /// Whether the kernels run on it: see [`MIN_COMPUTE_CAPABILITY`].
    #[must_use]
    pub fn is_supported(&self) -> bool {
        self.compute_capability >= MIN_COMPUTE_CAPABILITY
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compute_capability;
        let gib = |bytes: usize| bytes as f64 / f64::from(1u32 << 30);
        write!(f, "{}: {}, compute capability {major}.{minor}, ", self.ordinal, self.name)?;
        if let Some(free) = self.free_memory {
            write!(f, "{:.1} of ", gib(free))?;
        }
        write!(f, "{:.1} GiB", gib(self.total_memory))?;
        if self.free_memory.is_some() {
            f.write_str(" free")?;
        }
        write!(f, ", {} multiprocessors, PCI {}", self.multiprocessors, self.pci_bus_id)
    }
}

/// A version of CUDA.
///
/// ```
/// use cuda_host::CudaVersion;
///
/// let version = CudaVersion { major: 12, minor: 4 };
/// assert!(version < CudaVersion { major: 13, minor: 0 });
/// assert_eq!(version.to_string(), "12.4");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaVersion {
    /// Major version.
    pub major: u32,
    /// Minor version.
    pub minor: u32,
}

impl fmt::Display for CudaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The newest CUDA version that the driver supports. Queries only the driver's library and no device, which is fast.
///
/// # Errors
/// [`CudaError::NoLibrary`] without CUDA, [`CudaError::DriverTooOld`].
pub fn driver_version() -> Result<CudaVersion, CudaError> {
    let driver = library()?;
    let mut version = 0;
    // SAFETY: writes a number.
    unsafe { driver.driver_get_version(&raw mut version) }
        .check(driver, || "asking for the driver's version".to_owned())?;
    let version = u32::try_from(version).unwrap_or(0);
    Ok(CudaVersion { major: version / 1000, minor: version % 1000 / 10 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_reads_well() {
        let mut info = DeviceInfo {
            ordinal: 0,
            name: "NVIDIA Test".into(),
            compute_capability: (9, 0),
            total_memory: 80 << 30,
            free_memory: Some(79 << 30),
            multiprocessors: 132,
            shared_memory_per_block: 49152,
            shared_memory_per_block_with_asking: 232_448,
            max_threads_per_block: 1024,
            pci_bus_id: "0000:01:00.0".into(),
        };
        assert_eq!(
            info.to_string(),
            "0: NVIDIA Test, compute capability 9.0, 79.0 of 80.0 GiB free, 132 multiprocessors, PCI 0000:01:00.0"
        );
        assert!(info.is_supported());
        info.compute_capability = (7, 0);
        info.free_memory = None;
        assert!(!info.is_supported());
        assert!(info.to_string().contains(", 80.0 GiB, "));
    }
}
