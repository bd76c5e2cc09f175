//! Reading a data set, where it lies.

use super::columns::{self, ATOM_VALUES, Element, element_bytes};
use super::{DatasetError, LAYOUT, LAYOUT_KEY, MAGIC};
use crate::read::{Note, ReadStructure};
use crate::structure::StructureInput;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt8Type, UInt32Type};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Footer, convert::try_fb_to_schema, root_as_footer, root_as_message};
use arrow_schema::Schema;
use bytes::Bytes;
use memmap2::Mmap;
use shared_types::Atom;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A packed data set, mapped into memory: its values are read from the file when a structure is asked for.
#[derive(Debug)]
pub struct Dataset {
    batches: Vec<RecordBatch>,
    /// Where the structures of each batch begin, and after the last all end.
    begins: Vec<usize>,
}

impl Dataset {
    /// Whether a file begins as a data set does. `false` where it cannot be read.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        let mut begin = [0; MAGIC.len()];
        File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *MAGIC
    }

    /// Maps the file at `path`. Nobody may write into it or cut it short as long as it is in use; replacing it by
    /// another file, as `prism pack` does, is no harm.
    ///
    /// # Errors
    /// Where the file is no data set, not whole, of another layout, or damaged. (Values are not all looked at here.)
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let file = File::open(path)?;
        // SAFETY: the mapping is only read, and is dropped after all that refers to it (`Bytes` owns it). That nobody
        // changes the file meanwhile is what the documentation asks for, as for every program that maps files.
        let map = unsafe { Mmap::map(&file) }?;
        Self::from_bytes(Bytes::from_owner(map))
    }

    /// Takes the bytes of such a file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(bytes: Bytes) -> Result<Self, DatasetError> {
        if !bytes.starts_with(MAGIC) {
            return Err(DatasetError::NotArrow);
        }
        let (body, footer) = footer_of(&bytes).ok_or(DatasetError::Truncated)?;
        let footer = root_as_footer(footer).map_err(|error| DatasetError::Damaged(error.to_string()))?;
        let schema = checked_schema(&footer)?;
        let schema = Arc::new(schema);
        let decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        let buffer = Buffer::from(bytes.slice(..body));
        let mut batches = Vec::new();
        for block in footer.recordBatches().into_iter().flatten() {
            let block_bytes = block_of(&buffer, block, &schema)?;
            batches.extend(decoder.read_record_batch(block, &block_bytes)?);
        }
        let ends = batches.iter().scan(0, |end, batch| {
            *end += batch.num_rows();
            Some(*end)
        });
        let begins = std::iter::once(0).chain(ends).collect();
        Ok(Self { batches, begins })
    }

    /// Number of structures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.begins.last().copied().unwrap_or(0)
    }

    /// Whether there is no structure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of structure `index`.
    ///
    /// # Panics
    /// Where there is no such structure.
    #[must_use]
    pub fn name(&self, index: usize) -> &str {
        let (batch, row) = self.row(index);
        Row { batch, row }.column("name").as_string::<i32>().value(row)
    }

    /// Bytes that structure `index` takes in the file, about.
    ///
    /// # Panics
    /// Where there is no such structure.
    #[must_use]
    pub fn bytes(&self, index: usize) -> u64 {
        const RESIDUE_BYTES: usize = 4 * 8 + 1 + 4;
        let (batch, row) = self.row(index);
        let len = |column: &str| Row { batch, row }.range(column).len();
        (len("atoms") * size_of::<Atom>() + len("residue_types") * RESIDUE_BYTES) as u64
    }

    /// Structure `index` as it was packed, with the warnings of its file.
    ///
    /// # Errors
    /// Where its parts do not fit together.
    ///
    /// # Panics
    /// Where there is no such structure.
    pub fn structure(&self, index: usize) -> Result<ReadStructure, DatasetError> {
        let (batch, row) = self.row(index);
        let row = Row { batch, row };
        let atoms = row.range("atoms");
        let mut residue_atoms = row.list::<u32>("residue_atoms");
        residue_atoms.push(atoms.len() as u32);
        let center = row.column("center").as_fixed_size_list();
        let center = &center.values().as_primitive::<Float64Type>().values()[3 * row.row..][..3];
        let mut structure = StructureInput {
            name: self.name(index).to_owned(),
            atoms: row.atoms(atoms),
            residue_atoms,
            chains: row.texts("chains").map(str::to_owned).collect(),
            residue_numbers: row.list("residue_numbers"),
            insertion_codes: row.texts("insertion_codes").map(Box::from).collect(),
            residue_names: row.texts("residue_names").map(Box::from).collect(),
            predicted: row.column("predicted").as_primitive::<UInt8Type>().value(row.row) != 0,
            environment: row.column("environment").as_primitive::<UInt8Type>().value(row.row) != 0,
            center: [center[0], center[1], center[2]],
            lineage_hash: row.column("lineage_hash").as_primitive::<UInt32Type>().value(row.row),
            country_id: row.column("country_id").as_primitive::<UInt8Type>().value(row.row),
            ..StructureInput::default()
        };
        macro_rules! read_inputs {
            ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
                $(structure.$name = row.list(stringify!($name));)*
            };
        }
        shared_types::residue_inputs!(read_inputs);
        structure.fill_absent();
        structure.validate()?;
        let notes: Vec<Note> = row.texts("warnings").map(Note::of_text).collect();
        let warnings = row.texts("warnings").map(str::to_owned).collect();
        Ok(ReadStructure { structure, warnings, notes, models: 1 })
    }

    /// The batch that holds a structure, and its row there.
    fn row(&self, index: usize) -> (&RecordBatch, usize) {
        let batch = self.begins.partition_point(|&begin| begin <= index) - 1;
        (&self.batches[batch], index - self.begins[batch])
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

    /// Where its list in a column lies.
    fn range(self, column: &str) -> Range<usize> {
        let offsets = self.column(column).as_list::<i32>().value_offsets();
        offsets[self.row] as usize..offsets[self.row + 1] as usize
    }

    /// Its list in a column; none where the file has no such column.
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

/// Where the data end, and the footer's bytes, which its length and the magic follow.
fn footer_of(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (rest, end) = bytes.split_last_chunk::<10>()?;
    let begin = rest.len().checked_sub(read_footer_length(*end).ok()?)?;
    Some((begin, &rest[begin..]))
}

/// The schema, where it is that of a data set.
fn checked_schema(footer: &Footer<'_>) -> Result<Schema, DatasetError> {
    let schema = try_fb_to_schema(footer.schema().ok_or(DatasetError::Foreign)?)?;
    match schema.metadata().get(LAYOUT_KEY).map(String::as_str) {
        Some(LAYOUT) => {}
        Some(found) => return Err(DatasetError::Layout { found: found.to_owned() }),
        None => return Err(DatasetError::Foreign),
    }
    columns::check(&schema).map_err(|column| DatasetError::Column { column })?;
    Ok(schema)
}

/// A block of the file, whose parts all lie within it.
fn block_of(body: &Buffer, block: &Block, schema: &Schema) -> Result<Buffer, DatasetError> {
    let damaged = || DatasetError::Damaged("a batch does not lie within the file".to_owned());
    let positive = |value: i64| usize::try_from(value).map_err(|_| damaged());
    let begin = positive(block.offset())?;
    let header = positive(i64::from(block.metaDataLength()))?;
    let data = positive(block.bodyLength())?;
    let len = header.checked_add(data).ok_or_else(damaged)?;
    if header < PREFIX || begin.checked_add(len).is_none_or(|end| end > body.len()) {
        return Err(damaged());
    }
    let bytes = body.slice_with_length(begin, len);
    let message = root_as_message(&bytes[PREFIX..header]).map_err(|error| DatasetError::Damaged(error.to_string()))?;
    let batch = message.header_as_record_batch().ok_or_else(damaged)?;
    for node in batch.nodes().into_iter().flatten() {
        // Every element takes a byte or more.
        if positive(node.length())? > data || node.null_count() != 0 {
            return Err(damaged());
        }
    }
    let mut elements = element_bytes(schema);
    for buffer in batch.buffers().into_iter().flatten() {
        let (begin, len) = (positive(buffer.offset())?, positive(buffer.length())?);
        let whole = elements.next().is_some_and(|bytes| len % bytes == 0);
        if !whole || begin.checked_add(len).is_none_or(|end| end > data) {
            return Err(damaged());
        }
    }
    Ok(bytes)
}

/// What stands before a message: a mark, and its length.
const PREFIX: usize = 8;
