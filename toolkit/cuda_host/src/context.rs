//! A device's context.

use crate::driver::{CUcontext, CUdevice, CUdeviceptr, CUstream, Code, Driver, driver};
use crate::error::CudaError;
use std::collections::BTreeMap;
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

/// The lowest compute capability that runs the kernels: the lowest that current PTX compilers support.
pub const MIN_COMPUTE_CAPABILITY: (u32, u32) = (7, 5);

/// An opened device: its primary context, which all libraries of a process share.
///
/// Clones are cheap. Everything made with it keeps it open. Calls make it the calling thread's current context.
///
/// ```
/// use cuda_host::{Context, CudaError, Device};
///
/// // On every device, if there are any.
/// for ordinal in 0..Device::count().unwrap_or(0) {
///     let context = Context::new(ordinal)?;
///     let memory = context.memory()?;
///     println!("{}: {} of {} bytes free", context.device()?.name, memory.free, memory.total);
///     let stream = context.stream()?;
///     assert_eq!((stream.context().ordinal(), context.ordinal()), (ordinal, ordinal));
/// }
/// # Ok::<(), CudaError>(())
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    driver: &'static Driver,
    device: CUdevice,
    raw: CUcontext,
    ordinal: usize,
    /// Locked for reading while a use of memory is recorded and queued; locked for writing by launches of graphs, which use
    /// memory that other code may have borrowed.
    queueing: RwLock<()>,
    /// Streams that may have work.
    streams: Mutex<Vec<CUstream>>,
    /// Devices whose memory copies on this device's streams have used.
    peers: Mutex<Vec<CUdevice>>,
}

/// One per device: contexts of the same device share the state of its streams. Opening takes a tenth of a second, and only the entry of
/// that device is locked meanwhile, so that threads open several at the same time.
static OPEN: Mutex<BTreeMap<usize, Arc<Mutex<Weak<Inner>>>>> = Mutex::new(BTreeMap::new());

/// The entry of a device.
fn entry(ordinal: usize) -> Arc<Mutex<Weak<Inner>>> {
    Arc::clone(OPEN.lock().unwrap_or_else(PoisonError::into_inner).entry(ordinal).or_default())
}

// SAFETY: a context may be used by several threads; the handle is only a name for it.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// The free and the total memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Free bytes.
    pub free: usize,
    /// All bytes.
    pub total: usize,
}

impl Context {
    /// Opens a device by its number, from 0.
    ///
    /// # Errors
    /// If there is no CUDA library, driver, or such a device; and [`CudaError::DeviceTooOld`] below
    /// [`MIN_COMPUTE_CAPABILITY`].
    pub fn new(ordinal: usize) -> Result<Self, CudaError> {
        let driver = driver()?;
        let device = driver.find_device(ordinal)?;
        let found = driver.compute_capability(device)?;
        if found < MIN_COMPUTE_CAPABILITY {
            let name = driver.device_name(device)?;
            return Err(CudaError::DeviceTooOld { ordinal, name, found, needed: MIN_COMPUTE_CAPABILITY });
        }
        let entry = entry(ordinal);
        let mut open = entry.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = open.upgrade() {
            return Ok(Self(inner));
        }
        let mut raw = ptr::null_mut();
        // SAFETY: writes a handle; `Inner` releases it once.
        unsafe { driver.primary_ctx_retain(&raw mut raw, device) }
            .check(driver, || format!("opening a context on device {ordinal}"))?;
        let (queueing, streams, peers) = (RwLock::new(()), Mutex::default(), Mutex::default());
        let inner = Arc::new(Inner { driver, device, raw, ordinal, queueing, streams, peers });
        *open = Arc::downgrade(&inner);
        Ok(Self(inner))
    }

    /// The context of a device, if the program has one.
    pub(crate) fn open_already(ordinal: usize) -> Option<Self> {
        entry(ordinal).lock().unwrap_or_else(PoisonError::into_inner).upgrade().map(Self)
    }

    /// The device's number.
    #[must_use]
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// The device's compute capability.
    pub(crate) fn compute_capability(&self) -> Result<(u32, u32), CudaError> {
        self.driver().compute_capability(self.0.device)
    }

