//! The memory in which a batch is computed, besides its inputs: results and scratch memory.

use super::batch_sizes::BatchSizes;
use super::groups::{Columns, Groups};
use super::items::{self, DeviceItems, Items, Largest};
use super::memory::{HostMemory, Memory, OutOfHostMemory};
use super::results::{DeviceResults, ResultSizes, ResultsMut};
use super::scratch::{Cells, GatheredRows};
use super::selection::Request;
use crate::pack::{BatchBuffers, BatchChunk};
use cuda_std::launch::Offsets;
use kernels_gpu::few_pairs;
use kernels_gpu::points::{PointAtom, SiteAtom, Spot};
use kernels_gpu::scratch::{AtomSurface, Eight, Facts, ResidueExposure, WorkSplit, WorkVectors};
use shared_types::site_model::{CAPACITY, MOST_SITES};
use shared_types::{FeatureRow, Group, Steps};
use std::sync::Arc;

/// Results of a batch and what its kernels work in, kept from batch to batch. What was there before means nothing.
///
/// ```
/// use cuda_std::launch::CpuExecutor;
/// use prism_engine::{
///     BatchFeatures, BatchInputs, Workspace, HostMemory, Largest, Request, launch_atom_surfaces,
///     launch_binding_sites, launch_groups, launch_mega_fused_batch, launch_residue_exposure, launch_rows,
///     point_groups,
/// };
/// use prism_engine::PackedBatch;
/// use prism_read::{ReadOptions, read_path};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let batch = PackedBatch::from_inputs([&rbd, &rbd])?;
/// let (request, executor, memory) = (Request::default(), CpuExecutor::new(), HostMemory);
/// let points = point_groups(request.config.points);
/// let mut work = Workspace::new(&memory)?;
///
/// let whole = batch.whole();
/// work.prepare(&memory, &whole, &request, Largest::default())?;
/// let given = BatchInputs::of_chunk(&whole, &points, request.config.points);
/// launch_mega_fused_batch(&executor, given, &mut work, request.config)?;
/// let mut found = BatchFeatures::room(&batch, &request)?;
/// work.results(&memory, &mut found)?;
/// assert_eq!((found.n_residues(), found.site_ids().len(), found.summaries().len()), (388, 388, 2));
///
/// // The second structure alone, in the same memory, by one launch after another.
/// let alone = PackedBatch::from_inputs([&rbd])?;
/// let whole = alone.whole();
/// work.prepare(&memory, &whole, &request, Largest::default())?;
/// let given = BatchInputs::of_chunk(&whole, &points, request.config.points);
/// launch_atom_surfaces(&executor, given, &mut work)?;
/// launch_residue_exposure(&executor, given, &mut work)?;
/// launch_rows(&executor, given, &mut work, request.config)?;
/// launch_binding_sites(&executor, given, &mut work, request.config)?;
/// launch_groups(&executor, given, &mut work, request.config)?;
/// let mut second = BatchFeatures::room(&alone, &request)?;
/// work.results(&memory, &mut second)?;
/// let bits = |values: &[f32]| bytemuck::cast_slice::<_, u32>(values).to_vec();
/// assert_eq!(bits(second.values()), bits(found.structure(1).values));
/// assert_eq!(second.summaries()[0], found.summaries()[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Workspace<M: Memory> {
    /// The frames for which it was prepared last, if it was for frames.
    prepared: Option<PreparedFrames>,
    pub(super) sizes: BatchSizes,
    pub(super) split: WorkSplit,
    pub(super) groups: Groups<M>,
    pub(super) results: DeviceResults<M>,
    /// The columns of the first group.
    pub(super) columns: Columns<M>,
    pub(super) structures: M::Offsets,
    pub(super) residues: M::Offsets,
    pub(super) heavy_atoms: M::Offsets,
    pub(super) contact_lists: M::Offsets,
    pub(super) box_rows: M::Offsets,
    pub(super) atom_items: DeviceItems<M>,
    pub(super) residue_items: DeviceItems<M>,
    pub(super) row_items: DeviceItems<M>,
    pub(super) value_items: DeviceItems<M>,
    /// For atom items: where each begins in buffers of points, and where in buffers with one element per item.
    pub(super) point_items: M::Offsets,
    pub(super) each_item: M::Offsets,
    /// Room for the sites of each structure.
    pub(super) site_lists: M::Offsets,
    // An element a structure.
    pub(super) facts: M::Buffer<Facts>,
    // An element a heavy atom.
    pub(super) cells: Cells<M>,
    pub(super) surface: M::Buffer<AtomSurface>,
    pub(super) depths: M::Buffer<f32>,
    pub(super) point_atoms: M::Buffer<PointAtom>,
    pub(super) site_atoms: M::Buffer<SiteAtom>,
    pub(super) site_sums: M::Buffer<u32>,
    /// Room for the points of each heavy atom.
    pub(super) points: M::Buffer<u32>,
    pub(super) spots: M::Buffer<Spot>,
    /// An element an item of heavy atoms.
    pub(super) point_counts: M::Buffer<u32>,
    // An element a residue.
    pub(super) rows: M::Buffer<FeatureRow>,
    pub(super) exposure: M::Buffer<ResidueExposure>,
    pub(super) gathered: GatheredRows<M>,
    pub(super) axes: M::Buffer<[f32; 3]>,
    /// For the number of a chain, its rows.
    pub(super) chain_rows: M::Buffer<u32>,
    pub(super) vectors: M::Buffer<WorkVectors>,
    /// Some pairs for a large structure's centrality.
    pub(super) few: M::Buffer<[f32; 2]>,
    /// Some words a residue.
    pub(super) contacts: M::Buffer<u32>,
    /// About a row for two residues of large structures.
    pub(super) boxes: M::Buffer<Eight>,
}

