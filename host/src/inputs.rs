//! Which files to read, and what their structures are called.

use crate::dataset::{Dataset, DatasetError};
use crate::read::{self, Problem, ReadError, ReadOptions, ReadStructure, read_path, read_structures};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;
use walkdir::WalkDir;

/// The extensions that are taken from a directory; each may be followed by `.gz`.
pub const EXTENSIONS: [&str; 4] = ["pdb", "ent", "cif", "mmcif"];

/// A structure to read: a file, or part of a packed data set.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// What the structure is called: the file's name without `.gz`, with its path below the directory that was given;
    /// in a data set, what it was called when it was packed.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// The data set that holds it, and its place there.
    pub packed: Option<(Arc<Dataset>, usize)>,
}

impl InputFile {
    /// Reads every structure of it: its data blocks and the models that are asked for. There is at least one result. The
    /// options are those of files; structures of a data set are as they were packed.
    #[must_use]
    pub fn read_all(&self, options: &ReadOptions) -> Vec<Result<ReadStructure, InputFailure>> {
        if self.packed.is_some() {
            return vec![self.read(options)];
        }
        match read::contents(&self.path) {
            Ok(bytes) => read_structures(&bytes, &self.name, options)
                .into_iter()
                .map(|read| read.map_err(InputFailure::from))
                .collect(),
            Err(problem) => {
                vec![Err(InputFailure { name: self.name.clone(), reason: problem.to_string(), no_protein: false })]
            }
        }
    }

    /// Reads it, of several structures the first. The options are those of files; structures of a data set are as they were packed.
    ///
    /// # Errors
    /// What is wrong with the file, or that the data set is damaged.
    pub fn read(&self, options: &ReadOptions) -> Result<ReadStructure, InputFailure> {
        let failure = |reason| InputFailure { name: self.name.clone(), reason, no_protein: false };
        match &self.packed {
            None => read_path(&self.path, &self.name, options).map_err(InputFailure::from),
            Some((dataset, index)) => dataset.structure(*index).map_err(|error| failure(error.to_string())),
        }
    }
}

impl From<ReadError> for InputFailure {
    fn from(error: ReadError) -> Self {
        let line = error.line.map_or_else(String::new, |line| format!("line {line}: "));
        let no_protein = matches!(error.problem, Problem::NucleicAcid);
        Self { name: error.name, reason: format!("{line}{}", error.problem), no_protein }
    }
}

/// Something that was asked for and can be no input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFailure {
    /// What it would be called.
    pub name: String,
    /// What is wrong.
    pub reason: String,
    /// Whether it is a whole file that simply has no protein.
    pub no_protein: bool,
}

/// What was found under the given paths.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// In the order given, and within a directory in byte order of the paths.
    pub entries: Vec<Result<InputFile, InputFailure>>,
    /// Directories with files of other extensions, and how many of them each has.
    pub ignored: Vec<(PathBuf, usize)>,
}

/// Two files whose structures would be called the same.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{} and {} would both be called {name:?}; give one of them", .first.display(), .second.display())]
pub struct DuplicateName {
    /// The name.
    pub name: String,
    /// The file found first.
    pub first: PathBuf,
    /// The other.
    pub second: PathBuf,
}

