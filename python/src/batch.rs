//! Results as Arrow arrays, with the names and types of the columns that the command writes.

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{Array, ArrayRef, Float32Array, Int32Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use prism_host::StructureInput;
use prism_host::engine::{Selection, StructureView};
use prism_host::output::{Columns, RecordBatches, StructureRows};
use prism_host::sites::{FoundSite, sites};
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use std::collections::HashMap;
use std::sync::Arc;

/// A structure, and what was computed of it.
type Kept<'a> = (&'a StructureInput, StructureView<'a>);

/// Which table a run makes.
pub enum Table {
    /// A row a residue.
    Features(Columns),
    /// A row a site.
    Sites,
}

impl Table {
    /// # Errors
    /// For a table that there is not.
    pub fn by_name(name: &str, columns: Columns) -> PyResult<Self> {
        match name {
            "features" => Ok(Self::Features(columns)),
            "sites" => Ok(Self::Sites),
            other => Err(PyValueError::new_err(format!("there is no table {other:?}"))),
        }
    }

    /// What has to be computed for it.
    pub fn selection(&self) -> Selection {
        match self {
            Self::Features(columns) => columns.selection(),
            Self::Sites => site_selection(),
        }
    }

    /// The rows of some structures.
    ///
    /// # Errors
    /// Where Arrow refuses them: texts of more than 2 GiB in a batch.
    pub fn batch(&self, kept: &[Kept<'_>]) -> Result<RecordBatch, String> {
        match self {
            Self::Features(columns) => {
                let mut rows = RecordBatches::new(columns.clone(), HashMap::new());
                for &(structure, features) in kept {
                    rows.append(&StructureRows { structure, features });
                }
                rows.take().map_err(|error| error.to_string())
            }
            Self::Sites => site_batch(kept).map_err(|error| error.to_string()),
        }
    }
}

/// As many sites of a structure as the command writes.
const MOST_SITES: usize = 20;

fn site_selection() -> Selection {
    Selection::new(shared_types::FEATURES.iter().filter(|feature| feature.name == "site_score"), true)
}

fn site_batch(kept: &[Kept<'_>]) -> Result<RecordBatch, ArrowError> {
    let found: Vec<_> = kept
        .iter()
        .flat_map(|(structure, features)| {
            let sites = sites(structure, features, MOST_SITES, 0.0);
            sites.into_iter().map(|site| (structure.name.as_str(), site))
        })
        .collect();
    let sites = || found.iter().map(|(_, site)| site);
    let number =
        |of: &dyn Fn(&FoundSite) -> f32| -> ArrayRef { Arc::new(Float32Array::from_iter_values(sites().map(of))) };
    let int = |of: &dyn Fn(&FoundSite) -> i32| -> ArrayRef { Arc::new(Int32Array::from_iter_values(sites().map(of))) };
    let mut rows = ListBuilder::new(Int32Builder::new()).with_field(Field::new("item", DataType::Int32, false));
    for site in sites() {
        rows.values().append_slice(&site.residues.iter().map(|&row| row as i32).collect::<Vec<_>>());
        rows.append(true);
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("structure", Arc::new(StringArray::from_iter_values(found.iter().map(|(name, _)| *name)))),
        ("rank", int(&|site| site.rank as i32)),
        ("score", number(&|site| site.score)),
        ("probability", number(&|site| site.probability)),
        ("x", number(&|site| site.center[0] as f32)),
        ("y", number(&|site| site.center[1] as f32)),
        ("z", number(&|site| site.center[2] as f32)),
        ("rows", Arc::new(rows.finish())),
        ("area", number(&|site| site.area)),
        ("volume", number(&|site| site.volume as f32)),
    ];
    let fields: Vec<_> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), false)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, array)| array).collect())
}
