//! The results of a batch: features or an error for each structure, and what computed them.

use super::on_device::DeviceValues;
use super::results::{BatchFeatures, StructureView, undefine};
use super::worker::DeviceTimes;
use super::{EngineError, StructureFeatures};
use prism_read::structure::StructureInput;
use std::time::Duration;

/// The results of a batch, in the order of its structures: features or an error for each.
#[derive(Debug, Default)]
pub struct BatchResults {
    pub(super) chunks: Vec<BatchFeatures>,
    /// Results combined from several computations.
    merged: Vec<StructureFeatures>,
    pub(super) locations: Vec<Result<Location, EngineError>>,
    pub(super) runs: Vec<RunRecord>,
    pub(super) halvings: u64,
}

/// The location of a structure's features.
#[derive(Clone, Copy, Debug)]
pub(super) enum Location {
    Chunk { chunk: usize, index: usize },
    Merged(usize),
}

/// One computation of some structures: its worker and its size.
#[derive(Clone, Copy, Debug)]
pub struct RunRecord {
    /// The index of the worker.
    pub worker: usize,
    /// How long it was busy.
    pub busy: Duration,
    /// The device's times, if it was a device.
    pub times: Option<DeviceTimes>,
    /// Structures computed.
    pub structures: usize,
    /// Their residues.
    pub residues: usize,
    /// Their atoms.
    pub atoms: usize,
}

/// Whether values of a structure's residues are set after kernels, which takes the host's memory.
pub(super) fn needs_host(structure: &StructureInput) -> bool {
    !structure.traces.is_empty() || !structure.hetero_rows.is_empty()
}

/// Results of structures that were computed before, in their order.
impl From<Vec<StructureFeatures>> for BatchResults {
    fn from(merged: Vec<StructureFeatures>) -> Self {
        let locations = (0..merged.len()).map(|index| Ok(Location::Merged(index))).collect();
        Self { locations, merged, ..Self::default() }
    }
}

impl BatchResults {
    /// The combined results of twins. Every structure counts as computed once, by the first worker that computed geometries.
    pub(super) fn of_twins(
        structures: &[StructureInput],
        merged: Vec<StructureFeatures>,
        geometry: Self,
        annotated: Option<Self>,
    ) -> Self {
        let mut all = Self::from(merged);
        for part in [Some(geometry), annotated].into_iter().flatten() {
            all.halvings += part.halvings;
            all.runs.extend(part.runs.iter().map(|run| RunRecord { structures: 0, residues: 0, atoms: 0, ..*run }));
        }
        if let Some(first) = all.runs.first_mut() {
            first.structures = structures.len();
            first.residues = structures.iter().map(|one| one.n_residues()).sum();
            first.atoms = structures.iter().map(StructureInput::n_atoms).sum();
        }
        all
    }

    /// Makes features undefined that residues lack the atoms for, and describes hetero rows. No values are on a device.
    pub(super) fn undefine(&mut self, structures: &[StructureInput]) {
        for (index, structure) in structures.iter().enumerate().filter(|(_, one)| needs_host(one)) {
            match self.locations[index] {
                Ok(Location::Chunk { chunk, index }) => self.chunks[chunk].undefine(index, structure),
                Ok(Location::Merged(index)) => {
                    let StructureFeatures { selection, values, site_ids, summary, .. } = &mut self.merged[index];
                    undefine(structure, selection, values, site_ids, summary);
                    if summary.sites == 0 {
                        self.merged[index].sites.clear();
                    }
                }
                Err(_) => {}
            }
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.locations.iter().any(Result::is_err)
    }

    /// Number of structures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Whether there is no structure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// The result of structure `index` of the batch.
    ///
    /// # Errors
    /// The structure's own, if it could not be computed.
    ///
    /// # Panics
    /// If there is no such structure.
    pub fn get(&self, index: usize) -> Result<StructureView<'_>, &EngineError> {
        self.locations[index].as_ref().map(|index| self.features(*index))
    }

    /// The values of structure `index` on a device, if they stayed there:
    /// [`Selection::on_device`](super::Selection::on_device).
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn device_values(&self, index: usize) -> Option<DeviceValues> {
        match *self.locations[index].as_ref().ok()? {
            Location::Chunk { chunk, index } => self.chunks[chunk].device_values(index),
            Location::Merged(_) => None,
        }
    }

    /// The result of each structure.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<StructureView<'_>, &EngineError>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The same, with errors by value.
    pub(super) fn into_each(mut self) -> Vec<Result<StructureFeatures, EngineError>> {
        let locations = std::mem::take(&mut self.locations);
        let owned = |index: Location| self.features(index).to_owned();
        locations.into_iter().map(|index| index.map(owned)).collect()
    }

    /// The computations, without failed attempts.
    pub fn runs(&self) -> &[RunRecord] {
        &self.runs
    }

    /// The device's times for the batch, summed over its chunks; `None` if no device computed any.
    #[must_use]
    pub fn device_times(&self) -> Option<DeviceTimes> {
        self.runs.iter().filter_map(|run| run.times).reduce(|mut all, times| {
            all += times;
            all
        })
    }

    /// The number of chunks that did not fit in memory.
    pub fn halvings(&self) -> u64 {
        self.halvings
    }

    fn features(&self, location: Location) -> StructureView<'_> {
        match location {
            Location::Chunk { chunk, index } => self.chunks[chunk].structure(index),
            Location::Merged(index) => self.merged[index].view(),
        }
    }
}
