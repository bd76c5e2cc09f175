//! An engine on a device with full memory. This test has the device for itself.

use crate::gpu;
use cuda_host::{CudaExecutor, DeviceBuffer, GpuBufferPool, PoolOptions};
use prism_host::engine::{DeviceSlots, SlotOptions};
use prism_host::{Backend, Engine, EngineError, StructureFeatures, StructureInput};
use shared_types::MegaFusedConfig;
use tests::copies;
use tests::same::assert_same;
use tests::simulated::{is_simulated, with_driver};
use tests::slots::{executor, packed};

/// Allocation granularity of the driver.
const PIECE: usize = 2 << 20;

/// A simulated device has less memory, and tests without a GPU should be fast.
fn copies_of_one(many: usize) -> usize {
    if is_simulated() { many / 3 } else { many }
}

/// Takes the device's memory until `left` bytes or slightly more are free. Nothing is written.
fn fill(executor: &CudaExecutor, left: usize) -> Vec<DeviceBuffer<u8>> {
    let context = executor.context();
    let pool = GpuBufferPool::with_options(context, PoolOptions::default().headroom_percent(0));
    let (mut taken, mut piece) = (Vec::new(), 1 << 30);
    while piece >= PIECE {
        if context.memory().unwrap().free < left + piece {
            piece /= 2;
            continue;
        }
        match pool.lease(executor.stream(), piece) {
            Ok(buffer) => taken.push(buffer),
            // The free memory is fragmented into smaller pieces.
            Err(error) if error.is_out_of_memory() => piece /= 2,
            Err(error) => panic!("{error}"),
        }
    }
    let free = context.memory().unwrap().free;
    println!("{} pieces taken, {free} bytes free, {left} were to be left", taken.len());
    assert!(free < left + (64 << 20), "{free} bytes are free, and {left} were to be left");
    taken
}

/// Bytes on the device that an engine needs for all structures in one batch.
fn needed(executor: &CudaExecutor, structures: &[StructureInput]) -> usize {
    let slots = DeviceSlots::new(executor, SlotOptions::default()).unwrap();
    slots.run(&packed(structures), MegaFusedConfig::default()).unwrap();
    slots.statistics().device.peak_held
}

/// An engine that splits batches only when memory runs out, with its kernels loaded by the driver.
fn warm_engine() -> Engine {
    let engine = Engine::builder().backend(Backend::Cuda).batch_atoms(usize::MAX).build().unwrap();
    engine.run(&[copies::jittered(1), vec![copies::capsid(12)]].concat()).unwrap();
    engine
}

/// The simulated device computes nothing, so only the presence of results is checked there.
fn assert_present(found: &StructureFeatures, expected: &StructureFeatures) {
    assert_eq!((&found.name, found.n_residues), (&expected.name, expected.n_residues));
    if !is_simulated() {
        assert_same(expected, found, "with full memory");
    }
}

#[test]
fn a_batch_is_halved_until_it_fits_beside_what_fills_the_device() {
    let Some(_turn) = gpu() else { return };
    halved();
}

#[test]
fn a_batch_is_halved_until_it_fits_on_a_simulated_device() {
    if with_driver("full::a_batch_is_halved_until_it_fits_on_a_simulated_device", &["-DOTHERS_DO_NOTHING"]) {
        halved();
    }
}

fn halved() {
    let (executor, structures) = (executor(), copies::jittered(copies_of_one(600)));
    let need = needed(&executor, &structures);
    let expected = Engine::builder().backend(Backend::Cuda).build().unwrap().run(&structures).unwrap();
    let engine = warm_engine();
    let batch = packed(&structures);

    let filled = fill(&executor, need / 4);
    let error = engine.run_batch(&batch).unwrap_err();
    assert!(error.is_out_of_memory() && error.to_string().contains("CUDA_ERROR_OUT_OF_MEMORY"), "{error}");
    for _ in 0..2 {
        let found = engine.run(&structures).unwrap();
        assert_eq!(found.len(), expected.len());
        found.iter().zip(&expected).for_each(|(found, expected)| assert_present(found, expected));
    }
    drop(filled);
    // The whole batch fits again.
    assert_eq!(engine.run_batch(&batch).unwrap().n_structures(), structures.len());
    assert!(engine.lost().is_empty());
}

#[test]
fn a_structure_that_does_not_fit_gets_an_error_of_its_own_until_it_does() {
    let Some(_turn) = gpu() else { return };
    refused_and_computed();
}

#[test]
fn a_structure_that_does_not_fit_on_a_simulated_device_gets_an_error_of_its_own() {
    const NAME: &str = "full::a_structure_that_does_not_fit_on_a_simulated_device_gets_an_error_of_its_own";
    if with_driver(NAME, &["-DOTHERS_DO_NOTHING"]) {
        refused_and_computed();
    }
}

fn refused_and_computed() {
    const LARGE: usize = 4;
    let (executor, mut structures) = (executor(), copies::jittered(8));
    structures.insert(LARGE, copies::capsid(copies_of_one(300)));
    let large = &structures[LARGE];
    let need = needed(&executor, std::slice::from_ref(large));
    let expected = Engine::builder().backend(Backend::Cuda).build().unwrap().run(&structures).unwrap();
    let engine = warm_engine();

    let filled = fill(&executor, need / 2);
    for _ in 0..2 {
        let found = engine.run_each(&structures).unwrap();
        assert_eq!(found.len(), expected.len());
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            match found {
                Ok(found) if place != LARGE => assert_present(found, expected),
                Err(EngineError::OutOfMemory { index: LARGE, structure, atoms, residues, .. }) if place == LARGE => {
                    assert_eq!((structure, *atoms, *residues), (&large.name, large.n_atoms(), large.n_residues()));
                }
                other => panic!("structure {place}: {other:?}"),
            }
        }
        let text = found[LARGE].as_ref().unwrap_err().to_string();
        let begin = format!("structure {:?} ({} atoms, {} residues) ", large.name, large.n_atoms(), large.n_residues());
        assert!(text.starts_with(&begin) && text.contains("does not fit in memory, not even alone"), "{text}");
    }
    drop(filled);
    let found = engine.run(&structures).unwrap();
    found.iter().zip(&expected).for_each(|(found, expected)| assert_present(found, expected));
    assert_eq!(found.len(), expected.len());
    assert!(engine.lost().is_empty(), "memory that ran out is no failure of the device");
}
