//! Reading structures, computing, and writing a table: what all commands that do so share.

use super::args::JobArgs;
use super::failure::{ALL_DONE, Failure, NOTHING_WRITTEN, SOME_FAILED};
use super::pipeline::{self, Computed};
use super::report::Report;
use super::source::{Outcome, Source};
use prism_host::annotations::Annotations;
use prism_host::engine::Engine;
use prism_host::inputs::{self, EXTENSIONS, Inputs};
use prism_host::output::{OutputError, OutputFile, StructureRows, Table};
use prism_host::read::ReadOptions;
use shared_types::MegaFusedConfig;
use shared_types::site_model::CONTACT_THRESHOLD;
use std::path::{Path, PathBuf};

/// Where the table goes.
pub enum Sink {
    Stdout(Box<dyn Table>),
    File(OutputFile),
}

impl Sink {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        match self {
            Self::Stdout(table) => table.write(structures),
            Self::File(file) => file.write(structures),
        }
    }

    fn finish(self) -> Result<(), OutputError> {
        match self {
            Self::Stdout(table) => table.finish(),
            Self::File(file) => file.commit(),
        }
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
    pub min_feature_value: f32,
    /// Values given per residue, and the file that they come from.
    pub annotations: Option<&'a Path>,
}

impl Job<'_> {
    /// What to compute with.
    pub fn config(&self) -> MegaFusedConfig {
        MegaFusedConfig {
            contact_threshold: self.args.contact_threshold,
            min_feature_value: self.min_feature_value,
            points: self.args.points,
            site_threshold: self.args.site_threshold,
        }
    }

    /// Computes, and writes into what `sink` makes once all is ready; answers the exit status.
    pub fn run(&self, sink: impl FnOnce() -> Result<Sink, OutputError>) -> Result<u8, Failure> {
        let (args, config) = (self.args, self.config());
        let inputs = inputs::discover(self.paths).map_err(Failure::usage)?;
        let devices = args.devices.iter().copied();
        let engine = Engine::builder().backend(args.backend.into()).devices(devices).config(config).build()?;
        let annotations = match self.annotations {
            Some(path) => Annotations::read(path).map_err(Failure::work)?,
            None => Annotations::default(),
        };
        let mut report = Report::new(inputs.entries.len());
        note_ignored(&inputs, &report);
        if inputs.entries.is_empty() {
            return Err(Failure::work(anyhow::anyhow!("no structure files ({}) were found", EXTENSIONS.join(", "))));
        }
        if config.contact_threshold != CONTACT_THRESHOLD {
            report.warning(
                "--contact-threshold",
                &format!("sites are found with {CONTACT_THRESHOLD} Å only: site_score is empty, and no site is found"),
            );
        }
        let mut sink = sink()?;
        let options = ReadOptions { chains: args.chains.clone() };
        let source =
            Source::new(&inputs.entries, &options, &annotations, engine.batch_atoms()).map_err(Failure::work)?;
        let stopped =
            pipeline::run(&engine, source, |computed| consume(computed, &mut sink, &mut report, args.fail_fast));
        report.clear_bar();
        let to_file = matches!(sink, Sink::File(_));
        let finished = match stopped {
            Ok(()) if report.structures > 0 => sink.finish().map_err(Failure::from),
            Ok(()) | Err(Stop::FirstFailed) => Ok(()),
            Err(Stop::Failure(failure)) => Err(failure),
        };
        if to_file && (args.fail_fast && report.failed > 0 || finished.is_err()) {
            // A file that is not put in its place is not there.
            (report.structures, report.residues) = (0, 0);
        }
        finished?;
        let unmatched = annotations.unmatched();
        if let Some(path) = self.annotations.filter(|_| unmatched > 0) {
            let lines = if unmatched == 1 { "line matches" } else { "lines match" };
            report.warning(&path.display().to_string(), &format!("{unmatched} {lines} no residue"));
        }
        report.sum_up(engine.backend_name());
        Ok(match (report.failed, report.structures) {
            (_, 0) => NOTHING_WRITTEN,
            (0, _) => ALL_DONE,
            _ => SOME_FAILED,
        })
    }
}

fn note_ignored(inputs: &Inputs, report: &Report) {
    for (directory, count) in &inputs.ignored {
        let files = if *count == 1 { "1 file is".to_owned() } else { format!("{count} files are") };
        let extensions = EXTENSIONS.map(|extension| format!(".{extension}")).join(", ");
        report.note(&format!("{}: {files} ignored, being none of {extensions} (.gz)", directory.display()));
    }
}

/// Writes a batch, and says what is to be said about its inputs.
fn consume(computed: Computed, sink: &mut Sink, report: &mut Report, fail_fast: bool) -> Result<(), Stop> {
    let Computed { batch, features } = computed;
    let mut structures = batch.structures.iter().zip(&features);
    let mut parts = Vec::with_capacity(features.len());
    for outcome in &batch.outcomes {
        match outcome {
            Outcome::Failed(failure) => report.error(&failure.name, &failure.reason),
            Outcome::Read { warnings } => {
                let Some((structure, features)) = structures.next() else { break };
                for warning in warnings {
                    report.warning(&structure.name, warning);
                }
                match features {
                    Ok(features) => {
                        parts.push(StructureRows { structure, rows: &features.rows, site_ids: &features.site_ids })
                    }
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
    report.residues += parts.iter().map(|part| part.rows.len() as u64).sum::<u64>();
    report.advance(batch.outcomes.len());
    Ok(())
}
