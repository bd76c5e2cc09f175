//! Reading structure files, many at a time, into batches.

use super::{Batch, Cancel, Outcome};
use crate::annotations::Annotations;
use crate::engine::{Cut, size_of};
use crate::inputs::{InputFailure, InputFile};
use crate::read::ReadOptions;
use crate::structure::StructureInput;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Batches of the structures in files, in the order given, read with all cores. A batch ends before its atoms pass a
/// number.
#[derive(Debug)]
pub struct StructureFiles<'a> {
    entries: &'a [Result<InputFile, InputFailure>],
    options: &'a ReadOptions,
    annotations: &'a Annotations,
    cut: Cut,
    cancel: Cancel,
    /// Threads of its own: in the common pool, work on batches would wait until the files at hand are read.
    pool: ThreadPool,
    /// Read, but not yet in a batch.
    ready: std::vec::IntoIter<(Read, u64)>,
    /// A structure that begins the next batch.
    first: Option<(StructureInput, Vec<String>, u64)>,
}

type Read = Result<(StructureInput, Vec<String>), InputFailure>;

/// Bytes of text that are read at once for every core: enough that cores hardly wait for the last of them. What is
/// kept of it is less than a third.
const CHUNK_BYTES: u64 = 16 << 20;
/// How much longer text gets when it is unpacked, about.
const GZIP_RATIO: u64 = 5;

impl<'a> StructureFiles<'a> {
    /// Reads `entries` into batches of at most `batch_atoms` atoms, with what is known of their residues; ends early
    /// where `cancel` says so.
    ///
    /// # Errors
    /// Where no threads can be made.
    pub fn new(
        entries: &'a [Result<InputFile, InputFailure>],
        options: &'a ReadOptions,
        annotations: &'a Annotations,
        batch_atoms: usize,
        cancel: &Cancel,
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().thread_name(|index| format!("read {index}")).build()?;
        let (cut, cancel) = (Cut::new(batch_atoms), cancel.clone());
        Ok(Self { entries, options, annotations, cut, cancel, pool, ready: Vec::new().into_iter(), first: None })
    }

    /// The next input, read.
    fn next_read(&mut self) -> Option<(Read, u64)> {
        if self.ready.as_slice().is_empty() && !self.cancel.is_cancelled() {
            let bytes = CHUNK_BYTES * self.pool.current_num_threads() as u64;
            let (chunk, rest) = self.entries.split_at(chunk_length(self.entries, bytes));
            self.entries = rest;
            let read = |entry: &Result<InputFile, InputFailure>| match entry {
                // What was read is not looked at any more.
                _ if self.cancel.is_cancelled() => None,
                Ok(file) => Some((self.read(file), file.size)),
                Err(failure) => Some((Err(failure.clone()), 0)),
            };
            self.ready = self.pool.install(|| chunk.par_iter().filter_map(read).collect::<Vec<_>>()).into_iter();
        }
        self.ready.next()
    }

    fn read(&self, file: &InputFile) -> Read {
        let mut read = file.read(self.options)?;
        self.annotations.apply(&mut read.structure);
        Ok((read.structure, read.warnings))
    }
}

impl Iterator for StructureFiles<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let mut batch = Batch::default();
        if let Some((structure, warnings, bytes)) = self.first.take() {
            batch.push(structure, warnings, bytes);
        }
        while let Some((read, bytes)) = self.next_read() {
            match read {
                Ok((structure, warnings)) => {
                    if self.cut.before(size_of(&structure)) {
                        self.first = Some((structure, warnings, bytes));
                        break;
                    }
                    batch.push(structure, warnings, bytes);
                }
                Err(failure) => {
                    batch.outcomes.push(Outcome::Failed(failure));
                    batch.bytes += bytes;
                }
            }
        }
        (!batch.outcomes.is_empty()).then_some(batch)
    }
}

impl Batch {
    fn push(&mut self, structure: StructureInput, warnings: Vec<String>, bytes: u64) {
        self.structures.push(structure);
        self.outcomes.push(Outcome::Read { warnings });
        self.bytes += bytes;
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
        let file =
            |&size| Ok(InputFile { name: String::new(), path: format!("x.{extension}").into(), size, packed: None });
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
                Ok(InputFile { name, path, size: 1, packed: None })
            })
            .collect();
        let (options, annotations) = (ReadOptions::default(), Annotations::default());
        let cancel = Cancel::default();
        let batches: Vec<_> = StructureFiles::new(&entries, &options, &annotations, 10, &cancel).unwrap().collect();
        let names = |batch: &Batch| batch.structures.iter().map(|s| s.name.clone()).collect::<Vec<_>>().join(" ");
        assert_eq!(batches.iter().map(names).collect::<Vec<_>>(), ["0 1", "2", "4", "5 6"]);
        let outcomes: Vec<_> = batches.iter().map(|batch| batch.outcomes.len()).collect();
        assert_eq!(outcomes, [2, 2, 1, 2], "the file that failed is counted where it stands");
        assert_eq!(batches.iter().map(|batch| batch.bytes).sum::<u64>(), 7);

        let mut source = StructureFiles::new(&entries, &options, &annotations, 10, &cancel).unwrap();
        cancel.cancel();
        assert!(source.next().is_none(), "nothing is read after the run was cancelled");
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
