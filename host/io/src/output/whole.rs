//! A file that appears whole or not at all.

use super::behind::Behind;
use super::error::{OutputError, root_cause};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that appears at its path with [`WholeFile::commit`]. If it is dropped before, it leaves nothing.
///
/// On Linux, if the file system supports it (`O_TMPFILE`), the file has no name until the commit. So nothing is left however
/// the process ends, even by `kill -9`. Elsewhere it has a temporary name in the same folder.
pub struct WholeFile {
    temporary: Temporary,
    target: PathBuf,
}

enum Temporary {
    #[cfg(target_os = "linux")]
    Nameless(File),
    Named(NamedTempFile),
}

impl WholeFile {
    /// Starts a file for `path`. An existing file stays until the commit.
    pub fn begin(path: &Path) -> Result<Self, OutputError> {
        let target = place(path)?;
        let temporary = Temporary::new(folder(&target)).map_err(|source| failed(path, "be made", source))?;
        Ok(Self { temporary, target })
    }

    /// A buffered writer.
    pub fn buffered(&self) -> Result<BufWriter<File>, OutputError> {
        const BYTES: usize = 1 << 20;
        let file = self.temporary.file().try_clone().map_err(|source| self.failed(source))?;
        Ok(BufWriter::with_capacity(BYTES, file))
    }

    /// A writer for large tables.
    pub(super) fn behind(&self) -> Result<Behind, OutputError> {
        self.temporary.file().try_clone().map(Behind::new).map_err(|source| self.failed(source))
    }

    /// Its temporary name, if it has one.
    pub fn temporary_path(&self) -> Option<&Path> {
        match &self.temporary {
            #[cfg(target_os = "linux")]
            Temporary::Nameless(_) => None,
            Temporary::Named(file) => Some(file.path()),
        }
    }

    /// The folder of the path.
    pub(crate) fn folder(&self) -> &Path {
        folder(&self.target)
    }

    /// Puts it in its place. Returns its size in bytes.
    pub fn commit(self) -> Result<u64, OutputError> {
        let Self { temporary, target } = self;
        let file = temporary.file();
        let metadata = file.sync_all().and_then(|()| file.metadata());
        let metadata = metadata.map_err(|source| failed(&target, "be written", source))?;
        temporary.persist(&target).map_err(|source| failed(&target, "be put in place", source))?;
        Ok(metadata.len())
    }

    /// The error if writing it failed.
    pub fn failed(&self, source: std::io::Error) -> OutputError {
        failed(&self.target, "be written", source)
    }

    /// An error of the table in the file, with the file's name if the table does not know it.
    pub(crate) fn named(&self, error: OutputError) -> OutputError {
        match error {
            OutputError::Write(source) => self.failed(source),
            OutputError::Parquet(parquet::errors::ParquetError::External(source)) => {
                self.failed(std::io::Error::other(source))
            }
            OutputError::Zip(zip::result::ZipError::Io(source)) => self.failed(source),
            other => other,
        }
    }
}

impl Temporary {
    fn new(folder: &Path) -> std::io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless::create(folder) {
            return Ok(Self::Nameless(file));
        }
        beside(folder).map(Self::Named)
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    fn persist(self, target: &Path) -> std::io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => nameless::link(&file, target),
            Self::Named(file) => file.persist(target).map(|_| ()).map_err(|error| error.error),
        }
    }
}

/// Checks in advance that a file can be written to `path`.
///
/// # Errors
/// [`OutputError::NoFolder`], [`OutputError::NotAFile`], [`OutputError::ReadOnly`], and [`OutputError::Io`] if no file can be
/// created in the folder.
///
/// ```
/// use prism_io::output::{OutputError, check_place};
///
/// # let folder = tempfile::tempdir()?;
/// check_place(&folder.path().join("features.csv"))?;
/// assert!(matches!(check_place(&folder.path().join("no/such.csv")), Err(OutputError::NoFolder { .. })));
/// assert!(matches!(check_place(folder.path()), Err(OutputError::NotAFile { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_place(path: &Path) -> Result<(), OutputError> {
    WholeFile::begin(path).map(drop)
}

