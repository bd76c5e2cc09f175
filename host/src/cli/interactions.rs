//! `prism edges` of interactions, and what it says about their kinds.

use super::args::{EdgesArgs, IdsArg};
use super::failure::Failure;
use super::files::Files;
use super::interrupt::Interrupt;
use super::limits::no_thread;
use super::provenance::{self, Digests};
use super::report::{Report, is_verbose};
use crate::inputs::{Item, unpack};
use crate::read::with_contents;
use prism_host::contacts::EdgeKind;
use prism_host::inputs::{InputFailure, InputFile, Source};
use prism_host::interactions::{Dictionary, Interactions, Kind, Options, interactions};
use prism_host::nearest::nearest;
use prism_host::output::{
    CellKind, CellTable, Cells, INTERACTION_COLUMNS, LineTable, LinesFile, OutputError, OutputFile, RelationColumn,
    append_interactions,
};
use rayon::prelude::*;
use shared_types::MegaFusedConfig;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

/// Structures of a thread that are computed before their rows are written.
const AHEAD: usize = 4;

/// A structure to compute.
enum Work {
    File(InputFile),
    Bytes(String, Vec<u8>),
    Failed(InputFailure),
}

/// What came of it.
struct Done {
    name: String,
    result: Result<Interactions, String>,
    time: Duration,
}

/// Lists interactions. Returns the exit status.
pub fn run(args: &EdgesArgs, contacts: &[EdgeKind]) -> Result<u8, Failure> {
    let relation = &args.relation;
    if let Some(kind) = contacts.first() {
        let advice = "is of rows of proteins, and interactions have ends without rows; list them by two commands";
        return Err(Failure::usage(anyhow::anyhow!("--kinds: {} {advice}", kind.name())));
    }
    if args.ids == Some(IdsArg::Rows) {
        let advice = "ligands, nucleotides, ions and waters have no rows; interactions have chains, numbers and names";
        return Err(Failure::usage(anyhow::anyhow!("--ids rows: {advice}")));
    }
    let output = relation.output.as_deref().filter(|path| *path != Path::new("-"));
    let outputs = [output, relation.job.status.as_deref()];
    outputs.into_iter().flatten().try_for_each(OutputFile::check_relation)?;
    provenance::check(&relation.provenance)?;
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let files = Files::default()
        .writes_table(output)
        .writes("--status", relation.job.status.as_deref())
        .writes("--provenance", relation.provenance.provenance.as_deref())
        .reads(args.ccd.as_deref());
    let inputs = relation.job.read.discover(&relation.paths, files)?;
    let dictionary = args.ccd.as_deref().map(Dictionary::read).transpose();
    let dictionary = dictionary.map_err(|error| Failure::work(anyhow::anyhow!("--ccd {error}")))?;
    let digests = Digests::of(&relation.provenance, &inputs.entries);
    let mut provenance = provenance::without_engine(MegaFusedConfig::default(), &digests);
    let kinds: Vec<Kind> = args.kinds.iter().filter_map(|kind| kind.interaction()).collect();
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    provenance.more.push(("prism.kinds", names.join(",")));
    let read = relation.job.read.options();
    let options = Options {
        kinds: &kinds,
        chains: read.chains.as_deref(),
        alternates: read.alternates,
        dictionary: dictionary.as_ref(),
    };
    let mut run = Run {
        report: Report::new(inputs.entries.len()),
        file: output.map(|path| LinesFile::create(path, INTERACTION_COLUMNS, &provenance)).transpose()?,
        out: Box::new(CellTable::csv(BufWriter::new(stdout()), INTERACTION_COLUMNS)),
        status: relation.job.status.as_deref().map(|path| LinesFile::create(path, STATUS, &provenance)).transpose()?,
        options,
        fail_fast: relation.job.read.fail_fast,
        interrupt: &interrupt,
        found: 0,
    };
    let (mut waiting, mut result) = (Vec::new(), Ok(true));
    let most = AHEAD * rayon::current_num_threads();
    for entry in inputs.entries {
        let mut add = |work: Work| {
            waiting.push(work);
            if waiting.len() >= most && matches!(result, Ok(true)) {
                result = run.compute(std::mem::take(&mut waiting));
            }
            matches!(result, Ok(true))
        };
        let goes_on = match entry {
            Err(failure) => add(Work::Failed(failure)),
            Ok(file) if file.is_stream() => {
                unpack(&file, &mut |item| match item {
                    Item::Structure { name, bytes, .. } => add(Work::Bytes(name, bytes)),
                    Item::Failed(failure) => add(Work::Failed(failure)),
                    Item::Said { .. } => true,
                });
                matches!(result, Ok(true))
            }
            Ok(file) => add(Work::File(file)),
        };
        if !goes_on {
            break;
        }
    }
    if result? {
        run.compute(waiting)?;
    }
    run.finish(|| Ok(provenance::write(&relation.provenance, &provenance, &digests)?))
}

