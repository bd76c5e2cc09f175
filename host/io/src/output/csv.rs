//! CSV.

use super::{Column, Columns, OutputError, StructureRows, Table, text};
use rayon::prelude::*;
use std::io::Write;

/// A table as text: a header line, then a line per residue. Fields are quoted if necessary (RFC 4180, with line feeds).
///
/// A number is the shortest decimal that reads back as the same `f32`. It always has a point or an exponent (`3.0`, `1e-7`),
/// so that readers that guess types from the first lines guess right. NaN is an empty field.
///
/// ```
/// use prism_io::output::{Columns, CsvTable, StructureRows, Table};
/// use prism_read::{ReadOptions, read_bytes};
/// use prism_engine::{Backend, Engine};
///
/// let pdb = b"\
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
/// ATOM      2  CA  ALA A   2       4.800   2.000   3.000  1.00 12.00           C
/// END
/// ";
/// let two = read_bytes(pdb, "two", &ReadOptions::default())?.structure;
/// let features = &Engine::builder().backend(Backend::Cpu).build()?.run(std::slice::from_ref(&two))?[0];
/// let mut text = Vec::new();
/// let mut table = CsvTable::new(&mut text, Columns::choose(["contact_number", "hse_up", "site_id"])?);
/// table.write(&[StructureRows { structure: &two, features: features.view() }])?;
/// Box::new(table).finish()?;
/// let expected = "\
/// structure,row,chain,resnum,icode,resname,parent,contact_number,hse_up,site_id
/// two,0,A,1,,GLY,GLY,1.0,,
/// two,1,A,2,,ALA,ALA,1.0,,
/// ";
/// assert_eq!(String::from_utf8(text)?, expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CsvTable<W> {
    out: W,
    columns: Columns,
    delimiter: u8,
    /// Not yet written.
    header: Option<Vec<u8>>,
}

impl<W: Write> CsvTable<W> {
    /// Starts a table. The header is written with the first rows, or at the end.
    pub fn new(out: W, columns: Columns) -> Self {
        Self::with_delimiter(out, columns, b',')
    }

    /// Starts a table with another separator of fields, such as `b'\t'` for TSV.
    pub fn with_delimiter(out: W, columns: Columns, delimiter: u8) -> Self {
        let header = text::header(columns.as_slice().iter().map(Column::name), delimiter);
        Self { out, header: Some(header.expect("writing to memory does not fail")), columns, delimiter }
    }

    fn write_header(&mut self) -> Result<(), OutputError> {
        if let Some(header) = self.header.take() {
            self.out.write_all(&header)?;
        }
        Ok(())
    }
}

impl<W: Write> Table for CsvTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.write_header()?;
        let (columns, delimiter) = (&self.columns, self.delimiter);
        let lines = |part: &StructureRows<'_>| {
            text::lines(&part.values_by_column(columns), columns.as_slice().len(), delimiter)
        };
        let parts: Vec<Vec<u8>> = structures.par_iter().map(lines).collect::<Result<_, _>>()?;
        for part in parts {
            self.out.write_all(&part)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        self.write_header()?;
        Ok(self.out.flush()?)
    }
}
