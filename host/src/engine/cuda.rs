//! The batch on CUDA devices.

use super::{AtomInputs, AtomScratch, BatchInputs, BatchOffsets, BatchOutputs, BatchScratch, EngineError};
use super::{kernels, launch_atom_surfaces, launch_mega_fused_batch, sphere_points};
use crate::pack::PackedBatch;
use bytemuck::Zeroable;
use cuda_host::{Context, CudaError, CudaExecutor, Device, DeviceBuffer, DeviceInfo, DeviceOffsets, Module, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::launch::Offsets;
use kernels_gpu::atom_surfaces_prism4d::Kernel as SurfaceKernel;
use kernels_gpu::mega_fused_batch_detection_prism4d::Kernel as FusedKernel;
use kernels_gpu::scratch::{AtomSurface, CellWords, Place, ResidueExposure, Traits, Work};
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, SpherePoint, StructureSummary};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Streams on each device: while one computes, the other's batch is copied.
const LANES_PER_DEVICE: usize = 2;

/// Runs batches on some devices. Whoever has a batch takes a free lane, or waits for one.
#[derive(Debug)]
pub(super) struct CudaRunner {
    free: Mutex<Vec<Lane>>,
    returned: Condvar,
    lanes: usize,
}

/// A stream with buffers of its own, kept from batch to batch.
#[derive(Debug)]
struct Lane {
    executor: CudaExecutor,
    /// On an atom's sphere; only read.
    points: DeviceBuffer<SpherePoint>,
    buffers: Option<Buffers>,
}

/// The devices that an engine computes on.
pub(super) struct Opened {
    pub(super) runner: CudaRunner,
    pub(super) devices: Vec<DeviceInfo>,
}

/// Opens devices and checks that the kernels there are those of this program. Where none is named, the first that
/// the kernels run on. Every lane gets `points` test points.
pub(super) fn open(ordinals: &[usize], points: u32) -> Result<Opened, CudaError> {
    let devices = match ordinals {
        [] => vec![first_usable()?],
        named => named.iter().map(|&ordinal| Device::info(ordinal)).collect::<Result<_, _>>()?,
    };
    let points = sphere_points(points);
    let mut free = Vec::new();
    for device in &devices {
        let context = Context::new(device.ordinal)?;
        let module = Module::load(&context, kernels::MODULE, kernels::PTX)?;
        let executor = CudaExecutor::new(&context.stream()?, [module])?;
        executor.kernel::<FusedKernel>()?;
        executor.kernel::<SurfaceKernel>()?;
        for _ in 1..LANES_PER_DEVICE {
            free.push(Lane::new(executor.on(&context.stream()?)?, &points)?);
        }
        free.push(Lane::new(executor, &points)?);
    }
    let lanes = free.len();
    Ok(Opened { runner: CudaRunner { free: Mutex::new(free), returned: Condvar::new(), lanes }, devices })
}

fn first_usable() -> Result<DeviceInfo, CudaError> {
    let devices = Device::list()?;
    if let Some(device) = devices.iter().find(|device| device.is_supported()) {
        return Ok(device.clone());
    }
    // Says why the first is not, or that there is none.
    Context::new(0)?;
    Err(CudaError::NoSuchDevice { ordinal: 0, count: devices.len() })
}

