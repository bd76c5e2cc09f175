//! The batch on CPU cores.

use super::launch::BatchInputs;
use super::memory::HostMemory;
use super::work::{BatchWork, Computed};
use super::worker::{Computation, Worker};
use super::{EngineError, Largest, launch_mega_fused_batch, point_groups};
use crate::pack::PackedBatch;
use cuda_std::launch::{CpuExecutor, Host, LaunchError};
use shared_types::{MegaFusedConfig, PointGroup};
use std::sync::{Mutex, PoisonError};

/// Batches at once: while the largest structure of one keeps a core, the others have work for the rest.
const LANES: usize = 4;

/// Computes batches on all cores of rayon's pool. Memory is kept from batch to batch.
#[derive(Debug)]
pub(super) struct CpuWorker {
    name: String,
    points: Vec<PointGroup>,
    pool: Mutex<Vec<BatchWork<HostMemory>>>,
}

impl CpuWorker {
    /// With this many test points on an atom's sphere.
    pub(super) fn new(points: u32) -> Self {
        let name = format!("CPU ({})", cpu_description());
        Self { name, points: point_groups(points), pool: Mutex::default() }
    }
}

impl Worker for CpuWorker {
    fn name(&self) -> &str {
        &self.name
    }

    fn lanes(&self) -> usize {
        LANES
    }

    fn has_turns(&self) -> bool {
        false
    }

    fn run(&self, batch: &PackedBatch, config: MegaFusedConfig) -> Result<Computation, EngineError> {
        let pool = || self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let mut work = pool().pop().unwrap_or_else(new_work);
        let computed = run_on(&CpuExecutor::new(), batch, &self.points, &mut work, config, Largest::default());
        pool().push(work);
        let computed = computed.map_err(|error| EngineError::from_launch(error, &batch.whole(), config))?;
        Ok(Computation { computed, times: None })
    }
}

fn new_work() -> BatchWork<HostMemory> {
    match BatchWork::new(&HostMemory) {
        Ok(work) => work,
        Err(never) => match never {},
    }
}

fn run_on(
    executor: &CpuExecutor,
    batch: &PackedBatch,
    points: &[PointGroup],
    work: &mut BatchWork<HostMemory>,
    config: MegaFusedConfig,
    largest: Largest,
) -> Result<Computed, LaunchError> {
    let Ok(()) = work.prepare(&HostMemory, &batch.whole(), config, largest);
    launch_mega_fused_batch(executor, inputs(batch, points, config.points), work, config)?;
    let Ok(computed) = work.results(&HostMemory);
    Ok(computed)
}

/// Computes a batch as it is to be tested: by an executor with an order of its own, sharing structures out as it is told.
///
/// # Errors
/// Those of the launches.
pub fn compute_on_cpu(
    executor: &CpuExecutor,
    batch: &PackedBatch,
    config: MegaFusedConfig,
    largest: Largest,
) -> Result<Computed, LaunchError> {
    run_on(executor, batch, &point_groups(config.points), &mut new_work(), config, largest)
}

/// A batch where it lies.
fn inputs<'a>(batch: &'a PackedBatch, points: &'a [PointGroup], n_points: u32) -> BatchInputs<'a, Host> {
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
        residue_atoms: batch.residue_atoms(),
        points,
        n_points,
    }
}

/// How many cores the CPU backend uses, and which instructions; for people.
#[must_use]
pub fn cpu_description() -> String {
    let cores = rayon::current_num_threads();
    let plural = if cores == 1 { "" } else { "s" };
    format!("{cores} core{plural}, {}", instructions())
}

/// The instruction set that kernels run with here.
fn instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return "AVX2 and FMA";
    }
    "baseline instructions"
}
