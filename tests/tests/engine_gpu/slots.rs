//! The engine's slots on a simulated driver without a device: their memory, and that they finish. `fused_gpu` tests their
//! results on a GPU.

use cuda_host::{GpuBufferPool, PoolOptions};
use prism_host::engine::{DeviceSlots, SlotOptions};
use prism_host::pipeline::{Batch, Cancel, Computed, Outcome, run};
use prism_host::{Backend, Engine, EngineError, PackedBatch};
use shared_types::MegaFusedConfig;
use std::convert::Infallible;
use std::thread;
use tests::copies;
use tests::simulated::with_driver;
use tests::slots::{allocated, cut, executor};

/// Kernels that the simulated driver does not know run without effect.
const DRIVER: &[&str] = &["-DOTHERS_DO_NOTHING"];

fn batch(copies: usize) -> PackedBatch {
    PackedBatch::from_inputs(&copies::jittered(copies)).unwrap()
}

#[test]
fn lanes_allocate_nothing_in_a_steady_state() {
    if !with_driver("slots::lanes_allocate_nothing_in_a_steady_state", DRIVER) {
        return;
    }
    let (executor, config) = (executor(), MegaFusedConfig::default());
    let (large, small, one, none) = (batch(40), batch(5), batch(1), batch(0));
    for page_locked in [false, true] {
        let slots = DeviceSlots::new(&executor, SlotOptions { page_locked, ..cut(8) }).unwrap();
        let page_locked_before = slots.statistics().page_locked.map(|pool| pool.allocations);
        assert_eq!(page_locked_before.is_some(), page_locked);
        // A batch of one chunk has its inputs in memory of their own, and the next one in others. Chunks of different sizes follow each
        // other in a slot: the second time, each of them finds memory of its size.
        for batch in [&large, &one, &none, &large, &one, &none] {
            slots.run(batch, config).unwrap();
        }
        let before = slots.statistics();
        for batch in [&large, &small, &one, &none, &large, &large] {
            let (computed, _) = slots.run(batch, config).unwrap();
            assert_eq!((computed.n_residues(), computed.summaries().len()), (batch.n_residues(), batch.n_structures()));
            assert_eq!(allocated(slots.statistics()), allocated(before));
            assert_eq!(slots.statistics().results, before.results, "results lie where others have lain");
        }
        assert_eq!(slots.statistics().page_locked.map(|pool| pool.allocations), page_locked_before);
        slots.release();
        let released = slots.statistics().device;
        assert_eq!((released.bytes_held, released.blocks_in_use), (0, 0), "{released:?}");
        slots.run(&small, config).unwrap();
    }
}

#[test]
fn lanes_that_run_out_of_memory_say_so_and_give_it_back() {
    if !with_driver("slots::lanes_that_run_out_of_memory_say_so_and_give_it_back", DRIVER) {
        return;
    }
    let (executor, config) = (executor(), MegaFusedConfig::default());
    let (large, small) = (batch(120), batch(2));
    let measured = DeviceSlots::new(&executor, cut(4)).unwrap();
    measured.run(&small, config).unwrap();
    let enough = 2 * measured.statistics().device.peak_held;
    drop(measured);
    for slots in [1, 3] {
        let pool = GpuBufferPool::with_options(executor.stream().context(), PoolOptions::default().limit(enough));
        let slots = DeviceSlots::with_pool(&executor, pool, SlotOptions { slots, ..cut(4) }).unwrap();
        for _ in 0..3 {
            let error = slots.run(&large, config).unwrap_err();
            assert!(matches!(error, EngineError::Device(_)) && error.is_out_of_memory(), "{error}");
            assert_eq!(slots.statistics().device.bytes_held, 0, "nothing is kept for a batch that did not fit");
            slots.run(&small, config).unwrap();
        }
    }
}

