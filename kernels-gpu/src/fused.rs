//! The fused kernel: a block computes all phases of one structure.
//!
//! The kernels of [`crate::atoms`] run before it, and those of [`crate::sites`] after it. Data flows one way.
//! [`alpha_carbons`] gathers what other phases read of a residue. [`pairs`] looks at every pair of residues, [`backbone`]
//! along the chain, [`whole`] at the structure, [`network`] and [`centrality`] at the contact graph. [`exposed`] copies the
//! results of heavy atoms. Phases that hold few values come last, where few registers are left.

use crate::features::{Rows, alpha_carbons, backbone, centrality, exposed, network, pairs, whole};
use crate::graph;
use crate::scratch::{AlphaCarbon, ResidueExposure, Shape, Traits, WorkSplit, WorkVectors};
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, Steps, StructureSummary};

/// Computes the features of every residue of a batch except the score of sites. Block `i` takes structure `i`, unless it
/// has more residues than the limit in `split`.
///
/// A buffer has one element per residue, in the batch's order, unless its line says otherwise. Structure `i` has the
/// residues from `ca_offset` of its descriptor on, which are also its segments of `output` and of the scratch buffers.
///
/// - `output`: a row of features, indexed by [`shared_types::Feature::column`].
/// - `atoms`: the heavy atoms of all structures, in Å relative to each structure's centre.
/// - `ca_indices`: the alpha carbon, counted from the structure's first atom, or [`shared_types::NO_CA`].
/// - `descriptors`: one per structure.
/// - `residue_types`: an index into [`shared_types::RESIDUES`].
/// - `conservation`, `gisaid_freq`, `gisaid_velocity`: annotations, NaN where missing.
/// - `bfactor`: B factor of the alpha carbon in Å^2, NaN where missing.
/// - `chain_ids`: the number of the residue's chain in the structure, below 2^29.
/// - `exposure`: the result of [`fn@crate::residue_exposure`].
/// - `alpha_carbons`, `traits`, `bfactor_z`, `work`: scratch.
/// - `contacts`: scratch, [`crate::scratch::contact_words`] words per residue.
/// - `summaries`: one per structure.
#[kernel(threads = 256, blocks_per_sm = 4, avx512)]
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
    exposure: &[ResidueExposure],
    alpha_carbons: &mut Segment<AlphaCarbon>,
    traits: &mut Segment<Traits>,
    bfactor_z: &mut Segment<f32>,
    contacts: &mut Segment<u32>,
    work: &mut Segment<WorkVectors>,
    summaries: &mut Segment<StructureSummary>,
    coefficients: &mut Shared<[f32; 2], { centrality::STEPS }>,
    ritz: &mut Shared<f32, { centrality::STEPS }>,
    config: MegaFusedConfig,
    split: WorkSplit,
) {
    enum Here {}
    compute::<Here>(
        block,
        output,
        atoms,
        ca_indices,
        descriptors,
        residue_types,
        conservation,
        bfactor,
        gisaid_freq,
        gisaid_velocity,
        chain_ids,
        exposure,
        alpha_carbons,
        traits,
        bfactor_z,
        contacts,
        work,
        summaries,
        coefficients,
        ritz,
        config,
        split,
        Steps::ALL,
    );
}

/// As [`fn@mega_fused_batch_detection_prism4d`], but computes only the steps in `split`; columns of other steps are
/// unspecified.
///
/// It is a separate kernel because checking the steps takes registers, and the other kernel has none to spare.
#[kernel(threads = 256, blocks_per_sm = 2, avx512)]
pub fn selected_features(
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
    exposure: &[ResidueExposure],
    alpha_carbons: &mut Segment<AlphaCarbon>,
    traits: &mut Segment<Traits>,
    bfactor_z: &mut Segment<f32>,
    contacts: &mut Segment<u32>,
    work: &mut Segment<WorkVectors>,
    summaries: &mut Segment<StructureSummary>,
    coefficients: &mut Shared<[f32; 2], { centrality::STEPS }>,
    ritz: &mut Shared<f32, { centrality::STEPS }>,
    config: MegaFusedConfig,
    split: WorkSplit,
) {
    enum Here {}
    compute::<Here>(
        block,
        output,
        atoms,
        ca_indices,
        descriptors,
        residue_types,
        conservation,
        bfactor,
        gisaid_freq,
        gisaid_velocity,
        chain_ids,
        exposure,
        alpha_carbons,
        traits,
        bfactor_z,
        contacts,
        work,
        summaries,
        coefficients,
        ritz,
        config,
        split,
        split.steps(),
    );
}

