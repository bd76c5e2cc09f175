//! NumPy's npz.

use super::sink::Sink;
use super::value::Kind;
use super::{Column, Columns, OutputError, StructureRows, Table, is_same};
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A table as an npz archive with one array per column, named after it. Features are float32 with NaN, `row` and `resnum`
/// int32, names unicode.
///
/// An array's length precedes its data, so columns are kept in unnamed temporary files until the table ends. Then they are
/// compressed, as many at the same time as there are threads.
///
/// ```
/// use prism_io::output::{Columns, NpzTable, StructureRows, Table};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
/// use shared_types::feature::column;
/// use std::io::Cursor;
///
/// # let folder = tempfile::tempdir()?;
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let all = [StructureRows { structure: &rbd, features: features.view() }];
/// let mut bytes = Cursor::new(Vec::new());
/// let mut table = NpzTable::new(&mut bytes, Columns::choose(["wcn"])?, folder.path())?;
/// table.write(&all)?;
/// Box::new(table).finish()?;
///
/// let mut archive = zip::ZipArchive::new(bytes)?;
/// let wcn = npyz::NpyFile::new(archive.by_name("wcn.npy")?)?.into_vec::<f32>()?;
/// assert!(wcn.into_iter().eq(features.column(column::WCN)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NpzTable<W: Write + Seek> {
    out: W,
    comment: String,
    /// The folder of the temporary files.
    folder: PathBuf,
    columns: Vec<(Column, Spool)>,
    rows: u64,
}

/// A column in a temporary file, 4 bytes per row.
struct Spool {
    file: BufWriter<File>,
    /// For text, the distinct values; rows hold their indices.
    texts: Texts,
}

#[derive(Default)]
struct Texts {
    distinct: Vec<Box<str>>,
    places: HashMap<Box<str>, u32>,
    /// The previous text, because consecutive rows usually have the same one.
    before: u32,
}

impl Texts {
    fn index(&mut self, text: &str) -> u32 {
        if self.distinct.get(self.before as usize).is_some_and(|before| is_same(before, text)) {
            return self.before;
        }
        self.before = self.places.get(text).copied().unwrap_or_else(|| {
            let index = self.distinct.len() as u32;
            self.distinct.push(text.into());
            self.places.insert(text.into(), index);
            index
        });
        self.before
    }
}

impl<W: Write + Seek> NpzTable<W> {
    /// Starts a table, with temporary files in `folder`.
    ///
    /// # Errors
    /// If no temporary file can be created in `folder`.
    pub fn new(out: W, columns: Columns, folder: &Path) -> Result<Self, OutputError> {
        let spool = || -> Result<Spool, OutputError> {
            Ok(Spool { file: BufWriter::new(tempfile::tempfile_in(folder)?), texts: Texts::default() })
        };
        let columns = columns.as_slice().iter().map(|column| Ok((*column, spool()?)));
        let columns = columns.collect::<Result<_, OutputError>>()?;
        Ok(Self { out, comment: String::new(), folder: folder.to_owned(), columns, rows: 0 })
    }
}

impl<W: Write + Seek> NpzTable<W> {
    /// The same table with a comment in the archive, which readers of arrays ignore. It is cut to the longest possible length.
    #[must_use]
    pub fn with_comment(mut self, text: &str) -> Self {
        self.comment = text[..text.floor_char_boundary(usize::from(u16::MAX))].to_owned();
        self
    }
}

impl<W: Write + Seek> Table for NpzTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        structures.par_iter().for_each(|part| self.columns.iter().for_each(|(column, _)| part.derive(column)));
        self.columns
            .par_iter_mut()
            .try_for_each(|(column, spool)| structures.iter().try_for_each(|part| spool.append(column, part)))?;
        self.rows += structures.iter().map(|part| part.len() as u64).sum::<u64>();
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        let mut archive = ZipWriter::new(FailingOnce::new(self.out));
        archive.set_comment(self.comment)?;
        let (rows, folder) = (self.rows, self.folder);
        let compressed = |(column, spool): (Column, Spool)| spool.compressed(&column, rows, &folder);
        let columns: Vec<File> = self.columns.into_par_iter().map(compressed).collect::<Result<_, _>>()?;
        for column in columns {
            let mut column = ZipArchive::new(BufReader::new(column))?;
            archive.raw_copy_file(column.by_index_raw(0)?)?;
        }
        Ok(archive.finish()?.flush()?)
    }
}

