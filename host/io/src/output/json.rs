//! JSON lines.

use super::{Column, Columns, OutputError, StructureRows, Table, text};
use rayon::prelude::*;
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
        let names = columns.as_slice().iter().map(Column::name);
        let objects =
            |part: &StructureRows<'_>| text::objects(&part.values_by_column(columns), names.clone(), &mut None);
        let parts: Vec<Vec<u8>> = structures.par_iter().map(objects).collect::<Result<_, _>>()?;
        for part in parts {
            self.out.write_all(&part)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        Ok(self.out.flush()?)
    }
}
