//! `prism dockq`: models compared with a reference.

use super::args::{ComparisonArgs, DockqArgs};
use super::failure::Failure;
use super::provenance;
use super::reading::PolymersArg;
use super::relations::write;
use super::report::warn;
use anyhow::anyhow;
use prism_host::dockq::{Reference, read_reference};
use prism_host::engine::Selection;
use prism_host::output::DockqRelation;
use prism_host::read::ReadOptions;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Writes the table of compared models. Returns the exit status.
pub fn run(mut args: DockqArgs) -> Result<u8, Failure> {
    args.relation.job.read.polymers.get_or_insert(PolymersArg::All);
    args.relation.job.refuse_points_file()?;
    let trajectory = args.relation.trajectory.given();
    if args.comparison.small_molecules && trajectory.is_some() {
        let advice =
            "--small-molecules: ligands of trajectories are not compared; write frames as files and give those";
        return Err(Failure::usage(anyhow!(advice)));
    }
    let (digest, comparison) = (provenance::digest_of(&args.reference), format!("{:?}", args.comparison));
    // Warnings about the file are given where it is read.
    let digest = digest.unwrap_or_default();
    let what = json!({ "command": "dockq", "reference_sha256": digest, "comparison": comparison });
    let mut to = args.relation.destination(what);
    to.atoms_if_known = true;
    to.beside = to.beside.reads(Some(&args.reference));
    let failures = to.failures.clone();
    let reference = Arc::new(reference(&args.reference, &args.comparison, &args.relation.job.read.options())?);
    let none = Selection::new(std::iter::empty(), false);
    write(to, none, |_, _| Ok(DockqRelation::new(Arc::clone(&reference), failures.clone())))
}

/// Reads a reference.
pub fn reference(path: &Path, comparison: &ComparisonArgs, options: &ReadOptions) -> Result<Reference, Failure> {
    let read = read_reference(path, options)
        .map_err(|failure| Failure::usage(anyhow!("--reference: {}: {}", failure.name, failure.reason)))?;
    for note in read.notes.iter().filter(|note| note.kind.is_warning()) {
        warn(&format!("{}: {}", read.structure.name, note.text));
    }
    let reference = Reference::new(&read.structure, comparison.comparison());
    reference.map_err(|error| Failure::usage(anyhow!("--reference: {error}")))
}
