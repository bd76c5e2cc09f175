//! Features compared with values that other programs computed from the same files.
//!
//! The values in `data/` are always compared. For a whole corpus, `PRISM_CORPUS` names a directory with `dev/` (structure
//! files), and `PRISM_REFERENCE` one with `dev.parquet` and `dev_structures.csv` (the same tables).

mod areas;
mod compare;
#[path = "../oracle/graph.rs"]
mod graph;
#[path = "../oracle/residues.rs"]
#[allow(dead_code)]
mod residues;
#[path = "../oracle/shipped.rs"]
mod shipped;
mod table;

use compare::faults;
use prism_host::read::{ReadOptions, read_path};
use prism_host::{Backend, Engine, StructureFeatures, StructureInput};
use shared_types::MegaFusedConfig;
use std::path::{Path, PathBuf};
use table::Tables;

fn run(structures: &[StructureInput], config: MegaFusedConfig) -> Vec<StructureFeatures> {
    Engine::builder().backend(Backend::Cpu).config(config).build().unwrap().run(structures).unwrap()
}

/// All differences beyond the tolerances.
fn all_faults(structures: &[StructureInput], tables: &Tables) -> Vec<String> {
    // 8 Å, 100 points.
    let config = MegaFusedConfig::default();
    let standard = run(structures, config);
    let others = run(structures, MegaFusedConfig { contact_threshold: 10.0, points: 1000, ..config });
    let mut all: Vec<String> = structures
        .iter()
        .zip(standard.iter().zip(&others))
        .flat_map(|(s, (at_8, at_10))| faults(s, at_8, at_10, tables))
        .collect();
    for (name, difference) in areas::differences(structures, &standard, &others, tables) {
        eprintln!("{name}: {difference}");
        if difference.is_large() {
            all.push(format!("{name}: {difference}"));
        }
    }
    all
}

const ROWS: &[u8] = include_bytes!("../../data/reference.csv");
const STRUCTURES: &[u8] = include_bytes!("../../data/reference_structures.csv");

#[test]
fn shipped_structures_have_the_values_of_other_programs() {
    let tables = Tables { rows: table::from_csv(ROWS, "structure"), structures: table::from_csv(STRUCTURES, "file") };
    let faults = all_faults(&shipped::structures(), &tables);
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_wrong_value_is_seen() {
    let structures = &shipped::structures()[..1];
    for column in [
        "cn8",
        "cn10",
        "wcn",
        "hse_up",
        "hse_down",
        "evc8",
        "ca_angle",
        "ca_dihedral",
        "b_ca",
        "sasa_sr100",
        "sasa_sr1000",
        "rsa_tien",
        "cx_mean",
    ] {
        let mut tables =
            Tables { rows: table::from_csv(ROWS, "structure"), structures: table::from_csv(STRUCTURES, "file") };
        let value = tables.rows.get_mut("1crn.pdb").unwrap().number_mut(column, 20);
        *value = *value * 1.5 + 1.0;
        assert!(!all_faults(structures, &tables).is_empty(), "{column}");
    }
}

fn directory(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

/// Structure files, with their names in the tables.
fn files(directory: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name.strip_suffix(".gz").unwrap_or(&name).to_owned(), path)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_corpus_has_the_values_of_other_programs() {
    let (Some(corpus), Some(reference)) = (directory("PRISM_CORPUS"), directory("PRISM_REFERENCE")) else {
        eprintln!("skipped: PRISM_CORPUS and PRISM_REFERENCE must name directories");
        return;
    };
    let summary = std::fs::read(reference.join("dev_structures.csv")).unwrap();
    let tables = Tables {
        rows: table::from_parquet(&reference.join("dev.parquet")),
        structures: table::from_csv(&summary, "file"),
    };
    let known: Vec<_> =
        files(&corpus.join("dev")).into_iter().filter(|(name, _)| tables.rows.contains_key(name)).collect();
    assert_eq!(known.len(), tables.rows.len(), "a file for every structure of the table");
    let mut structures: Vec<_> = known
        .iter()
        .map(|(name, path)| read_path(path, name, &ReadOptions::standard()).unwrap_or_else(|e| panic!("{e}")).structure)
        .collect();
    // Other programs take a chain of alpha carbons alone for a whole one, so their values are compared as if it were.
    let traces: Vec<_> = structures.iter().filter(|s| !s.traces.is_empty()).map(|s| s.name.clone()).collect();
    assert_eq!(traces, ["2k39.pdb"], "chains of alpha carbons or backbones alone");
    structures.iter_mut().for_each(|structure| structure.traces.clear());
    let mut faults = all_faults(&structures, &tables);
    // If alpha carbons coincide, the direction between neighbours is undefined, and so are these columns.
    let coinciding = |fault: &String| {
        fault.starts_with("dummy_insertions.pdb") && fault.contains(": NaN, expected") && !fault.contains("wcn")
    };
    let all = faults.len();
    faults.retain(|fault| !coinciding(fault));
    let excepted = all - faults.len();
    let rows: usize = structures.iter().map(|one| one.n_residues()).sum();
    eprintln!("{} structures, {rows} rows, {excepted} values at coinciding atoms excepted", structures.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
