//! Reading structures, computing, and writing a table: shared by all commands that do this.

use super::annotated::Annotated;
use super::args::{BackendArg, JobArgs, ProvenanceArgs, Shard, TrajectoryArgs};
use super::between;
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::interrupt::Interrupt;
use super::provenance::{self, Digests};
use super::reading::{ReadArgs, joined};
use super::report::{Report, is_verbose};
use super::timings::Timings;
use prism_host::annotations::Annotations;
use prism_host::dataset::Dataset;
use prism_host::engine::{Engine, EngineBuilder, Selection};
use prism_host::huge_pages;
use prism_host::inputs::{self, InputFailure, InputFile, Inputs};
use prism_host::lineages::Lineages;
use prism_host::output::{
    ColouredStructures, OutputError, OutputFile, PrankFolder, Provenance, RelationFailures, SiteCounts, SitesTally,
    StatusFile, StructureRows, Table,
};
use prism_host::pipeline::{
    self, Computed, Outcome, Reading, Stopped, StructureFiles, Telemetry, TrajectoryFrames, WorkerTime,
};
use prism_host::plural::counted;
use prism_host::read::ReadOptions;
use prism_host::report::ReportFile;
use prism_host::run::{BatchSource, Run};
use prism_host::sites::LIKELY;
use shared_types::MegaFusedConfig;
use std::io::{BufWriter, Stdout, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A run of this many atoms fills so much memory that page faults count: a gigabyte of text has five times as many.
const MANY_ATOMS: usize = 1 << 21;

/// Where the table goes.
pub enum Sink {
    Stdout(Box<dyn Table>, Arc<AtomicU64>),
    File(OutputFile),
    Report(Box<ReportFile>, Provenance),
    /// A table, and structures coloured by a column.
    Coloured(Box<Sink>, ColouredStructures),
    /// A table, and structures as mmCIF with its columns.
    Annotated(Box<Sink>, Box<Annotated>),
    /// Files for each structure.
    Prank(Box<PrankFolder>),
}

impl Sink {
    /// Standard output, written by the table that `table` creates.
    pub fn stdout<T: Table + 'static>(table: impl FnOnce(BufWriter<Counted>) -> T) -> Self {
        let bytes = Arc::<AtomicU64>::default();
        let counted = Counted { out: stdout(), bytes: Arc::clone(&bytes) };
        Self::Stdout(Box::new(table(BufWriter::new(counted))), bytes)
    }

    fn is_stdout(&self) -> bool {
        match self {
            Self::Coloured(table, _) | Self::Annotated(table, _) => table.is_stdout(),
            _ => matches!(self, Self::Stdout(..)),
        }
    }

    fn temporary_path(&self) -> Option<&Path> {
        match self {
            Self::Stdout(..) => None,
            Self::File(file) => file.temporary_path(),
            Self::Report(report, _) => report.temporary_path(),
            Self::Prank(_) => None,
            Self::Coloured(table, _) | Self::Annotated(table, _) => table.temporary_path(),
        }
    }

    /// Writes a batch. (A report is written with the notes of each structure: see `consume`.)
    fn write(&mut self, computed: &Arc<Computed>, report: &mut Report) -> Result<(), Stop> {
        match self {
            _ if computed.rows().next().is_none() => {}
            Self::Stdout(table, _) => table.write_shared(computed)?,
            Self::File(file) => file.write_shared(computed)?,
            Self::Report(..) => {}
            Self::Prank(folder) => folder.write_shared(computed)?,
            Self::Annotated(table, structures) => {
                table.write(computed, report)?;
                for part in computed.rows() {
                    structures.write(&part, report)?;
                }
            }
            Self::Coloured(table, structures) => {
                table.write(computed, report)?;
                for part in computed.rows() {
                    match structures.write(&part) {
                        Err(OutputError::ViewInput { problem, .. }) => {
                            report.error(&part.structure.name, &format!("cannot be written again: {problem}"));
                        }
                        written => written?,
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the number of written bytes.
    pub fn finish(self) -> Result<u64, OutputError> {
        match self {
            Self::Stdout(table, bytes) => {
                table.finish()?;
                Ok(bytes.load(Ordering::Relaxed))
            }
            Self::File(file) => file.commit(),
            Self::Report(report, origin) => report.commit(&origin),
            Self::Coloured(table, _) | Self::Annotated(table, _) => table.finish(),
            Self::Prank(folder) => folder.finish().map(|()| 0),
        }
    }
}

/// Standard output with a count of the written bytes.
pub struct Counted {
    out: Stdout,
    bytes: Arc<AtomicU64>,
}

impl Write for Counted {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(buffer)?;
        self.bytes.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Why the pipeline ends early.
pub enum Stop {
    Failure(Failure),
    /// An input failed, and `--fail-fast` was given.
    FirstFailed,
}

impl<F: Into<Failure>> From<F> for Stop {
    fn from(failure: F) -> Self {
        Self::Failure(failure.into())
    }
}

/// A command's request.
pub struct Job<'a> {
    /// Files and directories.
    pub paths: &'a [PathBuf],
    pub args: &'a JobArgs,
    /// What to compute.
    pub selection: Selection,
    pub min_feature_value: f32,
    /// Whether residues' identifiers in other tables are written.
    pub labels: bool,
    /// Annotations, and their file.
    pub annotations: Option<(&'a Path, Arc<Annotations>)>,
    /// Lineages, and their file.
    pub lineages: Option<(&'a Path, Arc<Lineages>)>,
    /// The provenance to record.
    pub provenance: &'a ProvenanceArgs,
    /// Two chains that every input must have.
    pub between: Option<[String; 2]>,
    /// Structures whose lines the table cannot compute.
    pub failures: RelationFailures,
    /// What a table of sites has.
    pub sites: Option<SitesTally>,
    pub trajectory: Option<&'a TrajectoryArgs>,
    /// Whether its values depend on which chains make a structure.
    pub of_structures: bool,
    /// Whether matrices are read that lie beside the structures.
    pub pae: bool,
    /// Whether it is asked what each atom is, and for residues without rows.
    pub atoms: bool,
    /// The same where inputs have it: data sets do not.
    pub atoms_if_known: bool,
    /// Whether it is asked for water.
    pub water: bool,
    /// The share of the inputs, of a run that is not into a folder.
    pub shard: Option<Shard>,
    /// What the command writes, besides status and provenance.
    pub files: Files,
}

impl Job<'_> {
    /// The configuration of kernels.
    pub fn config(&self) -> MegaFusedConfig {
        MegaFusedConfig {
            contact_threshold: self.args.contact_threshold,
            min_feature_value: self.min_feature_value,
            points: self.args.n_points(),
            site_threshold: self.args.site_threshold,
        }
    }

    /// An engine with the job's options for another selection.
    pub fn engine_of(&self, selection: Selection) -> Result<Engine, Failure> {
        Ok(self.builder(selection).build()?)
    }

    fn builder(&self, selection: Selection) -> EngineBuilder {
        self.args.of_backend(Engine::builder().config(self.config()).selection(selection))
    }

    /// All files besides the inputs.
    fn files(&self) -> Files {
        let files = self.files.clone().writes("--status", self.args.status.as_deref());
        let files = files.writes("--provenance", self.provenance.provenance.as_deref());
        let files = files.reads(self.annotations.as_ref().map(|(path, _)| *path));
        files.reads(self.lineages.as_ref().map(|(path, _)| *path))
    }

    /// Finds the inputs.
    pub fn find(&self) -> Result<Found, Failure> {
        let begin = Instant::now();
        let interrupt = Interrupt::listen().map_err(|error| super::limits::no_thread(&error))?;
        let run = Run::begin(self.builder(self.selection.clone()), self.paths);
        if let Some(args) = self.trajectory {
            let (frames, inputs) = self.frames(args, interrupt.cancel())?;
            let files = self.files().writes_more_into(OUTPUT, super::parts::names_of(frames.n_frames()));
            files.check(self.paths, &inputs.entries)?;
            let (report, atoms) = (Report::of_frames(frames.n_frames()), frames.atoms());
            let frames = Some(frames);
            return Ok(Found { begin, interrupt, run, report, atoms, entries: inputs.entries.into(), frames });
        }
        let mut inputs = self.args.read.discover(self.paths, self.files())?;
        if self.atoms {
            super::ligands::refuse_packed(&inputs)?;
        }
        if let Some(shard) = self.shard {
            inputs.entries = shard.of_inputs(inputs.entries).map_err(Failure::work)?;
        }
        if let (true, Some(old)) = (self.labels, inputs.without_labels()) {
            let (old, advice) =
                (old.display(), "which do not keep label_asym_id and the like; pack the structures again");
            return Err(Failure::usage(anyhow::anyhow!(
                "--columns: {old} is of an older version's data sets, {advice}"
            )));
        }
        let report = Report::new(inputs.entries.len());
        if self.pae {
            note_beside(&inputs, &report);
        } else {
            note_ignored(&inputs, &report);
        }
        refuse_nothing(&inputs)?;
        let (atoms, frames) = (inputs.atoms_about(), None);
        Ok(Found { begin, interrupt, run, report, atoms, entries: inputs.entries.into(), frames })
    }

    /// Makes the engine ready. Where that takes long, `source` reads meanwhile.
    pub fn ready(&self, found: Found, source: Option<&mut BatchSource>) -> Result<Ready, Failure> {
        let Found { begin, interrupt, run, report, atoms, .. } = found;
        let engine = run.ready(atoms, source)?;
        let annotations = self.annotations();
        let status = self.args.status.as_deref().map(StatusFile::create).transpose()?;
        Ok(Ready { begin, interrupt, engine, annotations, report, status, workers: Vec::new() })
    }

    fn annotations(&self) -> Arc<Annotations> {
        self.annotations.as_ref().map(|(_, known)| Arc::clone(known)).unwrap_or_default()
    }

    /// Reads some inputs.
    pub fn source(&self, entries: Entries, interrupt: &Interrupt) -> Result<StructureFiles, Failure> {
        let options = ReadOptions {
            labels: self.labels,
            atoms: self.atoms || self.atoms_if_known,
            water: self.water,
            ..read_options(&self.args.read)
        };
        let source = StructureFiles::new(entries, options, self.annotations(), Run::BATCH_ATOMS, interrupt.cancel())
            .map_err(|error| super::limits::no_threads(&error))?;
        Ok(source.with_lineages(self.lineages.as_ref().map(|(_, lineages)| Arc::clone(lineages))))
    }

    /// Computes some inputs into a sink.
    pub fn pass(&self, ready: &mut Ready, source: BatchSource, sink: &mut Sink) -> Result<Telemetry, Stopped<Stop>> {
        let Ready { interrupt, engine, report, status, workers, .. } = ready;
        let source = source.sized_for(engine).map(|batch| match &self.between {
            Some(chains) => between::require(chains, batch),
            None => batch,
        });
        let fail_fast = self.args.read.fail_fast;
        let ended = pipeline::run(engine, source, interrupt.cancel(), |computed| {
            let computed = Arc::new(computed);
            let mut lost = Vec::new();
            if self.of_structures && self.args.read.joins_chains() {
                report.joined += joined(&computed.batch);
            }
            let consumed = consume(&computed, sink, report, fail_fast).and_then(|()| {
                lost = self.failures.take();
                for (name, note) in self.failures.take_notes() {
                    match between::unread_partners(&computed.batch, &name, &note) {
                        Some(failure) if self.between.is_none() => lost.push(failure),
                        _ => report.notes(&name, &[note], false),
                    }
                }
                for (name, text) in self.sites.iter().flat_map(SitesTally::take_warnings) {
                    report.warning(&name, &text);
                }
                lose(&lost, &computed, report, fail_fast)
            });
            if matches!(consumed, Ok(()) | Err(Stop::FirstFailed)) {
                note_status(&computed, status.as_mut(), &lost)?;
            }
            consumed
        });
        if let Ok(telemetry) = &ended {
            for worker in &telemetry.workers {
                match workers.iter_mut().find(|one| one.name == worker.name) {
                    Some(one) => one.amount.structures += worker.amount.structures,
                    None => workers.push(worker.clone()),
                }
            }
        }
        ended
    }

    /// The failure of a run that was stopped.
    pub fn failure(stopped: Stopped<Stop>, ready: &Ready) -> Failure {
        match stopped {
            Stopped::Consumer(Stop::Failure(failure)) => failure,
            Stopped::Engine(error) => (*error).into(),
            Stopped::Threads(error) => super::limits::no_thread(&error),
            Stopped::Cancelled | Stopped::Consumer(Stop::FirstFailed) => {
                Failure::Interrupted(ready.interrupt.exit_status())
            }
        }
    }

    /// Computes, and writes to the sink that `sink` creates when everything is ready. Returns the exit status.
    pub fn run(&self, sink: impl FnOnce(&Provenance) -> Result<Sink, Failure>) -> Result<u8, Failure> {
        let mut found = self.find()?;
        let entries = Arc::clone(&found.entries);
        if !matches!(self.args.backend, BackendArg::Cpu) && found.atoms >= MANY_ATOMS {
            huge_pages::prepare_heaps();
        }
        let mut source = match found.frames.take() {
            Some(frames) => BatchSource::Frames(frames),
            None => BatchSource::Files(self.source(Arc::clone(&entries), &found.interrupt)?),
        };
        let mut ready = self.ready(found, Some(&mut source))?;
        let args = self.args;
        let digests = Digests::of(self.provenance, &entries);
        let origin = provenance::of_run(self.config(), &ready.engine, &digests);
        let mut sink = sink(&origin)?;
        match &mut sink {
            Sink::Coloured(_, structures) => structures.know(entries.iter().flatten()),
            Sink::Annotated(_, structures) => structures.know(entries.iter().flatten())?,
            Sink::Prank(folder) => folder.know(entries.iter().flatten()),
            _ => {}
        }
        ready.interrupt.remove_on_exit(sink.temporary_path());
        let (start, start_cores) = (ready.begin.elapsed(), pipeline::cores_time());
        let ended = self.pass(&mut ready, source, &mut sink);
        ready.report.clear_bar();
        let finish = Instant::now();
        let to_file = !sink.is_stdout();
        let finished = match ended {
            _ if ready.interrupt.cancel().is_cancelled() => Err(Failure::Interrupted(ready.interrupt.exit_status())),
            Ok(telemetry) if ready.report.structures > 0 => sink.finish().map_err(Failure::from).map(|bytes| {
                let mut timings = Timings { start, start_cores, telemetry, finish: finish.elapsed() };
                timings.telemetry.write.amount.bytes = bytes;
                Some(timings)
            }),
            Ok(_) | Err(Stopped::Consumer(Stop::FirstFailed)) => Ok(None),
            Err(stopped) => Err(Self::failure(stopped, &ready)),
        };
        if to_file && (args.read.fail_fast && ready.report.failed > 0 || finished.is_err()) {
            // A file appears only when it is committed.
            (ready.report.structures, ready.report.residues) = (0, 0);
        }
        let timings = finished?;
        let mut beside: Vec<Failure> = Vec::new();
        beside.extend(ready.status.take().and_then(|status| status.commit().err()).map(Failure::from));
        if timings.is_some() {
            beside.extend(provenance::write(self.provenance, &origin, &digests).err().map(Failure::from));
        } else if let Some(failure) = beside.pop() {
            return Err(failure);
        }
        let beside = beside.iter().map(|failure| failure.report_beside("the table is written")).max();
        self.sum_up(&ready);
        if let (Some(form), Some(timings)) = (args.timings, timings) {
            timings.tell(form);
        }
        let status = ready.report.exit_status().max(beside.unwrap_or_default());
        // The end of the process frees a device's memory faster than freeing each buffer.
        std::mem::forget(ready.engine);
        Ok(status)
    }

    /// The last lines.
    pub fn sum_up(&self, ready: &Ready) {
        let Ready { engine, annotations, report, workers, .. } = ready;
        report.clear_bar();
        let unmatched = annotations.unmatched();
        if let Some((path, _)) = self.annotations.as_ref().filter(|_| unmatched > 0) {
            let lines = counted(unmatched, "line matches", "lines match");
            report.warning(&path.display().to_string(), &format!("{lines} no residue"));
        }
        if let Some(counts) = self.sites.as_ref().map(SitesTally::counts) {
            report.note(&about_sites(counts));
        }
        report.sum_up(&backend(engine, workers));
    }
}

/// The headline of a table of sites.
fn about_sites(SiteCounts { written, likely, left_out }: SiteCounts) -> String {
    let likely = counted(likely, "site is likely to bind a ligand", "sites are likely to bind ligands");
    format!(
        "{likely} (probability of at least {LIKELY}); {written} in the table, {left_out} left out (--min-probability, \
         --max-sites; --all)"
    )
}

/// Inputs, or why some cannot be read.
pub type Entries = Arc<[Result<InputFile, InputFailure>]>;

/// A run's inputs.
pub struct Found {
    begin: Instant,
    pub interrupt: Interrupt,
    run: Run,
    report: Report,
    pub entries: Entries,
    /// About how many atoms they have.
    atoms: usize,
    /// The frames of a trajectory, if the inputs are of one.
    pub frames: Option<TrajectoryFrames>,
}

/// The engine of a run, and what goes into its outputs.
pub struct Ready {
    begin: Instant,
    pub interrupt: Interrupt,
    pub engine: Arc<Engine>,
    annotations: Arc<Annotations>,
    pub report: Report,
    /// The status of each input, if requested.
    pub status: Option<StatusFile>,
    /// The work of each device, or of the CPU's cores.
    workers: Vec<WorkerTime>,
}

/// The provenance of the table, and the notes of the run.
fn backend(engine: &Engine, workers: &[WorkerTime]) -> String {
    let active: Vec<_> = workers.iter().filter(|worker| worker.amount.structures > 0).collect();
    let mut text = match active[..] {
        [] => engine.backend_name().to_owned(),
        [one] => one.name.clone(),
        _ => {
            let each = active.iter().map(|worker| format!("{} on {}", worker.amount.structures, worker.name));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    for lost in engine.lost() {
        text.push_str(&format!("; {} failed, and its batches were computed elsewhere", lost.name));
    }
    text
}

/// The reading options of the command line.
pub fn read_options(args: &ReadArgs) -> ReadOptions {
    args.options()
}

pub fn refuse_nothing(inputs: &Inputs) -> Result<(), Failure> {
    if inputs.entries.is_empty() {
        return Err(Failure::work(anyhow::anyhow!("no structure files ({}) were found", inputs::taken())));
    }
    Ok(())
}

pub fn note_ignored(inputs: &Inputs, report: &Report) {
    /// Files that are opened to look for a data set.
    const MOST_LOOKED_AT: usize = 16;
    for (directory, count) in &inputs.ignored {
        report.note(&format!("{}: {}", directory.display(), inputs::ignored(*count)));
    }
    // Tables of earlier runs have the same extension, and are no inputs. So folders give no data sets.
    let arrow = inputs.ignored_files.iter().filter(|file| file.extension().is_some_and(|ext| ext == "arrow"));
    if let Some(set) = arrow.take(MOST_LOOKED_AT).find(|file| Dataset::open(file).is_ok()) {
        report.note(&format!("{}: a packed data set is read if it is named itself", set.display()));
    }
    if is_verbose() {
        inputs.ignored_files.iter().for_each(|file| report.note(&format!("{}: ignored", file.display())));
    }
}

/// The same if some of these files are read, as those about a model are.
fn note_beside(inputs: &Inputs, report: &Report) {
    for (directory, files) in &inputs.ignored {
        let are = counted(*files, "file is no structure", "files are no structures");
        report.note(&format!("{}: {are}; --pae reads those that are about a model", directory.display()));
    }
    if is_verbose() {
        inputs.ignored_files.iter().for_each(|file| report.note(&format!("{}: is no structure", file.display())));
    }
}

/// Reports a failed input, also in the HTML report.
fn failed(sink: &mut Sink, report: &mut Report, name: &str, reason: &str) {
    report.error(name, reason);
    if let Sink::Report(page, _) = sink {
        page.failed(name, reason);
    }
}

/// Reports the structures of a written batch that the table could not compute.
fn lose(lost: &[InputFailure], computed: &Computed, report: &mut Report, fail_fast: bool) -> Result<(), Stop> {
    for failure in lost {
        report.error(&failure.name, &failure.reason);
        report.structures -= 1;
        let rows = computed.batch.structures.iter().find(|structure| structure.label() == failure.name);
        report.residues -= rows.map_or(0, |structure| structure.n_rows_with_hetero() as u64);
    }
    if fail_fast && !lost.is_empty() { Err(Stop::FirstFailed) } else { Ok(()) }
}

/// Adds the inputs of a batch to the status. `lost` are structures that the table could not compute.
fn note_status(computed: &Computed, status: Option<&mut StatusFile>, lost: &[InputFailure]) -> Result<(), OutputError> {
    let Some(status) = status else { return Ok(()) };
    let batch = &computed.batch;
    let mut structures = batch.structures.iter().zip(computed.results.iter());
    let readings = batch.readings.iter().copied().chain(std::iter::repeat(Reading::default()));
    for (outcome, reading) in batch.outcomes.iter().zip(readings) {
        match outcome {
            Outcome::Failed(failure) => status.failure(failure, reading)?,
            Outcome::Said { .. } => {}
            Outcome::Read { notes } => {
                let Some((structure, features)) = structures.next() else { break };
                let lost = lost.iter().find(|failure| failure.name == structure.label());
                let error = features.err().map(|error| error.to_string());
                let error = error.or_else(|| lost.map(|failure| failure.reason.clone()));
                status.structure(structure, notes, error.as_deref(), reading)?;
            }
        }
    }
    Ok(())
}

/// Writes a batch, and reports notes and errors of its inputs.
fn consume(computed: &Arc<Computed>, sink: &mut Sink, report: &mut Report, fail_fast: bool) -> Result<(), Stop> {
    let Computed { batch, results } = &**computed;
    let inputs = batch.outcomes.len();
    let mut structures = batch.structures.iter().zip(results.iter());
    let (mut written, mut residues) = (Vec::with_capacity(results.len()), 0);
    let readings = batch.readings.iter().copied().chain(std::iter::repeat(Reading::default()));
    for (outcome, reading) in batch.outcomes.iter().zip(readings) {
        match outcome {
            Outcome::Failed(failure) if failure.no_protein => report.failure(failure),
            Outcome::Failed(failure) => failed(sink, report, &failure.name, &failure.reason),
            Outcome::Said { name, text } => report.note(&format!("{name}: {text}")),
            Outcome::Read { notes } => {
                let Some((structure, features)) = structures.next() else { break };
                report.notes(&structure.name, notes, reading.packed);
                match features {
                    Ok(features) => {
                        residues += structure.n_rows_with_hetero() as u64;
                        written.push((StructureRows { structure, features }, notes.as_slice()));
                    }
                    Err(error) => failed(sink, report, &structure.label(), &error.to_string()),
                }
            }
        }
        if fail_fast && report.failed > 0 {
            return Err(Stop::FirstFailed);
        }
    }
    let count = written.len() as u64;
    if let Sink::Report(page, _) = sink {
        if !written.is_empty() {
            page.write(&written)?;
        }
    } else {
        sink.write(computed, report)?;
    }
    report.structures += count;
    report.residues += residues;
    report.advance(inputs);
    Ok(())
}
