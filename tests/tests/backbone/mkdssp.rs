//! States and energies compared with those of mkdssp 4.

use crate::launch;
use cuda_std::launch::CpuExecutor;
use prism_host::StructureInput;
use prism_host::read::{Alternates, ReadOptions, read_path};
use shared_types::backbone::{NO_ROLES, SecondaryStructure};
use shared_types::feature::{BackboneRow, column};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tests::data;

/// A residue as mkdssp lists it.
struct Listed {
    key: (String, i32, String),
    state: String,
    angles: [Option<f32>; 2],
    energies: [f32; 2],
}

/// The residues of each file.
fn listed(path: &Path) -> HashMap<String, Vec<Listed>> {
    let mut files: HashMap<String, Vec<Listed>> = HashMap::new();
    let mut reader = csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for record in reader.records() {
        let record = record.expect("a line");
        let number = |at: usize| record[at].parse::<f32>().expect("a number");
        let angle = |at: usize| (!record[at].is_empty()).then(|| number(at));
        files.entry(record[0].to_owned()).or_default().push(Listed {
            key: (record[1].to_owned(), record[2].parse().expect("a residue number"), record[3].to_owned()),
            state: record[4].to_owned(),
            angles: [angle(5), angle(6)],
            energies: [number(7), number(8)],
        });
    }
    files
}

fn letter(row: &BackboneRow) -> &'static str {
    SecondaryStructure::letter(row.columns[column::SS])
}

/// Differences found in a file.
#[derive(Default)]
struct Outcome {
    residues: usize,
    /// Listed residues without a row or state.
    missing: usize,
    /// Rows with a state that are missing in the list.
    unlisted: Vec<usize>,
    states: Vec<String>,
    energies: Vec<String>,
    angles: Vec<String>,
}

fn compare(structure: &StructureInput, rows: &[BackboneRow], listed: &[Listed]) -> Outcome {
    let mut outcome = Outcome { residues: listed.len(), ..Outcome::default() };
    let known: HashSet<_> = listed.iter().map(|residue| &residue.key).collect();
    let mut found: HashMap<(String, i32, String), &BackboneRow> = HashMap::new();
    for (i, row) in rows.iter().enumerate() {
        let chain = structure.chains[structure.chain_ids[i] as usize].trim().to_owned();
        let key = (chain, structure.residue_numbers[i], structure.insertion_codes[i].to_string());
        if !known.contains(&key) && !letter(row).is_empty() {
            outcome.unlisted.push(i);
        }
        found.entry(key).or_insert(row);
    }
    for residue in listed {
        let name = format!("{}{}{}", residue.key.0, residue.key.1, residue.key.2);
        // mkdssp's table has one-letter chain ids.
        let Some(row) = found.get(&residue.key).filter(|row| !letter(row).is_empty()) else {
            outcome.missing += 1;
            continue;
        };
        if letter(row) != residue.state {
            outcome.states.push(format!("{name} {}, expected {}", letter(row), residue.state));
        }
        let energies = [column::HBOND_ENERGY_NH, column::HBOND_ENERGY_CO].map(|at| row.columns[at]);
        for (what, (found, listed)) in ["nh", "co"].iter().zip(energies.into_iter().zip(residue.energies)) {
            let found = if found.is_nan() { 0.0 } else { found };
            if (found - listed).abs() > 0.0511 {
                outcome.energies.push(format!("{name} {what} {found}, expected {listed}"));
            }
        }
        for (found, listed) in [column::PHI, column::PSI].map(|at| row.columns[at]).into_iter().zip(residue.angles) {
            let agree = match listed {
                None => found.is_nan(),
                Some(listed) => ((found - listed + 540.0).rem_euclid(360.0) - 180.0).abs() <= 0.0511,
            };
            if !agree {
                outcome.angles.push(format!("{name} {found}, expected {listed:?}"));
            }
        }
    }
    outcome
}

fn read(path: &Path) -> Option<StructureInput> {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    // The options with which the table was made.
    let options = ReadOptions { alternates: Alternates::First, ..ReadOptions::default() };
    read_path(path, name, &options).ok().map(|read| read.structure)
}

fn rows_of(structure: &StructureInput) -> Vec<BackboneRow> {
    launch::rows(&CpuExecutor::new(), std::slice::from_ref(structure), 128, u32::MAX).remove(0)
}

/// Compares only the residues that mkdssp lists. Removing the others breaks the chain here as it does there.
fn compare_listed(structure: &StructureInput, listed: &[Listed]) -> Outcome {
    let all = compare(structure, &rows_of(structure), listed);
    if all.unlisted.is_empty() {
        return all;
    }
    let mut less = structure.clone();
    all.unlisted.iter().for_each(|&row| less.roles[row] = NO_ROLES);
    let outcome = compare(&less, &rows_of(&less), listed);
    println!(
        "    {} of {} residues differ if the {} unlisted ones take part",
        all.states.len(),
        listed.len(),
        all.unlisted.len()
    );
    outcome
}

/// The files of a dev corpus have the states of mkdssp, if `PRISM_DSSP` names the output of `make_dssp_reference.py`.
#[test]
fn corpus_files_have_the_states_of_mkdssp() {
    let (Some(corpus), Some(table)) = (std::env::var_os("PRISM_CORPUS"), std::env::var_os("PRISM_DSSP")) else {
        println!("skipped: PRISM_CORPUS and PRISM_DSSP must name the structures and the output of mkdssp");
        return;
    };
    let mut files: Vec<_> = listed(Path::new(&table)).into_iter().collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut residues, mut states, mut worse) = (0, 0, Vec::new());
    for (name, listed) in files {
        let path: PathBuf = Path::new(&corpus).join("dev").join(&name);
        let Some(structure) = read(&path) else { continue };
        println!("{name}:");
        let outcome = compare_listed(&structure, &listed);
        println!(
            "    {} listed, {} rows, {} missing, {} states, {} energies, {} angles differ",
            outcome.residues,
            structure.n_residues(),
            outcome.missing,
            outcome.states.len(),
            outcome.energies.len(),
            outcome.angles.len()
        );
        for (what, list) in [("states", &outcome.states), ("energies", &outcome.energies), ("angles", &outcome.angles)]
        {
            if !list.is_empty() {
                println!("    {what}: {}", list[..list.len().min(12)].join(", "));
            }
        }
        residues += outcome.residues - outcome.missing;
        states += outcome.states.len();
        if 1000 * (outcome.states.len() + outcome.missing) > outcome.residues {
            worse.push(name);
        }
    }
    println!("{residues} residues compared, {states} states differ");
    assert!(worse.is_empty(), "more than one state of a thousand differs: {worse:?}");
}

#[test]
fn shipped_structures_have_the_states_and_energies_of_mkdssp() {
    let files = listed(&data::path("tests/data/dssp_reference.csv"));
    assert!(files.len() >= 6, "{} files", files.len());
    for (name, listed) in &files {
        let folders = ["tests/data", "host/tests/data", "data"];
        let path = folders.iter().map(|folder| data::path(folder).join(name)).find(|path| path.exists());
        let structure = path.as_deref().and_then(read).unwrap_or_else(|| panic!("{name} is not shipped"));
        let outcome = compare(&structure, &rows_of(&structure), listed);
        assert_eq!(outcome.unlisted, [0; 0], "{name}");
        let Outcome { missing, states, energies, angles, .. } = outcome;
        assert_eq!((missing, states, energies, angles), (0, vec![], vec![], vec![]), "{name}");
    }
}
