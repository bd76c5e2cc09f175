//! `prism confidence`.

use super::args::{ConfidenceArgs, FormatArg};
use super::failure::Failure;
use super::files::Files;
use super::interrupt::Interrupt;
use super::limits::no_thread;
use super::provenance::{self, Digests};
use super::reading::listed;
use super::report::{Report, is_verbose};
use prism_host::confidence::{
    Cutoffs, PAIR_NUMBERS, PredictionFiles, Predictions, RESIDUE_NUMBERS, STRUCTURE_NUMBERS, ScoreColumn, Scores,
};
use prism_host::inputs::{InputFailure, InputFile, Source};
use prism_host::nearest::nearest;
use prism_host::output::{
    CellKind, CellTable, Cells, LineTable, LinesFile, OutputError, OutputFile, PAIR_COLUMNS, Provenance,
    RESIDUE_COLUMNS, RelationColumn, STRUCTURE_COLUMNS, StructureRow, append_pairs, append_residues, append_structures,
};
use prism_host::plural::counted;
use rayon::prelude::*;
use serde_json::{Value, json};
use shared_types::MegaFusedConfig;
use std::io::{BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Predictions of a thread that are computed before their rows are written.
const AHEAD: usize = 4;

/// Scores predictions. Returns the exit status.
pub fn run(args: &ConfidenceArgs) -> Result<u8, Failure> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let outputs = [output, args.residues.as_deref(), args.structures.as_deref(), args.status.as_deref()];
    outputs.into_iter().flatten().try_for_each(OutputFile::check_relation)?;
    provenance::check(&args.provenance)?;
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let mut paths = args.paths.clone();
    if let Some(list) = &args.from_file {
        paths.extend(listed(list)?);
    }
    let found = Predictions::find(&paths);
    let entries = on_disk(&found);
    let files = Files::default()
        .writes_table(output)
        .writes("--by-residue", args.residues.as_deref())
        .writes("--by-structure", args.structures.as_deref())
        .writes("--status", args.status.as_deref())
        .writes("--provenance", args.provenance.provenance.as_deref())
        .reads(args.from_file.as_deref().filter(|path| *path != Path::new("-")));
    files.check(&paths, &entries)?;
    let digests = Digests::of(&args.provenance, &entries);
    let provenance = provenance_of(args, &digests);
    let mut report = Report::new(found.files.len());
    let mut tables = Tables::create(args, output, &provenance)?;
    for note in &found.notes {
        if is_verbose() {
            report.note(note);
        }
    }
    if !found.notes.is_empty() && !is_verbose() {
        report.note(&format!("{} left out; -v says which", counted(found.notes.len(), "file is", "files are")));
    }
    for failure in &found.failures {
        report.error(&failure.name, &failure.reason);
        tables.status(&failure.name, None, &failure.reason, Duration::ZERO)?;
    }
    let is_mine = |at: usize| args.shard.is_none_or(|shard| shard.has(at));
    let mine: Vec<PredictionFiles> =
        found.files.into_iter().enumerate().filter(|(at, _)| is_mine(*at)).map(|(_, files)| files).collect();
    let cutoffs = Cutoffs { pae: args.pae_cutoff, distance: f64::from(args.distance_cutoff) };
    for some in mine.chunks(AHEAD * rayon::current_num_threads()) {
        if interrupt.cancel().is_cancelled() {
            return Err(Failure::Interrupted(interrupt.exit_status()));
        }
        if args.fail_fast && report.failed > 0 {
            break;
        }
        let computed: Vec<_> = some.par_iter().map(|files| compute(files, cutoffs)).collect();
        for (files, (computed, time)) in some.iter().zip(computed) {
            match &computed {
                Ok(scores) => {
                    report.structures += 1;
                    report.residues += scores.n_residues as u64;
                    for warning in &scores.warnings {
                        report.warning(&scores.name, warning);
                    }
                    for note in scores.notes.iter().filter(|_| is_verbose()) {
                        report.note(&format!("{}: {note}", scores.name));
                    }
                    tables.scores(scores)?;
                    tables.status(&files.name, Some(scores), "", time)?;
                }
                Err(reason) => {
                    report.error(&files.name, reason);
                    tables.status(&files.name, None, reason, time)?;
                }
            }
        }
        report.advance(some.len());
    }
    report.clear_bar();
    if report.structures == 0 || args.fail_fast && report.failed > 0 {
        if let Some(status) = tables.status {
            status.commit()?;
        }
        return Ok(super::failure::NOTHING_WRITTEN);
    }
    tables.finish()?;
    provenance::write(&args.provenance, &provenance, &digests)?;
    report.sum_up("scores of pairs of chains");
    Ok(report.exit_status())
}

