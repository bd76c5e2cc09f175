//! Molecules of one chain id whose ends nothing marks but atoms, numbers, positions and repeats.

use crate::programs::*;
use crate::read_common::*;
use prism_read::NoteKind;

/// A line with another residue number, moved along x in Å.
pub fn renumbered(line: &str, by: i32, x: f64) -> String {
    let number = line[22..26].trim().parse::<i32>().unwrap() + by;
    with(&moved(line, x), 23, &format!("{number:4}"))
}

/// Ubiquitin without the second oxygen at its end.
pub fn open_ended(change: impl Fn(&str) -> String) -> String {
    let is_kept = |line: &&str| line[12..16].trim() != "OXT";
    ubiquitin(1..=76, same).lines().filter(is_kept).map(|line| change(line) + "\n").collect()
}

#[test]
fn ends_of_molecules_show_in_their_atoms() {
    let far = |line: &str| renumbered(line, 200, 60.0);
    // The second oxygen at the end of the first molecule, or the second hydrogen at the begin of the other one.
    let hydrogens = |line: &str| match &line[12..26] {
        " N   MET A   1" => format!("{}\n{}", far(line), with(&with(&far(line), 13, " HT2"), 77, " H")),
        _ => far(line),
    };
    let three =
        ubiquitin(1..=76, same) + &ubiquitin(1..=76, far) + &ubiquitin(1..=76, |line| renumbered(line, 400, 120.0));
    for (text, names) in [
        (ubiquitin(1..=76, same) + &open_ended(far), &["A", "A~2"][..]),
        (open_ended(same) + &open_ended(hydrogens), &["A", "A~2"]),
        (three, &["A", "A~2", "A~3"]),
    ] {
        let read = read(text);
        assert_eq!(read.structure.chains, names, "{:?}", read.notes);
        let by = "the atoms of their ends";
        assert_eq!(note(&read, NoteKind::Molecules).contains(by), names.len() > 1);
    }
    // The order of residues in a file is no sign.
    let mut residues: Vec<String> = (1..=76).map(|number| ubiquitin(number..=number, same)).collect();
    residues.sort_by_key(|text| text[22..26].trim().to_owned());
    assert_eq!(chains(residues.concat()), named(&[("A", 76)]));
}

#[test]
fn numbers_that_jump_are_decided_by_geometry_and_repeats() {
    let first = || open_ended(same);
    let part = |numbers: std::ops::RangeInclusive<i32>, by: i32, x: f64| {
        ubiquitin(numbers, |line| renumbered(line, by, x))
            .lines()
            .filter(|line| !line[12..16].contains("OXT"))
            .fold(String::new(), |text, line| text + line + "\n")
    };
    for (text, names, by) in [
        // A copy, wherever it is.
        (first() + &part(1..=76, 200, 60.0), &["A", "A~2"][..], "residues that repeat"),
        (first() + &part(1..=40, 90, 0.5), &["A", "A~2"], "residues that repeat"),
        // Another protein: two residues between them reach 17.6 Å, and forty as far as it takes.
        (first() + &part(30..=60, 49, 90.0), &["A", "A~2"], "distance"),
        (first() + &part(30..=60, 88, 90.0), &["A"], ""),
        // A loop that is not resolved, and an end of one that is another residue's.
        (part(1..=30, 0, 0.0) + &part(45..=76, 0, 0.0), &["A"], ""),
        (part(1..=76, 0, 0.0) + &part(1..=10, 100, 40.0), &["A"], ""),
    ] {
        let read = read(text);
        assert_eq!(read.structure.chains, names, "{by} {:?}", read.notes);
        assert!(note(&read, NoteKind::Molecules).contains(by), "{:?}", read.notes);
    }
    // A chain that remains one is noted, if the jump is long.
    let jumps = |text: String| note(&read(text), NoteKind::Jumps).to_owned();
    assert!(jumps(first() + &part(30..=60, 88, 90.0)).contains("of chain A jump from 76 to 118"));
    assert_eq!(jumps(part(1..=30, 0, 0.0) + &part(45..=76, 0, 0.0)), "");
    // SEQRES decides, and so does an entity.
    let listed = format!("SEQRES   1 A  152  {}\n", "MET GLN ".repeat(6).trim());
    assert_eq!(chains(listed + &first() + &part(1..=76, 200, 60.0)), named(&[("A", 152)]));
    let entities = "loop_\n_entity.id\n_entity.type\n1 polymer\n#\n";
    let lines = first() + &part(1..=76, 200, 60.0);
    let rows = lines.lines().map(|line| (line.to_owned(), ["A", "1", "*"])).collect::<Vec<_>>();
    assert_eq!(chains(as_cif(entities, rows.into_iter())), named(&[("A", 152)]));
}

