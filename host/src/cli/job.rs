//! Reading structures, computing, and writing a table: what all commands that do so share.

use super::args::{DeviceArg, JobArgs, ProvenanceArgs, ReadArgs};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::provenance::{self, Digests};
use super::report::Report;
use super::timings::Timings;
use prism_host::annotations::Annotations;
use prism_host::engine::{Engine, Selection};
use prism_host::inputs::{self, EXTENSIONS, Inputs};
use prism_host::output::{OutputError, OutputFile, Provenance, StructureRows, Table};
use prism_host::pipeline::{self, Computed, Outcome, Stopped, StructureFiles};
use prism_host::read::ReadOptions;
use shared_types::MegaFusedConfig;
use std::io::{BufWriter, Stdout, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Where the table goes.
pub enum Sink {
    Stdout(Box<dyn Table>, Arc<AtomicU64>),
    File(OutputFile),
}

impl Sink {
    /// Standard output, written by the table that `table` makes.
    pub fn stdout<T: Table + 'static>(table: impl FnOnce(BufWriter<Counted>) -> T) -> Self {
        let bytes = Arc::<AtomicU64>::default();
        let counted = Counted { out: stdout(), bytes: Arc::clone(&bytes) };
        Self::Stdout(Box::new(table(BufWriter::new(counted))), bytes)
    }

    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        match self {
            Self::Stdout(table, _) => table.write(structures),
            Self::File(file) => file.write(structures),
        }
    }

    /// Answers how many bytes were written.
    fn finish(self) -> Result<u64, OutputError> {
        match self {
            Self::Stdout(table, bytes) => {
                table.finish()?;
                Ok(bytes.load(Ordering::Relaxed))
            }
            Self::File(file) => file.commit(),
        }
    }
}

/// Standard output, and how much was written there.
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

/// What ends the pipeline.
enum Stop {
    Failure(Failure),
    /// An input failed, and that was to be the end.
    FirstFailed,
}

impl<F: Into<Failure>> From<F> for Stop {
    fn from(failure: F) -> Self {
        Self::Failure(failure.into())
    }
}

/// What a command asks for beyond what all have.
pub struct Job<'a> {
    /// Files and directories.
    pub paths: &'a [PathBuf],
    pub args: &'a JobArgs,
    /// What to compute.
    pub selection: Selection,
    pub min_feature_value: f32,
    /// Values given per residue, and the file that they come from.
    pub annotations: Option<&'a Path>,
    /// What is to be kept of how the table came about.
    pub provenance: &'a ProvenanceArgs,
}

impl Job<'_> {
    /// What to compute with.
    pub fn config(&self) -> MegaFusedConfig {
        MegaFusedConfig {
            contact_threshold: self.args.contact_threshold,
            min_feature_value: self.min_feature_value,
            points: self.args.n_points(),
            site_threshold: self.args.site_threshold,
        }
    }

    fn engine(&self, config: MegaFusedConfig) -> Result<Engine, Failure> {
        let builder =
            Engine::builder().backend(self.args.backend.into()).config(config).selection(self.selection.clone());
        let number = |device: &DeviceArg| match device {
            DeviceArg::Number(number) => Some(*number),
            DeviceArg::All => None,
        };
        // `all` has no number, and stands for every one.
        let builder = match self.args.devices.iter().map(number).collect::<Option<Vec<_>>>() {
            Some(numbers) => builder.devices(numbers),
            None => builder.all_devices(),
        };
        Ok(builder.build()?)
    }

    /// Computes, and writes into what `sink` makes once all is ready; answers the exit status.
    pub fn run(&self, sink: impl FnOnce(&Provenance) -> Result<Sink, OutputError>) -> Result<u8, Failure> {
        let begin = Instant::now();
        let interrupt = Interrupt::listen().map_err(|error| super::limits::no_thread(&error))?;
        let (args, config) = (self.args, self.config());
        let inputs = discover(self.paths, &args.read)?;
        let engine = self.engine(config)?;
        let annotations = Arc::new(match self.annotations {
            Some(path) => Annotations::read(path).map_err(Failure::work)?,
            None => Annotations::default(),
        });
        let mut report = Report::new(inputs.entries.len());
        note_ignored(&inputs, &report);
        refuse_nothing(&inputs)?;
        let digests = Digests::of(self.provenance, &inputs.entries);
        let origin = provenance::of_run(config, &engine, &digests);
        let mut sink = sink(&origin)?;
        if let Sink::File(file) = &sink {
            interrupt.remove_on_exit(file.temporary_path());
        }
        let options = read_options(&args.read);
        let cancel = interrupt.cancel();
        let batch_atoms = pipeline::batch_atoms(&engine);
        let source = StructureFiles::new(inputs.entries, options, Arc::clone(&annotations), batch_atoms, cancel)
            .map_err(|error| super::limits::no_threads(&error))?;
        let start = begin.elapsed();
        let ended = pipeline::run(&engine, source, cancel, |computed| {
            consume(computed, &mut sink, &mut report, args.read.fail_fast)
        });
        report.clear_bar();
        let finish = Instant::now();
        let to_file = matches!(sink, Sink::File(_));
        let finished = match ended {
            _ if cancel.is_cancelled() => Err(Failure::Interrupted(interrupt.exit_status())),
            Ok(telemetry) if report.structures > 0 => sink.finish().map_err(Failure::from).map(|bytes| {
                let mut timings = Timings { start, telemetry, finish: finish.elapsed() };
                timings.telemetry.write.amount.bytes = bytes;
                Some(timings)
            }),
            Ok(_) | Err(Stopped::Consumer(Stop::FirstFailed)) => Ok(None),
            Err(Stopped::Consumer(Stop::Failure(failure))) => Err(failure),
            Err(Stopped::Engine(error)) => Err((*error).into()),
            Err(Stopped::Threads(error)) => Err(super::limits::no_thread(&error)),
            Err(Stopped::Cancelled) => Err(Failure::Interrupted(interrupt.exit_status())),
        };
        if to_file && (args.read.fail_fast && report.failed > 0 || finished.is_err()) {
            // A file that is not put in its place is not there.
            (report.structures, report.residues) = (0, 0);
        }
        let timings = finished?;
        if timings.is_some() {
            provenance::write(self.provenance, &origin, &digests)?;
        }
        let unmatched = annotations.unmatched();
        if let Some(path) = self.annotations.filter(|_| unmatched > 0) {
            let lines = if unmatched == 1 { "line matches" } else { "lines match" };
            report.warning(&path.display().to_string(), &format!("{unmatched} {lines} no residue"));
        }
        report.sum_up(&backend(&engine));
        if let (Some(form), Some(timings)) = (args.timings, timings) {
            timings.tell(form);
        }
        Ok(report.exit_status())
    }
}

