//! Structures to features, on a GPU or on CPU cores, with the same bits.
//!
//! Most programs need only [`Engine`]. Its parts are public too, for tests and benchmarks, for example to run kernels in an
//! order given by a seed.
//!
//! ```
//! use cuda_std::launch::CpuExecutor;
//! use prism_engine::{Largest, compute_on_cpu};
//! use prism_read::{ReadOptions, read_path};
//! use prism_engine::{Backend, Engine, PackedBatch};
//! use shared_types::MegaFusedConfig;
//!
//! let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
//! let batch = PackedBatch::from_inputs([&rbd])?;
//! let config = MegaFusedConfig::default();
//! let shuffled = compute_on_cpu(&CpuExecutor::shuffled(7), &batch, config, Largest::default())?;
//! let usual = Engine::builder().backend(Backend::Cpu).build()?.run_batch(&batch)?;
//! let bits = |values: &[f32]| bytemuck::cast_slice::<_, u32>(values).to_vec();
//! assert_eq!(bits(shuffled.values()), bits(usual.values()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotated;
pub mod atoms;
mod base_pairs;
mod batch_inputs;
mod batch_results;
mod batch_sizes;
mod blame;
mod builder;
pub mod contacts;
mod cpu;
mod cuda;
pub mod dssp;
mod each;
mod error;
mod groups;
mod hetero;
#[doc(hidden)]
pub mod huge_pages;
#[doc(hidden)]
pub mod injected;
pub mod interactions;
mod items;
mod kernels;
mod launch;
pub mod ligands;
mod masks;
mod memory;
pub mod mmcif;
mod on_device;
pub mod pack;
mod plan;
mod points;
mod pooled;
pub mod residue_depth;
pub mod residue_frames;
mod results;
mod rooms;
mod scheduler;
mod scratch;
mod selection;
mod shape;
pub mod sites;
mod stream;
#[cfg(test)]
#[path = "../../tests/library/synthetic/mod.rs"]
mod synthetic;
#[cfg(test)]
mod tests;
#[doc(hidden)]
pub mod threads;
pub mod three_di;
mod twins;
mod worker;
mod workspace;
mod zeroed;

#[doc(hidden)]
pub use annotated::FEATURES_OF;
pub use base_pairs::{Candidates, PairWorkspace};
pub use batch_inputs::{BatchInputs, InputBuffers};
pub use batch_results::{BatchResults, RunRecord};
pub use builder::{Backend, EngineBuilder};
pub use cpu::{compute_on_cpu, cpu_description};
pub use cuda::{
    CudaInventory, DeviceBatch, DeviceMemory, DeviceSlots, InventoryDevice, RecordedBatch, RecordedFeatures,
    SlotOptions, SlotStatistics, Staging, cuda_inventory, kernel_image,
};
pub use error::{DeviceError, DeviceErrorKind, EngineError};
pub use hetero::OfHetero;
pub use items::Largest;
pub use kernels::{KernelInfo, kernels, ptx_module};
pub use launch::{
    launch_atom_surfaces, launch_binding_sites, launch_groups, launch_mega_fused_batch, launch_residue_exposure,
    launch_rows,
};
pub use memory::{HostMemory, Memory, OutOfHostMemory};
pub use on_device::DeviceValues;
pub use points::{point_groups, sphere_points};
pub use results::{BatchFeatures, StructureView};
pub use rooms::{AtomRoom, AtomRooms};
pub use scheduler::LostWorker;
pub use selection::{LARGEST_WCN, Request, Selection};
pub use shape::ShapeDifference;
pub use stream::FeaturesIter;
pub use worker::{DeviceTimes, Worker};
pub use workspace::Workspace;

#[doc(hidden)]
pub use each::Packed;
pub use pack::{PackError, PackedBatch};
#[doc(hidden)]
pub use plan::{Cut, size_of};

use batch_results::needs_host;
use kernels_gpu::bases::TestedPair;
use prism_read::StructureInput;
use scheduler::{Exclusivity, Scheduler};
use shared_types::{AtomPoints, FeatureRow, Group, MegaFusedConfig, Site, StructureSummary};
use std::sync::Arc;

