//! Every structure of a batch gets its features or an error of its own, whatever happens to the others.

use super::EngineError;
use super::results::{BatchFeatures, StructureView};
use super::selection::Request;
use super::worker::DeviceTimes;
use super::workers::{Exclusivity, Run, Workers};
use crate::pack::{PackError, PackedBatch};
use crate::structure::StructureInput;
use std::time::Duration;

/// Structures side by side, those left out that are not valid.
#[derive(Debug)]
pub(crate) struct Packed {
    part: Part,
    refused: Vec<(usize, EngineError)>,
}

/// Some structures of a batch.
#[derive(Debug)]
struct Part {
    /// Their places in the batch, rising.
    places: Vec<usize>,
    batch: Result<PackedBatch, PackError>,
}

/// What the structures of a batch got, in their order: features, or an error.
///
/// The example of [`pipeline::Computed`](crate::pipeline::Computed) reads some.
#[derive(Debug)]
pub struct BatchResults {
    parts: Vec<BatchFeatures>,
    places: Vec<Result<Place, EngineError>>,
    runs: Vec<RunRecord>,
    halvings: u64,
}

/// Where a structure's features are.
#[derive(Clone, Copy, Debug)]
struct Place {
    part: usize,
    index: usize,
}

/// One computation of some structures: by whom, and how much it was.
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
    /// Packs what is valid of `structures`.
    pub(crate) fn new(structures: &[StructureInput]) -> Self {
        let part = Part::new(structures, (0..structures.len()).collect());
        if !matches!(part.batch, Err(PackError::Structure { .. })) {
            return Self { part, refused: Vec::new() };
        }
        let (mut places, mut refused) = (Vec::new(), Vec::new());
        for (index, structure) in structures.iter().enumerate() {
            match structure.validate() {
                Ok(()) => places.push(index),
                Err(source) => refused.push((index, PackError::Structure { index, source }.into())),
            }
        }
        Self { part: Part::new(structures, places), refused }
    }

    /// The structures side by side, unless none could be packed.
    pub(crate) fn batch(&self) -> Option<&PackedBatch> {
        self.part.batch.as_ref().ok()
    }
}

impl Part {
    fn new(structures: &[StructureInput], places: Vec<usize>) -> Self {
        let batch = PackedBatch::from_inputs(places.iter().map(|&place| &structures[place]));
        Self { places, batch }
    }

    /// The same structures in parts of at most so many atoms, or of one structure.
    fn chunks(self, structures: &[StructureInput], most_atoms: usize) -> Vec<Self> {
        let sizes = self.places.iter().map(|&place| super::size_of(&structures[place]));
        let ranges = super::plan::batches(sizes, most_atoms);
        drop(self.batch);
        ranges.into_iter().map(|range| Self::new(structures, self.places[range].to_vec())).collect()
    }

    /// The same structures in two parts of about as many atoms.
    fn halves(self, structures: &[StructureInput]) -> [Self; 2] {
        let mut places = self.places;
        let atoms: usize = places.iter().map(|&place| structures[place].n_atoms()).sum();
        let mut before = 0;
        let in_first = |&&place: &&usize| {
            before += structures[place].n_atoms();
            2 * before <= atoms
        };
        let middle = places.iter().take_while(in_first).count();
        let second = places.split_off(middle.clamp(1, places.len() - 1));
        // What did not fit is freed first.
        drop(self.batch);
        [Self::new(structures, places), Self::new(structures, second)]
    }
}

