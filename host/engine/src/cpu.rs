//! A batch on CPU cores.

use super::batch_inputs::BatchInputs;
use super::builder::within;
use super::launch::launch_stages;
use super::memory::{HostMemory, OutOfHostMemory};
use super::points::point_groups_for_cores;
use super::results::{BatchFeatures, ResultPool, ResultSizes, ResultsMut};
use super::selection::Request;
use super::worker::Worker;
use super::workspace::Workspace;
use super::{EngineError, Largest, point_groups};
use crate::pack::{BatchChunk, PackedBatch};
use cuda_std::launch::{
    CpuExecutor, Executor, Host, LaunchError, has_vector_instructions, has_wide_vector_instructions,
};
use prism_read::plural::counted;
use rayon::ThreadPool;
use shared_types::PointGroup;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Batches at once: while one core is busy with the largest structure of a batch, other batches give work to the other cores.
const BATCHES_AT_ONCE: usize = 4;
/// The calling thread computes a batch of at most this many atoms itself. Each of about 15 launches would wake other threads and
/// wait for them, which takes longer than it saves. (A core computes about 300 atoms per millisecond.)
const FEW_ATOMS: usize = 512;
/// The calling thread hands a batch of at most this many atoms to the pool as a whole, and waits once instead of for each launch.
/// For larger batches, the launches of several batches mix on the pool, so that cores that finish one batch continue with
/// another.
const SMALL_ATOMS: usize = 1 << 14;

/// In a large batch, each core computes parts of about this many atoms, twenty structures. It runs all kernels of a part before it
/// takes the next part. So intermediate results are still in its caches, and no core waits for the others after each kernel. In
/// smaller parts a kernel reads its code and tables again for few structures.
const PART_ATOMS: usize = 1 << 15;
/// If not even this share of a part is there for each core, all cores compute a batch together, one kernel after another.
const LEAST_SHARE: usize = 8;
/// A batch of this many atoms, which is a single large structure, gives scratch memory back after the last stage that needs it. It takes
/// several hundred megabytes, and filling them anew takes a fraction of the time of the stages.
const MANY_ATOMS: usize = 1 << 19;

/// Computes batches on all cores of a pool: its own, or rayon's common one. Keeps its memory from batch to batch.
#[derive(Debug)]
pub(super) struct CpuWorker {
    name: String,
    points: Arc<Vec<PointGroup>>,
    /// For what all cores compute together.
    together: Kept,
    /// For parts of batches, which take little memory.
    parts: Kept,
    part_atoms: usize,
    results: ResultPool,
    pool: Option<Arc<ThreadPool>>,
}

impl CpuWorker {
    /// With this many test points on an atom's sphere.
    pub(super) fn new(points: u32) -> Self {
        let name = format!("CPU ({})", cpu_description());
        Self {
            name,
            pool: None,
            points: point_groups_for_cores(points),
            together: Kept::default(),
            parts: Kept::default(),
            part_atoms: PART_ATOMS,
            results: ResultPool::default(),
        }
    }

    /// On a pool of its own.
    pub(super) fn with_pool(self, pool: Option<Arc<ThreadPool>>) -> Self {
        Self { pool, ..self }
    }

    /// The number of parts in which `cores` cores compute a batch: as many for each of them. 1 if they compute it together.
    fn number_of_parts(&self, atoms: usize, cores: usize) -> usize {
        let per_core = atoms / cores;
        if per_core < self.part_atoms / LEAST_SHARE { 1 } else { cores * per_core.div_ceil(self.part_atoms) }
    }

    /// Computes a part of a batch on one core. Larger parts are single large structures, which all cores compute together.
    fn compute_part(&self, part: &BatchChunk<'_>, request: &Request, to: ResultsMut<'_>) -> Result<(), EngineError> {
        if part.n_atoms() > 2 * self.part_atoms {
            return self.together.compute(&CpuExecutor::new(), part, &self.points, request, to);
        }
        self.parts.compute(&CpuExecutor::new().on_this_thread(), part, &self.points, request, to)
    }