/// Writes a file that appears whole or not at all.
///
/// # Errors
/// As for [`check_place`], and if it cannot be written.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("manifest.json");
/// prism_io::output::write_whole(&path, b"{}")?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let whole = WholeFile::begin(path)?;
    let mut out = whole.buffered()?;
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|source| whole.failed(source))?;
    whole.commit().map(drop)
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The target of the path. Links are followed, so that a link stays a link.
fn place(path: &Path) -> Result<PathBuf, OutputError> {
    let shown = || path.display().to_string();
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            let opened = std::fs::OpenOptions::new().write(true).open(path);
            // Root may write anywhere, so only the mode shows that the file is read-only.
            if metadata.permissions().readonly() || opened.is_err() {
                return Err(OutputError::ReadOnly { path: shown() });
            }
            std::fs::canonicalize(path).map_err(|source| failed(path, "be found", source))
        }
        Ok(_) => Err(OutputError::NotAFile { path: shown() }),
        Err(_) => match std::fs::metadata(folder(path)) {
            Ok(metadata) if metadata.is_dir() => Ok(path.to_owned()),
            Ok(_) => Err(OutputError::NoFolder { path: shown(), folder: folder(path).display().to_string() }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(OutputError::NoFolder { path: shown(), folder: folder(path).display().to_string() })
            }
            Err(source) => Err(failed(path, "be made", source)),
        },
    }
}

fn beside(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".prism-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file; the process's umask applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

pub(super) fn failed(path: &Path, action: &'static str, source: std::io::Error) -> OutputError {
    OutputError::Io { path: path.display().to_string(), action, source: root_cause(source) }
}

/// Files without a name.
#[cfg(target_os = "linux")]
mod nameless {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    /// A file in the folder; `None` if the file system does not support such files, or they could not be named later.
    pub fn create(folder: &Path) -> Option<File> {
        // As for any new file; the process's umask applies.
        let mode = Mode::from_raw_mode(0o666);
        let file = File::from(open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok()?);
        std::fs::metadata(path(&file)).is_ok().then_some(file)
    }

    /// A path to the open file, through /proc.
    fn path(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }

    /// Names it.
    pub fn link(file: &File, target: &Path) -> std::io::Result<()> {
        let name = |name: &Path| linkat(CWD, path(file), CWD, name, AtFlags::SYMLINK_FOLLOW);
        match name(target) {
            Err(Errno::EXIST) => {}
            done => return Ok(done?),
        }
        // No call replaces a file by one without a name, so it gets a temporary name for a moment.
        let mut number = 0_u32;
        loop {
            let own = target.with_file_name(format!(".prism-{}-{number}.part", std::process::id()));
            match name(&own) {
                Err(Errno::EXIST) if number < 1000 => number += 1,
                Err(error) => return Err(error.into()),
                Ok(()) => {
                    return std::fs::rename(&own, target).inspect_err(|_| {
                        let _ = std::fs::remove_file(&own);
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_there_after_its_commit_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for text in ["first", "and in its place the second"] {
            let before = names(folder.path());
            let whole = WholeFile::begin(&path).unwrap();
            let mut out = whole.buffered().unwrap();
            out.write_all(text.as_bytes()).unwrap();
            out.flush().unwrap();
            if whole.temporary_path().is_none() {
                assert_eq!(names(folder.path()), before);
            }
            assert_eq!(whole.commit().unwrap(), text.len() as u64);
            assert_eq!(names(folder.path()), ["a.csv"]);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        drop(WholeFile::begin(&folder.path().join("b.csv")).unwrap());
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn a_file_with_a_temporary_name_does_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (target, begin) = (folder.path().join("a.csv"), || Temporary::Named(beside(folder.path()).unwrap()));
        let whole = WholeFile { temporary: begin(), target: target.clone() };
        assert!(whole.temporary_path().is_some_and(Path::exists));
        assert_eq!(names(folder.path()).len(), 1);
        drop(whole);
        assert!(names(folder.path()).is_empty());
        assert_eq!(WholeFile { temporary: begin(), target }.commit().unwrap(), 0);
        assert_eq!(names(folder.path()), ["a.csv"]);
    }
}
