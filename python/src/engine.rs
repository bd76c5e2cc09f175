//! The engine, and the jobs that it does.

use crate::ending::detached;
use crate::frames::Frames;
use crate::lock::Unlocked;
use crate::names::Names;
use crate::options::{Options, Reading, refuse};
use crate::process;
use crate::source::{Item, Lazy, Share, entries, structure_files};
use crate::stream::Stream;
use crate::table::{Table, unfilled};
use prism_host::Backend;
use prism_host::output::{Provenance, predictions_beside};
use prism_host::pipeline::Cancel;
use prism_host::run::{BatchSource, Run};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use rayon::ThreadPool;
use shared_types::{MAX_POINTS, MIN_POINTS, MegaFusedConfig};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// A backend with its memory. Any number of threads may use it.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Engine {
    opening: Arc<Opening>,
    /// Whether it computes on devices alone.
    is_on_device: bool,
}

type Done = Result<Unlocked<Arc<prism_host::Engine>>, String>;

fn shared(done: &Done) -> Result<Arc<prism_host::Engine>, String> {
    match done {
        Ok(engine) => Ok(Arc::clone(engine)),
        Err(error) => Err(error.clone()),
    }
}

/// An engine that a thread makes while the inputs of the first run are found, or one that is there.
pub struct Opening {
    /// Until somebody waits for it.
    begun: Mutex<Option<Run>>,
    done: OnceLock<Done>,
    /// Threads of its own, which also read and make tables.
    pub pool: Option<Arc<ThreadPool>>,
    /// The number of the process that has made it.
    process: u32,
}

impl Opening {
    /// The engine, once it is ready for inputs of about `atoms` atoms. Meanwhile `source` reads. Python's lock must not be held.
    pub fn ready(&self, atoms: usize, source: Option<&mut BatchSource>) -> Result<Arc<prism_host::Engine>, String> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = begun.take() {
            let engine = run.ready(atoms, source).map_err(|error| error.to_string());
            return shared(self.done.get_or_init(|| engine.map(Unlocked::new)));
        }
        drop(begun);
        let engine = self.there().ok_or("the engine could not be made: a panic")??;
        Run::on(engine).ready(atoms, source).map_err(|error| error.to_string())
    }

    /// Inputs as batches, and the engine, which is ready for them. Files are read while it is made ready. Python's lock must not be held.
    pub fn ready_for(
        &self,
        share: Share,
        reading: &Reading,
        cancel: &Cancel,
    ) -> Result<(BatchSource, Arc<prism_host::Engine>), String> {
        let atoms = share.0.atoms_about();
        let mut source = BatchSource::Files(self.within(|| structure_files(share, reading, cancel))?);
        let engine = self.ready(atoms, Some(&mut source))?;
        Ok((source.sized_for(&engine), engine))
    }

    /// Works on the engine's threads.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        within(self.pool.as_deref(), work)
    }

    fn there(&self) -> Option<Result<Arc<prism_host::Engine>, String>> {
        self.done.get().map(shared)
    }

    /// The engine, whatever its inputs will be.
    fn wait(&self, py: Python<'_>) -> PyResult<Arc<prism_host::Engine>> {
        let engine = self.there().unwrap_or_else(|| detached(py, || self.ready(0, None)));
        engine.map_err(PyRuntimeError::new_err)
    }
}

impl Engine {
    /// The engine, when it is ready.
    pub fn whole(&self, py: Python<'_>) -> PyResult<Arc<prism_host::Engine>> {
        process::check(self.opening.process)?;
        self.opening.wait(py)
    }
}

