//! The launches of a batch, wherever its buffers live: heavy atoms, then rows, then sites.

use super::memory::Memory;
use super::work::BatchWork;
use cuda_std::launch::{Executor, Segments, Space};
use kernels_gpu::{
    atom_cells_prism4d as cells, atom_surfaces_prism4d as surfaces, binding_sites_prism4d as sites,
    large_atom_cells_prism4d as large_cells, mega_fused_batch_detection_prism4d as fused,
    residue_exposure_prism4d as exposure, spread_centrality_prism4d as spread_centrality,
    spread_network_prism4d as spread_network, spread_pairs_prism4d as spread_pairs,
    spread_places_prism4d as spread_places,
};
use shared_types::{Atom, BatchStructureDesc, MegaFusedConfig, PointGroup};

/// A packed batch as kernels read it, in the memory `S`. See [`crate::pack::PackedBatch`] for what each holds.
///
/// The example of [`BatchWork`] makes them of a batch in the host's memory.
pub struct BatchInputs<'a, S: Space> {
    /// Heavy atoms.
    pub atoms: S::Ref<'a, Atom>,
    /// Per row, its alpha carbon counted from its structure's first atom.
    pub ca_indices: S::Ref<'a, u32>,
    /// Per structure, where it lies.
    pub descriptors: S::Ref<'a, BatchStructureDesc>,
    /// Per row, its residue type.
    pub residue_types: S::Ref<'a, u8>,
    /// Per row, conservation.
    pub conservation: S::Ref<'a, f32>,
    /// Per row, the alpha carbon's B factor.
    pub bfactor: S::Ref<'a, f32>,
    /// Per row, the lineage's frequency.
    pub gisaid_freq: S::Ref<'a, f32>,
    /// Per row, its growth rate.
    pub gisaid_velocity: S::Ref<'a, f32>,
    /// Per row, its chain.
    pub chain_ids: S::Ref<'a, u32>,
    /// Per row, its first atom counted from its structure's first atom.
    pub residue_atoms: S::Ref<'a, u32>,
    /// Test points of the unit sphere ([`super::point_groups`]).
    pub points: S::Ref<'a, PointGroup>,
    /// How many those are: as many as the configuration says.
    pub n_points: u32,
}

impl<S: Space> Clone for BatchInputs<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Space> Copy for BatchInputs<'_, S> {}

impl<S: Space> BatchInputs<'_, S> {
    /// The same, for the time of one launch.
    fn shorter(&self) -> BatchInputs<'_, S> {
        BatchInputs {
            atoms: S::shorter(self.atoms),
            ca_indices: S::shorter(self.ca_indices),
            descriptors: S::shorter(self.descriptors),
            residue_types: S::shorter(self.residue_types),
            conservation: S::shorter(self.conservation),
            bfactor: S::shorter(self.bfactor),
            gisaid_freq: S::shorter(self.gisaid_freq),
            gisaid_velocity: S::shorter(self.gisaid_velocity),
            chain_ids: S::shorter(self.chain_ids),
            residue_atoms: S::shorter(self.residue_atoms),
            points: S::shorter(self.points),
            n_points: self.n_points,
        }
    }
}

/// Computes every feature of a batch, in memory that was prepared for it by [`BatchWork::prepare`].
///
/// # Errors
/// Those of the executor. A GPU reports a kernel's panic when it is next synchronised with.
///
/// The example of [`BatchWork`] calls it.
pub fn launch_mega_fused_batch<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut BatchWork<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    launch_atom_surfaces(executor, inputs, work)?;
    launch_residue_exposure(executor, inputs, work)?;
    launch_rows(executor, inputs, work, config)?;
    launch_binding_sites(executor, work, config)
}

