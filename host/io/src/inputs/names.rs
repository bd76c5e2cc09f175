//! Names of files and structures, and what file names tell about their content.

use super::{DuplicateName, EXTENSIONS, InputFailure, InputFile, Source};
use prism_read::{self, COMPRESSED};
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path};

/// How a file's structure is named.
///
/// ```
/// use prism_io::inputs::{NameBy, discover_by};
///
/// let name = |by| discover_by(["../../data/6m0j_rbd.pdb"], by, "stdin").unwrap().entries.remove(0).unwrap().name;
/// assert_eq!(name(NameBy::Shortest), "6m0j_rbd.pdb");
/// assert_eq!(name(NameBy::Path), "../../data/6m0j_rbd.pdb");
/// assert_eq!(name(NameBy::Stem), "6m0j_rbd");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameBy {
    /// As [`Name`](Self::Name). If several names would be equal, they include as many parent folders as needed to differ.
    #[default]
    Shortest,
    /// By the file's name; for a file found in a directory, by its path below the given directory.
    Name,
    /// By the path as given.
    Path,
    /// By the file's name without its extensions.
    Stem,
}

impl NameBy {
    /// Names files, which have their [`Name`](Self::Name) so far. Structures of data sets keep their names.
    pub fn name(
        self,
        entries: &mut [Result<InputFile, InputFailure>],
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Result<(), DuplicateName> {
        let files = entries.iter_mut().flatten();
        for file in files.filter(|file| matches!(file.source, Source::File | Source::Archive | Source::Database)) {
            match self {
                Self::Shortest | Self::Name => {}
                Self::Path => file.name = path_name(&file.path),
                Self::Stem => file.name = stem(&file.path),
            }
        }
        let mut files: Vec<&mut InputFile> = entries.iter_mut().flatten().collect();
        match (first_duplicate(&files, is_taken), self) {
            (None, _) => Ok(()),
            (Some(_), Self::Shortest) => {
                tell_apart(&mut files, is_taken)?;
                first_duplicate(&files, is_taken).map_or(Ok(()), Err)
            }
            (Some(duplicate), _) => Err(duplicate),
        }
    }
}

/// The first file that has the name of one before it, or one that is taken.
fn first_duplicate(files: &[&mut InputFile], is_taken: &dyn Fn(&str) -> bool) -> Option<DuplicateName> {
    let mut known: HashMap<&str, &Path> = HashMap::with_capacity(files.len());
    files.iter().find_map(|file| {
        let first =
            known.insert(&file.name, &file.path).or_else(|| is_taken(&file.name).then(|| Path::new(ANOTHER)))?;
        Some(duplicate(&file.name, first, &file.path))
    })
}

/// Stands in errors for an input whose path is not known any more, or that has none.
const ANOTHER: &str = "another input";

fn duplicate(name: &str, first: &Path, second: &Path) -> DuplicateName {
    DuplicateName { name: name.to_owned(), first: first.to_owned(), second: second.to_owned() }
}

/// Adds parts of the paths to equal names, and to those that are taken.
fn tell_apart(files: &mut [&mut InputFile], is_taken: &dyn Fn(&str) -> bool) -> Result<(), DuplicateName> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        places.entry(&file.name).or_default().push(index);
    }
    let is_equal = |(name, group): (&str, Vec<usize>)| (group.len() > 1 || is_taken(name)).then_some(group);
    let mut groups: Vec<Vec<usize>> = places.into_iter().filter_map(is_equal).collect();
    groups.sort();
    let mut known: HashSet<String> = files.iter().map(|file| file.name.clone()).collect();
    for group in groups {
        let same = |files: &[&mut InputFile]| {
            let first = &files[group[0]];
            match group.get(1) {
                Some(&second) => duplicate(&first.name, &first.path, &files[second].path),
                None => duplicate(&first.name, Path::new(ANOTHER), &first.path),
            }
        };
        if group.iter().any(|&index| matches!(files[index].source, Source::Packed(..) | Source::StandardInput)) {
            return Err(same(files));
        }
        let paths: Vec<String> = group.iter().map(|&index| path_name(&files[index].path)).collect();
        let parts = |text: &str| text.matches('/').count() + 1;
        let (least, most) = (parts(&files[group[0]].name) + 1, paths.iter().map(|path| parts(path)).max().unwrap_or(0));
        let by_parts = |paths: &[String], count: usize| {
            let names: Vec<&str> = paths.iter().map(|path| last_parts(path, count)).collect();
            let distinct: HashSet<&str> = names.iter().copied().collect();
            // One of the files may keep the short name if no other does.
            let own = &files[group[0]].name;
            let fresh = names.iter().all(|name| (name == own || !known.contains(*name)) && !is_taken(name));
            (distinct.len() == names.len() && fresh).then(|| names.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        let whole = || group.iter().map(|&index| whole_path(&files[index].path)).collect::<Vec<_>>();
        // In one folder the extension of a compression tells them apart.
        let names = (least..=most)
            .find_map(|count| by_parts(&paths, count))
            .or_else(|| (least - 1..=most).find_map(|count| by_parts(&whole(), count)));
        for (&index, name) in group.iter().zip(names.ok_or_else(|| same(files))?) {
            known.insert(name.clone());
            files[index].name = name;
        }
    }
    Ok(())
}

/// The last `count` parts of a path, or all if it has fewer.
fn last_parts(path: &str, count: usize) -> &str {
    path.rmatch_indices('/').nth(count - 1).map_or(path, |(at, _)| &path[at + 1..])
}

/// The path as text with `/` as separator, without the extension of a compression. Bytes that are not UTF-8 are written as
/// `\xFF`, so different paths keep different names.
pub(crate) fn structure_name(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(text).collect();
    without_compression(parts.join("/"))
}

/// The complete path in the same form.
fn path_name(path: &Path) -> String {
    without_compression(whole_path(path))
}

/// The same with the extension of a compression.
fn whole_path(path: &Path) -> String {
    let parts = path.components().filter(|part| !matches!(part, Component::CurDir));
    let name = parts.map(|part| if part == Component::RootDir { String::new() } else { text(part.as_os_str()) });
    name.collect::<Vec<_>>().join("/")
}

fn text(part: &std::ffi::OsStr) -> String {
    as_text(part.as_encoded_bytes())
}

/// Bytes as text; bytes that are not UTF-8 as `\xFF`.
pub(super) fn as_text(bytes: &[u8]) -> String {
    let chunk = |chunk: std::str::Utf8Chunk| {
        let rest: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}")).collect();
        format!("{}{rest}", chunk.valid())
    };
    bytes.utf8_chunks().map(chunk).collect()
}

