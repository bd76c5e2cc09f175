//! Outputs that are a text for each structure: on standard output, in a file, or in a folder.

use super::failure::Failure;
use anyhow::anyhow;
use prism_host::inputs::{InputFile, stem};
use prism_host::output::write_whole;
use std::collections::{HashMap, HashSet};
use std::io::{Write as _, stdout};
use std::path::{Component, Path, PathBuf};

/// Makes a folder if it does not exist.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::work(anyhow!("{}: cannot be made: {error}", folder.display())))
}

/// Where files go.
pub enum To {
    StandardOutput,
    File(PathBuf),
    Folder(PathBuf, Names),
}

/// The names of files in a folder: those of structures without extensions, or with them if that would give a name twice.
pub struct Names {
    twice: HashSet<PathBuf>,
    extension: &'static str,
}

impl Names {
    /// The names of some inputs' files.
    pub fn of<'a>(inputs: impl Iterator<Item = &'a InputFile>, extension: &'static str) -> Self {
        let mut seen = HashSet::new();
        let names = inputs.map(|input| short(&input.name, extension));
        Self { twice: names.filter(|name| !seen.insert(name.clone())).collect(), extension }
    }

    /// The file of a structure, relative to the folder.
    pub fn get(&self, name: &str) -> PathBuf {
        let short = short(name, self.extension);
        if self.twice.contains(&short) { long(name, self.extension) } else { short }
    }
}

/// The path of a structure's file in the folder.
fn long(name: &str, extension: &str) -> PathBuf {
    let mut path: PathBuf = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    path.as_mut_os_string().push(format!(".{extension}"));
    path
}

fn short(name: &str, extension: &str) -> PathBuf {
    let path = Path::new(name);
    long(&path.with_file_name(stem(path)).to_string_lossy(), extension)
}

/// The files that are written, a text for each structure.
pub struct Texts {
    to: To,
    /// The structures whose files are written, by those.
    written: HashMap<PathBuf, String>,
}

impl Texts {
    pub fn new(to: To) -> Self {
        Self { to, written: HashMap::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        match &self.to {
            To::StandardOutput => PathBuf::from("-"),
            To::File(file) => file.clone(),
            To::Folder(folder, names) => folder.join(names.get(name)),
        }
    }

    /// Keeps the file of an earlier run, if there is one that is no other structure's. Returns whether it did.
    pub fn keep(&mut self, name: &str) -> bool {
        let path = self.path(name);
        let is_there = !self.written.contains_key(&path) && path.is_file();
        if is_there {
            self.written.insert(path, name.to_owned());
        }
        is_there
    }

    /// Writes the text of a structure.
    pub fn write(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.path(name);
        if let Some(first) = self.written.get(&path) {
            let advice = match self.to {
                To::Folder(..) => "give the structures other names (--name-by path)",
                _ => "a file holds one structure: give a folder, ending with /",
            };
            return Err(Failure::work(anyhow!("{name}: its text would replace that of {first}; {advice}")));
        }
        match self.to {
            To::StandardOutput => stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush())?,
            To::File(_) => write_whole(&path, text.as_bytes())?,
            To::Folder(..) => {
                if let Some(folder) = path.parent() {
                    make_folder(folder)?;
                }
                write_whole(&path, text.as_bytes())?;
            }
        }
        self.written.insert(path, name.to_owned());
        Ok(())
    }
}
