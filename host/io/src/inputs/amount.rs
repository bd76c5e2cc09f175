//! How much work inputs are, by the sizes of their files.

use super::{InputFile, Inputs, Source};
use prism_read::COMPRESSED;

/// About half as many heavy atoms as [`Inputs::atoms_about`] finds, but sooner: it lists a folder without those in it, asks for
/// the sizes of a few of its files, and does not open data sets. From `enough` on it counts no further.
pub fn atoms_at_first_sight<P: AsRef<std::path::Path>>(paths: impl IntoIterator<Item = P>, enough: usize) -> usize {
    use super::{is_taken, named};
    use crate::dataset::Dataset;
    use std::path::Path;

    const SAMPLE: usize = 32;
    let enough = (enough as u64).saturating_mul(2);
    let of_file = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        let packed = metadata.is_file() && Dataset::is_one(path);
        Some(if packed { metadata.len() / PACKED } else { named(path, &metadata).ok()?.atoms_about() })
    };
    let of_folder = |path: &Path| {
        let files = std::fs::read_dir(path).ok()?.flatten().map(|file| file.path());
        let mut files = files.filter(|path| is_taken(path));
        let sample: Vec<_> = files.by_ref().take(SAMPLE).collect();
        let atoms: u64 = sample.iter().filter_map(|path| of_file(path)).sum();
        let mean = atoms / sample.len().max(1) as u64;
        // A large folder takes some milliseconds to list.
        let most = usize::try_from(enough / mean.max(1)).unwrap_or(usize::MAX);
        let count = (sample.len() + files.take(most.saturating_add(1)).count()) as u64;
        Some(mean.saturating_mul(count))
    };
    let of_path = |path: P| of_folder(path.as_ref()).or_else(|| of_file(path.as_ref()));
    let mut atoms = 0_u64;
    for path in paths {
        atoms = atoms.saturating_add(of_path(path).unwrap_or(0));
        if atoms >= enough {
            break;
        }
    }
    usize::try_from(atoms / 2).unwrap_or(usize::MAX)
}

/// Bytes per atom in a packed data set: four numbers, and its share of a residue's.
const PACKED: u64 = 20;

impl InputFile {
    /// Estimates the number of heavy atoms from the file's size.
    fn atoms_about(&self) -> u64 {
        /// Bytes per atom in text: 81 in PDB, somewhat more in mmCIF.
        const TEXT: u64 = 100;
        /// Bytes per atom in compressed text, which most archives hold.
        const COMPRESSED_TEXT: u64 = TEXT / 5;
        /// Bytes per atom in FoldComp.
        const TORSIONS: u64 = 2;
        let bytes_per_atom = match (&self.source, self.path.extension()) {
            (Source::Packed(..), _) => PACKED,
            (Source::Archive, _) => COMPRESSED_TEXT,
            (Source::Database, _) => TORSIONS,
            (_, Some(own)) if own.eq_ignore_ascii_case("fcz") => TORSIONS,
            (_, Some(own)) if COMPRESSED.iter().any(|one| own.eq_ignore_ascii_case(one)) => COMPRESSED_TEXT,
            _ => TEXT,
        };
        self.size / bytes_per_atom
    }
}

impl Inputs {
    /// Estimates the number of heavy atoms of all inputs from the sizes of their files.
    ///
    /// ```
    /// use prism_io::inputs::discover;
    ///
    /// let atoms = discover(["../../data/6m0j_rbd.pdb"])?.atoms_about();
    /// assert!((1_000..2_500).contains(&atoms), "{atoms} for 1,536");
    /// # Ok::<(), prism_io::inputs::DuplicateName>(())
    /// ```
    #[must_use]
    pub fn atoms_about(&self) -> usize {
        let atoms = self.entries.iter().flatten().map(InputFile::atoms_about);
        usize::try_from(atoms.fold(0, u64::saturating_add)).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::discover;
    use super::*;
    use std::path::Path;

    #[test]
    fn the_first_sight_is_half_of_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for file in 0..100 {
            std::fs::write(folder.path().join(format!("{file}.pdb")), [b' '; 40_000]).unwrap();
        }
        std::fs::write(folder.path().join("large.txt"), [b' '; 400_000]).unwrap();
        let whole = discover([folder.path()]).unwrap().atoms_about();
        let sight = |path: &Path| atoms_at_first_sight([path, Path::new("no/such/folder")], usize::MAX);
        assert_eq!((sight(folder.path()), whole), (whole / 2, 100 * 400));
        assert_eq!(sight(&folder.path().join("1.pdb")), 400 / 2);
        let soon = atoms_at_first_sight([folder.path()], 7_000);
        assert!((7_000..whole / 2).contains(&soon), "{soon}");
    }
}