pub(super) fn without_compression(mut name: String) -> String {
    if let Some(extension) = compression(&name) {
        name.truncate(name.len() - extension.len() - 1);
    }
    name
}

/// The extension of a compression at the end of a name.
fn compression(name: &str) -> Option<&'static str> {
    let (stem, last) = name.rsplit_once('.')?;
    let known = COMPRESSED.into_iter().find(|extension| last.eq_ignore_ascii_case(extension));
    known.filter(|_| !stem.is_empty())
}

/// A file's name without its folder and extensions: its name by [`NameBy::Stem`].
#[must_use]
pub fn stem(path: &Path) -> String {
    let name = structure_name(path.file_name().map_or(path, Path::new));
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && is_known(&extension.to_ascii_lowercase()) => stem.to_owned(),
        _ => name,
    }
}

fn is_known(extension: &str) -> bool {
    is_structures(extension) || TOPOLOGIES.contains(&extension) || matches!(extension, "tar" | "zip")
}

/// Extensions of topologies that are no structures by themselves. AMBER's end with `top`, too.
const TOPOLOGIES: [&str; 5] = ["gro", "psf", "prmtop", "parm7", "top"];

/// Whether an extension is a structure's. Those of assemblies are `pdb1` and so on.
fn is_structures(extension: &str) -> bool {
    EXTENSIONS.contains(&extension) || matches!(extension.as_bytes(), [b'p', b'd', b'b', b'1'..=b'9'])
}

/// Whether a file name is a structure's.
pub(super) fn is_structure(path: &Path) -> bool {
    extension(path).is_some_and(|extension| is_structures(&extension))
}

