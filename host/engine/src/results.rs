//! Results: on the device, of a batch in the host's memory, and of one structure.

use super::memory::Memory;
use super::on_device::{DeviceValues, ValuesMemory};
use super::pooled::{Pooled, PooledVec};
use super::selection::{Request, Selection};
use super::worker::DeviceTimes;
use super::{EngineError, StructureFeatures, hetero};
use crate::pack::{BatchChunk, PackedBatch};
use cuda_std::launch::Offsets;
use prism_read::structure::{StructureInput, needs_whole_residues};
use shared_types::{AtomPoints, Feature, FeatureRow, Group, Site, StructureSummary, site_model};
use std::ops::Range;
use std::sync::Arc;

/// The sizes of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ResultSizes {
    pub(super) structures: usize,
    pub(super) residues: usize,
    /// Number of features of a residue.
    pub(super) width: usize,
    pub(super) sites: bool,
    pub(super) atoms: usize,
    pub(super) points: bool,
    /// Whether values stay on the device.
    pub(super) on_device: bool,
}

impl ResultSizes {
    pub(super) fn of(batch: &BatchChunk<'_>, selection: &Selection) -> Self {
        let (structures, residues) = (batch.n_structures(), batch.n_residues());
        Self {
            structures,
            residues,
            width: selection.width(),
            sites: selection.has_sites(),
            atoms: batch.atom_offsets().end() as usize,
            points: selection.has_points(),
            on_device: selection.stays_on_device(),
        }
    }

    /// The sizes of the parts that the host gets from a worker with a device.
    pub(super) fn on_host(self) -> Self {
        if self.on_device { Self { width: 0, ..self } } else { self }
    }
}

/// Declares the results once: name, element, and number of elements.
macro_rules! results {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $len:expr;)*) => {
        /// The results of a batch in the host's memory.
        #[derive(Clone, Debug)]
        pub(super) struct Results {
            $($(#[$doc])* pub(super) $name: PooledVec<$type>,)*
        }

        /// The destination of the results of a part of a batch.
        #[derive(Debug)]
        pub(super) struct ResultsMut<'a> {
            $(pub(super) $name: &'a mut [$type],)*
        }

        /// The results of a batch in the memory of their worker.
        pub(super) struct DeviceResults<M: Memory> {
            $(pub(super) $name: M::Buffer<$type>,)*
        }

        impl Results {
            /// All results, to write.
            pub(super) fn as_mut(&mut self) -> ResultsMut<'_> {
                ResultsMut { $($name: &mut self.$name),* }
            }
        }

        impl<'a> ResultsMut<'a> {
            /// # Panics
            /// Reserves memory for results of these sizes, unless there is enough.
            pub fn check(&self, sizes: ResultSizes) {
                $(assert_eq!(self.$name.len(), len(sizes, $len), "room for {} of a batch", stringify!($name));)*
            }

            /// The part of these sizes, and the rest.
            pub(super) fn split_at(self, sizes: ResultSizes) -> (Self, Self) {
                $(let $name = self.$name.split_at_mut(len(sizes, $len));)*
                (Self { $($name: $name.0),* }, Self { $($name: $name.1),* })
            }
        }

        impl<M: Memory> DeviceResults<M> {
            /// No memory yet.
            pub(super) fn new(memory: &M) -> Result<Self, M::Error> {
                Ok(Self { $($name: memory.empty()?),* })
            }

            pub(super) fn reserve(&mut self, memory: &M, sizes: ResultSizes) -> Result<(), M::Error> {
                $(memory.reserve(&mut self.$name, len(sizes, $len))?;)*
                Ok(())
            }

            /// Copies all results to the host.
            pub(super) fn download(&self, memory: &M, to: ResultsMut<'_>) -> Result<(), M::Error> {
                $(memory.copy_from(&self.$name, to.$name)?;)*
                Ok(())
            }
        }

        /// A pool of memory for results. Dropped results return their memory to it, because allocating and freeing it for each batch
        /// would take half as long as computing. Cheap to clone; clones share the memory.
        #[derive(Clone, Debug, Default)]
        pub(super) struct ResultPool {
            $($name: Pooled<$type>,)*
        }

        impl ResultPool {
            /// Memory for results of these sizes. Its contents are unspecified.
            ///
            /// # Errors
            /// [`EngineError::OutOfHostMemory`].
            pub(super) fn room(&self, sizes: ResultSizes) -> Result<Results, EngineError> {
                Ok(Results { $($name: self.$name.take(len(sizes, $len))?),* })
            }

            /// The number of allocations from the system so far.
            pub(super) fn allocations(&self) -> u64 {
                0 $(+ self.$name.allocations())*
            }

            /// Frees unused memory.
            pub(super) fn trim(&self) {
                $(self.$name.trim();)*
            }
        }

        /// Calls a macro with the results' names and types.
        macro_rules! for_each_result {
            ($callback:ident) => {
                $callback! { $($name: $type, $len;)* }
            };
        }
    };
}

