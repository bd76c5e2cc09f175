//! A device's memory, as batches use it.

use super::locked::AtomRuns;
use super::staging::Staging;
use crate::memory::{Memory, none};
use cuda_host::{
    CudaError, Device, DeviceBuffer, DeviceOffsets, DeviceView, DeviceViewMut, GpuBufferPool, Parcel, Stream,
};
use cuda_layout::DeviceLayout;
use cuda_std::launch::Offsets;
use shared_types::Atom;
use std::sync::{Arc, Mutex, PoisonError};

/// Memory of a pool, used on one stream. Cheap to clone.
///
/// ```no_run
/// use cuda_host::{CudaExecutor, GpuBufferPool};
/// use prism_engine::{DeviceBatch, DeviceMemory, Memory, Staging};
/// use shared_types::MegaFusedConfig;
///
/// let executor = CudaExecutor::open(0, "kernels", prism_engine::kernel_image())?;
/// let (stream, pool) = (executor.stream(), GpuBufferPool::new(executor.context()));
/// let memory = DeviceMemory::new(stream, &pool, Some(Staging::new(executor.context(), 1)?));
/// let batch = DeviceBatch::in_memory(&memory, MegaFusedConfig::default())?;
///
/// let (mut buffer, mut found) = (memory.empty::<f32>()?, [0.0; 2]);
/// memory.copy_to(&mut buffer, &[1.5, -2.5])?;
/// memory.copy_from(&buffer, &mut found)?;
/// assert_eq!(found, [1.5, -2.5]);
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
///
/// Every slot of [`DeviceSlots`](super::DeviceSlots) has one. Their tests (`chunks` of `fused_gpu`) run it on a device.
#[derive(Clone, Debug)]
pub struct DeviceMemory {
    stream: Stream,
    pool: GpuBufferPool,
    staging: Option<Staging>,
    /// Collects copies to the device.
    parcel: Option<Arc<Mutex<Option<Parcel>>>>,
}

impl DeviceMemory {
    /// Memory of `pool`, used on `stream`. Copies from and to the host go through `staging`, or directly if there is none.
    #[must_use]
    pub fn new(stream: &Stream, pool: &GpuBufferPool, staging: Option<Staging>) -> Self {
        Self { stream: stream.clone(), pool: pool.clone(), staging, parcel: None }
    }

    /// The same, used on another stream.
    pub(super) fn on(&self, stream: &Stream) -> Self {
        Self::new(stream, &self.pool, self.staging.clone())
    }

    /// The same, but copies to the device are collected, as far as there is room, until they are [sent](Self::send). Returns it
    /// unchanged if copies are not staged or memory is short.
    pub(super) fn gathering(self) -> Result<Self, CudaError> {
        let parcel = match self.staging.as_ref().map(|staging| staging.parcel(&self.pool, &self.stream)) {
            Some(Err(error)) if !error.is_out_of_memory() => return Err(error),
            found => found.and_then(Result::ok),
        };
        Ok(Self { parcel: parcel.map(|parcel| Arc::new(Mutex::new(Some(parcel)))), ..self })
    }

    /// Sends the collected data to the device in one copy.
    pub(super) fn send(self) -> Result<(), CudaError> {
        let Some(parcel) = self.parcel else { return Ok(()) };
        let gathered = parcel.lock().unwrap_or_else(PoisonError::into_inner).take();
        gathered.map_or(Ok(()), |parcel| parcel.send(&self.stream))
    }

    /// Calls `add` on the parcel, if there is one with room.
    fn gathered<T>(
        &self,
        add: impl FnOnce(&mut Parcel) -> Result<Option<T>, CudaError>,
    ) -> Result<Option<T>, CudaError> {
        let Some(parcel) = &self.parcel else { return Ok(None) };
        parcel.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map_or(Ok(None), add)
    }

