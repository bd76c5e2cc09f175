//! Files that programs for simulations, viewers and predictors write.

use crate::read_common::*;
use prism_read::{NoteKind, ReadOptions, ReadStructure, read_bytes};

/// Lines of ubiquitin's residues in a range of numbers, each changed.
fn ubiquitin(numbers: std::ops::RangeInclusive<i32>, change: impl Fn(&str) -> String) -> String {
    let atoms = ubiquitin_atoms(602);
    let of_range = atoms.lines().filter(|line| numbers.contains(&line[22..26].trim().parse().unwrap()));
    of_range.map(|line| change(line) + "\n").collect()
}

/// A line without change.
fn same(line: &str) -> String {
    line.to_owned()
}

/// A line with other text from a column on, counted from 1.
fn with(line: &str, column: usize, text: &str) -> String {
    format!("{}{text}{}", &line[..column - 1], &line[column - 1 + text.len()..])
}

/// A line moved along x, in Å.
fn moved(line: &str, x: f64) -> String {
    with(line, 31, &format!("{:8.3}", line[30..38].trim().parse::<f64>().unwrap() + x))
}

/// The text of the note of a kind; empty if there is none.
fn note(read: &ReadStructure, kind: NoteKind) -> &str {
    read.notes.iter().find(|note| note.kind == kind).map_or("", |note| &note.text)
}

/// Names and numbers of residues of the chains.
fn chains(text: impl AsRef<[u8]>) -> Vec<(String, usize)> {
    let s = read(text).structure;
    s.rows_of_chains().into_iter().map(|(chain, rows)| (s.chains[chain as usize].clone(), rows)).collect()
}

fn named(names: &[(&str, usize)]) -> Vec<(String, usize)> {
    names.iter().map(|(name, rows)| ((*name).to_owned(), *rows)).collect()
}

#[test]
fn another_molecule_after_an_end_is_read() {
    let other = |line: &str| moved(line, 60.0);
    let first = ubiquitin(1..=40, same);
    // Other residues under numbers of the first, other numbers, and other segments.
    let shifted = |line: &str| with(&other(line), 23, &format!("{:4}", line[22..26].trim().parse::<i32>().unwrap() - 40));
    let far = |line: &str| with(&other(line), 23, &format!("{:4}", line[22..26].trim().parse::<i32>().unwrap() + 200));
    let segment = |id: &'static str, x: f64| move |line: &str| with(&moved(line, x), 73, id);
    for second in [ubiquitin(41..=76, shifted), ubiquitin(1..=36, far)] {
        let text = format!("{first}END\n{second}END\n");
        assert_eq!(chains(&text), named(&[("A", 40), ("A~2", 36)]));
        assert!(note(&read(&text), NoteKind::Repaired).contains("after an END are read with those before it"));
    }
    let text = format!("{}END\n{}END\n", ubiquitin(1..=40, segment("PROA", 0.0)), ubiquitin(1..=40, segment("PROB", 60.0)));
    assert_eq!(chains(&text), named(&[("PROA", 40), ("PROB", 40)]));
    // Frames of one molecule, of which some residues may have changed.
    let mutant = |line: &str| if line[22..26].trim() == "30" { with(line, 18, "ALA") } else { same(line) };
    for second in [ubiquitin(1..=40, other), ubiquitin(1..=40, mutant), ubiquitin(3..=40, same)] {
        let text = format!("{first}END\n{second}END\n");
        assert_eq!((chains(&text), read(&text).models), (named(&[("A", 40)]), 2));
    }
}

#[test]
fn models_of_other_chains_are_said() {
    let chain_b = |line: &str| with(&moved(line, 60.0), 22, "B");
    let model = |number: u32, atoms: &str| format!("MODEL {number:8}\n{atoms}ENDMDL\n");
    let text = model(1, &ubiquitin(1..=9, same)) + &model(2, &ubiquitin(1..=9, chain_b));
    let told = read(&text);
    let text = note(&told, NoteKind::Copies);
    assert!(text.contains("other chains") && text.contains("--model join"), "{:?}", told.notes);
    assert_eq!(told.warnings.len(), 1);
}

#[test]
fn a_fourth_letter_of_a_name_divides_no_chain() {
    let fourth = |letters: &'static [(&str, &str)], line: &str| {
        let found = letters.iter().find(|(name, _)| *name == &line[17..20]);
        found.map_or_else(|| same(line), |(_, letter)| with(line, 21, letter))
    };
    let cyana = [("LYS", "+"), ("ARG", "+"), ("ASP", "-"), ("GLU", "-"), ("HIS", "+")];
    let names = |line: &str| fourth(&[("LYS", "+"), ("ARG", "+"), ("ASP", "-"), ("GLU", "-"), ("HIS", "+")], line);
    let s = read(ubiquitin(1..=76, names)).structure;
    assert_eq!((s.chains.as_slice(), s.n_residues()), (&["A".to_owned()][..], 76));
    for (name, letter) in cyana {
        let own = (0..76).find(|&row| s.resname(row) == format!("{name}{letter}"));
        let charge = match name {
            "LYS" | "ARG" | "HIS" => 1.0,
            _ => -1.0,
        };
        let row = own.unwrap_or_else(|| panic!("no {name}{letter}"));
        assert_eq!(shared_types::RESIDUES[usize::from(s.residue_types[row])].charge, charge);
    }
    // Names that no program's table has: the amino acid, whose charge is not known.
    let s = read(ubiquitin(1..=76, |line| fourth(&[("LYS", "R"), ("SER", "D"), ("HIS", "N")], line))).structure;
    assert_eq!((s.chains.len(), s.n_residues(), s.resname(5)), (1, 76, "LYSR"));
    let lysine = shared_types::RESIDUES[usize::from(s.residue_types[5])];
    assert!(lysine.letter == 'K' && lysine.charge.is_nan());
    // Chain ids of two letters.
    let chain = |line: &str| with(line, 21, if line[22..26].trim().parse::<i32>().unwrap() < 40 { "XA" } else { "YA" });
    assert_eq!(chains(ubiquitin(1..=39, chain) + &ubiquitin(42..=76, chain)), named(&[("XA", 39), ("YA", 35)]));
}

#[test]
fn water_has_many_names() {
    let atoms = ubiquitin(1..=9, same);
    for name in ["SWM4", "SWM6", "D2O ", "OPC ", "OPC3", "T4E ", "T3H ", "FB3 ", "FB4 ", "WT1 ", "W   ", "WN  ", "PW  "] {
        let water = format!("HETATM  999  O   {name}A 300      60.000  24.430   2.614  1.00  9.67           O\n");
        let options = ReadOptions { cover: true, ..ReadOptions::default() };
        let read = read_bytes(format!("{atoms}{water}").as_bytes(), "x", &options).unwrap().structure;
        assert_eq!((read.n_residues(), read.environment), (9, false), "{name}");
    }
}