results! {
    /// Structure by structure, column by column, one element per residue.
    values: f32, |sizes| sizes.residues * sizes.width;
    /// Per residue, the site that it is part of, counted from 0 in its structure, or -1. Empty if sites were not requested.
    site_ids: i32, |sizes| if sizes.sites { sizes.residues } else { 0 };
    /// [`MOST_SITES`](shared_types::site_model::MOST_SITES) per structure, by decreasing score; missing ones are zero. Empty if
    /// sites were not requested.
    sites: shared_types::Site, |sizes| if sizes.sites { sizes.structures * shared_types::site_model::MOST_SITES } else { 0 };
    /// The points of each heavy atom. Empty if they were not requested.
    atom_points: shared_types::AtomPoints, |sizes| if sizes.points { sizes.atoms } else { 0 };
    /// One per structure.
    summaries: StructureSummary, |sizes| sizes.structures;
}

#[expect(clippy::single_component_path_imports, reason = "it lets other modules name the macro")]
pub(super) use for_each_result;

/// A declared length. (It gives the closures their type.)
pub(super) fn len(sizes: ResultSizes, of: impl Fn(ResultSizes) -> usize) -> usize {
    of(sizes)
}

/// The results of a whole batch.
#[derive(Clone, Debug)]
pub struct BatchFeatures {
    results: Results,
    selection: Selection,
    /// Values that stayed on a device, chunk by chunk, each with its first residue. Then there are no values in this memory.
    on_device: Vec<(usize, Arc<dyn ValuesMemory>)>,
    offsets: Arc<Offsets>,
    /// Offsets of each structure's heavy atoms, with their total; empty if points were not requested.
    atom_offsets: Vec<u32>,
    names: Arc<[String]>,
    times: Option<DeviceTimes>,
}

impl BatchFeatures {
    pub(super) fn new(results: Results, selection: &Selection, batch: &BatchChunk<'_>) -> Self {
        let (offsets, names) = (batch.shared_offsets(), batch.shared_names());
        let atom_offsets = if selection.has_points() { batch.atom_offsets().as_slice().to_vec() } else { Vec::new() };
        Self { results, selection: selection.clone(), on_device: Vec::new(), offsets, atom_offsets, names, times: None }
    }

