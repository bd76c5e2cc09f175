//! The phases of the fused kernel as several kernels, for large structures: many blocks work on one structure.
//!
//! A kernel ends where the next phase needs results of the whole structure. One block of many threads computes what
//! concerns the structure as a whole. Rows are divided into [`WorkItem`]s, and find what is near them in a tree of boxes.

use crate::boxes::{self, Boxes};
use crate::features::centrality::{AllBlocks, FEW};
use crate::features::{Rows, alpha_carbons, backbone, centrality, exposed, network, pairs, whole};
use crate::graph::{self, ContactGraph};
use crate::groups::{
    Batch, CentralityScratch, FoundCentrality, Gathered, GraphParts, GridScratch, NetworkInputs, RowItems,
};
use crate::scratch::{AlphaCarbon, Eight, Facts, NO_STRUCTURE, Shape, WorkItem, WorkSplit};
use cuda_std::lists::*;
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, Steps};

/// The contact graph of a structure whose lists were written by several blocks.
#[inline(always)]
fn graph_of<'a>(
    structure: BatchStructureDesc,
    alpha_carbons: &'a [AlphaCarbon],
    contacts: &'a [u32],
    contact_threshold: f32,
    split: WorkSplit,
) -> ContactGraph<'a> {
    let (first, n, words) = (structure.ca_offset, structure.n_residues, split.contact_words);
    ContactGraph {
        lists: Lists::in_chunks(View::of(contacts.part(first * words, n * words)), n, split.rows_per_item),
        alpha_carbons: View::of(alpha_carbons.part(first, n)),
        radius2: contact_threshold * contact_threshold,
    }
}

/// Boxes around the alpha carbons of large structures. Block `i` takes structure `i` if it has more residues than `largest`.
///
/// - `boxes`: [`crate::scratch::rows_of_eight`] rows for each of these structures.
#[kernel(threads = 1024, blocks_per_sm = 1)]
pub fn alpha_carbon_boxes(
    block: &mut Block,
    boxes: &mut Segment<Eight>,
    atoms: &[Atom],
    ca_indices: &[u32],
    descriptors: &[BatchStructureDesc],
    largest: u32,
) {
    enum Here {}
    let structure = descriptors.at(block.index());
    let n = structure.n_residues;
    if n <= largest {
        return;
    }
    let atoms = View::of(atoms.part(structure.atom_offset, structure.n_atoms));
    let ca_indices = View::of(ca_indices.part(structure.ca_offset, n));
    boxes::build::<Here>(block, n, |i| alpha_carbons::position(atoms, ca_indices, i), boxes);
}

