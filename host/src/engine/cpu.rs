//! A batch on CPU cores.

use super::batch_inputs::BatchInputs;
use super::memory::{HostMemory, OutOfHostMemory};
use super::points::point_groups_for_cores;
use super::results::{BatchFeatures, ResultPool, ResultSizes};
use super::selection::Request;
use super::worker::{Computation, Worker};
use super::workspace::Workspace;
use super::{EngineError, Largest, launch_mega_fused_batch, point_groups};
use crate::pack::{BatchChunk, PackedBatch};
use cuda_std::launch::{
    CpuExecutor, Executor, Host, LaunchError, has_vector_instructions, has_wide_vector_instructions,
};
use shared_types::PointGroup;
use std::sync::{Arc, Mutex, PoisonError};

/// Batches at once: while one core is busy with the largest structure of a batch, other batches give work to the other cores.
const BATCHES_AT_ONCE: usize = 4;
/// The calling thread computes a batch of at most this many atoms itself. Each of about 15 launches would wake other threads and
/// wait for them, which takes longer than it saves. (A core computes about 300 atoms per millisecond.)
const FEW_ATOMS: usize = 512;
/// The calling thread hands a batch of at most this many atoms to the pool as a whole, and waits once instead of for each launch.
/// For larger batches, the launches of several batches mix on the pool, so that cores that finish one batch continue with
/// another.
const SMALL_ATOMS: usize = 1 << 14;

/// Computes batches on all cores of rayon's pool. Keeps its memory from batch to batch.
#[derive(Debug)]
pub(super) struct CpuWorker {
    name: String,
    points: Arc<Vec<PointGroup>>,
    pool: Mutex<Vec<Workspace<HostMemory>>>,
    results: ResultPool,
}

impl CpuWorker {
    /// With this many test points on an atom's sphere.
    pub(super) fn new(points: u32) -> Self {
        let name = format!("CPU ({})", cpu_description());
        Self { name, points: point_groups_for_cores(points), pool: Mutex::default(), results: ResultPool::default() }
    }
}

impl Worker for CpuWorker {
    fn name(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> usize {
        BATCHES_AT_ONCE
    }

    fn has_turns(&self) -> bool {
        false
    }

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<Computation, EngineError> {
        let pool = || self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = pool().pop();
        let mut work = kept.map_or_else(new_work, Ok)?;
        let (whole, largest) = (batch.whole(), Largest::default());
        let mut run =
            |executor: CpuExecutor| run_on(&executor, &whole, &self.points, &mut work, request, largest, &self.results);
        let computed = if batch.n_atoms() <= FEW_ATOMS {
            run(CpuExecutor::new().on_this_thread())
        } else if batch.n_atoms() <= SMALL_ATOMS {
            rayon::scope(|_| run(CpuExecutor::new()))
        } else {
            run(CpuExecutor::new())
        };
        let features = computed
            // The kept memory is too short for this batch. It might do for a smaller one.
            .inspect_err(|error| {
                if error.is_out_of_memory() {
                    self.release()
                }
            })?;
        pool().push(work);
        Ok(Computation { features, times: None })
    }

    fn release(&self) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.results.trim();
    }
}

pub(super) fn new_work() -> Result<Workspace<HostMemory>, EngineError> {
    Ok(Workspace::new(&HostMemory)?)
}

impl From<OutOfHostMemory> for EngineError {
    fn from(OutOfHostMemory { bytes }: OutOfHostMemory) -> Self {
        Self::OutOfHostMemory { bytes }
    }
}

pub(super) fn run_on<E: Executor<Space = Host, Error = LaunchError>>(
    executor: &E,
    batch: &BatchChunk<'_>,
    points: &[PointGroup],
    work: &mut Workspace<HostMemory>,
    request: &Request,
    largest: Largest,
    results: &ResultPool,
) -> Result<BatchFeatures, EngineError> {
    let Request { config, selection } = request;
    work.prepare(&HostMemory, batch, request, largest)?;
    let room = results.room(ResultSizes::of(batch, selection))?;
    let mut features = BatchFeatures::new(room, selection, batch);
    launch_mega_fused_batch(executor, BatchInputs::of_chunk(batch, points, config.points), work, *config)
        .map_err(|error| EngineError::from_launch(error, batch, &work.sizes))?;
    work.results(&HostMemory, &mut features)?;
    Ok(features)
}

/// Computes a batch for a test, with the given executor and the given division into blocks.
///
/// # Errors
/// A kernel's panic, with its structure, and too little memory.
pub fn compute_on_cpu(
    executor: &CpuExecutor,
    batch: &PackedBatch,
    request: impl Into<Request>,
    largest: Largest,
) -> Result<BatchFeatures, EngineError> {
    let request = request.into();
    let (points, results) = (point_groups(request.config.points), ResultPool::default());
    run_on(executor, &batch.whole(), &points, &mut new_work()?, &request, largest, &results)
}

/// The number of cores and the instruction set of the CPU backend, as text.
///
/// ```
/// use prism_host::engine::cpu_description;
/// use prism_host::{Backend, Engine};
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// assert_eq!(engine.backend_name(), format!("CPU ({})", cpu_description())); // "CPU (16 cores, AVX2 and FMA)", say
/// # Ok::<(), prism_host::EngineError>(())
/// ```
#[must_use]
pub fn cpu_description() -> String {
    let cores = rayon::current_num_threads();
    let plural = if cores == 1 { "" } else { "s" };
    format!("{cores} core{plural}, {}", instructions())
}

/// The instruction set of the kernels on this machine.
fn instructions() -> &'static str {
    if has_wide_vector_instructions() {
        return "AVX-512";
    }
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

    /// Computes chunks as a device does.
    #[test]
    fn parts_of_a_batch_have_the_bits_of_the_whole() {
        let sizes = [40, 3, 1, 260, 17, 90, 31, 5, 64];
        let structures: Vec<StructureInput> =
            sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect();
        let batch = PackedBatch::from_inputs(&structures).unwrap();
        let (request, executor) = (Request::default(), CpuExecutor::new());
        let largest = Largest { residues: 80, atoms: 500, centrality: 100 };
        let expected = compute_on_cpu(&executor, &batch, &request, largest).unwrap();
        let points = point_groups(request.config.points);
        let (mut work, results) = (new_work().unwrap(), ResultPool::default());
        for most in [1, 2, 4, 100] {
            let (mut values, mut site_ids, mut summaries) = (Vec::new(), Vec::new(), Vec::new());
            for chunk in batch.chunks(most) {
                let of_chunk = run_on(&executor, &chunk, &points, &mut work, &request, largest, &results).unwrap();
                values.extend(of_chunk.values().iter().map(|value| value.to_bits()));
                site_ids.extend_from_slice(of_chunk.site_ids());
                summaries.extend_from_slice(of_chunk.summaries());
                assert_eq!(of_chunk.structure(0).name, structures[chunk.structures().start].name);
            }
            let expected_values: Vec<_> = expected.values().iter().map(|value| value.to_bits()).collect();
            assert!(values == expected_values, "{most} chunks");
            assert_eq!((&*site_ids, &*summaries), (expected.site_ids(), expected.summaries()));
        }
    }
}
