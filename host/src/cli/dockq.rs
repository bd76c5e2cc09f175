//! `prism dockq`: models compared with a reference.

use super::args::{ComparisonArgs, DockqArgs};
use super::failure::Failure;
use super::reading::PolymersArg;
use super::relations::write;
use super::report::warn;
use anyhow::anyhow;
use prism_host::dockq::{Reference, read_reference};
use prism_host::engine::Selection;
use prism_host::output::DockqRelation;
use prism_host::read::{NoteKind, ReadOptions};
use std::path::Path;
use std::sync::Arc;

/// Writes the table of compared models. Returns the exit status.
pub fn run(mut args: DockqArgs) -> Result<u8, Failure> {
    if *args.relation.job.read.polymers.get_or_insert(PolymersArg::Protein) != PolymersArg::Protein {
        return Err(Failure::usage(anyhow!("--polymers: DNA and RNA are not compared; leave the option out")));
    }
    args.relation.job.refuse_points_file()?;
    let mut to = args.relation.destination();
    to.beside = to.beside.reads(Some(&args.reference));
    let failures = to.failures.clone();
    let reference = Arc::new(reference(&args.reference, &args.comparison, &args.relation.job.read.options())?);
    let none = Selection::new(std::iter::empty(), false);
    write(to, none, |_, _| Ok(DockqRelation::new(reference, failures)))
}

/// Reads a reference.
pub fn reference(path: &Path, comparison: &ComparisonArgs, options: &ReadOptions) -> Result<Reference, Failure> {
    let read = read_reference(path, options)
        .map_err(|failure| Failure::usage(anyhow!("--reference: {}: {}", failure.name, failure.reason)))?;
    // Nucleic acids would count in other programs.
    let is_told = |kind: NoteKind| kind.is_warning() || kind == NoteKind::NucleicAcid;
    for note in read.notes.iter().filter(|note| is_told(note.kind)) {
        let more = if note.kind == NoteKind::NucleicAcid { "; DNA and RNA are not compared" } else { "" };
        warn(&format!("{}: {}{more}", read.structure.name, note.text));
    }
    let reference = Reference::new(&read.structure, comparison.comparison());
    reference.map_err(|error| Failure::usage(anyhow!("--reference: {error}")))
}
