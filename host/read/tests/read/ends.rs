//! Where files and their models end.

use crate::read_common::*;
use prism_read::{Alternates, Models, NoteKind, ReadOptions, read_bytes, read_structures};

/// Alpha carbons of a chain.
fn chain(id: char, numbers: std::ops::RangeInclusive<u32>, y: f64) -> String {
    let line = |number| {
        let line = atom_line(" CA ", ' ', "GLY", &format!("{id}{number:4} "), f64::from(number) * 3.8);
        line.replacen("   0.000", &format!("{y:8.3}"), 1)
    };
    numbers.map(line).collect()
}

fn names_and_chains(text: &str) -> Vec<(String, Vec<String>)> {
    let options = ReadOptions { models: Models::All, ..ReadOptions::default() };
    let all = read_structures(text.as_bytes(), "x", &options).into_iter().map(|read| read.unwrap().structure);
    all.map(|structure| (structure.name.clone(), structure.chains.clone())).collect()
}

#[test]
fn an_end_between_receptor_and_ligand_divides_no_models() {
    let text = format!("{}TER\nEND\n{}TER\nEND\n", chain('A', 1..=5, 0.0), chain('B', 1..=3, 9.0));
    let both = read(&text);
    assert_eq!((both.structure.chains.join(""), both.structure.n_residues(), both.models), ("AB".to_owned(), 8, 1));
    let note = both.notes.iter().find(|note| note.kind == NoteKind::Repaired).unwrap();
    assert!(note.text.contains("after an END are read with those before it"), "{note}");
    let options = ReadOptions { chains: Some(vec!["B".to_owned()]), ..ReadOptions::default() };
    assert_eq!(read_bytes(text.as_bytes(), "x", &options).unwrap().structure.n_residues(), 3);
    // A ligand, even one with the chain id of its receptor.
    for id in ["A", "B", " "] {
        let ligand = atom_line(" C1 ", ' ', "LIG", &format!("{id}   1 "), 1.0).replace("ATOM  ", "HETATM");
        let text = format!("{}END\n{ligand}END\n", chain('A', 1..=5, 0.0));
        let options = ReadOptions { cover: true, ..ReadOptions::default() };
        let read = read_bytes(text.as_bytes(), "x", &options).unwrap();
        assert_eq!((read.structure.n_rows(), read.structure.n_atoms(), read.models), (5, 6, 1), "chain {id:?}");
    }
}

#[test]
fn a_part_belongs_to_the_frame_before_it() {
    let frame = |shift| format!("{}END\n{}END\n", chain('A', 1..=5, shift), chain('B', 1..=3, 9.0 + shift));
    let text = [frame(0.0), frame(0.5), frame(1.0)].concat();
    let both = ["A".to_owned(), "B".to_owned()].to_vec();
    let named = |name: &str| (name.to_owned(), both.clone());
    assert_eq!(names_and_chains(&text), [named("x#1"), named("x#2"), named("x#3")]);
    // Where records divide models, END ends the file.
    let models = format!("MODEL        1\n{}ENDMDL\nEND\n{}END\n", chain('A', 1..=5, 0.0), chain('B', 1..=3, 9.0));
    assert_eq!(names_and_chains(&models).len(), 2);
    // Another structure of mostly the same residues is another model.
    let other = format!("{}END\n{}END\n", chain('A', 1..=5, 0.0), chain('A', 2..=6, 20.0));
    assert_eq!(names_and_chains(&other).len(), 2);
}

#[test]
fn many_parts_without_number_are_read() {
    let one = |i: u32| format!("{}END\n", chain(char::from(b'A' + (i % 26) as u8), 1..=1, f64::from(i % 900) * 5.0));
    let text: String = (0..40_000).map(one).collect();
    assert_eq!(names_and_chains(&text).len(), 40_000_usize.div_ceil(26));
}

