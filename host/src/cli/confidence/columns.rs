//! `--list` and `--explain`.

use crate::cli::args::FormatArg;
use crate::cli::failure::Failure;
use prism_host::confidence::{PAIR_NUMBERS, RESIDUE_NUMBERS, STRUCTURE_NUMBERS, ScoreColumn};
use prism_host::nearest::nearest;
use prism_host::output::{COMPARED_PAIR_COLUMNS, COMPARED_STRUCTURE_COLUMNS, RESIDUE_COLUMNS, RelationColumn};
use serde_json::{Value, json};
use std::io::{Write, stdout};

/// Each table with its columns: the option that writes it, those that identify a row, and the numbers.
fn tables() -> [(&'static str, &'static [RelationColumn], &'static [ScoreColumn]); 3] {
    [
        ("", &COMPARED_PAIR_COLUMNS, &PAIR_NUMBERS),
        ("--by-residue", &RESIDUE_COLUMNS, &RESIDUE_NUMBERS),
        ("--by-structure", &COMPARED_STRUCTURE_COLUMNS, &STRUCTURE_NUMBERS),
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