/// Reads and scores one prediction. Its matrix is in memory only here.
fn compute(files: &PredictionFiles, cutoffs: Cutoffs) -> (Result<Scores, String>, Duration) {
    let begin = Instant::now();
    (files.read().map(|prediction| prediction.scores(cutoffs)), begin.elapsed())
}

/// The files that are read, for the comparison with those that are written.
fn on_disk(found: &Predictions) -> Vec<Result<InputFile, InputFailure>> {
    let mut paths: Vec<PathBuf> = found.files.iter().flat_map(PredictionFiles::paths).map(Path::to_owned).collect();
    paths.sort_unstable();
    paths.dedup();
    let file = |path: PathBuf| InputFile { name: path.display().to_string(), path, size: 0, source: Source::File };
    paths.into_iter().map(file).map(Ok).collect()
}

fn provenance_of(args: &ConfidenceArgs, digests: &Digests) -> Provenance {
    let mut provenance = provenance::without_engine(MegaFusedConfig::default(), digests);
    provenance.more.push(("prism.pae_cutoff", args.pae_cutoff.to_string()));
    provenance.more.push(("prism.distance_cutoff", args.distance_cutoff.to_string()));
    provenance
}

/// The columns of `--status`.
const STATUS: &[RelationColumn] = &[
    RelationColumn::new("structure", CellKind::Text, "", "the name of the structure"),
    RelationColumn::new("residues", CellKind::Int, "", "the number of residues; 0 if it failed"),
    RelationColumn::new("chains", CellKind::Int, "", "the number of chains"),
    RelationColumn::new("tokens", CellKind::Int, "", "the number of the predictor's tokens"),
    RelationColumn::new("notes", CellKind::Text, "", "choices, and what is odd about the files"),
    RelationColumn::new("error", CellKind::Text, "", "why it failed"),
    RelationColumn::new("milliseconds", CellKind::Float, "ms", "the time of reading and computing"),
];

/// What is written.
struct Tables {
    pairs: Box<dyn LineTable>,
    /// The file of the pairs, if it is one.
    file: Option<LinesFile>,
    residues: Option<LinesFile>,
    structures: Option<(LinesFile, Vec<StructureRow>)>,
    status: Option<LinesFile>,
}

impl Tables {
    fn create(args: &ConfidenceArgs, output: Option<&Path>, provenance: &Provenance) -> Result<Self, Failure> {
        let create = |path: &Path, columns| LinesFile::create(path, columns, provenance);
        Ok(Self {
            pairs: Box::new(CellTable::csv(BufWriter::new(stdout()), &PAIR_COLUMNS)),
            file: output.map(|path| create(path, &PAIR_COLUMNS)).transpose()?,
            residues: args.residues.as_deref().map(|path| create(path, &RESIDUE_COLUMNS)).transpose()?,
            structures: args
                .structures
                .as_deref()
                .map(|path| Ok::<_, OutputError>((create(path, &STRUCTURE_COLUMNS)?, Vec::new())))
                .transpose()?,
            status: args.status.as_deref().map(|path| create(path, STATUS)).transpose()?,
        })
    }

    fn scores(&mut self, scores: &Scores) -> Result<(), OutputError> {
        let mut pairs = |cells: &mut [Cells]| append_pairs(scores, cells);
        match &mut self.file {
            Some(file) => file.append(&mut pairs)?,
            None => self.pairs.append(&mut pairs)?,
        }
        if let Some(file) = &mut self.residues {
            file.append(&mut |cells| append_residues(scores, cells))?;
        }
        if let Some((_, rows)) = &mut self.structures {
            rows.push(StructureRow::new(scores));
        }
        Ok(())
    }

