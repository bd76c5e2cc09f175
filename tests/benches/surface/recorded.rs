//! Wall time of small batches of one shape in sequence: queued step by step, and launched as one graph.

use crate::Arguments;
use anyhow::{Result, ensure};
use cuda_host::CudaExecutor;
use prism_host::PackedBatch;
use prism_host::engine::{DeviceBatch, DeviceSlots, SlotOptions};
use shared_types::MegaFusedConfig;
use std::time::Instant;
use tests::bench::{Watch, in_turn, median};
use tests::copies;

/// Batches per repetition, because one batch is too short for the clock.
const BATCHES: usize = 20;

/// Computes a batch, and returns a digest of its rows.
type Way<'a> = &'a mut dyn FnMut(&PackedBatch) -> Result<u64>;

/// For batches of one structure, and of a hundred.
pub fn time(executor: &CudaExecutor, arguments: &Arguments) -> Result<()> {
    [1, 100].into_iter().try_for_each(|structures| compare(executor, arguments, structures))
}

fn compare(executor: &CudaExecutor, arguments: &Arguments, structures: usize) -> Result<()> {
    let config = MegaFusedConfig { points: arguments.points, ..MegaFusedConfig::default() };
    let stream = executor.stream();
    let all = copies::jittered(structures * BATCHES);
    let frames = all.chunks(structures).map(PackedBatch::from_inputs).collect::<Result<Vec<_>, _>>()?;
    let (atoms, residues) = (frames[0].n_atoms(), frames[0].n_residues());

    // Each variant allocates its memory before it is timed, including that of the results.
    let mut queued = DeviceBatch::new(stream, config)?;
    let slots = DeviceSlots::new(executor, SlotOptions::default())?;
    let mut recorded = DeviceBatch::new(stream, config)?.record(executor, frames[0].clone())?;
    let nodes = recorded.nodes();
    let mut by_launches = |batch: &PackedBatch| -> Result<u64> {
        queued.upload(stream, batch)?;
        queued.launch(executor)?;
        Ok(digest(queued.results(stream, batch)?.values()))
    };
    let mut in_slots = |batch: &PackedBatch| Ok(digest(slots.run(batch, config)?.0.values()));
    let mut by_graph = |batch: &PackedBatch| Ok(digest(recorded.run(batch)?.values));
    let ways: [Way<'_>; 3] = [&mut by_launches, &mut in_slots, &mut by_graph];

    let mut expected = None;
    let milliseconds = in_turn(ways.len(), arguments.repetitions, |way, _| {
        let begin = Instant::now();
        let found = frames.iter().map(&mut *ways[way]).collect::<Result<Vec<_>>>()?;
        let took = begin.elapsed().as_secs_f64() * 1e3 / BATCHES as f64;
        ensure!(*expected.get_or_insert_with(|| found.clone()) == found, "the variants' results differ");
        Ok(took)
    })?;
    let [launches, slots, graph] = [0, 1, 2].map(|way| median(&milliseconds[way]));
    println!(
        "batches of {structures} structures ({residues} residues, {atoms} atoms), each up, computed and down, by the clock: \
         queued piece by piece {launches:.4} ms, in slots {slots:.4} ms, one graph of {nodes} pieces {graph:.4} ms ({:.2} times as \
         fast as piece by piece); its kernels take {:.4} ms",
        launches / graph,
        kernels(executor, &frames[0], config, arguments)?,
    );
    Ok(())
}

/// Times of the kernels in milliseconds, by events.
fn kernels(
    executor: &CudaExecutor,
    batch: &PackedBatch,
    config: MegaFusedConfig,
    arguments: &Arguments,
) -> Result<f64> {
    let stream = executor.stream();
    let mut buffers = DeviceBatch::new(stream, config)?;
    buffers.upload(stream, batch)?;
    let watch = Watch::new(stream)?;
    Ok(median(&watch.repeated(arguments.repetitions, || buffers.launch(executor))?))
}

/// A digest of some bits of every row: enough to tell batches apart, in negligible time.
fn digest(rows: &[f32]) -> u64 {
    let step = |hash: u64, value: &f32| (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3);
    rows.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
