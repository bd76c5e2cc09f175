//! Parquet.

use super::arrow::encoded_schema;
use super::value::Kind;
use super::{Column, Columns, OutputError, Provenance, StructureRows, Table, is_same};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, Type};
use rayon::prelude::*;
use shared_types::RESIDUES;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Rows in a row group: enough to compress well, few enough for a reader to take a part of a file, and for several to be
/// under way.
const GROUP_ROWS: usize = 1 << 16;
/// Row groups that are being encoded, at most: more than that wait to be gathered.
const GROUPS_IN_FLIGHT: usize = 4;

/// A table as Parquet: identity columns and `site_id` are required UTF-8 and INT32, features optional FLOAT with null for
/// NaN; compressed by zstd. Version and configuration are among the file's key-value metadata, and, for readers that are
/// Arrow's, each feature's unit, definition and source.
///
/// ```
/// use parquet::file::reader::{FileReader, SerializedFileReader};
/// use prism_host::output::{Columns, ParquetTable, Provenance, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let all = [StructureRows { structure: &rbd, features: features.view() }];
/// let mut bytes = Vec::new();
/// let provenance = Provenance::of(engine.config());
/// let mut table = ParquetTable::new(&mut bytes, Columns::choose(["wcn", "sasa"])?, &provenance)?;
/// table.write(&all)?;
/// Box::new(table).finish()?;
///
/// let file = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
/// let metadata = file.metadata().file_metadata();
/// assert_eq!((metadata.num_rows(), metadata.schema_descr().num_columns()), (194, 7 + 2));
/// let told = metadata.key_value_metadata().into_iter().flatten();
/// let points: Vec<_> = told.filter(|entry| entry.key == "prism.points").map(|entry| entry.value.as_deref()).collect();
/// assert_eq!(points, [Some("100")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ParquetTable<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Columns,
    group: Group,
    /// Groups that rayon's threads encode, in their order in the file.
    in_flight: VecDeque<Receiver<Encoded>>,
}

/// The encoded columns of a row group, and their metadata for the footer.
type Encoded = Result<Vec<(Bytes, ColumnCloseResult)>, ParquetError>;

/// A row group that is being gathered: what the structures that it is made of may take with them.
struct Group {
    /// A column each.
    values: Vec<Values>,
    rows: usize,
}

/// A column of a group.
enum Values {
    /// Texts, and how many rows in turn have each.
    Text(Vec<(ByteArray, usize)>),
    Int(Vec<i32>),
    Optional(Vec<Option<i32>>),
    /// NaN if there is none.
    Float(Vec<f32>),
}

