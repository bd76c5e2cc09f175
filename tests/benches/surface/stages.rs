//! Times the stages of a batch, and the whole.

use crate::{Arguments, Line, overlap};
use anyhow::{Result, ensure};
use cuda_host::{CudaError, CudaExecutor};
use prism_host::engine::{BatchFeatures, DeviceBatch, Request, Selection, SlotOptions};
use prism_host::{PackedBatch, StructureInput};
use shared_types::{FEATURES, MegaFusedConfig, Steps};
use tests::bench::{Watch, median};
use tests::copies;

type Launch = fn(&mut DeviceBatch, &CudaExecutor) -> Result<(), CudaError>;

const STAGES: [(&str, Launch); 6] = [
    ("surface: cells and counts", DeviceBatch::launch_surfaces),
    ("exposure: depth and contacts", DeviceBatch::launch_exposure),
    ("rows: pairs, graph, centrality", DeviceBatch::launch_rows),
    ("sites", DeviceBatch::launch_sites),
    ("other groups, columns from rows", DeviceBatch::launch_groups),
    ("all of these", DeviceBatch::launch),
];

/// Times the stages. Prints a digest of the results, which is equal if all bits are.
pub fn alone(executor: &CudaExecutor, batch: &PackedBatch, arguments: &Arguments) -> Result<Vec<Line>> {
    let config = MegaFusedConfig { points: arguments.points, ..MegaFusedConfig::default() };
    let stream = executor.stream();
    let mut lines = Vec::new();
    let mut buffers = DeviceBatch::new(stream, config)?;
    buffers.upload(stream, batch)?;
    let watch = Watch::new(stream)?;
    for (stage, launch) in STAGES {
        let milliseconds = watch.repeated(arguments.repetitions, || launch(&mut buffers, executor))?;
        lines.push(Line { stage, milliseconds });
    }
    let computed = buffers.results(stream, batch)?;
    ensure!(computed.summaries().iter().all(|summary| summary.area > 0.0), "no area: nothing was computed");
    println!("bits {:016x}", digest(&computed));
    Ok(lines)
}

/// The same, and the wall time of the whole.
pub fn time(executor: &CudaExecutor, batch: &PackedBatch, arguments: &Arguments) -> Result<Vec<Line>> {
    let config = MegaFusedConfig { points: arguments.points, ..MegaFusedConfig::default() };
    let mut lines = alone(executor, batch, arguments)?;
    let kernels = lines.last().map_or(f64::NAN, |all| median(&all.milliseconds));
    lines.extend(overlap::time(executor, batch, config, arguments, kernels)?);
    lines.extend(of_rows(executor, batch, config, arguments)?);
    Ok(lines)
}

/// The columns that need neither sites nor the backbone: their kernels, and the way from packed host memory to features.
fn of_rows(
    executor: &CudaExecutor,
    batch: &PackedBatch,
    config: MegaFusedConfig,
    arguments: &Arguments,
) -> Result<[Line; 2]> {
    let features = FEATURES.iter().filter(|feature| Steps::ALL_OF_ROWS.and(Steps::WCN).has(feature.steps));
    let request = Request { config, selection: Selection::new(features, false) };
    let mut buffers = DeviceBatch::new(executor.stream(), request.clone())?;
    buffers.upload(executor.stream(), batch)?;
    let watch = Watch::new(executor.stream())?;
    let kernels = watch.repeated(arguments.repetitions, || buffers.launch(executor))?;
    drop(buffers);
    let stage = "whole, in chunks, without sites and backbone";
    let whole = overlap::in_slots(executor, batch, request, arguments, stage, SlotOptions::default())?;
    Ok([Line { stage: "all without sites and backbone", milliseconds: kernels }, Line { stage, milliseconds: whole }])
}

/// FNV-1a of all bits of all results.
fn digest(computed: &BatchFeatures) -> u64 {
    let values = computed.values().iter().map(|value| value.to_bits());
    let sites = computed.site_ids().iter().map(|site| site.cast_unsigned());
    values.chain(sites).fold(0xcbf2_9ce4_8422_2325, |all, word| (all ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3))
}

/// Many small structures and a large one, separately and together.
pub fn mixed(executor: &CudaExecutor, arguments: &Arguments) -> Result<()> {
    let config = MegaFusedConfig { points: arguments.points, ..MegaFusedConfig::default() };
    let stream = executor.stream();
    let (small, large) = (copies::jittered(10_000), copies::capsid(130));
    let watch = Watch::new(stream)?;
    let time = |structures: &[StructureInput]| {
        let batch = PackedBatch::from_inputs(structures)?;
        let mut buffers = DeviceBatch::new(stream, config)?;
        buffers.upload(stream, &batch)?;
        let milliseconds = watch.repeated(arguments.repetitions, || buffers.launch(executor))?;
        buffers.results(stream, &batch)?;
        anyhow::Ok(median(&milliseconds))
    };
    let (of_small, of_large) = (time(&small)?, time(std::slice::from_ref(&large))?);
    let (atoms, residues) = (large.n_atoms(), large.n_residues());
    let together = time(&[small, vec![large]].concat())?;
    println!(
        "10000 copies {of_small:.3} ms, one structure of {atoms} atoms and {residues} residues {of_large:.3} ms, in one batch \
         {together:.3} ms"
    );
    Ok(())
}
