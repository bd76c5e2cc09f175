//! The files of structures, for outputs that are copies of them.

use crate::inputs::{InputFile, Source};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files of structures that are files of their own, by the structures' names.
#[derive(Debug, Default)]
pub(super) struct InputFiles(HashMap<String, PathBuf>);

impl InputFiles {
    /// Adds the files of structures.
    pub(super) fn know<'a>(&mut self, inputs: impl IntoIterator<Item = &'a InputFile>) {
        let files = inputs.into_iter().filter(|input| matches!(input.source, Source::File));
        self.0.extend(files.map(|input| (input.name.clone(), input.path.clone())));
    }

    /// The file of a structure.
    ///
    /// # Errors
    /// What is wrong if it has none of its own.
    pub(super) fn of(&self, name: &str) -> Result<&Path, String> {
        let file = self.0.get(name).map(PathBuf::as_path);
        file.ok_or_else(|| "it was not read from a file of its own; write it to one, and give that".to_owned())
    }
}
