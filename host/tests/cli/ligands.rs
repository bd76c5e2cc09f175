//! `prism ligands` from a user's view.

use crate::command::{Run, column, shipped};
use std::path::{Path, PathBuf};

fn cut(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

#[test]
fn haem_is_in_the_first_site_and_bonded_to_cysteines() {
    let run = Run::new();
    let input = cut("1kx2_cut.pdb.gz");
    let table =
        run.prism(&["ligands", "--backend", "cpu", "--name-by", "stem", input.to_str().unwrap(), "--status", "s.csv"]);
    assert_eq!(table.status, 0, "{}", table.stderr);
    assert_eq!(column(&table.stdout, "structure"), ["1kx2_cut"]);
    assert_eq!(column(&table.stdout, "kind"), ["ligand"]);
    assert_eq!(column(&table.stdout, "site"), ["1"]);
    // The entry's struct_conn lists these two bonds.
    assert_eq!(column(&table.stdout, "bonds"), ["A_11:SG-CAB A_14:SG-CAC"]);
    assert_eq!(column(&table.stdout, "bonds_by"), ["both both"]);
    assert_eq!(column(&table.stdout, "metal_bonds"), ["A_15:NE2-FE A_53:SD-FE"], "its axial ligands");
    assert!(std::fs::read_to_string(run.path("s.csv")).unwrap().contains("1kx2_cut,61,"));
}

#[test]
fn every_format_has_the_same_lines() {
    let run = Run::new();
    let input = cut("1igy_cut.cif.gz");
    let input = input.to_str().unwrap();
    let csv = run.prism(&["ligands", "--backend", "cpu", input]);
    assert_eq!(csv.stdout.lines().count(), 1 + 18, "{}", csv.stderr);
    for name in ["t.parquet", "t.arrow", "t.json", "t.jsonl", "t.tsv"] {
        let outcome = run.prism(&["ligands", "--backend", "cpu", input, "-o", name]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    }
    let lines = std::fs::read_to_string(run.path("t.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["resname"], &first["kind"], first["bonds"].as_array().unwrap().len()),
        (&"NAG".into(), &"glycan".into(), 1)
    );
    assert_eq!(lines.lines().count(), 18);
}

#[test]
fn buried_water_has_a_line_for_each_cluster() {
    let run = Run::new();
    let lysozyme = cut("1aki.cif.gz");
    let lysozyme = lysozyme.to_str().unwrap();
    let table = run.prism(&["ligands", "--backend", "cpu", lysozyme]);
    assert_eq!(column(&table.stdout, "kind"), ["water"], "{}", table.stderr);
    assert_eq!(column(&table.stdout, "waters"), ["A_131 A_138 A_143"]);
    assert_eq!([column(&table.stdout, "resname"), column(&table.stdout, "atoms")], [["HOH"], ["3"]]);
    let none = run.prism(&["ligands", "--backend", "cpu", "--select", "protein", lysozyme]);
    assert_eq!((none.status, none.stdout.lines().count()), (0, 1), "{}", none.stderr);
}

#[test]
fn shares_of_the_inputs_are_all_inputs() {
    let run = Run::new();
    for name in ["1igy_cut.cif.gz", "1fbl_cut.cif.gz", "1kx2_cut.pdb.gz"] {
        run.copy(&cut(name), &format!("in/{name}"));
    }
    let all = run.prism(&["ligands", "--backend", "cpu", "in"]);
    let mut parts: Vec<String> = Vec::new();
    for shard in ["1/2", "2/2"] {
        let part = run.prism(&["ligands", "--backend", "cpu", "--shard", shard, "in"]);
        parts.extend(part.stdout.lines().skip(1).map(str::to_owned));
    }
    let mut expected: Vec<String> = all.stdout.lines().skip(1).map(str::to_owned).collect();
    assert_eq!(expected.len(), 18 + 7 + 1);
    parts.sort();
    expected.sort();
    assert_eq!(parts, expected);
    run.prism(&["ligands", "--backend", "cpu", "--shard", "4/4", "in"]).says(1, "no input for this share");
}

#[test]
fn columns_are_listed_and_explained() {
    let run = Run::new();
    let list = run.prism(&["ligands", "--list"]);
    assert!(list.status == 0 && list.stdout.contains("site_distance"), "{}", list.stdout);
    let one = run.prism(&["ligands", "--explain", "buried"]);
    assert!(one.stdout.contains("unit        Å^2"), "{}", one.stdout);
    run.prism(&["ligands", "--explain", "buryed"]).says(2, "did you mean buried?");
    run.prism(&["ligands", "--het", "cover", "x.cif"]).says(2, "--het cover has no effect here");
}

#[test]
fn selections_and_parts_take_ligands_along_and_data_sets_have_none() {
    let run = Run::new();
    let input = cut("1igy_cut.cif.gz");
    let input = input.to_str().unwrap();
    let chosen = run.prism(&["ligands", "--backend", "cpu", "--select", "protein or resname NAG", input]);
    assert_eq!(column(&chosen.stdout, "resname"), ["NAG"; 6], "{}", chosen.stderr);
    let ubiquitin = shipped("1ubq.pdb");
    let none = run.prism(&["ligands", "--backend", "cpu", ubiquitin.to_str().unwrap()]);
    assert_eq!((none.status, none.stdout.lines().count()), (0, 1), "water alone: {}", none.stderr);
    run.prism(&["pack", input, "-o", "x.arrow"]);
    run.prism(&["ligands", "--backend", "cpu", "x.arrow"]).says(2, "keeps neither ligands");
}
