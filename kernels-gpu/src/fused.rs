//! The fused kernel: one block a structure, every feature in one launch.
//!
//! What takes a look at every heavy atom has been prepared by the kernel in [`crate::atoms`]. Data flows one way. [`places`] gathers what the others read of a residue, [`pairs`] looks at every pair of
//! residues, [`backbone`] along the chain, [`whole`] at the structure, [`network`] and [`centrality`] at the contact
//! graph, and [`exposed`] takes over what atoms gave. What holds few values comes last, where few registers are left.

mod backbone;
mod centrality;
mod exposed;
mod network;
mod pairs;
mod places;
mod whole;

use crate::scratch::{Place, ResidueExposure, Traits, Work};
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, StructureSummary};

/// Threads that work on one residue's row together: eight 16-byte places are one line of the cache.
const TEAM: u32 = 8;

/// Computes every feature of every residue of a batch: block `i` takes structure `i`.
///
/// Buffers that name no other length have one element a residue, in the batch's order. Structure `i` has the residues
/// `ca_offset ..` of its descriptor, which are also its segments of `output` and of the scratch buffers.
///
/// - `output`: a row of features, indexed by [`shared_types::Feature::column`].
/// - `atoms`: the heavy atoms of all structures; Å, relative to each structure's centre.
/// - `ca_indices`: the alpha carbon, counted from the structure's first atom, or [`shared_types::NO_CA`].
/// - `descriptors`: one a structure.
/// - `residue_types`: an index into [`shared_types::RESIDUES`].
/// - `conservation`, `gisaid_freq`, `gisaid_velocity`: annotation, NaN where there is none.
/// - `bfactor`: B factor of the alpha carbon in Å^2, NaN where there is none.
/// - `chain_ids`: a number for each chain of the structure, below 2^29.
/// - `exposure`: what [`fn@crate::atom_surfaces_prism4d`] found.
/// - `places`, `traits`, `bfactor_z`, `work`: scratch.
/// - `contacts`: scratch, [`crate::scratch::contact_words`] words a residue.
/// - `summaries`: one a structure.
#[kernel(threads = 256, blocks_per_sm = 3)]
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
    places: &mut Segment<Place>,
    traits: &mut Segment<Traits>,
    bfactor_z: &mut Segment<f32>,
    contacts: &mut Segment<u32>,
    work: &mut Segment<Work>,
    summaries: &mut Segment<StructureSummary>,
    coefficients: &mut Shared<[f32; 2], { centrality::STEPS }>,
    ritz: &mut Shared<f32, { centrality::STEPS }>,
    config: MegaFusedConfig,
) {
    let n = output.len();
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
        first: output.start(),
    };
    places::gather(block, &inputs, n, places, traits);
    places::standardise_bfactors(block, &inputs, n, bfactor_z);
    let (places, traits) = (places.view(n), traits.view(n));
    let annotated = places::is_annotated(block, traits, n);
    let mut vectors = work.whole();
    let mut vectors = vectors.flatten();
    let mut axes = vectors.arrays::<3>();
    axes.fill(block, n, |i| pairs::side_chain_axis(places, n, i));
    let axes = axes.into_view();
    if annotated {
        pairs::rows::<{ pairs::WITH_ANNOTATION }>(block, &inputs, n, places, traits, axes, output);
    } else {
        pairs::rows::<{ pairs::WITHOUT_ANNOTATION }>(block, &inputs, n, places, traits, axes, output);
    }

    backbone::angles(block, n, places, output);
    let shape = whole::shape(block, n, places);
    whole::centroid_distances(block, n, places, shape, output);

    let area = exposed::features(block, exposure.part(inputs.first, n), output);

    let radius = config.contact_threshold * config.contact_threshold;
    let lists = contacts.collect::<TEAM, _>(block, n, n, |i| {
        let here = places.get(i);
        move |j| i != j && here.to(places.get(j)).norm2() < radius
    });
    let graph = network::ContactGraph { lists, places, radius };
    network::features(block, graph, n, bfactor_z.view(n), output);
    whole::summarise(block, graph, n, inputs.structure.n_atoms, area, shape, summaries);
    let mut vectors = work.whole();
    let mut vectors = vectors.flatten();
    centrality::eigenvector(block, graph, n, &mut vectors, coefficients, ritz, output);

    whole::drop_small(block, n, config.min_feature_value, output);
}