/// Where the schema of Arrow stands among the metadata, by Arrow's convention.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// Provenance as the metadata of a file.
pub(super) fn key_values(provenance: &Provenance) -> impl Iterator<Item = KeyValue> {
    provenance.entries().into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value))
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn new(out: W, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let fields = columns.as_slice().iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("prism").with_fields(fields).build()?;
        let schema_of_arrow = KeyValue::new(ARROW_SCHEMA.to_owned(), encoded_schema(&columns, provenance));
        let metadata = key_values(provenance).chain([schema_of_arrow]);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(concat!("prism ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata.collect()));
        for column in columns.as_slice() {
            // Names and table look-ups repeat; computed numbers hardly do, and a dictionary of them costs time. What
            // does repeat are their first bytes: apart from the others they are smaller, and read faster.
            let is_feature = matches!(column, Column::Feature(_));
            properties = properties.set_column_dictionary_enabled(column.name().into(), !is_feature);
            if is_feature {
                properties = properties.set_column_encoding(column.name().into(), Encoding::BYTE_STREAM_SPLIT);
            }
        }
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        Ok(Self { file, group: Group::of(columns.as_slice()), columns, in_flight: VecDeque::new() })
    }

    /// Hands the group that was gathered to rayon's threads, and writes those that are ready.
    fn end_group(&mut self) -> Result<(), OutputError> {
        let group = std::mem::replace(&mut self.group, Group::of(self.columns.as_slice()));
        let schema = self.file.schema_descr().columns().to_vec();
        let properties = self.file.properties().clone();
        let encode = move || group.encode(&schema, &properties);
        if rayon::current_thread_index().is_some() {
            // A thread of the pool must not wait for other threads of the pool: there may be none.
            self.write_ready(0)?;
            return self.write_group(encode());
        }
        let (send, encoded) = channel();
        rayon::spawn(move || {
            // Nobody receives it when the table was given up.
            let _ = send.send(encode());
        });
        self.in_flight.push_back(encoded);
        self.write_ready(GROUPS_IN_FLIGHT)
    }

    /// Writes groups that are ready, and waits for others where more than `most` are under way.
    fn write_ready(&mut self, most: usize) -> Result<(), OutputError> {
        while let Some(first) = self.in_flight.front() {
            let lost = || ParquetError::General("a thread that encoded a row group has ended".to_owned());
            let encoded = match first.try_recv() {
                Ok(encoded) => encoded,
                Err(TryRecvError::Empty) if self.in_flight.len() <= most => break,
                Err(TryRecvError::Empty) => first.recv().map_err(|_| lost())?,
                Err(TryRecvError::Disconnected) => return Err(lost().into()),
            };
            self.in_flight.pop_front();
            self.write_group(encoded)?;
        }
        Ok(())
    }

    fn write_group(&mut self, encoded: Encoded) -> Result<(), OutputError> {
        let mut group = self.file.next_row_group()?;
        for (bytes, chunk) in encoded? {
            group.append_column(&bytes, chunk)?;
        }
        group.close()?;
        Ok(())
    }
}

impl<W: Write + Send> Table for ParquetTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        for part in structures {
            self.group.append(self.columns.as_slice(), part);
            // Groups end at the same structure however the table is handed over.
            if self.group.rows >= GROUP_ROWS {
                self.end_group()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        if self.group.rows > 0 {
            self.end_group()?;
        }
        self.write_ready(0)?;
        // The writer's own buffer is flushed by `into_inner`, ours inside `out` by `flush`.
        let mut out = self.file.into_inner()?;
        Ok(out.flush()?)
    }
}

fn field(column: &Column) -> parquet::errors::Result<Type> {
    let (physical, logical, repetition) = match column.kind() {
        Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        Kind::Int => (PhysicalType::INT32, None, Repetition::REQUIRED),
        Kind::Optional => (PhysicalType::INT32, None, Repetition::OPTIONAL),
        Kind::Float => (PhysicalType::FLOAT, None, Repetition::OPTIONAL),
    };
    Type::primitive_type_builder(column.name(), physical).with_logical_type(logical).with_repetition(repetition).build()
}

impl Group {
    fn of(columns: &[Column]) -> Self {
        Self { values: columns.iter().map(Values::of).collect(), rows: 0 }
    }

    fn append(&mut self, columns: &[Column], part: &StructureRows<'_>) {
        for (values, column) in self.values.iter_mut().zip(columns) {
            values.append(column, part);
        }
        self.rows += part.len();
    }

    /// Encodes and compresses the columns at the same time.
    fn encode(&self, schema: &[ColumnDescPtr], properties: &WriterPropertiesPtr) -> Encoded {
        let columns = (schema, &self.values).into_par_iter();
        columns.map(|(column, values)| values.encode(column.clone(), properties.clone())).collect()
    }
}

impl Values {
    fn of(column: &Column) -> Self {
        match column.kind() {
            Kind::Text => Self::Text(Vec::new()),
            Kind::Int => Self::Int(Vec::new()),
            Kind::Optional => Self::Optional(Vec::new()),
            Kind::Float => Self::Float(Vec::new()),
        }
    }

    fn append(&mut self, column: &Column, part: &StructureRows<'_>) {
        let shared = |name: &'static str| ByteArray::from(Bytes::from_static(name.as_bytes()));
        let rows = 0..part.len();
        let structure = part.structure;
        match (self, column) {
            (Self::Text(runs), Column::Structure) => {
                runs.push((ByteArray::from(structure.name.as_str()), rows.len()));
            }
            (Self::Text(runs), Column::Chain) => {
                append_runs(runs, rows.map(|row| part.chain(row)), ByteArray::from);
            }
            (Self::Text(runs), Column::Icode) => {
                append_runs(runs, rows.map(|row| &*structure.insertion_codes[row]), |code| match code {
                    "" => nothing(),
                    code => ByteArray::from(code),
                });
            }
            (Self::Text(runs), Column::Resname) => {
                if structure.residue_names.is_empty() {
                    let of_type = |row: usize| RESIDUES[usize::from(structure.residue_types[row])].name;
                    append_runs(runs, rows.map(of_type), shared);
                } else {
                    append_runs(runs, rows.map(|row| part.resname(row)), ByteArray::from);
                }
            }
            (Self::Text(runs), Column::Parent) => append_runs(runs, rows.map(|row| structure.parent(row)), shared),
            (Self::Text(runs), Column::State(feature)) => {
                append_runs(runs, rows.map(|row| part.state(feature, row)), shared)
            }
            (Self::Int(all), Column::Row) => all.extend(rows.map(|row| row as i32)),
            (Self::Int(all), Column::Resnum) => all.extend_from_slice(&structure.residue_numbers[rows]),
            (Self::Int(all), Column::SiteId) => all.extend(rows.map(|row| part.site_id(row))),
            (Self::Float(all), Column::Feature(feature)) => match part.values(feature) {
                [] => all.extend(rows.map(|_| f32::NAN)),
                values => all.extend_from_slice(&values[rows]),
            },
            (Self::Float(all), Column::Plddt) => all.extend(rows.map(|row| part.plddt(row))),
            (Self::Float(all), Column::Lineage(_)) => all.extend(rows.map(|row| part.velocity_error(row))),
            (Self::Text(runs), Column::Lineage(text)) => {
                runs.push((ByteArray::from(part.lineage_text(*text)), rows.len()));
            }
            (Self::Text(runs), Column::Label(label)) => {
                append_runs(runs, rows.map(|row| part.label_text(*label, row)), |text| match text {
                    "" => nothing(),
                    text => ByteArray::from(text),
                });
            }
            (Self::Optional(all), Column::Label(label)) => all.extend(rows.map(|row| part.label_number(*label, row))),
            _ => unreachable!("values are made for their column"),
        }
    }

    /// Encodes the gathered values as a column chunk.
    fn encode(
        &self,
        column: ColumnDescPtr,
        properties: WriterPropertiesPtr,
    ) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let mut bytes = TrackedWrite::new(Vec::new());
        let writer = get_column_writer(column, properties, Box::new(SerializedPageWriter::new(&mut bytes)));
        let closed = match self {
            Self::Text(runs) => {
                let mut writer = get_typed_column_writer::<ByteArrayType>(writer);
                for values in rows_of(runs) {
                    writer.write_batch(&values, None, None)?;
                }
                writer.close()
            }
            Self::Int(all) => {
                let mut writer = get_typed_column_writer::<Int32Type>(writer);
                writer.write_batch(all, None, None)?;
                writer.close()
            }
            Self::Optional(all) => {
                let present: Vec<i16> = all.iter().map(|value| i16::from(value.is_some())).collect();
                let values: Vec<i32> = all.iter().copied().flatten().collect();
                let mut writer = get_typed_column_writer::<Int32Type>(writer);
                writer.write_batch(&values, Some(&present), None)?;
                writer.close()
            }
            Self::Float(all) => {
                // For every row whether there is a value, and the values that there are.
                let present: Vec<i16> = all.iter().map(|value| i16::from(!value.is_nan())).collect();
                let values: Vec<f32> = all.iter().copied().filter(|value| !value.is_nan()).collect();
                let mut writer = get_typed_column_writer::<FloatType>(writer);
                writer.write_batch(&values, Some(&present), None)?;
                writer.close()
            }
        }?;
        Ok((bytes.into_inner()?.into(), closed))
    }
}

