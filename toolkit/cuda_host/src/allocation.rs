//! An allocation of device memory, with its uses by streams.

use crate::driver::CUdeviceptr;
use crate::host_memory::HostMemory;
use crate::pool::{Lease, PoolBlock};
use crate::slot::Watch;
use crate::stream::{Recorded, Stream};
use crate::usage::{Access, Begun, Usage};
use crate::written::Written;
use crate::{Context, CudaError};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Memory of a device that a [`MemorySource`](crate::MemorySource) gives to a pool. It records the work that uses it, and is
/// freed after that work.
pub struct DeviceBlock {
    context: Context,
    address: CUdeviceptr,
    bytes: usize,
    backing: Backing,
    pub(crate) usage: Usage<Stream>,
    pub(crate) written: Written,
}

/// The address of the bytes, and how they are freed.
enum Backing {
    /// Allocated by the block, which frees them.
    Device,
    /// Allocated by the block, which frees them: unified memory, which host and device access at one address.
    Unified,
    /// Page-locked memory of the host, which frees itself.
    Host { _memory: HostMemory },
    /// Memory of an owner, such as another library, which frees them when this is dropped.
    Foreign { _owner: Box<dyn Send + Sync> },
    /// Memory of another library until a scope ends, which waits for all work.
    InScope,
    /// Leaked.
    Left,
}

impl DeviceBlock {
    pub(crate) fn allocate(context: &Context, bytes: usize) -> Result<Self, CudaError> {
        // At least one byte, so that there is always an address.
        let bytes = bytes.max(1);
        let address = context.allocate(bytes)?;
        Ok(Self::new(context, address, bytes, Backing::Device))
    }

    /// Zeros in page-locked memory of the host, and their address on the host.
    pub(crate) fn allocate_mapped(context: &Context, bytes: usize) -> Result<(Self, *mut u8), CudaError> {
        let bytes = bytes.max(1);
        let memory = HostMemory::new(context, bytes)?;
        let (pointer, address) = (memory.pointer().as_ptr().cast(), memory.device_address()?);
        Ok((Self::new(context, address, bytes, Backing::Host { _memory: memory }), pointer))
    }

    /// Zeroed unified memory, and its address on the host.
    pub(crate) fn allocate_unified(context: &Context, bytes: usize) -> Result<(Self, *mut u8), CudaError> {
        let bytes = bytes.max(1);
        let address = context.allocate_managed(bytes)?;
        let block = Self::new(context, address, bytes, Backing::Unified);
        let pointer = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        // SAFETY: the bytes were just allocated at an address that the host may use, and there is no other reference to
        // them.
        unsafe { pointer.write_bytes(0, bytes) };
        Ok((block, pointer))
    }

    /// Memory of another library.
    ///
    /// # Safety
    /// As for [`DeviceBuffer::from_foreign`](crate::DeviceBuffer::from_foreign).
    pub(crate) unsafe fn foreign(
        context: &Context,
        address: CUdeviceptr,
        bytes: usize,
        owner: Box<dyn Send + Sync>,
    ) -> Self {
        Self::new(context, address, bytes, Backing::Foreign { _owner: owner })
    }

    /// Memory of another library, for a scope.
    ///
    /// # Safety
    /// As for [`ForeignScope::buffer`](crate::ForeignScope::buffer).
    pub(crate) unsafe fn in_scope(context: &Context, address: CUdeviceptr, bytes: usize) -> Self {
        Self::new(context, address, bytes, Backing::InScope)
    }

    fn new(context: &Context, address: CUdeviceptr, bytes: usize, backing: Backing) -> Self {
        let (usage, written) = (Usage::new(), Written::default());
        Self { context: context.clone(), address, bytes, backing, usage, written }
    }

    /// The number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the bytes are in host memory, for which the driver's copies with an explicit direction would be wrong.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.backing, Backing::Host { .. })
    }

    /// Whether the driver has to find out by itself on which side the bytes are.
    pub(crate) fn is_visible(&self) -> bool {
        matches!(self.backing, Backing::Host { .. } | Backing::Unified)
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// A multiple of 256, so aligned for every type; in another library's memory, aligned for its elements.
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// An error if work on this stream must not use the memory: the stream is of another device, or it records a graph and
    /// the memory is lent only until a scope ends.
    pub(crate) fn check_stream(&self, stream: &Stream, operation: &'static str) -> Result<(), CudaError> {
        if matches!(self.backing, Backing::InScope) {
            stream.check_runs(operation)?;
        }
        stream.check_device(&self.context, operation)
    }

    /// As [`check_stream`](Self::check_stream), for a copy between devices, whose stream may be of the other device. Memory that
    /// is lent for a scope takes none of those: the scope waits for its own device.
    pub(crate) fn check_peer(&self, stream: &Stream, operation: &'static str) -> Result<(), CudaError> {
        if matches!(self.backing, Backing::InScope) { self.check_stream(stream, operation) } else { Ok(()) }
    }

    /// An error if it is known that a launch that wrote some of `bytes` has panicked. Called after the use has begun, so that a
    /// panic that becomes known in between is not missed.
    pub(crate) fn check_readable(&self, bytes: &Range<usize>, operation: &'static str) -> Result<(), CudaError> {
        match self.written.known_panic(bytes) {
            Some(panic) => Err(CudaError::Poisoned { operation, panic: Box::new(panic) }),
            None => Ok(()),
        }
    }

    /// An error if a launch that wrote some of `bytes` has panicked.
    pub(crate) fn check_written(&self, bytes: &Range<usize>, operation: &'static str) -> Result<(), CudaError> {
        match self.written.panic(bytes) {
            Some(panic) => Err(CudaError::Poisoned { operation, panic: Box::new(panic) }),
            None => Ok(()),
        }
    }
}