impl<M: Memory> Workspace<M> {
    /// Room for nothing.
    ///
    /// # Errors
    /// If there is too little memory.
    pub fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self {
            prepared: None,
            sizes: BatchSizes::default(),
            split: WorkSplit { largest: 0, rows_per_item: 1, contact_words: 0, steps: 0 },
            groups: Groups::new(memory)?,
            results: DeviceResults::new(memory)?,
            columns: Columns::new(memory)?,
            structures: memory.no_offsets()?,
            residues: memory.no_offsets()?,
            heavy_atoms: memory.no_offsets()?,
            contact_lists: memory.no_offsets()?,
            box_rows: memory.no_offsets()?,
            atom_items: DeviceItems::new(memory)?,
            residue_items: DeviceItems::new(memory)?,
            row_items: DeviceItems::new(memory)?,
            value_items: DeviceItems::new(memory)?,
            point_items: memory.no_offsets()?,
            each_item: memory.no_offsets()?,
            site_lists: memory.no_offsets()?,
            facts: memory.empty()?,
            cells: Cells::new(memory)?,
            surface: memory.empty()?,
            depths: memory.empty()?,
            point_atoms: memory.empty()?,
            site_atoms: memory.empty()?,
            site_sums: memory.empty()?,
            points: memory.empty()?,
            spots: memory.empty()?,
            point_counts: memory.empty()?,
            rows: memory.empty()?,
            exposure: memory.empty()?,
            gathered: GatheredRows::new(memory)?,
            axes: memory.empty()?,
            chain_rows: memory.empty()?,
            vectors: memory.empty()?,
            few: memory.empty()?,
            contacts: memory.empty()?,
            boxes: memory.empty()?,
        })
    }

    /// Makes room for a batch and says what is computed of it and how it is shared out: structures beyond `largest` take
    /// several blocks. For as many frames of the composition of the batch before, all is there already.
    ///
    /// # Errors
    /// If there is too little memory.
    pub fn prepare(
        &mut self,
        memory: &M,
        batch: &BatchChunk<'_>,
        request: &Request,
        largest: Largest,
    ) -> Result<(), M::Error> {
        let frames = PreparedFrames::of(batch, request, largest);
        if frames.is_some() && frames == self.prepared {
            return Ok(());
        }
        // After an error it is not known what is there.
        self.prepared = None;
        let (config, selection) = (request.config, &request.selection);
        let any = |of: &dyn Fn(&shared_types::BatchStructureDesc) -> bool| batch.descriptors().iter().any(of);
        let contact_offsets = batch.contact_offsets(config.contact_threshold);
        self.split = items::split(batch, &contact_offsets, largest, selection.steps());
        let mut sizes = BatchSizes {
            structures: batch.n_structures(),
            residues: batch.n_residues(),
            atoms: batch.atom_offsets().end() as usize,
            contact_words: contact_offsets.end() as usize,
            largest_atoms: largest.atoms,
            largest_residues: largest.residues,
            steps: selection.steps(),
            few_atoms: any(&|d| d.n_atoms <= largest.atoms),
            many_atoms: any(&|d| d.n_atoms > largest.atoms),
            few_residues: any(&|d| d.n_residues <= largest.residues),
            many_residues: any(&|d| d.n_residues > largest.residues),
            together: items::together(batch, largest),
            largest_centrality: largest.centrality,
            largest_wcn: selection.largest_wcn(),
            results: ResultSizes::of(batch, selection),
            ..BatchSizes::default()
        };
        memory.set(&mut self.structures, batch.structure_offsets())?;
        memory.set(&mut self.residues, batch.residue_offsets())?;
        sizes.value_items = self.value_items.set(memory, &Items::of_values(batch, selection.width()))?;
        self.results.reserve(memory, sizes.results)?;
        // Kernels write a summary whether somebody asks for it or not.
        if sizes.steps.only(Steps::EXPOSURE.and(Steps::BACKBONE).and(Steps::POSITION)) != Steps::NONE {
            sizes.residue_items = self.residue_items.set(memory, &Items::of_residues(batch))?;
        }
        if sizes.steps.has(Steps::EXPOSURE) {
            self.prepare_atoms(memory, batch, &mut sizes)?;
        }
        let has = |step| sizes.steps.has(step);
        if sizes.many_residues && (has(Steps::ROWS) || has(Steps::SECONDARY_STRUCTURE)) {
            let boxes = items::box_offsets(batch, largest);
            memory.set(&mut self.box_rows, &boxes)?;
            sizes.boxes = boxes.end() as usize;
            memory.reserve(&mut self.boxes, sizes.boxes)?;
            sizes.row_items = self.row_items.set(memory, &Items::of_rows(batch, self.split, &boxes))?;
        }
        if sizes.steps.has(Steps::ROWS) {
            memory.set(&mut self.contact_lists, &contact_offsets)?;
            self.prepare_rows(memory, &sizes)?;
            self.columns.set(memory, selection, Group::Residue)?;
        }
        self.groups.prepare(memory, &sizes, selection)?;
        self.sizes = sizes;
        self.prepared = frames;
        Ok(())
    }

    /// Makes the next [`prepare`](Self::prepare) make all room: some of it was given away.
    pub(super) fn forget_prepared(&mut self) {
        self.prepared = None;
    }

    fn prepare_atoms(&mut self, memory: &M, batch: &BatchChunk<'_>, sizes: &mut BatchSizes) -> Result<(), M::Error> {
        memory.set(&mut self.heavy_atoms, batch.atom_offsets())?;
        let items = Items::of_atoms(batch);
        sizes.atom_items = self.atom_items.set(memory, &items)?;
        if sizes.steps.has(Steps::SITES) {
            self.prepare_points(memory, batch, &items, sizes)?;
        }
        self.cells.reserve(memory, sizes.structures, sizes.atoms)?;
        memory.reserve(&mut self.surface, sizes.atoms)?;
        memory.reserve(&mut self.depths, sizes.atoms)?;
        memory.reserve(&mut self.exposure, sizes.residues)
    }

    fn prepare_points(
        &mut self,
        memory: &M,
        batch: &BatchChunk<'_>,
        items: &Items,
        sizes: &BatchSizes,
    ) -> Result<(), M::Error> {
        let all = |offsets: Vec<u32>| Offsets::new(offsets).expect("items and structures follow each other");
        let firsts = items.offsets.as_slice().iter().map(|first| first * CAPACITY).collect();
        memory.set(&mut self.point_items, &all(firsts))?;
        memory.set(&mut self.each_item, &all((0..=items.items.len() as u32).collect()))?;
        let structures = batch.n_structures() as u32;
        memory.set(&mut self.site_lists, &all((0..=structures).map(|first| first * MOST_SITES as u32).collect()))?;
        memory.reserve(&mut self.point_atoms, sizes.atoms)?;
        memory.reserve(&mut self.site_atoms, sizes.atoms)?;
        memory.reserve(&mut self.site_sums, sizes.atoms)?;
        memory.reserve(&mut self.points, sizes.atoms * CAPACITY as usize)?;
        memory.reserve(&mut self.spots, sizes.atoms * CAPACITY as usize)?;
        memory.reserve(&mut self.point_counts, items.items.len())
    }

    fn prepare_rows(&mut self, memory: &M, sizes: &BatchSizes) -> Result<(), M::Error> {
        let &BatchSizes { residues, structures, steps, .. } = sizes;
        memory.reserve(&mut self.rows, residues)?;
        memory.reserve(&mut self.exposure, residues)?;
        self.gathered.reserve(memory, residues)?;
        memory.reserve(&mut self.vectors, residues)?;
        memory.reserve(&mut self.contacts, sizes.contact_words)?;
        if steps.has(Steps::SITES) {
            memory.reserve(&mut self.results.site_ids, residues)?;
            memory.reserve(&mut self.results.sites, structures * MOST_SITES)?;
        }
        if sizes.many_residues {
            memory.reserve(&mut self.facts, structures)?;
            memory.reserve(&mut self.axes, residues)?;
            memory.reserve(&mut self.chain_rows, residues)?;
            memory.reserve(&mut self.few, few_pairs())?;
        }
        Ok(())
    }

    /// Copies the results to the host, once they are there.
    ///
    /// # Errors
    /// A kernel's panic, and those of the memory.
    ///
    /// # Panics
    /// If `to` has no room for what was prepared.
    pub fn results(&self, memory: &M, to: &mut super::BatchFeatures) -> Result<(), M::Error> {
        self.results_into(memory, to.as_mut())
    }

    /// As [`results`](Self::results), to part of a batch's.
    pub(super) fn results_into(&self, memory: &M, to: ResultsMut<'_>) -> Result<(), M::Error> {
        let all = self.sizes.results;
        to.check(if to.values.is_empty() { all.on_host() } else { all });
        self.results.download(memory, to)
    }
}

