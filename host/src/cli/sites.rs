//! `prism sites`.

use super::args::SitesArgs;
use super::failure::Failure;
use super::job::{Job, Sink};
use prism_host::engine::Selection;
use prism_host::output::{OutputFile, SitesOptions, SitesTable, SitesView};
use shared_types::FEATURES;
use std::path::Path;

/// Computes the table of sites; answers the exit status.
pub fn run(args: &SitesArgs) -> Result<u8, Failure> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let points = args.job.points_file();
    let mut selection = Selection::new(FEATURES.iter().filter(|feature| feature.name == "site_score"), true);
    let mut options = SitesOptions { most: args.max_sites, least: args.min_score, ..SitesOptions::default() };
    if let Some(path) = output {
        options.format = OutputFile::check_sites(path)?;
    }
    if points.is_some() || args.script.is_some() || args.write_structure.is_some() {
        let [input] = args.paths.as_slice() else {
            return Err(Failure::usage(anyhow::anyhow!(
                "--points FILE, --script and --write-structure are of one structure; give one file"
            )));
        };
        let mut view = SitesView::new(points.cloned(), args.script.clone(), input.clone())?;
        if let Some(path) = &args.write_structure {
            view = view.with_structure(path.clone())?;
        }
        options.view = Some(view);
    }
    if points.is_some() {
        selection = selection.with_points();
    }
    let job = Job {
        paths: &args.paths,
        args: &args.job,
        selection,
        min_feature_value: 0.0,
        labels: false,
        annotations: None,
        lineages: None,
        provenance: &args.provenance,
    };
    super::provenance::check(&args.provenance)?;
    job.run(|_| {
        Ok(match output {
            Some(path) => Sink::File(OutputFile::create_sites(path, options)?),
            None => Sink::stdout(|out| SitesTable::new(out, options)),
        })
    })
}
