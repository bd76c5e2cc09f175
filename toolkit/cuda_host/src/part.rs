//! Bytes of a device's memory: views without the type of their elements. Copies are compiled here, once for all types.

use crate::allocation::Memory;
use crate::driver::CUdeviceptr;
use crate::slot::Watch;
use crate::usage::Access;
use crate::{CudaError, Stream};
use std::ops::{Bound, Range, RangeBounds};

/// Some bytes, borrowed by a view.
pub(crate) struct Part<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) bytes: Range<usize>,
}

impl Part<'_> {
    fn address(&self) -> CUdeviceptr {
        self.memory.address() + self.bytes.start as u64
    }

    fn download_described(&self, stream: &Stream) -> String {
        format!("copying {} bytes from device {}", self.bytes.len(), stream.context().ordinal())
    }

    fn upload_described(&self, stream: &Stream) -> String {
        format!("copying {} bytes to device {}", self.bytes.len(), stream.context().ordinal())
    }

    /// Copies to the host, and waits for the end of it.
    ///
    /// # Safety
    /// `to` has room for as many bytes.
    pub(crate) unsafe fn download(
        &self,
        stream: &Stream,
        to: *mut u8,
        operation: &'static str,
    ) -> Result<(), CudaError> {
        stream.check_waits(operation, || self.download_described(stream))?;
        let turn = stream.enter(operation)?;
        let begun = self.memory.begin(stream, Access::Read, self.bytes.clone(), operation)?;
        // SAFETY: the caller's, until the copy has ended: also when there was an error, since the stream is waited for in
        // any case.
        let copied = unsafe { self.copy_to(stream, to) };
        self.memory.end(stream, Access::Read, begun);
        drop(turn);
        let waited = stream.wait_for_borrowed();
        copied.and(waited)?;
        stream.report()?;
        // Someone else may have had the report.
        self.memory.check_written(&self.bytes, operation)
    }

    /// Queues a copy to the host.
    ///
    /// # Safety
    /// `to` has room for as many bytes until the copy has ended.
    pub(crate) unsafe fn copy_to(&self, stream: &Stream, to: *mut u8) -> Result<(), CudaError> {
        let bytes = self.bytes.len();
        if bytes == 0 {
            return Ok(());
        }
        stream.context().bind()?;
        let (driver, from) = (stream.driver(), self.address());
        // SAFETY: both memories have these bytes, the caller's by its promise.
        let code = unsafe {
            if self.memory.is_mapped() {
                driver.memcpy_async(to.expose_provenance() as CUdeviceptr, from, bytes, stream.raw())
            } else {
                driver.memcpy_dtoh_async(to.cast(), from, bytes, stream.raw())
            }
        };
        stream.note_queued();
        stream.check(code, || self.download_described(stream))
    }

    /// Copies from the host, and waits for the end of it.
    ///
    /// # Safety
    /// `from` has as many bytes.
    pub(crate) unsafe fn upload(
        &self,
        stream: &Stream,
        from: *const u8,
        operation: &'static str,
    ) -> Result<(), CudaError> {
        stream.check_waits(operation, || self.upload_described(stream))?;
        // SAFETY: the caller's, until the copy has ended: also when there was an error, since the stream is waited for in
        // any case.
        let copied = unsafe { self.copy_from(stream, from, operation) };
        let waited = stream.wait_for_borrowed();
        copied.and(waited)
    }

    /// Queues a copy from the host.
    ///
    /// # Safety
    /// `from` has as many bytes, which nobody changes until the copy has ended.
    pub(crate) unsafe fn copy_from(
        &self,
        stream: &Stream,
        from: *const u8,
        operation: &'static str,
    ) -> Result<(), CudaError> {
        let (bytes, driver, is_mapped) = (self.bytes.len(), stream.driver(), self.memory.is_mapped());
        self.write(stream, operation, &|to| {
            // SAFETY: both memories have these bytes, the caller's by its promise.
            let code = unsafe {
                if is_mapped {
                    driver.memcpy_async(to, from.expose_provenance() as CUdeviceptr, bytes, stream.raw())
                } else {
                    driver.memcpy_htod_async(to, from.cast(), bytes, stream.raw())
                }
            };
            stream.check(code, || self.upload_described(stream))
        })
    }

    /// Queues a copy from another device. The stream is of either.
    fn copy_from_peer(&self, stream: &Stream, from: &Part<'_>, operation: &'static str) -> Result<(), CudaError> {
        // The launches of a graph are ordered with other work of one device.
        stream.check_runs(operation)?;
        let is_own = |part: &Part<'_>| stream.context().is(part.memory.context());
        let peer = match (is_own(self), is_own(from)) {
            (true, _) => from,
            (_, true) => self,
            _ => return stream.check_device(self.memory.context(), operation),
        };
        peer.memory.check_peer(stream, operation)?;
        stream.context().reach(peer.memory.context())?;
        let bytes = self.bytes.len();
        let _turns = stream.enter_with(peer.memory.context());
        let watch = Watch::new(stream.slot());
        let reading = from.memory.usage.begin(stream, Access::Read)?;
        from.memory.check_readable(&from.bytes, operation)?;
        let writing = self.memory.usage.begin(stream, Access::Write)?;
        if bytes == 0 {
            return Ok(());
        }
        stream.context().bind()?;
        let (driver, to_context, from_context) =
            (stream.driver(), self.memory.context().raw(), from.memory.context().raw());
        // SAFETY: both memories have these bytes, in the contexts that they were made with; they do not overlap.
        let code = unsafe {
            if self.memory.is_visible() || from.memory.is_visible() {
                driver.memcpy_async(self.address(), from.address(), bytes, stream.raw())
            } else {
                driver.memcpy_peer_async(self.address(), to_context, from.address(), from_context, bytes, stream.raw())
            }
        };
        stream.note_queued();
        self.memory.end(stream, Access::Write, writing);
        from.memory.end(stream, Access::Read, reading);
        self.memory.written_by_launch(stream, self.bytes.clone(), watch);
        stream.check(code, || {
            let (to, from) = (self.memory.context().ordinal(), from.memory.context().ordinal());
            format!("copying {bytes} bytes from device {from} to device {to}")
        })
    }

    /// Queues zeros.
    pub(crate) fn zero(&self, stream: &Stream) -> Result<(), CudaError> {
        let bytes = self.bytes.len();
        self.write(stream, "zeroing device memory", &|to| {
            // SAFETY: the memory has these bytes.
            let code = unsafe { stream.driver().memset_d8_async(to, 0, bytes, stream.raw()) };
            stream.check(code, || format!("zeroing {bytes} bytes of device {}", stream.context().ordinal()))
        })
    }

    /// Queues a copy from elsewhere on the device, of as many bytes.
    pub(crate) fn copy_from_part(
        &self,
        stream: &Stream,
        from: &Part<'_>,
        operation: &'static str,
    ) -> Result<(), CudaError> {
        debug_assert_eq!(self.bytes.len(), from.bytes.len());
        if !self.memory.context().is(from.memory.context()) {
            return self.copy_from_peer(stream, from, operation);
        }
        let bytes = self.bytes.len();
        let _turn = stream.enter(operation)?;
        let watch = Watch::new(stream.slot());
        let begun = from.memory.begin(stream, Access::Read, from.bytes.clone(), operation)?;
        from.memory.check_readable(&from.bytes, operation)?;
        let (driver, is_mapped) = (stream.driver(), self.memory.is_mapped() || from.memory.is_mapped());
        let copied = self.queue_write(stream, operation, &|to| {
            // SAFETY: both memories have these bytes; they do not overlap, since one is borrowed mutably.
            let code = unsafe {
                if is_mapped {
                    driver.memcpy_async(to, from.address(), bytes, stream.raw())
                } else {
                    driver.memcpy_dtod_async(to, from.address(), bytes, stream.raw())
                }
            };
            stream.check(code, || format!("copying {bytes} bytes on device {}", stream.context().ordinal()))
        });
        from.memory.end(stream, Access::Read, begun);
        self.memory.written_by_launch(stream, self.bytes.clone(), watch);
        copied
    }

    fn write(
        &self,
        stream: &Stream,
        operation: &'static str,
        queue: &dyn Fn(CUdeviceptr) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let _turn = stream.enter(operation)?;
        self.queue_write(stream, operation, queue)
    }

    fn queue_write(
        &self,
        stream: &Stream,
        operation: &'static str,
        queue: &dyn Fn(CUdeviceptr) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let begun = self.memory.begin(stream, Access::Write, self.bytes.clone(), operation)?;
        if self.bytes.is_empty() {
            return Ok(());
        }
        stream.context().bind()?;
        let queued = queue(self.address());
        stream.note_queued();
        self.memory.end(stream, Access::Write, begun);
        queued?;
        self.memory.written_by_host(stream, &self.bytes);
        Ok(())
    }
}

/// The range of `bounds` in a buffer of `len` elements.
pub(crate) fn resolve(bounds: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>, CudaError> {
    let start = match bounds.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match bounds.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    if start <= end && end <= len { Ok(start..end) } else { Err(CudaError::OutOfBounds { range: start..end, len }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_slices() {
        assert_eq!(resolve(.., 5).unwrap(), 0..5);
        assert_eq!(resolve(2.., 5).unwrap(), 2..5);
        assert_eq!(resolve(..=4, 5).unwrap(), 0..5);
        assert_eq!(resolve(5..5, 5).unwrap(), 5..5);
        for (range, text) in [(4..6, "4..6"), (6..6, "6..6")] {
            let error = resolve(range, 5).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("of 5"), "{error}");
        }
        assert!(resolve(..=usize::MAX, 5).is_err());
        let (start, end) = (3, 2);
        assert!(resolve(start..end, 5).is_err());
    }
}
