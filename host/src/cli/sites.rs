//! `prism sites`.

use super::args::{SitesArgs, SitesFormatArg};
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::folder::is_one;
use super::job::Sink;
use super::relations::{Destination, selection, sink, write, write_sink};
use prism_host::engine::Selection;
use prism_host::output::{
    KnownPockets, LinesFile, MeasuredRelation, OutputFile, PocketsRelation, PrankFolder, RelationFailures,
    SitesRelation, SitesView, ViewedSites,
};
use serde_json::Value;
use shared_types::FEATURES;
use std::path::{Path, PathBuf};

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
        pae: false,
        sites: Some(sites.tally()),
        trajectory: args.trajectory.given(),
        atoms: false,
        atoms_if_known: false,
        water: false,
        folder: None,
        what: Value::Null,
        beside: Files::default()
            .writes("--points", points.map(PathBuf::as_path))
            .writes("--script", args.script.as_deref())
            .writes("--pockets", args.pockets.as_deref())
            .writes("--write-structure", args.write_structure.as_deref()),
    };
    if let Some(table) = &args.measure {
        return measure(args, to, table);
    }
    if args.format == SitesFormatArg::P2rank {
        return prank(args, to, selection, &sites);
    }
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
    if let Some(option) = args.job.read.divides() {
        return Err(Failure::usage(anyhow::anyhow!(
            "--points FILE, --script and --write-structure are of one structure, and {option} makes several; leave it out"
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

/// Measures the pockets of a table in each structure.
fn measure(args: &SitesArgs, to: Destination<'_>, table: &Path) -> Result<u8, Failure> {
    args.job.refuse_points_file()?;
    let pockets = KnownPockets::read(table).map_err(Failure::work)?;
    let failures = to.failures.clone();
    // The table counts no sites.
    let to = Destination { sites: None, beside: to.beside.clone().reads(Some(table)), ..to };
    write(to, selection(&[]), |_, _| Ok(MeasuredRelation::new(pockets.clone(), failures.clone())))
}

/// Writes P2Rank's files of each structure.
fn prank(args: &SitesArgs, to: Destination<'_>, selection: Selection, sites: &SitesRelation) -> Result<u8, Failure> {
    let refused = |advice: &str| Err(Failure::usage(anyhow::anyhow!("--format p2rank {advice}")));
    let given = [
        ("--points FILE", args.job.points_file().is_some()),
        ("--script", args.script.is_some()),
        ("--write-structure", args.write_structure.is_some()),
        ("--trajectory", args.trajectory.given().is_some()),
    ];
    let given = given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option);
    if let Some(option) = given.or(args.job.read.divides()) {
        return refused(&format!("writes files of structures as they are in theirs; leave out {option}"));
    }
    let Some(folder) = args.output.as_deref().filter(|path| is_one(path) || path.extension().is_none()) else {
        return refused("writes files for each structure: give a folder, -o FOLDER/");
    };
    let (tally, failures, limits) = (sites.tally(), to.failures.clone(), args.limits());
    let beside = to.beside.clone().writes_into(OUTPUT, Some(folder), PrankFolder::names);
    let to = Destination { output: None, beside, ..to };
    write_sink(
        to,
        selection.with_points(),
        |_| Ok(()),
        |_, _, _| Ok(Sink::Prank(Box::new(PrankFolder::create(folder, limits, tally, failures)?))),
    )
}
