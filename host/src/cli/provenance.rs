//! The provenance of a table, stored in it or beside it.

use super::args::ProvenanceArgs;
use super::failure::Failure;
use prism_host::engine::Engine;
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::output::{OutputError, Provenance, check_place, write_whole};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use shared_types::MegaFusedConfig;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Digests of the input files, if requested.
#[derive(Default)]
pub struct Digests(Vec<(PathBuf, Result<String, std::io::Error>)>);

impl Digests {
    /// Reads each file with inputs once.
    pub fn of(args: &ProvenanceArgs, entries: &[Result<InputFile, InputFailure>]) -> Self {
        if !args.digests {
            return Self::default();
        }
        let paths: BTreeSet<&Path> =
            entries.iter().flatten().filter(|file| !file.is_read_once()).map(|file| file.path.as_path()).collect();
        let paths: Vec<&Path> = paths.into_iter().collect();
        Self(paths.into_par_iter().map(|path| (path.to_owned(), digest_of(path))).collect())
    }

    /// The digest of the list of all digests, which has a line per file as `sha256sum` writes it.
    fn together(&self) -> Option<String> {
        let mut all = Sha256::new();
        for (path, digest) in &self.0 {
            let digest = digest.as_deref().unwrap_or("unreadable");
            all.update(format!("{digest}  {}\n", path.display()));
        }
        (!self.0.is_empty()).then(|| hexadecimal(&all.finalize()))
    }

    fn json(&self) -> Value {
        let file = |(path, digest): &(PathBuf, Result<String, std::io::Error>)| match digest {
            Ok(digest) => json!({ "path": path.display().to_string(), "sha256": digest }),
            Err(error) => json!({ "path": path.display().to_string(), "error": error.to_string() }),
        };
        self.0.iter().map(file).collect()
    }
}

pub fn digest_of(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            read => hash.update(&buffer[..read]),
        }
    }
}

/// Bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the command was given, which is not what this process was given where another program runs it.
static ARGUMENTS: Mutex<Vec<OsString>> = Mutex::new(Vec::new());

/// Keeps the arguments of the command, the first of which is the program's name.
pub fn remember(arguments: &[OsString]) {
    *ARGUMENTS.lock().unwrap_or_else(PoisonError::into_inner) = arguments.to_vec();
}

/// The command line. Arguments are quoted if a shell requires it.
fn command_line() -> String {
    command_of(|argument| argument.to_string_lossy().into_owned())
}

/// The command line with names of files and folders in place of their paths.
pub fn command_without_folders() -> String {
    command_of(|argument| {
        let text = argument.to_string_lossy().into_owned();
        match text.split_once('=').filter(|(option, _)| option.starts_with('-')) {
            Some((option, path)) => format!("{option}={}", name_of(Path::new(path))),
            None => name_of(Path::new(argument)),
        }
    })
}

/// The name of a file or folder: the last part of its path, or the path itself where it has none (`..`).
pub fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The command line, with each argument as `text` writes it.
fn command_of(text: impl Fn(&OsString) -> String) -> String {
    let plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./,=:+@%".contains(c));
    let quoted = |argument: &OsString| {
        let text = text(argument);
        if plain(&text) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    let mut words = vec!["prism".to_owned()];
    let arguments = ARGUMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    words.extend(arguments.iter().skip(1).map(quoted));
    words.join(" ")
}

/// A digest of the built-in kernels.
pub fn kernels() -> String {
    hexadecimal(&Sha256::digest(kernels_gpu::PTX))
}

/// The provenance for the tables of this run.
pub fn of_run(config: MegaFusedConfig, engine: &Engine, digests: &Digests) -> Provenance {
    let mut provenance = without_engine(config, digests);
    let own = [("prism.backend", engine.backend_name().to_owned()), ("prism.ptx_sha256", kernels())];
    provenance.more.splice(1..1, own);
    provenance
}

/// The same of a run that computes without kernels.
pub fn without_engine(config: MegaFusedConfig, digests: &Digests) -> Provenance {
    let mut more = vec![("prism.command", command_line())];
    more.extend(digests.together().map(|digest| ("prism.inputs_sha256", digest)));
    Provenance { config, more }
}

/// Writes the file of `--provenance`, if requested.
pub fn write(args: &ProvenanceArgs, provenance: &Provenance, digests: &Digests) -> Result<(), OutputError> {
    let Some(path) = &args.provenance else { return Ok(()) };
    let entries = provenance.entries().into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
    let mut all: Map<String, Value> = entries.collect();
    if args.digests {
        all.insert("inputs".to_owned(), digests.json());
    }
    write_whole(path, format!("{:#}\n", Value::from(all)).as_bytes())
}

/// Checks before the run that this file can be written.
pub fn check(args: &ProvenanceArgs) -> Result<(), Failure> {
    args.provenance.as_deref().map_or(Ok(()), |path| Ok(check_place(path)?))
}
