//! Molecules without chain ids, whose numbers go on, and whose ends are nucleotides, lack atoms, or have caps or names of ends.

use crate::ends_of_molecules::{open_ended, renumbered};
use crate::programs::*;
use crate::read_common::*;
use prism_read::{Polymers, ReadOptions, read_bytes};

/// The chains of a text, with nucleotides.
fn all_chains(text: &str) -> Vec<(String, usize)> {
    let options = ReadOptions { polymers: Polymers::All, ..ReadOptions::default() };
    let s = read_bytes(text.as_bytes(), "x", &options).unwrap().structure;
    s.rows_of_chains().into_iter().map(|(chain, rows)| (s.chains[chain as usize].clone(), rows)).collect()
}

/// Both strands of the Dickerson dodecamer, numbered from 1 to 24, without chain ids.
fn duplex(change: impl Fn(i32, &str) -> Option<String>) -> String {
    let text = gunzip(include_bytes!("../../../../tests/data/1bna.pdb.gz"));
    let text = String::from_utf8(text).unwrap();
    let atoms = text.lines().filter(|line| line.starts_with("ATOM"));
    let changed = atoms.filter_map(|line| change(line[22..26].trim().parse().unwrap(), &with(line, 22, " ")));
    changed.map(|line| line + "\n").collect()
}

#[test]
fn strands_end_where_no_phosphate_or_a_name_says_so() {
    let two = named(&[(" ", 12), ("~2", 12)]);
    assert_eq!(all_chains(&duplex(|_, line| Some(same(line)))), two);
    // The strand may begin with a phosphorus instead of a hydrogen that is bound to O5': far from O3'.
    let with_phosphorus = duplex(|number, line| match (number, &line[12..16]) {
        (13, " O5'") => Some(format!("{}\n{line}", with(&moved(line, 1.6), 13, " P  "))),
        _ => Some(same(line)),
    });
    assert_eq!(all_chains(&with_phosphorus), two);
    let one_strand = |last: i32| duplex(move |number, line| (number <= last).then(|| same(line)));
    assert_eq!(all_chains(&one_strand(12)), named(&[(" ", 12)]));
    // A residue within a strand whose phosphate is not resolved, and a gap.
    let no_phosphate = duplex(|number, line| {
        let is_kept = number <= 12 && !(number == 6 && ["P", "OP1", "OP2"].contains(&line[12..16].trim()));
        is_kept.then(|| same(line))
    });
    assert_eq!(all_chains(&no_phosphate), named(&[(" ", 12)]));
    // Names of ends, at one position. The strand's next residue is not bonded, because O3' is missing.
    let named_ends = |last: &'static str, first: &'static str| {
        duplex(move |number, line| match number {
            4 => (&line[12..16] != " O3'").then(|| with(line, 18, last)),
            5 => Some(with(line, 18, first)),
            number => (number <= 12).then(|| same(line)),
        })
    };
    let divided = named(&[(" ", 4), ("~2", 8)]);
    assert_eq!(all_chains(&named_ends("DG3", " DA")), divided);
    assert_eq!(all_chains(&named_ends(" DG", "DA5")), divided);
    assert_eq!(all_chains(&named_ends(" DG", " DA")), named(&[(" ", 12)]));
}

/// Two ubiquitins without chain ids, numbered from 1 to 152, the second one `x` Å away. `change` drops atoms of the first or second one,
/// by number and name.
fn both(x: f64, is_kept: impl Fn(i32, &str) -> bool) -> String {
    let all = open_ended(|line| with(line, 22, " ")) + &open_ended(|line| with(&renumbered(line, 76, x), 22, " "));
    let lines = all.lines().filter(|line| is_kept(line[22..26].trim().parse().unwrap(), line[12..16].trim()));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn ends_that_lack_atoms_are_far_by_what_they_have() {
    let two = named(&[(" ", 76), ("~2", 76)]);
    for x in [25.0, 60.0] {
        assert_eq!(chains(both(x, |_, _| true)), two);
        assert_eq!(chains(both(x, |number, name| number != 76 || name == "N")), two);
        assert_eq!(chains(both(x, |number, name| number != 76 || ["N", "CA"].contains(&name))), two);
        assert_eq!(chains(both(x, |number, name| number != 77 || name != "N")), two);
        assert_eq!(chains(both(x, |_, name| name == "CA")), two);
        let beads = both(x, |_, name| name == "CA").replace(" CA ", " BB ");
        assert_eq!(chains(beads), two);
    }
    // One chain, with a residue that lacks its N or C, and alpha carbons alone.
    for (number, lacking) in [(40, "N"), (40, "C")] {
        let one = both(60.0, |own, name| own <= 76 && (own != number || name != lacking));
        assert_eq!(chains(one), named(&[(" ", 76)]));
    }
    assert_eq!(chains(both(60.0, |own, name| own <= 76 && name == "CA")), named(&[(" ", 76)]));
}

#[test]
fn caps_and_names_of_ends_divide() {
    // Both molecules lie within 10 Å: only their ends tell them apart.
    let first = ubiquitin(1..=40, |line| with(line, 22, " "));
    let second = |change: &dyn Fn(&str) -> String| {
        ubiquitin(42..=76, |line| {
            with(&change(&with(line, 22, " ")), 23, &format!("{:4}", 1 + line[22..26].trim().parse::<i32>().unwrap()))
        })
    };
    let cap = |name: &str, atom: &str, number: i32| {
        format!(
            "ATOM    999  {atom:<3} {name}  {number:4}      60.000  24.430   2.614  1.00  9.67           {}\n",
            &atom[..1]
        )
    };
    let one = named(&[(" ", 75)]);
    let two = named(&[(" ", 40), ("~2", 35)]);
    assert_eq!(chains(first.clone() + &second(&same)), one);
    for name in ["NME", "NMA", "NH2", "NHE"] {
        assert_eq!(chains(first.clone() + &cap(name, "N", 41) + &second(&same)), two, "{name}");
    }
    assert_eq!(chains(first.clone() + &cap("ACE", "C", 42) + &second(&same)), two);
    let begins = |line: &str| if line[22..26].trim() == "42" { with(line, 18, "NARG") } else { same(line) };
    assert_eq!(chains(first.clone() + &second(&begins)), two);
    let ends = ubiquitin(1..=40, |line| {
        let line = with(line, 22, " ");
        if line[22..26].trim() == "40" { with(&line, 18, "CGLN") } else { line }
    });
    assert_eq!(chains(ends + &second(&same)), two);
    // Caps at the ends of one molecule, and after the last of all.
    let capped = cap("ACE", "C", 0) + &first + &cap("NME", "N", 41);
    assert_eq!(chains(capped), named(&[(" ", 40)]));
}
