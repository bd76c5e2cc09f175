//! `prism sites`.

use super::args::SitesArgs;
use super::failure::Failure;
use super::job::{Job, Sink};
use prism_host::engine::Selection;
use prism_host::output::{OutputFile, SitesTable};
use shared_types::FEATURES;
use std::path::Path;

/// Computes the table of sites; answers the exit status.
pub fn run(args: &SitesArgs) -> Result<u8, Failure> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = output {
        OutputFile::check_sites(path)?;
    }
    let selection = Selection::new(FEATURES.iter().filter(|feature| feature.name == "site_score"), true);
    let job = Job {
        paths: &args.paths,
        args: &args.job,
        selection,
        min_feature_value: 0.0,
        annotations: None,
        provenance: &args.provenance,
    };
    super::provenance::check(&args.provenance)?;
    job.run(|_| {
        Ok(match output {
            Some(path) => Sink::File(OutputFile::create_sites(path)?),
            None => Sink::stdout(SitesTable::new),
        })
    })
}
