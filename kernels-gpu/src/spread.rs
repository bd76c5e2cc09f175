//! The phases of the fused kernel as several kernels, in which many blocks work on one structure: for those that would
//! keep one block busy for long.
//!
//! Where a phase needs all of a structure first, a kernel ends. What is of the structure as a whole, one block computes; it
//! has many threads, for what it computes depends on the number of elements alone. Rows are shared out in [`Item`]s.

use crate::features::{Rows, backbone, centrality, exposed, network, pairs, places, whole};
use crate::graph::{self, ContactGraph};
use crate::scratch::{Facts, Item, NO_STRUCTURE, Place, ResidueExposure, Shares, Traits, Work};
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, Steps, StructureSummary};

/// The contact graph of a structure whose lists were made by items.
#[inline(always)]
fn graph_of<'a>(
    structure: BatchStructureDesc,
    places: &'a [Place],
    contacts: &'a [u32],
    contact_threshold: f32,
    shares: Shares,
) -> ContactGraph<'a> {
    let (first, n, words) = (structure.ca_offset, structure.n_residues, shares.contact_words);
    ContactGraph {
        lists: Lists::in_chunks(View::of(contacts.part(first * words, n * words)), n, shares.rows_an_item),
        places: View::of(places.part(first, n)),
        radius: contact_threshold * contact_threshold,
    }
}

/// First of the kernels for structures of more residues than `shares` gives to one block: what the others read. Block `i` takes structure
/// `i`, and buffers are as in the fused kernel.
///
/// - `axes`: directions of side chains, one a residue.
/// - `facts`: one a structure.
#[kernel(threads = 1024, blocks_per_sm = 1)]
pub fn spread_places_prism4d(
    block: &mut Block,
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
    places: &mut Segment<Place>,
    traits: &mut Segment<Traits>,
    bfactor_z: &mut Segment<f32>,
    axes: &mut Segment<[f32; 3]>,
    facts: &mut Segment<Facts>,
    shares: Shares,
) {
    enum Here {}
    let n = places.len();
    if n <= shares.largest {
        return;
    }
    let inputs = places::Inputs {
        atoms,
        ca_indices,
        residue_types,
        conservation,
        bfactor,
        gisaid_freq,
        gisaid_velocity,
        chain_ids,
        structure: descriptors.at(block.index()),
    };
    let steps = shares.steps();
    places::gather::<Here>(block, &inputs, n, places, traits);
    let places = places.view(n);
    let mut known = Facts { shape: whole::Shape::UNKNOWN, area: NAN, annotated: 0, several_chains: 0 };
    if steps.has(Steps::NETWORK) {
        places::standardise_bfactors::<Here>(block, &inputs, n, bfactor_z);
        known.several_chains = u32::from(network::has_several_chains::<Here>(block, n, places));
    }
    if steps.has(Steps::PAIRS) {
        axes.fill(block, n, |i| pairs::side_chain_axis(places, n, i));
        known.annotated = u32::from(places::is_annotated::<Here>(block, traits.view(n), n));
    }
    if steps.has(Steps::SHAPE) {
        known.shape = whole::shape::<Here>(block, n, places);
    }
    if steps.has(Steps::EXPOSURE) {
        known.area = whole::area::<Here>(block, n, exposure.part(inputs.structure.ca_offset, n));
    }
    facts.set(block, 0, known);
}

