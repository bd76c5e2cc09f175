//! The files of an input as their bytes, for what reads them as a whole.

use super::{InputFailure, InputFile, Item, Source, unpack};
use prism_read::with_contents;

/// What takes a file's name and bytes, or why there are none, and says whether to go on.
pub type TakeFile<'t> = dyn FnMut(&str, Result<&[u8], InputFailure>) -> bool + 't;

impl InputFile {
    /// Calls `take` with the name and the bytes of each of its files, as they are compressed there: one, or the members of an archive.
    /// Structures of packed data sets and arrays have no files.
    ///
    /// ```
    /// use prism_io::inputs::InputFile;
    ///
    /// let file = InputFile::of_bytes("1crn.pdb.gz", std::fs::read("../../tests/data/1crn.pdb.gz")?);
    /// let mut names = Vec::new();
    /// file.each_file(&mut |name, bytes| {
    ///     names.push((name.to_owned(), bytes.is_ok()));
    ///     true
    /// });
    /// assert_eq!(names, [("1crn.pdb".to_owned(), true)]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn each_file(&self, take: &mut TakeFile<'_>) {
        let failed = |reason: &str| InputFailure::new(&self.name, reason.to_owned());
        match &self.source {
            Source::File => {
                let read = with_contents(&self.path, |bytes| take(&self.name, Ok(bytes)));
                if let Err(problem) = read {
                    take(&self.name, Err(failed(&problem.to_string())));
                }
            }
            Source::Memory(bytes) => {
                take(&self.name, Ok(bytes));
            }
            Source::Packed(..) => {
                let reason =
                    "a packed data set has the residues of proteins alone; give the files that it was packed from";
                take(&self.name, Err(failed(reason)));
            }
            Source::Atoms(..) => {
                let reason = "arrays of atoms are no file; give PDB or mmCIF as a path or as bytes";
                take(&self.name, Err(failed(reason)));
            }
            Source::Archive | Source::Database | Source::StandardInput | Source::Pipe | Source::MemoryArchive(_) => {
                unpack(self, &mut |item| match item {
                    Item::Structure { name, bytes, .. } => take(&name, Ok(&bytes)),
                    Item::Failed(failure) => take(&failure.name.clone(), Err(failure)),
                    Item::Said { .. } => true,
                });
            }
        }
    }
}