/// Computes features. Made by [`Engine::builder`]; shared between threads by reference.
///
/// A structure's features have bits that depend on the structure and the configuration alone: not on the backend, nor
/// on what else is in the batch.
///
/// ```
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine, PackedBatch};
/// use prism_read::StructureInput;
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// println!("{}: batches of {} atoms", engine.backend_description(), engine.batch_atoms());
///
/// let one = &engine.run(std::slice::from_ref(&rbd))?[0];
/// assert_eq!((one.n_residues, one.site_ids.len(), one.summary.residues), (194, 194, 194));
///
/// // A structure that is not valid does not keep the others from theirs; the same for structures that come one by one.
/// let each = engine.run_each(&[StructureInput::default(), rbd.clone()])?;
/// assert!(each[0].is_err() && each[1].as_ref().is_ok_and(|features| features.site_ids == one.site_ids));
/// assert_eq!(engine.run_iter([rbd.clone(), rbd.clone()]).filter(Result::is_ok).count(), 2);
///
/// // A batch that was packed before.
/// let batch = engine.run_batch(&PackedBatch::from_inputs([&rbd, &rbd])?)?;
/// assert_eq!((batch.n_structures(), batch.n_residues()), (2, 388));
/// assert_eq!(batch.structure(1).site_ids, one.site_ids);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    workers: Arc<Scheduler>,
    request: Request,
    batch_atoms: usize,
    backend: String,
    description: String,
}

/// The results of one structure, in their own memory.
#[derive(Clone, Debug)]
pub struct StructureFeatures {
    /// The structure's name.
    pub name: String,
    /// Its number of residues.
    pub n_residues: usize,
    /// For every residue, the site that it is part of, counted from 0, or -1; empty if sites were not requested.
    pub site_ids: Vec<i32>,
    /// Its sites by falling score; empty where they were not asked for.
    pub sites: Vec<Site>,
    /// The points of each of its heavy atoms; empty where they were not asked for.
    pub atom_points: Vec<AtomPoints>,
    /// The structure as a whole.
    pub summary: StructureSummary,
    selection: Selection,
    values: Vec<f32>,
}

impl StructureFeatures {
    /// Features of the first group that were computed elsewhere: a row for each residue, and the residues' sites.
    #[must_use]
    pub fn from_rows(name: &str, rows: &[FeatureRow], site_ids: &[i32]) -> Self {
        let selection = Selection::new(Group::Residue.features(), true);
        let columns = selection.features().iter().map(|feature| feature.column);
        Self {
            name: name.to_owned(),
            n_residues: rows.len(),
            site_ids: site_ids.to_vec(),
            sites: Vec::new(),
            atom_points: Vec::new(),
            summary: StructureSummary { residues: rows.len() as u32, ..StructureSummary::default() },
            values: columns.flat_map(|column| rows.iter().map(move |row| row.columns[column])).collect(),
            selection,
        }
    }

    /// The same, as views of batches are.
    #[must_use]
    pub fn view(&self) -> StructureView<'_> {
        let Self { name, n_residues, site_ids, sites, atom_points, summary, selection, values } = self;
        StructureView { name, selection, n_residues: *n_residues, values, site_ids, sites, atom_points, summary }
    }

    /// One feature of the first group, of every residue, by [`shared_types::feature::column`]; nothing where it was not
    /// asked for.
    pub fn column(&self, column: usize) -> impl ExactSizeIterator<Item = f32> + '_ {
        let features = self.selection.features();
        let place = features.iter().position(|one| one.group == Group::Residue && one.column == column);
        place.map(|place| self.view().at(place)).unwrap_or_default().iter().copied()
    }

    /// All values: feature by feature in the order of [`Selection::features`], residue by residue.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// As [`StructureView::named`].
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&[f32]> {
        self.view().named(name)
    }

    /// The feature of that name, of every residue, to change.
    pub fn named_mut(&mut self, name: &str) -> Option<&mut [f32]> {
        let place = self.selection.features().iter().position(|feature| feature.name == name)?;
        Some(&mut self.values[place * self.n_residues..(place + 1) * self.n_residues])
    }

    /// As [`StructureView::rows`].
    #[must_use]
    pub fn rows(&self) -> Vec<FeatureRow> {
        self.view().rows()
    }
}

