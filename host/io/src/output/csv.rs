//! CSV.

use super::value::Value;
use super::{Column, Columns, OutputError, StructureRows, Table};
use rayon::prelude::*;
use shared_types::backbone::SecondaryStructure;
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
        let mut line = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        let header = line
            .write_record(columns.as_slice().iter().map(Column::name))
            .and_then(|()| line.into_inner().map_err(|error| error.into_error().into()));
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
        let parts: Vec<Vec<u8>> =
            structures.par_iter().map(|structure| lines(structure, columns, delimiter)).collect::<Result<_, _>>()?;
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

fn lines(part: &StructureRows<'_>, columns: &Columns, delimiter: u8) -> std::io::Result<Vec<u8>> {
    /// A typical length of a field.
    const FIELD_BYTES: usize = 10;
    let room = part.len() * columns.as_slice().len() * FIELD_BYTES;
    let mut lines = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::with_capacity(room));
    let mut number = zmij::Buffer::new();
    let (values, site_ids) = (part.values_of(columns), part.site_ids_of(columns));
    for row in 0..part.len() {
        for (column, values) in columns.as_slice().iter().zip(&values) {
            match column {
                Column::Structure => lines.write_field(&part.structure.name),
                Column::Row => lines.write_field(row.to_string()),
                Column::Chain => lines.write_field(part.chain(row)),
                Column::Resnum => lines.write_field(part.structure.residue_numbers[row].to_string()),
                Column::Icode => lines.write_field(&*part.structure.insertion_codes[row]),
                Column::Resname => lines.write_field(part.resname(row)),
                Column::Parent => lines.write_field(part.structure.parent(row)),
                Column::SiteId => match site_ids.get(row).copied().flatten() {
                    Some(rank) => lines.write_field(rank.to_string()),
                    None => lines.write_field(""),
                },
                Column::State(_) => {
                    let state = values.get(row).copied().unwrap_or(f32::NAN);
                    lines.write_field(SecondaryStructure::letter(state))
                }
                Column::Plddt | Column::Label(_) | Column::Lineage(_) | Column::Frame(_) => {
                    match part.value(row, column) {
                        Value::Text(text) => lines.write_field(text),
                        Value::Int(value) | Value::Optional(Some(value)) => lines.write_field(value.to_string()),
                        Value::Float(value) if !value.is_nan() => lines.write_field(number.format(value)),
                        Value::Optional(None) | Value::Float(_) => lines.write_field(""),
                    }
                }
                Column::Feature(_) => {
                    let value = values.get(row).copied().unwrap_or(f32::NAN);
                    lines.write_field(if value.is_nan() { "" } else { number.format(value) })
                }
            }
            .map_err(std::io::Error::other)?;
        }
        lines.write_record(None::<&[u8]>).map_err(std::io::Error::other)?;
    }
    lines.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}