/// Finds the files under `paths`. A file that is named is taken whatever its extension, a packed data set for all of
/// its structures; directories are walked to their end, links followed, and files of [`EXTENSIONS`] taken.
///
/// # Errors
/// Where two files would have one name. What does not exist or cannot be read is an entry of its own instead.
///
/// ```
/// use prism_host::inputs::{DuplicateName, EXTENSIONS, discover};
/// use prism_host::read::ReadOptions;
/// use std::path::Path;
///
/// assert!(EXTENSIONS.contains(&"pdb") && !EXTENSIONS.contains(&"md"));
/// let inputs = discover(["../data", "no/such/file.cif"])?;
/// assert!(!inputs.has_packed() && inputs.ignored[0].0 == Path::new("../data")); // README.md is there, too
/// let [Ok(file), Err(failure)] = &inputs.entries[..] else { panic!("one file and one that is not") };
/// assert_eq!((file.name.as_str(), &*file.path), ("6m0j_rbd.pdb", Path::new("../data/6m0j_rbd.pdb")));
/// assert_eq!(failure.name, "no/such/file.cif");
/// println!("{}: {}", failure.name, failure.reason);
/// let read = file.read(&ReadOptions::default()).map_err(|failure| failure.reason)?;
/// assert_eq!(read.structure.n_residues(), 194);
///
/// let twice = discover(["../data", "../data/6m0j_rbd.pdb"]);
/// assert!(matches!(twice, Err(DuplicateName { name, .. }) if name == "6m0j_rbd.pdb"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discover<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Inputs, DuplicateName> {
    let mut inputs = Inputs::default();
    for path in paths {
        let path = path.as_ref();
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => inputs.walk(path),
            // Nothing is read of pipes and the like before their turn.
            Ok(metadata) if metadata.is_file() && Dataset::is_one(path) => inputs.open_dataset(path),
            Ok(metadata) => inputs.entries.push(named(path, metadata.len())),
            Err(error) => {
                inputs.entries.push(Err(InputFailure {
                    name: path.display().to_string(),
                    reason: error.to_string(),
                    no_protein: false,
                }));
            }
        }
    }
    let mut places: HashMap<&str, &Path> = HashMap::new();
    for file in inputs.entries.iter().flatten() {
        if let Some(first) = places.insert(&file.name, &file.path) {
            return Err(DuplicateName { name: file.name.clone(), first: first.to_owned(), second: file.path.clone() });
        }
    }
    Ok(inputs)
}

impl Inputs {
    /// Heavy atoms of all, about, as their files' sizes say.
    ///
    /// ```
    /// use prism_host::inputs::discover;
    ///
    /// let atoms = discover(["../data/6m0j_rbd.pdb"])?.atoms_about();
    /// assert!((1_000..2_500).contains(&atoms), "{atoms} for 1,536");
    /// # Ok::<(), prism_host::inputs::DuplicateName>(())
    /// ```
    #[must_use]
    pub fn atoms_about(&self) -> usize {
        /// A line of a PDB file has 81, one of mmCIF somewhat more.
        const TEXT: u64 = 100;
        /// And what packed text takes for it.
        const GZIP: u64 = TEXT / 5;
        /// A packed structure has four numbers for an atom, and more for a residue.
        const PACKED: u64 = 20;
        let bytes_an_atom = |file: &InputFile| match file.path.extension() {
            _ if file.packed.is_some() => PACKED,
            Some(gz) if gz.eq_ignore_ascii_case("gz") => GZIP,
            _ => TEXT,
        };
        let atoms = self.entries.iter().flatten().map(|file| file.size / bytes_an_atom(file));
        usize::try_from(atoms.fold(0, u64::saturating_add)).unwrap_or(usize::MAX)
    }

    /// Whether any structure is of a packed data set.
    #[must_use]
    pub fn has_packed(&self) -> bool {
        self.entries.iter().flatten().any(|file| file.packed.is_some())
    }

    fn open_dataset(&mut self, path: &Path) {
        match Dataset::open(path) {
            Ok(dataset) => {
                let dataset = Arc::new(dataset);
                let structure = |index| InputFile {
                    name: dataset.name(index).to_owned(),
                    path: path.to_owned(),
                    size: dataset.bytes(index),
                    packed: Some((Arc::clone(&dataset), index)),
                };
                self.entries.extend((0..dataset.len()).map(structure).map(Ok));
            }
            Err(error) => {
                let name = path.display().to_string();
                self.entries.push(Err(InputFailure { name, reason: error.to_string(), no_protein: false }));
            }
        }
    }

    fn walk(&mut self, directory: &Path) {
        let mut ignored = 0;
        let mut found: Vec<(PathBuf, Result<(), String>)> = Vec::new();
        for entry in WalkDir::new(directory).follow_links(true).min_depth(1) {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {}
                // Pipes and devices may have no end.
                Ok(entry) if entry.file_type().is_file() && is_structure(entry.path()) => {
                    found.push((entry.into_path(), Ok(())))
                }
                Ok(_) => ignored += 1,
                // A broken link to something that is no structure anyway.
                Err(error)
                    if error.path().is_some_and(|path| path.is_symlink() && !is_structure(path))
                        && error.loop_ancestor().is_none() =>
                {
                    ignored += 1
                }
                Err(error) => {
                    let path = error.path().unwrap_or(directory).to_owned();
                    found.push((path, Err(reason(&error))));
                }
            }
        }
        found.par_sort_by(|(a, _), (b, _)| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        // Asking for the size of each file takes longest.
        self.entries.par_extend(found.into_par_iter().map(|(path, found)| {
            let name = structure_name(path.strip_prefix(directory).unwrap_or(&path));
            match found {
                Ok(()) => {
                    let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
                    Ok(InputFile { name, path, size, packed: None })
                }
                Err(reason) => Err(InputFailure { name, reason, no_protein: false }),
            }
        }));
        if ignored > 0 {
            self.ignored.push((directory.to_owned(), ignored));
        }
    }
}

