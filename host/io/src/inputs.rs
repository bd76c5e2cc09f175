//! Finds the files to read, and names their structures.

mod addresses;
mod amount;
mod clashes;
mod database;
mod each_file;
mod names;
mod reference;
mod stream;
mod zipped;

use crate::dataset::{Dataset, DatasetError};
use addresses::not_downloaded;
pub use amount::atoms_at_first_sight;
use bytes::Bytes;
pub use clashes::Clashes;
pub use each_file::TakeFile;
pub(crate) use names::structure_name;
pub use names::{NameBy, stem};
use names::{extension, is_archive, is_structure, refused_format, without_compression};
pub use prism_read::InputFailure;
use prism_read::plural::counted;
use prism_read::{
    AtomArrays, COMPRESSED, ReadOptions, ReadStructure, read_arrays, read_path, read_path_structures, read_structures,
};
use rayon::prelude::*;
pub use reference::read_reference;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stream::is_packed;
pub(crate) use stream::unpack;
use thiserror::Error;
use walkdir::{DirEntry, WalkDir};

/// Extensions of structure files in directories and archives, beside `pdb1` to `pdb9` of assemblies; one of [`COMPRESSED`] may
/// follow.
pub const EXTENSIONS: [&str; 8] = ["pdb", "ent", "cif", "mmcif", "bcif", "fcz", "pqr", "pdbqt"];

/// An input: a file with one or more structures, a structure of a packed data set, or an archive.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// The structure's name, by [`NameBy`]; in a data set, the name it was packed with. Names of an archive's members add
    /// their path in the archive.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Its kind.
    pub source: Source,
}

/// The kind of an input.
///
/// ```
/// use prism_io::inputs::{Source, discover};
///
/// let inputs = discover(["../../data/6m0j_rbd.pdb"])?;
/// assert!(matches!(inputs.entries[0].as_ref().unwrap().source, Source::File));
/// # Ok::<(), prism_io::inputs::DuplicateName>(())
/// ```
#[derive(Clone, Debug)]
pub enum Source {
    /// A file with one or a few structures.
    File,
    /// A structure of a packed data set, by its index there.
    Packed(Arc<Dataset>, usize),
    /// A tar, plain or compressed, or a zip archive, whose members are read in order.
    Archive,
    /// A database of `FoldComp` entries, read in order.
    Database,
    /// Standard input: a structure or a tar.
    StandardInput,
    /// A named pipe, such as a shell's `<(zcat x.gz)`: a structure or a tar. It can be read once.
    Pipe,
    /// The bytes of a file with one or a few structures.
    Memory(Bytes),
    /// The bytes of a tar, plain or compressed, or of a zip archive.
    MemoryArchive(Bytes),
    /// Atoms as arrays, and their positions in Å.
    Atoms(Arc<AtomArrays>, Arc<[[f64; 3]]>),
}

