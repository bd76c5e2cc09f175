//! `prism ligands`, and what commands share whose columns can be listed.

use super::args::{DescribedArgs, FormatArg, LigandsArgs};
use super::failure::{ALL_DONE, Failure};
use super::files::Files;
use super::relations::{Destination, selection, write};
use prism_host::engine::Selection;
use prism_host::inputs::Inputs;
use prism_host::nearest::nearest;
use prism_host::output::{LigandLines, LigandsRelation, Relation as _, RelationColumn, RelationFailures};
use serde_json::{Value, json};
use shared_types::FEATURES;
use std::io::{Write as _, stdout};

/// Lists ligands. Returns the exit status.
pub fn run(args: &LigandsArgs) -> Result<u8, Failure> {
    let described = &args.described;
    if let Some(told) = described.tell("ligands", LigandLines.columns()) {
        return told;
    }
    described.job.refuse_points_file()?;
    if described.job.read.options().cover {
        let advice = "--het cover has no effect here: ligands cover each other and the protein, and sites are those without them";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    let to = Destination { water: true, ..described.destination(json!({ "command": "ligands" })) };
    let failures = to.failures.clone();
    let sites = Selection::new(FEATURES.iter().filter(|feature| feature.name == "site_score"), true);
    write(to, sites, |job, _| Ok(LigandsRelation::new(job.engine_of(selection(&["sasa"]))?, failures.clone())))
}

/// Packed data sets have no ligands.
pub fn refuse_packed(inputs: &Inputs) -> Result<(), Failure> {
    if inputs.has_packed() {
        let advice = "a packed data set keeps neither ligands nor what its atoms are; give the structure files";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    Ok(())
}

impl DescribedArgs {
    /// Shows the columns, or one of them, if that is asked for. Returns the exit status.
    pub fn tell(&self, command: &str, columns: &[RelationColumn]) -> Option<Result<u8, Failure>> {
        let told = match &self.explain {
            Some(column) => explain(command, columns, column, self.format),
            None if self.list => list(columns, self.format),
            None => return None,
        };
        Some(told.map(|()| ALL_DONE))
    }

    /// `what` says what is computed, for the manifest of a folder.
    pub fn destination(&self, what: Value) -> Destination<'_> {
        Destination {
            paths: &self.paths,
            output: self.output.as_deref(),
            job: &self.job,
            provenance: &self.provenance,
            between: None,
            beside: Files::default(),
            failures: RelationFailures::default(),
            pae: false,
            sites: None,
            trajectory: None,
            atoms: true,
            atoms_if_known: false,
            water: false,
            folder: Some(&self.folder),
            what,
        }
    }
}

fn json_of(column: &RelationColumn) -> Value {
    json!({ "name": column.name, "unit": column.unit, "definition": column.definition })
}

fn list(columns: &[RelationColumn], format: FormatArg) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match format {
        FormatArg::Json => writeln!(out, "{:#}", columns.iter().map(json_of).collect::<Value>())?,
        FormatArg::Text => {
            for column in columns {
                let unit = if column.unit.is_empty() { String::new() } else { format!(" in {}", column.unit) };
                writeln!(out, "{:16}  {}{unit}", column.name, column.definition)?;
            }
        }
    }
    Ok(out.flush()?)
}

fn explain(command: &str, columns: &[RelationColumn], name: &str, format: FormatArg) -> Result<(), Failure> {
    let Some(column) = columns.iter().find(|column| column.name == name) else {
        let meant = nearest(name, columns.iter().map(|column| column.name));
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        let advice = format!("`prism {command} --list` shows all columns");
        return Err(Failure::usage(anyhow::anyhow!("there is no column {name:?}{meant}; {advice}")));
    };
    let mut out = stdout().lock();
    match format {
        FormatArg::Json => writeln!(out, "{:#}", json_of(column))?,
        FormatArg::Text => {
            writeln!(out, "{name}\n  definition  {}", column.definition)?;
            if !column.unit.is_empty() {
                writeln!(out, "  unit        {}", column.unit)?;
            }
        }
    }
    Ok(out.flush()?)
}
