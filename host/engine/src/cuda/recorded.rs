//! A batch as one CUDA graph, for batches that differ only in the positions of their atoms.

use super::engine_error;
use super::memory::DeviceMemory;
use crate::batch_sizes::BatchSizes;
use crate::pack::{self, PackedBatch};
use crate::results::{DeviceResults, ResultSizes, for_each_result, len, sites_of};
use crate::selection::Request;
use crate::{EngineError, ShapeDifference, StructureView, shape};
use cuda_host::{Context, CudaError, Graph, PinnedBuffer, Recorder, Staged, Stream};
use shared_types::{Atom, AtomPoints, Site, StructureSummary};

/// Computes batches of one shape on one device, one after another, each with one launch of a graph. Such batches are frames of a
/// trajectory, or moved copies of a structure. The graph has uploads, kernels and downloads, and owns their memory, on the device
/// and page-locked. So a run allocates nothing there, and its results are not copied again.
///
/// The shape is everything but atoms' positions and radii, and B factors: structures and their sizes, residues and their types,
/// chains, annotations. Results have the same bits as on every other path.
///
/// It pays for small batches, where queueing kernels and copies one by one takes as long as running them.
/// [`DeviceSlots`](super::DeviceSlots) finishes large batches sooner, in overlapping chunks.
///
/// ```
/// use cuda_host::CudaExecutor;
/// use prism_engine::PackedBatch;
/// use prism_engine::DeviceBatch;
/// use prism_read::{ReadOptions, read_path};
/// use shared_types::MegaFusedConfig;
///
/// # if cuda_host::Device::count().is_err() { return Ok(()); }
/// let structure = read_path("../../data/6m0j_rbd.pdb", "6m0j_rbd", &ReadOptions::default())?.structure;
/// let batch = PackedBatch::from_inputs([&structure])?;
/// let mut atoms = batch.atoms().to_vec();
///
/// let executor = CudaExecutor::open(0, "kernels", prism_engine::kernel_image())?;
/// let mut recorded = DeviceBatch::new(executor.stream(), MegaFusedConfig::default())?.record(&executor, batch)?;
/// for frame in 0..10 {
///     atoms.iter_mut().for_each(|atom| atom.x *= 1.001);
///     let computed = recorded.run_atoms(&atoms)?;
///     println!("frame {frame}: {} Å²", computed.structure(0).summary.area);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The tests of `cuda_host_gpu` run it on a device. Some of them use a simulated driver instead (`recorded`:
/// `every_frame_has_the_bits_that_it_has_elsewhere` and others).
#[derive(Debug)]
pub struct RecordedBatch {
    graph: Graph,
    frame: Frame,
    stream: Stream,
    batch: PackedBatch,
    request: Request,
    sizes: BatchSizes,
}

/// The page-locked memory of a graph that computes a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) atoms: Staged<Atom>,
    pub(super) bfactor: Staged<f32>,
    pub(super) results: OwnedResults,
}

macro_rules! staged_results {
    ($($name:ident: $type:ty, $len:expr;)*) => {
        /// Page-locked memory for results.
        pub(super) struct StagedResults {
            sizes: ResultSizes,
            $($name: PinnedBuffer<$type>,)*
        }

        /// The same memory after the graph has taken it.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct OwnedResults {
            sizes: ResultSizes,
            $($name: Staged<$type>,)*
        }

        /// The results in this memory.
        struct ResultsRef<'a> {
            $($name: &'a [$type],)*
        }

        impl StagedResults {
            pub(super) fn new(context: &Context, sizes: ResultSizes) -> Result<Self, CudaError> {
                Ok(Self { sizes, $($name: PinnedBuffer::zeroed(context, len(sizes, $len))?,)* })
            }

            pub(super) fn owned_by(self, recorder: &Recorder) -> OwnedResults {
                OwnedResults { sizes: self.sizes, $($name: recorder.own(self.$name),)* }
            }
        }

        impl OwnedResults {
            pub(super) fn download(
                &self,
                recorder: &Recorder,
                from: &DeviceResults<DeviceMemory>,
            ) -> Result<(), CudaError> {
                $(recorder.download(from.$name.slice(..len(self.sizes, $len))?, &self.$name)?;)*
                Ok(())
            }

            fn of<'a>(&self, graph: &'a Graph) -> Result<ResultsRef<'a>, CudaError> {
                Ok(ResultsRef { $($name: graph.pinned(&self.$name)?,)* })
            }
        }
    };
}

for_each_result!(staged_results);

