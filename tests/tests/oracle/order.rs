//! A GPU promises no order of threads between two barriers, nor of blocks: none may matter.

use crate::run;
use crate::synthetic::zoo;
use bytemuck::Zeroable;
use cuda_std::launch::CpuExecutor;
use kernels_gpu::scratch::{AtomSurface, Place, ResidueExposure, Traits, WORK_VECTORS};
use prism_host::engine::{
    AtomInputs, AtomScratch, BatchInputs, BatchOffsets, BatchOutputs, BatchScratch, launch_atom_surfaces,
    launch_mega_fused_batch, sphere_points,
};
use prism_host::{PackedBatch, StructureInput};
use shared_types::{Atom, FeatureRow, MegaFusedConfig, StructureSummary};

/// One launch of the fused kernel; scratch memory holds what nobody has written.
fn launch(
    executor: &CpuExecutor,
    structures: &[StructureInput],
    threshold: f32,
) -> (Vec<FeatureRow>, Vec<StructureSummary>) {
    let batch = PackedBatch::from_inputs(structures).unwrap();
    let contacts = batch.contact_offsets(threshold);
    let (n, atoms) = (batch.n_residues(), batch.atom_offsets().end() as usize);
    let config = MegaFusedConfig { contact_threshold: threshold, ..MegaFusedConfig::default() };
    let junk = f32::from_bits(0x5bad_c0de);
    let mut rows = vec![FeatureRow { columns: [junk; 32] }; n];
    let mut summaries = vec![StructureSummary::zeroed(); batch.n_structures()];
    let place: Place = bytemuck::cast([junk; 4]);
    let traits: Traits = bytemuck::cast([junk; 4]);
    let nothing =
        ResidueExposure { area: junk, relative: junk, apolar: junk, protrusion: junk, depth: junk, contacts: junk };
    let mut exposure = vec![nothing; n];
    launch_atom_surfaces(
        executor,
        AtomInputs {
            atoms: batch.atoms(),
            descriptors: batch.descriptors(),
            residue_types: batch.residue_types(),
            chain_ids: batch.chain_ids(),
            residue_atoms: batch.residue_atoms(),
            points: &sphere_points(config.points)[..],
            residue_offsets: batch.residue_offsets(),
            atom_offsets: batch.atom_offsets(),
        },
        &mut exposure[..],
        AtomScratch {
            sorted: &mut vec![Atom { x: junk, y: junk, z: junk, radius: junk }; atoms],
            cells: &mut vec![[0xbad; 8]; atoms],
            surface: &mut vec![AtomSurface { exposed: 0xbad, crowd: 0xbad }; atoms],
            depths: &mut vec![junk; atoms],
        },
    )
    .unwrap();
    launch_mega_fused_batch(
        executor,
        BatchInputs {
            atoms: batch.atoms(),
            ca_indices: batch.ca_indices(),
            descriptors: batch.descriptors(),
            residue_types: batch.residue_types(),
            conservation: batch.conservation(),
            bfactor: batch.bfactor(),
            gisaid_freq: batch.gisaid_freq(),
            gisaid_velocity: batch.gisaid_velocity(),
            chain_ids: batch.chain_ids(),
            exposure: &exposure,
        },
        BatchOffsets { residues: batch.residue_offsets(), contacts: &contacts, structures: batch.structure_offsets() },
        BatchOutputs { rows: &mut rows, summaries: &mut summaries },
        BatchScratch {
            places: &mut vec![place; n],
            traits: &mut vec![traits; n],
            bfactor_z: &mut vec![junk; n],
            contacts: &mut vec![0xbad; contacts.end() as usize],
            work: &mut vec![[junk; WORK_VECTORS]; n],
        },
        config,
    )
    .unwrap();
    (rows, summaries)
}

#[test]
fn bits_depend_neither_on_the_order_of_threads_nor_on_scratch_memory() {
    let structures = zoo();
    let expected: Vec<FeatureRow> = run(&structures, 12.0).into_iter().flat_map(|features| features.rows).collect();
    for seed in 0..3 {
        let (rows, summaries) = launch(&CpuExecutor::shuffled(seed), &structures, 12.0);
        assert!(bytemuck::cast_slice::<_, u32>(&rows) == bytemuck::cast_slice::<_, u32>(&expected), "seed {seed}");
        for (structure, summary) in structures.iter().zip(&summaries) {
            assert_eq!(summary.residues as usize, structure.n_residues(), "{}", structure.name);
        }
    }
}
