//! Writes a data set.

use super::columns::{ATOM_VALUES, Element, item, schema, vector};
use super::labels::Packed;
use super::{CHECKSUMS_KEY, DatasetError};
use crate::output::{OutputError, WholeFile};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, UInt8Type, UInt32Type};
use arrow_array::{ArrayRef, FixedSizeListArray, ListArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType};
use prism_read::structure::StructureInput;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

/// A packed data set that is being written to a temporary file until [`commit`](Self::commit).
///
/// ```
/// use prism_io::dataset::{Dataset, DatasetFile};
/// use prism_read::{ReadOptions, read_path};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("set.arrow");
/// let read = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?;
/// let mut file = DatasetFile::create(&path)?;
/// file.write(&[(&read.structure, &read.warnings)])?;
/// assert!(!path.exists());
/// let bytes = file.commit()?;
/// assert_eq!(std::fs::metadata(&path)?.len(), bytes);
///
/// let set = Dataset::open(&path)?;
/// assert!(Dataset::is_one(&path) && !Dataset::is_one("../../data/6m0j_rbd.pdb".as_ref()));
/// assert_eq!((set.len(), set.is_empty(), set.name(0)), (1, false, "rbd"));
/// assert!(set.bytes(0) <= bytes);
/// assert_eq!(set.structure(0)?.structure.atoms, read.structure.atoms);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DatasetFile {
    writer: FileWriter<Summed>,
    /// Checksum of each batch, as eight hexadecimal digits.
    checksums: String,
    whole: WholeFile,
}

/// Computes a checksum of the written bytes.
struct Summed {
    file: BufWriter<File>,
    sum: crc32fast::Hasher,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// A structure, and the notes of its file.
type Entry<'a> = (&'a StructureInput, &'a [String]);

impl DatasetFile {
    /// Begins a data set at `path`. An existing file stays until the commit.
    ///
    /// # Errors
    /// If `path` is taken by something that is not a regular file, or its folder is not writable.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let whole = WholeFile::begin(path)?;
        let file = Summed { file: whole.buffered()?, sum: crc32fast::Hasher::new() };
        let mut writer = FileWriter::try_new(file, &schema()).map_err(|error| whole.failed(arrow(error)))?;
        // The footer has the schema, too; readers use that one.
        writer.get_mut().sum.reset();
        Ok(Self { writer, checksums: String::new(), whole })
    }

    /// The temporary file to remove if the program ends without dropping this, while the file is not in its final place.
    /// Usually the file has no name, and this is `None`.
    #[must_use]
    pub fn temporary_path(&self) -> Option<&Path> {
        self.whole.temporary_path()
    }

