//! `--pae` of `prism edges`, `prism interface` and `prism report`: the predictions that lie beside models.

use super::failure::Failure;
use super::files::Files;
use super::job::Job;
use super::relations::{Destination, write};
use anyhow::anyhow;
use prism_host::confidence::PredictionFiles;
use prism_host::engine::Selection;
use prism_host::output::{LinesOf, Provenance, Relation, WithErrors, predictions_beside};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Writes a relation, with errors if `pae` asks for them. Returns the exit status.
pub fn write_with_errors<R: Relation + 'static>(
    pae: bool,
    to: Destination<'_>,
    selection: Selection,
    lines: LinesOf,
    make: impl Fn(&Job<'_>, &Provenance) -> Result<R, Failure>,
) -> Result<u8, Failure> {
    if !pae {
        return write(to, selection, make);
    }
    let failures = to.failures.clone();
    write(Destination { pae, ..to }, selection, |job, provenance| {
        let predictions = Arc::new(beside(job)?);
        Ok(WithErrors { relation: make(job, provenance)?, lines, predictions, failures: failures.clone() })
    })
}

/// The predictions of a job's inputs, by the names of their structures.
pub fn beside(job: &Job<'_>) -> Result<HashMap<String, PredictionFiles>, Failure> {
    let list = job.args.read.from_file.as_deref();
    if list == Some(Path::new("-")) {
        return Err(Failure::usage(anyhow!("--pae reads the list of inputs again; give --from-file a file")));
    }
    if job.paths.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::usage(anyhow!(
            "--pae reads its inputs twice; save standard input as a file, and give that"
        )));
    }
    let inputs = job.args.read.discover(job.paths, Files::default())?;
    let mut paths = job.paths.to_vec();
    paths.extend(list.map(super::reading::listed).transpose()?.into_iter().flatten());
    Ok(predictions_beside(&inputs.entries, &paths))
}
