//! Predicted complexes: their matrices for NumPy, and the tables of their scores.

use crate::consume::{Batch, Done, Failed, Message, failed};
use crate::ending::detached;
use crate::options::Options;
use crate::process;
use arrow_array::RecordBatch;
use prism_host::confidence::{Cutoffs, PredictionFiles, Predictions, Scores};
use prism_host::dockq::{Comparison, Reference, read_reference};
use prism_host::output::{
    COMPARED_PAIR_COLUMNS, COMPARED_STRUCTURE_COLUMNS, Cells, PAIR_COLUMNS, RESIDUE_COLUMNS, RelationColumn,
    STRUCTURE_COLUMNS, StructureRow, append_pairs, append_residues, append_structures, relation_batch,
};
use prism_host::read::ReadOptions;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a prediction, which are not read yet.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct PredictedFiles(PredictionFiles);

/// The predictions under some paths; failures; notes.
#[pyfunction]
pub fn find_predictions(
    py: Python<'_>,
    paths: Vec<PathBuf>,
) -> PyResult<(Vec<PredictedFiles>, Vec<Failed>, Vec<String>)> {
    let found = detached(py, || process::within(|| Predictions::find(&paths))).map_err(PyRuntimeError::new_err)?;
    let failures = found.failures.into_iter().map(failed).collect();
    let notes = [found.notes, found.choices].concat();
    Ok((found.files.into_iter().map(PredictedFiles).collect(), failures, notes))
}

#[pymethods]
impl PredictedFiles {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Reads the prediction, or says what is wrong with it.
    fn read(&self, py: Python<'_>) -> PyResult<Prediction> {
        let read = detached(py, || process::within(|| self.0.read())?);
        read.map(|prediction| Prediction(Arc::new(prediction))).map_err(PyRuntimeError::new_err)
    }
}

/// A prediction in memory.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Prediction(Arc<prism_host::confidence::Prediction>);

#[pymethods]
impl Prediction {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn chains(&self) -> Vec<String> {
        self.0.chains.clone()
    }

    /// Chain id, residue number and residue name of each row of the matrix.
    #[getter]
    fn tokens(&self) -> Vec<(String, i32, String)> {
        self.0.tokens().map(|(chain, number, name)| (chain.to_owned(), number, name.to_owned())).collect()
    }

    /// The predictor's ipTM, pTM and the value by which it ranks.
    #[getter]
    fn own(&self) -> (Option<f32>, Option<f32>, Option<f32>) {
        (self.0.iptm, self.0.ptm, self.0.ranking)
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    /// The matrix. It shares memory with the prediction.
    #[getter]
    fn errors(&self) -> Errors {
        Errors(Arc::clone(&self.0))
    }

    /// A table of its scores.
    fn table(&self, py: Python<'_>, table: &str, pae_cutoff: f32, distance_cutoff: f64) -> PyResult<Batch> {
        let scores = detached(py, || self.0.scores(Cutoffs { pae: pae_cutoff, distance: distance_cutoff }));
        let rows = batch(table, &[scores], false, None).map_err(PyRuntimeError::new_err)?;
        Ok(Done::of_rows(rows, Vec::new(), Vec::new(), 1).into())
    }
}

/// A matrix of predicted aligned errors, of which NumPy takes the memory as it is.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Errors(Arc<prism_host::confidence::Prediction>);

#[pymethods]
impl Errors {
    /// NumPy's array interface, version 3. NumPy keeps this object as long as the array.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (size, values) = (self.0.pae.size(), self.0.pae.values());
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", (size, size))?;
        interface.set_item("typestr", "<f4")?;
        // Nobody writes it: other threads may read it meanwhile.
        interface.set_item("data", (values.as_ptr().expose_provenance(), true))?;
        Ok(interface)
    }
}

/// Reads the structure that models are compared with.
fn read(reference: &Path, comparison: Comparison) -> Result<(Reference, Vec<Message>), String> {
    let read = read_reference(reference, &ReadOptions::default()).map_err(|failure| failure.reason)?;
    let name = read.structure.name.clone();
    let warnings = read.notes.iter().filter(|note| note.kind.is_warning());
    let warnings = warnings.map(|note| (name.clone(), note.text.clone())).collect();
    let reference = Reference::new(&read.structure, comparison).map_err(|error| error.to_string())?;
    Ok((reference, warnings))
}

/// A table of the scores of predictions. All cores read and compute.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an option each")]
pub fn score_predictions(
    py: Python<'_>,
    files: Vec<PyRef<'_, PredictedFiles>>,
    table: &str,
    pae_cutoff: f32,
    distance_cutoff: f64,
    reference: Option<PathBuf>,
    best: Option<usize>,
    options: Options,
) -> PyResult<Batch> {
    let files: Vec<PredictionFiles> = files.iter().map(|files| files.0.clone()).collect();
    let cutoffs = Cutoffs { pae: pae_cutoff, distance: distance_cutoff };
    let comparison = options.comparison()?;
    let read = reference.as_deref().map(|path| detached(py, || read(path, comparison))).transpose();
    let (reference, own_warnings) = read.map_err(PyRuntimeError::new_err)?.unzip();
    let of = |files: &PredictionFiles| files.scores(cutoffs, reference.as_ref());
    let read: Vec<Result<Scores, String>> =
        detached(py, || process::within(|| files.par_iter().map(of).collect())).map_err(PyRuntimeError::new_err)?;
    let (mut scores, mut failures) = (Vec::new(), Vec::new());
    let (mut notes, mut warnings): (Vec<Message>, Vec<Message>) = (Vec::new(), own_warnings.unwrap_or_default());
    for (files, read) in files.iter().zip(read) {
        match read {
            Ok(own) => {
                warnings.extend(own.all_warnings().map(|text| (own.name.clone(), text)));
                notes.extend(own.notes.iter().map(|note| (own.name.clone(), note.clone())));
                scores.push(own);
            }
            Err(reason) => failures.push((files.name.clone(), reason, false)),
        }
    }
    let rows = batch(table, &scores, reference.is_some(), best).map_err(PyRuntimeError::new_err)?;
    let mut done = Done::of_rows(rows, failures, notes, files.len());
    done.warn(warnings);
    Ok(done.into())
}

fn batch(table: &str, scores: &[Scores], compared: bool, best: Option<usize>) -> Result<RecordBatch, String> {
    let columns: &'static [RelationColumn] = match table {
        "residue" => &RESIDUE_COLUMNS,
        "structure" if compared => &COMPARED_STRUCTURE_COLUMNS,
        "structure" => &STRUCTURE_COLUMNS,
        _ if compared => &COMPARED_PAIR_COLUMNS,
        _ => &PAIR_COLUMNS,
    };
    let mut cells = Cells::of(columns);
    match table {
        "residue" => scores.iter().for_each(|scores| append_residues(scores, &mut cells)),
        "structure" => {
            let rows: Vec<StructureRow> = scores.iter().map(StructureRow::new).collect();
            append_structures(&rows, best, &mut cells);
        }
        _ => scores.iter().for_each(|scores| append_pairs(scores, &mut cells)),
    }
    relation_batch(columns, cells).map_err(|error| error.to_string())
}
