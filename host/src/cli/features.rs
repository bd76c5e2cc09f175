//! `prism features`.

use super::args::FeaturesArgs;
use super::failure::Failure;
use super::job::{Job, Sink};
use super::provenance;
use prism_host::output::{Columns, CsvTable, Format, OutputFile, check_place};
use std::path::Path;

/// Computes the table that the command line asks for; answers the exit status.
pub fn run(args: &FeaturesArgs) -> Result<u8, Failure> {
    if args.job.points_file().is_some() {
        return Err(Failure::usage(anyhow::anyhow!(
            "--points takes a number here; `prism sites` writes surface points"
        )));
    }
    let columns = match &args.columns {
        Some(names) => Columns::choose(names)?,
        None => Columns::default(),
    };
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = output {
        Format::of_path(path)?;
        check_place(path)?;
    }
    provenance::check(&args.provenance)?;
    let job = Job {
        paths: &args.paths,
        args: &args.job,
        selection: columns.selection(),
        min_feature_value: args.min_feature_value,
        annotations: args.annotations.as_deref(),
        provenance: &args.provenance,
    };
    job.run(|provenance| {
        Ok(match output {
            Some(path) => Sink::File(OutputFile::create(path, columns, provenance)?),
            None => Sink::stdout(|out| CsvTable::new(out, columns)),
        })
    })
}
