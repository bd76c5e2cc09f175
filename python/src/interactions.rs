//! Interactions of every atom: the table of `prism edges --kinds hbond,...`.

use crate::consume::{Batch, Done, Failed, Said, failed};
use crate::ending::detached;
use crate::options::{Options, refuse};
use crate::process;
use prism_host::inputs::{InputFailure, InputFile, Inputs};
use prism_host::interactions::{Dictionary, Interactions, Kind, Options as Wanted, interactions as find};
use prism_host::output::{Cells, append_interactions, interaction_columns, relation_batch};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use std::path::PathBuf;

/// An input.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// A file in memory, by its name.
    Bytes(String, Bound<'py, PyBytes>),
    Path(PathBuf),
}

/// The names of all kinds of interactions.
#[pyfunction]
pub fn interaction_kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.name()).collect()
}

/// The interactions of all inputs. All cores read and compute.
#[pyfunction]
pub fn interactions(py: Python<'_>, inputs: Vec<Given<'_>>, ccd: Option<PathBuf>, options: Options) -> PyResult<Batch> {
    let known = Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let kinds: Vec<Kind> = options
        .kinds
        .iter()
        .map(|kind| kind.parse().or_else(|_| refuse("kinds", &format!("of {known}"), kind)))
        .collect::<PyResult<_>>()?;
    let (alternates, name_by) = (options.alternates()?, options.name_by()?);
    let mut all = Inputs::default();
    for given in inputs {
        match given {
            Given::Path(path) => all.find(&path, "stdin"),
            Given::Bytes(name, bytes) => all.entries.push(Ok(InputFile::of_bytes(&name, bytes.as_bytes().to_vec()))),
        }
    }
    all.name_by(name_by, |_| false).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let work = || {
        let dictionary = ccd.map(|path| Dictionary::read(&path)).transpose();
        let dictionary = dictionary.map_err(|error| format!("ccd: {error}"))?;
        let chains = options.chains.as_deref();
        let of = Wanted { kinds: &kinds, chains, alternates, dictionary: dictionary.as_ref() };
        let entries = all.entries.into_par_iter();
        let computed: Vec<Vec<Outcome>> = process::within(|| entries.map(|entry| compute(entry, &of)).collect())?;
        Ok::<_, String>(computed.into_iter().flatten().collect::<Vec<_>>())
    };
    let computed = detached(py, work).map_err(PyValueError::new_err)?;
    let inputs = computed.len();
    let columns = interaction_columns(&kinds);
    let mut cells = Cells::of(columns);
    let (mut failures, mut notes): (Vec<Failed>, Vec<Said>) = Default::default();
    for outcome in computed {
        match outcome {
            Ok((name, found)) => {
                append_interactions(&name, &found, &mut cells);
                notes.extend(found.notes.into_iter().map(|note| (name.clone(), note)));
            }
            Err(failure) => failures.push(failed(failure)),
        }
    }
    let rows = relation_batch(columns, cells).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok(Done::of_rows(rows, failures, notes, inputs).into())
}

/// A structure's name and its interactions, or why it has none.
type Outcome = Result<(String, Interactions), InputFailure>;

fn compute(entry: Result<InputFile, InputFailure>, options: &Wanted<'_>) -> Vec<Outcome> {
    let file = match entry {
        Ok(file) => file,
        Err(failure) => return vec![Err(failure)],
    };
    let mut all = Vec::new();
    file.each_file(&mut |name, bytes| {
        all.push(bytes.and_then(|bytes| {
            let found = find(bytes, name, options).map_err(InputFailure::from)?;
            Ok((name.to_owned(), found))
        }));
        true
    });
    all
}
