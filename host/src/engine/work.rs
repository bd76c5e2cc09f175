//! What a batch is computed in, besides its inputs: results, and memory to work in.

use super::computed::{Computed, ComputedMut};
use super::items::{self, Items, Largest};
use super::memory::Memory;
use crate::pack::BatchPart;
use cuda_std::launch::Space;
use kernels_gpu::scratch::{
    AtomSurface, CellWords, Facts, Frame, Item, Place, ResidueExposure, Shares, SiteLabels, Traits, Work,
};
use shared_types::{Atom, FeatureRow, MegaFusedConfig, StructureSummary};

/// Results of a batch and what its kernels work in, kept from batch to batch. What was there before means nothing.
///
/// ```
/// use bytemuck::{Zeroable, cast_slice};
/// use cuda_std::launch::{CpuExecutor, Host};
/// use prism_host::PackedBatch;
/// use prism_host::engine::{
///     BatchInputs, BatchWork, ComputedMut, HostMemory, Largest, launch_atom_surfaces, launch_binding_sites,
///     launch_mega_fused_batch, launch_residue_exposure, launch_rows, point_groups,
/// };
/// use prism_host::pack::BatchPart;
/// use prism_host::read::{ReadOptions, read_path};
/// use shared_types::{FeatureRow, MegaFusedConfig, PointGroup, StructureSummary};
///
/// /// A batch where it lies.
/// fn inputs<'a>(part: &'a BatchPart<'_>, points: &'a [PointGroup], n_points: u32) -> BatchInputs<'a, Host> {
///     BatchInputs {
///         atoms: part.atoms(),
///         ca_indices: part.ca_indices(),
///         descriptors: part.descriptors(),
///         residue_types: part.residue_types(),
///         conservation: part.conservation(),
///         bfactor: part.bfactor(),
///         gisaid_freq: part.gisaid_freq(),
///         gisaid_velocity: part.gisaid_velocity(),
///         chain_ids: part.chain_ids(),
///         residue_atoms: part.residue_atoms(),
///         points,
///         n_points,
///     }
/// }
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let batch = PackedBatch::from_inputs([&rbd, &rbd])?;
/// let (config, executor, memory) = (MegaFusedConfig::default(), CpuExecutor::new(), HostMemory);
/// let points = point_groups(config.points);
/// let mut work = BatchWork::new(&memory)?;
///
/// let whole = batch.whole();
/// work.prepare(&memory, &whole, config, Largest::default())?;
/// launch_mega_fused_batch(&executor, inputs(&whole, &points, config.points), &mut work, config)?;
/// let computed = work.results(&memory)?;
/// assert_eq!((computed.rows.len(), computed.site_ids.len(), computed.summaries.len()), (388, 388, 2));
///
/// // The second structure alone, in the same memory, by one launch after another.
/// let second = &batch.parts(2)[1];
/// work.prepare(&memory, second, config, Largest::default())?;
/// let given = inputs(second, &points, config.points);
/// launch_atom_surfaces(&executor, given, &mut work)?;
/// launch_residue_exposure(&executor, given, &mut work)?;
/// launch_rows(&executor, given, &mut work, config)?;
/// launch_binding_sites(&executor, &mut work, config)?;
/// let (mut rows, mut site_ids) = (vec![FeatureRow::zeroed(); 194], vec![0; 194]);
/// let mut summaries = [StructureSummary::default()];
/// let to = ComputedMut { rows: &mut rows, site_ids: &mut site_ids, summaries: &mut summaries };
/// work.results_into(&memory, to)?;
/// assert!(cast_slice::<_, u32>(&rows) == cast_slice::<_, u32>(&computed.rows[194..]));
/// assert_eq!((&site_ids[..], summaries[0]), (&computed.site_ids[194..], computed.summaries[1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchWork<M: Memory> {
    pub(super) sizes: Sizes,
    pub(super) shares: Shares,
    pub(super) structures: M::Offsets,
    pub(super) residues: M::Offsets,
    pub(super) heavy_atoms: M::Offsets,
    pub(super) contact_lists: M::Offsets,
    pub(super) atom_items: DeviceItems<M>,
    pub(super) residue_items: DeviceItems<M>,
    pub(super) row_items: DeviceItems<M>,
    // An element a structure.
    pub(super) summaries: M::Buffer<StructureSummary>,
    pub(super) frames: M::Buffer<Frame>,
    pub(super) facts: M::Buffer<Facts>,
    // An element a heavy atom.
    pub(super) sorted: M::Buffer<Atom>,
    pub(super) cells: M::Buffer<CellWords>,
    pub(super) owners: M::Buffer<u32>,
    pub(super) surface: M::Buffer<AtomSurface>,
    pub(super) depths: M::Buffer<f32>,
    // An element a residue.
    pub(super) rows: M::Buffer<FeatureRow>,
    pub(super) site_ids: M::Buffer<i32>,
    pub(super) atom_contacts: M::Buffer<u32>,
    pub(super) exposure: M::Buffer<ResidueExposure>,
    pub(super) places: M::Buffer<Place>,
    pub(super) traits: M::Buffer<Traits>,
    pub(super) bfactor_z: M::Buffer<f32>,
    pub(super) axes: M::Buffer<[f32; 3]>,
    pub(super) vectors: M::Buffer<Work>,
    pub(super) labels: M::Buffer<SiteLabels>,
    pub(super) sums: M::Buffer<u64>,
    /// Some words a residue.
    pub(super) contacts: M::Buffer<u32>,
}