/// What has computed, and what was left out on the way.
fn backend(engine: &Engine) -> String {
    let mut text = engine.backend_name().to_owned();
    for lost in engine.lost() {
        text.push_str(&format!("; {} failed, and its batches were computed elsewhere", lost.name));
    }
    text
}

/// What the command line says of how to read.
pub fn read_options(args: &ReadArgs) -> ReadOptions {
    ReadOptions { chains: args.chains.clone() }
}

/// The inputs under some paths, where they can be read as was asked.
pub fn discover(paths: &[PathBuf], read: &ReadArgs) -> Result<Inputs, Failure> {
    let inputs = inputs::discover(paths).map_err(Failure::usage)?;
    if read.chains.is_some() && inputs.has_packed() {
        let advice = "structures of a packed data set have the chains they were packed with; choose by `prism pack`";
        return Err(Failure::usage(anyhow::anyhow!("--chains: {advice}")));
    }
    Ok(inputs)
}

pub fn refuse_nothing(inputs: &Inputs) -> Result<(), Failure> {
    if inputs.entries.is_empty() {
        return Err(Failure::work(anyhow::anyhow!("no structure files ({}) were found", EXTENSIONS.join(", "))));
    }
    Ok(())
}

pub fn note_ignored(inputs: &Inputs, report: &Report) {
    for (directory, count) in &inputs.ignored {
        let files = if *count == 1 { "1 file is".to_owned() } else { format!("{count} files are") };
        let extensions = EXTENSIONS.map(|extension| format!(".{extension}")).join(", ");
        report.note(&format!("{}: {files} ignored, being none of {extensions} (.gz)", directory.display()));
    }
}

/// Writes a batch, and says what is to be said about its inputs.
fn consume(computed: Computed, sink: &mut Sink, report: &mut Report, fail_fast: bool) -> Result<(), Stop> {
    let Computed { batch, results } = computed;
    let mut structures = batch.structures.iter().zip(results.iter());
    let mut parts = Vec::with_capacity(results.len());
    for outcome in &batch.outcomes {
        match outcome {
            Outcome::Failed(failure) => report.error(&failure.name, &failure.reason),
            Outcome::Read { warnings } => {
                let Some((structure, features)) = structures.next() else { break };
                for warning in warnings {
                    report.warning(&structure.name, warning);
                }
                match features {
                    Ok(features) => parts.push(StructureRows { structure, features }),
                    Err(error) => report.error(&structure.name, &error.to_string()),
                }
            }
        }
        if fail_fast && report.failed > 0 {
            return Err(Stop::FirstFailed);
        }
    }
    if !parts.is_empty() {
        sink.write(&parts)?;
    }
    report.structures += parts.len() as u64;
    report.residues += parts.iter().map(|part| part.features.n_residues as u64).sum::<u64>();
    report.advance(batch.outcomes.len());
    Ok(())
}
