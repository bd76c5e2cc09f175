//! A batch on a CUDA device.

use super::engine_error;
use super::locked::AtomRuns;
use super::memory::DeviceMemory;
use super::recorded::{Frame, RecordedBatch, StagedResults};
use crate::batch_inputs::InputBuffers;
use crate::batch_sizes::BatchSizes;
use crate::memory::Memory;
use crate::on_device::ValuesMemory;
use crate::pack::{BatchChunk, PackedBatch};
use crate::results::{BatchFeatures, ResultsMut};
use crate::selection::Request;
use crate::threads::both;
use crate::workspace::Workspace;
use crate::{
    DeviceError, EngineError, Largest, launch_atom_surfaces, launch_binding_sites, launch_groups,
    launch_mega_fused_batch, launch_residue_exposure, launch_rows, point_groups,
};
use cuda_host::{
    CallersContext, CudaError, CudaExecutor, DeviceBuffer, GpuBufferPool, Graph, LentBuffer, PinnedBuffer, Stream,
};
use shared_types::PointGroup;
use std::ops::Range;

/// A batch of at most this many atoms goes to the device in one copy. Queueing about 30 separate copies takes longer than the
/// rest of the host's work for such a batch.
const SMALL_ATOMS: usize = 1 << 13;

/// From so many atoms on, copying them and the other inputs at the same time gains more than a thread costs.
const MANY_ATOMS: usize = 1 << 17;

/// A batch with all of its buffers on a device. Each buffer is as long as the longest batch so far needed.
///
/// ```no_run
/// use cuda_host::CudaExecutor;
/// use prism_engine::PackedBatch;
/// use prism_engine::DeviceBatch;
/// use prism_read::{ReadOptions, read_path};
/// use shared_types::MegaFusedConfig;
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let executor = CudaExecutor::open(0, "kernels", prism_engine::kernel_image())?;
/// let mut buffers = DeviceBatch::new(executor.stream(), MegaFusedConfig::default())?;
/// for copies in [2, 1] {
///     let batch = PackedBatch::from_inputs(vec![&rbd; copies])?;
///     buffers.upload(executor.stream(), &batch)?;
///     buffers.launch(&executor)?; // or one launch after another, as `launch_surfaces` does
///     let features = buffers.results(executor.stream(), &batch)?;
///     assert_eq!(features.n_residues(), batch.n_residues());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The tests of `fused_gpu` run it on a device (`a_batch_in_the_callers_own_buffers`).
pub struct DeviceBatch {
    memory: DeviceMemory,
    request: Request,
    /// Only read.
    points: DeviceBuffer<PointGroup>,
    inputs: InputBuffers<DeviceMemory>,
    work: Workspace<DeviceMemory>,
}

impl std::fmt::Debug for DeviceBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceBatch").field("request", &self.request).field("work", &self.work).finish_non_exhaustive()
    }
}

