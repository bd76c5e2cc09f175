//! Computes a batch so that every structure gets its features or its own error, whatever happens to the others.

use super::EngineError;
use super::batch_results::{BatchResults, Location, RunRecord};
use super::results::BatchFeatures;
use super::scheduler::{Exclusivity, Run, Scheduler};
use super::selection::Request;
use super::twins::Twins;
use crate::pack::{PackError, PackedBatch};
use prism_read::structure::StructureInput;

/// A packed batch without the invalid structures.
#[derive(Debug)]
pub struct Packed {
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

impl Packed {
    /// Packs the valid ones of `structures`.
    pub fn new(structures: &[StructureInput]) -> Self {
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

    /// Puts atoms side by side, for workers that need it.
    pub(super) fn joined(mut self) -> Self {
        if let Ok(batch) = &self.chunk.batch
            && let Err(error) = batch.join()
        {
            self.chunk.batch = Err(error);
        }
        self
    }

    /// The packed batch, unless no structure could be packed.
    pub fn batch(&self) -> Option<&PackedBatch> {
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
            Err(error) if (is_too_much(&error) || needs_fewer_suspects(&error)) && chunk.indices.len() > 1 => {
                tracing::debug!(structures = chunk.indices.len(), "{error}; halving the batch");
                if let Ok(batch) = &chunk.batch
                    && is_too_much(&error)
                {
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
    let Run { worker, features, busy } = run?;
    let record = RunRecord {
        worker,
        busy,
        times: features.times(),
        structures: batch.n_structures(),
        residues: batch.n_residues(),
        atoms: batch.n_atoms(),
    };
    Ok((features, record))
}

/// Whether a smaller chunk may show which structure is to blame: blocks that work together take one after another.
fn needs_fewer_suspects(error: &EngineError) -> bool {
    matches!(error, EngineError::UnattributedPanic(_))
}

/// Whether a smaller chunk may succeed after this failure.
fn is_too_much(error: &EngineError) -> bool {
    error.is_out_of_memory() || matches!(error, EngineError::Pack(PackError::TooLarge { .. }))
}