    /// Copies atoms, page-locked ones without staging.
    pub(super) fn upload_runs(&self, buffer: &mut DeviceBuffer<Atom>, runs: &AtomRuns<'_>) -> Result<(), CudaError> {
        self.reserve(buffer, runs.len())?;
        let to = buffer.slice_mut(..runs.len())?;
        runs.upload(&self.stream, to, |to, parts| self.gather_in(to, parts))
    }

    /// Copies elements that lie in several parts.
    fn gather_in<T: DeviceLayout + Send + Sync>(
        &self,
        to: DeviceViewMut<'_, T>,
        parts: &[&[T]],
    ) -> Result<(), CudaError> {
        if let Some(staging) = &self.staging {
            return staging.gather(&self.stream, to, parts);
        }
        let mut rest = to;
        for part in parts {
            let (mut own, others) = rest.split_at_mut(part.len())?;
            own.upload(&self.stream, part)?;
            rest = others;
        }
        Ok(())
    }

    /// Elements that do not change.
    pub(super) fn leased<T: DeviceLayout>(&self, elements: &[T]) -> Result<DeviceBuffer<T>, CudaError> {
        self.pool.lease_from(&self.stream, elements)
    }
}

impl Memory for DeviceMemory {
    type Space = Device;
    type Error = CudaError;
    type Buffer<T: DeviceLayout> = DeviceBuffer<T>;
    type Offsets = DeviceOffsets;

    fn empty<T: DeviceLayout>(&self) -> Result<DeviceBuffer<T>, CudaError> {
        self.pool.lease(&self.stream, 0)
    }

    fn reserve<T: DeviceLayout>(&self, buffer: &mut DeviceBuffer<T>, len: usize) -> Result<(), CudaError> {
        if buffer.capacity() < len {
            // The old memory is freed first. The pool gives a little more than requested, so that slowly growing batches do not
            // come here each time.
            *buffer = self.empty()?;
            *buffer = self.pool.lease(&self.stream, len)?;
        }
        buffer.grow(&self.stream, len)
    }

    fn copy_to<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &mut DeviceBuffer<T>,
        elements: &[T],
    ) -> Result<(), CudaError> {
        if let Some(gathered) = self.gathered(|parcel| parcel.add(elements))? {
            *buffer = gathered;
            return Ok(());
        }
        self.gather_to(buffer, &[elements])
    }

    fn gather_to<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &mut DeviceBuffer<T>,
        parts: &[&[T]],
    ) -> Result<(), CudaError> {
        let len = parts.iter().map(|part| part.len()).sum();
        self.reserve(buffer, len)?;
        self.gather_in(buffer.slice_mut(..len)?, parts)
    }

    fn copy_from<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &DeviceBuffer<T>,
        to: &mut [T],
    ) -> Result<(), CudaError> {
        let from = buffer.slice(..to.len())?;
        match &self.staging {
            Some(staging) => staging.download(&self.stream, from, to),
            None => from.download_into(&self.stream, to),
        }
    }

    fn no_offsets(&self) -> Result<DeviceOffsets, CudaError> {
        DeviceOffsets::leased(&self.pool, &self.stream, &none())
    }

    fn set(&self, offsets: &mut DeviceOffsets, to: &Offsets) -> Result<(), CudaError> {
        match self.gathered(|parcel| parcel.add_offsets(to))? {
            Some(gathered) => *offsets = gathered,
            None => offsets.set(&self.stream, to)?,
        }
        Ok(())
    }

    fn view<T: DeviceLayout>(buffer: &DeviceBuffer<T>, len: usize) -> DeviceView<'_, T> {
        buffer.slice(..len).expect("the buffer was reserved for so many")
    }

    fn view_mut<T: DeviceLayout>(buffer: &mut DeviceBuffer<T>) -> DeviceViewMut<'_, T> {
        buffer.view_mut()
    }

    fn offsets(offsets: &DeviceOffsets) -> &DeviceOffsets {
        offsets
    }
}
