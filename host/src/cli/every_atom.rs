//! Runs over structures of which every atom counts: commands that read each file as a whole, beside those of rows of proteins.

use super::args::RelationArgs;
use super::failure::Failure;
use super::files::Files;
use super::interrupt::Interrupt;
use super::limits::no_thread;
use super::provenance::{self, Digests};
use super::report::{Report, is_verbose};
use super::whole_files::{Work, each_batch};
use prism_host::output::{CellKind, CellTable, Cells, LineTable, LinesFile, OutputError, OutputFile, RelationColumn};
use prism_host::plural::counted;
use rayon::prelude::*;
use shared_types::MegaFusedConfig;
use std::io::{BufWriter, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

/// What a structure gives.
pub struct Computed {
    /// Residues and heavy atoms.
    pub size: [usize; 2],
    /// The number of lines.
    pub lines: usize,
    /// Choices, and what is odd about the file.
    pub notes: Vec<String>,
    /// Appends the lines to the columns' values.
    pub append: Append,
}

/// Appends lines to the values of the columns.
type Append = Box<dyn Fn(&mut [Cells]) + Send + Sync>;

/// Computes the lines of a file, given as its bytes and the structure's name.
pub type Compute<'c> = dyn Fn(&[u8], &str) -> Result<Computed, String> + Sync + 'c;

/// The table of a run.
pub struct Output<'a> {
    pub columns: &'static [RelationColumn],
    /// What a line is, and what several are.
    pub lines: [&'static str; 2],
    /// Whether structures are computed side by side, one in each thread.
    pub side_by_side: bool,
    /// What its provenance has beside the command.
    pub provenance: Vec<(&'static str, String)>,
    /// A file that is read besides the inputs.
    pub reads: Option<&'a Path>,
}

/// Computes the lines of all inputs. Returns the exit status.
pub fn run(relation: &RelationArgs, of: Output<'_>, compute: &Compute<'_>) -> Result<u8, Failure> {
    let output = relation.output.as_deref().filter(|path| *path != Path::new("-"));
    let outputs = [output, relation.job.status.as_deref()];
    outputs.into_iter().flatten().try_for_each(OutputFile::check_relation)?;
    provenance::check(&relation.provenance)?;
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let files = Files::default()
        .writes_table(output)
        .writes("--status", relation.job.status.as_deref())
        .writes("--provenance", relation.provenance.provenance.as_deref())
        .reads(of.reads);
    let inputs = relation.job.read.discover(&relation.paths, files)?;
    let digests = Digests::of(&relation.provenance, &inputs.entries);
    let mut provenance = provenance::without_engine(MegaFusedConfig::default(), &digests);
    provenance.more.extend(of.provenance);
    let mut run = Run {
        report: Report::new(inputs.entries.len()),
        file: output.map(|path| LinesFile::create(path, of.columns, &provenance)).transpose()?,
        out: Box::new(CellTable::csv(BufWriter::new(stdout()), of.columns)),
        status: relation.job.status.as_deref().map(|path| LinesFile::create(path, STATUS, &provenance)).transpose()?,
        compute,
        side_by_side: of.side_by_side,
        fail_fast: relation.job.read.fail_fast,
        interrupt: &interrupt,
        lines: 0,
        noted: (0, Vec::new()),
    };
    each_batch(inputs.entries, |work| run.compute(work))?;
    run.finish(of.lines, || Ok(provenance::write(&relation.provenance, &provenance, &digests)?))
}

/// What came of it.
struct Done {
    name: String,
    result: Result<Computed, String>,
    time: Duration,
}

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

/// A run, and what it writes.
struct Run<'o> {
    report: Report,
    file: Option<LinesFile>,
    out: Box<dyn LineTable>,
    status: Option<LinesFile>,
    compute: &'o Compute<'o>,
    side_by_side: bool,
    fail_fast: bool,
    interrupt: &'o Interrupt,
    lines: usize,
    /// How many structures have notes, and those of the first of them.
    noted: (u64, Vec<String>),
}

impl Run<'_> {
    /// Computes structures side by side, and writes them in order. Returns whether to go on.
    fn compute(&mut self, work: Vec<Work>) -> Result<bool, Failure> {
        if self.interrupt.cancel().is_cancelled() {
            return Err(Failure::Interrupted(self.interrupt.exit_status()));
        }
        let of = self.compute;
        let done: Vec<Done> = match self.side_by_side {
            true => work.into_par_iter().map(|work| compute(work, of)).collect(),
            false => work.into_iter().map(|work| compute(work, of)).collect(),
        };
        for done in &done {
            match &done.result {
                Ok(all) => {
                    self.report.structures += 1;
                    self.report.residues += all.size[0] as u64;
                    self.lines += all.lines;
                    if !all.notes.is_empty() {
                        self.noted.0 += 1;
                        if self.noted.1.is_empty() {
                            self.noted.1.clone_from(&all.notes);
                        }
                    }
                    for note in all.notes.iter().filter(|_| is_verbose()) {
                        self.report.note(&format!("{}: {note}", done.name));
                    }
                    let mut lines = |cells: &mut [Cells]| (all.append)(cells);
                    match &mut self.file {
                        Some(file) => file.append(&mut lines)?,
                        None => self.out.append(&mut lines)?,
                    }
                }
                Err(reason) => self.report.error(&done.name, reason),
            }
            self.status(done)?;
            self.report.advance(1);
            if self.fail_fast && self.report.failed > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn status(&mut self, done: &Done) -> Result<(), OutputError> {
        let Some(file) = &mut self.status else { return Ok(()) };
        let all = done.result.as_ref().ok();
        let counts = all.map_or([0; 3], |all| [all.size[0], all.size[1], all.lines]);
        let notes = all.map_or_else(String::new, |all| all.notes.join("; "));
        let error = done.result.as_ref().err().cloned().unwrap_or_default();
        file.append(&mut |cells| {
            let (mut counts, mut texts) = (counts.iter(), [&done.name, &notes, &error].into_iter());
            for cells in cells {
                match cells {
                    Cells::Text(values) => values.extend(texts.next().cloned()),
                    Cells::Int(values) => values.extend(counts.next().map(|&count| count as i32)),
                    Cells::Float(values) => values.push(1e3 * done.time.as_secs_f32()),
                }
            }
        })
    }

    /// Ends the tables. Returns the exit status.
    fn finish(self, names: [&str; 2], write_provenance: impl FnOnce() -> Result<(), Failure>) -> Result<u8, Failure> {
        let Self { report, file, out, status, fail_fast, lines, noted: (noted, notes), .. } = self;
        report.clear_bar();
        if let Some(status) = status {
            status.commit()?;
        }
        if report.structures == 0 || fail_fast && report.failed > 0 {
            return Ok(super::failure::NOTHING_WRITTEN);
        }
        match file {
            Some(file) => drop(file.commit()?),
            None => out.finish()?,
        }
        write_provenance()?;
        match noted {
            _ if is_verbose() => {}
            0 => {}
            1 if report.structures == 1 => notes.iter().for_each(|note| report.note(note)),
            _ => report.note(&format!(
                "{} notes, which -v shows and --status writes; of the first: {}",
                counted(noted as usize, "structure has", "structures have"),
                notes.join("; ")
            )),
        }
        report.sum_up(&counted(lines, names[0], names[1]));
        Ok(report.exit_status())
    }
}

fn compute(work: Work, of: &Compute<'_>) -> Done {
    let begin = Instant::now();
    let (name, result) = work.compute(of);
    Done { name, result, time: begin.elapsed() }
}
