//! The fused kernel on a device, with every buffer in hand: what benchmarks time, without copies.

use cuda_host::{CudaError, CudaExecutor, Device, DeviceBuffer, DeviceOffsets, Stream};
use kernels_gpu::scratch::{AtomSurface, CellWords, Place, ResidueExposure, Traits, Work};
use prism_host::PackedBatch;
use prism_host::engine::{
    AtomInputs, AtomScratch, BatchInputs, BatchOffsets, BatchOutputs, BatchScratch, launch_atom_surfaces,
    launch_mega_fused_batch, sphere_points,
};
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, SpherePoint, StructureSummary};

/// Whether there is a CUDA device. Where there is none, says so in one line.
///
/// # Panics
/// Where there is none and `PRISM_REQUIRE_GPU=1` asks for one.
#[must_use]
pub fn is_there() -> bool {
    match Device::count() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var("PRISM_REQUIRE_GPU").as_deref() != Ok("1"), "PRISM_REQUIRE_GPU=1, but {error}");
            println!("skipped: no CUDA device ({error})");
            false
        }
    }
}

/// A batch on a device.
pub struct DeviceBatch {
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
    points: DeviceBuffer<SpherePoint>,
    residues: DeviceOffsets,
    contact_lists: DeviceOffsets,
    heavy_atoms: DeviceOffsets,
    structures: DeviceOffsets,
    rows: DeviceBuffer<FeatureRow>,
    summaries: DeviceBuffer<StructureSummary>,
    places: DeviceBuffer<Place>,
    traits: DeviceBuffer<Traits>,
    bfactor_z: DeviceBuffer<f32>,
    contacts: DeviceBuffer<u32>,
    work: DeviceBuffer<Work>,
    exposure: DeviceBuffer<ResidueExposure>,
    sorted: DeviceBuffer<Atom>,
    cells: DeviceBuffer<CellWords>,
    surface: DeviceBuffer<AtomSurface>,
    depths: DeviceBuffer<f32>,
    config: MegaFusedConfig,
}

impl DeviceBatch {
    /// Copies a batch to the device.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(stream: &Stream, batch: &PackedBatch, config: MegaFusedConfig) -> Result<Self, CudaError> {
        let (n, n_atoms) = (batch.n_residues(), batch.atom_offsets().end() as usize);
        let contact_offsets = batch.contact_offsets(config.contact_threshold);
        Ok(Self {
            atoms: DeviceBuffer::from_slice(stream, batch.atoms())?,
            ca_indices: DeviceBuffer::from_slice(stream, batch.ca_indices())?,
            descriptors: DeviceBuffer::from_slice(stream, batch.descriptors())?,
            residue_types: DeviceBuffer::from_slice(stream, batch.residue_types())?,
            conservation: DeviceBuffer::from_slice(stream, batch.conservation())?,
            bfactor: DeviceBuffer::from_slice(stream, batch.bfactor())?,
            gisaid_freq: DeviceBuffer::from_slice(stream, batch.gisaid_freq())?,
            gisaid_velocity: DeviceBuffer::from_slice(stream, batch.gisaid_velocity())?,
            chain_ids: DeviceBuffer::from_slice(stream, batch.chain_ids())?,
            residue_atoms: DeviceBuffer::from_slice(stream, batch.residue_atoms())?,
            points: DeviceBuffer::from_slice(stream, &sphere_points(config.points))?,
            residues: DeviceOffsets::new(stream, batch.residue_offsets())?,
            contact_lists: DeviceOffsets::new(stream, &contact_offsets)?,
            heavy_atoms: DeviceOffsets::new(stream, batch.atom_offsets())?,
            structures: DeviceOffsets::new(stream, batch.structure_offsets())?,
            rows: DeviceBuffer::zeroed(stream, n)?,
            summaries: DeviceBuffer::zeroed(stream, batch.n_structures())?,
            places: DeviceBuffer::zeroed(stream, n)?,
            traits: DeviceBuffer::zeroed(stream, n)?,
            bfactor_z: DeviceBuffer::zeroed(stream, n)?,
            contacts: DeviceBuffer::zeroed(stream, contact_offsets.end() as usize)?,
            work: DeviceBuffer::zeroed(stream, n)?,
            exposure: DeviceBuffer::zeroed(stream, n)?,
            sorted: DeviceBuffer::zeroed(stream, n_atoms)?,
            cells: DeviceBuffer::zeroed(stream, n_atoms)?,
            surface: DeviceBuffer::zeroed(stream, n_atoms)?,
            depths: DeviceBuffer::zeroed(stream, n_atoms)?,
            config,
        })
    }

    /// Queues both launches on the whole batch.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn launch(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        self.launch_surfaces(executor)?;
        self.launch_fused(executor)
    }

    /// Queues the kernel of heavy atoms.
    ///
    /// # Errors
    /// Those of the launch.
    pub fn launch_surfaces(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_atom_surfaces(
            executor,
            AtomInputs {
                atoms: self.atoms.view(),
                descriptors: self.descriptors.view(),
                residue_types: self.residue_types.view(),
                chain_ids: self.chain_ids.view(),
                residue_atoms: self.residue_atoms.view(),
                points: self.points.view(),
                residue_offsets: &self.residues,
                atom_offsets: &self.heavy_atoms,
            },
            self.exposure.view_mut(),
            AtomScratch {
                sorted: self.sorted.view_mut(),
                cells: self.cells.view_mut(),
                surface: self.surface.view_mut(),
                depths: self.depths.view_mut(),
            },
        )
    }

    /// Queues the fused kernel, which reads what [`launch_surfaces`](Self::launch_surfaces) wrote.
    ///
    /// # Errors
    /// Those of the launch.
    pub fn launch_fused(&mut self, executor: &CudaExecutor) -> Result<(), CudaError> {
        launch_mega_fused_batch(
            executor,
            BatchInputs {
                atoms: self.atoms.view(),
                ca_indices: self.ca_indices.view(),
                descriptors: self.descriptors.view(),
                residue_types: self.residue_types.view(),
                conservation: self.conservation.view(),
                bfactor: self.bfactor.view(),
                gisaid_freq: self.gisaid_freq.view(),
                gisaid_velocity: self.gisaid_velocity.view(),
                chain_ids: self.chain_ids.view(),
                exposure: self.exposure.view(),
            },
            BatchOffsets { residues: &self.residues, contacts: &self.contact_lists, structures: &self.structures },
            BatchOutputs { rows: self.rows.view_mut(), summaries: self.summaries.view_mut() },
            BatchScratch {
                places: self.places.view_mut(),
                traits: self.traits.view_mut(),
                bfactor_z: self.bfactor_z.view_mut(),
                contacts: self.contacts.view_mut(),
                work: self.work.view_mut(),
            },
            self.config,
        )
    }

    /// Waits, and copies the features back.
    ///
    /// # Errors
    /// A kernel's panic, and those of the driver.
    pub fn results(&self, stream: &Stream) -> Result<(Vec<FeatureRow>, Vec<StructureSummary>), CudaError> {
        Ok((self.rows.download(stream)?, self.summaries.download(stream)?))
    }
}