/// Second: the pairs of residues, what is along the chain, and the lists of contacts. Block `i` takes the rows of item
/// `i`, which are its segments of `output`, and theirs of `contacts`.
#[kernel(threads = 256, blocks_per_sm = 3)]
pub fn spread_pairs_prism4d(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    contacts: &mut Segment<u32>,
    items: &[Item],
    descriptors: &[BatchStructureDesc],
    residue_types: &[u8],
    exposure: &[ResidueExposure],
    places: &[Place],
    traits: &[Traits],
    axes: &[[f32; 3]],
    facts: &[Facts],
    config: MegaFusedConfig,
    shares: Shares,
) {
    enum Here {}
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let steps = shares.steps();
    let (structure, facts) = (descriptors.at(item.structure), facts.at(item.structure));
    let (first, n) = (structure.ca_offset, structure.n_residues);
    let rows = Rows::some(item.first, output.len(), n);
    let places = View::of(places.part(first, n));
    let traits = View::of(traits.part(first, n));
    let kinds = residue_types.part(first, n);
    let kind = |i| u32::from(kinds.at(i));
    if steps.has(Steps::PAIRS) {
        let others = pairs::Others { places, traits, axes: View::of(axes.part(first, n)) };
        pairs::rows(block, rows, kind, facts.annotated != 0, &others, output);
    } else {
        pairs::rows_without(block, rows, kind, traits, output);
    }
    if steps.has(Steps::CHAIN) {
        backbone::angles::<Here>(block, rows, places, output);
    }
    if steps.has(Steps::SHAPE) {
        whole::centroid_distances::<Here>(block, rows, places, facts.shape, output);
    }
    if steps.has(Steps::EXPOSURE) {
        exposed::features::<Here>(block, rows, exposure.part(first, n), output);
    }
    if steps.has(Steps::CONTACTS) {
        graph::collect::<Here>(block, rows, places, config.contact_threshold, contacts);
    }
}

/// Third: what the contact graph says of each residue. Items are those of the second.
#[kernel(threads = 256, blocks_per_sm = 4)]
pub fn spread_network_prism4d(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    items: &[Item],
    descriptors: &[BatchStructureDesc],
    places: &[Place],
    contacts: &[u32],
    bfactor_z: &[f32],
    facts: &[Facts],
    config: MegaFusedConfig,
    shares: Shares,
) {
    enum Here {}
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let (structure, facts) = (descriptors.at(item.structure), facts.at(item.structure));
    let rows = Rows::some(item.first, output.len(), structure.n_residues);
    let graph = graph_of(structure, places, contacts, config.contact_threshold, shares);
    let bfactor_z = View::of(bfactor_z.part(structure.ca_offset, structure.n_residues));
    network::features::<Here>(block, graph, rows, facts.several_chains != 0, bfactor_z, output);
}

/// Last: the graph as a whole, and the summary. Block `i` takes structure `i`.
#[kernel(threads = 1024, blocks_per_sm = 1)]
pub fn spread_centrality_prism4d(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    summaries: &mut Segment<StructureSummary>,
    descriptors: &[BatchStructureDesc],
    places: &[Place],
    contacts: &[u32],
    facts: &[Facts],
    work: &mut Segment<Work>,
    coefficients: &mut Shared<[f32; 2], { centrality::STEPS }>,
    ritz: &mut Shared<f32, { centrality::STEPS }>,
    config: MegaFusedConfig,
    shares: Shares,
) {
    enum Here {}
    let n = output.len();
    if n <= shares.largest {
        return;
    }
    let (structure, facts) = (descriptors.at(block.index()), facts.at(block.index()));
    let steps = shares.steps();
    let graph = graph_of(structure, places, contacts, config.contact_threshold, shares);
    if !steps.has(Steps::CENTRALITY) {
        let number = if steps.has(Steps::CONTACTS) { whole::contacts::<Here>(block, graph, n) } else { 0 };
        whole::summarise::<Here>(block, number, n, structure.n_atoms, facts.area, facts.shape, summaries);
        return;
    }
    let mut vectors = work.whole();
    let mut vectors = vectors.flatten();
    centrality::eigenvector::<Here>(block, graph, n, &mut vectors, coefficients, ritz, output);
    let number = whole::contacts::<Here>(block, graph, n);
    whole::summarise::<Here>(block, number, n, structure.n_atoms, facts.area, facts.shape, summaries);
}
