//! `--pae` of `prism edges`, `prism interface` and `prism report`: the predictions that lie beside models.

use super::failure::Failure;
use super::files::Files;
use super::job::Job;
use super::relations::{Destination, write};
use anyhow::anyhow;
use prism_host::confidence::{PredictionFiles, Predictions};
use prism_host::engine::Selection;
use prism_host::inputs::{InputFile, Source};
use prism_host::output::{LinesOf, Provenance, Relation, WithErrors};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Writes a relation, with errors if `pae` asks for them. Returns the exit status.
pub fn write_with_errors<R: Relation + 'static>(
    pae: bool,
    to: Destination<'_>,
    selection: Selection,
    lines: LinesOf,
    make: impl FnOnce(&Job<'_>, &Provenance) -> Result<R, Failure>,
) -> Result<u8, Failure> {
    if !pae {
        return write(to, selection, make);
    }
    let failures = to.failures.clone();
    write(to, selection, |job, provenance| {
        let predictions = beside(job)?;
        Ok(WithErrors { relation: make(job, provenance)?, lines, predictions, failures })
    })
}

/// The predictions of a job's inputs, by the names of their structures.
pub fn beside(job: &Job<'_>) -> Result<HashMap<String, PredictionFiles>, Failure> {
    let list = job.args.read.from_file.as_deref();
    if list == Some(Path::new("-")) {
        return Err(Failure::usage(anyhow!("--pae reads the list of inputs again; give --from-file a file")));
    }
    let inputs = job.args.read.discover(job.paths, Files::default())?;
    let mut paths = job.paths.to_vec();
    paths.extend(list.map(super::reading::listed).transpose()?.into_iter().flatten());
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let names: HashMap<PathBuf, &InputFile> =
        inputs.entries.iter().flatten().map(|input| (place(&input.path), input)).collect();
    let named = |files: PredictionFiles| {
        let name = match names.get(&place(files.model_path())) {
            Some(input) if matches!(input.source, Source::Archive) => {
                // A member is called by its path there, behind the archive's name.
                let archive = format!("{}/", input.path.file_name().unwrap_or_default().to_string_lossy());
                let member = files.name.split_once(&archive).map_or(&*files.name, |(_, member)| member);
                format!("{}/{member}", input.name)
            }
            Some(input) => input.name.clone(),
            None => files.name.clone(),
        };
        (name, files)
    };
    Ok(Predictions::find(&paths).files.into_iter().map(named).collect())
}
