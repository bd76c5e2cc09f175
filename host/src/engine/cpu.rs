//! The batch on CPU cores.

use super::launch::BatchInputs;
use super::memory::HostMemory;
use super::work::{BatchWork, Computed};
use super::worker::{Computation, Worker};
use super::{EngineError, Largest, launch_mega_fused_batch, point_groups};
use crate::pack::{BatchPart, PackedBatch};
use cuda_std::launch::{CpuExecutor, Host, LaunchError, has_vector_instructions};
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
        let computed = run_on(&CpuExecutor::new(), &batch.whole(), &self.points, &mut work, config, Largest::default());
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
    batch: &BatchPart<'_>,
    points: &[PointGroup],
    work: &mut BatchWork<HostMemory>,
    config: MegaFusedConfig,
    largest: Largest,
) -> Result<Computed, LaunchError> {
    let Ok(()) = work.prepare(&HostMemory, batch, config, largest);
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
    run_on(executor, &batch.whole(), &point_groups(config.points), &mut new_work(), config, largest)
}

/// A batch where it lies.
fn inputs<'a>(batch: &'a BatchPart<'_>, points: &'a [PointGroup], n_points: u32) -> BatchInputs<'a, Host> {
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
    if has_vector_instructions() {
        return "AVX2 and FMA";
    }
    "baseline instructions"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::StructureInput;
    use crate::synthetic::structure;

    /// Parts are computed here as a device computes them.
    #[test]
    fn parts_of_a_batch_have_the_bits_of_the_whole() {
        let sizes = [40, 3, 1, 260, 17, 90, 31, 5, 64];
        let structures: Vec<StructureInput> =
            sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect();
        let batch = PackedBatch::from_inputs(&structures).unwrap();
        let (config, executor) = (MegaFusedConfig::default(), CpuExecutor::new());
        let largest = Largest { residues: 80, atoms: 500 };
        let expected = compute_on_cpu(&executor, &batch, config, largest).unwrap();
        let points = point_groups(config.points);
        let mut work = new_work();
        for most in [1, 2, 4, 100] {
            let mut found = Computed { rows: vec![], site_ids: vec![], summaries: vec![] };
            for part in batch.parts(most) {
                let of_part = run_on(&executor, &part, &points, &mut work, config, largest).unwrap();
                found.rows.extend(of_part.rows);
                found.site_ids.extend(of_part.site_ids);
                found.summaries.extend(of_part.summaries);
            }
            let words = |computed: &Computed| bytemuck::cast_slice::<_, u32>(&computed.rows).to_vec();
            assert!(words(&found) == words(&expected), "{most} parts");
            assert_eq!(found.site_ids, expected.site_ids);
            assert_eq!(found.summaries, expected.summaries);
        }
    }
}
