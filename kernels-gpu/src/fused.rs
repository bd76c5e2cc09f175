//! The fused kernel: one block a structure, every feature in one launch.
//!
//! Data flows one way. [`places`] gathers what the others read of a residue, [`pairs`] looks at every pair of
//! residues, [`backbone`] along the chain, [`whole`] at the structure, [`network`] and [`centrality`] at the contact
//! graph. What holds few values comes last, where few registers are left.

mod atoms;
mod backbone;
mod cells;
mod centrality;
mod network;
mod pairs;
mod places;
mod surface;
mod whole;

use crate::scratch::{AtomSurface, CellWords, Place, Traits, Work};
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, FeatureRow, MegaFusedConfig, SpherePoint, StructureSummary};

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
/// - `residue_atoms`: the residue's first atom, counted from the structure's first atom; residues have their atoms
///   one after the other.
/// - `points`: the test points on an atom's sphere, as many as `config.points` says.
/// - `places`, `traits`, `bfactor_z`, `work`: scratch.
/// - `sorted`, `cells`, `surface`, `depths`: scratch, one element a heavy atom.
/// - `contacts`: scratch, [`crate::scratch::contact_words`] words a residue.
/// - `summaries`: one a structure.
#[kernel(threads = 256, blocks_per_sm = 3, requires(points.len() == config.points as usize))]
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
    residue_atoms: &[u32],
    points: &[SpherePoint],
    places: &mut Segment<Place>,
    traits: &mut Segment<Traits>,
    bfactor_z: &mut Segment<f32>,
    contacts: &mut Segment<u32>,
    work: &mut Segment<Work>,
    sorted: &mut Segment<Atom>,
    cells: &mut Segment<CellWords>,
    surface: &mut Segment<AtomSurface>,
    depths: &mut Segment<f32>,
    summaries: &mut Segment<StructureSummary>,
    coefficients: &mut Shared<[f32; 2], { centrality::STEPS }>,
    ritz: &mut Shared<f32, { centrality::STEPS }>,
    neighbours: &mut Shared<[f32; 4], { 8 * surface::NEIGHBOURS }>,
    alive: &mut Shared<SpherePoint, { 8 * surface::POINTS }>,
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
        residue_atoms,
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

    let n_atoms = inputs.structure.n_atoms;
    let mut words = cells.whole();
    let mut words = words.flatten();
    let cells = cells::sort(block, n_atoms, |i| inputs.atom(i), &mut words, sorted);
    let counted = sorted.view(n_atoms);
    surface.fill_by_warp_with(block, n_atoms, (neighbours, alive), |warp, neighbours, alive, i| {
        surface::count(warp, neighbours, alive, inputs.atom(i), &cells, counted, points)
    });
    let surface = surface.view(n_atoms);
    sorted.update(block, n_atoms, |k, atom| {
        atom.radius = if surface.get(cells.order.get(k)).exposed > 0 { 1.0 } else { 0.0 };
    });
    let sorted = sorted.view(n_atoms);
    depths.fill_by_team::<TEAM>(block, n_atoms, |team, i| {
        atoms::depth(team, inputs.atom(i), surface.get(i).exposed > 0, &cells, sorted)
    });
    let depths = depths.view(n_atoms);
    let area = atoms::features(block, &inputs, n, config.points, &cells, sorted, surface, depths, output);

    let radius = config.contact_threshold * config.contact_threshold;
    let lists = contacts.collect::<TEAM, _>(block, n, n, |i| {
        let here = places.get(i);
        move |j| i != j && here.to(places.get(j)).norm2() < radius
    });
    let graph = network::ContactGraph { lists, places, radius };
    network::features(block, graph, n, bfactor_z.view(n), output);
    whole::summarise(block, graph, n, n_atoms, area, shape, summaries);
    let mut vectors = work.whole();
    let mut vectors = vectors.flatten();
    centrality::eigenvector(block, graph, n, &mut vectors, coefficients, ritz, output);

    whole::drop_small(block, n, config.min_feature_value, output);
}