/// The body of both kernels. What is known of `steps` at compile time is decided there.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "those of the kernels")]
fn compute<V>(
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
    exposure: &[ResidueExposure],
    alpha_carbons: &mut Segment<AlphaCarbon>,
    traits: &mut Segment<Traits>,
    bfactor_z: &mut Segment<f32>,
    contacts: &mut Segment<u32>,
    work: &mut Segment<WorkVectors>,
    summaries: &mut Segment<StructureSummary>,
    coefficients: &mut Shared<[f32; 2], { centrality::STEPS }>,
    ritz: &mut Shared<f32, { centrality::STEPS }>,
    config: MegaFusedConfig,
    split: WorkSplit,
    steps: Steps,
) {
    let n = output.len();
    if n > split.largest {
        return;
    }
    let structure = descriptors.at(block.index());
    let first = structure.ca_offset;
    let inputs = alpha_carbons::Inputs {
        atoms: View::of(atoms.part(structure.atom_offset, structure.n_atoms)),
        ca_indices: View::of(ca_indices.part(first, n)),
        residue_types: View::of(residue_types.part(first, n)),
        chain_ids: View::of(chain_ids.part(first, n)),
    };
    let rows = Rows::all(n);
    let given = |all| View::of(<[f32]>::part(all, first, n));
    alpha_carbons::gather::<V>(block, &inputs, n, alpha_carbons);
    let annotations = [given(conservation), given(gisaid_freq), given(gisaid_velocity)];
    alpha_carbons::gather_traits::<V>(block, &inputs, annotations, n, traits);
    if steps.has(Steps::NETWORK) {
        alpha_carbons::standardise_bfactors::<V>(block, &inputs, given(bfactor), n, bfactor_z);
    }
    let (alpha_carbons, traits) = (alpha_carbons.view(n), traits.view(n));
    if steps.has(Steps::PAIRS) {
        let annotated = alpha_carbons::is_annotated::<V>(block, traits, n);
        let mut vectors = work.whole();
        let mut vectors = vectors.flatten();
        let mut axes = vectors.arrays::<3>();
        axes.fill(block, n, |i| pairs::side_chain_axis(alpha_carbons, n, i));
        let others = pairs::Others { alpha_carbons, traits, axes: axes.into_view() };
        pairs::rows(block, rows, |i| inputs.kind(i), annotated, &others, output);
    } else {
        pairs::rows_without(block, rows, |i| inputs.kind(i), traits, output);
    }

    if steps.has(Steps::CHAIN) {
        backbone::angles::<V>(block, rows, alpha_carbons, output);
    }
    let mut shape = Shape::UNKNOWN;
    if steps.has(Steps::SHAPE) {
        shape = whole::shape::<V>(block, n, alpha_carbons);
        whole::centroid_distances::<V>(block, rows, alpha_carbons, shape, output);
    }
    let mut area = NAN;
    if steps.has(Steps::EXPOSURE) {
        let exposure = exposure.part(first, n);
        exposed::features::<V>(block, rows, exposure, output);
        area = whole::area::<V>(block, n, exposure);
    }

    if !steps.has(Steps::CONTACTS) {
        whole::summarise::<V>(block, 0, n, structure.n_atoms, area, shape, summaries);
        return;
    }
    let graph = graph::collect::<V>(block, rows, alpha_carbons, config.contact_threshold, contacts);
    if steps.has(Steps::NETWORK) {
        let several_chains = network::has_several_chains::<V>(block, n, alpha_carbons);
        network::features::<V>(block, graph, rows, several_chains, bfactor_z.view(n), output);
    }
    let number = whole::contacts::<V>(block, graph, n);
    whole::summarise::<V>(block, number, n, structure.n_atoms, area, shape, summaries);
    if steps.has(Steps::CENTRALITY) {
        let mut vectors = work.whole();
        let mut vectors = vectors.flatten();
        centrality::by_block::<V>(block, graph, n, &mut vectors, coefficients, ritz, output);
    }
}
