//! A table in a file that appears whole or not at all.

use super::gzip::Gzipped;
use super::{
    AreasFormat, AreasText, ArrowTable, AtomsRelation, CellTable, Cells, Columns, CsvTable, Format, JsonTable,
    LineTable, NpzTable, OutputError, ParquetTable, Provenance, ReferenceAreas, Relation, RelationColumn,
    RelationTable, StructureRows, Table, WholeFile, check_place,
};
use crate::pipeline::Computed;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A table that appears at its path with [`OutputFile::commit`]. If it is dropped before, it leaves nothing.
///
/// ```
/// use prism_io::output::{Columns, OutputError, OutputFile, Provenance};
/// use shared_types::MegaFusedConfig;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("features.csv");
/// let provenance = Provenance::of(MegaFusedConfig::default());
/// let create = |path| OutputFile::create(path, Columns::default(), &provenance);
/// std::fs::write(&path, "what was there")?;
/// drop(create(&path)?); // a run that failed, say
/// assert_eq!(std::fs::read(&path)?, b"what was there");
/// let bytes = create(&path)?.commit()?; // the line with the columns' names
/// assert_eq!(std::fs::metadata(&path)?.len(), bytes);
///
/// assert!(matches!(create("features.txt".as_ref()), Err(OutputError::UnknownFormat { .. })));
/// assert!(matches!(create(folder.path().join("no/such/features.csv").as_ref()), Err(OutputError::NoFolder { .. })));
/// assert!(matches!(OutputFile::check_relation("edges.npz".as_ref()), Err(OutputError::RelationFormat { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OutputFile {
    table: Box<dyn Table>,
    whole: WholeFile,
}

impl OutputFile {
    /// Starts a table at `path`; the extension selects the format. An existing file stays until the commit.
    ///
    /// # Errors
    /// If the extension is unknown, the path belongs to something that is not a plain file, or its folder cannot be written.
    pub fn create(path: &Path, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let format = Format::of_path(path)?;
        Self::begin(path, |whole| {
            Ok(match format {
                Format::Csv => Text::Csv.table(whole.behind()?, columns),
                Format::Tsv => Text::Tsv.table(whole.behind()?, columns),
                Format::JsonLines => Text::JsonLines.table(whole.behind()?, columns),
                Format::CsvGz => Text::Csv.gzipped(whole, columns, provenance)?,
                Format::TsvGz => Text::Tsv.gzipped(whole, columns, provenance)?,
                Format::JsonLinesGz => Text::JsonLines.gzipped(whole, columns, provenance)?,
                Format::Arrow => Box::new(ArrowTable::new(whole.behind()?, columns, provenance)?),
                Format::Parquet => Box::new(ParquetTable::new(whole.behind()?, columns, provenance)?),
                Format::Npz => {
                    let comment = format!("{}\n{}", provenance.line(), columns.described());
                    Box::new(NpzTable::new(whole.buffered()?, columns, whole.folder())?.with_comment(&comment))
                }
            })
        })
    }

    /// Starts a relation at `path`; the extension selects the format.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub fn create_relation<R: Relation + 'static>(
        path: &Path,
        relation: R,
        provenance: &Provenance,
    ) -> Result<Self, OutputError> {
        let format = relation_format(path)?;
        Self::begin(path, |whole| {
            let file = whole.behind()?;
            Ok(match format {
                Some(format) if format.is_gzip() => Box::new(Gzipped::<_, dyn Table>::new(file, provenance, |out| {
                    Ok(Box::new(RelationTable::in_format(Some(format), out, relation, provenance)?))
                })?),
                _ => Box::new(RelationTable::in_format(format, file, relation, provenance)?),
            })
        })
    }

    /// Starts areas of atoms in a format of FreeSASA at `path`.
    ///
    /// # Errors
    /// If the path belongs to something that is not a plain file, or its folder cannot be written.
    pub fn create_areas(
        path: &Path,
        relation: AtomsRelation,
        format: AreasFormat,
        reference: ReferenceAreas,
    ) -> Result<Self, OutputError> {
        Self::begin(path, |whole| Ok(Box::new(AreasText::new(whole.behind()?, relation, format, reference))))
    }

    /// Checks in advance that a relation can be written to `path`.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub fn check_relation(path: &Path) -> Result<(), OutputError> {
        relation_format(path)?;
        check_place(path)
    }

    /// Starts the table that `table` makes.
    fn begin(
        path: &Path,
        table: impl FnOnce(&WholeFile) -> Result<Box<dyn Table>, OutputError>,
    ) -> Result<Self, OutputError> {
        let whole = WholeFile::begin(path)?;
        let table = table(&whole).map_err(|error| whole.named(error))?;
        Ok(Self { table, whole })
    }

    /// Appends the rows of some structures.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.table.write(structures).map_err(|error| self.whole.named(error))
    }

    /// Appends the rows of a batch, which the table may keep for its threads ([`Table::write_shared`]).
    ///
    /// # Errors
    /// If the file cannot be written; these rows may cause the error of a later call.
    pub fn write_shared(&mut self, computed: &Arc<Computed>) -> Result<(), OutputError> {
        self.table.write_shared(computed).map_err(|error| self.whole.named(error))
    }

    /// The file to remove if the program ends without a drop: the temporary name before the commit. Usually there is none.
    #[must_use]
    pub fn temporary_path(&self) -> Option<&Path> {
        self.whole.temporary_path()
    }

    /// Finishes the table and puts it in its place. Returns its size in bytes.
    ///
    /// # Errors
    /// If the file cannot be written. Then an earlier file of its name still exists.
    pub fn commit(self) -> Result<u64, OutputError> {
        let Self { table, whole } = self;
        table.finish().map_err(|error| whole.named(error))?;
        whole.commit()
    }
}

