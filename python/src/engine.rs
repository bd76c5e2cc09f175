//! The engine: made once, held by whoever computes.

use crate::batch::Table;
use crate::source::Item;
use crate::stream::Stream;
use prism_host::output::Columns;
use prism_host::{Backend, ReadOptions};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use shared_types::MegaFusedConfig;
use std::sync::Arc;

/// What computes: a backend with its memory, made once and used by any number of threads.
#[pyclass(frozen, module = "prism._prism")]
pub struct Engine {
    engine: Arc<prism_host::Engine>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (backend, contact_threshold, points))]
    fn new(py: Python<'_>, backend: &str, contact_threshold: f32, points: u32) -> PyResult<Self> {
        let backend = match backend {
            "auto" => Backend::Auto,
            "cuda" => Backend::Cuda,
            "cpu" => Backend::Cpu,
            other => {
                return Err(PyValueError::new_err(format!(
                    "backend must be \"auto\", \"cuda\" or \"cpu\", not {other:?}"
                )));
            }
        };
        let config = MegaFusedConfig { contact_threshold, points, ..MegaFusedConfig::default() };
        // Threads of Python go on while a device is made ready.
        let built = py.detach(|| prism_host::Engine::builder().backend(backend).config(config).build());
        let engine = built.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Self { engine: Arc::new(engine) })
    }

    /// The backend, and why it was taken.
    #[getter]
    fn description(&self) -> &str {
        self.engine.backend_description()
    }

    /// Batches of a table of all `inputs`, in their order: paths as `str`, structures in memory as `(name, bytes)`.
    #[pyo3(signature = (inputs, columns, chains, table))]
    fn stream(
        &self,
        inputs: Vec<Item>,
        columns: Option<Vec<String>>,
        chains: Option<Vec<String>>,
        table: &str,
    ) -> PyResult<Stream> {
        let columns = match columns {
            Some(names) => Columns::choose(names).map_err(|error| PyValueError::new_err(error.to_string()))?,
            // Nobody gives annotations here.
            None => Columns::default().without_annotations(|_| false),
        };
        let labels = columns.has_labels();
        let table = Table::by_name(table, columns)?;
        // Computes what the table has, with the memory that is there.
        let engine = Arc::new(self.engine.with_selection(table.selection()));
        Stream::begin(engine, inputs, ReadOptions { chains, labels, ..ReadOptions::default() }, table)
    }
}