/// What decides about everything that a workspace is prepared with, for frames of a trajectory.
struct PreparedFrames {
    common: Arc<BatchBuffers>,
    structures: usize,
    request: Request,
    largest: Largest,
}

impl PreparedFrames {
    /// `None` if these are no frames.
    fn of(batch: &BatchChunk<'_>, request: &Request, largest: Largest) -> Option<Self> {
        let common = Arc::clone(batch.common()?);
        Some(Self { common, structures: batch.n_structures(), request: request.clone(), largest })
    }
}

impl PartialEq for PreparedFrames {
    fn eq(&self, other: &Self) -> bool {
        let is_alike = Arc::ptr_eq(&self.common, &other.common) && self.structures == other.structures;
        is_alike && self.largest == other.largest && self.request == other.request
    }
}

/// Stages of a batch's launches after which memory is no longer needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Rows,
    Sites,
    Groups,
}

impl Workspace<HostMemory> {
    /// Gives memory back that only stages up to this one need; after the last one everything but results. The next batch reserves it again.
    pub(super) fn give_back_after(&mut self, stage: Stage) {
        self.forget_prepared();
        match stage {
            Stage::Rows => {
                (self.contacts, self.vectors, self.few) = Default::default();
                (self.axes, self.chain_rows, self.depths) = Default::default();
                give_back(&mut self.gathered, GatheredRows::new);
            }
            Stage::Sites => {
                (self.surface, self.exposure) = Default::default();
                (self.point_atoms, self.site_atoms, self.site_sums) = Default::default();
                (self.points, self.spots, self.point_counts) = Default::default();
                give_back(&mut self.cells, Cells::new);
            }
            Stage::Groups => {
                (self.rows, self.boxes) = Default::default();
                give_back(&mut self.groups, Groups::new);
            }
        }
    }
}

/// Replaces buffers by empty ones, for which there is always memory.
fn give_back<T>(buffers: &mut T, none: impl FnOnce(&HostMemory) -> Result<T, OutOfHostMemory>) {
    if let Ok(none) = none(&HostMemory) {
        *buffers = none;
    }
}

impl<M: Memory> std::fmt::Debug for Workspace<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workspace({} rows)", self.sizes.residues)
    }
}
