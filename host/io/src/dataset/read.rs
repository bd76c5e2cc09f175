//! Reads a data set.

use super::batches::{self, Extent, Recent};
use super::columns::{self, ATOM_VALUES, Element, PLDDT};
use super::labels::{self, Packed};
use super::source::Source;
use super::{DatasetError, LAYOUT, LAYOUT_KEY, LAYOUT_WITHOUT_LABELS};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt8Type, UInt32Type};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Footer, root_as_footer};
use arrow_schema::{Schema, SchemaRef};
use bytes::Bytes;
use prism_read::structure::{Composition, ResidueLabels, StructureInput};
use prism_read::{Note, ReadStructure, from_b_column};
use shared_types::Atom;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A packed data set. Opening it reads names and sizes. The values of a structure are read on request, together with the
/// rest of its batch: the structures that were written together.
///
/// The file is not trusted, and nothing is used in place. A batch is copied into memory, its checksum is compared, its
/// parts are checked, and only then is the copy used. If a file is damaged, comes from an untrusted source, or is
/// overwritten or cut while in use, only the affected structures give errors. Structures that were read before stay valid.
#[derive(Debug)]
pub struct Dataset {
    source: Source,
    schema: SchemaRef,
    decoder: FileDecoder,
    extents: Vec<Extent>,
    /// The index of the first structure of each batch, then the number of structures.
    begins: Vec<usize>,
    names: Vec<String>,
    bytes: Vec<u64>,
    recent: Recent,
}

impl Dataset {
    /// Whether a file begins like a data set. `false` if it cannot be read or is no regular file.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        Source::open(path).and_then(|source| source.begins_with_magic()).is_ok_and(|is| is)
    }

    /// Opens the file at `path` and keeps it open. Replacing the file, as `prism pack` does, has no effect on this data
    /// set. Writing into it gives errors for the affected structures.
    ///
    /// # Errors
    /// If the file is not a data set, is incomplete, has another layout, or is damaged. Not all values are checked here.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        Self::of(Source::open(path)?)
    }

    /// Takes the bytes of a data set.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(bytes: Bytes) -> Result<Self, DatasetError> {
        Self::of(Source::Memory(bytes))
    }

    fn of(source: Source) -> Result<Self, DatasetError> {
        if !source.begins_with_magic()? {
            return Err(DatasetError::NotArrow);
        }
        let (end, footer) = footer_of(&source)?;
        let footer = root_as_footer(&footer).map_err(|error| DatasetError::Damaged(error.to_string()))?;
        let schema = Arc::new(checked_schema(&footer)?);
        let extents = batches::extents(&footer, end)?;
        let decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        let (mut names, mut bytes, mut begins) = (Vec::new(), Vec::new(), vec![0]);
        for extent in &extents {
            let listed = batches::list(&source, extent, &schema)?;
            if listed.names.is_empty() {
                // No structure refers to this batch, so it is checked here: an empty batch may once have had structures.
                batches::read(&source, extent, &schema, &decoder, names.len()..names.len(), &[])?;
            }
            names.extend(listed.names);
            bytes.extend(listed.bytes);
            begins.push(names.len());
        }
        Ok(Self { source, schema, decoder, extents, begins, names, bytes, recent: Recent::default() })
    }

    /// Number of structures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no structure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the data set has residue labels; all that this version writes do.
    #[must_use]
    pub fn keeps_labels(&self) -> bool {
        labels::COLUMNS.iter().all(|column| self.schema.index_of(column).is_ok())
    }

    /// The name of structure `index`.
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// Approximate size of structure `index` in the file, in bytes.
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn bytes(&self, index: usize) -> u64 {
        self.bytes[index]
    }

    /// Structure `index` as it was packed, with the warnings of its file.
    ///
    /// # Errors
    /// If its batch cannot be read, is damaged or was changed, if its parts are inconsistent, or if
    /// [`StructureInput::check_spread`] refuses its atoms.
    ///
    /// # Panics
    /// If there is no such structure.
    pub fn structure(&self, index: usize) -> Result<ReadStructure, DatasetError> {
        self.structure_with(index, true)
    }

    /// The same. Labels, which take a third of the time, are left out unless `labels` is set.
    pub(crate) fn structure_with(&self, index: usize, labels: bool) -> Result<ReadStructure, DatasetError> {
        let (batch, row) = self.row(index)?;
        let row = Row { batch: &batch, row };
        let atoms = row.range("atoms");
        let mut residue_atoms = row.list::<u32>("residue_atoms");
        residue_atoms.push(atoms.len() as u32);
        let center = row.column("center").as_fixed_size_list();
        let center = &center.values().as_primitive::<Float64Type>().values()[3 * row.row..][..3];
        let mut structure = StructureInput {
            atoms: row.atoms(atoms).into(),
            center: [center[0], center[1], center[2]],
            ..Composition {
                name: self.name(index).to_owned(),
                residue_atoms,
                chains: row.texts("chains").map(str::to_owned).collect(),
                residue_numbers: row.list("residue_numbers"),
                insertion_codes: row.texts("insertion_codes").map(Box::from).collect(),
                residue_names: row.texts("residue_names").map(Arc::from).collect(),
                predicted: row.column("predicted").as_primitive::<UInt8Type>().value(row.row) != 0,
                environment: row.column("environment").as_primitive::<UInt8Type>().value(row.row) != 0,
                lineage_hash: row.column("lineage_hash").as_primitive::<UInt32Type>().value(row.row),
                country_id: row.column("country_id").as_primitive::<UInt8Type>().value(row.row),
                labels: if labels { row.labels()? } else { Vec::new() },
                ..Composition::default()
            }
            .into()
        };
        macro_rules! read_inputs {
            ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
                $(structure.$name = row.list(stringify!($name));)*
            };
        }
        shared_types::residue_inputs!(read_inputs);
        structure.fill_absent();
        structure.plddt = row.list(PLDDT);
        if structure.predicted && structure.plddt.is_empty() {
            structure.plddt = from_b_column(&structure.b_column);
        }
        structure.validate()?;
        structure.check_spread()?;
        structure.find_traces();
        let notes: Vec<Note> = row.texts("warnings").map(Note::of_text).collect();
        let warnings = row.texts("warnings").map(str::to_owned).collect();
        Ok(ReadStructure { structure, warnings, notes, models: 1 })
    }

    /// The batch that holds a structure, and its row there.
    fn row(&self, index: usize) -> Result<(RecordBatch, usize), DatasetError> {
        assert!(index < self.len(), "structure {index} of {}", self.len());
        let batch = self.begins.partition_point(|&begin| begin <= index) - 1;
        let (extent, structures) = (&self.extents[batch], self.begins[batch]..self.begins[batch + 1]);
        let row = index - structures.start;
        let read = || {
            let names = &self.names[structures.clone()];
            batches::read(&self.source, extent, &self.schema, &self.decoder, structures.clone(), names)
        };
        Ok((self.recent.get(batch, extent, read)?, row))
    }
}

