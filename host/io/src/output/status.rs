//! The status of inputs.

use super::{OutputError, WholeFile};
use crate::inputs::InputFailure;
use crate::pipeline::Reading;
use prism_read::Note;
use prism_read::structure::StructureInput;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Duration;

/// A CSV file with the status of each input.
///
/// Columns: `structure`; `residues`, `chains` and `models`, empty if the input could not be read; `notes`, the kinds of notes,
/// separated by `;`; `error`, empty if there is none; `milliseconds`, the time of reading; `incomplete`, the number of standard amino
/// acids that lack heavy atoms, empty as `residues` is.
///
/// ```
/// use prism_io::output::StatusFile;
/// use prism_io::pipeline::Reading;
/// use prism_read::{ReadOptions, read_path};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("status.csv");
/// let read = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?;
/// let mut status = StatusFile::create(&path)?;
/// status.structure(&read.structure, &read.notes, None, Reading { models: read.models, ..Reading::default() })?;
/// status.commit()?;
/// let text = std::fs::read_to_string(&path)?;
/// assert_eq!(text.lines().next(), Some("structure,residues,chains,models,notes,error,milliseconds,incomplete"));
/// assert!(text.contains("\nrbd,194,1,1,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StatusFile {
    lines: csv::Writer<BufWriter<File>>,
    whole: WholeFile,
}

impl StatusFile {
    /// Starts a file for `path`.
    ///
    /// # Errors
    /// As for [`check_place`](super::check_place).
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let whole = WholeFile::begin(path)?;
        let mut lines = csv::Writer::from_writer(whole.buffered()?);
        let header = ["structure", "residues", "chains", "models", "notes", "error", "milliseconds", "incomplete"];
        lines.write_record(header).map_err(|error| whole.failed(error.into()))?;
        Ok(Self { lines, whole })
    }

    /// Adds a structure that was read. `error` is the reason if it was not computed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn structure(
        &mut self,
        structure: &StructureInput,
        notes: &[Note],
        error: Option<&str>,
        reading: Reading,
    ) -> Result<(), OutputError> {
        let mut kinds: Vec<_> = notes.iter().map(|note| note.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kinds: Vec<&str> = kinds.into_iter().map(|kind| kind.name()).collect();
        let (rows, chains) = (structure.n_rows_with_hetero(), structure.rows_of_chains().len());
        let counts = [rows, chains, reading.models, structure.incomplete_residues()].map(|count| count.to_string());
        self.line(&structure.label(), &counts, &kinds.join(";"), error.unwrap_or_default(), reading.time)
    }

    /// Adds an input that gave no structure.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn failure(&mut self, failure: &InputFailure, reading: Reading) -> Result<(), OutputError> {
        self.line(&failure.name, &Default::default(), "", &failure.reason, reading.time)
    }

    fn line(
        &mut self,
        name: &str,
        [residues, chains, models, incomplete]: &[String; 4],
        notes: &str,
        error: &str,
        time: Duration,
    ) -> Result<(), OutputError> {
        let time = format!("{:.3}", 1e3 * time.as_secs_f64());
        let line = [name, residues, chains, models, notes, error, &time, incomplete];
        self.lines.write_record(line).map_err(|error| self.whole.failed(error.into()))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn commit(self) -> Result<(), OutputError> {
        let Self { lines, whole } = self;
        match lines.into_inner() {
            Ok(out) => drop(out),
            Err(error) => return Err(whole.failed(error.into_error())),
        }
        whole.commit().map(drop)
    }
}
