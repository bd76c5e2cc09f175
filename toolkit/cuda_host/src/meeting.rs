//! Launches whose blocks meet.

use crate::device::multiprocessors;
use crate::module::LoadedKernel;
use crate::{CudaError, DeviceBuffer, DeviceViewMut, Stream};

/// The memory that blocks share to meet, kept for the next such launch on the stream: eight words for the launch, and eight
/// for each block. The first word counts arrivals.
#[derive(Default)]
pub(crate) struct Meeting(Option<DeviceBuffer<u64>>);

impl Meeting {
    /// The memory for a launch of `blocks`, with a count of zero.
    pub(crate) fn begin(&mut self, stream: &Stream, blocks: u32) -> Result<DeviceViewMut<'_, u64>, CudaError> {
        let words = 8 + 8 * blocks as usize;
        let buffer = match self.0.take() {
            Some(buffer) if buffer.len() >= words => buffer,
            // Blocks write a word before others read it, but for the first eight.
            _ => DeviceBuffer::unwritten(stream.context(), words)?,
        };
        let buffer = self.0.insert(buffer);
        buffer.view_mut().slice(..8)?.zero(stream)?;
        Ok(buffer.view_mut())
    }
}

/// How many blocks of `threads` threads are on the kernel's device at the same time.
pub(crate) fn most_blocks(kernel: &LoadedKernel, threads: u32) -> Result<u32, CudaError> {
    let on_one = kernel.blocks_per_multiprocessor(threads, 0)?;
    Ok(on_one.saturating_mul(multiprocessors(kernel.module().context().ordinal())?))
}
