//! Batches that pass through a device in concurrent chunks.

use crate::{backends, one_of_each};
use cuda_host::{GpuBufferPool, PoolOptions};
use prism_host::engine::{DeviceSlots, SlotOptions};
use prism_host::{Backend, BatchFeatures, Engine, PackedBatch, StructureInput};
use shared_types::MegaFusedConfig;
use std::time::Duration;
use tests::same::assert_same_batch;
use tests::slots::{cut, executor};
use tests::synthetic::{Recipe, many_chains};
use tests::{copies, device};

fn on_cpu(batch: &PackedBatch) -> BatchFeatures {
    Engine::builder().backend(Backend::Cpu).build().unwrap().run_batch(batch).unwrap()
}

/// All kinds of structures, including one that uses the kernels for large structures.
fn mixed() -> PackedBatch {
    let mut structures = one_of_each();
    structures.insert(4, Recipe::new(1500, 21).chains(2).build());
    structures.extend(copies::jittered(30));
    structures.push(copies::capsid(12));
    PackedBatch::from_inputs(&structures).unwrap()
}

#[test]
fn a_batch_has_the_same_bits_however_it_is_cut() {
    if !device::is_there() {
        return;
    }
    let (executor, config, batch) = (executor(), MegaFusedConfig::default(), mixed());
    let expected = on_cpu(&batch);
    for page_locked in [false, true] {
        for (slots, chunks) in [(1, 1), (1, 5), (2, 3), (3, 8), (4, 1000)] {
            let options = SlotOptions { slots, page_locked, ..cut(chunks) };
            let slots = DeviceSlots::new(&executor, options).unwrap();
            for round in 0..2 {
                let (found, times) = slots.run(&batch, config).unwrap();
                assert_same_batch(&expected, &found, &format!("{options:?}, round {round}"));
                let all = [times.upload, times.kernels, times.download];
                assert!(all.iter().all(|time| *time > Duration::ZERO), "{times:?}");
            }
        }
    }
}

/// Chunks of other batches use the same slots, whose memory holds earlier content.
#[test]
fn what_lanes_computed_before_does_not_count() {
    if !device::is_there() {
        return;
    }
    let slots = DeviceSlots::new(&executor(), cut(4)).unwrap();
    let of = |structures: &[StructureInput]| PackedBatch::from_inputs(structures).unwrap();
    let batches = [of(&copies::jittered(9)), of(&one_of_each()), of(&[]), of(&copies::jittered(2)), mixed()];
    for (index, batch) in batches.iter().enumerate() {
        let (found, _) = slots.run(batch, MegaFusedConfig::default()).unwrap();
        assert_same_batch(&on_cpu(batch), &found, &format!("batch {index}"));
    }
    let config = MegaFusedConfig { contact_threshold: 10.0, points: 20, ..MegaFusedConfig::default() };
    let expected =
        Engine::builder().backend(Backend::Cpu).config(config).build().unwrap().run_batch(&batches[0]).unwrap();
    let (found, _) = slots.run(&batches[0], config).unwrap();
    assert!(found.summaries() == expected.summaries(), "another configuration is another configuration's results");
}

/// If a chunk runs out of memory, the batch ends with the error that makes the engine halve it.
#[test]
fn memory_that_runs_out_in_a_part_is_told_and_given_back() {
    if !device::is_there() {
        return;
    }
    let (executor, config) = (executor(), MegaFusedConfig::default());
    let small = PackedBatch::from_inputs(&copies::jittered(2)).unwrap();
    let large = PackedBatch::from_inputs(&many_chains(200, tests::synthetic::Annotation::None)).unwrap();
    // The memory of the small batch, and a little more.
    let measured = DeviceSlots::new(&executor, cut(4)).unwrap();
    measured.run(&small, config).unwrap();
    let enough = 2 * measured.statistics().device.peak_held;
    drop(measured);
    let pool = GpuBufferPool::with_options(executor.stream().context(), PoolOptions::default().limit(enough));
    let slots = DeviceSlots::with_pool(&executor, pool, cut(4)).unwrap();
    for _ in 0..2 {
        let error = slots.run(&large, config).unwrap_err();
        assert!(error.is_out_of_memory(), "{error}");
        assert_eq!(slots.statistics().device.bytes_in_use, 0, "nothing is kept of a batch that did not fit");
        let (found, _) = slots.run(&small, config).unwrap();
        assert_same_batch(&on_cpu(&small), &found, "after memory has run out");
    }
}

#[test]
fn threads_share_lanes() {
    let Some(backends) = backends() else { return };
    let slots = DeviceSlots::new(&executor(), cut(5)).unwrap();
    let batches = [mixed(), PackedBatch::from_inputs(&copies::jittered(12)).unwrap()];
    let expected = batches.each_ref().map(on_cpu);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (slots, batches, expected) = (&slots, &batches, &expected);
            scope.spawn(move || {
                for round in 0..3 {
                    let which = (thread + round) % 2;
                    let (found, _) = slots.run(&batches[which], MegaFusedConfig::default()).unwrap();
                    assert_same_batch(&expected[which], &found, &format!("thread {thread}, round {round}"));
                }
            });
        }
    });
    // The engine does the same with its own slots.
    let found = backends.gpu.run_batch(&batches[0]).unwrap();
    assert_same_batch(&expected[0], &found, "the engine");
}
