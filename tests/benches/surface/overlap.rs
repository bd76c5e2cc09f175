//! Wall time of a whole batch, from packed host memory to features in host memory: in one or several chunks, with and
//! without page-locked memory; and the time of its copies alone.

use crate::{Arguments, Line};
use anyhow::{Result, ensure};
use cuda_host::{CudaExecutor, GpuBufferPool, PoolStatistics};
use prism_host::engine::{DeviceBatch, DeviceMemory, DeviceSlots, Request, SlotOptions, SlotStatistics, Staging};
use prism_host::{Backend, Engine, PackedBatch};
use shared_types::MegaFusedConfig;
use std::time::Instant;
use tests::bench::{in_turn, median};

/// `kernels`: time in milliseconds of all kernels of the undivided batch, a lower bound of the batch's time.
pub fn time(
    executor: &CudaExecutor,
    batch: &PackedBatch,
    config: MegaFusedConfig,
    arguments: &Arguments,
    kernels: f64,
) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut alone = Vec::new();
    for (page_locked, upload, download) in [
        (false, "upload alone, pageable", "download alone, pageable"),
        (true, "upload alone, page-locked", "download alone, page-locked"),
    ] {
        let copies = copies_alone(executor, batch, config, arguments, page_locked)?;
        let [up, down] = copies.each_ref().map(|milliseconds| median(milliseconds));
        alone.push((page_locked, up, down));
        let [up, down] = copies;
        lines.push(Line { stage: upload, milliseconds: up });
        lines.push(Line { stage: download, milliseconds: down });
    }
    let default = SlotOptions::default();
    let mut least = f64::INFINITY;
    for (stage, options) in [
        ("whole, one chunk, pageable", SlotOptions { chunks: 1, page_locked: false, ..default }),
        ("whole, one chunk, page-locked", SlotOptions { chunks: 1, ..default }),
        ("whole, in chunks, pageable", SlotOptions { page_locked: false, ..default }),
        ("whole, in chunks, two slots", SlotOptions { slots: 2, ..default }),
        ("whole, in chunks, four slots", SlotOptions { slots: 4, ..default }),
        ("whole, in 16 chunks", SlotOptions { chunks: 16, chunk_atoms: default.chunk_atoms / 2, ..default }),
        ("whole, in chunks, one after the other", SlotOptions { at_once: 1, ..default }),
        ("whole, in chunks, four slots, three at a time", SlotOptions { slots: 4, at_once: 3, ..default }),
        ("whole, in chunks, page-locked", default),
    ] {
        let milliseconds = in_slots(executor, batch, config, arguments, stage, options)?;
        least = median(&milliseconds);
        lines.push(Line { stage, milliseconds });
    }
    for (page_locked, up, down) in alone {
        let (what, longest) = [("upload", up), ("kernels", kernels), ("download", down)]
            .into_iter()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or(("kernels", kernels));
        let memory = if page_locked { "page-locked" } else { "pageable" };
        println!(
            "{memory}: upload {up:.1} ms, kernels {kernels:.1} ms, download {down:.1} ms, one after the other {:.1} ms; the \
             longest is {what}, {longest:.1} ms",
            up + kernels + down
        );
    }
    println!("in chunks, page-locked: {least:.1} ms, {:.2} of the kernels' time", least / kernels);
    lines.push(engine(batch, config, arguments)?);
    Ok(lines)
}

/// Wall times in milliseconds, without the warm-up.
fn repeated<T>(arguments: &Arguments, mut run: impl FnMut() -> Result<T>) -> Result<Vec<f64>> {
    let milliseconds = in_turn(1, arguments.repetitions, |_, _| {
        let begin = Instant::now();
        // Dropped after the time is taken.
        let _result = run()?;
        anyhow::Ok(begin.elapsed().as_secs_f64() * 1e3)
    })?;
    Ok(milliseconds.concat())
}

/// Copies the whole batch to the device and its results back, with nothing else running.
fn copies_alone(
    executor: &CudaExecutor,
    batch: &PackedBatch,
    config: MegaFusedConfig,
    arguments: &Arguments,
    page_locked: bool,
) -> Result<[Vec<f64>; 2]> {
    let stream = executor.stream();
    // The threads and memory of one of two concurrent copies, as slots have them.
    let staging = page_locked.then(|| Staging::new(stream.context(), 2)).transpose()?;
    let memory = DeviceMemory::new(stream, &GpuBufferPool::new(stream.context()), staging);
    let mut buffers = DeviceBatch::in_memory(&memory, config)?;
    let upload = repeated(arguments, || {
        buffers.upload(stream, batch)?;
        Ok(stream.synchronize()?)
    })?;
    buffers.launch(executor)?;
    stream.synchronize()?;
    let download = repeated(arguments, || Ok(buffers.results(stream, batch)?))?;
    Ok([upload, download])
}

/// Wall times in milliseconds from packed host memory to features, without the warm-up.
pub fn in_slots(
    executor: &CudaExecutor,
    batch: &PackedBatch,
    request: impl Into<Request>,
    arguments: &Arguments,
    stage: &str,
    options: SlotOptions,
) -> Result<Vec<f64>> {
    let request = request.into();
    let slots = DeviceSlots::new(executor, options)?;
    slots.run(batch, request.clone())?;
    let before = slots.statistics();
    let mut last = None;
    let milliseconds = repeated(arguments, || {
        let (computed, times) = slots.run(batch, request.clone())?;
        last = Some(times);
        Ok(computed)
    })?;
    let after = slots.statistics();
    let times = last.unwrap_or_default();
    let milliseconds_of = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    println!(
        "{stage}: {:.1} ms by the clock; added up over chunks: upload {:.1}, kernels {:.1}, download {:.1} ms; {} MB on the \
         device and {} MB page-locked; {} allocations before the first run that was timed, {} after it",
        median(&milliseconds),
        milliseconds_of(times.upload),
        milliseconds_of(times.kernels),
        milliseconds_of(times.download),
        after.device.peak_held >> 20,
        after.page_locked.map_or(0, |pool| pool.peak_held >> 20),
        allocations(&before),
        allocations(&after) - allocations(&before),
    );
    ensure!(allocations(&after) == allocations(&before), "{stage}: memory was allocated in a steady state");
    Ok(milliseconds)
}

fn allocations(statistics: &SlotStatistics) -> u64 {
    let of = |pool: &PoolStatistics| pool.allocations + pool.frees;
    of(&statistics.device) + statistics.page_locked.as_ref().map_or(0, of) + statistics.results
}

fn engine(batch: &PackedBatch, config: MegaFusedConfig, arguments: &Arguments) -> Result<Line> {
    let engine = Engine::builder().backend(Backend::Cuda).config(config).build()?;
    let milliseconds = repeated(arguments, || {
        let features = engine.run_batch(batch)?;
        ensure!(features.n_residues() == batch.n_residues(), "rows are missing");
        Ok(features)
    })?;
    Ok(Line { stage: "packed batch to features, by the clock", milliseconds })
}
