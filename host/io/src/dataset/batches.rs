//! The record batches of a data set: their ranges, their structures, and a cache of batches read last.

use super::columns::{element_bytes, first_buffer};
use super::source::Source;
use super::{CHECKSUMS_KEY, DatasetError};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_buffer::Buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Footer, root_as_message};
use arrow_schema::Schema;
use shared_types::Atom;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Size in bytes of the cached batches per core. At least two batches are cached, whatever their size.
const KEPT_BYTES_PER_CORE: usize = 4 << 20;

/// Approximate bytes per residue in the file, without atoms.
const RESIDUE_BYTES: usize = 4 * 8 + 1 + 4;

fn damaged(what: &str) -> DatasetError {
    DatasetError::Damaged(what.to_owned())
}

/// The range of a batch in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    begin: u64,
    header: usize,
    body: usize,
    /// The checksums of all batches before it, and of those including it.
    sums: [u32; 2],
}

/// The extents of all batches. Each begins after the one before, so no byte belongs to two.
pub(super) fn extents(footer: &Footer<'_>, end: u64) -> Result<Vec<Extent>, DatasetError> {
    let entries = footer.custom_metadata().into_iter().flatten();
    let sums = entries.filter(|entry| entry.key() == Some(CHECKSUMS_KEY)).find_map(|entry| entry.value());
    let sums = sums.ok_or_else(|| damaged("it has no checksums"))?;
    let blocks = footer.recordBatches();
    let count = blocks.map_or(0, |blocks| blocks.len());
    if !sums.is_ascii() || sums.len() != 8 * count {
        return Err(damaged("the numbers of checksums and of batches differ"));
    }
    let mut last = (0, 0);
    let mut extents = Vec::with_capacity(count);
    for (block, sum) in blocks.into_iter().flatten().zip(sums.as_bytes().as_chunks::<8>().0) {
        let lies = || {
            let begin = u64::try_from(block.offset()).ok().filter(|&begin| begin >= last.0)?;
            let header = usize::try_from(block.metaDataLength()).ok()?;
            let body = usize::try_from(block.bodyLength()).ok()?;
            let after = begin.checked_add(header.checked_add(body)? as u64).filter(|&after| after <= end)?;
            Some((Extent { begin, header, body, sums: [0; 2] }, after))
        };
        let (mut extent, after) = lies().ok_or_else(|| damaged("a batch does not lie within the file"))?;
        let sum = std::str::from_utf8(sum).ok().and_then(|sum| u32::from_str_radix(sum, 16).ok());
        extent.sums = [last.1, sum.ok_or_else(|| damaged("a checksum is not a number"))?];
        last = (after, extent.sums[1]);
        extents.push(extent);
    }
    Ok(extents)
}

/// The metadata of a batch that is known before it is read.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) names: Vec<String>,
    /// Approximate size of each structure in bytes.
    pub(super) bytes: Vec<u64>,
}

/// Reads only the names and sizes of a batch's structures. The checksum is verified when the batch is read.
pub(super) fn list(source: &Source, extent: &Extent, schema: &Schema) -> Result<Listed, DatasetError> {
    let header = source.read(extent.begin, extent.header)?;
    let message = message_of(&header, extent.body, schema)?;
    let rows = usize::try_from(message.length()).map_err(|_| damaged("a batch has a negative number of rows"))?;
    if rows == 0 {
        return Ok(Listed::default());
    }
    let buffers = message.buffers().ok_or_else(|| damaged("a batch has no buffers"))?;
    let read = |index: usize, range: Range<usize>| {
        // Both are checked: they lie within the body.
        let buffer = (index < buffers.len()).then(|| buffers.get(index));
        let buffer = buffer.filter(|buffer| range.end <= buffer.length() as usize && range.start <= range.end);
        let buffer = buffer.ok_or_else(|| damaged("a batch has fewer values than rows"))?;
        let begin = extent.begin + extent.header as u64 + buffer.offset() as u64;
        source.read(begin + range.start as u64, range.len())
    };
    let column =
        |name: &str| first_buffer(schema, name).ok_or_else(|| DatasetError::Column { column: name.to_owned() });
    // They follow the validity bits.
    let offsets = |name: &str| -> Result<Vec<usize>, DatasetError> {
        let bytes = rows.checked_add(1).and_then(|ends| ends.checked_mul(4));
        let bytes = bytes.ok_or_else(|| damaged("a batch has too many rows"))?;
        let bytes = read(column(name)? + 1, 0..bytes)?;
        let offsets = bytes.as_chunks().0.iter().map(|&bytes| usize::try_from(i32::from_le_bytes(bytes)));
        let offsets: Vec<_> = offsets.collect::<Result<_, _>>().map_err(|_| damaged("an offset is negative"))?;
        if offsets.is_sorted() { Ok(offsets) } else { Err(damaged("offsets decrease")) }
    };
    let ends = offsets("name")?;
    let (first, last) = (ends[0], ends[rows]);
    let texts =
        String::from_utf8(read(column("name")? + 2, first..last)?).map_err(|_| damaged("a name is not UTF-8 text"))?;
    let name = |ends: &[usize]| texts.get(ends[0] - first..ends[1] - first).map(str::to_owned);
    let names: Option<Vec<_>> = ends.windows(2).map(name).collect();
    let names = names.ok_or_else(|| damaged("a name is not UTF-8 text"))?;
    let (atoms, residues) = (offsets("atoms")?, offsets("residue_types")?);
    let bytes = atoms.windows(2).zip(residues.windows(2)).map(|(atoms, residues)| {
        ((atoms[1] - atoms[0]) as u64 * size_of::<Atom>() as u64)
            + (residues[1] - residues[0]) as u64 * RESIDUE_BYTES as u64
    });
    Ok(Listed { names, bytes: bytes.collect() })
}

