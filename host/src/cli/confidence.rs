//! `prism confidence`.

mod columns;
mod parts;
mod side_by_side;
mod tables;

pub use columns::{explain, list};

use super::args::ConfidenceArgs;
use super::dockq::reference;
use super::failure::{ALL_DONE, Failure, NOTHING_WRITTEN};
use super::files::{Files, OUTPUT};
use super::interrupt::Interrupt;
use super::limits::no_thread;
use super::provenance::{self, Digests};
use super::reading::listed;
use super::report::{Report, first_of, is_verbose};
use prism_host::confidence::{Cutoffs, PredictionFiles, Predictions, Scores};
use prism_host::dockq::Reference;
use prism_host::inputs::{InputFailure, InputFile, Source};
use prism_host::output::OutputFile;
use prism_host::plural::{counted, form};
use prism_host::read::ReadOptions;
use shared_types::MegaFusedConfig;
use side_by_side::side_by_side;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tables::{Status, Tables, write_structures};

/// The files of a prediction, or what lacks its other half.
type Entry = Result<PredictionFiles, InputFailure>;

/// What a run computes with.
struct Run<'a> {
    args: &'a ConfidenceArgs,
    cutoffs: Cutoffs,
    reference: Option<Reference>,
    interrupt: Interrupt,
}

/// Scores predictions. Returns the exit status.
pub fn run(args: &ConfidenceArgs) -> Result<u8, Failure> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let folder = args.folder.of_output(output, &args.provenance, None)?;
    let of_residues = args.residues.as_deref();
    let files = [output, of_residues].into_iter().flatten().filter(|_| folder.is_none());
    files
        .chain([&args.structures, &args.status].into_iter().flatten().map(PathBuf::as_path))
        .try_for_each(OutputFile::check_relation)?;
    provenance::check(&args.provenance)?;
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let mut paths = args.paths.clone();
    if let Some(list) = &args.from_file {
        paths.extend(listed(list)?);
    }
    let reference =
        args.reference.as_deref().map(|path| reference(path, &args.comparison, &ReadOptions::default())).transpose()?;
    let found = Predictions::find(&paths);
    let read = on_disk(&found);
    let files = match folder {
        None => Files::default().writes_table(output).writes("--by-residue", of_residues),
        // Parts are in folders that have nothing else.
        Some(_) => Files::default().writes_into(OUTPUT, folder, super::parts::names),
    };
    files
        .writes("--by-structure", args.structures.as_deref())
        .writes("--status", args.status.as_deref())
        .writes("--provenance", args.provenance.provenance.as_deref())
        .reads(args.from_file.as_deref().filter(|path| *path != Path::new("-")))
        .reads(args.reference.as_deref())
        .check(&paths, &read)?;
    let report = Report::new(found.files.len());
    say_found(&found, &report);
    let cutoffs = Cutoffs { pae: args.pae_cutoff, distance: f64::from(args.distance_cutoff) };
    let run = Run { args, cutoffs, reference, interrupt };
    let failures = found.failures.into_iter().map(Err);
    let entries: Vec<Entry> = failures.chain(found.files.into_iter().map(Ok)).collect();
    match folder {
        Some(folder) => run.run_into(folder, &entries, report),
        None => run.run_to_files(output, &entries, &read, report),
    }
}

