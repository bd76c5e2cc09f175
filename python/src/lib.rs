//! `prism_features._prism`: the native part of the Python package. Tables are passed as Arrow, by its C data interface, and tensors by DLPack, both
//! without a copy.

mod atoms;
mod confidence;
mod consume;
mod ending;
mod engine;
mod export;
mod frames;
mod interactions;
mod lock;
mod names;
mod options;
mod process;
mod source;
mod stream;
mod table;
mod tensor;

use options::Options;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

#[pymodule]
mod _prism {
    use super::*;

    #[pymodule_export]
    use super::atoms::Atoms;
    #[pymodule_export]
    use super::confidence::{Errors, PredictedFiles, Prediction, find_predictions, score_predictions};
    #[pymodule_export]
    use super::consume::Batch;
    #[pymodule_export]
    use super::ending::end;
    #[pymodule_export]
    use super::engine::{Engine, Job};
    #[pymodule_export]
    use super::frames::Frames;
    #[pymodule_export]
    use super::interactions::{interaction_kinds, interactions};
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::tensor::Tensor;

    /// Name, unit, definition and source of every feature, in the order of the columns.
    #[pyfunction]
    fn columns() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
        let of = |feature: &shared_types::Feature| (feature.name, feature.unit, feature.definition, feature.source);
        shared_types::FEATURES.iter().map(of).collect()
    }

    /// A file's name without its folder and extensions, as `name_by="stem"` has it.
    #[pyfunction]
    fn stem(path: PathBuf) -> String {
        prism_host::inputs::stem(&path)
    }

    /// Runs the `prism` command; the first argument is the program's name. Returns its exit status. If the arguments are not a valid
    /// command, it ends the process.
    #[pyfunction]
    fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| prism_host::run_command_with(arguments))
    }

    /// Checks the options of which each takes some texts. No file is read.
    #[pyfunction]
    fn check_options(options: Options) -> PyResult<()> {
        options.check()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