/// Items as kernels see them.
pub(super) struct DeviceItems<M: Memory> {
    pub(super) count: u32,
    items: M::Buffer<Item>,
    pub(super) offsets: M::Offsets,
    pub(super) others: M::Offsets,
}

impl<M: Memory> DeviceItems<M> {
    fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self { count: 0, items: memory.empty()?, offsets: memory.no_offsets()?, others: memory.no_offsets()? })
    }

    fn set(&mut self, memory: &M, items: &Items) -> Result<(), M::Error> {
        memory.copy_to(&mut self.items, &items.items)?;
        memory.set(&mut self.offsets, &items.offsets)?;
        memory.set(&mut self.others, &items.others)?;
        self.count = items.items.len() as u32;
        Ok(())
    }

    pub(super) fn view(&self) -> <M::Space as Space>::Ref<'_, Item> {
        M::view(&self.items, self.count as usize)
    }
}

/// How much of the buffers a batch takes, and which kernels.
#[derive(Clone, Copy, Default)]
pub(super) struct Sizes {
    pub(super) structures: usize,
    pub(super) residues: usize,
    pub(super) atoms: usize,
    pub(super) contact_words: usize,
    pub(super) largest_atoms: u32,
    /// Whether there are structures of which one block of few threads sorts the atoms, and others.
    pub(super) few_atoms: bool,
    pub(super) many_atoms: bool,
    /// Whether there are structures that one block computes, and others.
    pub(super) few_residues: bool,
    pub(super) many_residues: bool,
}

