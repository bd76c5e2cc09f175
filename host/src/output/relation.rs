//! Tables whose lines are not residues: pairs of residues, pairs of chains, chains.

use super::parquet::key_values;
use super::{OutputError, Provenance, StructureRows, Table};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Rows in a row group of Parquet.
const GROUP_ROWS: usize = 1 << 18;

/// The values of a column, line by line.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Texts.
    Text(Vec<String>),
    /// Whole numbers.
    Int(Vec<i32>),
    /// Numbers, NaN where they are not defined.
    Float(Vec<f32>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Float(values) => values.len(),
        }
    }
}

/// What a table of other lines than residues has.
///
/// The example of [`RelationTable`] has one.
pub trait Relation {
    /// Its columns, with no value yet.
    fn columns(&self) -> Vec<(&'static str, Cells)>;

    /// Appends the lines of a structure to the values of each column.
    ///
    /// # Errors
    /// Where what the lines need cannot be had.
    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError>;

    /// Ends whatever else it writes.
    ///
    /// # Errors
    /// Where that cannot be written.
    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        Ok(())
    }
}

/// A relation as a table: CSV or Parquet.
///
/// ```
/// use prism_host::output::{Cells, OutputError, Relation, RelationTable, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// /// Names of structures, and how long they are.
/// struct Lengths;
///
/// impl Relation for Lengths {
///     fn columns(&self) -> Vec<(&'static str, Cells)> {
///         vec![("structure", Cells::Text(Vec::new())), ("residues", Cells::Int(Vec::new()))]
///     }
///
///     fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
///         let [Cells::Text(names), Cells::Int(residues)] = cells else { unreachable!() };
///         names.push(part.structure.name.clone());
///         residues.push(part.structure.n_residues() as i32);
///         Ok(())
///     }
/// }
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let features = &Engine::builder().backend(Backend::Cpu).build()?.run(std::slice::from_ref(&rbd))?[0];
/// let mut text = Vec::new();
/// let mut table = RelationTable::csv(&mut text, Lengths);
/// table.write(&[StructureRows { structure: &rbd, features: features.view() }])?;
/// Box::new(table).finish()?;
/// assert_eq!(text, b"structure,residues\nrbd,194\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RelationTable<W: Write + Send, R> {
    relation: Box<R>,
    cells: Vec<Cells>,
    out: Out<W>,
}

enum Out<W: Write + Send> {
    /// With the header, as long as it is not written.
    Csv(W, Option<String>),
    Parquet(Box<SerializedFileWriter<W>>),
}

impl<W: Write + Send, R: Relation> RelationTable<W, R> {
    /// Begins a table as text, formatted as [`CsvTable`](super::CsvTable) is. The header is written with the first
    /// structure, or at the end.
    pub fn csv(out: W, relation: R) -> Self {
        let columns = relation.columns();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let out = Out::Csv(out, Some(names.join(",") + "\n"));
        Self { relation: Box::new(relation), cells: columns.into_iter().map(|(_, cells)| cells).collect(), out }
    }

    /// Begins a table as Parquet: texts and whole numbers are required, numbers null for NaN. The provenance is among the
    /// file's key-value metadata.
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn parquet(out: W, relation: R, provenance: Option<&Provenance>) -> Result<Self, OutputError> {
        let columns = relation.columns();
        let fields = columns.iter().map(|(name, cells)| {
            let (physical, logical, repetition) = match cells {
                Cells::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
                Cells::Int(_) => (PhysicalType::INT32, None, Repetition::REQUIRED),
                Cells::Float(_) => (PhysicalType::FLOAT, None, Repetition::OPTIONAL),
            };
            let builder = Type::primitive_type_builder(name, physical).with_logical_type(logical);
            builder.with_repetition(repetition).build().map(Arc::new)
        });
        let schema = Type::group_type_builder("prism").with_fields(fields.collect::<Result<_, _>>()?).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("prism ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(provenance.map(|provenance| key_values(provenance).collect()));
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        let cells = columns.into_iter().map(|(_, cells)| cells).collect();
        Ok(Self { relation: Box::new(relation), cells, out: Out::Parquet(Box::new(file)) })
    }

    fn rows(&self) -> usize {
        self.cells.first().map_or(0, Cells::len)
    }

    /// Writes the lines that are held back.
    fn write_out(&mut self) -> Result<(), OutputError> {
        let rows = self.rows();
        if let Out::Csv(out, header) = &mut self.out
            && let Some(header) = header.take()
        {
            out.write_all(header.as_bytes())?;
        }
        if rows == 0 {
            return Ok(());
        }
        match &mut self.out {
            Out::Csv(out, _) => write_lines(out, &self.cells, rows)?,
            Out::Parquet(file) => write_group(file, &self.cells)?,
        }
        for cells in &mut self.cells {
            match cells {
                Cells::Text(values) => values.clear(),
                Cells::Int(values) => values.clear(),
                Cells::Float(values) => values.clear(),
            }
        }
        Ok(())
    }
}

fn write_lines(out: &mut impl Write, cells: &[Cells], rows: usize) -> std::io::Result<()> {
    let mut lines = csv::WriterBuilder::new().from_writer(Vec::new());
    let mut number = zmij::Buffer::new();
    for row in 0..rows {
        for cells in cells {
            match cells {
                Cells::Text(values) => lines.write_field(&values[row]),
                Cells::Int(values) => lines.write_field(values[row].to_string()),
                Cells::Float(values) if values[row].is_nan() => lines.write_field(""),
                Cells::Float(values) => lines.write_field(number.format(values[row])),
            }
            .map_err(std::io::Error::other)?;
        }
        lines.write_record(None::<&[u8]>).map_err(std::io::Error::other)?;
    }
    out.write_all(&lines.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?)
}

fn write_group<W: Write + Send>(file: &mut SerializedFileWriter<W>, cells: &[Cells]) -> Result<(), OutputError> {
    let mut group = file.next_row_group()?;
    for cells in cells {
        let Some(mut column) = group.next_column()? else { break };
        match cells {
            Cells::Text(values) => {
                let values: Vec<ByteArray> = values.iter().map(|text| ByteArray::from(text.as_str())).collect();
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
            }
            Cells::Int(values) => {
                column.typed::<Int32Type>().write_batch(values, None, None)?;
            }
            Cells::Float(values) => {
                let present: Vec<i16> = values.iter().map(|value| i16::from(!value.is_nan())).collect();
                let values: Vec<f32> = values.iter().copied().filter(|value| !value.is_nan()).collect();
                column.typed::<FloatType>().write_batch(&values, Some(&present), None)?;
            }
        }
        column.close()?;
    }
    group.close()?;
    Ok(())
}

impl<W: Write + Send, R: Relation> RelationTable<W, R> {
    /// Appends lines that do not come from the relation itself.
    pub(super) fn extend(&mut self, lines: impl FnOnce(&mut [Cells])) -> Result<(), OutputError> {
        lines(&mut self.cells);
        if self.rows() >= GROUP_ROWS { self.write_out() } else { Ok(()) }
    }
}

impl<W: Write + Send, R: Relation> Table for RelationTable<W, R> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        for part in structures {
            self.relation.append(part, &mut self.cells)?;
            if self.rows() >= GROUP_ROWS {
                self.write_out()?;
            }
        }
        if matches!(self.out, Out::Csv(..)) {
            self.write_out()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        self.write_out()?;
        self.relation.finish()?;
        let mut out = match self.out {
            Out::Csv(out, _) => out,
            Out::Parquet(file) => file.into_inner()?,
        };
        Ok(out.flush()?)
    }
}