    fn status(&mut self, name: &str, scores: Option<&Scores>, error: &str, time: Duration) -> Result<(), OutputError> {
        let Some(file) = &mut self.status else { return Ok(()) };
        let count = |of: fn(&Scores) -> usize| scores.map_or(0, |scores| of(scores) as i32);
        file.append(&mut |cells| {
            let [
                Cells::Text(names),
                Cells::Int(residues),
                Cells::Int(chains),
                Cells::Int(tokens),
                Cells::Text(notes),
                Cells::Text(errors),
                Cells::Float(times),
            ] = cells
            else {
                return;
            };
            names.push(name.to_owned());
            residues.push(count(|scores| scores.n_residues));
            chains.push(count(|scores| scores.structure.chains));
            tokens.push(count(|scores| scores.structure.tokens));
            notes.push(
                scores.map_or_else(String::new, |scores| [&scores.warnings[..], &scores.notes].concat().join("; ")),
            );
            errors.push(error.to_owned());
            times.push(1e3 * time.as_secs_f32());
        })
    }

    fn finish(self) -> Result<(), Failure> {
        match self.file {
            Some(file) => drop(file.commit()?),
            None => self.pairs.finish()?,
        }
        if let Some(file) = self.residues {
            file.commit()?;
        }
        if let Some((mut file, rows)) = self.structures {
            file.append(&mut |cells| append_structures(&rows, cells))?;
            file.commit()?;
        }
        if let Some(file) = self.status {
            file.commit()?;
        }
        Ok(())
    }
}

/// Each table with its columns: the option that writes it, those that identify a row, and the numbers.
fn tables() -> [(&'static str, &'static [RelationColumn], &'static [ScoreColumn]); 3] {
    [
        ("", &PAIR_COLUMNS, &PAIR_NUMBERS),
        ("--by-residue", &RESIDUE_COLUMNS, &RESIDUE_NUMBERS),
        ("--by-structure", &STRUCTURE_COLUMNS, &STRUCTURE_NUMBERS),
    ]
}

/// All columns, as JSON.
fn described() -> Vec<Value> {
    let of_table = |(table, columns, numbers): (&'static str, &'static [RelationColumn], &'static [ScoreColumn])| {
        columns.iter().map(move |column| {
            let source = numbers.iter().find(|number| number.name == column.name).map_or("", |number| number.source);
            json!({ "name": column.name, "table": table, "unit": column.unit, "definition": column.definition, "source": source })
        })
    };
    tables().into_iter().flat_map(of_table).collect()
}

/// Prints all columns.
pub fn list(format: FormatArg) -> Result<(), Failure> {
    let (mut out, all) = (stdout().lock(), described());
    if format == FormatArg::Json {
        writeln!(out, "{:#}", Value::from(all))?;
        return Ok(out.flush()?);
    }
    let mut table = None;
    for column in &all {
        let text = |key: &str| column[key].as_str().unwrap_or_default();
        if table.replace(text("table")) != Some(text("table")) {
            writeln!(out, "{}", format!("prism confidence {}", text("table")).trim_end())?;
        }
        let unit = if text("unit").is_empty() { String::new() } else { format!(" in {}", text("unit")) };
        let source = if text("source").is_empty() { String::new() } else { format!(" [{}]", text("source")) };
        writeln!(out, "  {:18}  {}{unit}{source}", text("name"), text("definition"))?;
    }
    Ok(out.flush()?)
}

/// Prints the definition of a column.
pub fn explain(name: &str, format: FormatArg) -> Result<(), Failure> {
    let all: Vec<Value> = described().into_iter().filter(|column| column["name"] == name).collect();
    if all.is_empty() {
        let names = tables().into_iter().flat_map(|(_, columns, _)| columns).map(|column| column.name);
        let meant = nearest(name, names).map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        let advice = "`prism confidence --list` shows all columns";
        return Err(Failure::usage(anyhow::anyhow!("there is no column {name:?}{meant}; {advice}")));
    }
    let mut out = stdout().lock();
    if format == FormatArg::Json {
        writeln!(out, "{:#}", Value::from(all))?;
        return Ok(out.flush()?);
    }
    for column in &all {
        let text = |key: &str| column[key].as_str().unwrap_or_default();
        writeln!(
            out,
            "{name}{}",
            if text("table").is_empty() { String::new() } else { format!(" ({})", text("table")) }
        )?;
        for key in ["definition", "unit", "source"].into_iter().filter(|key| !text(key).is_empty()) {
            writeln!(out, "  {key:<10}  {}", text(key))?;
        }
    }
    Ok(out.flush()?)
}
