//! A batch on a CUDA device.

use super::computed::{Computed, ComputedMut};
use super::device_memory::DeviceMemory;
use super::launch::BatchInputs;
use super::memory::Memory;
use super::recorded::{Places, RecordedBatch};
use super::work::BatchWork;
use super::{
    Largest, launch_atom_surfaces, launch_binding_sites, launch_mega_fused_batch, launch_residue_exposure, launch_rows,
    point_groups,
};
use crate::pack::{BatchPart, PackedBatch};
use cuda_host::{CudaError, CudaExecutor, Device, DeviceBuffer, GpuBufferPool, Graph, PinnedBuffer, Stream};
use shared_types::{Atom, BatchStructureDesc, MegaFusedConfig, PointGroup};

/// A batch with all of its buffers on a device, each at least as long as the longest batch so far needed.
///
/// ```no_run
/// use cuda_host::CudaExecutor;
/// use prism_host::PackedBatch;
/// use prism_host::engine::DeviceBatch;
/// use prism_host::read::{ReadOptions, read_path};
/// use shared_types::MegaFusedConfig;
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let executor = CudaExecutor::open(0, "kernels", kernels_gpu::PTX)?;
/// let mut buffers = DeviceBatch::new(executor.stream(), MegaFusedConfig::default())?;
/// for copies in [2, 1] {
///     let batch = PackedBatch::from_inputs(vec![&rbd; copies])?;
///     buffers.upload(executor.stream(), &batch)?;
///     buffers.launch(&executor)?; // or one launch after another, as `launch_surfaces` does
///     let computed = buffers.results(executor.stream())?;
///     assert_eq!(computed.rows.len(), batch.n_residues());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The tests `fused_gpu` run it on a device (`a_batch_in_the_callers_own_buffers`).
#[derive(Debug)]
pub struct DeviceBatch {
    memory: DeviceMemory,
    config: MegaFusedConfig,
    inputs: Inputs,
    work: BatchWork<DeviceMemory>,
}

#[derive(Debug)]
struct Inputs {
    residues: usize,
    structures: usize,
    n_atoms: usize,
    /// Only read.
    points: DeviceBuffer<PointGroup>,
    n_points: u32,
    atoms: DeviceBuffer<Atom>,
    ca_indices: DeviceBuffer<u32>,
    descriptors: DeviceBuffer<BatchStructureDesc>,
    residue_types: DeviceBuffer<u8>,
    conservation: DeviceBuffer<f32>,
    bfactor: DeviceBuffer<f32>,
    gisaid_freq: DeviceBuffer<f32>,
    gisaid_velocity: DeviceBuffer<f32>,
    chain_ids: DeviceBuffer<u32>,
    residue_atoms: DeviceBuffer<u32>,
}

