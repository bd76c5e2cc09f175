//! Files that are read as a whole: their structures are computed side by side, and what came of them is taken in order.

use super::failure::Failure;
use prism_host::inputs::{InputFailure, InputFile};

/// Structures of a thread that are computed before what came of them is taken.
const AHEAD: usize = 4;

/// A structure to compute.
pub enum Work {
    File(InputFile),
    Bytes(String, Vec<u8>),
    Failed(InputFailure),
}

impl Work {
    /// The structure's name, and what `of` makes of its file's bytes and this name, or why it failed.
    pub fn compute<T>(self, of: impl Fn(&[u8], &str) -> Result<T, String>) -> (String, Result<T, String>) {
        match self {
            Self::Failed(failure) => (failure.name, Err(failure.reason)),
            Self::Bytes(name, bytes) => {
                let result = of(&bytes, &name);
                (name, result)
            }
            Self::File(file) => {
                let mut result = Err("holds nothing".to_owned());
                file.each_file(&mut |name, bytes| {
                    result = bytes.map_err(|failure| failure.reason).and_then(|bytes| of(bytes, name));
                    true
                });
                (file.name, result)
            }
        }
    }
}

/// Gives `take` the structures of all entries in order, some for each thread at a time, until it returns false or fails. Members of
/// archives are read in order, before they are computed side by side.
pub fn each_batch(
    entries: Vec<Result<InputFile, InputFailure>>,
    mut take: impl FnMut(Vec<Work>) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (mut waiting, mut result) = (Vec::new(), Ok(true));
    let most = AHEAD * rayon::current_num_threads();
    for entry in entries {
        let mut add = |work: Work| {
            waiting.push(work);
            if waiting.len() >= most && matches!(result, Ok(true)) {
                result = take(std::mem::take(&mut waiting));
            }
            matches!(result, Ok(true))
        };
        let goes_on = match entry {
            Err(failure) => add(Work::Failed(failure)),
            Ok(file) if file.is_stream() => {
                file.each_file(&mut |name, bytes| {
                    add(match bytes {
                        Ok(bytes) => Work::Bytes(name.to_owned(), bytes.to_vec()),
                        Err(failure) => Work::Failed(failure),
                    })
                });
                matches!(result, Ok(true))
            }
            Ok(file) => add(Work::File(file)),
        };
        if !goes_on {
            break;
        }
    }
    if result? {
        take(waiting)?;
    }
    Ok(())
}