    /// Appends structures, each with the notes of its file.
    ///
    /// # Errors
    /// If a structure is invalid (the first one) or has rows of ligands, or the file cannot be written.
    pub fn write(&mut self, structures: &[Entry<'_>]) -> Result<(), DatasetError> {
        for (structure, _) in structures {
            structure.validate()?;
            if !structure.hetero_rows.is_empty() {
                return Err(DatasetError::HeteroRows(structure.name.clone()));
            }
        }
        let batch = record_batch(structures)?;
        self.writer.write(&batch)?;
        let sum = self.writer.get_ref().sum.clone().finalize();
        self.checksums.push_str(&format!("{sum:08x}"));
        Ok(())
    }

    /// Finishes the file and moves it to its path. Returns its size in bytes.
    ///
    /// # Errors
    /// If the file cannot be written; an existing file then stays.
    pub fn commit(self) -> Result<u64, OutputError> {
        let Self { mut writer, checksums, whole } = self;
        writer.write_metadata(CHECKSUMS_KEY, checksums);
        // Finishes the file and flushes the buffer.
        let buffer = writer.into_inner().map_err(|error| whole.failed(arrow(error)))?;
        buffer.file.into_inner().map_err(|error| whole.failed(error.into_error()))?;
        whole.commit()
    }
}

fn arrow(error: ArrowError) -> std::io::Error {
    match error {
        ArrowError::IoError(_, source) => source,
        other => std::io::Error::other(other),
    }
}

/// Builds columns in the order of the schema.
fn record_batch(structures: &[Entry<'_>]) -> Result<RecordBatch, ArrowError> {
    let lists = Lists(structures);
    let single = |field: fn(&StructureInput) -> u32| structures.iter().map(|(s, _)| field(s)).collect::<Vec<_>>();
    let center: Vec<f64> = structures.iter().flat_map(|(s, _)| s.center).collect();
    let country: Vec<u8> = structures.iter().map(|(s, _)| s.country_id).collect();
    let labels: Vec<Packed<'_>> = structures.iter().map(|(s, _)| Packed::of(&s.labels)).collect();
    let mut columns = vec![
        Arc::new(StringArray::from_iter_values(structures.iter().map(|(s, _)| &s.name))) as ArrayRef,
        texts(structures.iter().map(|(_, warnings)| warnings.iter().map(String::as_str)))?,
        vectors::<Float64Type>(center, 3)?,
        Arc::new(PrimitiveArray::<UInt32Type>::from(single(|s| s.lineage_hash))),
        Arc::new(PrimitiveArray::<UInt8Type>::from(country)),
        texts(structures.iter().map(|(s, _)| s.chains.iter().map(String::as_str)))?,
        lists.atoms()?,
        lists.of(|s| &s.residue_atoms[..s.n_residues()])?,
        lists.of(|s| &s.residue_numbers)?,
        texts(structures.iter().map(|(s, _)| s.insertion_codes.iter().map(|code| &**code)))?,
        texts(structures.iter().map(|(s, _)| s.residue_names.iter().map(|name| &**name)))?,
        flags(structures, |s| s.predicted),
        flags(structures, |s| s.environment),
        lists.of(|s| &s.plddt)?,
        numbers(labels.iter().map(|labels| &labels.runs[..]))?,
        texts(labels.iter().map(|labels| labels.texts.iter().copied()))?,
        numbers(labels.iter().map(|labels| &labels.numbers[..]))?,
    ];
    macro_rules! push_inputs {
        ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
            $(columns.push(lists.of(|s| &s.$name)?);)*
        };
    }
    shared_types::residue_inputs!(push_inputs);
    RecordBatch::try_new(Arc::new(schema()), columns)
}

/// Columns with one list per structure.
struct Lists<'a>(&'a [Entry<'a>]);

impl Lists<'_> {
    fn of<T: Element + 'static>(&self, field: impl Fn(&StructureInput) -> &[T]) -> Result<ArrayRef, ArrowError> {
        numbers(self.0.iter().map(|(s, _)| field(s)))
    }

    fn atoms(&self) -> Result<ArrayRef, ArrowError> {
        let values = self.0.iter().flat_map(|(s, _)| &s.atoms).flat_map(|atom| [atom.x, atom.y, atom.z, atom.radius]);
        let atoms = vectors::<Float32Type>(values.collect(), ATOM_VALUES)?;
        list(self.0.iter().map(|(s, _)| s.n_atoms()), vector(DataType::Float32, ATOM_VALUES), atoms)
    }
}

/// A list of numbers or of vectors of numbers per structure.
fn numbers<'a, T: Element + 'static>(all: impl Iterator<Item = &'a [T]> + Clone) -> Result<ArrayRef, ArrowError> {
    let values: Vec<_> = all.clone().flat_map(T::numbers).copied().collect();
    let values: ArrayRef = Arc::new(PrimitiveArray::<T::Number>::new(ScalarBuffer::from(values), None));
    let values = match T::data_type() {
        DataType::FixedSizeList(item, len) => Arc::new(FixedSizeListArray::try_new(item, len, values, None)?),
        _ => values,
    };
    list(all.map(<[T]>::len), T::data_type(), values)
}

fn vectors<T: ArrowPrimitiveType>(values: Vec<T::Native>, len: usize) -> Result<ArrayRef, ArrowError> {
    let values = PrimitiveArray::<T>::new(ScalarBuffer::from(values), None);
    Ok(Arc::new(FixedSizeListArray::try_new(item(T::DATA_TYPE), len as i32, Arc::new(values), None)?))
}

fn texts<'a, I: ExactSizeIterator<Item = &'a str>>(
    all: impl Iterator<Item = I> + Clone,
) -> Result<ArrayRef, ArrowError> {
    let values = StringArray::from_iter_values(all.clone().flatten());
    list(all.map(|texts| texts.len()), DataType::Utf8, Arc::new(values))
}

fn list(lengths: impl Iterator<Item = usize>, data_type: DataType, values: ArrayRef) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(ListArray::try_new(item(data_type), OffsetBuffer::from_lengths(lengths), values, None)?))
}

fn flags(structures: &[Entry<'_>], of: impl Fn(&StructureInput) -> bool) -> ArrayRef {
    Arc::new(PrimitiveArray::<UInt8Type>::from_iter_values(structures.iter().map(|(s, _)| u8::from(of(s)))))
}
