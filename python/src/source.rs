//! What is to be read, in the order given.

use prism_host::Engine;
use prism_host::annotations::Annotations;
use prism_host::inputs::{InputFailure, discover};
use prism_host::pipeline::{Batch, Cancel, Outcome, StructureFiles, batch_atoms};
use prism_host::read::{ReadOptions, read_bytes};
use pyo3::FromPyObject;
use pyo3::pybacked::PyBackedBytes;
use rayon::prelude::*;
use std::sync::Arc;

/// An input.
#[derive(FromPyObject)]
pub enum Item {
    /// A file or a folder.
    Path(String),
    /// A structure's name, and its bytes as a file would have them.
    Memory(String, PyBackedBytes),
}

/// Inputs that are read in the same way.
enum Run {
    Paths(Vec<String>),
    Memory(Vec<(String, PyBackedBytes)>),
}

/// Structures in memory that are read at once: enough for all cores, few enough to begin computing early.
const AT_ONCE: usize = 256;

/// All inputs as batches.
///
/// # Errors
/// Where two paths give structures of one name, or no threads can be made.
pub fn batches(
    engine: &Engine,
    items: Vec<Item>,
    options: &ReadOptions,
    cancel: &Cancel,
) -> Result<Box<dyn Iterator<Item = Batch> + Send>, String> {
    let mut runs: Vec<Run> = Vec::new();
    for item in items {
        match (item, runs.last_mut()) {
            (Item::Path(path), Some(Run::Paths(paths))) => paths.push(path),
            (Item::Path(path), _) => runs.push(Run::Paths(vec![path])),
            (Item::Memory(name, bytes), Some(Run::Memory(all))) => all.push((name, bytes)),
            (Item::Memory(name, bytes), _) => runs.push(Run::Memory(vec![(name, bytes)])),
        }
    }
    let mut all: Box<dyn Iterator<Item = Batch> + Send> = Box::new(std::iter::empty());
    for run in runs {
        let next: Box<dyn Iterator<Item = Batch> + Send> = match run {
            Run::Paths(paths) => {
                let entries = discover(paths).map_err(|error| error.to_string())?.entries;
                let known = Arc::new(Annotations::default());
                let files = StructureFiles::new(entries, options.clone(), known, batch_atoms(engine), cancel);
                Box::new(files.map_err(|error| error.to_string())?)
            }
            Run::Memory(items) => Box::new(in_memory(items, options.clone())),
        };
        all = Box::new(all.chain(next));
    }
    Ok(all)
}

fn in_memory(items: Vec<(String, PyBackedBytes)>, options: ReadOptions) -> impl Iterator<Item = Batch> + Send {
    let mut rest = items.into_iter();
    std::iter::from_fn(move || {
        let some: Vec<_> = rest.by_ref().take(AT_ONCE).collect();
        (!some.is_empty()).then(|| batch(&some, &options))
    })
}

fn batch(items: &[(String, PyBackedBytes)], options: &ReadOptions) -> Batch {
    let read = |(name, bytes): &(String, PyBackedBytes)| read_bytes(bytes, name, options);
    let mut batch = Batch { bytes: items.iter().map(|(_, bytes)| bytes.len() as u64).sum(), ..Batch::default() };
    for result in items.par_iter().map(read).collect::<Vec<_>>() {
        batch.outcomes.push(match result {
            Ok(read) => {
                batch.structures.push(read.structure);
                Outcome::Read { notes: read.notes }
            }
            Err(error) => Outcome::Failed(InputFailure::from(error)),
        });
    }
    batch
}
