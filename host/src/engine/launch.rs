//! The launches of a batch, wherever its buffers live: the kernel of heavy atoms, and then the fused one.

use cuda_std::launch::{Executor, Segments, Space};
use kernels_gpu::scratch::{AtomSurface, CellWords, Place, ResidueExposure, Traits, Work};
use kernels_gpu::{atom_surfaces_prism4d as surfaces, mega_fused_batch_detection_prism4d as fused};
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, SpherePoint, StructureSummary};

/// A packed batch as the kernel reads it, in the memory `S`. See [`crate::pack::PackedBatch`] for what each holds.
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
    /// Per row, what [`launch_atom_surfaces`] found.
    pub exposure: S::Ref<'a, ResidueExposure>,
}

/// Where the structures of a batch begin and end.
pub struct BatchOffsets<'a, S: Space> {
    /// In buffers of an element a row.
    pub residues: S::Offsets<'a>,
    /// In the contact lists: [`crate::pack::PackedBatch::contact_offsets`].
    pub contacts: S::Offsets<'a>,
    /// In buffers of an element a structure.
    pub structures: S::Offsets<'a>,
}

/// What the kernel computes.
pub struct BatchOutputs<'a, S: Space> {
    /// Per row, the features.
    pub rows: S::Mut<'a, FeatureRow>,
    /// Per structure, one line.
    pub summaries: S::Mut<'a, StructureSummary>,
}

/// What the kernel works in. Contents before and after mean nothing.
pub struct BatchScratch<'a, S: Space> {
    /// Per row, the alpha carbon.
    pub places: S::Mut<'a, Place>,
    /// Per row, what neighbours average.
    pub traits: S::Mut<'a, Traits>,
    /// Per row, the standardised B factor.
    pub bfactor_z: S::Mut<'a, f32>,
    /// Contact lists: as many words as [`BatchOffsets::contacts`] says.
    pub contacts: S::Mut<'a, u32>,
    /// Per row, work vectors.
    pub work: S::Mut<'a, Work>,
}

/// What the kernel of heavy atoms reads, in the memory `S`.
pub struct AtomInputs<'a, S: Space> {
    /// Heavy atoms.
    pub atoms: S::Ref<'a, Atom>,
    /// Per structure, where it lies.
    pub descriptors: S::Ref<'a, BatchStructureDesc>,
    /// Per row, its residue type.
    pub residue_types: S::Ref<'a, u8>,
    /// Per row, its chain.
    pub chain_ids: S::Ref<'a, u32>,
    /// Per row, its first atom counted from its structure's first atom.
    pub residue_atoms: S::Ref<'a, u32>,
    /// Test points of the unit sphere ([`super::sphere_points`]), as many as the configuration says.
    pub points: S::Ref<'a, SpherePoint>,
    /// Where structures begin and end in buffers of an element a row.
    pub residue_offsets: S::Offsets<'a>,
    /// The same in buffers of an element a heavy atom: [`crate::pack::PackedBatch::atom_offsets`].
    pub atom_offsets: S::Offsets<'a>,
}

/// What the kernel of heavy atoms works in, an element a heavy atom each. Contents before and after mean nothing.
pub struct AtomScratch<'a, S: Space> {
    /// Atoms, sorted into cells.
    pub sorted: S::Mut<'a, Atom>,
    /// Their shares of the cells.
    pub cells: S::Mut<'a, CellWords>,
    /// What is counted around them.
    pub surface: S::Mut<'a, AtomSurface>,
    /// Their depths.
    pub depths: S::Mut<'a, f32>,
}

/// Computes what residues have of their heavy atoms, `exposure`, for a whole batch, one block a structure. The fused
/// kernel reads it.
///
/// # Errors
/// Those of the executor. A GPU reports a kernel's panic when it is next synchronised with.
pub fn launch_atom_surfaces<'a, E: Executor>(
    executor: &E,
    inputs: AtomInputs<'a, E::Space>,
    exposure: <E::Space as Space>::Mut<'a, ResidueExposure>,
    scratch: AtomScratch<'a, E::Space>,
) -> Result<(), E::Error>
where
    <E::Space as Space>::Offsets<'a>: Copy,
{
    let blocks = u32::try_from(E::Space::len(&inputs.descriptors)).unwrap_or(u32::MAX);
    let AtomInputs { residue_offsets, atom_offsets, .. } = inputs;
    let args = surfaces::Args {
        exposure: Segments { data: exposure, offsets: residue_offsets },
        atoms: inputs.atoms,
        descriptors: inputs.descriptors,
        residue_types: inputs.residue_types,
        chain_ids: inputs.chain_ids,
        residue_atoms: inputs.residue_atoms,
        points: inputs.points,
        sorted: Segments { data: scratch.sorted, offsets: atom_offsets },
        cells: Segments { data: scratch.cells, offsets: atom_offsets },
        surface: Segments { data: scratch.surface, offsets: atom_offsets },
        depths: Segments { data: scratch.depths, offsets: atom_offsets },
    };
    surfaces::launch(executor, blocks, args)
}

/// Runs the fused kernel on a whole batch, one block a structure, after [`launch_atom_surfaces`].
///
/// # Errors
/// Those of the executor. A GPU reports a kernel's panic when it is next synchronised with.
pub fn launch_mega_fused_batch<'a, E: Executor>(
    executor: &E,
    inputs: BatchInputs<'a, E::Space>,
    offsets: BatchOffsets<'a, E::Space>,
    outputs: BatchOutputs<'a, E::Space>,
    scratch: BatchScratch<'a, E::Space>,
    config: MegaFusedConfig,
) -> Result<(), E::Error>
where
    <E::Space as Space>::Offsets<'a>: Copy,
{
    let BatchOffsets { residues, contacts, structures } = offsets;
    // A batch's structures are counted in 32 bits: each has a row, and rows are below 2^26.
    let blocks = u32::try_from(E::Space::len(&inputs.descriptors)).unwrap_or(u32::MAX);
    fused::launch(
        executor,
        blocks,
        fused::Args {
            output: Segments { data: outputs.rows, offsets: residues },
            atoms: inputs.atoms,
            ca_indices: inputs.ca_indices,
            descriptors: inputs.descriptors,
            residue_types: inputs.residue_types,
            conservation: inputs.conservation,
            bfactor: inputs.bfactor,
            gisaid_freq: inputs.gisaid_freq,
            gisaid_velocity: inputs.gisaid_velocity,
            chain_ids: inputs.chain_ids,
            exposure: inputs.exposure,
            places: Segments { data: scratch.places, offsets: residues },
            traits: Segments { data: scratch.traits, offsets: residues },
            bfactor_z: Segments { data: scratch.bfactor_z, offsets: residues },
            contacts: Segments { data: scratch.contacts, offsets: contacts },
            work: Segments { data: scratch.work, offsets: residues },
            summaries: Segments { data: outputs.summaries, offsets: structures },
            config,
        },
    )
}
