//! Computes a batch so that every structure gets its features or its own error, whatever happens to the others.

use super::EngineError;
use super::StructureFeatures;
use super::on_device::DeviceValues;
use super::results::{BatchFeatures, StructureView};
use super::scheduler::{Exclusivity, Run, Scheduler};
use super::selection::Request;
use super::twins::Twins;
use super::worker::DeviceTimes;
use crate::pack::{PackError, PackedBatch};
use crate::structure::StructureInput;
use std::time::Duration;

/// A packed batch without the invalid structures.
#[derive(Debug)]
pub(crate) struct Packed {
    chunk: Chunk,
    refused: Vec<(usize, EngineError)>,
}

/// Some structures of a batch.
#[derive(Debug)]
struct Chunk {
    /// Their indices in the batch, in increasing order.
    indices: Vec<usize>,
    batch: Result<PackedBatch, PackError>,
}

/// The results of a batch, in the order of its structures: features or an error for each.
#[derive(Debug, Default)]
pub struct BatchResults {
    chunks: Vec<BatchFeatures>,
    /// Results combined from several computations.
    merged: Vec<StructureFeatures>,
    locations: Vec<Result<Location, EngineError>>,
    runs: Vec<RunRecord>,
    halvings: u64,
}

/// The location of a structure's features.
#[derive(Clone, Copy, Debug)]
enum Location {
    Chunk { chunk: usize, index: usize },
    Merged(usize),
}

/// One computation of some structures: its worker and its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunRecord {
    pub(crate) worker: usize,
    pub(crate) busy: Duration,
    pub(crate) times: Option<DeviceTimes>,
    pub(crate) structures: usize,
    pub(crate) residues: usize,
    pub(crate) atoms: usize,
}

impl Packed {
    /// Packs the valid ones of `structures`.
    pub(crate) fn new(structures: &[StructureInput]) -> Self {
        let chunk = Chunk::new(structures, (0..structures.len()).collect());
        if !matches!(chunk.batch, Err(PackError::Structure { .. })) {
            return Self { chunk, refused: Vec::new() };
        }
        let (mut indices, mut refused) = (Vec::new(), Vec::new());
        for (index, structure) in structures.iter().enumerate() {
            match structure.validate() {
                Ok(()) => indices.push(index),
                Err(source) => refused.push((index, PackError::Structure { index, source }.into())),
            }
        }
        Self { chunk: Chunk::new(structures, indices), refused }
    }

    /// The packed batch, unless no structure could be packed.
    pub(crate) fn batch(&self) -> Option<&PackedBatch> {
        self.chunk.batch.as_ref().ok()
    }
}

impl Chunk {
    fn new(structures: &[StructureInput], indices: Vec<usize>) -> Self {
        let batch = PackedBatch::from_inputs(indices.iter().map(|&index| &structures[index]));
        Self { indices, batch }
    }

    /// Cuts the structures into chunks of at most `most_atoms` atoms; a larger structure gets a chunk of its own.
    fn chunks(self, structures: &[StructureInput], most_atoms: usize) -> Vec<Self> {
        let sizes = self.indices.iter().map(|&index| super::size_of(&structures[index]));
        let ranges = super::plan::batches(sizes, most_atoms);
        drop(self.batch);
        ranges.into_iter().map(|range| Self::new(structures, self.indices[range].to_vec())).collect()
    }

    /// Halves the chunk by atoms.
    fn halves(self, structures: &[StructureInput]) -> [Self; 2] {
        let mut indices = self.indices;
        let atoms: usize = indices.iter().map(|&index| structures[index].n_atoms()).sum();
        let mut before = 0;
        let in_first = |&&index: &&usize| {
            before += structures[index].n_atoms();
            2 * before <= atoms
        };
        let middle = indices.iter().take_while(in_first).count();
        let second = indices.split_off(middle.clamp(1, indices.len() - 1));
        // Frees the batch that did not fit first.
        drop(self.batch);
        [Self::new(structures, indices), Self::new(structures, second)]
    }
}

/// Computes `packed`, which was made from `structures`. Structures that differ only in annotations share a computation of
/// their geometry.
///
/// # Errors
/// An error that stopped the backend and was not caused by a structure.
pub(super) fn compute(
    scheduler: &Scheduler,
    request: &Request,
    structures: &[StructureInput],
    packed: Packed,
) -> Result<BatchResults, EngineError> {
    scheduler.expect(structures.iter().map(StructureInput::n_atoms).sum());
    let twins = if packed.refused.is_empty() { Twins::of(request, structures) } else { None };
    if let Some(twins) = twins {
        let firsts = Packed { chunk: Chunk::new(structures, twins.firsts.clone()), refused: Vec::new() };
        let geometry = each(scheduler, &twins.geometry, structures, firsts)?;
        let of_annotations = |request| each(scheduler, request, structures, packed);
        let annotated = twins.annotated.as_ref().map(of_annotations).transpose()?;
        if geometry.has_errors() || annotated.as_ref().is_some_and(BatchResults::has_errors) {
            // Computes again without sharing, so that each structure gets its own error.
            return each(scheduler, request, structures, Packed::new(structures));
        }
        let merged = twins.merged(request, structures, &geometry, annotated.as_ref());
        return Ok(BatchResults::of_twins(structures, merged, geometry, annotated));
    }
    each(scheduler, request, structures, packed)
}

