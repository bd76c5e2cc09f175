//! The inputs of a run, in their order.

use crate::atoms::{Atoms, numbers};
use crate::ending::Asking;
use crate::engine::Opening;
use crate::names::{Name, Names, Warnings};
use crate::options::Reading;
use crate::process::RunError;
use prism_host::inputs::{self, Clashes, InputFailure, InputFile, Inputs};
use prism_host::pipeline::{Batch, Cancel, StructureFiles};
use prism_host::run::{BatchSource, Run};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyIterator;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An input.
#[derive(FromPyObject)]
pub enum Item {
    /// Atoms, and their positions: `float64`, x, y and z of each, in Å.
    Atoms(Name, Py<Atoms>, PyBackedBytes),
    /// A structure's name, and its bytes as a file would have them.
    Memory(Name, PyBackedBytes),
    /// The name of an input that could not be read, and why.
    Failed(Name, String),
    /// The name of an input in memory that another worker computes, and whether it is a file's content.
    Elsewhere(Name, bool),
    /// A file or a folder.
    Path(PathBuf),
}

/// Bytes of a Python object, without a copy.
struct Owned(PyBackedBytes);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Item {
    /// Its approximate size in bytes.
    fn size(&self) -> usize {
        match self {
            Self::Path(_) | Self::Failed(..) | Self::Elsewhere(..) => 0,
            Self::Memory(_, bytes) | Self::Atoms(_, _, bytes) => bytes.len(),
        }
    }
}

/// The inputs of a worker, and which names of all inputs may clash.
pub type Share = (Inputs, Arc<Clashes>);

/// Finds the files of all items, and leaves out those that other workers compute. `names` has the names of the run's earlier inputs.
///
/// # Errors
/// If two inputs would have the same name and nothing tells them apart, or an option does not apply to an input.
pub fn entries(items: Vec<Item>, reading: &Reading, names: &mut Names) -> Result<Share, String> {
    /// Of an item.
    enum Found {
        /// The number of files under a path.
        Files(usize),
        InMemory(InputFile),
        Failed(InputFailure),
        Elsewhere(String),
    }
    let (mut under_paths, mut found) = (Inputs::default(), Vec::with_capacity(items.len()));
    for item in items {
        found.push(match item {
            Item::Path(path) => {
                let before = under_paths.entries.len();
                under_paths.find(&path, "stdin");
                let files = under_paths.entries.len() - before;
                if files == 0 {
                    let text = format!("holds no structure files; the formats are {}", inputs::taken());
                    names.warnings.push(&path.display().to_string(), text);
                }
                Found::Files(files)
            }
            Item::Failed(name, reason) => {
                let name = names.give(&name, name.text());
                Found::Failed(InputFailure::new(&name, reason))
            }
            Item::Elsewhere(name, is_content) => {
                let file = is_content.then(|| InputFile::of_bytes(name.text(), bytes::Bytes::new()).name);
                Found::Elsewhere(names.give(&name, file.as_deref().unwrap_or(name.text())))
            }
            Item::Memory(name, bytes) => {
                let mut file = InputFile::of_bytes(name.text(), bytes::Bytes::from_owner(Owned(bytes)));
                file.name = names.give(&name, &file.name);
                Found::InMemory(file)
            }
            Item::Atoms(name, atoms, positions) => {
                let values = numbers(&positions, f64::from_ne_bytes);
                let positions: Vec<[f64; 3]> = values.as_chunks::<3>().0.to_vec();
                let unique = names.give(&name, name.text());
                Found::InMemory(InputFile::of_atoms(&unique, Arc::clone(&atoms.get().arrays), positions))
            }
        });
    }
    // After those in memory, because a file has folders to tell it from them.
    let named = under_paths.name_by(reading.name_by, |name| names.is_taken(name));
    named.map_err(|error| format!("{error} (name_by=\"path\")"))?;
    reading.check(&under_paths)?;
    for file in under_paths.entries.iter().flatten() {
        names.take(&file.name);
    }
    let in_memory = found.iter().filter_map(|item| match item {
        Found::InMemory(file) => Some(&file.name),
        Found::Elsewhere(name) => Some(name),
        Found::Files(_) | Found::Failed(_) => None,
    });
    let under = under_paths.entries.iter().flatten().map(|file| &file.name);
    let clashes = Arc::new(Clashes::among(under.chain(in_memory).map(String::as_str)));
    let mut files = under_paths.entries.into_iter().map(|file| (names.is_mine(), file));
    let mut all = Inputs { ignored: under_paths.ignored, ..Inputs::default() };
    for item in found {
        match item {
            Found::Files(count) => {
                let mine = files.by_ref().take(count).filter_map(|(is_mine, file)| is_mine.then_some(file));
                all.entries.extend(mine);
            }
            Found::InMemory(file) => all.entries.push(Ok(file)),
            Found::Failed(failure) => all.entries.push(Err(failure)),
            Found::Elsewhere(_) => {}
        }
    }
    Ok((all, clashes))
}