    /// Allocates memory for the results of a batch.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn room(batch: &PackedBatch, request: &Request) -> Result<Self, EngineError> {
        let whole = batch.whole();
        let results = ResultPool::default().room(ResultSizes::of(&whole, &request.selection))?;
        Ok(Self::new(results, &request.selection, &whole))
    }

    pub(super) fn as_mut(&mut self) -> ResultsMut<'_> {
        self.results.as_mut()
    }

    /// The same, with the times of the device that computed them.
    #[must_use]
    pub fn timed(self, times: DeviceTimes) -> Self {
        Self { times: Some(times), ..self }
    }

    /// How the time of the device that computed them was divided; `None` if no device did.
    #[must_use]
    pub fn times(&self) -> Option<DeviceTimes> {
        self.times
    }

    /// Sets the values of all residues, chunk by chunk, on a device. The host's memory then has none.
    pub(super) fn set_on_device(&mut self, chunks: Vec<(usize, Arc<dyn ValuesMemory>)>) {
        self.on_device = chunks;
        self.selection = Selection::new([], self.selection.has_sites());
    }

    /// The values of structure `index` on a device, if they stayed there.
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn device_values(&self, index: usize) -> Option<DeviceValues> {
        let range = self.range(index);
        let (first, memory) = self.on_device.iter().rev().find(|(first, _)| *first <= range.start)?;
        Some(DeviceValues::new(Arc::clone(memory), range.start - first..range.end - first))
    }

    /// Number of structures.
    #[must_use]
    pub fn n_structures(&self) -> usize {
        self.results.summaries.len()
    }

    /// Number of residues.
    #[must_use]
    pub fn n_residues(&self) -> usize {
        self.offsets.end() as usize
    }

    /// The computed features.
    #[must_use]
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// All values: structure by structure, feature by feature in the order of [`Selection::features`], residue by residue.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.results.values
    }

    /// Per residue, the site that it is part of, counted from 0 in its structure, or -1. Empty if sites were not requested.
    #[must_use]
    pub fn site_ids(&self) -> &[i32] {
        &self.results.site_ids
    }

    /// A summary of each structure. Values of steps that were not requested are 0 or NaN.
    #[must_use]
    pub fn summaries(&self) -> &[StructureSummary] {
        &self.results.summaries
    }

    /// The rows of the first group, structure by structure; NaN for features that were not requested.
    #[must_use]
    pub fn rows(&self) -> Vec<FeatureRow> {
        self.iter().flat_map(|one| one.rows()).collect()
    }

    /// The results of structure `index`.
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn structure(&self, index: usize) -> StructureView<'_> {
        let range = self.range(index);
        let width = self.selection.width();
        StructureView {
            name: &self.names[index],
            selection: &self.selection,
            n_residues: range.len(),
            values: &self.results.values[range.start * width..range.end * width],
            site_ids: self.results.site_ids.get(range).unwrap_or_default(),
            sites: sites_of(&self.results.sites, index, &self.results.summaries[index]),
            atom_points: self.atom_points_of(index),
            summary: &self.results.summaries[index],
        }
    }

    /// The results of each structure.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = StructureView<'_>> {
        (0..self.n_structures()).map(|index| self.structure(index))
    }

    /// The points of a structure's atoms.
    fn atom_points_of(&self, index: usize) -> &[AtomPoints] {
        match self.atom_offsets.get(index..index + 2) {
            Some(&[first, end]) => &self.results.atom_points[first as usize..end as usize],
            _ => &[],
        }
    }

    /// Makes the features of structure `index` undefined that say nothing in its traces and hetero rows.
    pub(super) fn undefine(&mut self, index: usize, structure: &StructureInput) {
        let (range, width) = (self.range(index), self.selection.width());
        let results = &mut self.results;
        let values = results.values.get_mut(range.start * width..range.end * width).unwrap_or_default();
        let site_ids = results.site_ids.get_mut(range).unwrap_or_default();
        undefine(structure, &self.selection, values, site_ids, &mut results.summaries[index]);
    }

    fn range(&self, index: usize) -> Range<usize> {
        let offsets = self.offsets.as_slice();
        offsets[index] as usize..offsets[index + 1] as usize
    }
}

/// Makes the features that need whole residues undefined in a structure's chains of alpha carbons or backbones alone. No residue
/// there belongs to a site, and a structure of such chains has none. Describes its hetero rows.
pub(super) fn undefine(
    structure: &StructureInput,
    selection: &Selection,
    values: &mut [f32],
    site_ids: &mut [i32],
    summary: &mut StructureSummary,
) {
    if !structure.hetero_rows.is_empty() {
        hetero::describe(structure, selection, values, site_ids);
    }
    let rows: Vec<usize> = (0..structure.n_rows()).filter(|&row| structure.is_in_trace(row)).collect();
    let residues = structure.n_residues();
    if !values.is_empty() {
        let features = selection.features().iter().enumerate();
        for (place, _) in features.filter(|(_, feature)| needs_whole_residues(feature)) {
            rows.iter().for_each(|row| values[place * residues + row] = f32::NAN);
        }
    }
    if !site_ids.is_empty() {
        rows.iter().for_each(|&row| site_ids[row] = -1);
    }
    if !rows.is_empty() {
        summary.area = f32::NAN;
    }
    if rows.len() == structure.n_rows() {
        summary.sites = 0;
    }
}

