//! `prism check`: reads inputs without computing, and reports the outcome.

use super::args::{CheckArgs, FormatArg};
use super::failure::Failure;
use super::files::Files;
use super::interrupt::Interrupt;
use super::job::{note_ignored, read_options, refuse_nothing};
use super::limits::{no_thread, no_threads};
use super::report::Report;
use prism_host::StructureInput;
use prism_host::pipeline::{Outcome, StructureFiles};
use prism_host::plural::{counted, form};
use serde_json::{Value, json};
use std::io::{BufWriter, Write, stdout};
use std::sync::Arc;

/// Atoms that are read before results are printed.
const BATCH_ATOMS: usize = 1 << 18;

/// Reads the inputs and prints the outcome of each. Returns the exit status.
pub fn run(args: &CheckArgs) -> Result<u8, Failure> {
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let inputs = args.read.discover(&args.paths, Files::default().writes_table(None))?;
    let mut report = Report::new(inputs.entries.len());
    note_ignored(&inputs, &report);
    refuse_nothing(&inputs)?;
    let cancel = interrupt.cancel();
    let source = StructureFiles::new(inputs.entries, read_options(&args.read), Arc::default(), BATCH_ATOMS, cancel);
    let mut out = BufWriter::new(stdout().lock());
    for batch in source.map_err(|error| no_threads(&error))? {
        let mut structures = batch.structures.iter();
        for outcome in &batch.outcomes {
            let line = match outcome {
                Outcome::Said { name, text } => {
                    report.note(&format!("{name}: {text}"));
                    continue;
                }
                Outcome::Failed(failure) => {
                    report.failed += u64::from(!failure.no_protein);
                    refused(&failure.name, &failure.reason, args.format)
                }
                Outcome::Read { notes, .. } => {
                    let Some(structure) = structures.next() else { break };
                    report.structures += 1;
                    report.residues += structure.n_rows() as u64;
                    let notes: Vec<String> = notes.iter().map(|note| note.text.clone()).collect();
                    taken(structure, &notes, args.format)
                }
            };
            writeln!(out, "{line}")?;
            if args.read.fail_fast && report.failed > 0 {
                out.flush()?;
                return Ok(report.exit_status());
            }
        }
        report.advance(batch.outcomes.len());
    }
    out.flush()?;
    report.clear_bar();
    if cancel.is_cancelled() {
        return Err(Failure::Interrupted(interrupt.exit_status()));
    }
    report.sum_up("nothing was computed");
    Ok(report.exit_status())
}

fn refused(name: &str, reason: &str, format: FormatArg) -> String {
    match format {
        FormatArg::Text => format!("{name}: refused: {reason}"),
        FormatArg::Json => json!({ "structure": name, "status": "refused", "reason": reason }).to_string(),
    }
}

fn taken(structure: &StructureInput, notes: &[String], format: FormatArg) -> String {
    let (residues, atoms) = (structure.n_rows(), structure.n_atoms_of_rows());
    let covering = structure.n_atoms() - atoms;
    let id = |chain: u32| structure.chains.get(chain as usize).map_or("", String::as_str);
    let chains: Vec<_> = structure.rows_of_chains().into_iter().map(|(chain, rows)| (id(chain), rows)).collect();
    if format == FormatArg::Json {
        let chains: Vec<Value> =
            chains.iter().map(|(id, residues)| json!({ "chain": id, "residues": residues })).collect();
        return json!({ "structure": structure.name, "status": "read", "residues": residues, "atoms": atoms,
            "covering_atoms": covering, "chains": chains, "notes": notes })
        .to_string();
    }
    let shown: Vec<String> = chains.iter().map(|(id, residues)| format!("{id} ({residues})")).collect();
    let mut text = format!(
        "{}: {}, {}, {} {}",
        structure.name,
        counted(residues, "residue", "residues"),
        counted(atoms, "heavy atom", "heavy atoms"),
        form(chains.len(), "chain", "chains"),
        shown.join(", ")
    );
    if covering > 0 {
        text.push_str(&format!("; {} surface", counted(covering, "other atom covers", "other atoms cover")));
    }
    for note in notes {
        text.push_str("\n    ");
        text.push_str(note);
    }
    text
}
