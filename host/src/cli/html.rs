//! `prism report`.

use super::args::ReportArgs;
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::job::{Job, Sink};
use super::predicted::beside;
use super::provenance;
use prism_host::output::{Columns, RelationFailures, check_place};
use prism_host::report::ReportFile;
use std::collections::HashMap;

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
        selection: Columns::default().selection(),
        min_feature_value: 0.0,
        labels: false,
        annotations: None,
        lineages: None,
        provenance: &args.provenance,
        between: None,
        failures: RelationFailures::default(),
        sites: None,
        trajectory: None,
        atoms: false,
        atoms_if_known: false,
        shard: None,
        of_structures: true,
        files: Files::default().writes(OUTPUT, Some(output)),
    };
    job.run(|origin| {
        let predictions = if args.pae { beside(&job)? } else { HashMap::new() };
        let report = ReportFile::create(output, args.details)?.with_predictions(predictions);
        Ok(Sink::Report(Box::new(report), origin.clone()))
    })
}