/// Programs leave out modified residues and number the others anew, and write a part of a last residue.
#[test]
fn molecules_that_lack_residues_end_by_distance() {
    let part =
        |numbers: std::ops::RangeInclusive<i32>, by: i32, x: f64| ubiquitin(numbers, |line| renumbered(line, by, x));
    let only_n = |text: String| text.lines().take(1).map(|line| format!("{line}\n")).collect::<String>();
    let first =
        part(1..=68, 0, 0.0) + &part(70..=71, -1, 0.0) + &part(73..=73, -2, 0.0) + &only_n(part(74..=74, -2, 0.0));
    let found = read(first + &part(1..=2, 72, 60.0) + &part(4..=20, 71, 60.0));
    assert_eq!(found.structure.chains, ["A", "A~2"], "{:?}", found.notes);
    // Residues that are not resolved, where numbers were given anew, in one chain and in one of several. Residues that repeat decide.
    let gap = || part(1..=20, 0, 0.0) + &part(30..=60, -9, 0.0);
    let found = read(gap());
    assert_eq!(found.structure.chains, ["A"], "{:?}", found.notes);
    let message = "residues 20 and 21 of chain A are 14 Å apart without an end of a molecule";
    assert!(note(&found, NoteKind::Jumps).contains(message), "{:?}", found.notes);
    let apart = || part(1..=20, 0, 0.0) + &part(30..=60, -9, 60.0);
    let other = ubiquitin(1..=9, |line| with(line, 22, "B"));
    assert_eq!(chains(apart()), named(&[("A", 20), ("A~2", 31)]));
    assert_eq!(chains(apart() + &other), named(&[("A", 51), ("B", 9)]));
    assert_eq!(chains(part(1..=20, 0, 0.0) + &part(1..=18, 20, 15.0)), named(&[("A", 20), ("A~2", 18)]));
    // Ends that lack atoms, also where another molecule begins no farther than a gap is: its residues repeat.
    let cut = open_ended(same) + &open_ended(|line| renumbered(line, 76, 0.0));
    let is_whole = |line: &&str| !matches!(&line[22..26], "  76" | " 152") || line[12..16].trim() == "N";
    let cut: String = cut.lines().filter(is_whole).map(|line| if line[22..26].trim().parse::<i32>().unwrap() > 76 { moved(line, -20.0) } else { line.to_owned() } + "\n").collect();
    assert_eq!(chains(cut), named(&[("A", 76), ("A~2", 76)]));
    // An oxygen of an end before a gap, as in 1O6U.
    let oxygen = |line: &str| with(line, 13, " OXT");
    let ended = part(1..=20, 0, 0.0)
        + &oxygen(ubiquitin(20..=20, same).lines().nth(3).unwrap())
        + "\n"
        + &part(30..=60, 0, 0.0);
    assert_eq!(chains(ended), named(&[("A", 51)]));
}

#[test]
fn numbers_that_fall_begin_a_molecule() {
    let text = open_ended(|line| renumbered(line, 500, 0.0)) + &ubiquitin(1..=12, |line| renumbered(line, 1, 60.0));
    assert_eq!(chains(text), named(&[("A", 76), ("A~2", 12)]));
    // Four residues whose numbers go on at another position.
    let text = open_ended(same) + &ubiquitin(1..=4, |line| renumbered(line, 76, 60.0));
    assert_eq!(chains(text), named(&[("A", 76), ("A~2", 4)]));
    // A protein that is inserted into another one, with a loop that is not resolved.
    let inserted = ubiquitin(1..=30, same)
        + &ubiquitin(31..=50, |line| renumbered(line, 1000, 30.0))
        + &open_ended(same)
            .lines()
            .skip_while(|line| &line[22..26] != "  55")
            .map(|line| format!("{line}\n"))
            .collect::<String>();
    assert_eq!(chains(inserted), named(&[("A", 72)]));
}

/// Programs for chemistry write all atoms in HETATM records.
#[test]
fn molecules_of_hetatm_records_are_told_apart() {
    let hetero = |text: String| text.lines().map(|line| with(line, 1, "HETATM") + "\n").collect::<String>();
    let two = || open_ended(same) + &open_ended(|line| moved(line, 60.0));
    assert_eq!(chains(hetero(two())), named(&[("A", 76), ("A~2", 76)]));
    // A bonded ligand beside a chain is of the chain, whatever its numbers are.
    let peptide = hetero(ubiquitin(1..=4, |line| moved(line, 60.0)));
    assert_eq!(chains(open_ended(same) + &peptide), named(&[("A", 80)]));
    assert_eq!(chains(open_ended(same) + "TER\n" + &peptide), named(&[("A", 76), ("A~2", 4)]));
    // So has one that is called as the first one is.
    assert_eq!(
        chains(open_ended(same) + "TER\n" + &hetero(ubiquitin(1..=76, |line| moved(line, 60.0)))),
        named(&[("A", 76), ("A~2", 76)])
    );
    // A residue that a program built and wrote after the chain's end is bonded into it.
    let built = ubiquitin(1..=29, same) + &ubiquitin(31..=76, same) + "TER\n" + &ubiquitin(30..=30, same);
    assert_eq!(chains(built), named(&[("A", 76)]));
}
