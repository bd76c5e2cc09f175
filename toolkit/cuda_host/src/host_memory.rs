//! Page-locked memory of the host.

use crate::driver::Code;
use crate::{Context, CudaError};
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr::{self, NonNull};

const PORTABLE: u32 = 1;
const DEVICE_MAP: u32 = 2;
/// Less memory comes from the driver.
const HUGE_PAGE: usize = 2 << 20;

/// Page-locked bytes that devices can access, too. They are zero at first, and aligned to a page.
pub(crate) struct HostMemory {
    context: Context,
    pointer: NonNull<c_void>,
    /// The program's own memory, which was page-locked; `None` if the driver allocated it.
    own: Option<Layout>,
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
        let size = bytes.max(1);
        if size >= HUGE_PAGE
            && let Some((pointer, layout)) = registered(context, size)
        {
            return Ok(Self { context: context.clone(), pointer, own: Some(layout), is_left: false });
        }
        let mut pointer = ptr::null_mut();
        // SAFETY: writes an address. Not write-combined: the host reads it back.
        let code = unsafe { context.driver().mem_host_alloc(&raw mut pointer, size, PORTABLE | DEVICE_MAP) };
        if code != Code::OUT_OF_MEMORY {
            code.check(context.driver(), || format!("allocating {bytes} bytes of page-locked memory"))?;
        }
        let pointer = NonNull::new(pointer).ok_or(CudaError::OutOfPinnedMemory { bytes })?;
        // SAFETY: `size` bytes were allocated.
        unsafe { pointer.cast::<u8>().write_bytes(0, size) };
        Ok(Self { context: context.clone(), pointer, own: None, is_left: false })
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
        if self.is_left || self.context.bind().is_err() {
            return;
        }
        let driver = self.context.driver();
        let Some(layout) = self.own else {
            // SAFETY: allocated once; whoever owns this has waited for the device's work on it.
            unsafe { driver.mem_free_host(self.pointer.as_ptr()) }.warn(driver, "freeing page-locked memory");
            return;
        };
        // SAFETY: registered once; whoever owns this has waited for the device's work on it.
        let code = unsafe { driver.host_unregister(self.pointer.as_ptr()) };
        if code == Some(Code::SUCCESS) {
            // SAFETY: allocated with this layout, and no device knows it any longer.
            unsafe { dealloc(self.pointer.as_ptr().cast(), layout) };
        }
    }
}

/// Page-locked memory in huge pages, zeroed; `None` if there is no such memory. The driver locks page by page, and takes 0.4 ms for a
/// megabyte of ordinary pages.
fn registered(context: &Context, bytes: usize) -> Option<(NonNull<c_void>, Layout)> {
    let layout = Layout::from_size_align(bytes.checked_next_multiple_of(HUGE_PAGE)?, HUGE_PAGE).ok()?;
    // SAFETY: the layout has a size.
    let pointer = NonNull::new(unsafe { alloc(layout) })?;
    advise(pointer, layout.size());
    // SAFETY: so many bytes were allocated.
    unsafe { pointer.write_bytes(0, layout.size()) };
    let pointer = pointer.cast::<c_void>();
    // SAFETY: the memory is freed only after it is unregistered.
    let code = unsafe { context.driver().host_register(pointer.as_ptr(), layout.size(), PORTABLE | DEVICE_MAP) };
    if code == Some(Code::SUCCESS) {
        return Some((pointer, layout));
    }
    // SAFETY: allocated above with this layout; the driver did not take it.
    unsafe { dealloc(pointer.as_ptr().cast(), layout) };
    None
}

/// Asks for huge pages.
#[cfg(target_os = "linux")]
fn advise(pointer: NonNull<u8>, bytes: usize) {
    const HUGE: i32 = 14;
    // SAFETY: the C library's function, which the standard library links.
    unsafe extern "C" {
        fn madvise(address: *mut c_void, bytes: usize, advice: i32) -> i32;
    }
    // SAFETY: whole pages of this program's own memory. This advice changes neither contents nor access.
    let _ = unsafe { madvise(pointer.as_ptr().cast(), bytes, HUGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: NonNull<u8>, _: usize) {}
