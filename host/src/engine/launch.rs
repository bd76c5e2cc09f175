//! One launch of the fused kernel, wherever the batch's buffers live.

use cuda_std::launch::{Executor, Segments, Space};
use kernels_gpu::mega_fused_batch_detection_prism4d as fused;
use kernels_gpu::scratch::{Place, Traits, Work};
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, StructureSummary};

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

/// What the kernel works in: an element a row of each, but for the contact lists. Their contents before and after mean
/// nothing.
pub struct BatchScratch<'a, S: Space> {
    /// Alpha carbons.
    pub places: S::Mut<'a, Place>,
    /// What neighbours average.
    pub traits: S::Mut<'a, Traits>,
    /// Standardised B factors.
    pub bfactor_z: S::Mut<'a, f32>,
    /// Contact lists.
    pub contacts: S::Mut<'a, u32>,
    /// Work vectors.
    pub work: S::Mut<'a, Work>,
}

/// Runs the fused kernel on a whole batch, one block a structure.
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
