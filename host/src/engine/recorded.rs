//! A batch as one CUDA graph, for batches that differ in where their atoms are.

use super::{EngineError, ShapeDifference, shape};
use crate::pack::{self, PackedBatch};
use cuda_host::{CudaError, Graph, Staged, Stream};
use shared_types::{Atom, FeatureRow, MegaFusedConfig, StructureSummary};

/// Computes batches of one shape on one device, one after another, each with one launch of a graph: frames of a trajectory,
/// or copies of a structure that were moved. It has uploads, kernels and downloads, and owns the memory that these use, on
/// the device and page-locked: a run allocates nothing there, and its results are not copied once more.
///
/// The shape is everything but where atoms are and how large, and B factors: structures and their sizes, residues and
/// their types, chains, annotations. Results have the bits that every other way of computing gives.
///
/// It pays for small batches, where queueing kernels and copies one by one takes as long as they run; large ones are done
/// sooner in parts that overlap, by [`DeviceLanes`](super::DeviceLanes).
///
/// ```
/// use cuda_host::CudaExecutor;
/// use prism_host::PackedBatch;
/// use prism_host::engine::DeviceBatch;
/// use prism_host::read::{ReadOptions, read_path};
/// use shared_types::MegaFusedConfig;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # if cuda_host::Device::count().is_err() {
/// #     return Ok(());
/// # }
/// let structure = read_path("../data/6m0j_rbd.pdb", "6m0j_rbd", &ReadOptions::default())?.structure;
/// let batch = PackedBatch::from_inputs([&structure])?;
/// let mut atoms = batch.atoms().to_vec();
///
/// let executor = CudaExecutor::open(0, "kernels", kernels_gpu::PTX)?;
/// let mut recorded = DeviceBatch::new(executor.stream(), MegaFusedConfig::default())?.record(&executor, batch)?;
/// for frame in 0..10 {
///     atoms.iter_mut().for_each(|atom| atom.x *= 1.001);
///     let computed = recorded.run_atoms(&atoms)?;
///     println!("frame {frame}: {} Å²", computed.summaries[0].area);
/// }
/// # Ok(())
/// # }
/// ```
///
/// The tests `cuda_host_gpu` run it on a device, some of them without one, with a driver that is simulated (`recorded`:
/// `every_frame_has_the_bits_that_it_has_elsewhere` and others).
#[derive(Debug)]
pub struct RecordedBatch {
    graph: Graph,
    places: Places,
    stream: Stream,
    batch: PackedBatch,
    config: MegaFusedConfig,
}

/// The page-locked memory of a graph that computes a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) atoms: Staged<Atom>,
    pub(super) bfactor: Staged<f32>,
    pub(super) rows: Staged<FeatureRow>,
    pub(super) site_ids: Staged<i32>,
    pub(super) summaries: Staged<StructureSummary>,
}

/// What was computed for a batch, where it lies.
///
/// The example of [`RecordedBatch`] has it.
#[derive(Clone, Copy, Debug)]
pub struct ComputedRef<'a> {
    /// Per residue, its features.
    pub rows: &'a [FeatureRow],
    /// Per residue, the site that it is part of, counted from 0 in its structure, or -1.
    pub site_ids: &'a [i32],
    /// One a structure.
    pub summaries: &'a [StructureSummary],
}

impl RecordedBatch {
    /// What was recorded for `batch`, which stays to be compared with.
    pub(super) fn new(
        mut graph: Graph,
        places: Places,
        stream: &Stream,
        batch: PackedBatch,
        config: MegaFusedConfig,
    ) -> Result<Self, CudaError> {
        graph.pinned_mut(&places.bfactor)?.copy_from_slice(batch.bfactor());
        Ok(Self { graph, places, stream: stream.clone(), batch, config })
    }

    /// Computes a batch of the recorded shape, and waits for it.
    ///
    /// # Errors
    /// [`EngineError::OtherShape`] where it is of another one, a kernel's panic with its structure, and those of the
    /// driver. Whatever the error, another batch may be run after it, unless the device is lost.
    pub fn run(&mut self, batch: &PackedBatch) -> Result<ComputedRef<'_>, EngineError> {
        if let Some(difference) = shape::difference(batch, &self.batch) {
            return Err(EngineError::OtherShape(difference));
        }
        self.graph.pinned_mut(&self.places.bfactor).map_err(EngineError::Cuda)?.copy_from_slice(batch.bfactor());
        self.replay(batch.atoms(), Some(batch))
    }

    /// As [`run`](Self::run), with atoms alone: all of the batch's, in its order, in Å relative to each structure's centre.
    /// B factors are those of the batch before, at first those of the recorded one.
    ///
    /// # Errors
    /// The same, and [`EngineError::Pack`] where an atom's position or radius is not finite.
    pub fn run_atoms(&mut self, atoms: &[Atom]) -> Result<ComputedRef<'_>, EngineError> {
        if atoms.len() != self.batch.n_atoms() {
            let (found, recorded) = (atoms.len(), self.batch.n_atoms());
            return Err(EngineError::OtherShape(ShapeDifference::Count { what: "atoms", found, recorded }));
        }
        pack::other_atoms(&self.batch, atoms)?;
        self.replay(atoms, None)
    }

    /// What is computed with.
    #[must_use]
    pub fn config(&self) -> MegaFusedConfig {
        self.config
    }

    /// Copies, zeroings and kernels of a run.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// `named`: whose names errors tell, where it is not the recorded batch.
    fn replay(&mut self, atoms: &[Atom], named: Option<&PackedBatch>) -> Result<ComputedRef<'_>, EngineError> {
        let Self { graph, places, stream, batch, config } = self;
        let launched = graph.pinned_mut(&places.atoms).map(|to| to.copy_from_slice(atoms));
        launched
            .and_then(|()| graph.launch(stream))
            .and_then(|()| {
                Ok(ComputedRef {
                    rows: graph.pinned(&places.rows)?,
                    site_ids: graph.pinned(&places.site_ids)?,
                    summaries: graph.pinned(&places.summaries)?,
                })
            })
            .map_err(|error| match error.kernel_panic() {
                Some(panic) => EngineError::from_panic(panic.clone(), &named.unwrap_or(batch).whole(), *config),
                None => EngineError::Cuda(error),
            })
    }
}
