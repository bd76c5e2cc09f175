//! Rows of ligands: `prism features --het rows`.

use crate::command::{Run, column, example, predicted};
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

/// The columns of ligands that have values: those that depend on their atoms.
const WITH_VALUES: [&str; 9] =
    ["sasa", "sasa_apolar", "cx", "depth", "atomic_contacts", "b_factor", "ca_x", "ca_y", "ca_z"];
/// Those that identify a row.
const IDENTITY: [&str; 8] = ["structure", "row", "chain", "resnum", "icode", "resname", "parent", "polymer"];

#[test]
fn ligands_follow_the_residues_of_polymers_which_keep_their_values() {
    let run = Run::new();
    for (name, kinds) in [
        ("1kx2_cut.pdb.gz", vec!["ligand"]),
        ("1igy_cut.cif.gz", vec!["glycan"; 18]),
        ("1fbl_cut.cif.gz", vec!["ion", "ion", "ion", "ion", "ion", "ion", "ligand"]),
    ] {
        let input = data(name);
        let input = input.to_str().unwrap();
        let [cover, rows] = ["cover", "rows"].map(|het| {
            let table = run.features(&[input, "--polymers", "all", "--het", het]);
            assert_eq!(table.status, 0, "{}", table.stderr);
            table.stdout
        });
        let polymers = cover.lines().count() - 1;
        assert!(rows.starts_with(&cover), "{name}: every column of every residue is the same to the last digit");
        let of = |name: &str| column(&rows, name).split_off(polymers);
        let mut found = of("polymer");
        let ligands = run.prism(&["ligands", "--backend", "cpu", input]).stdout;
        assert_eq!(found, column(&ligands, "kind"), "{name}");
        found.sort();
        assert_eq!(found, kinds, "{name}");
        // What another command says of the same residues.
        for (own, other) in [
            ("chain", "chain"),
            ("resnum", "resnum"),
            ("resname", "resname"),
            ("sasa", "sasa_complex"),
            ("b_factor", "b_factor"),
        ] {
            assert_eq!(of(own), column(&ligands, other), "{name}: {own}");
        }
        let first = polymers.to_string();
        assert_eq!(of("row").first(), Some(&first));
        for name in rows.lines().next().unwrap().split(',').filter(|name| !IDENTITY.contains(name)) {
            let has_values = WITH_VALUES.contains(&name);
            assert!(of(name).iter().all(|value| value.is_empty() != has_values), "{name}: {:?}", of(name));
        }
    }
}

#[test]
fn a_ligand_is_in_its_place() {
    let run = Run::new();
    let input = data("1kx2_cut.pdb.gz");
    let input = input.to_str().unwrap();
    let rows = run.features(&[input, "--het", "rows", "--columns", "polymer,ca_x,ca_y,ca_z,atomic_contacts"]).stdout;
    let atoms = run.prism(&["atoms", "--backend", "cpu", input, "--het", "cover"]).stdout;
    let of_haem: Vec<usize> =
        column(&atoms, "row").iter().enumerate().filter(|(_, row)| *row == "-1").map(|(place, _)| place).collect();
    for (own, along) in [("ca_x", "x"), ("ca_y", "y"), ("ca_z", "z")] {
        let all = column(&atoms, along);
        let sum: f64 = of_haem.iter().map(|&place| all[place].parse::<f64>().unwrap()).sum();
        let found: f64 = column(&rows, own).last().unwrap().parse().unwrap();
        assert!((found - sum / of_haem.len() as f64).abs() < 1e-5, "{own}: {found}");
    }
    // Each atom's contacts may be the same ones.
    let contacts: f64 = column(&rows, "atomic_contacts").last().unwrap().parse().unwrap();
    let of_atoms = column(&atoms, "contacts");
    let of_atoms = of_haem.iter().map(|&place| of_atoms[place].parse::<f64>().unwrap());
    assert!(contacts >= of_atoms.clone().fold(0.0, f64::max) && contacts <= of_atoms.sum(), "{contacts}");
}

#[test]
fn rows_are_of_what_is_read() {
    let run = Run::new();
    let input = data("1igy_cut.cif.gz");
    let input = input.to_str().unwrap();
    let kinds = |arguments: &[&str]| {
        let table =
            run.features(&[&[input, "--het", "rows", "--columns", "structure,chain,polymer"], arguments].concat());
        assert_eq!(table.status, 0, "{}", table.stderr);
        let (polymer, names) = (column(&table.stdout, "polymer"), column(&table.stdout, "structure"));
        let is_ligand = |(kind, _): &(String, String)| kind != "protein";
        polymer.into_iter().zip(names).filter(is_ligand).map(|(_, name)| name).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&[]).len(), 18);
    assert_eq!(kinds(&["--select", "protein"]).len(), 0);
    assert_eq!(kinds(&["--select", "protein or resname MAN"]).len(), 4);
    // Their sugars have chain ids of their own, which no chain with rows has.
    assert_eq!(kinds(&["--each", "chain"]).len(), 0);
    let ions = data("1fbl_cut.cif.gz");
    let ions =
        run.features(&[ions.to_str().unwrap(), "--het", "rows", "--each", "chain", "--columns", "structure,row"]);
    assert_eq!(column(&ions.stdout, "structure"), vec!["1fbl_cut.cif:A"; 120], "{}", ions.stderr);

    // Residues of a polymer that is left out are no ligands.
    let complex = data("1lcd_cut.pdb.gz");
    let complex = complex.to_str().unwrap();
    for (polymers, rows) in [("protein", 51 + 1), ("nucleic", 22 + 1), ("all", 51 + 22 + 1)] {
        let table = run.features(&[complex, "--polymers", polymers, "--het", "rows", "--columns", "chain,sasa"]);
        assert_eq!(table.stdout.lines().count(), 1 + rows, "{polymers}: {}", table.stderr);
    }
}

