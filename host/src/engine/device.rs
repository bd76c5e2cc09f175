//! A batch on a CUDA device.

use super::launch::BatchInputs;
use super::memory::Memory;
use super::work::{BatchWork, Computed};
use super::{
    Largest, launch_atom_surfaces, launch_binding_sites, launch_mega_fused_batch, launch_residue_exposure, launch_rows,
    point_groups,
};
use crate::pack::PackedBatch;
use cuda_host::{CudaError, CudaExecutor, Device, DeviceBuffer, Stream};
use shared_types::{Atom, BatchStructureDesc, MegaFusedConfig, PointGroup};

/// A batch with all of its buffers on a device, each at least as long as the longest batch so far needed.
#[derive(Debug)]
pub struct DeviceBatch {
    config: MegaFusedConfig,
    inputs: Inputs,
    work: BatchWork<Stream>,
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
    /// Buffers for no batch yet, on the stream's device.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(stream: &Stream, config: MegaFusedConfig) -> Result<Self, CudaError> {
        let inputs = Inputs {
            residues: 0,
            structures: 0,
            n_atoms: 0,
            points: DeviceBuffer::from_slice(stream, &point_groups(config.points))?,
            n_points: config.points,
            atoms: stream.empty()?,
            ca_indices: stream.empty()?,
            descriptors: stream.empty()?,
            residue_types: stream.empty()?,
            conservation: stream.empty()?,
            bfactor: stream.empty()?,
            gisaid_freq: stream.empty()?,
            gisaid_velocity: stream.empty()?,
            chain_ids: stream.empty()?,
            residue_atoms: stream.empty()?,
        };
        Ok(Self { config, inputs, work: BatchWork::new(stream)? })
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
        self.inputs.upload(stream, batch)?;
        self.work.prepare(stream, batch, self.config, largest)
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
        self.work.results(stream)
    }
}

impl Inputs {
    fn upload(&mut self, stream: &Stream, batch: &PackedBatch) -> Result<(), CudaError> {
        stream.copy_to(&mut self.atoms, batch.atoms())?;
        stream.copy_to(&mut self.ca_indices, batch.ca_indices())?;
        stream.copy_to(&mut self.descriptors, batch.descriptors())?;
        stream.copy_to(&mut self.residue_types, batch.residue_types())?;
        stream.copy_to(&mut self.conservation, batch.conservation())?;
        stream.copy_to(&mut self.bfactor, batch.bfactor())?;
        stream.copy_to(&mut self.gisaid_freq, batch.gisaid_freq())?;
        stream.copy_to(&mut self.gisaid_velocity, batch.gisaid_velocity())?;
        stream.copy_to(&mut self.chain_ids, batch.chain_ids())?;
        stream.copy_to(&mut self.residue_atoms, batch.residue_atoms())?;
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
