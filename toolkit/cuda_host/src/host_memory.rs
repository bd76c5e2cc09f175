//! Page-locked memory of the host.

use crate::driver::Code;
use crate::{Context, CudaError};
use std::ffi::c_void;
use std::ptr::{self, NonNull};

const PORTABLE: u32 = 1;
const DEVICE_MAP: u32 = 2;

/// Page-locked bytes that devices can access, too. They are zero at first, and aligned to a page.
pub(crate) struct HostMemory {
    context: Context,
    pointer: NonNull<c_void>,
    /// Whether it is never freed.
    is_left: bool,
}

// SAFETY: owned memory; any thread may free it.
unsafe impl Send for HostMemory {}
// SAFETY: shared access gives out the address alone.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    pub(crate) fn new(context: &Context, bytes: usize) -> Result<Self, CudaError> {
        context.bind()?;
        let mut pointer = ptr::null_mut();
        let size = bytes.max(1);
        // SAFETY: writes an address. Not write-combined: the host reads it back.
        let code = unsafe { context.driver().mem_host_alloc(&raw mut pointer, size, PORTABLE | DEVICE_MAP) };
        if code != Code::OUT_OF_MEMORY {
            code.check(context.driver(), || format!("allocating {bytes} bytes of page-locked memory"))?;
        }
        let pointer = NonNull::new(pointer).ok_or(CudaError::OutOfPinnedMemory { bytes })?;
        // SAFETY: `size` bytes were allocated.
        unsafe { pointer.cast::<u8>().write_bytes(0, size) };
        Ok(Self { context: context.clone(), pointer, is_left: false })
    }

    /// Leaks the memory: the device may use it, and nothing can wait for that.
    pub(crate) fn leave(&mut self) {
        self.is_left = true;
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn pointer(&self) -> NonNull<c_void> {
        self.pointer
    }

    /// The address that a kernel uses.
    pub(crate) fn device_address(&self) -> Result<u64, CudaError> {
        self.context.bind()?;
        let driver = self.context.driver();
        let mut address = 0;
        // SAFETY: the memory was allocated for this.
        unsafe { driver.mem_host_get_device_pointer(&raw mut address, self.pointer.as_ptr(), 0) }
            .check(driver, || "asking for the device's address of page-locked memory".to_owned())?;
        Ok(address)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        if !self.is_left && self.context.bind().is_ok() {
            // SAFETY: allocated once; whoever owns this has waited for the device's work on it.
            unsafe { self.context.driver().mem_free_host(self.pointer.as_ptr()) }
                .warn(self.context.driver(), "freeing page-locked memory");
        }
    }
}