impl CudaRunner {
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    pub(super) fn run(
        &self,
        batch: &PackedBatch,
        config: MegaFusedConfig,
    ) -> Result<(Vec<FeatureRow>, Vec<StructureSummary>), EngineError> {
        let mut lane = Borrowed { runner: self, lane: Some(self.take()) };
        let result = lane.lane.as_mut().map_or(Err(CudaError::NoLibrary), |lane| lane.run(batch, config));
        drop(lane);
        result.map_err(|error| match error.kernel_panic() {
            Some(panic) => EngineError::from_panic(panic.clone(), batch),
            None => EngineError::Cuda(error),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Lane {
        let mut free = self.lock();
        loop {
            match free.pop() {
                Some(lane) => return lane,
                None => free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// A lane in use; it goes back whatever happens.
struct Borrowed<'a> {
    runner: &'a CudaRunner,
    lane: Option<Lane>,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            self.runner.lock().push(lane);
            self.runner.returned.notify_one();
        }
    }
}

/// A batch's buffers on a device, each at least as long as the longest batch so far needed.
#[derive(Debug)]
struct Buffers {
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
}

impl Lane {
    fn new(executor: CudaExecutor, points: &[SpherePoint]) -> Result<Self, CudaError> {
        let points = DeviceBuffer::from_slice(executor.stream(), points)?;
        Ok(Self { executor, points, buffers: None })
    }

    fn run(
        &mut self,
        batch: &PackedBatch,
        config: MegaFusedConfig,
    ) -> Result<(Vec<FeatureRow>, Vec<StructureSummary>), CudaError> {
        // Taken, and put back after success alone: what a panicked kernel wrote is not used again, and memory that
        // ran out is free for a smaller batch.
        let mut buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => Buffers::new(self.executor.stream())?,
        };
        let results = buffers.run(&self.executor, &self.points, batch, config)?;
        self.buffers = Some(buffers);
        Ok(results)
    }
}

impl Buffers {
    fn new(stream: &Stream) -> Result<Self, CudaError> {
        fn none<T: DeviceLayout>(stream: &Stream) -> Result<DeviceBuffer<T>, CudaError> {
            DeviceBuffer::zeroed(stream, 0)
        }
        let no_offsets = || {
            let offsets = Offsets::new(vec![0]).expect("one offset never falls");
            DeviceOffsets::new(stream, &offsets)
        };
        Ok(Self {
            atoms: none(stream)?,
            ca_indices: none(stream)?,
            descriptors: none(stream)?,
            residue_types: none(stream)?,
            conservation: none(stream)?,
            bfactor: none(stream)?,
            gisaid_freq: none(stream)?,
            gisaid_velocity: none(stream)?,
            chain_ids: none(stream)?,
            residue_atoms: none(stream)?,
            residues: no_offsets()?,
            contact_lists: no_offsets()?,
            heavy_atoms: no_offsets()?,
            structures: no_offsets()?,
            rows: none(stream)?,
            summaries: none(stream)?,
            places: none(stream)?,
            traits: none(stream)?,
            bfactor_z: none(stream)?,
            contacts: none(stream)?,
            work: none(stream)?,
            exposure: none(stream)?,
            sorted: none(stream)?,
            cells: none(stream)?,
            surface: none(stream)?,
            depths: none(stream)?,
        })
    }

    fn run(
        &mut self,
        executor: &CudaExecutor,
        points: &DeviceBuffer<SpherePoint>,
        batch: &PackedBatch,
        config: MegaFusedConfig,
    ) -> Result<(Vec<FeatureRow>, Vec<StructureSummary>), CudaError> {
        let stream = executor.stream();
        let (n, structures) = (batch.n_residues(), batch.n_structures());
        self.upload(stream, batch, config)?;
        launch_atom_surfaces(
            executor,
            AtomInputs {
                atoms: self.atoms.slice(..batch.n_atoms())?,
                descriptors: self.descriptors.slice(..structures)?,
                residue_types: self.residue_types.slice(..n)?,
                chain_ids: self.chain_ids.slice(..n)?,
                residue_atoms: self.residue_atoms.slice(..n)?,
                points: points.view(),
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
        )?;
        launch_mega_fused_batch(
            executor,
            BatchInputs {
                atoms: self.atoms.slice(..batch.n_atoms())?,
                ca_indices: self.ca_indices.slice(..n)?,
                descriptors: self.descriptors.slice(..structures)?,
                residue_types: self.residue_types.slice(..n)?,
                conservation: self.conservation.slice(..n)?,
                bfactor: self.bfactor.slice(..n)?,
                gisaid_freq: self.gisaid_freq.slice(..n)?,
                gisaid_velocity: self.gisaid_velocity.slice(..n)?,
                chain_ids: self.chain_ids.slice(..n)?,
                exposure: self.exposure.slice(..n)?,
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
            config,
        )?;
        let mut rows = vec![FeatureRow::zeroed(); n];
        let mut summaries = vec![StructureSummary::zeroed(); structures];
        self.rows.slice(..n)?.download_into(stream, &mut rows)?;
        self.summaries.slice(..structures)?.download_into(stream, &mut summaries)?;
        Ok((rows, summaries))
    }

    fn upload(&mut self, stream: &Stream, batch: &PackedBatch, config: MegaFusedConfig) -> Result<(), CudaError> {
        let (n, atoms) = (batch.n_residues(), batch.atom_offsets().end() as usize);
        fill(&mut self.atoms, stream, batch.atoms())?;
        fill(&mut self.ca_indices, stream, batch.ca_indices())?;
        fill(&mut self.descriptors, stream, batch.descriptors())?;
        fill(&mut self.residue_types, stream, batch.residue_types())?;
        fill(&mut self.conservation, stream, batch.conservation())?;
        fill(&mut self.bfactor, stream, batch.bfactor())?;
        fill(&mut self.gisaid_freq, stream, batch.gisaid_freq())?;
        fill(&mut self.gisaid_velocity, stream, batch.gisaid_velocity())?;
        fill(&mut self.chain_ids, stream, batch.chain_ids())?;
        fill(&mut self.residue_atoms, stream, batch.residue_atoms())?;
        let contact_offsets = batch.contact_offsets(config.contact_threshold);
        self.residues.set(stream, batch.residue_offsets())?;
        self.contact_lists.set(stream, &contact_offsets)?;
        self.heavy_atoms.set(stream, batch.atom_offsets())?;
        self.structures.set(stream, batch.structure_offsets())?;
        reserve(&mut self.rows, stream, n)?;
        reserve(&mut self.summaries, stream, batch.n_structures())?;
        reserve(&mut self.places, stream, n)?;
        reserve(&mut self.traits, stream, n)?;
        reserve(&mut self.bfactor_z, stream, n)?;
        reserve(&mut self.contacts, stream, contact_offsets.end() as usize)?;
        reserve(&mut self.work, stream, n)?;
        reserve(&mut self.exposure, stream, n)?;
        reserve(&mut self.sorted, stream, atoms)?;
        reserve(&mut self.cells, stream, atoms)?;
        reserve(&mut self.surface, stream, atoms)?;
        reserve(&mut self.depths, stream, atoms)
    }
}

fn fill<T: DeviceLayout>(buffer: &mut DeviceBuffer<T>, stream: &Stream, elements: &[T]) -> Result<(), CudaError> {
    reserve(buffer, stream, elements.len())?;
    buffer.slice_mut(..elements.len())?.upload(stream, elements)
}

/// Makes room for `len` elements; what was there is lost.
fn reserve<T: DeviceLayout>(buffer: &mut DeviceBuffer<T>, stream: &Stream, len: usize) -> Result<(), CudaError> {
    if buffer.len() < len {
        // The old memory is given back first. The quarter more keeps batches that grow a little from doing this again.
        *buffer = DeviceBuffer::zeroed(stream, 0)?;
        *buffer = DeviceBuffer::zeroed(stream, len + len / 4)?;
    }
    Ok(())
}