impl InputFile {
    /// The bytes of a file in memory: a structure or a tar, depending on the content. `name` is the file's name; the
    /// structure's name omits the extension of a compression.
    ///
    /// ```
    /// use prism_io::inputs::InputFile;
    /// use prism_read::ReadOptions;
    ///
    /// let file = InputFile::of_bytes("1crn.pdb.gz", std::fs::read("../../tests/data/1crn.pdb.gz")?);
    /// let read = file.read(&ReadOptions::default()).map_err(|failure| failure.reason)?;
    /// assert_eq!((&*read.structure.name, read.structure.n_residues()), ("1crn.pdb", 46));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_bytes(name: &str, bytes: impl Into<Bytes>) -> Self {
        let (path, bytes) = (PathBuf::from(name), bytes.into());
        let size = bytes.len() as u64;
        let is_archive = is_archive(&path) || is_packed(&bytes);
        let source = if is_archive { Source::MemoryArchive(bytes) } else { Source::Memory(bytes) };
        Self { name: without_compression(name.to_owned()), path, size, source }
    }

    /// A structure given as arrays. See [`read_arrays`].
    #[must_use]
    pub fn of_atoms(name: &str, atoms: Arc<AtomArrays>, positions: impl Into<Arc<[[f64; 3]]>>) -> Self {
        /// Length of a PDB line; estimated sizes are in such lines.
        const TEXT: u64 = 81;
        let size = atoms.len() as u64 * TEXT;
        let source = Source::Atoms(atoms, positions.into());
        Self { name: name.to_owned(), path: PathBuf::from(name), size, source }
    }

    /// Whether it is read as a stream, and may hold any number of structures.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(
            self.source,
            Source::Archive | Source::Database | Source::StandardInput | Source::Pipe | Source::MemoryArchive(_)
        )
    }

    /// Whether it can be read only once.
    #[must_use]
    pub fn is_read_once(&self) -> bool {
        matches!(self.source, Source::StandardInput | Source::Pipe)
    }

    /// Reads all its structures: the requested models of each data block, and those of every member of an archive. Returns
    /// at least one result. The options apply to files; structures of a data set stay as they were packed.
    #[must_use]
    pub fn read_all(&self, options: &ReadOptions) -> Vec<Result<ReadStructure, InputFailure>> {
        match &self.source {
            Source::File => {
                let all = read_path_structures(&self.path, &self.name, options).into_iter();
                all.map(|read| read.map_err(InputFailure::from)).collect()
            }
            Source::Memory(bytes) => structures(bytes, &self.name, options),
            Source::Atoms(atoms, positions) => {
                let all = read_arrays(atoms, positions, &self.name, options).into_iter();
                all.map(|read| read.map_err(InputFailure::from)).collect()
            }
            Source::Packed(..) => vec![self.read(options)],
            Source::Archive | Source::Database | Source::StandardInput | Source::Pipe | Source::MemoryArchive(_) => {
                let mut all = Vec::new();
                unpack(self, &mut |item| {
                    match item {
                        Item::Structure { name, bytes, .. } => all.extend(structures(&bytes, &name, options)),
                        Item::Failed(failure) => all.push(Err(failure)),
                        Item::Said { .. } => {}
                    }
                    true
                });
                all
            }
        }
    }

    /// Reads its first structure. The options apply to files. Structures of a data set stay as they were packed, but for labels
    /// that were not asked for.
    ///
    /// # Errors
    /// The problem of the file, or that the data set is damaged.
    pub fn read(&self, options: &ReadOptions) -> Result<ReadStructure, InputFailure> {
        match &self.source {
            Source::File => read_path(&self.path, &self.name, options).map_err(InputFailure::from),
            Source::Packed(dataset, index) => {
                let read = dataset.structure_with(*index, options.labels);
                read.map_err(|error| InputFailure::new(&self.name, error.to_string()))
            }
            _ => {
                let mut all = self.read_all(options);
                all.drain(..).next().unwrap_or_else(|| Err(InputFailure::new(&self.name, "holds nothing".to_owned())))
            }
        }
    }
}

/// Reads every structure of a file's bytes.
pub fn structures(bytes: &[u8], name: &str, options: &ReadOptions) -> Vec<Result<ReadStructure, InputFailure>> {
    read_structures(bytes, name, options).into_iter().map(|read| read.map_err(InputFailure::from)).collect()
}

/// An item of a stream.
pub(crate) enum Item {
    /// A file's bytes, as they are compressed there; and how many of the stream they take, about.
    Structure { name: String, bytes: Vec<u8>, size: u64 },
    /// A member that cannot be read as a structure.
    Failed(InputFailure),
    /// A note about the stream.
    Said { name: String, text: String },
}

/// The inputs found under the given paths.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// In the given order; within a directory in byte order of the paths.
    pub entries: Vec<Result<InputFile, InputFailure>>,
    /// Directories with files of other extensions, and their numbers.
    pub ignored: Vec<(PathBuf, usize)>,
    /// Those files, directory by directory, in byte order of the paths.
    pub ignored_files: Vec<PathBuf>,
}

