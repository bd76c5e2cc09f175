//! Reading inputs, many at a time, into batches.

use prism_host::annotations::Annotations;
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::read::{ReadOptions, read_path};
use prism_host::structure::StructureInput;
use rayon::prelude::*;

/// What became of one input.
pub enum Outcome {
    /// It is the batch's next structure.
    Read {
        /// What is odd about it.
        warnings: Vec<String>,
    },
    /// It cannot be read.
    Failed(InputFailure),
}

/// Structures to compute at once.
#[derive(Default)]
pub struct Batch {
    /// Those that could be read.
    pub structures: Vec<StructureInput>,
    /// All inputs of the batch, in order.
    pub outcomes: Vec<Outcome>,
}

/// Reads inputs in order, with all cores.
pub struct Source<'a> {
    entries: &'a [Result<InputFile, InputFailure>],
    options: &'a ReadOptions,
    annotations: &'a Annotations,
    /// Atoms at which a batch ends.
    batch_atoms: usize,
    /// Read, but not yet in a batch.
    ready: std::vec::IntoIter<Result<(StructureInput, Vec<String>), InputFailure>>,
}

/// Bytes of text that are read at once: enough files for all cores, and little beside a batch.
const CHUNK_BYTES: u64 = 32 << 20;
/// How much longer text gets when it is unpacked, about.
const GZIP_RATIO: u64 = 5;

impl<'a> Source<'a> {
    pub fn new(
        entries: &'a [Result<InputFile, InputFailure>],
        options: &'a ReadOptions,
        annotations: &'a Annotations,
        batch_atoms: usize,
    ) -> Self {
        Self { entries, options, annotations, batch_atoms, ready: Vec::new().into_iter() }
    }

    /// The next input, read.
    fn next_input(&mut self) -> Option<Result<(StructureInput, Vec<String>), InputFailure>> {
        if self.ready.as_slice().is_empty() {
            let (chunk, rest) = self.entries.split_at(chunk_length(self.entries));
            self.entries = rest;
            let read = |entry: &Result<InputFile, InputFailure>| self.read(entry.as_ref().map_err(Clone::clone)?);
            self.ready = chunk.par_iter().map(read).collect::<Vec<_>>().into_iter();
        }
        self.ready.next()
    }

    fn read(&self, file: &InputFile) -> Result<(StructureInput, Vec<String>), InputFailure> {
        let mut read = read_path(&file.path, &file.name, self.options).map_err(|error| {
            let line = error.line.map_or_else(String::new, |line| format!("line {line}: "));
            InputFailure { name: error.name, reason: format!("{line}{}", error.problem) }
        })?;
        self.annotations.apply(&mut read.structure);
        Ok((read.structure, read.warnings))
    }
}

impl Iterator for Source<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let mut batch = Batch::default();
        let mut atoms = 0;
        while atoms < self.batch_atoms {
            match self.next_input() {
                Some(Ok((structure, warnings))) => {
                    atoms += structure.n_atoms();
                    batch.structures.push(structure);
                    batch.outcomes.push(Outcome::Read { warnings });
                }
                Some(Err(failure)) => batch.outcomes.push(Outcome::Failed(failure)),
                None => break,
            }
        }
        (!batch.outcomes.is_empty()).then_some(batch)
    }
}

/// How many of the inputs to read at once.
fn chunk_length(entries: &[Result<InputFile, InputFailure>]) -> usize {
    let mut bytes = 0;
    let bytes_until = entries.iter().map(|entry| {
        bytes += entry.as_ref().map_or(0, |file| {
            let packed = file.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
            file.size.saturating_mul(if packed { GZIP_RATIO } else { 1 })
        });
        bytes
    });
    // At least one.
    (1 + bytes_until.take_while(|&bytes| bytes < CHUNK_BYTES).count()).min(entries.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(sizes: &[u64], extension: &str) -> Vec<Result<InputFile, InputFailure>> {
        let file = |&size| Ok(InputFile { name: String::new(), path: format!("x.{extension}").into(), size });
        sizes.iter().map(file).collect()
    }

    #[test]
    fn chunks_hold_little_beside_a_batch() {
        assert_eq!(chunk_length(&[]), 0);
        assert_eq!(chunk_length(&files(&[u64::MAX, u64::MAX], "pdb")[..1]), 1);
        assert_eq!(chunk_length(&files(&[CHUNK_BYTES, 1], "pdb")), 1);
        assert_eq!(chunk_length(&files(&[1 << 20; 100], "pdb")), 32);
        assert_eq!(chunk_length(&files(&[1 << 20; 100], "pdb.gz")), 7);
        assert_eq!(chunk_length(&files(&[1; 100], "pdb")), 100);
    }
}
