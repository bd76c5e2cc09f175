//! Reading inputs, many at a time, into batches.

use prism_host::annotations::Annotations;
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::read::{ReadOptions, read_path};
use prism_host::structure::StructureInput;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

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
    /// Threads of its own: in the common pool, work on batches would wait until the files at hand are read.
    pool: ThreadPool,
    /// Read, but not yet in a batch.
    ready: std::vec::IntoIter<Result<(StructureInput, Vec<String>), InputFailure>>,
}

/// Bytes of text that are read at once for every core: enough that cores hardly wait for the last of them. What is
/// kept of it is less than a third.
const CHUNK_BYTES: u64 = 16 << 20;
/// How much longer text gets when it is unpacked, about.
const GZIP_RATIO: u64 = 5;

impl<'a> Source<'a> {
    pub fn new(
        entries: &'a [Result<InputFile, InputFailure>],
        options: &'a ReadOptions,
        annotations: &'a Annotations,
        batch_atoms: usize,
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().thread_name(|index| format!("read {index}")).build()?;
        Ok(Self { entries, options, annotations, batch_atoms, pool, ready: Vec::new().into_iter() })
    }

    /// Reads on where nothing is ready.
    fn refill(&mut self) {
        if self.ready.as_slice().is_empty() {
            let bytes = CHUNK_BYTES * self.pool.current_num_threads() as u64;
            let (chunk, rest) = self.entries.split_at(chunk_length(self.entries, bytes));
            self.entries = rest;
            let read = |entry: &Result<InputFile, InputFailure>| self.read(entry.as_ref().map_err(Clone::clone)?);
            self.ready = self.pool.install(|| chunk.par_iter().map(read).collect::<Vec<_>>()).into_iter();
        }
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
        loop {
            self.refill();
            // A batch ends before the structure with which it would be too large, unless that is its first.
            if let Some(Ok((structure, _))) = self.ready.as_slice().first() {
                atoms += structure.n_atoms();
                if atoms > self.batch_atoms && !batch.structures.is_empty() {
                    break;
                }
            }
            match self.ready.next() {
                Some(Ok((structure, warnings))) => {
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

/// How many of the inputs to read at once, to have about `limit` bytes of text.
fn chunk_length(entries: &[Result<InputFile, InputFailure>], limit: u64) -> usize {
    let mut bytes = 0_u64;
    let bytes_until = entries.iter().map(|entry| {
        bytes = bytes.saturating_add(entry.as_ref().map_or(0, |file| {
            let packed = file.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
            file.size.saturating_mul(if packed { GZIP_RATIO } else { 1 })
        }));
        bytes
    });
    // At least one.
    (1 + bytes_until.take_while(|&bytes| bytes < limit).count()).min(entries.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(sizes: &[u64], extension: &str) -> Vec<Result<InputFile, InputFailure>> {
        let file = |&size| Ok(InputFile { name: String::new(), path: format!("x.{extension}").into(), size });
        sizes.iter().map(file).collect()
    }

    #[test]
    fn batches_end_before_they_are_too_large() {
        let folder = tempfile::tempdir().unwrap();
        let atom = |i: usize| {
            format!(
                "ATOM  {i:5}  CA  ALA A{i:4}    {:8.3}{:8.3}{:8.3}  1.00 10.00           C\n",
                i as f64 * 3.8,
                0.0,
                0.0
            )
        };
        let entries: Vec<_> = [4, 4, 4, 0, 20, 1, 1]
            .into_iter()
            .enumerate()
            .map(|(index, atoms)| {
                let (name, path) = (index.to_string(), folder.path().join(index.to_string()));
                std::fs::write(&path, (0..atoms).map(atom).collect::<String>()).unwrap();
                Ok(InputFile { name, path, size: 1 })
            })
            .collect();
        let (options, annotations) = (ReadOptions::default(), Annotations::default());
        let batches: Vec<Batch> = Source::new(&entries, &options, &annotations, 10).unwrap().collect();
        let names = |batch: &Batch| batch.structures.iter().map(|s| s.name.clone()).collect::<Vec<_>>().join(" ");
        assert_eq!(batches.iter().map(names).collect::<Vec<_>>(), ["0 1", "2", "4", "5 6"]);
        let outcomes: Vec<_> = batches.iter().map(|batch| batch.outcomes.len()).collect();
        assert_eq!(outcomes, [2, 2, 1, 2], "the file that failed is counted where it stands");
    }

    #[test]
    fn chunks_end_at_the_limit() {
        let length = |entries: &[_]| chunk_length(entries, 32 << 20);
        assert_eq!(length(&[]), 0);
        assert_eq!(length(&files(&[u64::MAX, u64::MAX], "pdb")), 1);
        assert_eq!(length(&files(&[1, u64::MAX, u64::MAX], "pdb.gz")), 2);
        assert_eq!(length(&files(&[32 << 20, 1], "pdb")), 1);
        assert_eq!(length(&files(&[1 << 20; 100], "pdb")), 32);
        assert_eq!(length(&files(&[1 << 20; 100], "pdb.gz")), 7);
        assert_eq!(length(&files(&[1; 100], "pdb")), 100);
    }
}
