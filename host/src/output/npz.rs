//! NumPy's npz.

use super::{Column, Columns, OutputError, StructureRows, Table, is_same};
use npyz::{AutoSerialize, DType, Serialize, TypeStr, WriteOptions, WriterBuilder};
use rayon::prelude::*;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// A table as an npz archive: one array a column, by the column's name. Features are float32 with NaN, `row` and
/// `resnum` int32, names unicode.
///
/// An array's length stands before its data, so columns wait in unnamed temporary files until the table ends. Then they are
/// compressed, as many at a time as there are threads.
///
/// ```
/// use prism_host::output::{Columns, NpzTable, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
/// use shared_types::feature::column;
/// use std::io::Cursor;
///
/// # let folder = tempfile::tempdir()?;
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
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
    /// Where columns wait.
    folder: PathBuf,
    columns: Vec<(Column, Spool)>,
    rows: u64,
}

/// A column that waits: 4 bytes a row.
struct Spool {
    file: BufWriter<File>,
    /// For text, the distinct values; rows hold their indices.
    texts: Texts,
}

#[derive(Default)]
struct Texts {
    distinct: Vec<Box<str>>,
    places: HashMap<Box<str>, u32>,
    /// The one asked for before; mostly the next is the same.
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
    /// Begins a table; columns wait in `folder`.
    ///
    /// # Errors
    /// Where no temporary file can be made in `folder`.
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
    /// The same table with a comment in the archive, which readers of arrays pass over: as much of it as there is room for.
    #[must_use]
    pub fn with_comment(mut self, text: &str) -> Self {
        self.comment = text[..text.floor_char_boundary(usize::from(u16::MAX))].to_owned();
        self
    }
}

impl<W: Write + Seek> Table for NpzTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
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
    /// An archive of this column alone, in an unnamed temporary file.
    fn compressed(self, column: &Column, rows: u64, folder: &Path) -> Result<File, OutputError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(1))
            // Columns may pass 4 GiB; the size is not known when an entry begins.
            .large_file(true);
        let mut archive = ZipWriter::new(FailingOnce::new(BufWriter::new(tempfile::tempfile_in(folder)?)));
        archive.start_file(npyz::npz::file_name_from_array_name(column.name()), options)?;
        self.finish(column, rows, &mut archive)?;
        let out = archive.finish()?.out;
        Ok(out.into_inner().map_err(|error| error.into_error())?)
    }

    fn append(&mut self, column: &Column, part: &StructureRows<'_>) -> std::io::Result<()> {
        let Self { file, texts } = self;
        let structure = part.structure;
        for row in 0..part.len() {
            let bytes = match column {
                Column::Structure => texts.index(&structure.name).to_le_bytes(),
                Column::Chain => texts.index(part.chain(row)).to_le_bytes(),
                Column::Icode => texts.index(&structure.insertion_codes[row]).to_le_bytes(),
                Column::Resname => texts.index(part.resname(row)).to_le_bytes(),
                Column::Parent => texts.index(structure.parent(row)).to_le_bytes(),
                Column::State(feature) => texts.index(part.state(feature, row)).to_le_bytes(),
                Column::Row => (row as i32).to_le_bytes(),
                Column::Resnum => structure.residue_numbers[row].to_le_bytes(),
                Column::SiteId => part.site_id(row).to_le_bytes(),
                Column::Feature(feature) => part.feature(feature, row).to_le_bytes(),
            };
            file.write_all(&bytes)?;
        }
        Ok(())
    }

    fn finish(self, column: &Column, rows: u64, out: &mut impl Write) -> Result<(), OutputError> {
        let mut file = self.file.into_inner().map_err(|error| error.into_error())?;
        file.rewind()?;
        let values = FourBytes(BufReader::new(file));
        match column {
            Column::Row | Column::Resnum | Column::SiteId => {
                array::<i32, _>(out, rows, i32::default_dtype(), values.map(i32::from_le_bytes))?
            }
            Column::Feature(_) => array::<f32, _>(out, rows, f32::default_dtype(), values.map(f32::from_le_bytes))?,
            _ => {
                let distinct = self.texts.distinct;
                // NumPy has no text of width 0.
                let width = distinct.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
                let dtype = format!("<U{width}").parse::<TypeStr>().map_err(std::io::Error::other)?;
                let text = values.map(|bytes| &*distinct[u32::from_le_bytes(bytes) as usize]);
                array::<str, _>(out, rows, DType::new_scalar(dtype), text)?;
            }
        }
        Ok(())
    }
}

/// Passes the first error on and swallows what comes after it. An archive that is dropped tries to end itself, and would
/// complain of the same again, past all that are to hear of it.
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

/// Values of a spool; ends at its end.
struct FourBytes<R>(R);

impl<R: Read> FourBytes<R> {
    fn map<T>(mut self, make: impl Fn([u8; 4]) -> T) -> impl FnMut() -> std::io::Result<T> {
        move || {
            let mut bytes = [0; 4];
            self.0.read_exact(&mut bytes)?;
            Ok(make(bytes))
        }
    }
}

/// Writes one .npy file of `rows` values.
fn array<T: Serialize + ?Sized, V: Borrow<T>>(
    out: &mut impl Write,
    rows: u64,
    dtype: DType,
    mut next: impl FnMut() -> std::io::Result<V>,
) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    let mut array = WriteOptions::<T>::new().dtype(dtype).shape(&[rows]).writer(&mut out).begin_nd()?;
    for _ in 0..rows {
        array.push(next()?.borrow())?;
    }
    array.finish()?;
    out.flush()
}