#[test]
fn a_file_that_lacks_chains_of_its_header_and_its_end_may_be_cut() {
    let header =
        "SEQRES   1 A    5  GLY GLY GLY GLY GLY\nSEQRES   1 B    3  GLY GLY GLY\nSEQRES   1 C    3  GLY GLY GLY\n";
    let maybe_cut = |text: &str| {
        let notes = read(text).notes;
        notes.into_iter().find(|note| note.kind == NoteKind::MaybeCut).map(|note| note.text)
    };
    let (a, b, c) = (chain('A', 1..=5, 0.0), chain('B', 1..=3, 9.0), chain('C', 1..=3, 18.0));
    assert_eq!(
        maybe_cut(&format!("{header}{a}")).unwrap(),
        "the file has no END, and no atoms of chains B,C, which SEQRES names: it may be cut"
    );
    assert!(maybe_cut(&format!("{header}{a}{b}")).unwrap().contains("no atoms of chain C, which"));
    let blank = header.replace("1 A", "1  ");
    assert!(maybe_cut(&format!("{blank}{b}{c}")).unwrap().contains("no atoms of chain \" \", which"));
    // A chain without atoms in a whole file; no END in a file that has all chains; no SEQRES; records that follow all atoms.
    let after = [format!("{header}{a}CONECT    1    2\n"), format!("{header}{a}MASTER        0    0\n")];
    for whole in [format!("{header}{a}END\n"), format!("{header}{a}{b}{c}"), a.clone()].into_iter().chain(after) {
        assert_eq!(maybe_cut(&whole), None);
    }
    // Models after the first are not looked at.
    let model = |number: u32| format!("MODEL {number:8}\n{a}ENDMDL\n");
    assert_eq!(maybe_cut(&format!("{header}{}{}END\n", model(1), model(2))), None);
}

/// Programs for docking write the ligand first, too, and give it the receptor's chain id, or its records.
#[test]
fn a_ligand_may_stand_before_its_receptor() {
    for (record, name, number) in [
        ("HETATM", "LIG", 1),
        ("HETATM", "UNK", 900),
        ("ATOM  ", "LIG", 1),
        ("ATOM  ", "LIG", 900),
        ("ATOM  ", "UNK", 900),
    ] {
        let ligand = |y: f64| {
            let line = atom_line(" C1 ", ' ', name, &format!("A{number:4} "), 1.0).replace("ATOM  ", record);
            format!("{}END\n", line.replacen("   0.000", &format!("{y:8.3}"), 1))
        };
        let text = format!("{}{}END\n", ligand(9.0), chain('A', 1..=5, 0.0));
        for alternates in [Alternates::Highest, Alternates::First] {
            let options = ReadOptions { cover: true, alternates, ..ReadOptions::default() };
            let read = read_bytes(text.as_bytes(), "x", &options).unwrap();
            assert_eq!(
                (read.structure.n_rows(), read.structure.n_atoms(), read.models),
                (5, 6, 1),
                "{record} {name} {number}"
            );
            assert!(read.notes.iter().any(|note| note.kind == NoteKind::Repaired), "{:?}", read.notes);
        }
        let frames = format!("{text}{}{}END\n", ligand(9.5), chain('A', 1..=5, 0.5));
        assert_eq!(names_and_chains(&frames).len(), 2, "{record} {name} {number}");
    }
}

