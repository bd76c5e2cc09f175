//! The set of input files.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;
use tempfile::TempDir;
use tests::copies::PdbFile;

/// Parses the number of files of a set, the value of `--structures`.
pub fn count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| "give a number above 0".to_owned())
}

/// Copies of one chain's file in their own folder.
pub struct FileSet {
    pub folder: PathBuf,
    /// Number of files.
    pub len: usize,
    /// A temporary folder is removed with the set.
    _temporary: Option<TempDir>,
}

impl FileSet {
    /// Writes the files that do not exist yet. A named folder keeps its files; sets of different sizes have different
    /// subfolders.
    pub fn new(named: Option<&Path>, len: usize) -> Result<Self> {
        let temporary = match named {
            Some(_) => None,
            None => Some(temporary(&std::env::temp_dir(), "prism-files-")?),
        };
        let above = temporary.as_ref().map_or_else(|| named.unwrap_or(Path::new(".")), TempDir::path);
        let folder = above.join(format!("{len}-copies"));
        if !folder.is_dir() {
            let begin = Instant::now();
            // The folder gets its final name when it is complete.
            let unfinished = above.join(format!("{len}-copies.unfinished"));
            fs::create_dir_all(&unfinished).with_context(|| format!("cannot make {}", unfinished.display()))?;
            let bytes = write(&unfinished, len)?;
            fs::rename(&unfinished, &folder).with_context(|| format!("cannot make {}", folder.display()))?;
            let seconds = begin.elapsed().as_secs_f64();
            println!("wrote {len} files, {:.2} GB, in {seconds:.1} s", bytes as f64 / 1e9);
        }
        Ok(Self { folder, len, _temporary: temporary })
    }

    /// Links the files `times` times under other names, in subfolders of a new folder beside the set.
    pub fn repeated(&self, times: usize) -> Result<TempDir> {
        let parent = self.folder.parent().unwrap_or(Path::new("."));
        let all = temporary(parent, "prism-links-")?;
        for time in 0..times {
            let folder = all.path().join(time.to_string());
            fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            for index in 0..self.len {
                let (from, to) = (self.folder.join(name(index)), folder.join(name(index)));
                fs::hard_link(&from, &to).with_context(|| format!("cannot link {}", to.display()))?;
            }
        }
        Ok(all)
    }
}

fn temporary(parent: &Path, prefix: &str) -> Result<TempDir> {
    let made = tempfile::Builder::new().prefix(prefix).tempdir_in(parent);
    made.with_context(|| format!("cannot make a folder in {}", parent.display()))
}

fn name(index: usize) -> String {
    format!("copy-{index:06}.pdb")
}

/// Writes all files with all cores. Returns their size in bytes.
fn write(folder: &Path, len: usize) -> Result<u64> {
    let file = PdbFile::shipped();
    let threads = thread::available_parallelism().map_or(1, |cores| cores.get());
    let share = |thread: usize| {
        let mut bytes = 0;
        for index in (thread..len).step_by(threads) {
            let (path, text) = (folder.join(name(index)), file.copy(index));
            fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
            bytes += text.len() as u64;
        }
        anyhow::Ok(bytes)
    };
    let share = &share;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|bytes| bytes.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).sum()
    })
}
