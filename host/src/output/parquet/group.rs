//! A row group: gathered column by column, then encoded.

use super::super::value::Kind;
use super::super::{Column, StructureRows, is_same};
use bytes::Bytes;
use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use shared_types::RESIDUES;
use shared_types::backbone::SecondaryStructure;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The encoded columns of a row group, and their metadata for the footer.
pub(super) type Encoded = Result<Vec<(Bytes, ColumnCloseResult)>, ParquetError>;

/// Rows from which several threads gather the columns. Fewer take less time than to begin a thread.
const ROWS_TO_SHARE: usize = 1 << 14;
/// The most threads that gather, and the number of computing threads for each of them. They do not come from the pool, whose
/// threads may be busy with a kernel for long.
const MOST_GATHERERS: usize = 4;
const THREADS_PER_GATHERER: usize = 4;

/// A row group that is being gathered. It holds copies because the structures do not live as long.
pub(super) struct Group {
    /// One entry for each column.
    values: Vec<Values>,
    rows: usize,
}

impl Group {
    pub(super) fn of(columns: &[Column]) -> Self {
        Self { values: columns.iter().map(Values::of).collect(), rows: 0 }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// How many of `parts` the group takes until it has at least `most` rows: at least one, and all if they have fewer rows.
    pub(super) fn parts_to_fill(&self, parts: &[StructureRows<'_>], most: usize) -> usize {
        let mut rows = self.rows;
        let filling = parts.iter().position(|part| {
            rows += part.len();
            rows >= most
        });
        filling.map_or(parts.len(), |last| last + 1)
    }

    /// Appends the rows of some structures.
    pub(super) fn append(&mut self, columns: &[Column], parts: &[StructureRows<'_>]) {
        let rows: usize = parts.iter().map(StructureRows::len).sum();
        let columns = Mutex::new(self.values.iter_mut().zip(columns));
        let next = || columns.lock().unwrap_or_else(PoisonError::into_inner).next();
        let gather = || {
            while let Some((values, column)) = next() {
                parts.iter().for_each(|part| values.append(column, part));
            }
        };
        let threads = (rayon::current_num_threads() / THREADS_PER_GATHERER).clamp(1, MOST_GATHERERS);
        let others = if rows < ROWS_TO_SHARE { 0 } else { threads - 1 };
        thread::scope(|scope| {
            for _ in 0..others {
                // If no other thread can be started, this one gathers more.
                let _ = thread::Builder::new().name("gather".to_owned()).spawn_scoped(scope, gather);
            }
            gather();
        });
        self.rows += rows;
    }

    /// Encodes and compresses the columns at the same time.
    pub(super) fn encode(&self, schema: &[ColumnDescPtr], properties: &WriterPropertiesPtr) -> Encoded {
        let columns = (schema, &self.values).into_par_iter();
        columns.map(|(column, values)| values.encode(column.clone(), properties.clone())).collect()
    }

    /// Removes all rows and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.values.iter_mut().for_each(Values::clear);
        self.rows = 0;
    }
}

/// A column of a group.
enum Values {
    Text(Runs),
    Int(Vec<i32>),
    Optional(Vec<Option<i32>>),
    /// A missing value is NaN.
    Float(Vec<f32>),
}

impl Values {
    fn of(column: &Column) -> Self {
        match column.kind() {
            Kind::Text => Self::Text(Runs::default()),
            Kind::Int => Self::Int(Vec::new()),
            Kind::Optional => Self::Optional(Vec::new()),
            Kind::Float => Self::Float(Vec::new()),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Text(runs) => runs.clear(),
            Self::Int(all) => all.clear(),
            Self::Optional(all) => all.clear(),
            Self::Float(all) => all.clear(),
        }
    }

    fn append(&mut self, column: &Column, part: &StructureRows<'_>) {
        let rows = 0..part.len();
        let structure = part.structure;
        match (self, column) {
            (Self::Text(runs), Column::Structure) => runs.append(&structure.name, rows.len()),
            (Self::Text(runs), Column::Chain) => runs.extend(rows.map(|row| part.chain(row))),
            (Self::Text(runs), Column::Icode) => {
                runs.extend(structure.insertion_codes[rows].iter().map(|code| &**code))
            }
            (Self::Text(runs), Column::Resname) if structure.residue_names.is_empty() => {
                runs.extend(rows.map(|row| RESIDUES[usize::from(structure.residue_types[row])].name));
            }
            (Self::Text(runs), Column::Resname) => runs.extend(rows.map(|row| part.resname(row))),
            (Self::Text(runs), Column::Parent) => runs.extend(rows.map(|row| structure.parent(row))),
            (Self::Text(runs), Column::State(feature)) => match part.values(feature) {
                [] => runs.append("", rows.len()),
                values => runs.extend(values[rows].iter().map(|&value| SecondaryStructure::letter(value))),
            },
            (Self::Int(all), Column::Row) => all.extend(rows.map(|row| row as i32)),
            (Self::Int(all), Column::Resnum) => all.extend_from_slice(&structure.residue_numbers[rows]),
            (Self::Int(all), Column::SiteId) => all.extend(rows.map(|row| part.site_id(row))),
            (Self::Float(all), Column::Feature(feature)) => match part.values(feature) {
                [] => all.extend(rows.map(|_| f32::NAN)),
                values => all.extend_from_slice(&values[rows]),
            },
            (Self::Float(all), Column::Plddt) => all.extend(rows.map(|row| part.plddt(row))),
            (Self::Float(all), Column::Lineage(_)) => all.extend(rows.map(|row| part.velocity_error(row))),
            (Self::Text(runs), Column::Lineage(text)) => runs.append(part.lineage_text(*text), rows.len()),
            (Self::Text(runs), Column::Label(label)) => runs.extend(rows.map(|row| part.label_text(*label, row))),
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
                for values in runs.rows() {
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
                // Whether each row has a value, then the values that exist.
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

/// Texts, each with the number of consecutive rows that have it.
#[derive(Default)]
struct Runs {
    /// All texts, one after another.
    bytes: String,
    runs: Vec<Run>,
}

struct Run {
    /// Where the text ends in the bytes. It begins where the previous text ends.
    end: usize,
    rows: usize,
}

impl Runs {
    fn clear(&mut self) {
        self.bytes.clear();
        self.runs.clear();
    }

    /// The text of the last row.
    fn last(&self) -> Option<&str> {
        let [before @ .., last] = &*self.runs else { return None };
        Some(&self.bytes[before.last().map_or(0, |before| before.end)..last.end])
    }

    /// Appends rows that have one text.
    fn append(&mut self, text: &str, rows: usize) {
        if self.last().is_some_and(|last| is_same(last, text)) {
            self.runs.last_mut().expect("the run of the last text").rows += rows;
        } else {
            self.bytes.push_str(text);
            self.runs.push(Run { end: self.bytes.len(), rows });
        }
    }

    /// Appends one text for each row.
    fn extend<'a>(&mut self, rows: impl Iterator<Item = &'a str>) {
        rows.for_each(|text| self.append(text, 1));
    }

    /// Yields the text of every row, a batch of rows at a time.
    fn rows(&self) -> impl Iterator<Item = Vec<ByteArray>> {
        /// A multiple of the writer's batch size.
        const ROWS: usize = 1 << 12;
        // One byte after the texts gives empty texts an address, too: see [`is_same`].
        let bytes = Bytes::from([self.bytes.as_bytes(), b"-"].concat());
        let mut begin = 0;
        let texts = self.runs.iter().map(move |run| {
            let text = bytes.slice(begin..run.end);
            begin = run.end;
            (ByteArray::from(text), run.rows)
        });
        let mut rows = texts.flat_map(|(text, rows)| std::iter::repeat_n(text, rows));
        std::iter::from_fn(move || Some(rows.by_ref().take(ROWS).collect::<Vec<_>>()).filter(|some| !some.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_rows_that_they_were_made_of() {
        let rows: Vec<String> = (0..20_000).map(|row: usize| "x".repeat(row / 7 % 5 / 2)).collect();
        let mut runs = Runs::default();
        for again in 0..2 {
            let (first, second) = rows.split_at(9_999 + again);
            runs.clear();
            for part in [first, second] {
                runs.extend(part.iter().map(String::as_str));
            }
            assert!(runs.runs.len() < rows.len() / 4, "{} runs", runs.runs.len());
            let found: Vec<ByteArray> = runs.rows().flatten().collect();
            assert_eq!(found.len(), rows.len());
            assert!(found.iter().zip(&rows).all(|(found, row)| found.data() == row.as_bytes()));
        }
    }
}