/// The columns of `--status`.
const STATUS: &[RelationColumn] = &[
    RelationColumn::new("structure", CellKind::Text, "", "the name of the structure"),
    RelationColumn::new("residues", CellKind::Int, "", "residues, ligands, ions and waters; 0 if it failed"),
    RelationColumn::new("atoms", CellKind::Int, "", "heavy atoms"),
    RelationColumn::new("interactions", CellKind::Int, "", "the number of lines in the table"),
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
    options: Options<'o>,
    fail_fast: bool,
    interrupt: &'o Interrupt,
    found: usize,
}

impl Run<'_> {
    /// Computes structures side by side, and writes them in order. Returns whether to go on.
    fn compute(&mut self, work: Vec<Work>) -> Result<bool, Failure> {
        if self.interrupt.cancel().is_cancelled() {
            return Err(Failure::Interrupted(self.interrupt.exit_status()));
        }
        let options = &self.options;
        let done: Vec<Done> = work.into_par_iter().map(|work| compute(work, options)).collect();
        for done in &done {
            match &done.result {
                Ok(all) => {
                    self.report.structures += 1;
                    self.report.residues += all.residues.len() as u64;
                    self.found += all.found.len();
                    for note in all.notes.iter().filter(|_| is_verbose()) {
                        self.report.note(&format!("{}: {note}", done.name));
                    }
                    let mut lines = |cells: &mut [Cells]| append_interactions(&done.name, all, cells);
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
        let counts = all.map_or([0; 3], |all| [all.residues.len(), all.atoms.len(), all.found.len()]);
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
    fn finish(self, write_provenance: impl FnOnce() -> Result<(), Failure>) -> Result<u8, Failure> {
        let Self { report, file, out, status, fail_fast, found, .. } = self;
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
        report.sum_up(&prism_host::plural::counted(found, "interaction", "interactions"));
        Ok(report.exit_status())
    }
}

fn compute(work: Work, options: &Options<'_>) -> Done {
    let begin = Instant::now();
    let of =
        |bytes: &[u8], name: &str| interactions(bytes, name, options).map_err(|error| InputFailure::from(error).reason);
    let (name, result) = match work {
        Work::Failed(failure) => (failure.name, Err(failure.reason)),
        Work::Bytes(name, bytes) => {
            let result = of(&bytes, &name);
            (name, result)
        }
        Work::File(InputFile { name, source: Source::File, path, .. }) => {
            let read = with_contents(&path, |bytes| of(bytes, &name));
            let result = read.unwrap_or_else(|problem| Err(problem.to_string()));
            (name, result)
        }
        Work::File(file) => {
            let advice = "a packed data set has the residues of proteins alone; give the files that it was packed from";
            (file.name, Err(advice.to_owned()))
        }
    };
    Done { name, result, time: begin.elapsed() }
}

/// Prints all kinds.
pub fn list() -> Result<(), Failure> {
    let mut out = stdout().lock();
    writeln!(out, "{:13} {}", "ca", "alpha carbons closer than --contact-threshold")?;
    writeln!(
        out,
        "{:13} {}",
        "atom", "heavy atoms within --cutoff, of residues at least two rows apart or of different chains"
    )?;
    for kind in Kind::ALL {
        writeln!(out, "{:13} {}: {} [{}]", kind.name(), kind.ends(), kind.rule(), kind.source())?;
    }
    Ok(out.flush()?)
}

/// Prints the rule of a kind.
pub fn explain(name: &str) -> Result<(), Failure> {
    let Ok(kind) = name.parse::<Kind>() else {
        let meant = nearest(name, Kind::ALL.iter().map(|kind| kind.name()));
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        let advice = "`prism edges --list` shows all kinds";
        return Err(Failure::usage(anyhow::anyhow!("there is no kind of interaction {name:?}{meant}; {advice}")));
    };
    let mut out = stdout().lock();
    writeln!(out, "{name}")?;
    let angle = if kind.angle().is_empty() { "none" } else { kind.angle() };
    for (key, text) in [("ends", kind.ends()), ("rule", kind.rule()), ("angle", angle), ("source", kind.source())] {
        writeln!(out, "  {key:<10}  {text}")?;
    }
    Ok(out.flush()?)
}
