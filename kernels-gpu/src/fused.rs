//! The fused kernel: a block computes all phases of one structure.
//!
//! The kernels of [`crate::atoms`] run before it, and those of [`crate::sites`] after it. Data flows one way.
//! [`alpha_carbons`] gathers what other phases read of a residue. [`pairs`] looks at every pair of residues, [`backbone`]
//! along the chain, [`whole`] at the structure, [`network`] and [`centrality`] at the contact graph. [`exposed`] copies the
//! results of heavy atoms. Phases that hold few values come last, where few registers are left.

use crate::features::{Rows, alpha_carbons, backbone, centrality, exposed, network, pairs, whole};
use crate::graph;
use crate::groups::{Batch, Gathered, Lanczos, RowScratch};
use crate::scratch::{Shape, WorkSplit};
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use shared_types::{FeatureRow, MegaFusedConfig, Steps, StructureSummary};

/// The body of both kernels. What is known of `steps` at compile time is decided there.
#[cuda_std::kernel_part]
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "those of the kernels")]
fn compute<V>(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    batch: Batch<'_>,
    scratch: RowScratch<'_>,
    summaries: &mut Segment<StructureSummary>,
    lanczos: Lanczos<'_>,
    config: MegaFusedConfig,
    split: WorkSplit,
    steps: Steps,
) {
    let n = output.len();
    if n > split.largest {
        return;
    }
    let structure = batch.descriptors.at(block.index());
    let first = structure.ca_offset;
    let inputs = alpha_carbons::Inputs {
        atoms: View::of(batch.atoms.part(structure.atom_offset, structure.n_atoms)),
        ca_indices: View::of(batch.ca_indices.part(first, n)),
        residue_types: View::of(batch.residue_types.part(first, n)),
        chain_ids: View::of(batch.chain_ids.part(first, n)),
    };
    let Batch { conservation, bfactor, gisaid_freq, gisaid_velocity, exposure, .. } = batch;
    let RowScratch { gathered: Gathered { alpha_carbons, traits, bfactor_z }, contacts, work } = scratch;
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
    let graph = graph::collect::<V>(block, n, alpha_carbons, config.contact_threshold, contacts);
    if steps.has(Steps::NETWORK) {
        let several_chains = network::has_several_chains::<V>(block, n, alpha_carbons);
        network::features::<V>(block, graph, rows, (several_chains, None), bfactor_z.view(n), output);
    }
    let number = whole::contacts::<V>(block, graph, n);
    whole::summarise::<V>(block, number, n, structure.n_atoms, area, shape, summaries);
    if steps.has(Steps::CENTRALITY) {
        let mut vectors = work.whole();
        let mut vectors = vectors.flatten();
        centrality::by_block::<V>(block, graph, n, &mut vectors, lanczos.coefficients, lanczos.ritz, output);
    }
}

/// Computes the features of every residue of a batch except the score of sites. Block `i` takes structure `i`, unless it
/// has more residues than the limit in `split`.
///
/// - `output`: a row of features per residue, indexed by [`shared_types::Feature::column`].
/// - `summaries`: one per structure.
#[kernel(threads = 256, blocks_per_sm = 4, avx512)]
pub fn mega_fused_batch_detection_prism4d(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    batch: Batch<'_>,
    scratch: RowScratch<'_>,
    summaries: &mut Segment<StructureSummary>,
    lanczos: Lanczos<'_>,
    config: MegaFusedConfig,
    split: WorkSplit,
) {
    enum Here {}
    compute!(<Here> block, output, batch, scratch, summaries, lanczos, config, split, Steps::ALL);
}

/// As [`fn@mega_fused_batch_detection_prism4d`], but computes only the steps in `split`; columns of other steps are
/// unspecified.
///
/// It is a separate kernel because checking the steps takes registers, and the other kernel has none to spare.
#[kernel(threads = 256, blocks_per_sm = 2, avx512)]
pub fn selected_features(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    batch: Batch<'_>,
    scratch: RowScratch<'_>,
    summaries: &mut Segment<StructureSummary>,
    lanczos: Lanczos<'_>,
    config: MegaFusedConfig,
    split: WorkSplit,
) {
    enum Here {}
    compute!(<Here> block, output, batch, scratch, summaries, lanczos, config, split, split.steps());
}
