//! Reading a data set, where it lies.

use super::columns::{ATOM_VALUES, element_bytes, place, schema};
use super::{DatasetError, LAYOUT, LAYOUT_KEY, MAGIC};
use crate::read::ReadStructure;
use crate::structure::StructureInput;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, UInt8Type, UInt32Type};
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
///
/// The example of [`DatasetFile`](super::DatasetFile) writes one and opens it.
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
        let decoder = FileDecoder::new(Arc::new(schema), footer.version());
        let buffer = Buffer::from(bytes.slice(..body));
        let mut batches = Vec::new();
        for block in footer.recordBatches().into_iter().flatten() {
            let block_bytes = block_of(&buffer, block)?;
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
        batch.column(place::NAME).as_string::<i32>().value(row)
    }

    /// Bytes that structure `index` takes in the file, about.
    ///
    /// # Panics
    /// Where there is no such structure.
    #[must_use]
    pub fn bytes(&self, index: usize) -> u64 {
        const RESIDUE_BYTES: usize = 4 * 8 + 1 + 4;
        let (batch, row) = self.row(index);
        let len = |column: usize| batch.column(column).as_list::<i32>().value_length(row) as usize;
        (len(place::ATOMS) * size_of::<Atom>() + len(place::RESIDUE_TYPES) * RESIDUE_BYTES) as u64
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
        let atoms = row.range(place::ATOMS);
        let mut residue_atoms = row.list::<UInt32Type>(place::RESIDUE_ATOMS).to_vec();
        residue_atoms.push(atoms.len() as u32);
        let center = batch.column(place::CENTER).as_fixed_size_list();
        let center = &center.values().as_primitive::<Float64Type>().values()[3 * row.row..][..3];
        let structure = StructureInput {
            roles: Vec::new(),
            name: self.name(index).to_owned(),
            atoms: row.atoms(atoms),
            residue_atoms,
            ca_indices: row.list::<UInt32Type>(place::CA_INDICES).to_vec(),
            residue_types: row.list::<UInt8Type>(place::RESIDUE_TYPES).to_vec(),
            chain_ids: row.list::<UInt32Type>(place::CHAIN_IDS).to_vec(),
            chains: row.texts(place::CHAINS).map(str::to_owned).collect(),
            residue_numbers: row.list::<Int32Type>(place::RESIDUE_NUMBERS).to_vec(),
            insertion_codes: row.texts(place::INSERTION_CODES).map(Box::from).collect(),
            bfactor: row.list::<Float32Type>(place::BFACTOR).to_vec(),
            conservation: row.list::<Float32Type>(place::CONSERVATION).to_vec(),
            gisaid_freq: row.list::<Float32Type>(place::GISAID_FREQ).to_vec(),
            gisaid_velocity: row.list::<Float32Type>(place::GISAID_VELOCITY).to_vec(),
            center: [center[0], center[1], center[2]],
            lineage_hash: batch.column(place::LINEAGE_HASH).as_primitive::<UInt32Type>().value(row.row),
            country_id: batch.column(place::COUNTRY_ID).as_primitive::<UInt8Type>().value(row.row),
        };
        structure.validate()?;
        Ok(ReadStructure { structure, warnings: row.texts(place::WARNINGS).map(str::to_owned).collect() })
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
    /// Where its list in a column lies.
    fn range(self, column: usize) -> Range<usize> {
        let offsets = self.batch.column(column).as_list::<i32>().value_offsets();
        offsets[self.row] as usize..offsets[self.row + 1] as usize
    }

    fn list<T: ArrowPrimitiveType>(self, column: usize) -> &'a [T::Native] {
        let values = self.batch.column(column).as_list::<i32>().values().as_primitive::<T>();
        &values.values()[self.range(column)]
    }

    fn texts(self, column: usize) -> impl Iterator<Item = &'a str> {
        let values = self.batch.column(column).as_list::<i32>().values().as_string::<i32>();
        self.range(column).map(|text| values.value(text))
    }

    fn atoms(self, range: Range<usize>) -> Vec<Atom> {
        let atoms = self.batch.column(place::ATOMS).as_list::<i32>().values().as_fixed_size_list();
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
    let expected = self::schema();
    let fields = |index: usize| (schema.fields().get(index), expected.fields().get(index));
    let most = schema.fields().len().max(expected.fields().len());
    match (0..most).map(fields).find(|(found, expected)| found != expected) {
        Some((found, expected)) => {
            let column = expected.or(found).map_or_else(String::new, |field| field.name().clone());
            Err(DatasetError::Column { column })
        }
        None => Ok(schema),
    }
}

/// A block of the file, whose parts all lie within it.
fn block_of(body: &Buffer, block: &Block) -> Result<Buffer, DatasetError> {
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
    let mut elements = element_bytes();
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