impl DeviceBatch {
    /// Buffers for no batch yet, on the stream's device, with copies straight from and to the caller's memory.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(stream: &Stream, config: MegaFusedConfig) -> Result<Self, CudaError> {
        Self::in_memory(&DeviceMemory::new(stream, &GpuBufferPool::new(stream.context()), None), config)
    }

    /// Buffers for no batch yet.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn in_memory(memory: &DeviceMemory, config: MegaFusedConfig) -> Result<Self, CudaError> {
        let inputs = Inputs {
            residues: 0,
            structures: 0,
            n_atoms: 0,
            points: memory.leased(&point_groups(config.points))?,
            n_points: config.points,
            atoms: memory.empty()?,
            ca_indices: memory.empty()?,
            descriptors: memory.empty()?,
            residue_types: memory.empty()?,
            conservation: memory.empty()?,
            bfactor: memory.empty()?,
            gisaid_freq: memory.empty()?,
            gisaid_velocity: memory.empty()?,
            chain_ids: memory.empty()?,
            residue_atoms: memory.empty()?,
        };
        Ok(Self { memory: memory.clone(), config, inputs, work: BatchWork::new(memory)? })
    }

    /// Copies a batch to the device, in place of the one before, and makes room for what is computed of it.
    ///
    /// # Errors
    /// Those of the driver; out of memory among them.
    pub fn upload(&mut self, stream: &Stream, batch: &PackedBatch) -> Result<(), CudaError> {
        self.upload_shared_out(stream, batch, Largest::default())
    }

    /// As [`upload`](Self::upload), where what one block computes is said.
    ///
    /// # Errors
    /// Those of the driver; out of memory among them.
    pub fn upload_shared_out(
        &mut self,
        stream: &Stream,
        batch: &PackedBatch,
        largest: Largest,
    ) -> Result<(), CudaError> {
        self.upload_part(stream, &batch.whole(), largest)
    }

    /// As [`upload_shared_out`](Self::upload_shared_out), of a part of a batch.
    ///
    /// # Errors
    /// Those of the driver; out of memory among them.
    pub fn upload_part(&mut self, stream: &Stream, part: &BatchPart<'_>, largest: Largest) -> Result<(), CudaError> {
        let memory = self.memory.on(stream);
        // First what waits, then what may be under way when this returns.
        self.work.prepare(&memory, part, self.config, largest)?;
        self.inputs.upload(&memory, part)
    }

    /// Makes one CUDA graph of all that a batch takes: uploads of its atoms and B factors, all launches, and downloads of
    /// its results. The rest of `batch` is copied to the device here, once; it says what shape the batches have that the
    /// graph computes from then on. Buffers and page-locked memory become the graph's.
    ///
    /// # Errors
    /// Those of the driver; out of memory among them.
    pub fn record(mut self, executor: &CudaExecutor, batch: PackedBatch) -> Result<RecordedBatch, CudaError> {
        let context = executor.context();
        self.upload(executor.stream(), &batch)?;
        let (atoms, residues, structures) = (batch.n_atoms(), batch.n_residues(), batch.n_structures());
        let up = (PinnedBuffer::zeroed(context, atoms)?, PinnedBuffer::zeroed(context, residues)?);
        let down = (PinnedBuffer::zeroed(context, residues)?, PinnedBuffer::zeroed(context, residues)?);
        let summaries = PinnedBuffer::zeroed(context, structures)?;
        let (graph, places) = Graph::record::<_, CudaError>(executor, |recorder| {
            let places = Places {
                atoms: recorder.own(up.0),
                bfactor: recorder.own(up.1),
                rows: recorder.own(down.0),
                site_ids: recorder.own(down.1),
                summaries: recorder.own(summaries),
            };
            recorder.upload(&places.atoms, self.inputs.atoms.slice_mut(..atoms)?)?;
            recorder.upload(&places.bfactor, self.inputs.bfactor.slice_mut(..residues)?)?;
            self.launch(recorder.executor())?;
            recorder.download(self.work.rows.slice(..residues)?, &places.rows)?;
            recorder.download(self.work.site_ids.slice(..residues)?, &places.site_ids)?;
            recorder.download(self.work.summaries.slice(..structures)?, &places.summaries)?;
            Ok(places)
        })?;
        RecordedBatch::new(graph, places, executor.stream(), batch, self.config)
    }

    /// What batches are computed with.
    pub(super) fn config(&self) -> MegaFusedConfig {
        self.config
    }

    /// Queues all launches.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_mega_fused_batch(executor, self.inputs.view()?, &mut self.work, self.config)
    }

    /// Queues those of heavy atoms.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch_surfaces(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_atom_surfaces(executor, self.inputs.view()?, &mut self.work)
    }

    /// Queues that of residues' exposure, which reads what [`launch_surfaces`](Self::launch_surfaces) wrote.
    ///
    /// # Errors
    /// Those of the launch.
    pub fn launch_exposure(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_residue_exposure(executor, self.inputs.view()?, &mut self.work)
    }

    /// Queues those of rows, which read what [`launch_exposure`](Self::launch_exposure) wrote.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch_rows(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_rows(executor, self.inputs.view()?, &mut self.work, self.config)
    }

    /// Queues that of sites, which reads what [`launch_rows`](Self::launch_rows) wrote.
    ///
    /// # Errors
    /// Those of the launch.
    pub fn launch_sites(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_binding_sites(executor, &mut self.work, self.config)
    }

    /// Waits, and copies the results back.
    ///
    /// # Errors
    /// A kernel's panic, and those of the driver.
    pub fn results(&self, stream: &Stream) -> Result<Computed, CudaError> {
        self.work.results(&self.memory.on(stream))
    }

    /// As [`results`](Self::results), to where the caller has room for them.
    ///
    /// # Errors
    /// The same.
    ///
    /// # Panics
    /// Where there is not room for all of it, or more.
    pub fn results_into(&self, stream: &Stream, to: ComputedMut<'_>) -> Result<(), CudaError> {
        self.work.results_into(&self.memory.on(stream), to)
    }
}

impl Inputs {
    fn upload(&mut self, memory: &DeviceMemory, batch: &BatchPart<'_>) -> Result<(), CudaError> {
        memory.copy_to(&mut self.atoms, batch.atoms())?;
        memory.copy_to(&mut self.ca_indices, batch.ca_indices())?;
        memory.copy_to(&mut self.descriptors, batch.descriptors())?;
        memory.copy_to(&mut self.residue_types, batch.residue_types())?;
        memory.copy_to(&mut self.conservation, batch.conservation())?;
        memory.copy_to(&mut self.bfactor, batch.bfactor())?;
        memory.copy_to(&mut self.gisaid_freq, batch.gisaid_freq())?;
        memory.copy_to(&mut self.gisaid_velocity, batch.gisaid_velocity())?;
        memory.copy_to(&mut self.chain_ids, batch.chain_ids())?;
        memory.copy_to(&mut self.residue_atoms, batch.residue_atoms())?;
        (self.residues, self.structures, self.n_atoms) = (batch.n_residues(), batch.n_structures(), batch.n_atoms());
        Ok(())
    }

    fn view(&self) -> Result<BatchInputs<'_, Device>, CudaError> {
        let n = self.residues;
        Ok(BatchInputs {
            atoms: self.atoms.slice(..self.n_atoms)?,
            ca_indices: self.ca_indices.slice(..n)?,
            descriptors: self.descriptors.slice(..self.structures)?,
            residue_types: self.residue_types.slice(..n)?,
            conservation: self.conservation.slice(..n)?,
            bfactor: self.bfactor.slice(..n)?,
            gisaid_freq: self.gisaid_freq.slice(..n)?,
            gisaid_velocity: self.gisaid_velocity.slice(..n)?,
            chain_ids: self.chain_ids.slice(..n)?,
            residue_atoms: self.residue_atoms.slice(..n)?,
            points: self.points.view(),
            n_points: self.n_points,
        })
    }
}