/// Two files whose structures would have the same name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{} and {} would have the same name {name:?}; give only one of them, or name them by their paths", .first.display(), .second.display())]
pub struct DuplicateName {
    /// The name.
    pub name: String,
    /// The first file.
    pub first: PathBuf,
    /// The other file.
    pub second: PathBuf,
}

/// Finds the files under `paths`. A named file is taken whatever its extension; a packed data set gives all its structures;
/// `-` is standard input. Directories are searched recursively, following links, for archives and files with one of
/// [`EXTENSIONS`]. Files are named by [`NameBy::default`].
///
/// # Errors
/// If two files would have the same name. A path that does not exist or cannot be read becomes an entry with the failure.
///
/// ```
/// use prism_io::inputs::{DuplicateName, EXTENSIONS, discover};
/// use prism_read::ReadOptions;
/// use std::path::Path;
///
/// assert!(EXTENSIONS.contains(&"pdb") && !EXTENSIONS.contains(&"md"));
/// let inputs = discover(["../../data", "no/such/file.cif"])?;
/// assert!(!inputs.has_packed() && inputs.ignored[0].0 == Path::new("../../data")); // README.md is there, too
/// let [Ok(file), Err(failure)] = &inputs.entries[..] else { panic!("one file and one that is not") };
/// assert_eq!((file.name.as_str(), &*file.path), ("6m0j_rbd.pdb", Path::new("../../data/6m0j_rbd.pdb")));
/// assert_eq!(failure.name, "no/such/file.cif");
/// println!("{}: {}", failure.name, failure.reason);
/// let read = file.read(&ReadOptions::default()).map_err(|failure| failure.reason)?;
/// assert_eq!(read.structure.n_residues(), 194);
///
/// let twice = discover(["../../data", "../../data/6m0j_rbd.pdb"]);
/// assert!(matches!(twice, Err(DuplicateName { name, .. }) if name == "6m0j_rbd.pdb"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discover<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Inputs, DuplicateName> {
    discover_by(paths, NameBy::default(), "stdin")
}

/// As [`discover`], with names by `name_by`. Standard input is named `standard_input`.
///
/// # Errors
/// As [`discover`].
pub fn discover_by<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    name_by: NameBy,
    standard_input: &str,
) -> Result<Inputs, DuplicateName> {
    let mut inputs = Inputs::default();
    for path in paths {
        inputs.find(path.as_ref(), standard_input);
    }
    inputs.name_by(name_by, |_| false)?;
    Ok(inputs)
}

