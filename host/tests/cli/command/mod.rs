//! Runs the `prism` command in an empty folder.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output, Stdio};

pub fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/6m0j_rbd.pdb")
}

pub fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Three helices that wind around each other.
pub fn trimer() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1jcd.pdb.gz")
}

/// Ubiquitin's atoms as a predictor writes them: after `head`, with B columns by residue and by atom within the residue, from 0.
pub fn predicted(head: &str, b: impl Fn(i32, usize) -> f64) -> String {
    let text = fs::read_to_string(shipped("1ubq.pdb")).unwrap();
    let (mut last, mut atom) = (0, 0);
    let lines = text.lines().filter(|line| line.starts_with("ATOM")).map(|line| {
        let number: i32 = line[22..26].trim().parse().unwrap();
        atom = if number == last { atom + 1 } else { 0 };
        last = number;
        format!("{}{:6.2}{}\n", &line[..60], b(number, atom), &line[66..])
    });
    let atoms: String = lines.collect();
    format!("{head}{atoms}TER\nEND\n")
}

/// Copies made predictions in the layout of a predictor.
pub fn predictions(run: &Run, layout: &str, to: &str) {
    for entry in fs::read_dir(shipped("predictions").join(layout)).unwrap() {
        let path = entry.unwrap().path();
        run.copy(&path, &format!("{to}{}", path.file_name().unwrap().to_str().unwrap()));
    }
}

/// A PDB file whose atoms all have the chain id A.
pub fn with_one_chain_id(text: &str) -> String {
    let line = |line: &str| match line.starts_with("ATOM") {
        true => format!("{}A{}\n", &line[..21], &line[22..]),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A folder in which `prism` is run.
pub struct Run {
    folder: tempfile::TempDir,
}

pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        Self { status: output.status.code().unwrap_or(-1), stdout, stderr }
    }
}

impl Outcome {
    /// Asserts the status, and that words are in the standard error.
    #[track_caller]
    pub fn says(&self, status: i32, words: &str) {
        assert_eq!(self.status, status, "{}", self.stderr);
        assert!(self.stderr.contains(words), "{words:?} is missing in: {}", self.stderr);
    }
}

impl Run {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    pub fn copy(&self, from: &Path, name: &str) {
        self.put(name, fs::read(from).unwrap());
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prism"));
        command.current_dir(self.folder.path()).args(arguments).env_remove("RUST_LOG").stdin(Stdio::null());
        // Nothing is left in the user's folders.
        command.env("PRISM_CACHE", "");
        command
    }

    pub fn prism(&self, arguments: &[&str]) -> Outcome {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs `prism features --backend cpu`.
    pub fn features(&self, arguments: &[&str]) -> Outcome {
        self.prism(&[&["features", "--backend", "cpu"], arguments].concat())
    }

    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Sends a signal to a run.
#[cfg(unix)]
pub fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// The values of a column in CSV text.
pub fn column(csv: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let index = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|record| record.unwrap()[index].to_owned()).collect()
}

pub fn names(csv: &str) -> Vec<String> {
    let mut names = column(csv, "structure");
    names.dedup();
    names
}
