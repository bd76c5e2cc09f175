//! `prism dssp` against mkdssp. `tests/data/make_dssp_text.py` runs it and makes a structure of what is rare.

use crate::command::{Run, shipped};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

fn unzipped(path: &Path) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// The text after the line that has the date.
fn undated(text: &str) -> &str {
    let (first, rest) = text.split_once('\n').unwrap();
    let head =
        "==== Secondary Structure Definition by the program DSSP, NKI version 4.0                           ==== DATE=";
    assert!(first.starts_with(head) && first.len() == head.len() + "2026-11-28        .".len(), "{first}");
    rest
}

#[test]
fn texts_are_those_of_mkdssp_byte_for_byte() {
    let run = Run::new();
    for structure in ["1crn.pdb.gz", "1aki.cif.gz", "1a8o.cif.gz", "1bna.pdb.gz", "4zhl.cif.gz", "dssp/made.pdb.gz"] {
        let path = data(structure);
        let outcome = run.prism(&["dssp", path.to_str().unwrap(), "-o", "x.dssp"]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let own = fs::read_to_string(run.path("x.dssp")).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap();
        let expected = unzipped(&data(&format!("dssp/{name}.dssp.gz")));
        for (at, (own, expected)) in undated(&own).lines().zip(expected.lines()).enumerate() {
            assert_eq!(own, expected, "{structure}, line {}", at + 2);
        }
        assert_eq!(undated(&own), expected, "{structure}");
        // Without a name it goes to standard output.
        assert_eq!(undated(&run.prism(&["dssp", path.to_str().unwrap()]).stdout), expected);
    }
}

#[test]
fn residues_follow_from_the_atoms_if_the_file_has_no_table_of_them() {
    let run = Run::new();
    let whole = fs::read_to_string(shipped("1crn.cif")).unwrap();
    run.put("whole.cif", &whole);
    // mkdssp needs this table and the HEADER record, and finds no residue or refuses the file.
    let begin = whole.find("loop_\n_pdbx_poly_seq_scheme").unwrap();
    let end = begin + whole[begin..].find("\n#").unwrap();
    run.put("bare.cif", format!("{}{}", &whole[..begin], &whole[end..]));
    let atoms = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let atoms: Vec<&str> =
        atoms.lines().filter(|line| line.starts_with("ATOM") || line.starts_with("SSBOND")).collect();
    run.put("bare.pdb", atoms.join("\n"));
    run.copy(&shipped("1crn.bcif"), "whole.bcif");
    let residues = |name: &str| {
        let outcome = run.prism(&["dssp", name]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let lines: Vec<String> = outcome.stdout.lines().skip(6).map(str::to_owned).collect();
        assert_eq!(lines.len(), 22 + 46);
        lines
    };
    let expected = residues("whole.cif");
    for name in ["bare.cif", "bare.pdb"] {
        for (own, expected) in residues(name).iter().zip(&expected) {
            assert_eq!(own, expected, "{name}");
        }
    }
    // This file has no disulfides: their cysteines have a small letter.
    let cysteine = |line: &String| match line.as_bytes()[13] {
        b'a'..=b'z' => format!("{}C{}", &line[..13], &line[14..]),
        _ => line.clone(),
    };
    for (own, expected) in residues("whole.bcif").iter().zip(&expected).skip(22) {
        assert_eq!(*own, cysteine(expected));
    }
}

#[test]
fn a_folder_gets_a_file_for_each_structure() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "in/1crn.pdb");
    run.copy(&shipped("1crn.cif"), "in/1crn.cif");
    run.copy(&shipped("1ubq.pdb"), "in/deep/1ubq.ent");
    run.put("in/bad.pdb", "no structure\n");
    run.prism(&["dssp", "in", "-o", "out/"]).says(3, "bad.pdb: no atoms");
    // Names without extensions, unless two would be one.
    for name in ["1crn.cif.dssp", "1crn.pdb.dssp", "deep/1ubq.dssp"] {
        assert!(run.path("out").join(name).is_file(), "{name}");
    }
    assert_eq!(fs::read_dir(run.path("out")).unwrap().count(), 3);
    run.prism(&["dssp", "in/1crn.pdb", "in/1crn.cif", "-o", "x.dssp"])
        .says(1, "a file holds one structure: give a folder");
    run.prism(&["dssp", "in/1crn.pdb", "-o", "x.csv"]).says(2, "x.csv: give a .dssp for one structure, or a folder");
    run.prism(&["dssp", "in/1crn.pdb", "--chains", "A"]).says(2, "takes the first model of each file as a whole");
    // An input is never overwritten.
    run.prism(&["dssp", "in/1crn.pdb", "-o", "in/1crn.pdb"]).says(2, "in/1crn.pdb");
}

#[test]
fn the_shortest_polyproline_helix_can_have_two_residues() {
    let run = Run::new();
    run.copy(&shipped("1ubq.pdb"), "1ubq.pdb");
    let helices = |arguments: &[&str]| -> Vec<String> {
        let text = run.prism(&[&["dssp", "1ubq.pdb"], arguments].concat()).stdout;
        let lines = text.lines().skip(28).filter(|line| &line[17..18] != " ");
        lines.map(|line| line[5..10].trim().to_owned()).collect()
    };
    // By `mkdssp` and `mkdssp --min-pp-stretch 2`.
    assert_eq!(helices(&[]).join(" "), "49 50 51 61 62 63");
    assert_eq!(helices(&["--min-pp-stretch", "2"]).join(" "), "6 7 21 22 36 37 49 50 51 61 62 63");
}
