//! Indices of long files, which are kept between runs.

use prism_trajectory::{Frame, IndexFolder, Trajectory};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A trajectory of 1,200 frames of 9 atoms in a folder of its own.
struct Long {
    folder: TempDir,
    path: PathBuf,
    indices: IndexFolder,
}

impl Long {
    fn new(ending: &str) -> Self {
        let few = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(ending)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (path, indices) = (folder.path().join(ending), IndexFolder::new(folder.path().join("indices")));
        fs::write(&path, few.repeat(1200 / Trajectory::of_bytes("few", few.clone()).unwrap().n_frames())).unwrap();
        Self { folder, path, indices }
    }

    fn open(&self) -> Trajectory {
        Trajectory::open_indexed(&self.path, Some(&self.indices)).unwrap()
    }

    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path().join("indices"));
        entries.into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    }

    /// Changes a byte in the header of the frame in the middle. Time of change and size stay.
    fn change(&self) {
        let mut bytes = fs::read(&self.path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        self.rewrite(&bytes);
    }

    /// Replaces the contents, and keeps the time of the last change.
    fn rewrite(&self, bytes: &[u8]) {
        let modified = fs::metadata(&self.path).unwrap().modified().unwrap();
        fs::write(&self.path, bytes).unwrap();
        File::options().write(true).open(&self.path).unwrap().set_modified(modified).unwrap();
    }
}

fn frames(run: &Trajectory) -> Vec<(Option<u64>, Vec<[u32; 3]>)> {
    let mut frame = Frame::default();
    let read = |index: usize| {
        run.read(index, usize::MAX, &mut frame).unwrap();
        (run.time(index).map(f64::to_bits), frame.positions.iter().map(|position| position.map(f32::to_bits)).collect())
    };
    (0..run.n_frames()).map(read).collect()
}

#[test]
fn a_kept_index_gives_the_same_frames_without_a_look_at_each() {
    for ending in ["few.xtc", "double.trr", "small.gro"] {
        let long = Long::new(ending);
        let first = long.open();
        assert_eq!((first.n_frames(), long.kept().len()), (1200, 1), "{ending}");
        let again = long.open();
        assert_eq!(
            (again.n_atoms(), again.without_positions(), again.damage()),
            (first.n_atoms(), first.without_positions(), None)
        );
        assert!(frames(&again) == frames(&first), "{ending}");
    }
    // Half of the file is beyond the bytes that are compared, and the frame there begins with its middle.
    let long = Long::new("few.xtc");
    assert_eq!(long.open().n_frames(), 1200);
    long.change();
    let run = long.open();
    assert_eq!((run.n_frames(), run.damage()), (1200, None), "its headers are not read again");
    assert!(run.read(600, usize::MAX, &mut Frame::default()).is_err());
    assert_eq!(Trajectory::open(&long.path).unwrap().n_frames(), 600, "without an index they are");
}

#[test]
fn an_index_of_another_state_is_not_used() {
    let damaged = |change: &dyn Fn(&Long)| {
        let long = Long::new("few.xtc");
        assert_eq!(long.open().n_frames(), 1200);
        long.change();
        change(&long);
        assert_eq!(long.open().n_frames(), 600);
    };
    let file = |long: &Long| File::options().write(true).open(&long.path).unwrap();
    damaged(&|long| file(long).set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap());
    damaged(&|long| {
        let bytes = fs::read(&long.path).unwrap();
        long.rewrite(&bytes[..bytes.len() - 1]);
    });
    // The time of the first frame.
    damaged(&|long| {
        let mut bytes = fs::read(&long.path).unwrap();
        bytes[12] ^= 1;
        long.rewrite(&bytes);
    });
    // An index that is damaged or cut off itself.
    damaged(&|long| {
        let mut bytes = fs::read(&long.kept()[0]).unwrap();
        bytes[100] ^= 1;
        fs::write(&long.kept()[0], bytes).unwrap();
    });
    damaged(&|long| {
        let bytes = fs::read(&long.kept()[0]).unwrap();
        fs::write(&long.kept()[0], &bytes[..bytes.len() - 16]).unwrap();
    });
}

#[test]
fn a_damaged_file_is_walked_through_each_time() {
    let long = Long::new("few.xtc");
    let whole = fs::read(&long.path).unwrap();
    fs::write(&long.path, &whole[..whole.len() - 10]).unwrap();
    assert!(long.open().damage().is_some() && long.kept().is_empty());
    fs::write(&long.path, &whole).unwrap();
    assert!(long.open().damage().is_none() && long.kept().len() == 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let long = Long::new("few.xtc");
    let run = Trajectory::open_indexed(&long.path, Some(&IndexFolder::new(long.path.join("x")))).unwrap();
    assert_eq!(run.n_frames(), 1200);
}

#[test]
fn old_indices_leave() {
    let long = Long::new("few.xtc");
    let indices = long.folder.path().join("indices");
    fs::create_dir(&indices).unwrap();
    for number in 0..300 {
        let path = indices.join(format!("{number}.frames"));
        fs::write(&path, "").unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + number);
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }
    long.open();
    assert_eq!(long.kept().len(), 256);
    assert!(!indices.join("0.frames").exists() && indices.join("299.frames").exists());
    assert_eq!(long.open().n_frames(), 1200);
}
