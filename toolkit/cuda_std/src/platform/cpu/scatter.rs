//! Writing to computed indices: blocks on other cores may write at the same time.

use super::SharedPointer;
use bytemuck::Pod;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A bit for each element of a buffer that says whether the element has been written.
pub(crate) struct WriteOnce(Box<[AtomicU32]>);

impl WriteOnce {
    pub(crate) fn new(len: u32) -> Self {
        Self((0..len.div_ceil(32)).map(|_| AtomicU32::new(0)).collect())
    }

    /// Marks element `i` as written, and returns whether this was the first time.
    ///
    /// # Safety
    /// None, but a device trusts the index.
    #[inline(always)]
    pub(crate) unsafe fn is_first(&self, i: u32) -> bool {
        let bit = 1 << (i % 32);
        self.0[i as usize / 32].fetch_or(bit, Relaxed) & bit == 0
    }
}

/// # Safety
/// The element exists, and nothing else accesses it.
#[inline(always)]
pub(crate) unsafe fn store_scattered<T>(to: *mut T, value: T) {
    // SAFETY: ensured by the caller.
    unsafe { to.write(value) };
}

/// A bit for each element of a shared array that says whether the element has been written.
pub(crate) struct AllWritten(WriteOnce);

impl AllWritten {
    pub(crate) fn new(len: u32) -> Self {
        Self(WriteOnce::new(len))
    }

    /// Marks element `i`, which exists, as written, and returns whether this was the first time.
    #[inline(always)]
    pub(crate) fn is_first(&self, i: u32) -> bool {
        // SAFETY: nothing to ensure here.
        unsafe { self.0.is_first(i) }
    }

    /// Whether all `len` elements have been written.
    pub(crate) fn are_all(&self, len: u32) -> bool {
        let written: u32 = self.0.0.iter().map(|word| word.load(Relaxed).count_ones()).sum();
        written == len
    }
}

impl<T: Pod> SharedPointer<T> {
    /// # Safety
    /// As for [`store`](Self::store).
    #[inline(always)]
    pub(crate) unsafe fn store_scattered(self, i: u32, value: T) {
        // SAFETY: the caller's.
        unsafe { self.store(i, value) };
    }
}
