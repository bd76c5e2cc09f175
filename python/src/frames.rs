//! Frames of a trajectory as the inputs of a run.

use crate::ending::detached;
use crate::options::{Options, refuse};
use prism_host::annotations::Annotations;
use prism_host::pipeline::{Cancel, TrajectoryFrames};
use prism_host::trajectory::{Boundaries, FrameRange, IndexFolder, Template, Trajectory, choose_frames};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A trajectory that was opened with its topology. Any number of runs may read it.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Frames {
    template: Arc<Template>,
    files: Arc<[Trajectory]>,
    chosen: Vec<(u32, u32, u32)>,
}

#[pymethods]
impl Frames {
    /// Opens files, and reads a topology with what a table needs. No frame is decoded, unless the topology has no positions.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "an option each")]
    fn new(
        py: Python<'_>,
        topology: PathBuf,
        files: Vec<PathBuf>,
        frames: Option<String>,
        every: Option<f64>,
        pbc: &str,
        table: &str,
        options: Options,
    ) -> PyResult<Self> {
        let boundaries = match pbc {
            "whole" => Boundaries::Whole,
            "none" => Boundaries::AsWritten,
            other => return refuse("pbc", "\"whole\" or \"none\"", other),
        };
        let value_error = |text: String| PyValueError::new_err(text);
        let range: Option<FrameRange> =
            frames.map(|text| text.parse().map_err(|error| value_error(format!("frames: {error}")))).transpose()?;
        let reading = options.reading_of_frames(table)?;
        if reading.lineages.is_some() {
            return Err(value_error("lineages is for structures, and not for trajectories".to_owned()));
        }
        let name = Template::name_of(&topology);
        let open = || -> Result<Self, String> {
            let indices = IndexFolder::of_user();
            let open = |path: &PathBuf| Trajectory::open_indexed(path, indices.as_ref());
            let files: Vec<Trajectory> =
                files.iter().map(open).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
            let [first, rest @ ..] = &files[..] else { return Err("trajectory: give at least one file".to_owned()) };
            let chosen = choose_frames(&files, range, every).map_err(|error| error.to_string())?;
            let template = Template::read(&topology, &name, first, &reading.options, boundaries);
            let mut template = template.map_err(|failure| format!("{}: {}", failure.name, failure.reason))?;
            if let Some(other) = rest.iter().find(|run| run.n_atoms() != first.n_atoms()) {
                let [own, known] = [other, first].map(|run| (run.name().to_owned(), run.n_atoms()));
                return Err(format!("{}: has {} atoms in each frame, but {} has {}", own.0, own.1, known.0, known.1));
            }
            Annotations::apply(&reading.annotations, template.structure_mut());
            Ok(Self { template: Arc::new(template), files: files.into(), chosen })
        };
        detached(py, open).map_err(value_error)
    }

    fn __len__(&self) -> usize {
        self.chosen.len()
    }

    /// The structure's name.
    #[getter]
    fn name(&self) -> &str {
        &self.template.structure().name
    }

    /// The number of each frame in the trajectory.
    #[getter]
    fn numbers(&self) -> Vec<u32> {
        self.chosen.iter().map(|(number, ..)| *number).collect()
    }

    /// The time of each frame in ps; NaN where it is unknown.
    #[getter]
    fn times(&self) -> Vec<f64> {
        let time =
            |&(_, file, frame): &(u32, u32, u32)| self.files[file as usize].time(frame as usize).unwrap_or(f64::NAN);
        self.chosen.iter().map(time).collect()
    }
}

impl Frames {
    /// Batches of the first `most` frames.
    pub fn batches(&self, most: usize, batch_atoms: usize, cancel: &Cancel) -> Result<TrajectoryFrames, String> {
        let chosen = self.chosen[..self.chosen.len().min(most)].to_vec();
        TrajectoryFrames::new(Arc::clone(&self.template), Arc::clone(&self.files), chosen, batch_atoms, cancel)
            .map_err(|error| format!("no threads could be started: {error}"))
    }
}
