//! The files that a run reads and writes. An output that would replace an input, or another output, is refused before anything
//! is computed.
//!
//! Two paths name the same file if they resolve to the same location. On Unix, files that exist are compared by device and inode, so
//! that links are seen; standard output is compared, too, where it is a file. Pipes, devices and folders are not compared.

use super::failure::Failure;
use anyhow::anyhow;
use prism_host::inputs::{InputFailure, InputFile};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{Metadata, metadata};
use std::path::{Path, PathBuf};

/// Inputs, or why some cannot be read.
type Entries = [Result<InputFile, InputFailure>];

/// What the main output is called in messages.
pub const OUTPUT: &str = "the output";
/// What a table on standard output is called in messages.
const STANDARD_OUTPUT: &str = "standard output";

/// The files that a run writes, and those that it reads besides its inputs.
#[derive(Clone, Default)]
pub struct Files {
    read: Vec<PathBuf>,
    written: Vec<Written>,
    folder: Option<Folder>,
}

/// An output.
#[derive(Clone)]
struct Written {
    /// The option that names it.
    by: &'static str,
    path: PathBuf,
}

/// A folder of outputs whose names follow from the inputs.
#[derive(Clone)]
struct Folder {
    by: &'static str,
    path: PathBuf,
    /// The files that may be written, relative to the folder.
    names: fn(&Entries) -> Vec<PathBuf>,
    /// More of them, which do not follow from the inputs.
    more: Vec<PathBuf>,
}

impl Files {
    /// Adds a file that is read, such as one of annotations.
    pub fn reads(mut self, path: Option<&Path>) -> Self {
        self.read.extend(path.map(Path::to_owned));
        self
    }

    /// Adds the main output: a file, or standard output.
    pub fn writes_table(self, path: Option<&Path>) -> Self {
        match path {
            Some(_) => self.writes(OUTPUT, path),
            None => self.writes(STANDARD_OUTPUT, Some(Path::new(STANDARD_OUTPUT))),
        }
    }

    /// Adds an output, named by an option.
    pub fn writes(mut self, by: &'static str, path: Option<&Path>) -> Self {
        self.written.extend(path.map(|path| Written { by, path: path.to_owned() }));
        self
    }

    /// Adds a folder of outputs, named by an option. `names` lists the files that may be written there for some inputs.
    pub fn writes_into(mut self, by: &'static str, path: Option<&Path>, names: fn(&Entries) -> Vec<PathBuf>) -> Self {
        self.folder = path.map(|path| Folder { by, path: path.to_owned(), names, more: Vec::new() }).or(self.folder);
        self
    }

    /// Adds files of the folder that `by` names, if it is this one.
    pub fn writes_more_into(mut self, by: &'static str, names: Vec<PathBuf>) -> Self {
        if let Some(folder) = self.folder.as_mut().filter(|folder| folder.by == by) {
            folder.more = names;
        }
        self
    }

    /// Checks that no output is an input, or another output. `named` are the paths that the user gave, `entries` the inputs that
    /// were found there.
    pub fn check(&self, named: &[PathBuf], entries: &Entries) -> Result<(), Failure> {
        let mut known: HashMap<Identity, &Written> = HashMap::new();
        for file in &self.written {
            let identity = match file.by {
                STANDARD_OUTPUT => Identity::of_standard_output(),
                _ => Identity::of_output(&file.path),
            };
            let Some(identity) = identity else { continue };
            if let Some(other) = known.insert(identity, file) {
                return Err(twice(&file.path, other.by, file.by));
            }
        }
        let inside = self.check_folder(&known, entries)?;
        let replaced = |path: &Path| {
            let identity = Identity::of_existing(path)?;
            known.get(&identity).map(|file| file.by).or_else(|| inside.get(&identity).copied())
        };
        if inside.is_empty() && !known.keys().any(Identity::exists) {
            return Ok(());
        }
        let read = self.all_read(named, entries);
        match read.par_iter().find_map_first(|path| Some((path, replaced(path)?))) {
            None => Ok(()),
            Some((path, by)) => {
                let other = if self.folder.as_ref().is_some_and(|folder| folder.by == by) { "folder" } else { "name" };
                Err(refused(format!("{}: would be overwritten by {by}; choose another {other}", path.display())))
            }
        }
    }

