//! A GPU does not define the order of blocks, or of threads between barriers, so no order may matter. The assignment of
//! structures to blocks must not matter either.

use crate::synthetic::{of_all_points, zoo};
use cuda_std::launch::CpuExecutor;
use prism_host::engine::{Largest, compute_on_cpu};
use prism_host::{BatchFeatures, PackedBatch};
use shared_types::MegaFusedConfig;

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
        let whole = Largest { residues: u32::MAX, atoms: u32::MAX, centrality: 0 };
        let expected = bits(&compute_on_cpu(&CpuExecutor::new(), &batch, config, whole).unwrap());
        let one_block = Largest { residues: 0, atoms: 0, centrality: u32::MAX };
        let ways = [
            whole,
            one_block,
            Largest { centrality: 0, ..one_block },
            Largest { residues: 100, atoms: 500, centrality: 150 },
        ];
        for (seed, largest) in ways.into_iter().enumerate() {
            let found = compute_on_cpu(&CpuExecutor::new(), &batch, config, largest).unwrap();
            assert!(bits(&found) == expected, "{largest:?}");
            let found = compute_on_cpu(&CpuExecutor::shuffled(seed as u64), &batch, config, largest).unwrap();
            assert!(bits(&found) == expected, "{largest:?}, seed {seed}");
        }
    }
}
