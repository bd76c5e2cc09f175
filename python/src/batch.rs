//! Results as Arrow arrays, with the names and types of the columns that the command writes.

use arrow_array::{ArrayRef, Float32Array, Int32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use prism_host::StructureInput;
use prism_host::engine::FeaturesRef;
use prism_host::output::{Column, Columns};
use prism_host::sites::sites;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use std::collections::HashMap;
use std::sync::Arc;

/// A structure, and what was computed of it.
type Kept<'a> = (&'a StructureInput, FeaturesRef<'a>);

/// Which table a run makes.
pub enum Table {
    /// A row a residue.
    Features(Columns, SchemaRef),
    /// A row a site.
    Sites(SchemaRef),
}

fn field(column: &Column) -> Field {
    let kind = match column {
        Column::Row | Column::Resnum | Column::SiteId => DataType::Int32,
        Column::Feature(_) => DataType::Float32,
        _ => DataType::Utf8,
    };
    let field = Field::new(column.name(), kind, matches!(column, Column::Feature(_)));
    match column {
        Column::Feature(feature) => {
            let told = [("unit", feature.unit), ("definition", feature.definition), ("source", feature.source)];
            field.with_metadata(told.into_iter().map(|(key, text)| (key.to_owned(), text.to_owned())).collect::<HashMap<_, _>>())
        }
        _ => field,
    }
}

impl Table {
    /// # Errors
    /// For a table that there is not.
    pub fn by_name(name: &str, columns: Columns) -> PyResult<Self> {
        match name {
            "features" => {
                let schema = Schema::new(columns.as_slice().iter().map(field).collect::<Vec<_>>());
                Ok(Self::Features(columns, Arc::new(schema)))
            }
            "sites" => {
                let number = |name| Field::new(name, DataType::Float32, false);
                let int = |name| Field::new(name, DataType::Int32, false);
                let fields = vec![
                    Field::new("structure", DataType::Utf8, false),
                    int("site"),
                    number("score"),
                    int("residues"),
                    number("x"),
                    number("y"),
                    number("z"),
                    number("volume"),
                ];
                Ok(Self::Sites(Arc::new(Schema::new(fields))))
            }
            other => Err(PyValueError::new_err(format!("there is no table {other:?}"))),
        }
    }

    fn schema(&self) -> &SchemaRef {
        match self {
            Self::Features(_, schema) | Self::Sites(schema) => schema,
        }
    }

    /// The table without rows.
    pub fn empty(&self) -> RecordBatch {
        RecordBatch::new_empty(Arc::clone(self.schema()))
    }

    /// The rows of some structures.
    ///
    /// # Errors
    /// Where Arrow refuses them, which none does that was computed.
    pub fn batch(&self, kept: &[Kept<'_>]) -> Result<RecordBatch, String> {
        let arrays = match self {
            Self::Features(columns, _) => columns.as_slice().iter().map(|column| array(column, kept)).collect(),
            Self::Sites(_) => site_arrays(kept),
        };
        RecordBatch::try_new(Arc::clone(self.schema()), arrays).map_err(|error| error.to_string())
    }
}

fn site_arrays(kept: &[Kept<'_>]) -> Vec<ArrayRef> {
    let found: Vec<_> = kept
        .iter()
        .flat_map(|(structure, features)| {
            let sites = sites(structure, features.rows, features.site_ids);
            sites.into_iter().enumerate().map(|(index, site)| (structure.name.as_str(), index as i32, site))
        })
        .collect();
    let axis = |axis: usize| {
        Arc::new(found.iter().map(|(_, _, site)| Some(site.center[axis] as f32)).collect::<Float32Array>()) as ArrayRef
    };
    vec![
        Arc::new(StringArray::from_iter_values(found.iter().map(|(name, _, _)| *name))),
        Arc::new(Int32Array::from_iter_values(found.iter().map(|(_, index, _)| *index))),
        Arc::new(Float32Array::from_iter_values(found.iter().map(|(_, _, site)| site.score as f32))),
        Arc::new(Int32Array::from_iter_values(found.iter().map(|(_, _, site)| site.residues as i32))),
        axis(0),
        axis(1),
        axis(2),
        Arc::new(Float32Array::from_iter_values(found.iter().map(|(_, _, site)| site.volume as f32))),
    ]
}

fn array(column: &Column, kept: &[Kept<'_>]) -> ArrayRef {
    let rows = || kept.iter().flat_map(|(structure, features)| (0..features.rows.len()).map(move |row| (*structure, row)));
    match column {
        Column::Structure => Arc::new(StringArray::from_iter_values(rows().map(|(structure, _)| &structure.name))),
        Column::Row => Arc::new(Int32Array::from_iter_values(rows().map(|(_, row)| row as i32))),
        Column::Chain => {
            let chain = |(structure, row): (&StructureInput, usize)| {
                structure.chains.get(structure.chain_ids[row] as usize).cloned().unwrap_or_default()
            };
            Arc::new(StringArray::from_iter_values(rows().map(chain)))
        }
        Column::Resnum => Arc::new(Int32Array::from_iter_values(rows().map(|(one, row)| one.residue_numbers[row]))),
        Column::Icode => {
            Arc::new(StringArray::from_iter_values(rows().map(|(one, row)| one.insertion_codes[row].to_string())))
        }
        Column::Resname => {
            let name = |(one, row): (&StructureInput, usize)| {
                shared_types::RESIDUES.get(usize::from(one.residue_types[row])).map_or("", |residue| residue.name)
            };
            Arc::new(StringArray::from_iter_values(rows().map(name)))
        }
        Column::Feature(feature) => {
            let values = kept.iter().flat_map(|(_, features)| features.rows.iter().map(|row| row.columns[feature.column]));
            // Undefined is null, as in Parquet.
            Arc::new(values.map(|value| (!value.is_nan()).then_some(value)).collect::<Float32Array>())
        }
        Column::SiteId => {
            Arc::new(Int32Array::from_iter_values(kept.iter().flat_map(|(_, features)| features.site_ids.iter().copied())))
        }
    }
}