/// The first kernel for large structures: gathers what the later ones read. Block `i` takes structure `i` if it has more
/// residues than the limit in `split`.
///
/// - `axes`: directions of side chains, one per residue.
/// - `chain_rows`: for each number of a chain, the number of its rows. One element per residue.
/// - `facts`: one element per structure.
#[kernel(threads = 1024, blocks_per_sm = 1)]
pub fn split_alpha_carbons(
    block: &mut Block,
    batch: Batch<'_>,
    gathered: Gathered<'_>,
    axes: &mut Segment<[f32; 3]>,
    chain_rows: &mut Segment<u32>,
    facts: &mut Segment<Facts>,
    split: WorkSplit,
) {
    enum Here {}
    let Gathered { alpha_carbons, traits, bfactor_z } = gathered;
    let n = alpha_carbons.len();
    if n <= split.largest {
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
    let steps = split.steps();
    let given = |all| View::of(<[f32]>::part(all, first, n));
    alpha_carbons::gather::<Here>(block, &inputs, n, alpha_carbons);
    let annotations = [given(conservation), given(gisaid_freq), given(gisaid_velocity)];
    alpha_carbons::gather_traits::<Here>(block, &inputs, annotations, n, traits);
    let alpha_carbons = alpha_carbons.view(n);
    let mut known = Facts { shape: Shape::UNKNOWN, area: NAN, annotated: 0, several_chains: 0 };
    if steps.has(Steps::NETWORK) {
        alpha_carbons::standardise_bfactors::<Here>(block, &inputs, given(bfactor), n, bfactor_z);
        known.several_chains = u32::from(network::has_several_chains::<Here>(block, n, alpha_carbons));
        network::count_rows_of_chains::<Here>(block, n, alpha_carbons, chain_rows);
    }
    if steps.has(Steps::PAIRS) {
        axes.fill(block, n, |i| pairs::side_chain_axis(alpha_carbons, n, i));
        known.annotated = u32::from(alpha_carbons::is_annotated::<Here>(block, traits.view(n), n));
    }
    if steps.has(Steps::SHAPE) {
        known.shape = whole::shape::<Here>(block, n, alpha_carbons);
    }
    if steps.has(Steps::EXPOSURE) {
        known.area = whole::area::<Here>(block, n, exposure.part(first, n));
    }
    facts.set(block, 0, known);
}

/// The second kernel: sums over residues that are near, angles along the chain, and lists of contacts. Block `i` takes the rows of item
/// `i`, which are its segments of `output`, and their segments of `contacts`.
#[kernel(threads = 256, blocks_per_sm = 3, avx512)]
pub fn split_pairs(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    contacts: &mut Segment<u32>,
    rows: RowItems<'_>,
    config: MegaFusedConfig,
    split: WorkSplit,
) {
    enum Here {}
    let RowItems { items, descriptors, residue_types, exposure, alpha_carbons, traits, axes, facts, boxes } = rows;
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let steps = split.steps();
    let (structure, facts) = (descriptors.at(item.structure), facts.at(item.structure));
    let (first, n) = (structure.ca_offset, structure.n_residues);
    let rows = Rows::some(item.first, output.len(), n);
    let boxes = Boxes::of(boxes, item.boxes, n);
    let alpha_carbons = View::of(alpha_carbons.part(first, n));
    let traits = View::of(traits.part(first, n));
    let kinds = residue_types.part(first, n);
    let kind = |i| u32::from(kinds.at(i));
    if steps.has(Steps::PAIRS) {
        let others = pairs::Others { alpha_carbons, traits, axes: View::of(axes.part(first, n)) };
        pairs::near_rows::<Here>(block, rows, kind, facts.annotated != 0, (&others, boxes), output);
    } else {
        pairs::rows_without(block, rows, kind, traits, output);
    }
    if steps.has(Steps::CHAIN) {
        backbone::angles::<Here>(block, rows, alpha_carbons, output);
    }
    if steps.has(Steps::SHAPE) {
        whole::centroid_distances::<Here>(block, rows, alpha_carbons, facts.shape, output);
    }
    if steps.has(Steps::EXPOSURE) {
        exposed::features::<Here>(block, rows, exposure.part(first, n), output);
    }
    if steps.has(Steps::CONTACTS) {
        graph::collect_near::<Here>(block, rows, alpha_carbons, boxes, config.contact_threshold, contacts);
    }
}

/// Column `wcn`, from all pairs: the only one of a large structure whose cost grows with the square of the number of residues. It
/// takes the same items as the kernel before, and is left undefined in structures of more than `most` residues.
#[kernel(threads = 256, blocks_per_sm = 4, avx512)]
pub fn split_weighted_contacts(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    items: &[WorkItem],
    descriptors: &[BatchStructureDesc],
    alpha_carbons: &[AlphaCarbon],
    most: u32,
) {
    enum Here {}
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let n = structure.n_residues;
    let alpha_carbons = View::of(alpha_carbons.part(structure.ca_offset, n));
    let rows = Rows::some(item.first, output.len(), n);
    pairs::weighted_contacts::<Here>(block, rows, alpha_carbons, n <= most, output);
}

/// The third kernel: columns from the contact graph. It takes the same items as the second.
#[kernel(threads = 256, blocks_per_sm = 4, avx512)]
pub fn split_network(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    items: &[WorkItem],
    graph: GraphParts<'_>,
    given: NetworkInputs<'_>,
    config: MegaFusedConfig,
    split: WorkSplit,
) {
    enum Here {}
    let NetworkInputs { bfactor_z, chain_rows, facts } = given;
    let GraphParts { descriptors, alpha_carbons, contacts } = graph;
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let (structure, facts) = (descriptors.at(item.structure), facts.at(item.structure));
    let rows = Rows::some(item.first, output.len(), structure.n_residues);
    let graph = graph_of(structure, alpha_carbons, contacts, config.contact_threshold, split);
    let bfactor_z = View::of(bfactor_z.part(structure.ca_offset, structure.n_residues));
    let chain_rows = View::of(chain_rows.part(structure.ca_offset, structure.n_residues));
    let chains = (facts.several_chains != 0, Some(chain_rows));
    network::features::<Here>(block, graph, rows, chains, bfactor_z, output);
}

/// Centrality of those of the `structures` that have more than `most` residues, one after another by all blocks.
///
/// - `output`: the rows of the batch.
#[kernel(threads = 512, blocks_per_sm = 1)]
pub fn split_eigenvectors(
    grid: &mut WholeGrid,
    output: &mut GridMemory<FeatureRow>,
    scratch: GridScratch<'_>,
    graph: GraphParts<'_>,
    config: MegaFusedConfig,
    split: WorkSplit,
    structures: u32,
    most: u32,
) {
    enum Here {}
    let GridScratch { work, axes, few } = scratch;
    let GraphParts { descriptors, alpha_carbons, contacts } = graph;
    for structure in 0..structures {
        let structure = descriptors.at(structure);
        let (first, n) = (structure.ca_offset, structure.n_residues);
        if n <= split.largest || n <= most {
            continue;
        }
        let graph = graph_of(structure, alpha_carbons, contacts, config.contact_threshold, split);
        let (mut output, mut work, mut axes) = (output.part(first, n), work.part(first, n), axes.part(first, n));
        let mut vectors = work.flatten();
        let (mut coefficients, mut rest) = few.split_at(FEW);
        let (pairs, mut rest) = rest.split_at(FEW);
        let mut rest = rest.flatten();
        let (mut ritz, few) = rest.split_at(FEW);
        let workers = AllBlocks { grid, terms: axes.flatten(), few, pairs, second: false };
        let product = |v: GridView<'_, f32>, thread, i| graph.sum_over_contacts(i, |j| v.get(thread, j));
        centrality::by_all_blocks::<Here>(
            workers,
            graph,
            product,
            n,
            &mut vectors,
            (&mut coefficients, &mut ritz),
            &mut output,
        );
    }
}

/// The length of the scratch memory for few values of [`fn@split_eigenvectors`].
#[must_use]
pub const fn few_pairs() -> usize {
    4 * FEW as usize
}

/// The last kernel: the summary, and centrality unless [`fn@split_eigenvectors`] has computed it. Block `i` takes structure `i`.
#[kernel(threads = 1024, blocks_per_sm = 1)]
pub fn split_centrality(
    block: &mut Block,
    found: FoundCentrality<'_>,
    graph: GraphParts<'_>,
    facts: &[Facts],
    scratch: CentralityScratch<'_>,
    config: MegaFusedConfig,
    split: WorkSplit,
    most: u32,
) {
    enum Here {}
    let FoundCentrality { output, summaries } = found;
    let GraphParts { descriptors, alpha_carbons, contacts } = graph;
    let CentralityScratch { work, lanczos } = scratch;
    let n = output.len();
    if n <= split.largest {
        return;
    }
    let (structure, facts) = (descriptors.at(block.index()), facts.at(block.index()));
    let steps = split.steps();
    let graph = graph_of(structure, alpha_carbons, contacts, config.contact_threshold, split);
    if !steps.has(Steps::CENTRALITY) || n > most {
        let number = if steps.has(Steps::CONTACTS) { whole::contacts::<Here>(block, graph, n) } else { 0 };
        whole::summarise::<Here>(block, number, n, structure.n_atoms, facts.area, facts.shape, summaries);
        return;
    }
    let mut vectors = work.whole();
    let mut vectors = vectors.flatten();
    centrality::by_block::<Here>(block, graph, n, &mut vectors, lanczos.coefficients, lanczos.ritz, output);
    let number = whole::contacts::<Here>(block, graph, n);
    whole::summarise::<Here>(block, number, n, structure.n_atoms, facts.area, facts.shape, summaries);
}