/// A table of cells in a file that appears at its path with [`LinesFile::commit`]. If it is dropped before, it leaves nothing.
///
/// ```
/// use prism_io::output::{CellKind, Cells, LinesFile, Provenance, RelationColumn};
/// use shared_types::MegaFusedConfig;
///
/// const COLUMNS: &[RelationColumn] = &[RelationColumn::new("count", CellKind::Int, "", "a number")];
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("counts.jsonl.gz");
/// let mut file = LinesFile::create(&path, COLUMNS, &Provenance::of(MegaFusedConfig::default()))?;
/// file.append(&mut |cells| {
///     let [Cells::Int(counts)] = cells else { unreachable!() };
///     counts.push(3);
/// })?;
/// assert!(!path.exists() && file.commit()? > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LinesFile {
    table: Box<dyn LineTable>,
    whole: WholeFile,
}

impl LinesFile {
    /// Starts a table at `path`; the extension selects the format. An existing file stays until the commit.
    ///
    /// # Errors
    /// As for [`OutputFile::create_relation`].
    pub fn create(
        path: &Path,
        columns: &'static [RelationColumn],
        provenance: &Provenance,
    ) -> Result<Self, OutputError> {
        let format = relation_format(path)?;
        let whole = WholeFile::begin(path)?;
        let file = whole.behind()?;
        let table = || -> Result<Box<dyn LineTable>, OutputError> {
            Ok(match format {
                Some(format) if format.is_gzip() => {
                    Box::new(Gzipped::<_, dyn LineTable>::new(file, provenance, |out| {
                        Ok(Box::new(CellTable::in_format(Some(format), out, columns, provenance)?))
                    })?)
                }
                _ => Box::new(CellTable::in_format(format, file, columns, provenance)?),
            })
        };
        let table = table().map_err(|error| whole.named(error))?;
        Ok(Self { table, whole })
    }

    /// Appends the lines that `fill` adds to the values of each column.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, fill: &mut dyn FnMut(&mut [Cells])) -> Result<(), OutputError> {
        self.table.append(fill).map_err(|error| self.whole.named(error))
    }

    /// The file to remove if the program ends without a drop, as [`OutputFile::temporary_path`].
    #[must_use]
    pub fn temporary_path(&self) -> Option<&Path> {
        self.whole.temporary_path()
    }

    /// Finishes the table and puts it in its place. Returns its size in bytes.
    ///
    /// # Errors
    /// If the file cannot be written. Then an earlier file of its name still exists.
    pub fn commit(self) -> Result<u64, OutputError> {
        let Self { table, whole } = self;
        table.finish().map_err(|error| whole.named(error))?;
        whole.commit()
    }
}

/// The format of a relation; `None` for a JSON array.
fn relation_format(path: &Path) -> Result<Option<Format>, OutputError> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        return Ok(None);
    }
    match Format::of_path(path) {
        Ok(Format::Npz) | Err(_) => Err(OutputError::RelationFormat { path: path.display().to_string() }),
        Ok(format) => Ok(Some(format)),
    }
}

/// The formats that are text, plain or in gzip.
#[derive(Clone, Copy)]
enum Text {
    Csv,
    Tsv,
    JsonLines,
}

impl Text {
    fn table(self, out: impl Write + Send + 'static, columns: Columns) -> Box<dyn Table> {
        match self {
            Self::Csv => Box::new(CsvTable::new(out, columns)),
            Self::Tsv => Box::new(CsvTable::with_delimiter(out, columns, b'\t')),
            Self::JsonLines => Box::new(JsonTable::new(out, columns)),
        }
    }

    fn gzipped(
        self,
        whole: &WholeFile,
        columns: Columns,
        provenance: &Provenance,
    ) -> Result<Box<dyn Table>, OutputError> {
        let text = |out| Ok(self.table(out, columns));
        Ok(Box::new(Gzipped::<_, dyn Table>::new(whole.behind()?, provenance, text)?))
    }
}