impl Spool {
    /// An archive with only this column, in an unnamed temporary file.
    fn compressed(self, column: &Column, rows: u64, folder: &Path) -> Result<File, OutputError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(1))
            // Columns may exceed 4 GiB, and the size is unknown when an entry starts.
            .large_file(true);
        let mut archive = ZipWriter::new(FailingOnce::new(BufWriter::new(tempfile::tempfile_in(folder)?)));
        archive.start_file(format!("{}.npy", column.name()), options)?;
        self.finish(column, rows, &mut archive)?;
        let out = archive.finish()?.out;
        Ok(out.into_inner().map_err(|error| error.into_error())?)
    }

    fn append(&mut self, column: &Column, part: &StructureRows<'_>) -> std::io::Result<()> {
        let mut rows = SpooledRows { bytes: Vec::with_capacity(4 * part.len()), texts: &mut self.texts };
        part.give(column, &mut rows);
        self.file.write_all(&rows.bytes)
    }

    /// Writes the .npy file of this column. Except for text, the temporary file already has its format.
    fn finish(self, column: &Column, rows: u64, out: &mut impl Write) -> Result<(), OutputError> {
        let mut file = self.file.into_inner().map_err(|error| error.into_error())?;
        file.rewind()?;
        let mut out = BufWriter::new(out);
        match column.kind() {
            Kind::Int | Kind::Float | Kind::Optional => {
                out.write_all(&header(if column.kind() == Kind::Int { "<i4" } else { "<f4" }, rows))?;
                let copied = io::copy(&mut file, &mut out)?;
                if copied != 4 * rows {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
            }
            Kind::Text => {
                let (mut texts, mut values) = (PaddedTexts::of(&self.texts.distinct), BufReader::new(file));
                out.write_all(&header(&format!("<U{}", texts.width), rows))?;
                for _ in 0..rows {
                    let mut index = [0; 4];
                    values.read_exact(&mut index)?;
                    out.write_all(texts.padded(u32::from_le_bytes(index) as usize))?;
                }
            }
        }
        Ok(out.flush()?)
    }
}

/// Rows in the form of the temporary file.
struct SpooledRows<'t> {
    bytes: Vec<u8>,
    texts: &'t mut Texts,
}

impl Sink for SpooledRows<'_> {
    fn texts<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        for text in texts {
            self.bytes.extend(self.texts.index(text).to_le_bytes());
        }
    }

    fn ints(&mut self, values: &[i32]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// npz has no missing integers: they become numbers.
    fn optionals(&mut self, values: &[Option<i32>]) {
        let number = |value: &Option<i32>| value.map_or(f32::NAN, |value| value as f32);
        self.bytes.extend(values.iter().flat_map(|value| number(value).to_le_bytes()));
    }

    fn floats(&mut self, values: &[f32]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }
}

/// The header of a .npy file of one dimension: version 1.0 and the type of a value in NumPy's notation.
fn header(of_value: &str, rows: u64) -> Vec<u8> {
    /// Readers may map the data after the header into memory.
    const ALIGNED: usize = 64;
    let text = format!("{{'descr': '{of_value}', 'fortran_order': False, 'shape': ({rows},), }}");
    // Ten bytes precede the text; spaces and a line feed follow it.
    let length = (10 + text.len() + 1).next_multiple_of(ALIGNED) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&u16::try_from(length).expect("a type and a number are short").to_le_bytes());
    header.extend_from_slice(format!("{text:<0$}\n", length - 1).as_bytes());
    header
}

/// Texts in NumPy's form: a fixed number of characters of 4 bytes each, padded with zeros.
struct PaddedTexts<'t> {
    texts: &'t [Box<str>],
    /// Characters.
    width: usize,
    padded: Vec<u8>,
    /// The text in `padded`; consecutive rows usually have the same one.
    is_of: Option<usize>,
}

impl<'t> PaddedTexts<'t> {
    fn of(texts: &'t [Box<str>]) -> Self {
        // NumPy has no text of width 0.
        let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        Self { texts, width, padded: vec![0; 4 * width], is_of: None }
    }

    fn padded(&mut self, index: usize) -> &[u8] {
        if self.is_of != Some(index) {
            self.padded.fill(0);
            for (bytes, character) in self.padded.as_chunks_mut::<4>().0.iter_mut().zip(self.texts[index].chars()) {
                bytes.copy_from_slice(&u32::from(character).to_le_bytes());
            }
            self.is_of = Some(index);
        }
        &self.padded
    }
}

/// Passes on the first error and ignores later ones. A dropped archive tries to finish itself, and would report the same
/// error again where nobody expects it.
struct FailingOnce<W> {
    out: W,
    at: u64,
    failed: bool,
}

impl<W> FailingOnce<W> {
    fn new(out: W) -> Self {
        Self { out, at: 0, failed: false }
    }

    fn unless_failed(&mut self, after: u64, work: impl FnOnce(&mut W) -> std::io::Result<u64>) -> std::io::Result<()> {
        self.at = match self.failed {
            true => after,
            false => work(&mut self.out)
                .inspect_err(|error| self.failed = error.kind() != std::io::ErrorKind::Interrupted)?,
        };
        Ok(())
    }
}

impl<W: Write> Write for FailingOnce<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let before = self.at;
        let work = |out: &mut W| out.write(bytes).map(|written| before + written as u64);
        self.unless_failed(before + bytes.len() as u64, work)?;
        Ok((self.at - before) as usize)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let at = self.at;
        self.unless_failed(at, |out| out.flush().map(|()| at))
    }
}

impl<W: Seek> Seek for FailingOnce<W> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let after = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) | SeekFrom::End(by) => self.at.saturating_add_signed(by),
        };
        self.unless_failed(after, |out| out.seek(to))?;
        Ok(self.at)
    }
}
