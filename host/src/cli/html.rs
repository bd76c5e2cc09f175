//! `prism report`.

use super::args::ReportArgs;
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::job::{Job, Sink};
use super::predicted::beside;
use super::provenance::{self, command_without_folders, name_of};
use super::relations::selection;
use prism_host::inputs::Source;
use prism_host::output::{Columns, RelationFailures, check_place};
use prism_host::read::{Each, Models, ReadOptions};
use prism_host::report::{InteractionFiles, ReportFile};
use std::path::{Path, PathBuf};

/// Computes and writes an HTML report. Returns the exit status.
pub fn run(args: &ReportArgs) -> Result<u8, Failure> {
    let output = &args.output;
    let is_page =
        |extension: &std::ffi::OsStr| extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm");
    if !output.extension().is_some_and(is_page) {
        return Err(Failure::usage(anyhow::anyhow!("{}: the extension must be html", output.display())));
    }
    args.job.refuse_points_file()?;
    check_place(output)?;
    provenance::check(&args.provenance)?;
    let job = Job {
        paths: &args.paths,
        args: &args.job,
        selection: Columns::default().selection().with_points(),
        min_feature_value: 0.0,
        labels: false,
        annotations: None,
        lineages: None,
        provenance: &args.provenance,
        between: None,
        failures: RelationFailures::default(),
        sites: None,
        trajectory: args.trajectory.given(),
        atoms: false,
        atoms_if_known: true,
        water: false,
        shard: None,
        of_structures: true,
        pae: args.pae,
        files: Files::default().writes(OUTPUT, Some(output)),
    };
    job.run(|origin| {
        let inputs = args.paths.iter().chain(&args.job.read.from_file).chain(&args.trajectory.trajectory);
        let written = |path: &PathBuf| if args.full_paths { path.display().to_string() } else { name_of(path) };
        let inputs = inputs.map(written).collect();
        let command = (!args.full_paths).then(command_without_folders);
        let mut report = ReportFile::create(output, args.details)?
            .with_title(args.title.clone(), inputs, command)
            .with_areas(job.engine_of(selection(&["sasa"]))?)
            .with_interactions(interactions(&job)?);
        if args.pae {
            report = report.with_predictions(beside(&job)?, job.failures.clone());
        }
        Ok(Sink::Report(Box::new(report), origin.clone()))
    })
}

/// The files in which interactions are looked for: those that hold structures as they are.
fn interactions(job: &Job<'_>) -> Result<InteractionFiles, Failure> {
    let ReadOptions { each, models, assembly, chains, alternates, .. } = job.args.read.options();
    let is_as_it_is = each == Each::Model && models == Models::First && assembly.is_none();
    let is_listed = job.args.read.from_file.as_deref() == Some(Path::new("-"));
    if !is_as_it_is || is_listed || job.trajectory.is_some() {
        return Ok(InteractionFiles::default());
    }
    let inputs = job.args.read.discover(job.paths, Files::default())?;
    let known =
        inputs.entries.into_iter().flatten().filter(|file| matches!(file.source, Source::File | Source::Archive));
    let (files, archives): (Vec<_>, Vec<_>) = known.partition(|file| matches!(file.source, Source::File));
    let files = files.into_iter().map(|file| (file.name.clone(), file)).collect();
    Ok(InteractionFiles { files, archives, chains, alternates })
}