/// A structure's row.
#[derive(Clone, Copy)]
struct Row<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

impl<'a> Row<'a> {
    /// A column that every file has.
    fn column(self, name: &str) -> &'a ArrayRef {
        self.batch.column_by_name(name).expect("the schema was checked")
    }

    /// The range of its list in a column.
    fn range(self, column: &str) -> Range<usize> {
        let offsets = self.column(column).as_list::<i32>().value_offsets();
        offsets[self.row] as usize..offsets[self.row + 1] as usize
    }

    /// Its list in a column; empty if the file lacks the column.
    fn list<T: Element>(self, column: &str) -> Vec<T> {
        let Some(lists) = self.batch.column_by_name(column) else { return Vec::new() };
        let range = self.range(column);
        let values = lists.as_list::<i32>().values();
        let (values, width) = match values.as_fixed_size_list_opt() {
            Some(vectors) => (vectors.values(), vectors.value_length() as usize),
            None => (values, 1),
        };
        T::elements(&values.as_primitive::<T::Number>().values()[width * range.start..width * range.end])
    }

    /// Its residue labels, if the file has them.
    fn labels(self) -> Result<Vec<ResidueLabels>, DatasetError> {
        if labels::COLUMNS.iter().any(|column| self.batch.column_by_name(column).is_none()) {
            return Ok(Vec::new());
        }
        let texts = self.texts(labels::TEXTS).collect();
        Packed { runs: self.list(labels::RUNS), texts, numbers: self.list(labels::NUMBERS) }.labels()
    }

    fn texts(self, column: &str) -> impl Iterator<Item = &'a str> {
        let values = self.column(column).as_list::<i32>().values().as_string::<i32>();
        self.range(column).map(|text| values.value(text))
    }

    fn atoms(self, range: Range<usize>) -> Vec<Atom> {
        let atoms = self.column("atoms").as_list::<i32>().values().as_fixed_size_list();
        let values = atoms.values().as_primitive::<Float32Type>().values();
        let values = &values[range.start * ATOM_VALUES..range.end * ATOM_VALUES];
        let (values, _) = values.as_chunks::<ATOM_VALUES>();
        values.iter().map(|&[x, y, z, radius]| Atom { x, y, z, radius }).collect()
    }
}

/// The end of the data, and the footer's bytes; the footer is followed by its length and the magic.
fn footer_of(source: &Source) -> Result<(u64, Vec<u8>), DatasetError> {
    const END: usize = 10;
    let footer_end = source.len().checked_sub(END as u64).ok_or(DatasetError::Truncated)?;
    let end = source.read(footer_end, END)?;
    let end = end.first_chunk().and_then(|&end| read_footer_length(end).ok()).ok_or(DatasetError::Truncated)?;
    let begin = footer_end.checked_sub(end as u64).ok_or(DatasetError::Truncated)?;
    Ok((begin, source.read(begin, end)?))
}

/// The schema. Checks that it is a data set's.
fn checked_schema(footer: &Footer<'_>) -> Result<Schema, DatasetError> {
    let schema = try_fb_to_schema(footer.schema().ok_or(DatasetError::Foreign)?)?;
    match schema.metadata().get(LAYOUT_KEY).map(String::as_str) {
        Some(LAYOUT | LAYOUT_WITHOUT_LABELS) => {}
        Some(found) => return Err(DatasetError::Layout { found: found.to_owned() }),
        None => return Err(DatasetError::Foreign),
    }
    columns::check(&schema).map_err(|column| DatasetError::Column { column })?;
    Ok(schema)
}