#[test]
fn threads_take_turns_on_lanes() {
    if !with_driver("slots::threads_take_turns_on_lanes", DRIVER) {
        return;
    }
    let (executor, config) = (executor(), MegaFusedConfig::default());
    let slots = DeviceSlots::new(&executor, cut(6)).unwrap();
    let batches = [batch(9), batch(1), batch(30)];
    thread::scope(|scope| {
        for thread in 0..6 {
            let (slots, batches) = (&slots, &batches);
            scope.spawn(move || {
                for round in 0..6 {
                    let batch = &batches[(thread + round) % batches.len()];
                    let (computed, _) = slots.run(batch, config).unwrap();
                    assert_eq!(computed.n_residues(), batch.n_residues());
                }
            });
        }
    });
    let held = slots.statistics().device.blocks_in_use;
    slots.release();
    assert!(held > 0 && slots.statistics().device.blocks_in_use == 0);
}

#[test]
fn lanes_do_without_page_locked_memory() {
    let defines = [DRIVER, &["-DPINNED_MOST=65536"]].concat();
    if !with_driver("slots::lanes_do_without_page_locked_memory", &defines) {
        return;
    }
    let slots = DeviceSlots::new(&executor(), cut(3)).unwrap();
    assert_eq!(slots.statistics().page_locked, None);
    let batch = batch(7);
    let (computed, _) = slots.run(&batch, MegaFusedConfig::default()).unwrap();
    assert_eq!(computed.site_ids().len(), batch.n_residues());
}

/// Batches that do not fit on a device are halved until they do, and everything is computed there.
#[test]
fn an_engine_on_a_small_device_halves_batches() {
    let defines = [DRIVER, &["-DMEGABYTES=16"]].concat();
    if !with_driver("slots::an_engine_on_a_small_device_halves_batches", &defines) {
        return;
    }
    let structures = copies::jittered(200);
    let engine = Engine::builder().backend(Backend::Cuda).batch_atoms(usize::MAX).build().unwrap();
    let whole = engine.run_batch(&PackedBatch::from_inputs(&structures).unwrap()).unwrap_err();
    assert!(whole.is_out_of_memory(), "{whole}");
    for _ in 0..2 {
        let features = engine.run(&structures).unwrap();
        assert!(features.iter().map(|one| &one.name).eq(structures.iter().map(|one| &one.name)));
        assert!(features.iter().zip(&structures).all(|(one, given)| one.n_residues == given.n_residues()));
    }
    assert!(engine.lost().is_empty());
}

/// Batches go to whichever device is free, and their results come in the order of the source. Kernels must take longer than
/// packing; otherwise the first device would always be free.
#[test]
fn an_engine_on_two_devices_uses_both() {
    let defines = [DRIVER, &["-DDEVICES=2", "-DMICROSECONDS=500"]].concat();
    if !with_driver("slots::an_engine_on_two_devices_uses_both", &defines) {
        return;
    }
    let structures = copies::jittered(60);
    let source = || {
        structures.chunks(3).map(|some| Batch {
            structures: some.to_vec(),
            outcomes: some.iter().map(|_| Outcome::Read { notes: Vec::new() }).collect(),
            ..Batch::default()
        })
    };
    for (builder, devices) in [
        (Engine::builder().all_devices(), vec![0, 1]),
        (Engine::builder().devices([1, 0]), vec![1, 0]),
        (Engine::builder().devices([1]), vec![1]),
    ] {
        let engine = builder.backend(Backend::Cuda).build().unwrap();
        let mut found = Vec::new();
        let consume = |computed: Computed| {
            assert!(computed.results.iter().all(|result| result.is_ok()));
            found.extend(computed.batch.structures.into_iter().map(|structure| structure.name.clone()));
            Ok::<_, Infallible>(())
        };
        let telemetry = run(&engine, source(), &Cancel::default(), consume).unwrap();
        assert!(found.iter().eq(structures.iter().map(|structure| &structure.name)), "{found:?}");
        let names: Vec<_> = devices.iter().map(|device| format!("Simulated (device {device})")).collect();
        assert!(telemetry.workers.iter().map(|worker| &worker.name).eq(&names), "{:?}", telemetry.workers);
        assert!(telemetry.workers.iter().all(|worker| worker.amount.structures > 0), "{:?}", telemetry.workers);
        assert_eq!(telemetry.workers.iter().map(|worker| worker.amount.structures).sum::<u64>(), 60);
        assert!(engine.lost().is_empty());
    }
}