impl PoolBlock for DeviceBlock {
    type User = Stream;

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn is_quiet(&self, user: &Stream) -> bool {
        self.usage.is_quiet(user)
    }

    fn retire(&mut self) -> Result<(), CudaError> {
        self.usage.retire()
    }

    fn renew(&mut self) {
        self.written.forget();
    }
}

impl Drop for DeviceBlock {
    /// Waits for the work that uses the memory, then frees it. If waiting fails, the memory is leaked, because work may still
    /// use it.
    fn drop(&mut self) {
        if matches!(self.backing, Backing::InScope) {
            // The scope waits for it.
            return;
        }
        if let Err(error) = self.usage.wait() {
            std::mem::forget(std::mem::replace(&mut self.backing, Backing::Left));
            tracing::warn!("memory of device {} is not used again: {error}", self.context.ordinal());
        }
        if let Backing::Device | Backing::Unified = self.backing
            && self.context.bind().is_ok()
        {
            let driver = self.context.driver();
            // SAFETY: allocated once; no work on it is queued any more.
            unsafe { driver.mem_free(self.address) }.warn(driver, "freeing device memory");
        }
    }
}

impl fmt::Debug for DeviceBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, device) = (self.bytes, self.context.ordinal());
        f.debug_struct("DeviceBlock").field("bytes", &bytes).field("device", &device).finish_non_exhaustive()
    }
}

/// The memory of one buffer, and of the graphs that use it.
#[derive(Clone)]
pub(crate) struct Memory(Arc<Lease<DeviceBlock>>);

impl Memory {
    pub(crate) fn new(lease: Lease<DeviceBlock>) -> Self {
        Self(Arc::new(lease))
    }

    pub(crate) fn lease(&self) -> &Lease<DeviceBlock> {
        &self.0
    }

    /// For a graph that keeps it.
    pub(crate) fn recorded(&self) -> Arc<dyn Recorded<Stream>> {
        self.0.clone()
    }

    /// Whether a graph also has it.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Called before work on `bytes` is queued on a stream. A stream that records a graph records the use.
    pub(crate) fn begin(
        &self,
        stream: &Stream,
        access: Access,
        bytes: Range<usize>,
        operation: &'static str,
    ) -> Result<Begun, CudaError> {
        self.check_stream(stream, operation)?;
        match stream.recording() {
            Some(recording) => Ok(recording.note(self.recorded(), access, bytes)),
            None => self.usage.begin(stream, access),
        }
    }

    /// Called after it was queued.
    pub(crate) fn end(&self, stream: &Stream, access: Access, begun: Begun) {
        if stream.recording().is_none() {
            self.usage.end(stream, access, begun);
        }
    }

    /// Records that a queued launch or copy on the device writes `bytes`, with the stream's watch from before.
    pub(crate) fn written_by_launch(&self, stream: &Stream, bytes: Range<usize>, watch: Watch) {
        if stream.recording().is_none() {
            self.written.by_launch(bytes, watch);
        }
    }

    /// Records that the host has written `bytes`.
    pub(crate) fn written_by_host(&self, stream: &Stream, bytes: &Range<usize>) {
        if stream.recording().is_none() {
            self.written.by_host(bytes);
        }
    }
}

impl Recorded<Stream> for Lease<DeviceBlock> {
    fn begin(&self, stream: &Stream, access: Access, operation: &'static str) -> Result<Begun, CudaError> {
        self.check_stream(stream, operation)?;
        self.usage.begin(stream, access)
    }

    fn check_readable(&self, bytes: &Range<usize>, operation: &'static str) -> Result<(), CudaError> {
        (**self).check_readable(bytes, operation)
    }

    fn end(&self, stream: &Stream, access: Access, begun: Begun) {
        self.usage.end(stream, access, begun);
    }

    fn written(&self, bytes: Range<usize>, watches: [Watch; 2]) {
        self.written.by_graph(bytes, watches);
    }
}

impl Deref for Memory {
    type Target = DeviceBlock;

    fn deref(&self) -> &DeviceBlock {
        &self.0
    }
}