/// Reads a batch and checks it completely: the checksum, and that its parts are consistent.
pub fn read(
    source: &Source,
    extent: &Extent,
    schema: &Schema,
    decoder: &FileDecoder,
    structures: Range<usize>,
    names: &[String],
) -> Result<RecordBatch, DatasetError> {
    let bytes = source.read(extent.begin, extent.header + extent.body)?;
    let differs = || DatasetError::Checksum { first: structures.start, last: structures.end.max(1) - 1 };
    let mut sum = crc32fast::Hasher::new_with_initial(extent.sums[0]);
    sum.update(&bytes);
    if sum.finalize() != extent.sums[1] {
        return Err(differs());
    }
    // A file can be made with a valid checksum, so the copy's consistency is checked, too.
    message_of(&bytes[..extent.header], extent.body, schema)?;
    let block = Block::new(0, extent.header as i32, extent.body as i64);
    let batch = decoder.read_record_batch(&block, &Buffer::from_vec(bytes))?;
    let batch = batch.ok_or_else(|| damaged("a message is not a record batch"))?;
    let found = batch.column_by_name("name").ok_or_else(differs)?.as_string::<i32>();
    if found.iter().eq(names.iter().map(|name| Some(name.as_str()))) { Ok(batch) } else { Err(differs()) }
}

/// Length of the prefix of a message: a marker and its length.
const PREFIX: usize = 8;
/// The marker. If it is absent, decoders read the first four bytes as the length.
const MARK: [u8; 4] = [0xff; 4];

/// The message of a batch. Checks that all buffers lie within the batch's body.
fn message_of<'a>(header: &'a [u8], body: usize, schema: &Schema) -> Result<arrow_ipc::RecordBatch<'a>, DatasetError> {
    let outside = || damaged("a batch does not lie within the file");
    let positive = |value: i64| usize::try_from(value).map_err(|_| outside());
    let (prefix, message) = header.split_first_chunk::<PREFIX>().ok_or_else(outside)?;
    let length = u32::from_le_bytes([prefix[4], prefix[5], prefix[6], prefix[7]]);
    if prefix[..4] != MARK || length as usize > message.len() {
        return Err(damaged("a batch does not begin with its message"));
    }
    let message = root_as_message(message).map_err(|error| DatasetError::Damaged(error.to_string()))?;
    let batch = message.header_as_record_batch().ok_or_else(outside)?;
    if batch.compression().is_some() {
        return Err(damaged("a batch is compressed"));
    }
    for node in batch.nodes().into_iter().flatten() {
        // Every element takes at least one byte.
        if positive(node.length())? > body || node.null_count() != 0 {
            return Err(outside());
        }
    }
    let mut elements = element_bytes(schema);
    for buffer in batch.buffers().into_iter().flatten() {
        let (begin, len) = (positive(buffer.offset())?, positive(buffer.length())?);
        let whole = elements.next().is_some_and(|bytes| len % bytes == 0);
        if !whole || begin.checked_add(len).is_none_or(|end| end > body) {
            return Err(outside());
        }
    }
    Ok(batch)
}

/// A batch that was read, or the error.
type Kept = OnceLock<Result<RecordBatch, DatasetError>>;

/// The batches read last: a caller usually asks for the next structure soon. Threads that need the same batch wait for the
/// first to read it. A failed read is not repeated while its entry is cached.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<VecDeque<(usize, usize, Arc<Kept>)>>);

impl Recent {
    pub(super) fn get(
        &self,
        index: usize,
        extent: &Extent,
        read: impl FnOnce() -> Result<RecordBatch, DatasetError>,
    ) -> Result<RecordBatch, DatasetError> {
        let kept = self.kept(index, extent.header + extent.body);
        kept.get_or_init(read).as_ref().cloned().map_err(DatasetError::again)
    }

    /// Moves the batch's entry to the end of the cache, adding it if necessary.
    fn kept(&self, index: usize, bytes: usize) -> Arc<Kept> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().position(|(kept, ..)| *kept == index).and_then(|extent| all.remove(extent));
        let (.., kept) = found.unwrap_or_default();
        all.push_back((index, bytes, Arc::clone(&kept)));
        let most = KEPT_BYTES_PER_CORE.saturating_mul(rayon::current_num_threads());
        let mut sum: usize = all.iter().map(|(_, bytes, _)| bytes).sum();
        while all.len() > 2 && sum > most {
            sum -= all.pop_front().map_or(0, |(_, bytes, _)| bytes);
        }
        kept
    }
}