    /// Compares the files of the folder with the other outputs. Returns those that exist.
    fn check_folder(
        &self,
        known: &HashMap<Identity, &Written>,
        entries: &Entries,
    ) -> Result<HashMap<Identity, &'static str>, Failure> {
        let Some(Folder { by, path, names, more }) = &self.folder else { return Ok(HashMap::new()) };
        let is_empty = !std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if is_empty && known.is_empty() {
            return Ok(HashMap::new());
        }
        let names: HashSet<PathBuf> = names(entries).into_iter().chain(more.iter().cloned()).collect();
        let root = resolved(path);
        for (identity, file) in known {
            let Identity::Path(own) = identity else { continue };
            if own.strip_prefix(&root).is_ok_and(|name| names.contains(name)) {
                return Err(twice(&file.path, file.by, by));
            }
        }
        if is_empty {
            return Ok(HashMap::new());
        }
        let existing = names.par_iter().filter_map(|name| Identity::of_existing(&path.join(name)));
        let existing: HashMap<Identity, &'static str> = existing.map(|identity| (identity, *by)).collect();
        match known.iter().find(|(identity, _)| existing.contains_key(identity)) {
            Some((_, file)) => Err(twice(&file.path, file.by, by)),
            None => Ok(existing),
        }
    }

    /// Every file that is read, once.
    fn all_read<'a>(&'a self, named: &'a [PathBuf], entries: &'a Entries) -> Vec<&'a Path> {
        let inputs = entries.iter().flatten();
        let named = named.iter().map(PathBuf::as_path).filter(|path| *path != Path::new("-"));
        let from_inputs = inputs.filter(|file| !file.is_read_once()).map(|file| file.path.as_path());
        let mut read: Vec<&Path> = named.chain(from_inputs).collect();
        read.extend(self.read.iter().map(PathBuf::as_path));
        read.sort_unstable();
        read.dedup();
        read
    }
}

fn twice(path: &Path, first: &str, second: &str) -> Failure {
    refused(format!("{}: is both {first} and {second}; give them different names", path.display()))
}

fn refused(text: String) -> Failure {
    Failure::usage(anyhow!(text))
}

/// What makes two paths one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// The device and the inode of a file that exists.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The resolved path of a file that exists.
    #[cfg(not(unix))]
    Existing(PathBuf),
    /// The resolved path of a file that does not exist yet.
    Path(PathBuf),
}

impl Identity {
    /// A plain file that exists.
    fn of_existing(path: &Path) -> Option<Self> {
        let metadata = metadata(path).ok().filter(Metadata::is_file)?;
        #[cfg(unix)]
        {
            Some(Self::of_metadata(&metadata))
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            Some(Self::Existing(std::fs::canonicalize(path).ok()?))
        }
    }

    #[cfg(unix)]
    fn of_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self::Inode(metadata.dev(), metadata.ino())
    }

    /// The plain file to which standard output is redirected.
    fn of_standard_output() -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let file = std::fs::File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?);
            file.metadata().ok().filter(Metadata::is_file).map(|metadata| Self::of_metadata(&metadata))
        }
        #[cfg(not(unix))]
        None
    }

    /// A plain file, or one that is to be made.
    fn of_output(path: &Path) -> Option<Self> {
        match metadata(path) {
            Ok(_) => Self::of_existing(path),
            Err(_) => Some(Self::Path(resolved(path))),
        }
    }

    fn exists(&self) -> bool {
        !matches!(self, Self::Path(_))
    }
}

/// The path without links and `..`, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = std::fs::canonicalize(path) {
        return path;
    }
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return path.to_owned(),
    };
    resolved(parent).join(path.file_name().unwrap_or(OsStr::new("..")))
}