    /// Computes a batch on all cores together.
    fn compute_together(
        &self,
        batch: &BatchChunk<'_>,
        request: &Request,
        to: ResultsMut<'_>,
    ) -> Result<(), EngineError> {
        let compute = |executor| self.together.compute(&executor, batch, &self.points, request, to);
        if batch.n_atoms() <= FEW_ATOMS {
            compute(CpuExecutor::new().on_this_thread())
        } else if batch.n_atoms() <= SMALL_ATOMS {
            rayon::scope(|_| compute(CpuExecutor::new()))
        } else {
            compute(CpuExecutor::new())
        }
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

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
        batch.join()?;
        let pool = self.pool.as_deref().filter(|_| batch.n_atoms() > FEW_ATOMS);
        within(pool, || self.compute(batch, request))
    }

    fn release(&self) {
        self.together.clear();
        self.parts.clear();
        self.results.trim();
    }
}

impl CpuWorker {
    fn compute(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
        let whole = batch.whole();
        let sizes = |part: &BatchChunk<'_>| ResultSizes::of(part, &request.selection);
        let mut features = BatchFeatures::new(self.results.room(sizes(&whole))?, &request.selection, &whole);
        let parts = batch.chunks(self.number_of_parts(batch.n_atoms(), rayon::current_num_threads()));
        let mut rest = features.as_mut();
        let computed = if parts.len() == 1 {
            self.compute_together(&whole, request, rest)
        } else {
            let mut outcomes: Vec<_> = parts.iter().map(|_| Ok(())).collect();
            // This thread waits and computes nothing. In the pool, it would take up other batches' parts, and finish this batch
            // after them.
            rayon::in_place_scope(|scope| {
                for (part, outcome) in parts.iter().zip(&mut outcomes) {
                    let (to, others) = rest.split_at(sizes(part));
                    scope.spawn(move |_| *outcome = self.compute_part(part, request, to));
                    rest = others;
                }
            });
            // Of several errors, that of the first structures.
            outcomes.into_iter().collect()
        };
        // The kept memory is too short for this batch. It might do for a smaller one.
        computed.inspect_err(|error| {
            if error.is_out_of_memory() {
                self.release();
            }
        })?;
        Ok(features)
    }
}

/// Memory that is kept from batch to batch. Each thread that computes takes some, or new one.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<Workspace<HostMemory>>>);

impl Kept {
    fn compute<E: Executor<Space = Host, Error = LaunchError>>(
        &self,
        executor: &E,
        batch: &BatchChunk<'_>,
        points: &[PointGroup],
        request: &Request,
        to: ResultsMut<'_>,
    ) -> Result<(), EngineError> {
        let kept = self.lock().pop();
        let mut work = kept.map_or_else(new_work, Ok)?;
        compute_in(&mut work, executor, batch, points, (request, Largest::default()), to)?;
        self.lock().push(work);
        Ok(())
    }

    fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Workspace<HostMemory>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Computes a batch, or a part of one, in this memory.
fn compute_in<E: Executor<Space = Host, Error = LaunchError>>(
    work: &mut Workspace<HostMemory>,
    executor: &E,
    batch: &BatchChunk<'_>,
    points: &[PointGroup],
    (request, largest): (&Request, Largest),
    to: ResultsMut<'_>,
) -> Result<(), EngineError> {
    let config = request.config;
    work.prepare(&HostMemory, batch, request, largest)?;
    let inputs = BatchInputs::of_chunk(batch, points, config.points);
    let is_large = batch.n_atoms() >= MANY_ATOMS;
    let launched = launch_stages(executor, inputs, work, config, |stage, work| {
        if is_large {
            work.give_back_after(stage);
        }
    });
    launched.map_err(|error| EngineError::from_launch(error, batch, &work.sizes))?;
    Ok(work.results_into(&HostMemory, to)?)
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
    let room = results.room(ResultSizes::of(batch, &request.selection))?;
    let mut features = BatchFeatures::new(room, &request.selection, batch);
    compute_in(work, executor, batch, points, (request, largest), features.as_mut())?;
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
/// use prism_engine::cpu_description;
/// use prism_engine::{Backend, Engine};
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// assert_eq!(engine.backend_name(), format!("CPU ({})", cpu_description())); // "CPU (16 cores, AVX2 and FMA)", say
/// # Ok::<(), prism_engine::EngineError>(())
/// ```
#[must_use]
pub fn cpu_description() -> String {
    let cores = rayon::current_num_threads();
    format!("{}, {}", counted(cores, "core", "cores"), instructions())
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
    use crate::synthetic::structure;
    use prism_read::structure::StructureInput;

    /// Computes chunks as a device does.
    #[test]
    fn parts_of_a_batch_have_the_bits_of_the_whole() {
        let sizes = [40, 3, 1, 260, 17, 90, 31, 5, 64];
        let structures: Vec<StructureInput> =
            sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect();
        let batch = PackedBatch::from_inputs(&structures).unwrap();
        let (request, executor) = (Request::default(), CpuExecutor::new());
        let largest = Largest { residues: 80, atoms: 500, centrality: 100, rows: 50 };
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

    #[test]
    fn parts_on_single_cores_have_the_bits_of_all_cores_together() {
        // The third is too large for one core.
        let sizes = [40, 3, 1000, 1, 160, 17, 90, 31, 5, 64, 120, 2, 300, 77, 150];
        let (cores, request) = (rayon::current_num_threads(), Request::default());
        let sizes = sizes.iter().cycle().take(sizes.len() * cores.div_ceil(16)).enumerate();
        let structures: Vec<_> = sizes.map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect();
        let batch = PackedBatch::from_inputs(&structures).unwrap();
        let mut worker = CpuWorker::new(request.config.points);
        worker.part_atoms = 500;
        let parts = batch.chunks(worker.number_of_parts(batch.n_atoms(), cores));
        assert!(parts.len() > 4 && parts.iter().any(|part| part.n_atoms() > 2 * worker.part_atoms));

        let expected = compute_on_cpu(&CpuExecutor::new(), &batch, &request, Largest::default()).unwrap();
        let bits = |features: &BatchFeatures| -> Vec<u32> { features.values().iter().map(|x| x.to_bits()).collect() };
        for _ in 0..2 {
            let found = worker.run(&batch, &request).unwrap();
            assert!(bits(&found) == bits(&expected), "values");
            assert_eq!((found.site_ids(), found.summaries()), (expected.site_ids(), expected.summaries()));
        }
        worker.release();
        assert!(worker.parts.lock().is_empty() && worker.together.lock().is_empty());
    }

    #[test]
    fn stages_that_give_memory_back_leave_the_same_bits() {
        let structures = [structure("a", 300, 1), structure("b", 20, 2)];
        let batch = PackedBatch::from_inputs(&structures).unwrap();
        let (request, executor, whole) = (Request::default(), CpuExecutor::new(), batch.whole());
        let points = point_groups(request.config.points);
        for largest in [Largest::default(), Largest { residues: 80, atoms: 500, centrality: 100, rows: 50 }] {
            let expected = compute_on_cpu(&executor, &batch, &request, largest).unwrap();
            let mut work = new_work().unwrap();
            // What was given back is there again.
            for _ in 0..2 {
                let mut found = BatchFeatures::room(&batch, &request).unwrap();
                work.prepare(&HostMemory, &whole, &request, largest).unwrap();
                let inputs = BatchInputs::of_chunk(&whole, &points, request.config.points);
                launch_stages(&executor, inputs, &mut work, request.config, |stage, work| work.give_back_after(stage))
                    .unwrap();
                work.results(&HostMemory, &mut found).unwrap();
                let bits =
                    |of: &BatchFeatures| -> Vec<u32> { of.values().iter().map(|value| value.to_bits()).collect() };
                assert!(bits(&found) == bits(&expected));
                assert_eq!((found.site_ids(), found.summaries()), (expected.site_ids(), expected.summaries()));
            }
        }
    }

    #[test]
    fn cores_get_equally_many_parts() {
        let worker = CpuWorker::new(100);
        assert_eq!(worker.number_of_parts(0, 4), 1);
        assert_eq!(worker.number_of_parts(4 * PART_ATOMS / LEAST_SHARE - 1, 4), 1, "all cores compute it together");
        assert_eq!(worker.number_of_parts(4 * PART_ATOMS / LEAST_SHARE, 4), 4);
        assert_eq!(worker.number_of_parts(16 * PART_ATOMS, 16), 16);
        assert_eq!(worker.number_of_parts(16 * PART_ATOMS + 16, 16), 32);
        assert_eq!(worker.number_of_parts(2 * PART_ATOMS, 1), 2);
    }
}