impl Inputs {
    /// Adds the inputs under a path, as [`discover_by`] does, with names that [`name_by`](Self::name_by) has yet to tell apart.
    pub fn find(&mut self, path: &Path, standard_input: &str) {
        if path == Path::new("-") {
            let (name, path) = (standard_input.to_owned(), path.to_owned());
            self.entries.push(Ok(InputFile { name, path, size: 0, source: Source::StandardInput }));
            return;
        }
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.walk(path),
            // Pipes and the like are not read before their turn.
            Ok(metadata) if metadata.is_file() && Dataset::is_one(path) => self.open_dataset(path),
            Ok(metadata) => self.entries.push(named(path, &metadata)),
            Err(error) => {
                let name = path.display().to_string();
                let reason = not_downloaded(&name).filter(|_| error.kind() != ErrorKind::PermissionDenied);
                let missing = error.kind() == ErrorKind::NotFound;
                let failure = InputFailure::new(&name, reason.unwrap_or_else(|| error.to_string()));
                self.entries.push(Err(InputFailure { missing, ..failure }));
            }
        }
    }

    /// Names the inputs. `is_taken` says which names they cannot have, because other inputs of the run have them.
    ///
    /// # Errors
    /// If two inputs would have the same name, or one a name that is taken.
    ///
    /// ```
    /// use prism_io::inputs::{Inputs, NameBy};
    /// use std::path::Path;
    ///
    /// let mut inputs = Inputs::default();
    /// inputs.find(Path::new("../../data/6m0j_rbd.pdb"), "stdin");
    /// inputs.name_by(NameBy::Shortest, |name| name == "6m0j_rbd.pdb")?;
    /// assert_eq!(inputs.entries[0].as_ref().unwrap().name, "data/6m0j_rbd.pdb");
    /// # Ok::<(), prism_io::inputs::DuplicateName>(())
    /// ```
    pub fn name_by(&mut self, by: NameBy, is_taken: impl Fn(&str) -> bool) -> Result<(), DuplicateName> {
        by.name(&mut self.entries, &is_taken)
    }

    /// Whether any input is a structure of a packed data set.
    #[must_use]
    pub fn has_packed(&self) -> bool {
        self.entries.iter().flatten().any(|file| matches!(file.source, Source::Packed(..)))
    }

    /// The first packed data set without residue labels ([`Dataset::keeps_labels`]).
    #[must_use]
    pub fn without_labels(&self) -> Option<&Path> {
        self.entries.iter().flatten().find_map(|file| match &file.source {
            Source::Packed(dataset, _) if !dataset.keeps_labels() => Some(&*file.path),
            _ => None,
        })
    }

    fn open_dataset(&mut self, path: &Path) {
        match Dataset::open(path) {
            Ok(dataset) => {
                let dataset = Arc::new(dataset);
                let structure = |index| InputFile {
                    name: dataset.name(index).to_owned(),
                    path: path.to_owned(),
                    size: dataset.bytes(index),
                    source: Source::Packed(Arc::clone(&dataset), index),
                };
                self.entries.extend((0..dataset.len()).map(structure).map(Ok));
            }
            Err(error) => {
                self.entries.push(Err(InputFailure::new(&path.display().to_string(), error.to_string())));
            }
        }
    }

    fn walk(&mut self, directory: &Path) {
        let mut ignored = Vec::new();
        let mut found: Vec<(PathBuf, Result<Source, String>)> = Vec::new();
        for entry in entries(directory) {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {}
                // Pipes and devices may have no end.
                Ok(entry) if entry.file_type().is_file() && is_taken(entry.path()) => {
                    found.push((entry.into_path(), Ok(Source::File)))
                }
                Ok(entry) if entry.file_type().is_file() => match database::of_type_file(entry.path()) {
                    Some(data) => found.push((data, Ok(Source::Database))),
                    None => ignored.push(entry.into_path()),
                },
                Ok(entry) => ignored.push(entry.into_path()),
                // Ignore a broken link unless it has the name of a structure.
                Err(error)
                    if error.path().is_some_and(|path| path.is_symlink() && !is_taken(path))
                        && error.loop_ancestor().is_none() =>
                {
                    ignored.extend(error.path().map(Path::to_owned));
                }
                Err(error) => {
                    let path = error.path().unwrap_or(directory).to_owned();
                    found.push((path, Err(reason(&error))));
                }
            }
        }
        found.par_sort_by(|(a, _), (b, _)| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        // Querying the file sizes takes longest.
        self.entries.par_extend(found.into_par_iter().map(|(path, found)| {
            let name = structure_name(path.strip_prefix(directory).unwrap_or(&path));
            match found {
                Ok(source) => {
                    let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
                    let source = if is_archive(&path) { Source::Archive } else { source };
                    Ok(InputFile { name, path, size, source })
                }
                Err(reason) => Err(InputFailure::new(&name, reason)),
            }
        }));
        if !ignored.is_empty() {
            self.ignored.push((directory.to_owned(), ignored.len()));
            ignored.sort_unstable();
            self.ignored_files.append(&mut ignored);
        }
    }
}

