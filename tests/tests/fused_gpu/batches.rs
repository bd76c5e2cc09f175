//! A structure's results do not depend on the rest of the batch.

use crate::{backends, one_of_each};
use prism_host::engine::{DeviceBatch, Largest};
use prism_host::{Backend, Engine, PackedBatch};
use shared_types::MegaFusedConfig;
use tests::device;
use tests::dice::Dice;
use tests::same::{assert_same, assert_same_batch};
use tests::synthetic::{Annotation, Recipe, many_chains};

#[test]
fn the_order_does_not_count() {
    let Some(backends) = backends() else { return };
    let structures = one_of_each();
    let expected = backends.compare(&structures);
    let mut dice = Dice::new(1);
    for _ in 0..3 {
        let mut order: Vec<usize> = (0..structures.len()).collect();
        dice.shuffle(&mut order);
        let permuted: Vec<_> = order.iter().map(|&i| structures[i].clone()).collect();
        let found = backends.gpu.run(&permuted).unwrap();
        for (found, &i) in found.iter().zip(&order) {
            assert_same(&expected[i], found, "shuffled");
        }
    }
}

#[test]
fn the_cut_does_not_count() {
    let Some(backends) = backends() else { return };
    let structures = one_of_each();
    let expected = backends.compare(&structures);
    // One structure per batch, some per batch, all in one.
    for atoms in [1, 500, 2000, usize::MAX] {
        let cut = Engine::builder().backend(Backend::Cuda).batch_atoms(atoms).build().unwrap();
        for (expected, found) in expected.iter().zip(&cut.run(&structures).unwrap()) {
            assert_same(expected, found, "cut");
        }
    }
}

/// Batches that grow and shrink reuse memory that holds earlier content.
#[test]
fn what_was_computed_before_does_not_count() {
    let Some(backends) = backends() else { return };
    for n in [700, 20, 701, 3, 40] {
        let structures: Vec<_> = (0..5).map(|seed| Recipe::new(n + seed as usize, seed).build()).collect();
        backends.compare(&structures);
    }
}

/// The buffers that benchmarks use hold the engine's results.
#[test]
fn a_batch_in_the_callers_own_buffers() {
    let Some(backends) = backends() else { return };
    let batch = PackedBatch::from_inputs(&one_of_each()).unwrap();
    let expected = backends.cpu.run_batch(&batch).unwrap();
    let executor = cuda_host::CudaExecutor::open(0, "kernels", tests::ptx()).unwrap();
    let mut buffers = DeviceBatch::new(executor.stream(), MegaFusedConfig::default()).unwrap();
    // For any assignment of structures to blocks.
    let one_block = Largest { residues: 0, atoms: 0, centrality: u32::MAX, rows: 128 };
    let several = Largest { residues: 200, atoms: 2000, centrality: 300, rows: 50 };
    for largest in [Largest::default(), Largest::DEVICE, one_block, Largest { centrality: 0, ..one_block }, several] {
        buffers.upload_shared_out(executor.stream(), &batch, largest).unwrap();
        for _ in 0..2 {
            buffers.launch(&executor).unwrap();
            let found = buffers.results(executor.stream(), &batch).unwrap();
            assert_same_batch(&expected, &found, "in the caller's buffers");
        }
    }
}

/// As many chains as in a large benchmark set. Runs only with `PRISM_WIDE=1`.
#[test]
fn fifteen_thousand_chains() {
    if !device::is_there() {
        return;
    }
    if std::env::var("PRISM_WIDE").as_deref() != Ok("1") {
        println!("skipped: PRISM_WIDE=1 asks for this test");
        return;
    }
    let Some(backends) = backends() else { return };
    for annotation in [Annotation::None, Annotation::Partly] {
        let structures = many_chains(14_917, annotation);
        let rows: usize = structures.iter().map(|one| one.n_residues()).sum();
        println!("{} structures, {rows} residues, {annotation:?}", structures.len());
        backends.compare(&structures);
    }
}

/// A real chain with twenty different jitters and rotations, and the same copies side by side in one structure.
#[test]
fn twenty_rotations() {
    let Some(backends) = backends() else { return };
    backends.compare(&tests::copies::jittered(20));
    backends.compare(&[tests::copies::capsid(20)]);
}