/// Works in a pool, or here.
pub fn within<T: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (backend, devices, contact_threshold, points, site_threshold, min_feature_value, threads, begin))]
    #[expect(clippy::too_many_arguments, reason = "an option each")]
    fn new(
        py: Python<'_>,
        backend: &str,
        devices: Option<Vec<usize>>,
        contact_threshold: Option<f32>,
        points: Option<i64>,
        site_threshold: Option<f32>,
        min_feature_value: Option<f32>,
        threads: Option<usize>,
        // The paths of the first run, if the engine may be made while their files are found.
        begin: Option<Vec<PathBuf>>,
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
        let builder = prism_host::Engine::builder().backend(backend).config(config);
        let builder = match devices {
            // An empty list means all devices.
            Some(devices) if devices.is_empty() => builder.all_devices(),
            Some(devices) => builder.devices(devices),
            None => builder,
        };
        let pool = threads.map_or_else(process::pool, |threads| process::pool_of(threads).map(Some));
        let pool = pool.map_err(PyRuntimeError::new_err)?;
        let builder = pool.iter().cloned().fold(builder, prism_host::EngineBuilder::pool);
        let run = Run::begin(builder, begin.as_deref().unwrap_or_default());
        let opening =
            Opening { begun: Mutex::new(Some(run)), done: OnceLock::new(), pool, process: std::process::id() };
        if begin.is_none() {
            // Other threads of Python run while a device is made ready.
            opening.wait(py)?;
        }
        Ok(Self { opening: Arc::new(opening), is_on_device: backend == Backend::Cuda })
    }

    /// The backend, and why it was chosen.
    #[getter]
    fn description(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.opening.wait(py)?.backend_description().to_owned())
    }

    /// A job: which table to make, with which columns, and how to read the inputs.
    fn job(&self, py: Python<'_>, table: &str, columns: Option<Vec<String>>, options: Options) -> PyResult<Job> {
        process::check(self.opening.process)?;
        if table == "device tensors" && !self.is_on_device {
            let message = "tensors on the device take an engine that computes there: prism.Engine(\"cuda\")";
            return Err(PyValueError::new_err(message));
        }
        let (chosen, names) = (columns.is_some(), columns.clone().unwrap_or_default());
        let has_errors = options.pae;
        let table = Table::new(table, columns, &options, || self.opening.wait(py))?;
        let reading = options.reading(Some(&table))?;
        let warnings = unfilled(&names, &reading.annotations, reading.lineages.is_some());
        let table = table.with_given(chosen, &reading.annotations, reading.lineages.is_some());
        Ok(Job { opening: Arc::clone(&self.opening), reading, table: Arc::new(table), has_errors, warnings })
    }
}

fn number_of_points(points: i64) -> PyResult<u32> {
    let known = format!("from {MIN_POINTS} to {MAX_POINTS}");
    u32::try_from(points).or_else(|_| refuse("points", &known, &points.to_string()))
}

/// A table to make of inputs, any number of times.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Job {
    opening: Arc<Opening>,
    reading: Reading,
    table: Arc<Table>,
    /// Whether the table has the predicted aligned errors beside the models.
    has_errors: bool,
    warnings: Vec<String>,
}

#[pymethods]
impl Job {
    /// Names and values that the table keeps about its making, as a file of the command does.
    fn metadata(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, String)>> {
        let engine = self.opening.wait(py)?;
        let backend = engine.backend_name().to_owned();
        let more = vec![("prism.backend", backend), ("prism.ptx_sha256", prism_host::kernels_digest())];
        Ok(Provenance { config: engine.config(), more }.entries())
    }

    /// What is odd about the columns.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Batches of the table, in the order of the inputs: paths, structures in memory as `(name, bytes)`, arrays as
    /// `(name, Atoms, positions)`, and what could not be read as `(name, reason)`. A name of one of an object's models is the object's
    /// index among the inputs, its name, and what the model adds to it. A list is read now. Another thread reads an iterator while
    /// batches are taken. `share`: this worker's number, and how many share the files; `(name, is_content)` is an input in memory that
    /// another one computes.
    #[pyo3(signature = (inputs, share = None))]
    fn stream(&self, py: Python<'_>, inputs: &Bound<'_, PyAny>, share: Option<(u64, u64)>) -> PyResult<Stream> {
        process::check(self.opening.process)?;
        let (opening, mut table) = (Arc::clone(&self.opening), Arc::clone(&self.table));
        let Ok(list) = inputs.cast::<PyList>() else {
            if self.has_errors {
                let message = "pae looks for files beside the models, and takes paths or a list of paths, no iterator";
                return Err(PyValueError::new_err(message));
            }
            let lazy = Lazy::new(inputs.cast::<PyIterator>()?.clone().unbind(), Names::shared(share));
            return Stream::of_iterator(py, &opening, lazy, self.reading.clone(), table);
        };
        let items: Vec<Item> = list.extract()?;
        let path = |item: &Item| if let Item::Path(path) = item { Some(path.clone()) } else { None };
        let paths: Vec<PathBuf> = items.iter().filter_map(path).collect();
        let begin = Instant::now();
        let mut names = Names::shared(share);
        let found = detached(py, || entries(items, &self.reading, &mut names)).map_err(PyRuntimeError::new_err)?;
        if self.has_errors {
            table = table.with_errors(detached(py, || predictions_beside(&found.0.entries, &paths)));
        }
        Stream::of_entries(py, &opening, found, begin, &self.reading, table, names.warnings)
    }

    /// Batches of the table, frame by frame, of the first `most` frames.
    fn stream_frames(&self, py: Python<'_>, frames: &Frames, most: Option<usize>) -> PyResult<Stream> {
        process::check(self.opening.process)?;
        if self.has_errors {
            return Err(PyValueError::new_err("pae is of models beside their matrices, and not of frames"));
        }
        Stream::of_frames(py, &self.opening, frames, most, &self.table)
    }
}
