//! A GPU does not define the order of blocks, or of threads between barriers, so no order may matter. The assignment of
//! structures to blocks must not matter either.

use crate::shipped;
use crate::synthetic::{annotate, coil, cut, gas, of_all_points, zoo};
use cuda_std::launch::CpuExecutor;
use prism_host::engine::{Largest, Request, Selection, compute_on_cpu};
use prism_host::{BatchFeatures, PackedBatch, StructureInput};
use shared_types::{FEATURES, MegaFusedConfig, Steps};
use tests::dice::Dice;

fn bits(features: &BatchFeatures) -> Vec<u32> {
    let (values, site_ids) = (bytemuck::cast_slice(features.values()), bytemuck::cast_slice(features.site_ids()));
    // Peaks and everything derived from them, too.
    let sites: Vec<_> = features.iter().flat_map(|one| one.sites.to_vec()).collect();
    [values, site_ids, bytemuck::cast_slice(features.summaries()), bytemuck::cast_slice(&sites)].concat()
}

#[test]
fn bits_depend_neither_on_the_order_of_threads_nor_on_how_structures_are_shared_out() {
    let mut structures = zoo();
    // A thousand ångströms there and back: residues are far from most others, and near those at the other end of the chain.
    let there_and_back =
        (0..600).map(|i| [3.4 * i.min(599 - i) as f32, if i < 300 { 0.0 } else { 5.5 }, (i % 3) as f32]);
    structures.push(of_all_points("there and back", there_and_back));
    let batch = PackedBatch::from_inputs(&structures).unwrap();
    for contact_threshold in [8.0, 12.0] {
        let config = MegaFusedConfig { contact_threshold, ..MegaFusedConfig::default() };
        let whole = Largest { residues: u32::MAX, atoms: u32::MAX, centrality: 0, ..Largest::default() };
        let expected = bits(&compute_on_cpu(&CpuExecutor::new(), &batch, config, whole).unwrap());
        let one_block = Largest { residues: 0, atoms: 0, centrality: u32::MAX, rows: 32 };
        let ways = [
            whole,
            one_block,
            Largest { centrality: 0, ..one_block },
            Largest { residues: 100, atoms: 500, centrality: 150, rows: 7 },
        ];
        for (seed, largest) in ways.into_iter().enumerate() {
            let found = compute_on_cpu(&CpuExecutor::new(), &batch, config, largest).unwrap();
            assert!(bits(&found) == expected, "{largest:?}");
            let found = compute_on_cpu(&CpuExecutor::shuffled(seed as u64), &batch, config, largest).unwrap();
            assert!(bits(&found) == expected, "{largest:?}, seed {seed}");
        }
    }
}

/// Structures in which walks through boxes find what is near in different ways.
fn for_walks() -> Vec<StructureInput> {
    let dice = &mut Dice::new(17);
    // A leaf of boxes has 8 residues, and a node 8 leaves or nodes.
    let mut all: Vec<_> = [7, 8, 9, 63, 64, 65, 511, 512, 513, 521]
        .into_iter()
        .map(|n| annotate(of_all_points(&format!("coil of {n}"), coil(n, dice)), dice))
        .collect();
    // Residues that follow each other are far apart, so that walks visit nearly everything.
    all.push(annotate(cut(of_all_points("scattered", gas(700, dice)), 5), dice));
    // Distances of exactly 8, 10, 12 and 18 Å, and positions on the borders of boxes.
    let lattice = (0..6).flat_map(|x| (0..6).flat_map(move |y| (0..6).map(move |z| [x, y, z].map(|k| 2.0 * k as f32))));
    all.push(annotate(cut(of_all_points("lattice", lattice), 7), dice));
    // Where floats are 0.004 Å apart.
    let far = |at: [f32; 3]| [at[0] + 40_000.0, at[1] - 50_000.0, at[2]];
    let halves = coil(600, dice).into_iter().enumerate().map(|(i, at)| if i / 10 % 2 == 0 { at } else { far(at) });
    all.push(annotate(of_all_points("two places far apart", halves), dice));
    // Contact lists overflow, and those of `wcn` have nothing.
    all.push(annotate(of_all_points("a crowd in one place", [[1.5, -2.5, 3.5]; 90]), dice));
    // Numbers of chains with gaps.
    let mut gaps = annotate(cut(of_all_points("numbers with gaps", coil(130, dice)), 4), dice);
    gaps.chain_ids.iter_mut().for_each(|chain| *chain *= 100);
    gaps.chains = (0..301).map(|chain| format!("C{chain}")).collect();
    all.push(gaps);
    all.extend(shipped::structures());
    all
}

#[test]
fn what_walks_through_boxes_find_has_the_bits_of_all_pairs() {
    let batch = PackedBatch::from_inputs(&for_walks()).unwrap();
    let steps = Steps::WCN.and(Steps::NETWORK).and(Steps::CENTRALITY).and(Steps::SECONDARY_STRUCTURE).complete();
    let selection = Selection::new(FEATURES.iter().filter(|feature| steps.has(feature.steps)), false);
    assert!(selection.width() > 20, "{}", selection.width());
    for contact_threshold in [8.0, 12.0] {
        let config = MegaFusedConfig { contact_threshold, ..MegaFusedConfig::default() };
        let request = Request { config, selection: selection.clone() };
        let compute = |executor: CpuExecutor, residues| {
            let largest = Largest { residues, ..Largest::default() };
            bits(&compute_on_cpu(&executor, &batch, &request, largest).unwrap())
        };
        let expected = compute(CpuExecutor::new(), u32::MAX);
        assert!(compute(CpuExecutor::new(), 0) == expected, "{contact_threshold} Å");
        assert!(compute(CpuExecutor::shuffled(7), 100) == expected, "{contact_threshold} Å, in another order");
    }
}
