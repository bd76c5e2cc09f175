//! A run into a folder, in parts of some predictions each, which `--resume` goes on with and several processes can share.
//!
//! The table of pairs and that of residues have a folder each, of the layout of `prism features`, so that `prism merge` puts
//! either together. Ranks of structures follow from all predictions: their rows are in the records of the parts, and the process
//! that finds all parts done writes the table.

use super::tables::{Status, Tables, pair_columns, write_structures};
use super::{Entry, Run};
use crate::cli::args::Shard;
use crate::cli::failure::{ALL_DONE, Failure, NOTHING_WRITTEN};
use crate::cli::folder::is_one;
use crate::cli::parts::{Folder, manifest, open, plan, record, say_done, say_ended};
use crate::cli::provenance::digest_of;
use crate::cli::report::Report;
use anyhow::anyhow;
use prism_host::inputs::{InputFailure, InputFile, Source};
use prism_host::output::{Provenance, RelationColumn, StructureRow};
use prism_host::plural::{counted, form};
use serde_json::{Value, json};
use shared_types::MegaFusedConfig;
use std::path::{Path, PathBuf};

/// An entry as parts are planned by. An archive's members have its path.
fn input(entry: &Entry) -> Result<InputFile, InputFailure> {
    let files = entry.as_ref().map_err(Clone::clone)?;
    let path = files.paths().next().map(PathBuf::from).unwrap_or_default();
    Ok(InputFile { name: files.name.clone(), path, size: files.size(), source: Source::File })
}

impl Run<'_> {
    /// Computes the unfinished parts of a run. Returns the exit status.
    pub fn run_into(&self, path: &Path, entries: &[Entry], mut report: Report) -> Result<u8, Failure> {
        let args = self.args;
        let residues = args.residues.as_deref();
        if let Some(file) = residues.filter(|path| !is_one(path)) {
            let advice = "is a file, and --output a folder of parts; give a folder here, too (a name that ends with /)";
            return Err(Failure::usage(anyhow!("--by-residue: {} {advice}", file.display())));
        }
        if residues == Some(path) {
            return Err(Failure::usage(anyhow!("--by-residue: {} is the folder of --output, too", path.display())));
        }
        let inputs: Vec<_> = entries.iter().map(input).collect();
        let ranges = plan(&inputs, args.folder.part_inputs);
        // The same in all processes: no command line.
        let origin = Provenance { config: MegaFusedConfig::default(), more: self.cutoffs_as_text() };
        let folder_of = |path: &Path, columns: &[RelationColumn]| {
            let options = self.options(columns, &origin)?;
            Folder::begin(path, &manifest(&inputs, ranges.len(), options), args.folder.resume)
        };
        let folder = folder_of(path, pair_columns(args))?;
        let residues = residues.map(|path| folder_of(path, &prism_host::output::RESIDUE_COLUMNS)).transpose()?;
        let shard = args.folder.shard.unwrap_or(Shard { number: 1, of: 1 });
        let (mut todo, mut done) = open(&folder, ranges.len(), shard)?;
        if let Some(residues) = &residues {
            // An earlier run may have been without this table, or may have ended between the two.
            let (lacking, _) = open(residues, ranges.len(), shard)?;
            done.retain(|record| !lacking.iter().any(|part| record["part"] == *part));
            todo.extend(lacking);
            todo.sort_unstable();
            todo.dedup();
        }
        if !say_done(&mut report, &ranges, todo.len(), &done) {
            return Ok(ALL_DONE);
        }
        let mut status = Status::create(args.status.as_deref(), &origin)?;
        for part in todo {
            let of_residues = residues.as_ref().map(|folder| folder.part_path(part));
            let mut tables = Tables::create(args, Some(&folder.part_path(part)), of_residues.as_deref(), &origin)?;
            tables.temporary_paths().for_each(|path| self.interrupt.remove_on_exit(path));
            let before = (report.structures, report.residues);
            report.kept = Some(Vec::new());
            let mine: Vec<&Entry> = entries[ranges[part].clone()].iter().collect();
            self.compute(&mine, &mut report, &mut tables, &mut status)?;
            if args.fail_fast && report.failed > 0 {
                report.say_lacks();
                say_ended(&report);
                status.finish()?;
                return Ok(NOTHING_WRITTEN);
            }
            let (structures, residues_of_part) = (report.structures - before.0, report.residues - before.1);
            let mut of_part = record(structures, residues_of_part, &report.kept.take().unwrap_or_default());
            let ([size_of_residues, size], rows) = match structures {
                0 => ([0; 2], Vec::new()),
                _ => tables.finish()?,
            };
            if let Some(residues) = &residues {
                residues.finish(part, size_of_residues, of_part.clone())?;
            }
            of_part["rows"] = rows.iter().map(StructureRow::to_json).collect();
            folder.finish(part, size, of_part)?;
        }
        status.finish()?;
        report.clear_bar();
        if let Some(path) = &args.structures {
            self.rank(path, &folder, ranges.len(), &origin, &report)?;
        }
        report.sum_up("scores of pairs of chains, in parts");
        Ok(report.exit_status())
    }

    /// Writes the table of structures, if all parts are done.
    fn rank(
        &self,
        path: &Path,
        folder: &Folder,
        parts: usize,
        origin: &Provenance,
        report: &Report,
    ) -> Result<(), Failure> {
        let (todo, done) = open(folder, parts, Shard { number: 1, of: 1 })?;
        if !todo.is_empty() {
            let are = form(todo.len(), "is", "are");
            report.note(&format!(
                "{} of {} {are} not done, by other shards perhaps; --resume writes --by-structure when all are",
                todo.len(),
                counted(parts, "part", "parts")
            ));
            return Ok(());
        }
        let rows = done.iter().flat_map(|record| record["rows"].as_array().into_iter().flatten());
        let rows: Option<Vec<StructureRow>> = rows.map(StructureRow::of_json).collect();
        let rows = rows.ok_or_else(|| Failure::Work(anyhow!("a record of a part is damaged; begin another folder")))?;
        Ok(write_structures(self.args, path, &rows, origin, report)?)
    }

    /// Everything besides the inputs that a part's bytes depend on.
    fn options(&self, columns: &[RelationColumn], origin: &Provenance) -> Result<Value, Failure> {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        let entries: serde_json::Map<String, Value> =
            origin.entries().into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        let digest = |path: &PathBuf| {
            digest_of(path).map_err(|error| Failure::Work(anyhow!("{}: cannot be read: {error}", path.display())))
        };
        let reference = self.args.reference.as_ref().map(digest).transpose()?;
        let comparison = format!("{:?}", self.args.comparison);
        let part_inputs = self.args.folder.part_inputs;
        Ok(json!({ "columns": names, "computing": entries, "reference_sha256": reference, "comparison": comparison,
            "part_inputs": part_inputs }))
    }
}