/// No text, at an address that there is: the writer compares each value with others, and see [`is_same`].
fn nothing() -> ByteArray {
    static SOME: &[u8] = b"-";
    ByteArray::from(Bytes::from_static(&SOME[..0]))
}

/// Appends a text a row; neighbours that are equal are made one.
fn append_runs<'a>(
    runs: &mut Vec<(ByteArray, usize)>,
    rows: impl Iterator<Item = &'a str>,
    make: impl Fn(&'a str) -> ByteArray,
) {
    let mut before = None;
    for text in rows {
        match runs.last_mut() {
            Some((_, count)) if before.is_some_and(|before| is_same(before, text)) => *count += 1,
            _ => runs.push((make(text), 1)),
        }
        before = Some(text);
    }
}

/// A text for every row, some rows at a time.
fn rows_of(runs: &[(ByteArray, usize)]) -> impl Iterator<Item = Vec<ByteArray>> {
    /// A multiple of what the writer takes at a time.
    const ROWS: usize = 1 << 12;
    let mut rows = runs.iter().flat_map(|(text, count)| std::iter::repeat_n(text, *count)).cloned();
    std::iter::from_fn(move || Some(rows.by_ref().take(ROWS).collect::<Vec<_>>()).filter(|some| !some.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_rows_that_they_were_made_of() {
        let rows: Vec<String> = (0..20_000).map(|row: usize| "x".repeat(row / 7 % 5 / 2)).collect();
        let mut runs = Vec::new();
        let (first, second) = rows.split_at(9_999);
        for part in [first, second] {
            append_runs(&mut runs, part.iter().map(String::as_str), ByteArray::from);
        }
        assert!(runs.len() < rows.len() / 4, "{} runs", runs.len());
        let found: Vec<ByteArray> = rows_of(&runs).flatten().collect();
        assert_eq!(found.len(), rows.len());
        assert!(found.iter().zip(&rows).all(|(found, row)| found.data() == row.as_bytes()));
    }
}