impl Engine {
    /// How an engine is made: backend, devices, configuration.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// With workers that a test has made.
    #[doc(hidden)]
    pub fn of_workers(
        all: Vec<Box<dyn worker::Worker>>,
        fallback: Option<Box<dyn worker::Worker>>,
        batch_atoms: usize,
    ) -> Self {
        Self::of(Scheduler::new(all, fallback), batch_atoms)
    }

    /// With workers that a test has made.
    fn of(workers: Scheduler, batch_atoms: usize) -> Self {
        let (workers, backend) = (Arc::new(workers), "injected".to_owned());
        let request = Request::default();
        Self { workers, request, batch_atoms, description: backend.clone(), backend }
    }

    /// The same backend with its memory, for runs that compute something else.
    #[must_use]
    pub fn with_selection(&self, selection: Selection) -> Self {
        Self {
            workers: Arc::clone(&self.workers),
            request: Request { config: self.request.config, selection },
            batch_atoms: self.batch_atoms,
            backend: self.backend.clone(),
            description: self.description.clone(),
        }
    }

    /// What every run computes with.
    #[must_use]
    pub fn config(&self) -> MegaFusedConfig {
        self.request.config
    }

    /// What every run computes.
    #[must_use]
    pub fn selection(&self) -> &Selection {
        &self.request.selection
    }

    /// Which backend this is, in some words for people.
    #[must_use]
    pub fn backend_name(&self) -> &str {
        &self.backend
    }

    /// Which backend this is and, where [`Backend::Auto`] could not take CUDA, why.
    #[must_use]
    pub fn backend_description(&self) -> &str {
        &self.description
    }

    /// Atoms at which a batch is cut: enough to keep the backend busy, few enough to bound memory.
    #[must_use]
    pub fn batch_atoms(&self) -> usize {
        self.batch_atoms
    }

