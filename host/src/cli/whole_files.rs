//! Files that are read as a whole: their structures are computed side by side, and what came of them is taken in order.

use super::failure::Failure;
use super::interrupt::Interrupt;
use super::report::{Report, is_verbose};
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::output::{CellKind, Cells, LinesFile, OutputError, Provenance, RelationColumn};
use prism_host::plural::counted;
use rayon::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

/// Structures of a thread that are computed before what came of them is taken.
const AHEAD: usize = 4;

/// What a structure gives.
pub struct Computed<T> {
    /// Residues and heavy atoms.
    pub size: [usize; 2],
    /// The number of lines.
    pub lines: usize,
    /// Choices, and what is odd about the file.
    pub notes: Vec<String>,
    /// What is written.
    pub of: T,
}

/// Computes a file, given as its bytes and the structure's name.
pub type Compute<'c, T> = dyn Fn(&[u8], &str) -> Result<Computed<T>, String> + Sync + 'c;

/// The columns of `--status`.
const STATUS: &[RelationColumn] = &[
    RelationColumn::new("structure", CellKind::Text, "", "the name of the structure"),
    RelationColumn::new("residues", CellKind::Int, "", "residues, ligands, ions and waters; 0 if it failed"),
    RelationColumn::new("atoms", CellKind::Int, "", "heavy atoms"),
    RelationColumn::new("lines", CellKind::Int, "", "the number of lines in the table"),
    RelationColumn::new("notes", CellKind::Text, "", "choices, and what is odd about the file"),
    RelationColumn::new("error", CellKind::Text, "", "why it failed"),
    RelationColumn::new("milliseconds", CellKind::Float, "ms", "the time of reading and computing"),
];

/// A walk over files, and what is reported of it.
pub struct Walk {
    pub report: Report,
    pub interrupt: Interrupt,
    status: Option<LinesFile>,
    fail_fast: bool,
    /// Lines of all structures.
    pub lines: usize,
    /// How many structures have notes, and those of the first of them.
    noted: (u64, Vec<String>),
}

impl Walk {
    pub fn new(
        interrupt: Interrupt,
        inputs: usize,
        status: Option<&Path>,
        provenance: &Provenance,
        fail_fast: bool,
    ) -> Result<Self, Failure> {
        let status = status.map(|path| LinesFile::create(path, STATUS, provenance)).transpose()?;
        Ok(Self { report: Report::new(inputs), interrupt, status, fail_fast, lines: 0, noted: (0, Vec::new()) })
    }

    /// Computes the structures of all entries, `side_by_side` or with all cores for each, but those that `is_done` knows by their names.
    /// What is computed is written in order. Returns whether it went on to the end.
    pub fn over<T: Send>(
        &mut self,
        entries: Vec<Result<InputFile, InputFailure>>,
        side_by_side: bool,
        mut is_done: impl FnMut(&str) -> bool,
        compute: &Compute<'_, T>,
        mut write: impl FnMut(&str, T) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        each_batch(entries, &mut is_done, |work| {
            if self.interrupt.cancel().is_cancelled() {
                return Err(Failure::Interrupted(self.interrupt.exit_status()));
            }
            let done: Vec<Done<T>> = match side_by_side {
                true => work.into_par_iter().map(|work| work.compute(compute)).collect(),
                false => work.into_iter().map(|work| work.compute(compute)).collect(),
            };
            for Done { name, result, time } in done {
                self.status(&name, &result, time)?;
                match result {
                    Ok(all) => {
                        write(&name, all.of)?;
                        self.count(&name, all.size[0], all.lines, &all.notes);
                    }
                    Err(reason) => self.report.error(&name, &reason),
                }
                self.report.advance(1);
                if self.stops() {
                    return Ok(false);
                }
            }
            Ok(true)
        })?;
        Ok(!self.stops())
    }

    /// Whether an input failed, and `--fail-fast` was given.
    pub fn stops(&self) -> bool {
        self.fail_fast && self.report.failed > 0
    }

    fn count(&mut self, name: &str, residues: usize, lines: usize, notes: &[String]) {
        self.report.structures += 1;
        self.report.residues += residues as u64;
        self.lines += lines;
        if !notes.is_empty() {
            self.noted.0 += 1;
            if self.noted.1.is_empty() {
                self.noted.1 = notes.to_vec();
            }
        }
        for note in notes.iter().filter(|_| is_verbose()) {
            self.report.note(&format!("{name}: {note}"));
        }
    }