/// The entries of a directory. Following links takes a system call for every file, so it is done only if there are links.
fn entries(directory: &Path) -> Vec<walkdir::Result<DirEntry>> {
    let walk = |follow| WalkDir::new(directory).follow_links(follow).min_depth(1);
    let without_links = walk(false).into_iter().map(|entry| match entry {
        Ok(entry) if entry.path_is_symlink() => None,
        entry => Some(entry),
    });
    without_links.collect::<Option<_>>().unwrap_or_else(|| walk(true).into_iter().collect())
}

fn reason(error: &walkdir::Error) -> String {
    match (error.loop_ancestor(), error.io_error()) {
        (Some(ancestor), _) => format!("is a link to its own parent folder {}", ancestor.display()),
        (_, Some(io)) => io.to_string(),
        _ => error.to_string(),
    }
}

/// An input for a path given by the user.
fn named(path: &Path, metadata: &std::fs::Metadata) -> Result<InputFile, InputFailure> {
    let name = structure_name(path.file_name().map_or(path, Path::new));
    if let Some(reason) = refused_format(path) {
        return Err(InputFailure::new(&name, reason.to_owned()));
    }
    if extension(path).as_deref() == Some("arrow") {
        return Err(InputFailure::new(&name, DatasetError::NotArrow.to_string()));
    }
    let source = match path {
        _ if !metadata.is_file() => Source::Pipe,
        _ if is_archive(path) => Source::Archive,
        _ if database::is_database(path) => Source::Database,
        _ => Source::File,
    };
    Ok(InputFile { name, path: path.to_owned(), size: metadata.len(), source })
}

/// Whether a file in a directory is read.
fn is_taken(path: &Path) -> bool {
    is_structure(path) || is_archive(path)
}

/// Describes which files of directories are read.
#[must_use]
pub fn taken() -> String {
    format!("{}; .zip", described(&[&EXTENSIONS[..], &["tar"]].concat()))
}

/// Says that so many files of a directory are ignored, and which are not.
#[must_use]
pub fn ignored(files: usize) -> String {
    format!("{} ignored; the formats are {}", counted(files, "file is", "files are"), taken())
}

/// Describes which members of archives are read. An archive in an archive is not.
pub(crate) fn taken_of_archives() -> String {
    described(&EXTENSIONS)
}