    /// The number of batches that are worth computing at once.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.workers.slots()
    }

    /// Memory from which its devices take the atoms of structures.
    #[must_use]
    pub fn atom_rooms(&self) -> AtomRooms {
        AtomRooms(Arc::clone(&self.workers))
    }

    /// Devices that failed. Their batches were computed by the others or, with [`Backend::Auto`], by the CPU.
    #[must_use]
    pub fn lost(&self) -> Vec<LostWorker> {
        self.workers.lost()
    }

    /// What computes, as `Telemetry` of `prism-io` counts them.
    pub fn worker_names(&self) -> Vec<String> {
        self.workers.names()
    }

    /// Computes the features of any number of structures, cut into batches of about [`batch_atoms`](Self::batch_atoms).
    /// Results are in the order of `structures`.
    ///
    /// # Errors
    /// The first structure that is not valid, or what stopped the backend; see [`EngineError`]. Nothing is returned
    /// then; use [`run_each`](Self::run_each) to go on without a structure that is to blame.
    pub fn run(&self, structures: &[StructureInput]) -> Result<Vec<StructureFeatures>, EngineError> {
        let batches = self.in_batches(structures, |each| each.into_iter().collect::<Result<Vec<_>, _>>())?;
        Ok(batches.into_iter().flatten().collect())
    }

    /// As [`run`](Self::run), but a structure that causes an error gets that error (it is invalid, a kernel panicked on
    /// it, or it does not fit in memory), and the others get their features.
    ///
    /// # Errors
    /// An error that stopped the backend and that no structure caused.
    pub fn run_each(
        &self,
        structures: &[StructureInput],
    ) -> Result<Vec<Result<StructureFeatures, EngineError>>, EngineError> {
        Ok(self.in_batches(structures, Ok)?.into_iter().flatten().collect())
    }

    /// Computes batch by batch, several at once, and answers what `finish` makes of each, in order.
    fn in_batches<T: Send>(
        &self,
        structures: &[StructureInput],
        finish: impl Fn(Vec<Result<StructureFeatures, EngineError>>) -> Result<T, EngineError> + Sync,
    ) -> Result<Vec<T>, EngineError> {
        let ranges = plan::batches(structures.iter().map(plan::size_of), self.batch_atoms);
        plan::in_slots(self.slots(), ranges, |range| {
            let first = range.start;
            let batch = &structures[range];
            let each = self.run_packed(batch, self.pack(batch))?.into_each();
            finish(each.into_iter().map(|one| one.map_err(|error| error.shifted(first))).collect())
        })
    }

    /// As [`run_each`](Self::run_each), for one batch, without copying the results.
    ///
    /// ```
    /// use prism_engine::{Backend, Engine};
    /// use prism_read::StructureInput;
    ///
    /// let engine = Engine::builder().backend(Backend::Cpu).build()?;
    /// let results = engine.run_structures(&[StructureInput::default()])?;
    /// assert!(results.len() == 1 && results.get(0).is_err());
    /// # Ok::<(), prism_engine::EngineError>(())
    /// ```
    ///
    /// # Errors
    /// An error that stopped the backend and that no structure caused.
    pub fn run_structures(&self, structures: &[StructureInput]) -> Result<BatchResults, EngineError> {
        self.run_packed(structures, self.pack(structures))
    }

    /// Packs structures, as far as the engine's workers need it before their turn.
    #[must_use]
    pub fn pack(&self, structures: &[StructureInput]) -> Packed {
        let packed = Packed::new(structures);
        if self.workers.gathers() { packed } else { packed.joined() }
    }

    /// Computes a batch that was packed from `structures`.
    pub fn run_packed(&self, structures: &[StructureInput], packed: Packed) -> Result<BatchResults, EngineError> {
        if !structures.iter().any(needs_host) {
            return each::compute(&self.workers, &self.request, structures, packed);
        }
        // Values on a device could not be made undefined.
        let request = Request { config: self.request.config, selection: self.request.selection.on_host() };
        let mut results = each::compute(&self.workers, &request, structures, packed)?;
        results.undefine(structures);
        Ok(results)
    }

    /// As [`run_each`](Self::run_each), for structures that come one by one, however many: some batches of them are in
    /// memory at a time. After an error that is no structure's fault the iterator ends.
    pub fn run_iter<I>(&self, structures: I) -> FeaturesIter<'_, I::IntoIter>
    where
        I: IntoIterator<Item = StructureInput>,
    {
        FeaturesIter::new(self, structures.into_iter())
    }

    /// Announces the total number of heavy atoms, roughly, before the first of them are computed. If that is enough work for
    /// devices, [`Backend::Auto`] makes them ready at once, in a thread of its own, and batches wait for them for half a second
    /// at most. Otherwise it makes devices ready only when twice as many atoms have been requested.
    ///
    /// ```
    /// use prism_engine::Engine;
    ///
    /// let engine = Engine::builder().build()?;
    /// engine.announce(1_500);
    /// assert!(engine.lost().is_empty());
    /// # Ok::<(), prism_engine::EngineError>(())
    /// ```
    pub fn announce(&self, atoms: usize) {
        self.workers.announce(atoms);
    }

    /// The number of atoms for which devices are made ready.
    pub fn atoms_for_devices(&self) -> usize {
        self.workers.atoms_for_devices()
    }

    /// Whether devices are being made ready.
    pub fn awaits_devices(&self) -> bool {
        self.workers.awaits_devices()
    }

    /// Tests pairs of bases by the kernel, on the first worker: a device, if it was chosen.
    pub(crate) fn test_pairs(&self, given: &Candidates<'_>) -> Result<Vec<TestedPair>, EngineError> {
        self.workers.test_pairs(given)
    }

    /// Computes the features of one batch in a few launches, however many structures it has.
    ///
    /// # Errors
    /// An error that stopped the backend; see [`EngineError`].
    pub fn run_batch(&self, batch: &PackedBatch) -> Result<BatchFeatures, EngineError> {
        self.workers.expect(batch.n_atoms());
        Ok(self.workers.run(batch, &self.request, Exclusivity::Shared)?.features)
    }
}