/// Whether a file name is an archive's.
pub(super) fn is_archive(path: &Path) -> bool {
    const ENDS: [&str; 7] = ["tar", "tgz", "tzst", "tbz", "tbz2", "txz", "zip"];
    extension(path).is_some_and(|extension| ENDS.contains(&extension.as_str()))
}

/// The extension in lower case, without that of a compression.
pub(super) fn extension(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let name = match compression(&name) {
        Some(extension) => &name[..name.len() - extension.len() - 1],
        None => &name,
    };
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension.to_ascii_lowercase())
}

/// Why a known format is not supported, and what to do.
pub(super) fn refused_format(path: &Path) -> Option<&'static str> {
    let reason = match extension(path).as_deref() {
        Some("gro") => prism_read::GRO,
        Some("mmtf") => "MMTF is not supported, and no longer published: fetch the .bcif.gz or .cif.gz file",
        Some("xml") => prism_read::PDBML,
        Some("mmjson") => prism_read::MMJSON,
        Some("mol2" | "sdf" | "mol" | "smi") => prism_read::SMALL_MOLECULE,
        Some("tpr") => prism_read::TPR,
        Some("xtc" | "trr" | "dcd" | "nc") => prism_read::TRAJECTORY,
        _ => return None,
    };
    Some(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_those_before_the_compression() {
        let of = |name: &str| extension(Path::new(name));
        assert_eq!(of("a/x.PDB.GZ").as_deref(), Some("pdb"));
        assert_eq!(of("x.cif.zst").as_deref(), Some("cif"));
        assert_eq!((of("x.gz"), of("noext"), of(".pdb")), (None, None, None));
        assert!(
            is_archive(Path::new("x.tar.xz")) && is_archive(Path::new("x.TGZ")) && !is_archive(Path::new("tar.pdb"))
        );
    }

    #[test]
    fn stems_lose_known_extensions_alone() {
        for (path, expected) in [
            ("a/AF-X-model_v4.cif.gz", "AF-X-model_v4"),
            ("x.1.pdb", "x.1"),
            ("x.final", "x.final"),
            ("shard.tar", "shard"),
            ("adk.psf", "adk"),
            ("x.prmtop", "x"),
            ("x.parm7.gz", "x"),
            ("run.GRO", "run"),
            ("x.top", "x"),
        ] {
            assert_eq!(stem(Path::new(path)), expected);
        }
    }

    #[test]
    fn files_keep_the_format_that_their_names_tell() {
        use prism_read::ReadOptions;
        // Charges and radii in the columns of occupancy and B factor, none of them negative: only the name says that it is PQR.
        let text = "ATOM      1  CA  GLY A   1       1.000   2.000   3.000  0.25  1.70\nEND\n";
        let folder = tempfile::tempdir().unwrap();
        for file in ["x.pqr", "x.PQR.gz", "x.pdb"] {
            std::fs::write(folder.path().join(file), text).unwrap();
        }
        let b_factors = |file: &str, by| {
            let file =
                super::super::discover_by([folder.path().join(file)], by, "-").unwrap().entries.remove(0).unwrap();
            let mut all = file.read_all(&ReadOptions::default());
            all.push(file.read(&ReadOptions::default()));
            all.into_iter().map(|read| read.unwrap().structure.bfactor[0]).collect::<Vec<f32>>()
        };
        for by in [NameBy::Stem, NameBy::Name, NameBy::Path] {
            for file in ["x.pqr", "x.PQR.gz"] {
                assert!(b_factors(file, by).iter().all(|b| b.is_nan()), "{file} by {by:?}");
            }
            assert_eq!(b_factors("x.pdb", by), [1.7, 1.7], "{by:?}");
        }
    }

    #[test]
    fn paths_keep_their_roots() {
        assert_eq!(path_name(Path::new("/data/./x.pdb.gz")), "/data/x.pdb");
        assert_eq!(path_name(Path::new("./a/../x.pdb")), "a/../x.pdb");
        assert_eq!((last_parts("a/b/c", 1), last_parts("a/b/c", 2), last_parts("a/b/c", 9)), ("c", "b/c", "a/b/c"));
    }
}