fn reason(error: &walkdir::Error) -> String {
    match (error.loop_ancestor(), error.io_error()) {
        (Some(ancestor), _) => format!("is a link back to {}", ancestor.display()),
        (_, Some(io)) => io.to_string(),
        _ => error.to_string(),
    }
}

/// A file that was named itself.
fn named(path: &Path, size: u64) -> Result<InputFile, InputFailure> {
    let name = structure_name(path.file_name().map_or(path, Path::new));
    if extension(path).as_deref() == Some("bcif") {
        let reason = "BinaryCIF is not supported; use the .cif or .pdb file".to_owned();
        return Err(InputFailure { name, reason, no_protein: false });
    }
    if extension(path).as_deref() == Some("arrow") {
        return Err(InputFailure { name, reason: DatasetError::NotArrow.to_string(), no_protein: false });
    }
    Ok(InputFile { name, path: path.to_owned(), size, packed: None })
}

/// The path as text, `/` between its parts, without `.gz`. Bytes that are no text are written `\xFF`, so that names that
/// differ are told apart.
fn structure_name(path: &Path) -> String {
    let text = |part: &std::ffi::OsStr| {
        let chunks = part.as_encoded_bytes().utf8_chunks();
        let chunk = |chunk: std::str::Utf8Chunk| {
            let rest: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}")).collect();
            format!("{}{rest}", chunk.valid())
        };
        chunks.map(chunk).collect::<String>()
    };
    let parts: Vec<_> = path.iter().map(text).collect();
    let mut name = parts.join("/");
    if is_gzip(path) {
        name.truncate(name.len() - ".gz".len());
    }
    name
}

fn is_structure(path: &Path) -> bool {
    extension(path).is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// The extension in lower case, that before `.gz` where there is one.
fn extension(path: &Path) -> Option<String> {
    let extension = if is_gzip(path) { Path::new(path.file_stem()?).extension() } else { path.extension() };
    Some(extension?.to_string_lossy().to_ascii_lowercase())
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
        let folder = folder(&["b.pdb", "sub/a.cif.gz", "B.ENT", "a.mmCIF.GZ", "notes.txt", "sub/x.bcif", "a.pdb.bak"]);
        let inputs = discover([folder.path()]).unwrap();
        assert_eq!(names(&inputs), ["B.ENT", "a.mmCIF", "b.pdb", "sub/a.cif"]);
        assert_eq!(inputs.ignored, [(folder.path().to_owned(), 3)]);
    }

    #[test]
    fn named_files_are_taken_but_binary_cif() {
        let folder = folder(&["x.bcif", "x.txt", "y.bcif.gz"]);
        let paths = ["x.txt", "x.bcif", "y.bcif.gz", "missing.pdb"].map(|file| folder.path().join(file));
        let inputs = discover(&paths).unwrap();
        assert_eq!(inputs.entries[0].as_ref().unwrap().name, "x.txt");
        assert!(inputs.entries[1].as_ref().unwrap_err().reason.starts_with("BinaryCIF is not supported"));
        assert!(inputs.entries[2].as_ref().unwrap_err().reason.starts_with("BinaryCIF is not supported"));
        assert!(inputs.entries[3].as_ref().unwrap_err().name.ends_with("missing.pdb"));
    }

    #[test]
    fn one_name_for_two_files_is_refused() {
        let folder = folder(&["a/x.pdb", "b/x.pdb.gz"]);
        let (first, second) = (folder.path().join("a/x.pdb"), folder.path().join("b"));
        let error = discover([&first, &second]).unwrap_err();
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
        assert!(inputs.entries[0].as_ref().unwrap_err().reason.starts_with("is a link back to"));
        assert!(inputs.entries[3].is_err());
        assert_eq!(inputs.ignored[0].1, 1);
    }
}
