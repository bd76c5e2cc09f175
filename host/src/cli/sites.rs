//! `prism sites`.

use super::args::SitesArgs;
use super::failure::Failure;
use super::files::Files;
use super::relations::{Destination, sink, write, write_sink};
use prism_host::engine::Selection;
use prism_host::output::{
    LinesFile, OutputFile, PocketsRelation, RelationFailures, SitesRelation, SitesView, ViewedSites,
};
use serde_json::Value;
use shared_types::FEATURES;
use std::path::PathBuf;

/// Computes the table of sites. Returns the exit status.
pub fn run(args: &SitesArgs) -> Result<u8, Failure> {
    let points = args.job.points_file();
    let selection = Selection::new(FEATURES.iter().filter(|feature| feature.name == "site_score"), true);
    let sites = SitesRelation::new(args.limits());
    let to = Destination {
        paths: &args.paths,
        output: args.output.as_deref(),
        job: &args.job,
        provenance: &args.provenance,
        between: None,
        failures: RelationFailures::default(),
        sites: Some(sites.tally()),
        trajectory: args.trajectory.given(),
        atoms: false,
        atoms_if_known: false,
        folder: None,
        what: Value::Null,
        beside: Files::default()
            .writes("--points", points.map(PathBuf::as_path))
            .writes("--script", args.script.as_deref())
            .writes("--pockets", args.pockets.as_deref())
            .writes("--write-structure", args.write_structure.as_deref()),
    };
    if points.is_none() && args.script.is_none() && args.write_structure.is_none() {
        if args.trajectory.given().is_none() {
            return write(to, selection, |_, _| Ok(sites.clone()));
        }
        let pockets = args.pockets.as_deref();
        if let Some(path) = pockets {
            OutputFile::check_relation(path)?;
        }
        return write(to, selection, |_, provenance| {
            let create = |path| LinesFile::create(path, PocketsRelation::SUMMARY, provenance);
            Ok(PocketsRelation::new(sites.clone(), pockets.map(create).transpose()?))
        });
    }
    if args.trajectory.given().is_some() {
        return Err(Failure::usage(anyhow::anyhow!(
            "--points FILE, --script and --write-structure are of one structure, not of a trajectory"
        )));
    }
    if args.job.read.divides() {
        return Err(Failure::usage(anyhow::anyhow!(
            "--points FILE, --script and --write-structure are of one structure, and --each makes several; leave it out"
        )));
    }
    let [input] = args.paths.as_slice() else {
        return Err(Failure::usage(anyhow::anyhow!(
            "--points FILE, --script and --write-structure are of one structure; give one file"
        )));
    };
    let mut view = SitesView::new(points.cloned(), args.script.clone(), input.clone())?;
    if let Some(path) = &args.write_structure {
        view = view.with_structure(path.clone())?;
    }
    let selection = if points.is_some() { selection.with_points() } else { selection };
    write_sink(to, selection, OutputFile::check_relation, |_, output, provenance| {
        sink(output, ViewedSites { sites, view }, provenance)
    })
}