    /// The size of the device's memory, and how much of it is free.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn memory(&self) -> Result<DeviceMemory, CudaError> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers.
        unsafe { self.driver().mem_get_info(&raw mut free, &raw mut total) }
            .check(self.driver(), || format!("asking for the free memory of device {}", self.ordinal()))?;
        Ok(DeviceMemory { free, total })
    }

    /// Whether both are contexts of the same device.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0.device == other.0.device
    }

    /// Held while a use of memory is recorded and queued: no graph is launched in that time. Other work continues.
    pub(crate) fn queue(&self) -> RwLockReadGuard<'_, ()> {
        self.0.queueing.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for a graph: in that time nothing else is queued, because the graph's memory is not borrowed.
    pub(crate) fn queue_alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.0.queueing.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn driver(&self) -> &'static Driver {
        self.0.driver
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.0.raw
    }

    /// Lets copies on this device's streams take the direct way to another device's memory, if the machine has one. If it has
    /// none, the driver copies through the host.
    pub(crate) fn reach(&self, other: &Self) -> Result<(), CudaError> {
        let mut peers = self.0.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if peers.contains(&other.0.device) {
            return Ok(());
        }
        self.bind()?;
        let mut can = 0;
        // SAFETY: writes a number; both devices are the driver's.
        unsafe { self.driver().device_can_access_peer(&raw mut can, self.0.device, other.0.device) }
            .check(self.driver(), || format!("asking whether device {} reaches {}", self.ordinal(), other.ordinal()))?;
        if can != 0 {
            // SAFETY: both contexts are open. Other libraries may have enabled it, too, and nobody disables it here.
            let code = unsafe { self.driver().ctx_enable_peer_access(other.0.raw, 0) };
            if code != Code::PEER_ACCESS_ALREADY_ENABLED {
                code.warn(self.driver(), "enabling direct copies between two devices; they go through the host");
            }
        }
        peers.push(other.0.device);
        Ok(())
    }

    /// Makes this the thread's current context.
    pub(crate) fn bind(&self) -> Result<(), CudaError> {
        // SAFETY: the context is open while `self` lives.
        unsafe { self.driver().ctx_set_current(self.0.raw) }
            .check(self.driver(), || format!("entering the context of device {}", self.ordinal()))
    }

    /// Makes [`wait_idle`](Self::wait_idle) wait for this stream, too.
    pub(crate) fn opened(&self, stream: CUstream) {
        self.streams().push(stream);
    }

    /// The stream has no work and gets none; it may be destroyed after this.
    pub(crate) fn closed(&self, stream: CUstream) {
        self.streams().retain(|open| *open != stream);
    }

    fn streams(&self) -> MutexGuard<'_, Vec<CUstream>> {
        self.0.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for everything on the context's streams. (`cuCtxSynchronize` would, too, but it fails while any thread records
    /// a graph, and breaks that recording.)
    pub(crate) fn wait_idle(&self) -> Result<(), CudaError> {
        self.bind()?;
        for stream in &*self.streams() {
            // SAFETY: a stream is destroyed after its removal from the list, which is locked.
            unsafe { self.driver().stream_synchronize(*stream) }
                .check(self.driver(), || format!("waiting for the streams of device {}", self.ordinal()))?;
        }
        Ok(())
    }

    /// Waits for everything in the context, including streams of other libraries. Fails while any thread records a graph,
    /// and breaks that recording.
    pub(crate) fn wait_for_all(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the context is the thread's current one.
        unsafe { self.driver().ctx_synchronize() }
            .check(self.driver(), || format!("waiting for all work of device {}", self.ordinal()))
    }

    /// Allocates device memory, which the caller frees.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<CUdeviceptr, CudaError> {
        self.bind()?;
        let mut address = 0;
        // SAFETY: writes an address.
        let code = unsafe { self.driver().mem_alloc(&raw mut address, bytes) };
        self.memory_result(code, bytes, || format!("allocating {bytes} bytes on device {}", self.ordinal()))?;
        Ok(address)
    }

    /// Allocates memory that host and device access at one address. The caller frees it.
    pub(crate) fn allocate_managed(&self, bytes: usize) -> Result<CUdeviceptr, CudaError> {
        /// All streams may use it.
        const ATTACH_GLOBAL: u32 = 1;
        self.bind()?;
        let mut address = 0;
        // SAFETY: writes an address.
        let code = unsafe { self.driver().mem_alloc_managed(&raw mut address, bytes, ATTACH_GLOBAL) };
        self.memory_result(code, bytes, || format!("allocating {bytes} unified bytes on device {}", self.ordinal()))?;
        Ok(address)
    }

    /// An error with the available memory, if memory is missing.
    pub(crate) fn memory_result(
        &self,
        code: Code,
        bytes: usize,
        operation: impl FnOnce() -> String,
    ) -> Result<(), CudaError> {
        if code != Code::OUT_OF_MEMORY {
            return code.check(self.driver(), operation);
        }
        let DeviceMemory { free, total } = self.memory().unwrap_or(DeviceMemory { free: 0, total: 0 });
        Err(CudaError::OutOfMemory { operation: operation(), bytes, free, total })
    }
}

/// The current context of a thread, which another library may have made.
pub(crate) struct Current {
    driver: &'static Driver,
    raw: CUcontext,
}

impl Current {
    /// The current context of the calling thread.
    pub(crate) fn of_thread() -> Option<Self> {
        let driver = driver().ok()?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes a handle, null if there is none.
        let code = unsafe { driver.ctx_get_current(&raw mut raw) };
        (code == Code::SUCCESS).then_some(Self { driver, raw })
    }

    pub(crate) fn restore(self) {
        // SAFETY: it was the thread's context before. The driver refuses a context that was destroyed in the meantime.
        unsafe { self.driver.ctx_set_current(self.raw) }.warn(self.driver, "going back to the caller's context");
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("ordinal", &self.ordinal()).finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: retained once, and nothing made with it remains.
        unsafe { self.driver.primary_ctx_release(self.device) }.warn(self.driver, "closing a context");
    }
}