/// Computes `packed`, which was made from some of `structures`. A chunk that does not fit in memory is halved. A structure that
/// causes an error gets it, and the others are computed again without it. Results are in the order of `structures`.
///
/// # Errors
/// An error that stopped the backend and was not caused by a structure.
fn each(
    scheduler: &Scheduler,
    request: &Request,
    structures: &[StructureInput],
    packed: Packed,
) -> Result<BatchResults, EngineError> {
    let mut locations: Vec<Option<Result<Location, EngineError>>> = structures.iter().map(|_| None).collect();
    for (index, error) in packed.refused {
        locations[index] = Some(Err(error));
    }
    let mut results = BatchResults::default();
    let mut chunks = vec![packed.chunk];
    while let Some(chunk) = chunks.pop() {
        if chunk.indices.is_empty() {
            continue;
        }
        if chunk.indices.len() > 1 && chunk.batch.as_ref().is_ok_and(|batch| scheduler.is_too_large(batch.n_atoms())) {
            results.halvings += 1;
            chunks.extend(chunk.halves(structures).into_iter().rev());
            continue;
        }
        if let Some(most) = scheduler.chunk_atoms()
            && chunk.indices.len() > 1
            && chunk.batch.as_ref().is_ok_and(|batch| batch.n_atoms() > most)
        {
            chunks.extend(chunk.chunks(structures, most).into_iter().rev());
            continue;
        }
        match run(scheduler, request, &chunk) {
            Ok((features, record)) => {
                for (index, &structure) in chunk.indices.iter().enumerate() {
                    locations[structure] = Some(Ok(Location::Chunk { chunk: results.chunks.len(), index }));
                }
                results.chunks.push(features);
                results.runs.push(record);
            }
            Err(error) if is_too_much(&error) && chunk.indices.len() > 1 => {
                tracing::debug!(structures = chunk.indices.len(), "{error}; halving the batch");
                if let Ok(batch) = &chunk.batch {
                    scheduler.ran_out(batch.n_atoms());
                }
                results.halvings += 1;
                chunks.extend(chunk.halves(structures).into_iter().rev());
            }
            Err(error) if error.is_out_of_memory() => {
                let index = chunk.indices[0];
                locations[index] = Some(Err(EngineError::does_not_fit(index, &structures[index], error)));
            }
            Err(error) => match error.structure_index().filter(|&index| index < chunk.indices.len()) {
                Some(index) => {
                    let mut rest = chunk.indices;
                    let structure = rest.remove(index);
                    locations[structure] = Some(Err(error.shifted(structure - index)));
                    chunks.push(Chunk::new(structures, rest));
                }
                None => return Err(error),
            },
        }
    }
    results.locations = locations.into_iter().flatten().collect();
    Ok(results)
}

/// Computes a chunk. A single structure that does not fit beside other work is tried twice.
fn run(scheduler: &Scheduler, request: &Request, chunk: &Chunk) -> Result<(BatchFeatures, RunRecord), EngineError> {
    let batch = chunk.batch.as_ref().map_err(|error| EngineError::Pack(error.clone()))?;
    let run = match scheduler.run(batch, request, Exclusivity::Shared) {
        Err(error) if error.is_out_of_memory() && chunk.indices.len() == 1 => {
            tracing::debug!("{error}; once more, alone");
            scheduler.run(batch, request, Exclusivity::Alone)
        }
        other => other,
    };
    let Run { worker, computation, busy } = run?;
    let record = RunRecord {
        worker,
        busy,
        times: computation.times,
        structures: batch.n_structures(),
        residues: batch.n_residues(),
        atoms: batch.n_atoms(),
    };
    Ok((computation.features, record))
}

/// Whether a smaller chunk may succeed after this failure.
fn is_too_much(error: &EngineError) -> bool {
    error.is_out_of_memory() || matches!(error, EngineError::Pack(PackError::TooLarge { .. }))
}

impl BatchResults {
    /// The combined results of twins. Every structure counts as computed once, by the first worker that computed geometries.
    fn of_twins(
        structures: &[StructureInput],
        merged: Vec<StructureFeatures>,
        geometry: Self,
        annotated: Option<Self>,
    ) -> Self {
        let mut all = Self {
            locations: (0..merged.len()).map(|index| Ok(Location::Merged(index))).collect(),
            merged,
            ..Self::default()
        };
        for part in [Some(geometry), annotated].into_iter().flatten() {
            all.halvings += part.halvings;
            all.runs.extend(part.runs.iter().map(|run| RunRecord { structures: 0, residues: 0, atoms: 0, ..*run }));
        }
        if let Some(first) = all.runs.first_mut() {
            first.structures = structures.len();
            first.residues = structures.iter().map(StructureInput::n_residues).sum();
            first.atoms = structures.iter().map(StructureInput::n_atoms).sum();
        }
        all
    }

    fn has_errors(&self) -> bool {
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
    pub(super) fn into_each(mut self) -> Vec<Result<super::StructureFeatures, EngineError>> {
        let locations = std::mem::take(&mut self.locations);
        let owned = |index: Location| self.features(index).to_owned();
        locations.into_iter().map(|index| index.map(owned)).collect()
    }

    /// The computations, without failed attempts.
    pub(crate) fn runs(&self) -> &[RunRecord] {
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
    pub(crate) fn halvings(&self) -> u64 {
        self.halvings
    }

    fn features(&self, location: Location) -> StructureView<'_> {
        match location {
            Location::Chunk { chunk, index } => self.chunks[chunk].structure(index),
            Location::Merged(index) => self.merged[index].view(),
        }
    }
}