fn described(extensions: &[&str]) -> String {
    let [others @ .., last] = extensions else { return String::new() };
    let dot = |one: &&str| if *one == "pdb" { ".pdb, .pdb1 to .pdb9".to_owned() } else { format!(".{one}") };
    let dotted = |extensions: &[&str]| extensions.iter().map(dot).collect::<Vec<_>>().join(", ");
    format!("{} or .{last}, each also {}", dotted(others), dotted(&COMPRESSED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    fn names(inputs: &Inputs) -> Vec<&str> {
        inputs.entries.iter().map(|entry| entry.as_ref().map_or_else(|f| &*f.name, |f| &*f.name)).collect()
    }

    #[test]
    fn directories_are_walked_in_byte_order() {
        let folder = folder(&[
            "b.pdb",
            "sub/a.cif.gz",
            "B.ENT",
            "a.mmCIF.GZ",
            "notes.txt",
            "sub/x.bcif",
            "a.pdb.bak",
            "s.tar",
            "c.fcz",
        ]);
        let inputs = discover([folder.path()]).unwrap();
        assert_eq!(names(&inputs), ["B.ENT", "a.mmCIF", "b.pdb", "c.fcz", "s.tar", "sub/a.cif", "sub/x.bcif"]);
        assert!(inputs.entries[4].as_ref().unwrap().is_stream());
        assert_eq!(inputs.ignored, [(folder.path().to_owned(), 2)]);
    }

    #[test]
    fn named_files_are_taken_but_those_of_other_formats() {
        let folder = folder(&["x.gro", "x.txt", "db", "db.index", "db.dbtype", "z.mmtf.gz"]);
        let paths = ["x.txt", "db", "x.gro", "z.mmtf.gz", "missing.pdb"].map(|file| folder.path().join(file));
        let inputs = discover(&paths).unwrap();
        assert_eq!(inputs.entries[0].as_ref().unwrap().name, "x.txt");
        assert!(matches!(inputs.entries[1].as_ref().unwrap().source, Source::Database));
        for (entry, reason) in inputs.entries[2..4].iter().zip(["GRO", "MMTF"]) {
            let failure = entry.as_ref().unwrap_err();
            assert!(failure.reason.starts_with(reason), "{}: {}", failure.name, failure.reason);
        }
        assert!(inputs.entries[4].as_ref().unwrap_err().name.ends_with("missing.pdb"));
    }

    #[test]
    fn equal_names_get_as_many_folders_as_tell_them_apart() {
        let folder = folder(&["1/a/x.pdb", "1/b/x.pdb", "2/a/x.pdb", "2/a/y.pdb"]);
        let path = |name: &str| folder.path().join(name);
        let of = |files: &[&str], by| {
            discover_by(files.iter().map(|file| path(file)), by, "-")
                .map(|inputs| names(&inputs).into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        assert_eq!(
            of(&["1/a/x.pdb", "1/b/x.pdb", "2/a/y.pdb"], NameBy::Shortest).unwrap(),
            ["a/x.pdb", "b/x.pdb", "y.pdb"]
        );
        assert_eq!(of(&["1/a/x.pdb", "2/a/x.pdb"], NameBy::Shortest).unwrap(), ["1/a/x.pdb", "2/a/x.pdb"]);
        assert_eq!(of(&["2/a/x.pdb", "2/a/y.pdb"], NameBy::Stem).unwrap(), ["x", "y"]);
        assert!(of(&["1/a/x.pdb", "2/a/x.pdb"], NameBy::Stem).is_err());
        assert!(of(&["1/a/x.pdb", "1/a/x.pdb"], NameBy::Shortest).is_err());
    }

    #[test]
    fn one_name_for_two_files_is_refused() {
        let folder = folder(&["a/x.pdb", "b/x.pdb.gz"]);
        let (first, second) = (folder.path().join("a/x.pdb"), folder.path().join("b"));
        let error = discover_by([&first, &second], NameBy::Name, "-").unwrap_err();
        assert_eq!(error.name, "x.pdb");
        assert!(error.to_string().contains("a/x.pdb") && error.to_string().contains("b/x.pdb.gz"), "{error}");
        assert_eq!(names(&discover([folder.path()]).unwrap()), ["a/x.pdb", "b/x.pdb"]);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_in_a_folder_are_not_waited_for() {
        let folder = folder(&["x.pdb"]);
        let pipe = folder.path().join("y.pdb");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("z.pdb")).unwrap();
        let inputs = discover([folder.path()]).unwrap();
        assert_eq!(names(&inputs), ["x.pdb"]);
        assert_eq!(inputs.ignored[0].1, 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_loops_reported() {
        use std::os::unix::fs::symlink;
        let folder = folder(&["real/x.pdb"]);
        symlink(folder.path().join("real/x.pdb"), folder.path().join("y.pdb")).unwrap();
        symlink(folder.path().join("gone"), folder.path().join("z.pdb")).unwrap();
        symlink(folder.path().join("gone"), folder.path().join("z.txt")).unwrap();
        symlink(folder.path(), folder.path().join("real/up")).unwrap();
        let inputs = discover([folder.path()]).unwrap();
        assert_eq!(names(&inputs), ["real/up", "real/x.pdb", "y.pdb", "z.pdb"]);
        assert!(inputs.entries[0].as_ref().unwrap_err().reason.starts_with("is a link to its own parent folder"));
        assert!(inputs.entries[3].is_err());
        assert_eq!(inputs.ignored[0].1, 1);
    }
}