/// The sites of structure `index`.
pub(super) fn sites_of<'a>(all: &'a [Site], index: usize, summary: &StructureSummary) -> &'a [Site] {
    let first = index * site_model::MOST_SITES;
    let own = all.get(first..first + site_model::MOST_SITES).unwrap_or_default();
    &own[..own.len().min(summary.sites as usize)]
}

/// The results of one structure, borrowed.
///
/// ```
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine, PackedBatch};
/// use shared_types::{FEATURES, feature::column};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let batch = PackedBatch::from_inputs([&rbd])?;
/// let features = Engine::builder().backend(Backend::Cpu).build()?.run_batch(&batch)?;
/// let view = features.structure(0);
/// assert_eq!((view.name, view.n_residues, view.site_ids.len(), view.summary.residues), ("rbd", 194, 194, 194));
/// let sasa = FEATURES.iter().find(|feature| feature.name == "sasa").expect("a feature");
/// let areas = view.feature(sasa).expect("one that is computed");
/// assert_eq!(areas[7], view.rows()[7].columns[column::SASA]);
/// assert_eq!(view.named("ca_x").map(<[f32]>::len), Some(194));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StructureView<'a> {
    /// Its name.
    pub name: &'a str,
    /// The computed features.
    pub selection: &'a Selection,
    /// Number of residues.
    pub n_residues: usize,
    /// Feature by feature in the order of [`Selection::features`], residue by residue within each.
    pub values: &'a [f32],
    /// For every residue, the site that it is part of, counted from 0, or -1; empty if sites were not requested.
    pub site_ids: &'a [i32],
    /// Its sites by decreasing score; empty if they were not requested.
    pub sites: &'a [Site],
    /// The points of each of its heavy atoms; empty if they were not requested.
    pub atom_points: &'a [AtomPoints],
    /// The summary of the structure.
    pub summary: &'a StructureSummary,
}

impl<'a> StructureView<'a> {
    /// One feature of every residue, NaN if undefined; `None` if it was not requested.
    #[must_use]
    pub fn feature(&self, feature: &Feature) -> Option<&'a [f32]> {
        self.selection.place(feature).map(|place| self.at(place))
    }

    /// The feature of this name for every residue.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&'a [f32]> {
        self.selection.features().iter().position(|feature| feature.name == name).map(|place| self.at(place))
    }

    /// The feature at an index of the selection.
    ///
    /// # Panics
    /// If there is no such index.
    #[must_use]
    pub fn at(&self, place: usize) -> &'a [f32] {
        &self.values[place * self.n_residues..(place + 1) * self.n_residues]
    }

    /// The rows of the first group; NaN for features that were not requested.
    #[must_use]
    pub fn rows(&self) -> Vec<FeatureRow> {
        let mut rows = vec![FeatureRow { columns: [f32::NAN; Group::Residue.width()] }; self.n_residues];
        for place in self.selection.of_group(Group::Residue) {
            let column = self.selection.features()[place].column;
            for (row, value) in rows.iter_mut().zip(self.at(place)) {
                row.columns[column] = *value;
            }
        }
        rows
    }

    /// An owned copy.
    #[must_use]
    pub fn to_owned(&self) -> StructureFeatures {
        StructureFeatures {
            name: self.name.to_owned(),
            selection: self.selection.clone(),
            values: self.values.to_vec(),
            site_ids: self.site_ids.to_vec(),
            sites: self.sites.to_vec(),
            atom_points: self.atom_points.to_vec(),
            summary: *self.summary,
            n_residues: self.n_residues,
        }
    }
}
