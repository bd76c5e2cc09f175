//! The pages of a column, made here.
//!
//! The Parquet package copies values several times, splits their bytes one at a time, looks up the text of every row by a digest, and makes a
//! compressor for each column. That took most of the time of a table. Pages that are made here have the package's format, limits and
//! descriptions, and only the package writes their headers and what the file says of them.

use super::Encoded;
use parquet::basic::{Compression, Encoding, EncodingMask, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::cell::RefCell;
use zstd::bulk::Compressor;

/// Rows of a page: as many as the package takes.
pub(super) const ROWS: usize = 20 << 10;

/// The compression of all columns.
pub(super) fn compression() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

/// Compresses bytes as the package would.
fn compressed(bytes: &[u8]) -> Result<Vec<u8>, ParquetError> {
    thread_local! {
        /// Of each thread, because making one takes as long as compressing half a page.
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    let compress = |kept: &mut Option<Compressor<'static>>| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(ZstdLevel::default().compression_level())?),
        };
        compressor.compress(bytes)
    };
    COMPRESSOR.with_borrow_mut(compress).map_err(|error| ParquetError::External(Box::new(error)))
}

/// A column of a row group, page by page.
pub(super) struct Pages {
    described: ColumnDescPtr,
    out: TrackedWrite<Vec<u8>>,
    encodings: Vec<PageEncodingStats>,
    offsets: OffsetIndexBuilder,
    dictionary_begin: Option<i64>,
    data_begin: Option<i64>,
    compressed: usize,
    uncompressed: usize,
    rows: usize,
}

impl Pages {
    pub(super) fn new(described: ColumnDescPtr) -> Self {
        Self {
            described,
            out: TrackedWrite::new(Vec::new()),
            encodings: Vec::new(),
            offsets: OffsetIndexBuilder::new(),
            dictionary_begin: None,
            data_begin: None,
            compressed: 0,
            uncompressed: 0,
            rows: 0,
        }
    }

    /// Writes the page of a dictionary of `count` values, before all other pages.
    pub(super) fn dictionary(&mut self, bytes: &[u8], count: usize) -> Result<(), ParquetError> {
        let encoding = Encoding::PLAIN;
        let page = |buf| Page::DictionaryPage { buf, num_values: count as u32, encoding, is_sorted: false };
        let written = self.write(bytes, encoding, page)?;
        self.dictionary_begin = Some(written.offset as i64);
        Ok(())
    }

    /// Writes a page of `rows` rows: their definition levels, if the column has them, and their values.
    pub(super) fn data(&mut self, bytes: &[u8], rows: usize, encoding: Encoding) -> Result<(), ParquetError> {
        let page = |buf| Page::DataPage {
            buf,
            num_values: rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let written = self.write(bytes, encoding, page)?;
        self.data_begin.get_or_insert(written.offset as i64);
        self.offsets.append_row_count(rows as i64);
        self.offsets.append_offset_and_size(written.offset as i64, written.compressed_size as i32);
        self.rows += rows;
        Ok(())
    }

    fn write(
        &mut self,
        bytes: &[u8],
        encoding: Encoding,
        page: impl FnOnce(bytes::Bytes) -> Page,
    ) -> Result<PageWriteSpec, ParquetError> {
        let page = CompressedPage::new(page(compressed(bytes)?.into()), bytes.len());
        let page_type = page.page_type();
        let written = SerializedPageWriter::new(&mut self.out).write_page(page)?;
        self.compressed += written.compressed_size;
        self.uncompressed += written.uncompressed_size;
        match self.encodings.last_mut() {
            Some(last) if last.page_type == page_type && last.encoding == encoding => last.count += 1,
            _ => self.encodings.push(PageEncodingStats { page_type, encoding, count: 1 }),
        }
        Ok(written)
    }

    /// Ends the column. It has no statistics yet.
    pub(super) fn finish(self) -> Encoded {
        let bytes = self.out.into_inner()?;
        // Definition levels are runs, too.
        let encodings: Vec<_> = self.encodings.iter().map(|one| one.encoding).chain([Encoding::RLE]).collect();
        let metadata = ColumnChunkMetaData::builder(self.described)
            .set_compression(compression())
            .set_encodings_mask(EncodingMask::new_from_encodings(encodings.iter()))
            .set_page_encoding_stats(self.encodings)
            .set_total_compressed_size(self.compressed as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(self.data_begin.unwrap_or(0))
            .set_dictionary_page_offset(self.dictionary_begin)
            .build()?;
        let closed = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: self.rows as u64,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: Some(self.offsets.build()),
        };
        Ok((bytes.into(), closed))
    }
}

/// Puts the definition levels of numbers that may be undefined, `defined` of which are not NaN.
pub(super) fn put_levels(page: &mut Vec<u8>, rows: &[f32], defined: usize) {
    let begin = page.len();
    page.extend_from_slice(&[0; 4]);
    if defined == 0 || defined == rows.len() {
        put_run(page, rows.len(), u32::from(defined > 0), 1);
    } else {
        let levels: Vec<u32> = rows.iter().map(|value| u32::from(!value.is_nan())).collect();
        put_hybrid(page, &levels, 1);
    }
    let length = (page.len() - begin - 4) as u32;
    page[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
}

/// Puts the first byte of every number, then the second ones, and so on.
pub(super) fn put_split(page: &mut Vec<u8>, values: &[f32]) {
    for shift in [0, 8, 16, 24] {
        page.extend(values.iter().map(|value| (value.to_bits() >> shift) as u8));
    }
}

/// Puts numbers of `width` bits: runs of equal ones, and others in groups of eight.
pub(super) fn put_hybrid(page: &mut Vec<u8>, numbers: &[u32], width: u32) {
    /// A shorter run takes no less room than a group.
    const LEAST_RUN: usize = 8;
    let (mut begin, mut at) = (0, 0);
    while let Some(first) = numbers.get(at) {
        let run = numbers[at..].iter().take_while(|number| *number == first).count();
        if run < LEAST_RUN {
            at = numbers.len().min(at + 8);
            continue;
        }
        put_groups(page, &numbers[begin..at], width);
        put_run(page, run, *first, width);
        at += run;
        begin = at;
    }
    put_groups(page, &numbers[begin..at], width);
}

fn put_run(page: &mut Vec<u8>, run: usize, number: u32, width: u32) {
    put_varint(page, run << 1);
    page.extend_from_slice(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Puts groups of eight numbers, filled up with zeros.
fn put_groups(page: &mut Vec<u8>, numbers: &[u32], width: u32) {
    if numbers.is_empty() {
        return;
    }
    let groups = numbers.len().div_ceil(8);
    put_varint(page, groups << 1 | 1);
    let (mut bits, mut filled) = (0_u64, 0);
    for number in numbers.iter().copied().chain(std::iter::repeat_n(0, 8 * groups - numbers.len())) {
        bits |= u64::from(number) << filled;
        filled += width;
        while filled >= 8 {
            page.push(bits as u8);
            bits >>= 8;
            filled -= 8;
        }
    }
}

fn put_varint(page: &mut Vec<u8>, number: usize) {
    let mut rest = number;
    while rest >= 0x80 {
        page.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    page.push(rest as u8);
}