/// Computes `packed`, which was made of `structures`. A part that does not fit in memory is halved; a structure that is
/// to blame gets its error, and the others are computed again without it.
///
/// # Errors
/// What stopped the backend and is no structure's fault.
pub(super) fn compute(
    workers: &Workers,
    request: &Request,
    structures: &[StructureInput],
    packed: Packed,
) -> Result<BatchResults, EngineError> {
    let mut places: Vec<Option<Result<Place, EngineError>>> = structures.iter().map(|_| None).collect();
    for (place, error) in packed.refused {
        places[place] = Some(Err(error));
    }
    workers.expect(structures.iter().map(StructureInput::n_atoms).sum());
    let mut results = BatchResults { parts: Vec::new(), places: Vec::new(), runs: Vec::new(), halvings: 0 };
    let mut parts = vec![packed.part];
    while let Some(part) = parts.pop() {
        if part.places.is_empty() {
            continue;
        }
        if part.places.len() > 1 && part.batch.as_ref().is_ok_and(|batch| workers.is_too_large(batch.n_atoms())) {
            results.halvings += 1;
            parts.extend(part.halves(structures).into_iter().rev());
            continue;
        }
        if let Some(most) = workers.chunk_atoms()
            && part.places.len() > 1
            && part.batch.as_ref().is_ok_and(|batch| batch.n_atoms() > most)
        {
            parts.extend(part.chunks(structures, most).into_iter().rev());
            continue;
        }
        match run(workers, request, &part) {
            Ok((features, record)) => {
                for (index, &place) in part.places.iter().enumerate() {
                    places[place] = Some(Ok(Place { part: results.parts.len(), index }));
                }
                results.parts.push(features);
                results.runs.push(record);
            }
            Err(error) if is_too_much(&error) && part.places.len() > 1 => {
                tracing::debug!(structures = part.places.len(), "{error}; halving the batch");
                if let Ok(batch) = &part.batch {
                    workers.ran_out(batch.n_atoms());
                }
                results.halvings += 1;
                parts.extend(part.halves(structures).into_iter().rev());
            }
            Err(error) if error.is_out_of_memory() => {
                let place = part.places[0];
                places[place] = Some(Err(EngineError::does_not_fit(place, &structures[place], error)));
            }
            Err(error) => match error.structure_index().filter(|&index| index < part.places.len()) {
                Some(index) => {
                    let mut rest = part.places;
                    let place = rest.remove(index);
                    places[place] = Some(Err(error.shifted(place - index)));
                    parts.push(Part::new(structures, rest));
                }
                None => return Err(error),
            },
        }
    }
    results.places = places.into_iter().flatten().collect();
    Ok(results)
}

/// One try, two for a single structure that finds no room beside others.
fn run(workers: &Workers, request: &Request, part: &Part) -> Result<(BatchFeatures, RunRecord), EngineError> {
    let batch = part.batch.as_ref().map_err(|error| EngineError::Pack(error.clone()))?;
    let run = match workers.run(batch, request, Exclusivity::Shared) {
        Err(error) if error.is_out_of_memory() && part.places.len() == 1 => {
            tracing::debug!("{error}; once more, alone");
            workers.run(batch, request, Exclusivity::Alone)
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

/// Whether fewer structures may be computed where so many were not.
fn is_too_much(error: &EngineError) -> bool {
    error.is_out_of_memory() || matches!(error, EngineError::Pack(PackError::TooLarge { .. }))
}

impl BatchResults {
    /// Number of structures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no structure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// What structure `index` of the batch got.
    ///
    /// # Errors
    /// Its own, where it could not be computed.
    ///
    /// # Panics
    /// Where there is no such structure.
    pub fn get(&self, index: usize) -> Result<StructureView<'_>, &EngineError> {
        self.places[index].as_ref().map(|place| self.features(*place))
    }

    /// What each structure got.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<StructureView<'_>, &EngineError>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The same, errors by value.
    pub(super) fn into_each(mut self) -> Vec<Result<super::StructureFeatures, EngineError>> {
        let places = std::mem::take(&mut self.places);
        let owned = |place: Place| self.features(place).to_owned();
        places.into_iter().map(|place| place.map(owned)).collect()
    }

    /// Who computed how much; failed tries are left out.
    pub(crate) fn runs(&self) -> &[RunRecord] {
        &self.runs
    }

    /// How often a part did not fit.
    pub(crate) fn halvings(&self) -> u64 {
        self.halvings
    }

    fn features(&self, Place { part, index }: Place) -> StructureView<'_> {
        self.parts[part].structure(index)
    }
}