/// Counts around heavy atoms: the first part of [`launch_mega_fused_batch`].
///
/// # Errors
/// Those of the executor.
///
/// The example of [`BatchWork`] calls it, and the other parts.
pub fn launch_atom_surfaces<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut BatchWork<M>,
) -> Result<(), E::Error> {
    let sizes = work.sizes;
    let blocks = sizes.structures as u32;
    if sizes.few_atoms {
        let given = inputs.shorter();
        let args = cells::Args {
            frames: Segments { data: M::view_mut(&mut work.frames), offsets: M::offsets(&work.structures) },
            sorted: Segments { data: M::view_mut(&mut work.sorted), offsets: M::offsets(&work.heavy_atoms) },
            cells: Segments { data: M::view_mut(&mut work.cells), offsets: M::offsets(&work.heavy_atoms) },
            owners: Segments { data: M::view_mut(&mut work.owners), offsets: M::offsets(&work.heavy_atoms) },
            contacts: Segments { data: M::view_mut(&mut work.atom_contacts), offsets: M::offsets(&work.residues) },
            atoms: given.atoms,
            descriptors: given.descriptors,
            chain_ids: given.chain_ids,
            residue_atoms: given.residue_atoms,
            largest: sizes.largest_atoms,
        };
        cells::launch(executor, blocks, args)?;
    }
    if sizes.many_atoms {
        let given = inputs.shorter();
        let args = large_cells::Args {
            frames: Segments { data: M::view_mut(&mut work.frames), offsets: M::offsets(&work.structures) },
            sorted: Segments { data: M::view_mut(&mut work.sorted), offsets: M::offsets(&work.heavy_atoms) },
            cells: Segments { data: M::view_mut(&mut work.cells), offsets: M::offsets(&work.heavy_atoms) },
            owners: Segments { data: M::view_mut(&mut work.owners), offsets: M::offsets(&work.heavy_atoms) },
            contacts: Segments { data: M::view_mut(&mut work.atom_contacts), offsets: M::offsets(&work.residues) },
            atoms: given.atoms,
            descriptors: given.descriptors,
            chain_ids: given.chain_ids,
            residue_atoms: given.residue_atoms,
            largest: sizes.largest_atoms,
        };
        large_cells::launch(executor, blocks, args)?;
    }
    let given = inputs.shorter();
    let args = surfaces::Args {
        surface: Segments { data: M::view_mut(&mut work.surface), offsets: M::offsets(&work.atom_items.offsets) },
        contacts: M::view_mut(&mut work.atom_contacts),
        items: work.atom_items.view(),
        atoms: given.atoms,
        descriptors: given.descriptors,
        chain_ids: given.chain_ids,
        residue_atoms: given.residue_atoms,
        sorted: M::view(&work.sorted, sizes.atoms),
        cells: M::view(&work.cells, sizes.atoms),
        owners: M::view(&work.owners, sizes.atoms),
        frames: M::view(&work.frames, sizes.structures),
        points: given.points,
        n_points: given.n_points,
    };
    surfaces::launch(executor, work.atom_items.count, args)
}

/// Adds up what residues have of their atoms: the second part.
///
/// # Errors
/// Those of the executor.
///
/// The example of [`BatchWork`] calls it, and the other parts.
pub fn launch_residue_exposure<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut BatchWork<M>,
) -> Result<(), E::Error> {
    let sizes = work.sizes;
    let given = inputs.shorter();
    let args = exposure::Args {
        exposure: Segments { data: M::view_mut(&mut work.exposure), offsets: M::offsets(&work.residue_items.offsets) },
        depths: Segments { data: M::view_mut(&mut work.depths), offsets: M::offsets(&work.residue_items.others) },
        items: work.residue_items.view(),
        atoms: given.atoms,
        descriptors: given.descriptors,
        residue_types: given.residue_types,
        chain_ids: given.chain_ids,
        residue_atoms: given.residue_atoms,
        sorted: M::view(&work.sorted, sizes.atoms),
        cells: M::view(&work.cells, sizes.atoms),
        frames: M::view(&work.frames, sizes.structures),
        surface: M::view(&work.surface, sizes.atoms),
        contacts: M::view(&work.atom_contacts, sizes.residues),
        points: given.n_points,
    };
    exposure::launch(executor, work.residue_items.count, args)
}

/// Computes the rows' other features: the third part. Structures that one block does not compute take several kernels.
///
/// # Errors
/// Those of the executor.
///
/// The example of [`BatchWork`] calls it, and the other parts.
pub fn launch_rows<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut BatchWork<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    if work.sizes.few_residues {
        launch_fused(executor, inputs, work, config)?;
    }
    if work.sizes.many_residues {
        launch_spread(executor, inputs, work, config)?;
    }
    Ok(())
}

fn launch_fused<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut BatchWork<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    let sizes = work.sizes;
    let residues = M::offsets(&work.residues);
    let given = inputs.shorter();
    let args = fused::Args {
        output: Segments { data: M::view_mut(&mut work.rows), offsets: residues },
        atoms: given.atoms,
        ca_indices: given.ca_indices,
        descriptors: given.descriptors,
        residue_types: given.residue_types,
        conservation: given.conservation,
        bfactor: given.bfactor,
        gisaid_freq: given.gisaid_freq,
        gisaid_velocity: given.gisaid_velocity,
        chain_ids: given.chain_ids,
        exposure: M::view(&work.exposure, sizes.residues),
        places: Segments { data: M::view_mut(&mut work.places), offsets: residues },
        traits: Segments { data: M::view_mut(&mut work.traits), offsets: residues },
        bfactor_z: Segments { data: M::view_mut(&mut work.bfactor_z), offsets: residues },
        contacts: Segments { data: M::view_mut(&mut work.contacts), offsets: M::offsets(&work.contact_lists) },
        work: Segments { data: M::view_mut(&mut work.vectors), offsets: residues },
        summaries: Segments { data: M::view_mut(&mut work.summaries), offsets: M::offsets(&work.structures) },
        config,
        shares: work.shares,
    };
    fused::launch(executor, sizes.structures as u32, args)
}

