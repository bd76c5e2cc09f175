//! `prism_features._prism`: the native part of the Python package. Tables are passed as Arrow, by its C data interface, and tensors by DLPack, both
//! without a copy.

mod atoms;
mod confidence;
mod consume;
mod ending;
mod engine;
mod every_atom;
mod export;
mod frames;
mod frames_table;
mod lock;
mod names;
mod options;
mod process;
mod source;
mod stream;
mod table;
mod tensor;

use options::Options;
use prism_host::output::{Column, Columns, Provenance};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

type ColumnRow = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

// Interpreters without a global lock need none for this module: its classes are frozen, or in use by one thread at a time (`Stream`), and
// what threads share is in locks of its own, none of which is held while Python is asked for something.
#[pymodule(gil_used = false)]
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
    use super::every_atom::{are_groups, dssp, interaction_kinds, interactions, interfaces};
    #[pymodule_export]
    use super::frames::Frames;
    #[pymodule_export]
    use super::frames_table::frame_columns;
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::tensor::Tensor;

    /// Name, role, type, unit, definition and source of every column of residues, in the order of the table.
    #[pyfunction]
    fn columns() -> Vec<ColumnRow> {
        let whole = Columns::default();
        let row = |column: Column| {
            let role = match column {
                column if Column::IDENTITY.contains(&column) => "identity",
                _ if !whole.as_slice().contains(&column) => "on request",
                Column::State(_) => "state",
                Column::Feature(_) => "feature",
                _ => "other",
            };
            (column.name(), role, column.data_type(), column.unit(), column.definition(), column.source())
        };
        Column::every().map(row).collect()
    }

    /// The letters of the states of secondary structure, and the names of the types of residues, each in the order of its numbers.
    #[pyfunction]
    fn categories() -> (Vec<&'static str>, Vec<&'static str>) {
        let states = 0..shared_types::backbone::SecondaryStructure::ALL.len();
        (
            states.map(|state| shared_types::backbone::SecondaryStructure::letter(state as f32)).collect(),
            tensor::residue_types(),
        )
    }

    /// Names and values about the making of tables that no engine computes.
    #[pyfunction]
    fn metadata() -> Vec<(&'static str, String)> {
        Provenance::of(shared_types::MegaFusedConfig::default()).entries()
    }

    /// The usual options of an engine: contact_threshold, points, site_threshold, min_feature_value.
    #[pyfunction]
    fn engine_defaults() -> (f32, u32, f32, f32) {
        let usual = shared_types::MegaFusedConfig::default();
        (usual.contact_threshold, usual.points, usual.site_threshold, usual.min_feature_value)
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
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("MOST_THREADS", prism_host::MOST_THREADS)?;
        module.add("RunError", module.py().get_type::<crate::process::RunError>())
    }
}
