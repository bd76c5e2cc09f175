//! Small buffers that one copy fills.

use crate::allocation::Memory;
use crate::buffer::byte_len;
use crate::{CudaError, DeviceBuffer, DeviceOffsets, DeviceViewMut, GpuBufferPool, PinnedBuffer, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::launch::Offsets;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Buffers side by side in one allocation. Their elements are gathered in page-locked memory, and one copy takes them all to the
/// device. This is for many small buffers: queueing a copy for each would take longer than the copies.
///
/// The buffers are used like others, but cannot grow in place: a buffer that needs more room gets memory of its own. The
/// allocation is freed with the last buffer.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, GpuBufferPool, Parcel, PinnedBuffer};
///
/// let context = Context::new(0)?;
/// let (stream, pool) = (context.stream()?, GpuBufferPool::new(&context));
/// let mut parcel = Parcel::new(&pool, &stream, PinnedBuffer::zeroed(&context, 4096)?, 4096)?;
/// let numbers = parcel.add(&[1.5f32, 2.5])?.expect("there is room for 4096 bytes");
/// let words = parcel.add(&[7u32; 100])?.expect("and for these");
/// parcel.send(&stream)?; // does not wait
/// assert_eq!(numbers.download(&stream)?, [1.5, 2.5]);
/// assert_eq!(words.download(&stream)?, [7; 100]);
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/parcels.rs` runs such code if there is one.
pub struct Parcel {
    memory: Memory,
    staged: PinnedBuffer<u8>,
    /// Bytes that buffers may take, and those that they have taken.
    bytes: usize,
    used: usize,
    /// Set when the copy is queued: kernels use offsets without a check, so none may read them before.
    sent: Arc<AtomicBool>,
}

impl Parcel {
    /// Room for `bytes` bytes of `pool`, gathered in `staged`; less if `staged` is shorter.
    ///
    /// # Errors
    /// Those of [`GpuBufferPool::lease`].
    pub fn new(
        pool: &GpuBufferPool,
        stream: &Stream,
        staged: PinnedBuffer<u8>,
        bytes: usize,
    ) -> Result<Self, CudaError> {
        stream.check_runs("a parcel")?;
        let bytes = bytes.min(staged.len());
        let memory = pool.lease::<u8>(stream, bytes)?.memory().clone();
        Ok(Self { memory, staged, bytes, used: 0, sent: Arc::default() })
    }

    /// A buffer that has these elements once the parcel is [sent](Self::send); before, its contents are unspecified. `None`
    /// if there is no room for them.
    ///
    /// # Errors
    /// Those of [`PinnedBuffer::as_mut_slice`].
    pub fn add<T: DeviceLayout>(&mut self, elements: &[T]) -> Result<Option<DeviceBuffer<T>>, CudaError> {
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let begin = self.used.next_multiple_of(unit::<T>());
        let end = begin.saturating_add(byte_len::<T>(elements.len())?);
        if end > self.bytes {
            return Ok(None);
        }
        self.staged.as_mut_slice()?[begin..end].copy_from_slice(bytes);
        self.used = end;
        Ok(Some(DeviceBuffer::part(&self.memory, begin..end, elements.len())))
    }

    /// As [`add`](Self::add), for offsets. They have no segments until the parcel is sent.
    ///
    /// # Errors
    /// The same.
    pub fn add_offsets(&mut self, offsets: &Offsets) -> Result<Option<DeviceOffsets>, CudaError> {
        Ok(self.add(offsets.as_slice())?.map(|buffer| DeviceOffsets::in_parcel(buffer, offsets, &self.sent)))
    }

    /// Queues the copy, without waiting. Work on the buffers on other streams waits for it on the device.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn send(self, stream: &Stream) -> Result<(), CudaError> {
        self.staged.upload(stream, DeviceViewMut::new(&self.memory, 0, self.used))?;
        self.sent.store(true, Ordering::Release);
        Ok(())
    }
}

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parcel").field("bytes", &self.bytes).field("used", &self.used).finish_non_exhaustive()
    }
}

/// Elements begin at multiples of this: aligned, also for wide loads, and a whole number of elements from the allocation's start.
fn unit<T>() -> usize {
    const WIDEST_LOAD: usize = 16;
    let (align, size) = (align_of::<T>().max(WIDEST_LOAD), size_of::<T>().max(1));
    // Both divide it, and it is the least: an alignment is a power of two.
    size * (align / (1 << size.trailing_zeros().min(align.trailing_zeros())))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::unit;

    #[test]
    fn elements_begin_where_they_are_aligned_and_countable() {
        assert_eq!([unit::<u8>(), unit::<u32>(), unit::<u64>(), unit::<[u32; 4]>()], [16; 4]);
        assert_eq!([unit::<[f32; 3]>(), unit::<[f64; 3]>(), unit::<[u32; 5]>()], [48, 48, 80]);
        assert_eq!([unit::<[u32; 32]>(), unit::<()>()], [128, 16]);
    }
}