impl<M: Memory> BatchWork<M> {
    /// Room for nothing.
    ///
    /// # Errors
    /// Where there is no memory.
    pub fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self {
            sizes: Sizes::default(),
            shares: Shares { largest: 0, rows_an_item: 1, contact_words: 0 },
            structures: memory.no_offsets()?,
            residues: memory.no_offsets()?,
            heavy_atoms: memory.no_offsets()?,
            contact_lists: memory.no_offsets()?,
            atom_items: DeviceItems::new(memory)?,
            residue_items: DeviceItems::new(memory)?,
            row_items: DeviceItems::new(memory)?,
            summaries: memory.empty()?,
            frames: memory.empty()?,
            facts: memory.empty()?,
            sorted: memory.empty()?,
            cells: memory.empty()?,
            owners: memory.empty()?,
            surface: memory.empty()?,
            depths: memory.empty()?,
            rows: memory.empty()?,
            site_ids: memory.empty()?,
            atom_contacts: memory.empty()?,
            exposure: memory.empty()?,
            places: memory.empty()?,
            traits: memory.empty()?,
            bfactor_z: memory.empty()?,
            axes: memory.empty()?,
            vectors: memory.empty()?,
            labels: memory.empty()?,
            sums: memory.empty()?,
            contacts: memory.empty()?,
        })
    }

    /// Makes room for a batch and says how it is shared out: structures beyond `largest` take several blocks.
    ///
    /// # Errors
    /// Where there is no memory.
    pub fn prepare(
        &mut self,
        memory: &M,
        batch: &BatchPart<'_>,
        config: MegaFusedConfig,
        largest: Largest,
    ) -> Result<(), M::Error> {
        let contact_offsets = batch.contact_offsets(config.contact_threshold);
        self.shares = items::shares(batch, &contact_offsets, largest);
        let any = |is: &dyn Fn(&shared_types::BatchStructureDesc) -> bool| batch.descriptors().iter().any(is);
        self.sizes = Sizes {
            structures: batch.n_structures(),
            residues: batch.n_residues(),
            atoms: batch.atom_offsets().end() as usize,
            contact_words: contact_offsets.end() as usize,
            largest_atoms: largest.atoms,
            few_atoms: any(&|d| d.n_atoms <= largest.atoms),
            many_atoms: any(&|d| d.n_atoms > largest.atoms),
            few_residues: any(&|d| d.n_residues <= largest.residues),
            many_residues: any(&|d| d.n_residues > largest.residues),
        };
        let Sizes { structures, residues, atoms, contact_words, many_residues, .. } = self.sizes;
        memory.set(&mut self.structures, batch.structure_offsets())?;
        memory.set(&mut self.residues, batch.residue_offsets())?;
        memory.set(&mut self.heavy_atoms, batch.atom_offsets())?;
        memory.set(&mut self.contact_lists, &contact_offsets)?;
        self.atom_items.set(memory, &Items::of_atoms(batch))?;
        self.residue_items.set(memory, &Items::of_residues(batch))?;
        memory.reserve(&mut self.summaries, structures)?;
        memory.reserve(&mut self.frames, structures)?;
        memory.reserve(&mut self.sorted, atoms)?;
        memory.reserve(&mut self.cells, atoms)?;
        memory.reserve(&mut self.owners, atoms)?;
        memory.reserve(&mut self.surface, atoms)?;
        memory.reserve(&mut self.depths, atoms)?;
        memory.reserve(&mut self.rows, residues)?;
        memory.reserve(&mut self.site_ids, residues)?;
        memory.reserve(&mut self.atom_contacts, residues)?;
        memory.reserve(&mut self.exposure, residues)?;
        memory.reserve(&mut self.places, residues)?;
        memory.reserve(&mut self.traits, residues)?;
        memory.reserve(&mut self.bfactor_z, residues)?;
        memory.reserve(&mut self.vectors, residues)?;
        memory.reserve(&mut self.labels, residues)?;
        memory.reserve(&mut self.sums, residues)?;
        memory.reserve(&mut self.contacts, contact_words)?;
        if many_residues {
            self.row_items.set(memory, &Items::of_rows(batch, self.shares))?;
            memory.reserve(&mut self.facts, structures)?;
            memory.reserve(&mut self.axes, residues)?;
        }
        Ok(())
    }

    /// Copies the results to the host, once they are there.
    ///
    /// # Errors
    /// A kernel's panic, and those of the memory.
    pub fn results(&self, memory: &M) -> Result<Computed, M::Error> {
        use bytemuck::allocation::zeroed_vec;
        let Sizes { residues, structures, .. } = self.sizes;
        let (rows, site_ids) = (zeroed_vec(residues).into(), zeroed_vec(residues).into());
        let mut computed = Computed { rows, site_ids, summaries: zeroed_vec(structures).into() };
        self.results_into(memory, computed.as_mut())?;
        Ok(computed)
    }

    /// As [`results`](Self::results), to where the caller has room for them.
    ///
    /// # Errors
    /// The same.
    ///
    /// # Panics
    /// Where there is not room for all of it, or more.
    pub fn results_into(&self, memory: &M, to: ComputedMut<'_>) -> Result<(), M::Error> {
        let Sizes { residues, structures, .. } = self.sizes;
        let lengths = (to.rows.len(), to.site_ids.len(), to.summaries.len());
        assert_eq!(lengths, (residues, residues, structures), "room for the results of a batch");
        memory.copy_from(&self.rows, to.rows)?;
        memory.copy_from(&self.site_ids, to.site_ids)?;
        memory.copy_from(&self.summaries, to.summaries)
    }
}

impl<M: Memory> std::fmt::Debug for BatchWork<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BatchWork({} rows)", self.sizes.residues)
    }
}