impl Run<'_> {
    /// Computes all predictions, or those of a share.
    fn run_to_files(
        &self,
        output: Option<&Path>,
        entries: &[Entry],
        read: &[Result<InputFile, InputFailure>],
        mut report: Report,
    ) -> Result<u8, Failure> {
        let args = self.args;
        let digests = Digests::of(&args.provenance, read);
        let mut provenance = provenance::without_engine(MegaFusedConfig::default(), &digests);
        provenance.more.extend(self.cutoffs_as_text());
        let mut tables = Tables::create(args, output, args.residues.as_deref(), &provenance)?;
        let mut status = Status::create(args.status.as_deref(), &provenance)?;
        let is_mine = |at: usize| args.folder.shard.is_none_or(|shard| shard.has(at));
        let mine: Vec<&Entry> =
            entries.iter().enumerate().filter(|(at, _)| is_mine(*at)).map(|(_, entry)| entry).collect();
        // As with a folder of parts, a share of nothing is no failure.
        let is_empty_share = mine.is_empty() && !entries.is_empty();
        if is_empty_share {
            let (are, all) = (form(entries.len(), "is", "are"), counted(entries.len(), "prediction", "predictions"));
            report.note(&format!("there {are} {all}, and none is this shard's"));
        }
        self.compute(&mine, &mut report, &mut tables, &mut status)?;
        report.clear_bar();
        status.finish()?;
        if report.structures == 0 && !is_empty_share || args.fail_fast && report.failed > 0 {
            return Ok(NOTHING_WRITTEN);
        }
        let (_, rows) = tables.finish()?;
        if let Some(path) = &args.structures {
            write_structures(args, path, &rows, &provenance, &report)?;
        }
        provenance::write(&args.provenance, &provenance, &digests)?;
        report.sum_up("scores of pairs of chains");
        Ok(if is_empty_share { ALL_DONE } else { report.exit_status() })
    }

    /// Computes predictions, and writes their rows in the order of the entries.
    fn compute(
        &self,
        entries: &[&Entry],
        report: &mut Report,
        tables: &mut Tables,
        status: &mut Status,
    ) -> Result<(), Failure> {
        let compute = |entry: &&Entry| self.scores(entry);
        side_by_side(entries, rayon::current_num_threads(), compute, |entry, (computed, time)| {
            if self.interrupt.cancel().is_cancelled() {
                return Err(Failure::Interrupted(self.interrupt.exit_status()));
            }
            let name = match entry {
                Ok(files) => &files.name,
                Err(failure) => &failure.name,
            };
            match &computed {
                Ok(scores) => {
                    say(scores, report);
                    tables.append(scores)?;
                    status.append(name, Some(scores), "", time)?;
                }
                Err(reason) => {
                    report.error(name, reason);
                    status.append(name, None, reason, time)?;
                }
            }
            report.advance(1);
            Ok(!(self.args.fail_fast && report.failed > 0))
        })
    }

    /// Reads and scores one prediction. Its matrix is in memory only here.
    fn scores(&self, entry: &Entry) -> (Result<Scores, String>, Duration) {
        let begin = Instant::now();
        let scores = match entry {
            Ok(files) if self.args.residues.is_some() => files.scores(self.cutoffs, self.reference.as_ref()),
            Ok(files) => files.scores_of_chains(self.cutoffs, self.reference.as_ref()),
            Err(failure) => Err(failure.reason.clone()),
        };
        (scores, begin.elapsed())
    }

    fn cutoffs_as_text(&self) -> Vec<(&'static str, String)> {
        let Cutoffs { pae, distance } = self.cutoffs;
        let mut all = vec![("prism.pae_cutoff", pae.to_string()), ("prism.distance_cutoff", distance.to_string())];
        all.extend(self.reference.as_ref().map(|reference| ("prism.reference", reference.name().to_owned())));
        all
    }
}

/// Says which files are left out, and which of several models with one matrix are scored.
fn say_found(found: &Predictions, report: &Report) {
    if is_verbose() {
        found.choices.iter().chain(&found.notes).for_each(|note| report.note(note));
        return;
    }
    if let Some(first) = found.choices.first() {
        report.note(&first_of(first, found.choices.len() as u64, ["model", "models"]));
    }
    if !found.notes.is_empty() {
        report.note(&format!("{} left out; -v says which", counted(found.notes.len(), "file is", "files are")));
    }
}

/// Counts a prediction, and says what its files are like.
fn say(scores: &Scores, report: &mut Report) {
    report.structures += 1;
    report.residues += scores.n_residues as u64;
    report.single += u64::from(scores.pairs.is_empty());
    for warning in &scores.warnings {
        report.warning(&scores.name, warning);
    }
    for lack in &scores.lacks {
        report.lack(&scores.name, lack.what, &lack.advice);
    }
    for note in scores.notes.iter().filter(|_| is_verbose()) {
        report.note(&format!("{}: {note}", scores.name));
    }
}

/// The files that are read, for the comparison with those that are written.
fn on_disk(found: &Predictions) -> Vec<Result<InputFile, InputFailure>> {
    let mut paths: Vec<PathBuf> = found.files.iter().flat_map(PredictionFiles::paths).map(Path::to_owned).collect();
    paths.sort_unstable();
    paths.dedup();
    // Nor is standard input a file.
    paths.retain(|path| path != Path::new("-"));
    let file = |path: PathBuf| InputFile { name: path.display().to_string(), path, size: 0, source: Source::File };
    paths.into_iter().map(file).map(Ok).collect()
}