fn launch_spread<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut BatchWork<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    let (sizes, shares) = (work.sizes, work.shares);
    let (n, blocks) = (sizes.residues, sizes.structures as u32);
    let given = inputs.shorter();
    let args = spread_places::Args {
        atoms: given.atoms,
        ca_indices: given.ca_indices,
        descriptors: given.descriptors,
        residue_types: given.residue_types,
        conservation: given.conservation,
        bfactor: given.bfactor,
        gisaid_freq: given.gisaid_freq,
        gisaid_velocity: given.gisaid_velocity,
        chain_ids: given.chain_ids,
        exposure: M::view(&work.exposure, n),
        places: Segments { data: M::view_mut(&mut work.places), offsets: M::offsets(&work.residues) },
        traits: Segments { data: M::view_mut(&mut work.traits), offsets: M::offsets(&work.residues) },
        bfactor_z: Segments { data: M::view_mut(&mut work.bfactor_z), offsets: M::offsets(&work.residues) },
        axes: Segments { data: M::view_mut(&mut work.axes), offsets: M::offsets(&work.residues) },
        facts: Segments { data: M::view_mut(&mut work.facts), offsets: M::offsets(&work.structures) },
        shares,
    };
    spread_places::launch(executor, blocks, args)?;
    let row_items = &work.row_items;
    let given = inputs.shorter();
    let args = spread_pairs::Args {
        output: Segments { data: M::view_mut(&mut work.rows), offsets: M::offsets(&row_items.offsets) },
        contacts: Segments { data: M::view_mut(&mut work.contacts), offsets: M::offsets(&row_items.others) },
        items: row_items.view(),
        descriptors: given.descriptors,
        residue_types: given.residue_types,
        exposure: M::view(&work.exposure, n),
        places: M::view(&work.places, n),
        traits: M::view(&work.traits, n),
        axes: M::view(&work.axes, n),
        facts: M::view(&work.facts, sizes.structures),
        config,
    };
    spread_pairs::launch(executor, row_items.count, args)?;
    let given = inputs.shorter();
    let args = spread_network::Args {
        output: Segments { data: M::view_mut(&mut work.rows), offsets: M::offsets(&row_items.offsets) },
        items: row_items.view(),
        descriptors: given.descriptors,
        places: M::view(&work.places, n),
        contacts: M::view(&work.contacts, sizes.contact_words),
        bfactor_z: M::view(&work.bfactor_z, n),
        facts: M::view(&work.facts, sizes.structures),
        config,
        shares,
    };
    spread_network::launch(executor, row_items.count, args)?;
    let given = inputs.shorter();
    let args = spread_centrality::Args {
        output: Segments { data: M::view_mut(&mut work.rows), offsets: M::offsets(&work.residues) },
        summaries: Segments { data: M::view_mut(&mut work.summaries), offsets: M::offsets(&work.structures) },
        descriptors: given.descriptors,
        places: M::view(&work.places, n),
        contacts: M::view(&work.contacts, sizes.contact_words),
        facts: M::view(&work.facts, sizes.structures),
        work: Segments { data: M::view_mut(&mut work.vectors), offsets: M::offsets(&work.residues) },
        config,
        shares,
    };
    spread_centrality::launch(executor, blocks, args)
}

/// Scores residues and numbers sites: the last part.
///
/// # Errors
/// Those of the executor.
///
/// The example of [`BatchWork`] calls it, and the other parts.
pub fn launch_binding_sites<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    work: &mut BatchWork<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    let sizes = work.sizes;
    let residues = M::offsets(&work.residues);
    let args = sites::Args {
        output: Segments { data: M::view_mut(&mut work.rows), offsets: residues },
        site_ids: Segments { data: M::view_mut(&mut work.site_ids), offsets: residues },
        summaries: Segments { data: M::view_mut(&mut work.summaries), offsets: M::offsets(&work.structures) },
        places: M::view(&work.places, sizes.residues),
        contacts: M::view(&work.contacts, sizes.contact_words),
        labels: Segments { data: M::view_mut(&mut work.labels), offsets: residues },
        sums: Segments { data: M::view_mut(&mut work.sums), offsets: residues },
        config,
        shares: work.shares,
    };
    sites::launch(executor, sizes.structures as u32, args)
}
