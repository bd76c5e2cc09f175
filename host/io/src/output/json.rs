//! JSON lines.

use super::value::Value;
use super::{Column, Columns, OutputError, StructureRows, Table};
use rayon::prelude::*;
use shared_types::backbone::SecondaryStructure;
use std::io::Write;

/// A table as JSON lines: one object per residue, with the columns in order. Undefined values are `null`; numbers are as in
/// [`CsvTable`](super::CsvTable).
///
/// ```
/// use prism_io::output::{Columns, JsonTable, StructureRows, Table};
/// use prism_read::{ReadOptions, read_bytes};
/// use prism_engine::{Backend, Engine};
///
/// let pdb = b"ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C\n";
/// let one = read_bytes(pdb, "a \"name\"", &ReadOptions::default())?.structure;
/// let features = &Engine::builder().backend(Backend::Cpu).build()?.run(std::slice::from_ref(&one))?[0];
/// let mut text = Vec::new();
/// let mut table = JsonTable::new(&mut text, Columns::choose(["structure", "resnum", "contact_number", "ca_angle"])?);
/// table.write(&[StructureRows { structure: &one, features: features.view() }])?;
/// Box::new(table).finish()?;
/// let expected = r#"{"structure":"a \"name\"","resnum":1,"contact_number":0.0,"ca_angle":null}"#;
/// assert_eq!(String::from_utf8(text)?, format!("{expected}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JsonTable<W> {
    out: W,
    columns: Columns,
}

impl<W: Write> JsonTable<W> {
    /// Starts a table.
    pub fn new(out: W, columns: Columns) -> Self {
        Self { out, columns }
    }
}

impl<W: Write> Table for JsonTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        let columns = &self.columns;
        let parts: Vec<Vec<u8>> = structures.par_iter().map(|part| lines(part, columns)).collect::<Result<_, _>>()?;
        for part in parts {
            self.out.write_all(&part)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        Ok(self.out.flush()?)
    }
}

fn lines(part: &StructureRows<'_>, columns: &Columns) -> std::io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    let mut number = zmij::Buffer::new();
    let (values, site_ids) = (part.values_of(columns), part.site_ids_of(columns));
    for row in 0..part.len() {
        for (index, (column, values)) in columns.as_slice().iter().zip(&values).enumerate() {
            lines.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
            lines.extend_from_slice(column.name().as_bytes());
            lines.extend_from_slice(b"\":");
            let number_of_row = || values.get(row).copied().unwrap_or(f32::NAN);
            let value = match column {
                Column::Feature(_) => Value::Float(number_of_row()),
                Column::SiteId => Value::Optional(site_ids.get(row).copied().flatten()),
                Column::State(_) => Value::Text(SecondaryStructure::letter(number_of_row())),
                _ => part.value(row, column),
            };
            match value {
                Value::Text(text) => serde_json::to_writer(&mut lines, text)?,
                Value::Optional(None) => lines.extend_from_slice(b"null"),
                Value::Int(value) | Value::Optional(Some(value)) => write!(lines, "{value}")?,
                Value::Float(value) if value.is_finite() => lines.extend_from_slice(number.format(value).as_bytes()),
                Value::Float(_) => lines.extend_from_slice(b"null"),
            }
        }
        lines.extend_from_slice(b"}\n");
    }
    Ok(lines)
}