/// The results of a batch, in the memory of the graph.
#[derive(Clone, Copy, Debug)]
pub struct RecordedFeatures<'a> {
    /// Structure by structure, feature by feature in the order of [`Selection::features`](crate::Selection::features),
    /// residue by residue.
    pub values: &'a [f32],
    /// Per residue, the site that it is part of, counted from 0 in its structure, or -1. Empty if sites were not requested.
    pub site_ids: &'a [i32],
    /// [`MOST_SITES`](shared_types::site_model::MOST_SITES) per structure, by decreasing score. Missing ones are zero.
    pub sites: &'a [Site],
    /// The points of each heavy atom. Empty if they were not requested.
    pub atom_points: &'a [AtomPoints],
    /// One per structure.
    pub summaries: &'a [StructureSummary],
    batch: &'a PackedBatch,
    request: &'a Request,
}

impl<'a> RecordedFeatures<'a> {
    /// The results of structure `index`.
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn structure(&self, index: usize) -> StructureView<'a> {
        let offsets = self.batch.residue_offsets().as_slice();
        let (begin, end) = (offsets[index] as usize, offsets[index + 1] as usize);
        let width = self.request.selection.width();
        StructureView {
            name: &self.batch.names()[index],
            selection: &self.request.selection,
            n_residues: end - begin,
            values: &self.values[begin * width..end * width],
            site_ids: self.site_ids.get(begin..end).unwrap_or_default(),
            sites: sites_of(self.sites, index, &self.summaries[index]),
            atom_points: match self.batch.whole().atom_offsets().as_slice()[index..] {
                [first, end, ..] => self.atom_points.get(first as usize..end as usize).unwrap_or_default(),
                _ => &[],
            },
            summary: &self.summaries[index],
        }
    }
}

impl RecordedBatch {
    /// A recording for `batch`, which is kept for comparison.
    pub(super) fn new(
        mut graph: Graph,
        frame: Frame,
        stream: &Stream,
        batch: PackedBatch,
        request: Request,
        sizes: BatchSizes,
    ) -> Result<Self, CudaError> {
        graph.pinned_mut(&frame.bfactor)?.copy_from_slice(batch.bfactor());
        Ok(Self { graph, frame, stream: stream.clone(), batch, request, sizes })
    }

    /// Computes a batch of the recorded shape, and waits for it.
    ///
    /// # Errors
    /// [`EngineError::OtherShape`] if the batch has another shape; a kernel's panic, with its structure; and those of the driver.
    /// After any error another batch may run, unless the device is lost.
    pub fn run(&mut self, batch: &PackedBatch) -> Result<RecordedFeatures<'_>, EngineError> {
        if let Some(difference) = shape::difference(batch, &self.batch) {
            return Err(EngineError::OtherShape(difference));
        }
        self.graph
            .pinned_mut(&self.frame.bfactor)
            .map_err(|error| EngineError::Device(error.into()))?
            .copy_from_slice(batch.bfactor());
        self.replay(batch.atoms(), Some(batch))
    }

    /// As [`run`](Self::run), with new atoms only: all of the batch's, in its order, in Å relative to each structure's centre. B
    /// factors are those of the previous batch, and at first those of the recorded one.
    ///
    /// # Errors
    /// The same, and [`EngineError::Pack`] if an atom's position or radius is not finite.
    pub fn run_atoms(&mut self, atoms: &[Atom]) -> Result<RecordedFeatures<'_>, EngineError> {
        if atoms.len() != self.batch.n_atoms() {
            let (found, recorded) = (atoms.len(), self.batch.n_atoms());
            return Err(EngineError::OtherShape(ShapeDifference::Count { what: "atoms", found, recorded }));
        }
        pack::other_atoms(&self.batch, atoms)?;
        self.replay(atoms, None)
    }

    /// What is computed.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The number of copies, memsets and kernels of a run.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// Errors take structures' names from `named`, or from the recorded batch if it is `None`.
    fn replay(&mut self, atoms: &[Atom], named: Option<&PackedBatch>) -> Result<RecordedFeatures<'_>, EngineError> {
        let Self { graph, frame, stream, batch, request, sizes } = self;
        let launched = graph.pinned_mut(&frame.atoms).map(|to| to.copy_from_slice(atoms));
        let results = launched.and_then(|()| graph.launch(stream)).and_then(|()| frame.results.of(graph));
        let ResultsRef { values, site_ids, sites, atom_points, summaries } =
            results.map_err(|error| engine_error(error, &named.unwrap_or(batch).whole(), sizes))?;
        Ok(RecordedFeatures { values, site_ids, sites, atom_points, summaries, batch, request })
    }
}
