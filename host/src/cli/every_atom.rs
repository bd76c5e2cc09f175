//! Runs over structures of which every atom counts: commands that read each file as a whole, beside those of rows of proteins.

use super::args::RelationArgs;
use super::failure::{ALL_DONE, Failure, NOTHING_WRITTEN};
use super::files::{Files, OUTPUT};
use super::interrupt::Interrupt;
use super::limits::no_thread;
use super::parts::{self, Parts};
use super::provenance::{self, Digests};
use super::whole_files::{Compute, Walk};
use super::{folder, job};
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::output::{CellTable, Cells, LineTable, LinesFile, OutputError, OutputFile, Provenance, RelationColumn};
use prism_host::plural::counted;
use serde_json::json;
use shared_types::MegaFusedConfig;
use std::io::{BufWriter, stdout};
use std::path::Path;

/// Appends the lines of a structure to the values of the columns.
pub type Append = Box<dyn Fn(&mut [Cells]) + Send + Sync>;

/// The table of a run.
pub struct Output<'a> {
    pub columns: &'static [RelationColumn],
    /// What a line is, and what several are.
    pub lines: [&'static str; 2],
    /// Whether structures are computed side by side, one in each thread.
    pub side_by_side: bool,
    /// What areas are computed with.
    pub config: MegaFusedConfig,
    /// What its provenance has beside the command.
    pub provenance: Vec<(&'static str, String)>,
    /// Files that are read besides the inputs.
    pub reads: Vec<&'a Path>,
    /// What to note once all inputs are computed.
    pub at_end: &'a dyn Fn() -> Option<String>,
}

/// Computes the lines of all inputs. Returns the exit status.
pub fn run(relation: &RelationArgs, of: Output<'_>, compute: &Compute<'_, Append>) -> Result<u8, Failure> {
    let output = relation.output.as_deref().filter(|path| *path != Path::new("-"));
    let folder = relation.folder.of_output(output, &relation.provenance, relation.trajectory.given())?;
    let output = output.filter(|_| folder.is_none());
    let status = relation.job.status.as_deref();
    [output, status].into_iter().flatten().try_for_each(OutputFile::check_relation)?;
    provenance::check(&relation.provenance)?;
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let files = match folder {
        None => Files::default().writes_table(output),
        Some(folder) => Files::default().writes_into(OUTPUT, Some(folder), parts::names),
    };
    let files = files.writes("--status", status);
    let files = files.writes("--provenance", relation.provenance.provenance.as_deref());
    let files = of.reads.iter().fold(files, |files, path| files.reads(Some(path)));
    let mut inputs = relation.job.read.discover(&relation.paths, files)?;
    if let (None, Some(shard)) = (folder, relation.folder.shard) {
        inputs.entries = shard.of_inputs(inputs.entries).map_err(Failure::work)?;
    }
    let digests = Digests::of(&relation.provenance, &inputs.entries);
    let mut provenance = provenance::without_engine(of.config, &digests);
    provenance.more.extend(of.provenance.clone());
    let walk = Walk::new(interrupt, inputs.entries.len(), status, &provenance, relation.job.read.fail_fast)?;
    job::note_ignored(&inputs, &walk.report);
    let run = Run { relation, of, compute, walk };
    match folder {
        Some(folder) => run.into_folder(folder, &inputs.entries),
        None => run.write_file(output, inputs.entries, &provenance, &digests),
    }
}

struct Run<'a> {
    relation: &'a RelationArgs,
    of: Output<'a>,
    compute: &'a Compute<'a, Append>,
    walk: Walk,
}

impl Run<'_> {
    /// Computes some inputs into a table. Returns whether it went on to the end.
    fn fill(
        &mut self,
        entries: Vec<Result<InputFile, InputFailure>>,
        mut append: impl FnMut(&mut dyn FnMut(&mut [Cells])) -> Result<(), OutputError>,
    ) -> Result<bool, Failure> {
        self.walk.over(
            entries,
            self.of.side_by_side,
            |_| false,
            self.compute,
            |_, lines: Append| Ok(append(&mut |cells: &mut [Cells]| lines(cells))?),
        )
    }

    fn sum_up(&self) -> u8 {
        let [one, several] = self.of.lines;
        self.walk.sum_up(&counted(self.walk.lines, one, several));
        self.walk.report.exit_status()
    }

    fn write_file(
        mut self,
        output: Option<&Path>,
        entries: Vec<Result<InputFile, InputFailure>>,
        provenance: &Provenance,
        digests: &Digests,
    ) -> Result<u8, Failure> {
        let mut file = output.map(|path| LinesFile::create(path, self.of.columns, provenance)).transpose()?;
        self.walk.interrupt.remove_on_exit(file.as_ref().and_then(LinesFile::temporary_path));
        let mut out: Box<dyn LineTable> = Box::new(CellTable::csv(BufWriter::new(stdout()), self.of.columns));
        self.fill(entries, |lines| match &mut file {
            Some(file) => file.append(lines),
            None => out.append(lines),
        })?;
        self.walk.end_status()?;
        if self.walk.report.structures == 0 || self.walk.stops() {
            return Ok(NOTHING_WRITTEN);
        }
        match file {
            Some(file) => drop(file.commit()?),
            None => out.finish()?,
        }
        provenance::write(&self.relation.provenance, provenance, digests)?;
        // A shard has not all inputs.
        if let (None, Some(note)) = (self.relation.folder.shard, (self.of.at_end)()) {
            self.walk.report.note(&note);
        }
        Ok(self.sum_up())
    }

    fn into_folder(mut self, path: &Path, entries: &[Result<InputFile, InputFailure>]) -> Result<u8, Failure> {
        let origin = Provenance { config: self.of.config, more: self.of.provenance.clone() };
        let columns: Vec<&str> = self.of.columns.iter().map(|column| column.name).collect();
        let options = folder::options(json!({ "columns": columns }), &origin, &self.relation.job.read);
        let begun = Parts::begin(path, entries, None, options, &self.relation.folder, &mut self.walk.report)?;
        let Some(parts) = begun else { return Ok(ALL_DONE) };
        for &number in parts.open() {
            let part = parts.part(number, &mut self.walk.report);
            let mut file = LinesFile::create(&part.path, self.of.columns, &origin)?;
            self.walk.interrupt.remove_on_exit(file.temporary_path());
            let before = self.walk.report.structures;
            if !self.fill(entries[part.inputs.clone()].to_vec(), |lines| file.append(lines))? {
                self.walk.end_status()?;
                parts::say_ended(&self.walk.report);
                return Ok(NOTHING_WRITTEN);
            }
            let bytes = if self.walk.report.structures > before { file.commit()? } else { 0 };
            parts.finish(&part, bytes, &mut self.walk.report)?;
        }
        self.walk.end_status()?;
        Ok(self.sum_up())
    }
}
