//! `prism._prism`: what the Python package calls. Tables cross as Arrow, by its C stream interface, without a copy.

mod batch;
mod engine;
mod source;
mod stream;

use pyo3::prelude::*;

#[pymodule]
mod _prism {
    use super::*;

    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::stream::{Batch, Stream};

    /// Name, unit, definition and source of every feature, in the order of the columns.
    #[pyfunction]
    fn columns() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
        let of = |feature: &shared_types::Feature| (feature.name, feature.unit, feature.definition, feature.source);
        shared_types::FEATURES.iter().map(of).collect()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
