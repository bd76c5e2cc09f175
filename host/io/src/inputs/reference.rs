//! Reads the reference of a comparison.

use super::{InputFailure, discover};
use prism_read::{Each, Models, ReadOptions, ReadStructure};
use std::path::Path;

/// Reads a reference from a file, with the options of its models, except for those that choose among their chains and models:
/// the first model is read as it was deposited.
///
/// ```
/// use prism_io::inputs::read_reference;
/// use prism_read::ReadOptions;
///
/// let read = read_reference("../../tests/data/1jcd.pdb.gz".as_ref(), &ReadOptions::default()).map_err(|failure| failure.reason)?;
/// assert_eq!((&*read.structure.name, read.structure.chains.len()), ("1jcd.pdb", 3));
/// assert!(read_reference("no/such/file.pdb".as_ref(), &ReadOptions::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If it is not a file with a structure.
pub fn read_reference(path: &Path, options: &ReadOptions) -> Result<ReadStructure, InputFailure> {
    let refused = |reason: &str| InputFailure::new(&path.display().to_string(), reason.to_owned());
    if path == Path::new("-") {
        return Err(refused("give a file; standard input is for models"));
    }
    let options = ReadOptions {
        atoms: true,
        chains: None,
        select: None,
        each: Each::Model,
        models: Models::First,
        assembly: None,
        cover: false,
        labels: false,
        ..options.clone()
    };
    let found = discover([path]).map_err(|error| refused(&error.to_string()))?;
    match &found.entries[..] {
        [entry] => entry.clone()?.read(&options),
        [] => Err(refused("holds no structure file")),
        _ => Err(refused("holds several files; name one of them")),
    }
}