/// The lines of a PDB text as those of a PQR file.
fn as_pqr(text: &str) -> String {
    let line = |line: &str| match line.get(..54) {
        Some(columns) => format!("{} {} {} -0.1 1.9\n", &columns[..21], &columns[21..22], &columns[22..]),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn an_end_divides_a_pqr_file_as_it_does_a_pdb_file() {
    let ligand = atom_line(" C1 ", ' ', "LIG", "A   1 ", 30.0).replace("ATOM  ", "HETATM");
    let (a, b) = (chain('A', 1..=5, 0.0), chain('B', 1..=3, 9.0));
    let frame = |shift| format!("{}END\n{}END\n", chain('A', 1..=5, shift), chain('B', 1..=3, 9.0 + shift));
    for (text, models) in [
        (format!("{a}TER\nEND\n{b}TER\nEND\n"), 1),
        (format!("{a}END\n{ligand}END\n"), 1),
        (format!("{ligand}END\n{a}END\n"), 1),
        (format!("{a}END\n{}END\n", chain('A', 1..=5, 0.5)), 2),
        ([frame(0.0), frame(0.5), frame(1.0)].concat(), 3),
        (format!("MODEL        1\n{a}ENDMDL\nEND\n{b}END\n"), 2),
    ] {
        let options = ReadOptions { cover: true, models: Models::All, ..ReadOptions::default() };
        let pqr = as_pqr(&text);
        let [pdb, pqr, crlf] = [text.clone(), pqr.clone(), pqr.replace('\n', "\r\n")].map(|text| {
            let all = read_structures(text.as_bytes(), "x", &options).into_iter().map(Result::unwrap);
            all.map(|read| {
                (read.structure.name.clone(), read.structure.chains.clone(), read.structure.residue_atoms.clone())
            })
            .collect::<Vec<_>>()
        });
        assert_eq!((pqr.len(), &pqr), (models, &pdb), "{text}");
        assert_eq!(crlf, pdb, "{text}");
    }
    let both = read(as_pqr(&format!("{a}END\n{b}END\n")));
    assert!(both.notes.iter().any(|note| note.kind == NoteKind::Repaired), "{:?}", both.notes);
}

/// gemmi writes no `#` after tables.
#[test]
fn an_mmcif_file_that_ends_with_its_atoms_may_be_cut_if_something_is_missing() {
    let maybe_cut = |text: &str| {
        let notes = read(text).notes;
        notes.into_iter().find(|note| note.kind == NoteKind::MaybeCut).map_or(String::new(), |note| note.text)
    };
    let (items, rows) = crambin_loop();
    let atoms = cif_of(&items, &rows);
    let asyms = |ids: &str| format!("data_X\nloop_\n_struct_asym.id\n_struct_asym.entity_id\n{ids}\n");
    let after = |before: &str| atoms.replacen("data_X\n", before, 1);
    for whole in [
        atoms.clone(),
        after(&asyms("A 1")),
        after(&asyms("X 1\nY 1")),
        format!("{}#\n", after("data_X\n#\n")),
        after("#\ndata_X\n"),
    ] {
        assert_eq!(maybe_cut(&whole), "");
    }
    assert!(maybe_cut(&after("data_X\n#\n")).contains("without a `#` after the last"));
    let lacking = maybe_cut(&after(&asyms("A 1\nB 1\nC 2")));
    assert!(lacking.contains("has none of chains B,C, which _struct_asym names"), "{lacking}");
}

#[test]
fn an_error_names_the_item_that_the_file_has() {
    let (items, mut rows) = crambin_loop();
    let number = items.iter().position(|&item| item == "label_seq_id").unwrap();
    rows.iter_mut().for_each(|row| row[number] = ".");
    let label: Vec<_> = items.iter().map(|&item| if item == "auth_seq_id" { "other" } else { item }).collect();
    let message = refusal(cif_of(&label, &rows));
    assert!(message.contains("_atom_site.label_seq_id") && !message.contains("auth_seq_id"), "{message}");
}

#[test]
fn what_is_left_out_of_a_residue_is_counted_once() {
    // A residue that goes on in a line whose column 21 is not blank, and one that has the atom of that line alone.
    let lines = [
        "ATOM      1  M   THR A   2      15.115  11.555   5.265  1.00  7.81           N  ",
        "ATOM      2  CA  THR\0A   2      13.856  11.469   6.066  1.00  8.31           C  ",
        "ATOM      3  OG1 THR A   1      19.334  12.829   4.463  1.00 15.06           O  ",
        "ATOM      4  CA  THR A   2      13.856  11.469   6.066  1.00  8.31           C  ",
    ];
    for ending in ["\n", "\r\n"] {
        let notes = read(lines.map(|line| format!("{line}{ending}")).concat()).notes;
        let left_out = notes.iter().find(|note| note.kind == NoteKind::PseudoAtoms).expect("a point that is no atom");
        assert!(left_out.text.starts_with("1 record"), "{ending:?}: {}", left_out.text);
    }
}