/// Why an iterator ended early.
#[derive(Clone, Default)]
pub struct Ended(Arc<Mutex<Option<PyErr>>>);

impl Ended {
    fn set(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Inputs of a Python iterator, only some of which are in memory at a time.
pub struct Lazy {
    iterator: Py<PyIterator>,
    /// An input that was taken but belongs to the next ones that are read together.
    next: Option<Item>,
    names: Names,
    pub ended: Ended,
}

/// Structures in memory that are read together: enough for all cores, and few enough that computing begins early.
const AT_ONCE: usize = 256;
/// Their bytes, roughly.
const BYTES_AT_ONCE: usize = 32 << 20;
/// After this time, those that a slow iterator has given are computed without waiting for more.
const PATIENCE: Duration = Duration::from_millis(200);

impl Lazy {
    pub fn new(iterator: Py<PyIterator>, names: Names) -> Self {
        Self { iterator, next: None, names, ended: Ended::default() }
    }

    /// Warnings about names.
    pub fn warnings(&self) -> Warnings {
        self.names.warnings.clone()
    }

    /// The next inputs: either all paths in a row, since they are named together, or some structures in memory. After a
    /// cancellation it takes at most one more.
    fn some(&mut self, cancel: &Cancel) -> Vec<Item> {
        let mut items: Vec<Item> = self.next.take().into_iter().collect();
        let mut bytes: usize = items.iter().map(Item::size).sum();
        let begin = Instant::now();
        // At the end of the program no more are taken.
        let Some(asking) = Asking::new() else { return Vec::new() };
        Python::attach(|py| {
            drop(asking);
            let mut iterator = self.iterator.bind(py).clone();
            while !cancel.is_cancelled() {
                let is_enough =
                    items.len() >= AT_ONCE || bytes >= BYTES_AT_ONCE || !items.is_empty() && begin.elapsed() > PATIENCE;
                if is_enough && !matches!(items.last(), Some(Item::Path(_))) {
                    break;
                }
                let item = match iterator.next() {
                    None => break,
                    Some(item) => match item.and_then(|item| item.extract::<Item>()) {
                        Ok(item) => item,
                        Err(error) => {
                            self.ended.set(error);
                            break;
                        }
                    },
                };
                let is_path = |item: &Item| matches!(item, Item::Path(_));
                if items.last().is_some_and(|last| is_path(last) != is_path(&item)) {
                    self.next = Some(item);
                    break;
                }
                bytes += item.size();
                items.push(item);
            }
        });
        items
    }

    /// All of them as batches.
    pub fn batches(
        mut self,
        reading: Reading,
        opening: Arc<Opening>,
        cancel: Cancel,
    ) -> impl Iterator<Item = Batch> + Send {
        let mut files: Option<BatchSource> = None;
        std::iter::from_fn(move || {
            loop {
                if let Some(batch) = files.as_mut().and_then(Iterator::next) {
                    return Some(batch);
                }
                if cancel.is_cancelled() {
                    return None;
                }
                let items = self.some(&cancel);
                if items.is_empty() {
                    return None;
                }
                let found = entries(items, &reading, &mut self.names);
                match found.and_then(|found| opening.ready_for(found, &reading, &cancel)) {
                    Ok((next, _)) => files = Some(next),
                    Err(error) => {
                        self.ended.set(RunError::new_err(error));
                        return None;
                    }
                }
            }
        })
    }
}

/// Files as batches, whose size an engine determines later.
pub fn structure_files((inputs, clashes): Share, reading: &Reading, cancel: &Cancel) -> Result<StructureFiles, String> {
    let (options, annotations) = (reading.options.clone(), Arc::clone(&reading.annotations));
    let files = StructureFiles::new(inputs.entries, options, annotations, Run::BATCH_ATOMS, cancel);
    Ok(files.map_err(|error| error.to_string())?.with_clashes(clashes).with_lineages(reading.lineages.clone()))
}
