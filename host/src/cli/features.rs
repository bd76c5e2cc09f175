//! `prism features`.

use super::annotated::Annotated;
use super::args::FeaturesArgs;
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::job::{Job, Sink};
use super::reading::PolymersArg;
use super::report::warn;
use super::usage::refuse_divided;
use super::{folder, parts, provenance, relations};
use prism_host::annotations::Annotations;
use prism_host::lineages::Lineages;
use prism_host::output::{
    ColouredStructures, Column, ColumnError, Columns, CsvTable, Format, OutputFile, ReducedRelation, RelationFailures,
    check_place,
};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Computes the requested table. Returns the exit status.
pub fn run(args: &FeaturesArgs) -> Result<u8, Failure> {
    args.job.refuse_points_file()?;
    let columns = match &args.columns {
        Some(names) => {
            refuse_divided("--columns", names, &args.paths, |text| {
                Column::every().any(|column| column.name() == text)
            })?;
            Columns::choose(names)?
        }
        None => Columns::default(),
    };
    // A standard residue is its own parent.
    let names_parent = args.columns.iter().flatten().any(|name| name.trim() == Column::Parent.name());
    let columns = if args.job.read.is_standard() && !names_parent { columns.without(Column::Parent) } else { columns };
    let columns = match args.job.read.polymers {
        None => columns,
        Some(PolymersArg::Protein) => columns.with_polymers(),
        Some(_) if args.columns.is_some() => columns.with_polymers(),
        Some(_) => columns.with_polymers().with_nucleotides(),
    };
    let columns = if args.job.read.has_hetero_rows() { columns.with_polymers() } else { columns };
    let annotations = match args.annotations.as_deref() {
        Some(path) => Some((path, Arc::new(Annotations::read(path).map_err(Failure::work)?))),
        None => None,
    };
    let lineages = match args.lineages.as_deref() {
        Some(path) => Some((path, Arc::new(Lineages::read(path).map_err(Failure::work)?))),
        None => None,
    };
    let annotated = |name: &str| annotations.as_ref().is_some_and(|(_, known)| known.has(name));
    if lineages.is_some() && (annotated("gisaid_freq") || annotated("gisaid_velocity")) {
        let advice = "--lineages computes gisaid_freq and gisaid_velocity; leave them out of --annotations";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    // A value that no input gives is undefined everywhere.
    let given = |name: &str| annotated(name) || lineages.is_some() && name.starts_with("gisaid_");
    let columns = if args.columns.is_none() {
        columns.without_annotations(given)
    } else {
        for (column, annotation) in columns.lacking_annotations(given) {
            warn(&format!("column {column} has no values: neither --annotations nor --lineages give {annotation}"));
        }
        columns
    };
    let columns = if lineages.is_some() { columns.with_lineages() } else { columns };
    let columns = if args.trajectory.given().is_some() { columns.with_frames() } else { columns };
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if args.trajectory.given().is_some() && args.write_structures.is_some() {
        let advice = "--write-structures is for structures, and not for the frames of --trajectory";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    let folder = args.folder.of_output(output, &args.provenance, None)?;
    if args.trajectory.given().is_some() && folder.is_none() && args.folder.shard.is_some() {
        let advice = "--shard of a trajectory is for a run into a folder: -o FOLDER/";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    if args.reduce.is_some() && folder.is_some() {
        let advice = "--reduce writes one table of all frames: give a file in place of a folder";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    let coloured = args.write_structures.as_deref().map(|path| coloured(path, args)).transpose()?;
    let annotated = args.annotate.as_deref().map(|path| annotated_by(path, &columns, args)).transpose()?;
    match output.filter(|_| folder.is_none()) {
        Some(path) if args.reduce.is_some() => OutputFile::check_relation(path)?,
        Some(path) => {
            Format::of_path(path)?;
            check_place(path)?;
        }
        None => {}
    }
    provenance::check(&args.provenance)?;
    let selection = columns.selection();
    let selection = match &coloured {
        Some(structures) => {
            let column = Columns::choose([structures.column().name()])?;
            selection.and(&column.selection())
        }
        None => selection,
    };
    let files = if folder.is_none() { Files::default().writes_table(output) } else { Files::default() };
    let files = files.writes_into(OUTPUT, folder, parts::names).writes_into(
        "--write-structures",
        args.write_structures.as_deref(),
        ColouredStructures::names,
    );
    let files = Annotated::files(args.annotate.as_deref(), files);
    let job = Job {
        paths: &args.paths,
        args: &args.job,
        selection,
        min_feature_value: args.min_feature_value,
        labels: columns.has_labels() || annotated.is_some(),
        annotations,
        lineages,
        provenance: &args.provenance,
        between: None,
        failures: RelationFailures::default(),
        sites: None,
        trajectory: args.trajectory.given(),
        atoms: false,
        atoms_if_known: false,
        water: false,
        shard: args.folder.shard.filter(|_| folder.is_none()),
        of_structures: true,
        pae: false,
        files,
    };
    if let Some(path) = folder {
        let names: Vec<&str> = columns.as_slice().iter().map(Column::name).collect();
        let leaves_out = columns.selection().leaves_out_wcn(usize::MAX);
        let what = json!({ "columns": names, "leaves_out_large_wcn": leaves_out });
        return job
            .run_into(path, &args.folder, what, |path, origin| Ok(OutputFile::create(path, columns.clone(), origin)?));
    }
    if let Some(statistics) = &args.reduce {
        let said = ReducedRelation::check(&columns, statistics);
        let said = said.map_err(|advice| Failure::usage(anyhow::anyhow!("--reduce: {advice}")))?;
        said.iter().for_each(|text| warn(&format!("--reduce: {text}")));
        let relation = ReducedRelation::new(&columns, statistics);
        return job.run(|provenance| relations::sink(output, relation, provenance));
    }
    job.run(|provenance| {
        let table = match output {
            Some(path) => Sink::File(OutputFile::create(path, columns, provenance)?),
            None => Sink::stdout(|out| CsvTable::new(out, columns)),
        };
        Ok(match (coloured, annotated) {
            (Some(structures), _) => Sink::Coloured(Box::new(table), structures),
            (None, Some(structures)) => Sink::Annotated(Box::new(table), Box::new(structures)),
            (None, None) => table,
        })
    })
}

/// The destination of structures coloured by a column.
fn coloured(path: &Path, args: &FeaturesArgs) -> Result<ColouredStructures, Failure> {
    let name = &args.color_by;
    refuse_parts("--write-structures", args)?;
    match Column::every().find(|column| column.name() == name) {
        Some(column) if column.is_number() => Ok(ColouredStructures::create(path, column)?),
        Some(_) => Err(Failure::usage(anyhow::anyhow!("--color-by: {name} is no number; take a feature that is one"))),
        None => Err(ColumnError::Unknown(name.to_owned()).into()),
    }
}

/// The destination of structures with the table's columns.
fn annotated_by(path: &Path, columns: &Columns, args: &FeaturesArgs) -> Result<Annotated, Failure> {
    refuse_parts("--annotate", args)?;
    Annotated::of(path, columns, args.columns.is_some())
}

/// Refuses a run into a folder for an option that writes structures beside the table.
fn refuse_parts(option: &str, args: &FeaturesArgs) -> Result<(), Failure> {
    if args.output.as_deref().is_some_and(folder::is_one) {
        let advice = "goes with a table in one file, not with a run into a folder";
        return Err(Failure::usage(anyhow::anyhow!("{option} {advice}")));
    }
    Ok(())
}
