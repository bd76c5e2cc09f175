//! A file that appears whole or not at all.

use super::{
    Columns, CsvTable, Format, NpzTable, OutputError, ParquetTable, Provenance, SitesOptions, SitesTable,
    StructureRows, Table,
};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file written beside its place and put there by [`WholeFile::commit`]; dropped before, it leaves nothing.
pub(crate) struct WholeFile {
    temporary: NamedTempFile,
    target: PathBuf,
}

impl WholeFile {
    /// Begins a file that is to be at `path`. What has that name now stays until the commit.
    pub(crate) fn begin(path: &Path) -> Result<Self, OutputError> {
        let target = place(path)?;
        let temporary = beside(folder(&target)).map_err(|source| failed(path, "be made", source))?;
        Ok(Self { temporary, target })
    }

    /// To write it.
    pub(crate) fn buffered(&self) -> Result<BufWriter<File>, OutputError> {
        const BYTES: usize = 1 << 20;
        let file = self.temporary.as_file().try_clone().map_err(|source| self.failed(source))?;
        Ok(BufWriter::with_capacity(BYTES, file))
    }

    pub(crate) fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts it in its place; answers its size in bytes.
    pub(crate) fn commit(self) -> Result<u64, OutputError> {
        let Self { temporary, target } = self;
        let sync = |file: &File| file.sync_all().and_then(|()| file.metadata());
        let metadata = sync(temporary.as_file()).map_err(|source| failed(&target, "be written", source))?;
        temporary.persist(&target).map_err(|error| failed(&target, "be put in place", error.error))?;
        Ok(metadata.len())
    }

    /// Writing it has failed.
    pub(crate) fn failed(&self, source: std::io::Error) -> OutputError {
        failed(&self.target, "be written", source)
    }
}

/// A table written beside its place and put there by [`OutputFile::commit`]; dropped before, it leaves nothing.
///
/// ```
/// use prism_host::output::{Columns, OutputError, OutputFile, Provenance};
/// use shared_types::MegaFusedConfig;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("features.csv");
/// let provenance = Provenance { config: MegaFusedConfig::default() };
/// let create = |path| OutputFile::create(path, Columns::default(), &provenance);
/// std::fs::write(&path, "what was there")?;
/// drop(create(&path)?); // a run that failed, say
/// assert_eq!(std::fs::read(&path)?, b"what was there");
/// let bytes = create(&path)?.commit()?; // the line with the columns' names
/// assert_eq!(std::fs::metadata(&path)?.len(), bytes);
///
/// assert!(matches!(create("features.txt".as_ref()), Err(OutputError::UnknownFormat { .. })));
/// assert!(matches!(create(folder.path().join("no/such/features.csv").as_ref()), Err(OutputError::Io { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The example of [the crate](crate) writes one of many structures.
pub struct OutputFile {
    table: Box<dyn Table>,
    whole: WholeFile,
}

impl OutputFile {
    /// Begins a table at `path`, whose extension says the format. What has that name now stays until the commit.
    ///
    /// # Errors
    /// Where the extension is unknown, the place is taken by something that is no plain file, or its folder cannot be
    /// written.
    pub fn create(path: &Path, columns: Columns, provenance: &Provenance) -> Result<Self, OutputError> {
        let format = Format::of_path(path)?;
        Self::begin(path, |file, folder| {
            Ok(match format {
                Format::Csv => Box::new(CsvTable::new(file, columns)),
                Format::Parquet => Box::new(ParquetTable::new(file, columns, provenance)?),
                Format::Npz => Box::new(NpzTable::new(file, columns, folder)?),
            })
        })
    }

    /// Begins a table of sites at `path`, in the format that the options say.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub fn create_sites(path: &Path, options: SitesOptions) -> Result<Self, OutputError> {
        Self::begin(path, |file, _| Ok(Box::new(SitesTable::new(file, options))))
    }

    /// Begins what `table` makes of a file and its folder.
    fn begin(
        path: &Path,
        table: impl FnOnce(BufWriter<File>, &Path) -> Result<Box<dyn Table>, OutputError>,
    ) -> Result<Self, OutputError> {
        let whole = WholeFile::begin(path)?;
        let table = table(whole.buffered()?, folder(&whole.target))?;
        Ok(Self { table, whole })
    }

    /// Appends the rows of some structures.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.table.write(structures)
    }

    /// Where the table is as long as it is not in its place: what to remove if the program is to end without a drop.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.whole.temporary_path()
    }

    /// Ends the table and puts it in its place; answers its size in bytes.
    ///
    /// # Errors
    /// Where the file cannot be written; what had its name before is still there then.
    pub fn commit(self) -> Result<u64, OutputError> {
        let Self { table, whole } = self;
        table.finish()?;
        whole.commit()
    }
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Where the file is to be: through a link, so that the link stays one.
fn place(path: &Path) -> Result<PathBuf, OutputError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            std::fs::canonicalize(path).map_err(|source| failed(path, "be found", source))
        }
        Ok(_) => Err(OutputError::NotAFile { path: path.display().to_string() }),
        Err(_) => Ok(path.to_owned()),
    }
}

fn beside(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".prism-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: the process's mask takes away what others may not do.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn failed(path: &Path, action: &'static str, source: std::io::Error) -> OutputError {
    OutputError::Io { path: path.display().to_string(), action, source }
}