impl DeviceBatch {
    /// Buffers without a batch, on the stream's device. Copies go directly from and to the caller's memory.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(stream: &Stream, request: impl Into<Request>) -> Result<Self, CudaError> {
        Self::in_memory(&DeviceMemory::new(stream, &GpuBufferPool::new(stream.context()), None), request)
    }

    /// Buffers without a batch, in this memory.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn in_memory(memory: &DeviceMemory, request: impl Into<Request>) -> Result<Self, CudaError> {
        let request = request.into();
        let points = memory.leased(&point_groups(request.config.points))?;
        let (inputs, work) = (InputBuffers::new(memory)?, Workspace::new(memory)?);
        Ok(Self { memory: memory.clone(), request, points, inputs, work })
    }

    /// Replaces the batch by another one, which is copied to the device, and reserves memory for its results.
    ///
    /// # Errors
    /// Those of the driver, including too little memory.
    pub fn upload(&mut self, stream: &Stream, batch: &PackedBatch) -> Result<(), CudaError> {
        self.upload_shared_out(stream, batch, Largest::DEVICE)
    }

    /// As [`upload`](Self::upload), with explicit limits for what one block computes.
    ///
    /// # Errors
    /// Those of the driver, including too little memory.
    pub fn upload_shared_out(
        &mut self,
        stream: &Stream,
        batch: &PackedBatch,
        largest: Largest,
    ) -> Result<(), CudaError> {
        self.upload_chunk(stream, &batch.whole(), largest)
    }

    /// As [`upload_shared_out`](Self::upload_shared_out), for a chunk of a batch.
    ///
    /// # Errors
    /// Those of the driver, including too little memory.
    pub fn upload_chunk(&mut self, stream: &Stream, chunk: &BatchChunk<'_>, largest: Largest) -> Result<(), CudaError> {
        self.upload_by(self.memory.on(stream), chunk, largest)
    }

    /// As [`upload_chunk`](Self::upload_chunk), in one copy if the chunk is small.
    pub(super) fn upload_gathered(
        &mut self,
        stream: &Stream,
        chunk: &BatchChunk<'_>,
        largest: Largest,
    ) -> Result<(), CudaError> {
        let memory = self.memory.on(stream);
        let memory = if chunk.n_atoms() <= SMALL_ATOMS { memory.gathering()? } else { memory };
        self.upload_by(memory, chunk, largest)
    }

    fn upload_by(&mut self, memory: DeviceMemory, chunk: &BatchChunk<'_>, largest: Largest) -> Result<(), CudaError> {
        // First the steps that wait, then those that may still be in flight when this returns.
        self.work.prepare(&memory, chunk, &self.request, largest)?;
        let runs = chunk.structures_atoms().and_then(AtomRuns::of);
        if let Some(runs) = &runs {
            self.inputs.upload_by(&memory, chunk, |to, others| {
                memory.upload_runs(to, runs)?;
                others()
            })?;
        } else if chunk.n_atoms() < MANY_ATOMS {
            self.inputs.upload(&memory, chunk)?;
        } else {
            self.inputs.upload_by(&memory, chunk, |to, others| {
                let (of_atoms, of_others) = both(|| memory.gather_to(to, &chunk.atom_parts()), others);
                of_atoms.and(of_others)
            })?;
        }
        memory.send()
    }

    /// Makes one CUDA graph of everything that a batch needs: uploads of its atoms and B factors, all launches, and downloads of
    /// its results. The rest of `batch` is copied to the device once, now. It fixes the shape of the batches that the graph
    /// computes. Buffers and page-locked memory become part of the graph.
    ///
    /// # Errors
    /// Those of the driver, including too little memory.
    pub fn record(mut self, executor: &CudaExecutor, batch: PackedBatch) -> Result<RecordedBatch, CudaError> {
        let context = executor.context();
        self.upload(executor.stream(), &batch)?;
        let staged = StagedResults::new(context, self.work.sizes.results)?;
        let up = (PinnedBuffer::zeroed(context, batch.n_atoms())?, PinnedBuffer::zeroed(context, batch.n_residues())?);
        let (request, sizes) = (self.request.clone(), self.work.sizes.clone());
        let (graph, staged) = Graph::record::<_, CudaError>(executor, |recorder| {
            let (atoms, bfactor) = (recorder.own(up.0), recorder.own(up.1));
            let staged = staged.owned_by(recorder);
            recorder.upload(&atoms, self.inputs.atoms.slice_mut(..batch.n_atoms())?)?;
            recorder.upload(&bfactor, self.inputs.bfactor.slice_mut(..batch.n_residues())?)?;
            self.launch(recorder.executor())?;
            staged.download(recorder, &self.work.results)?;
            Ok(Frame { atoms, bfactor, results: staged })
        })?;
        RecordedBatch::new(graph, staged, executor.stream(), batch, request, sizes)
    }

    /// The configuration and selection.
    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// The sizes of the launches, and the work of their blocks.
    pub(super) fn sizes(&self) -> &BatchSizes {
        &self.work.sizes
    }

    /// Queues all launches.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_mega_fused_batch(
            executor,
            self.inputs.view(&self.points, self.request.config.points),
            &mut self.work,
            self.request.config,
        )
    }

    /// Queues the launches for heavy atoms.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch_surfaces(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_atom_surfaces(executor, self.inputs.view(&self.points, self.request.config.points), &mut self.work)
    }

    /// Queues the launch for residues' exposure. It reads the results of [`launch_surfaces`](Self::launch_surfaces).
    ///
    /// # Errors
    /// Those of the launch.
    pub fn launch_exposure(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_residue_exposure(executor, self.inputs.view(&self.points, self.request.config.points), &mut self.work)
    }

    /// Queues the launches for rows. They read the results of [`launch_exposure`](Self::launch_exposure).
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch_rows(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_rows(
            executor,
            self.inputs.view(&self.points, self.request.config.points),
            &mut self.work,
            self.request.config,
        )
    }

    /// Queues the launch for sites. It reads the results of [`launch_rows`](Self::launch_rows).
    ///
    /// # Errors
    /// Those of the launch.
    pub fn launch_sites(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        let inputs = self.inputs.view(&self.points, self.request.config.points);
        launch_binding_sites(executor, inputs, &mut self.work, self.request.config)
    }

    /// Queues the launches of other groups, and those that take columns from rows.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch_groups(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        let inputs = self.inputs.view(&self.points, self.request.config.points);
        launch_groups(executor, inputs, &mut self.work, self.request.config)
    }

    /// Waits, and copies back the results of `batch`, which was uploaded before.
    ///
    /// # Errors
    /// A kernel's panic, with its structure; too little memory; and those of the driver.
    pub fn results(&self, stream: &Stream, batch: &PackedBatch) -> Result<BatchFeatures, EngineError> {
        let mut features = BatchFeatures::room(batch, &self.request)?;
        self.results_into(stream, features.as_mut())
            .map_err(|error| engine_error(error, &batch.whole(), &self.work.sizes))?;
        Ok(features)
    }

    /// Gives the values away once they are complete. The next batch gets new memory for its values.
    pub(super) fn lend_values(&mut self, stream: &Stream) -> Result<Values, CudaError> {
        self.work.forget_prepared();
        let results = &mut self.work.results.values;
        let mut values = std::mem::replace(results, self.memory.on(stream).empty()?);
        let sizes = self.work.sizes.results;
        values.truncate(sizes.residues * sizes.width);
        Ok(Values { lent: LentBuffer::new(values, stream)?, width: sizes.width, stream: stream.clone() })
    }

    /// As [`results`](Self::results), for a chunk of a batch.
    pub(super) fn results_into(&self, stream: &Stream, to: ResultsMut<'_>) -> Result<(), CudaError> {
        self.work.results_into(&self.memory.on(stream), to)
    }
}

/// Values that other libraries read.
#[derive(Debug)]
pub(super) struct Values {
    lent: LentBuffer<f32>,
    width: usize,
    stream: Stream,
}

impl ValuesMemory for Values {
    fn device(&self) -> usize {
        self.lent.context().ordinal()
    }

    fn address(&self) -> u64 {
        self.lent.address()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn download(&self, range: Range<usize>) -> Result<Vec<f32>, DeviceError> {
        let _callers = CallersContext::keep();
        Ok(self.lent.view().slice(range)?.download(&self.stream)?)
    }
}