    fn status<T>(
        &mut self,
        name: &str,
        result: &Result<Computed<T>, String>,
        time: Duration,
    ) -> Result<(), OutputError> {
        let Some(file) = &mut self.status else { return Ok(()) };
        let all = result.as_ref().ok();
        let counts = all.map_or([0; 3], |all| [all.size[0], all.size[1], all.lines]);
        let notes = all.map_or_else(String::new, |all| all.notes.join("; "));
        let error = result.as_ref().err().cloned().unwrap_or_default();
        file.append(&mut |cells| {
            let (mut counts, mut texts) = (counts.iter(), [name, &notes, &error].into_iter());
            for cells in cells {
                match cells {
                    Cells::Text(values) => values.extend(texts.next()),
                    Cells::Int(values) => values.extend(counts.next().map(|&count| count as i32)),
                    Cells::Optional(_) => unreachable!("these lines have all their integers"),
                    Cells::Float(values) => values.push(1e3 * time.as_secs_f32()),
                }
            }
        })
    }

    /// Ends the table of the status.
    pub fn end_status(&mut self) -> Result<(), Failure> {
        self.report.clear_bar();
        self.status.take().map_or(Ok(()), |status| status.commit().map(drop))?;
        Ok(())
    }

    /// The last lines.
    pub fn sum_up(&self, about: &str) {
        let (noted, notes) = &self.noted;
        match noted {
            _ if is_verbose() => {}
            0 => {}
            1 if self.report.structures == 1 => notes.iter().for_each(|note| self.report.note(note)),
            _ => self.report.note(&format!(
                "{} notes, which -v shows and --status writes; of the first: {}",
                counted(*noted as usize, "structure has", "structures have"),
                notes.join("; ")
            )),
        }
        self.report.sum_up(about);
    }
}

/// A structure to compute.
enum Work {
    File(InputFile),
    Bytes(String, Vec<u8>),
    Failed(InputFailure),
}

/// What came of it.
struct Done<T> {
    name: String,
    result: Result<Computed<T>, String>,
    time: Duration,
}

impl Work {
    fn compute<T>(self, of: &Compute<'_, T>) -> Done<T> {
        let begin = Instant::now();
        let (name, result) = match self {
            Self::Failed(failure) => (failure.name, Err(failure.reason)),
            Self::Bytes(name, bytes) => {
                let result = of(&bytes, &name);
                (name, result)
            }
            Self::File(file) => {
                let mut result = Err("holds nothing".to_owned());
                file.each_file(&mut |name, bytes| {
                    result = bytes.map_err(|failure| failure.reason).and_then(|bytes| of(bytes, name));
                    true
                });
                (file.name, result)
            }
        };
        Done { name, result, time: begin.elapsed() }
    }
}

/// Gives `take` the structures of all entries in order, some for each thread at a time, until it returns false or fails. Members of
/// archives are read in order, before they are computed side by side.
fn each_batch(
    entries: Vec<Result<InputFile, InputFailure>>,
    is_done: &mut dyn FnMut(&str) -> bool,
    mut take: impl FnMut(Vec<Work>) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (mut waiting, mut result) = (Vec::new(), Ok(true));
    let most = AHEAD * rayon::current_num_threads();
    for entry in entries {
        let mut add = |work: Work| {
            waiting.push(work);
            if waiting.len() >= most && matches!(result, Ok(true)) {
                result = take(std::mem::take(&mut waiting));
            }
            matches!(result, Ok(true))
        };
        let goes_on = match entry {
            Err(failure) => add(Work::Failed(failure)),
            Ok(file) if file.is_stream() => {
                file.each_file(&mut |name, bytes| match bytes {
                    Ok(_) if is_done(name) => true,
                    Ok(bytes) => add(Work::Bytes(name.to_owned(), bytes.to_vec())),
                    Err(failure) => add(Work::Failed(failure)),
                });
                matches!(result, Ok(true))
            }
            Ok(file) if is_done(&file.name) => true,
            Ok(file) => add(Work::File(file)),
        };
        if !goes_on {
            break;
        }
    }
    if result? {
        take(waiting)?;
    }
    Ok(())
}