#[test]
fn every_format_has_the_rows() {
    let run = Run::new();
    let input = data("1fbl_cut.cif.gz");
    let input = input.to_str().unwrap();
    let csv = run.features(&[input, "--het", "rows"]).stdout;
    for name in ["t.csv", "t.parquet", "t.arrow", "t.npz", "t.jsonl", "t.tsv"] {
        let outcome = run.features(&[input, "--het", "rows", "-o", name, "--status", "s.csv"]);
        assert_eq!(outcome.status, 0, "{name}: {}", outcome.stderr);
        let rows = csv.lines().count() - 1;
        assert!(outcome.stderr.contains(&format!("{rows} residues")), "{}", outcome.stderr);
        assert!(fs::read_to_string(run.path("s.csv")).unwrap().contains(&format!("1fbl_cut.cif,{rows},")));
    }
    assert_eq!(fs::read_to_string(run.path("t.csv")).unwrap(), csv);
    let lines = fs::read_to_string(run.path("t.jsonl")).unwrap();
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["sasa"].to_string().parse::<f32>().ok(), column(&csv, "sasa").last().unwrap().parse().ok());
    assert!(last["contact_number"].is_null() && last["site_id"].is_null());
    let mut archive = zip::ZipArchive::new(fs::File::open(run.path("t.npz")).unwrap()).unwrap();
    let mut of = |name: &str| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut archive.by_name(&format!("{name}.npy")).unwrap(), &mut bytes).unwrap();
        bytes
    };
    let kinds = npyz::NpyFile::new(&of("polymer")[..]).unwrap().into_vec::<String>().unwrap();
    assert_eq!(kinds, column(&csv, "polymer"));
    let ranks = npyz::NpyFile::new(&of("site_id")[..]).unwrap().into_vec::<f32>().unwrap();
    assert!(ranks.len() == kinds.len() && ranks.last().unwrap().is_nan());
    // A part of a run into a folder is the same file.
    let parts = run.features(&[input, "--het", "rows", "-o", "parts/"]);
    assert_eq!(parts.status, 0, "{}", parts.stderr);
    let merged = run.prism(&["merge", "parts/", "-o", "m.parquet"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
}

#[test]
fn a_predicted_ligand_has_the_mean_confidence_of_its_atoms() {
    let run = Run::new();
    let model = predicted("TITLE     ALPHAFOLD MODEL\n", |number, _| f64::from(number) / 2.0 + 60.0);
    let atom = |serial: i32, name: &str, x: f64, b: f64| {
        format!(
            "HETATM {serial:4}  {name:<3} LIG B   1    {x:8.3}{:8.3}{:8.3}  1.00{b:6.2}           C  \n",
            40.0, 20.0
        )
    };
    let ligand = atom(9001, "C1", 30.0, 50.0) + &atom(9002, "C2", 31.5, 71.0);
    run.put("x.pdb", model.replace("END\n", &format!("{ligand}END\n")));
    let table = run.features(&["x.pdb", "--het", "rows", "--columns", "polymer,plddt,b_factor,bfactor_z"]).stdout;
    let last = |name: &str| column(&table, name).pop().unwrap();
    assert_eq!(["polymer", "plddt", "b_factor", "bfactor_z"].map(last), ["ligand", "60.5", "60.5", ""]);
    assert_eq!(column(&table, "plddt")[0], "60.5");
}

#[test]
fn structures_are_written_with_values_of_ligands() {
    let run = Run::new();
    run.copy(&data("1kx2_cut.pdb.gz"), "x.pdb.gz");
    let written = run.features(&[
        "x.pdb.gz",
        "--het",
        "rows",
        "--columns",
        "chain,resname,depth",
        "--write-structures",
        "out",
        "--color-by",
        "depth",
    ]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let depth: f64 = column(&written.stdout, "depth").last().unwrap().parse().unwrap();
    let text = fs::read_to_string(run.path("out/x.pdb")).unwrap();
    let of_haem: Vec<&str> = text.lines().filter(|line| line.starts_with("HETATM") && &line[17..20] == "HEC").collect();
    assert!(!of_haem.is_empty());
    assert!(of_haem.iter().all(|line| (line[60..66].trim().parse::<f64>().unwrap() - depth).abs() < 0.0051));
}

#[test]
fn what_has_no_rows_of_ligands_says_so() {
    let run = Run::new();
    run.copy(&example(), "x.pdb");
    let rows = ["--het", "rows"];
    for command in ["sites", "edges", "interface", "summary", "atoms", "ligands", "dssp", "check"] {
        run.prism(&[&[command, "x.pdb"], &rows[..]].concat())
            .says(2, "--het rows: `prism features` has rows of ligands");
    }
    run.prism(&["pack", "x.pdb", "-o", "x.arrow", "--het", "rows"]).says(2, "--het rows: `prism features`");
    run.prism(&["report", "x.pdb", "-o", "x.html", "--het", "rows"]).says(2, "--het rows: `prism features`");
    assert_eq!(run.prism(&["pack", "x.pdb", "-o", "x.arrow"]).status, 0);
    run.prism(&["features", "x.arrow", "--het", "rows"]).says(2, "packed");
    let explained = run.prism(&["features", "--explain", "ca_x"]).stdout;
    assert!(explained.contains("with --het rows the mean over the heavy atoms"), "{explained}");
}
