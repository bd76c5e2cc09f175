//! The engine, and the jobs that it does.

use crate::ending::detached;
use crate::frames::Frames;
use crate::lock::Unlocked;
use crate::names::Names;
use crate::options::{Options, Reading, refuse};
use crate::process;
use crate::source::{Lazy, entries};
use crate::stream::Stream;
use crate::table::{Table, unfilled};
use prism_host::Backend;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use shared_types::{MAX_POINTS, MIN_POINTS, MegaFusedConfig};
use std::sync::Arc;
use std::time::Instant;

/// A backend with its memory. Any number of threads may use it.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Engine {
    engine: Unlocked<Arc<prism_host::Engine>>,
    /// Whether it computes on devices alone.
    is_on_device: bool,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (backend, devices, contact_threshold, points, site_threshold, min_feature_value))]
    fn new(
        py: Python<'_>,
        backend: &str,
        devices: Option<Vec<usize>>,
        contact_threshold: Option<f32>,
        points: Option<i64>,
        site_threshold: Option<f32>,
        min_feature_value: Option<f32>,
    ) -> PyResult<Self> {
        let backend = match backend {
            "auto" => Backend::Auto,
            "cuda" => Backend::Cuda,
            "cpu" => Backend::Cpu,
            other => return refuse("backend", "\"auto\", \"cuda\" or \"cpu\"", other),
        };
        let usual = MegaFusedConfig::default();
        let config = MegaFusedConfig {
            contact_threshold: contact_threshold.unwrap_or(usual.contact_threshold),
            min_feature_value: min_feature_value.unwrap_or(usual.min_feature_value),
            points: points.map_or(Ok(usual.points), number_of_points)?,
            site_threshold: site_threshold.unwrap_or(usual.site_threshold),
        };
        process::check()?;
        let builder = prism_host::Engine::builder().backend(backend).config(config);
        let builder = match devices {
            // An empty list means all devices.
            Some(devices) if devices.is_empty() => builder.all_devices(),
            Some(devices) => builder.devices(devices),
            None => builder,
        };
        // Other threads of Python run while a device is made ready.
        let built = detached(py, || builder.build());
        let engine = built.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Self { engine: Unlocked::new(Arc::new(engine)), is_on_device: backend == Backend::Cuda })
    }

    /// The backend, and why it was chosen.
    #[getter]
    fn description(&self) -> &str {
        self.engine.backend_description()
    }

    /// A job: which table to make, with which columns, and how to read the inputs.
    fn job(&self, table: &str, columns: Option<Vec<String>>, options: Options) -> PyResult<Job> {
        if table == "device tensors" && !self.is_on_device {
            let told = "tensors on the device take an engine that computes there: prism.Engine(\"cuda\")";
            return Err(PyValueError::new_err(told));
        }
        let (chosen, names) = (columns.is_some(), columns.clone().unwrap_or_default());
        let table = Table::new(table, columns, &options, &self.engine)?;
        let reading = options.reading(Some(&table))?;
        let warnings = unfilled(&names, &reading.annotations, reading.lineages.is_some());
        let table = table.with_given(chosen, &reading.annotations, reading.lineages.is_some());
        // Computes only what the table has, in the same memory.
        let engine = Unlocked::new(Arc::new(self.engine.with_selection(table.selection())));
        Ok(Job { engine, reading, table: Arc::new(table), warnings })
    }
}

fn number_of_points(points: i64) -> PyResult<u32> {
    let known = format!("from {MIN_POINTS} to {MAX_POINTS}");
    u32::try_from(points).or_else(|_| refuse("points", &known, &points.to_string()))
}

/// A table to make of inputs, any number of times.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Job {
    engine: Unlocked<Arc<prism_host::Engine>>,
    reading: Reading,
    table: Arc<Table>,
    warnings: Vec<String>,
}

#[pymethods]
impl Job {
    /// What is odd about the columns.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Batches of the table, in the order of the inputs: paths, structures in memory as `(name, bytes)`, arrays as
    /// `(name, Atoms, positions)`, and what could not be read as `(name, reason)`. A name of one of an object's models is the object's
    /// place among the inputs, its name, and what the model adds to it. A list is read now. Another thread reads an iterator while
    /// batches are taken. `share`: this worker's number, and how many share the files; `(name, is_content)` is an input in memory that
    /// another one computes.
    #[pyo3(signature = (inputs, share = None))]
    fn stream(&self, py: Python<'_>, inputs: &Bound<'_, PyAny>, share: Option<(u64, u64)>) -> PyResult<Stream> {
        process::check()?;
        let (engine, table) = (Arc::clone(&self.engine), Arc::clone(&self.table));
        let Ok(list) = inputs.cast::<PyList>() else {
            let lazy = Lazy::new(inputs.cast::<PyIterator>()?.clone().unbind(), Names::shared(share));
            return Stream::of_iterator(engine, lazy, self.reading.clone(), table);
        };
        let items = list.extract()?;
        let begin = Instant::now();
        let mut names = Names::shared(share);
        let found = detached(py, || entries(items, &self.reading, &mut names)).map_err(PyRuntimeError::new_err)?;
        Stream::of_entries(py, engine, found, begin, &self.reading, table, names.told)
    }

    /// Batches of the table, frame by frame, of the first `most` frames.
    fn stream_frames(&self, frames: &Frames, most: Option<usize>) -> PyResult<Stream> {
        process::check()?;
        Stream::of_frames(Arc::clone(&self.engine), frames, most, &self.table)
    }
}
