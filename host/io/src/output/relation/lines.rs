//! Tables of cells, in any format.

use super::super::arrow::ArrowFile;
use super::super::columnar::{GROUP_ROWS, Grouped, described};
use super::super::parquet::ParquetFile;
use super::super::text::{self, TextRows};
use super::super::value::Value;
use super::super::{Format, OutputError, Provenance};
use super::{CellKind, Cells, RelationColumn};
use std::io::Write;

/// A table of lines that are appended as cells.
///
/// ```
/// use prism_io::output::{CellKind, CellTable, Cells, LineTable, RelationColumn};
///
/// const COLUMNS: &[RelationColumn] = &[RelationColumn::new("count", CellKind::Int, "", "a number")];
/// let mut text = Vec::new();
/// let mut table = Box::new(CellTable::csv(&mut text, COLUMNS));
/// table.append(&mut |cells| {
///     let [Cells::Int(counts)] = cells else { unreachable!() };
///     counts.extend([1, 2]);
/// })?;
/// table.finish()?;
/// assert_eq!(text, b"count\n1\n2\n");
/// # Ok::<(), prism_io::output::OutputError>(())
/// ```
pub struct CellTable<W: Write + Send> {
    columns: &'static [RelationColumn],
    cells: Vec<Cells>,
    out: Out<W>,
}

/// Where lines are appended.
pub trait LineTable: Send {
    /// Appends the lines that `fill` adds to the values of each column.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn append(&mut self, fill: &mut dyn FnMut(&mut [Cells])) -> Result<(), OutputError>;

    /// Writes buffered lines and ends the table.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn finish(self: Box<Self>) -> Result<(), OutputError>;
}

enum Out<W: Write + Send> {
    /// Fields divided by a byte.
    Text {
        out: W,
        delimiter: u8,
        begun: bool,
    },
    /// An object per line; in an array, the text before the next one.
    Json {
        out: W,
        array: Option<&'static str>,
    },
    Arrow(Box<Grouped<ArrowFile<W>>>),
    Parquet(Box<Grouped<ParquetFile<W>>>),
}

/// The lines of cells.
struct CellRows<'c> {
    columns: &'static [RelationColumn],
    cells: &'c [Cells],
}

impl TextRows for CellRows<'_> {
    fn len(&self) -> usize {
        self.cells.first().map_or(0, Cells::len)
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        match &self.cells[column] {
            Cells::Text(values) if self.columns[column].kind == CellKind::Words => Value::Words(&values[row]),
            Cells::Text(values) => Value::Text(&values[row]),
            Cells::Int(values) => Value::Int(values[row]),
            Cells::Optional(values) => Value::Optional(values[row]),
            Cells::Float(values) => Value::Float(values[row]),
        }
    }
}

impl<W: Write + Send> LineTable for CellTable<W> {
    fn append(&mut self, fill: &mut dyn FnMut(&mut [Cells])) -> Result<(), OutputError> {
        fill(&mut self.cells);
        self.end_part()?;
        self.end_batch()
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        // Formats with groups have lines that wait for more; a table without lines has a header.
        self.write_out()?;
        CellTable::finish(*self)
    }
}

impl<W: Write + Send> CellTable<W> {
    /// Starts a table as CSV.
    pub fn csv(out: W, columns: &'static [RelationColumn]) -> Self {
        Self::of(columns, Out::Text { out, delimiter: b',', begun: false })
    }

    /// Starts a table in a format; `None` for one JSON array. Texts in gzip are written as texts: their writer compresses.
    pub(in crate::output) fn in_format(
        format: Option<Format>,
        out: W,
        columns: &'static [RelationColumn],
        provenance: &Provenance,
    ) -> Result<Self, OutputError> {
        let out = match format {
            None => Out::Json { out, array: Some("[\n") },
            Some(Format::JsonLines | Format::JsonLinesGz) => Out::Json { out, array: None },
            Some(Format::Tsv | Format::TsvGz) => Out::Text { out, delimiter: b'\t', begun: false },
            Some(Format::Arrow) => {
                Out::Arrow(Box::new(Grouped::new(ArrowFile::new(out, &described(columns), provenance)?)))
            }
            Some(Format::Parquet) => {
                Out::Parquet(Box::new(Grouped::new(ParquetFile::new(out, &described(columns), provenance)?)))
            }
            // `relation_format` refuses npz.
            Some(Format::Csv | Format::CsvGz | Format::Npz) => return Ok(Self::csv(out, columns)),
        };
        Ok(Self::of(columns, out))
    }

    fn of(columns: &'static [RelationColumn], out: Out<W>) -> Self {
        Self { columns, cells: Cells::of(columns), out }
    }

    /// The values of each column, to which lines are appended.
    pub(super) fn cells(&mut self) -> &mut [Cells] {
        &mut self.cells
    }

    fn rows(&self) -> usize {
        self.cells.first().map_or(0, Cells::len)
    }

    /// Writes the pending lines, after the text that precedes them.
    pub(super) fn write_out(&mut self) -> Result<(), OutputError> {
        let (columns, cells) = (self.columns, &self.cells);
        let names = columns.iter().map(|column| column.name);
        let lines = CellRows { columns, cells };
        match &mut self.out {
            Out::Text { out, delimiter, begun } => {
                if !std::mem::replace(begun, true) {
                    out.write_all(&text::header(names, *delimiter)?)?;
                }
                out.write_all(&text::lines(&lines, columns.len(), *delimiter)?)?;
            }
            Out::Json { out, array } => out.write_all(&text::objects(&lines, names, array)?)?,
            Out::Arrow(file) => file.write(std::mem::replace(&mut self.cells, Cells::of(columns)))?,
            Out::Parquet(file) => file.write(std::mem::replace(&mut self.cells, Cells::of(columns)))?,
        }
        self.cells.iter_mut().for_each(Cells::clear);
        Ok(())
    }

    /// Writes a group of lines if there are enough.
    pub(super) fn end_part(&mut self) -> Result<(), OutputError> {
        if self.rows() >= GROUP_ROWS { self.write_out() } else { Ok(()) }
    }

    /// Writes the lines of formats that have no groups.
    pub(super) fn end_batch(&mut self) -> Result<(), OutputError> {
        if matches!(self.out, Out::Text { .. } | Out::Json { .. }) { self.write_out() } else { Ok(()) }
    }

    pub(super) fn finish(self) -> Result<(), OutputError> {
        let mut out = match self.out {
            Out::Json { mut out, array } => {
                out.write_all(match array {
                    None => b"",
                    Some(text::BETWEEN) => b"\n]\n",
                    Some(_) => b"[\n]\n",
                })?;
                out
            }
            Out::Text { out, .. } => out,
            Out::Arrow(file) => return file.finish(),
            Out::Parquet(file) => return file.finish(),
        };
        Ok(out.flush()?)
    }
}
