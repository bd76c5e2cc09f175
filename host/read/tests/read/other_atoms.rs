//! Residues that have other heavy atoms than their name states.

use crate::programs::{note, same, ubiquitin, with, with_atoms_at};
use crate::read_common::*;
use prism_read::NoteKind;
use shared_types::RESIDUES;

/// Residues that have other heavy atoms than their name states have no charge, hydropathy and volume: modifications under the name of the
/// amino acid, and what the dictionary gives the name of a force field.
#[test]
fn other_heavy_atoms_make_another_residue() {
    let properties = |text: String, number: usize| {
        let read = read(&text);
        let kind = usize::from(read.structure.residue_types[number - 1]);
        let shared_types::residue::Residue { letter, charge, hydropathy, volume, .. } = RESIDUES[kind];
        assert!(charge.is_nan() && hydropathy.is_nan() && volume.is_nan(), "{number} {charge} {hydropathy} {volume}");
        assert!(note(&read, NoteKind::OtherAtoms).contains("1 amino acid has other heavy atoms"), "{:?}", read.notes);
        letter
    };
    let phosphate = [("P", 1.6), ("O1P", 2.1), ("O2P", 2.2), ("O3P", 2.3)];
    for (number, name, atom, added, letter) in [
        // Modifications that programs write under the amino acid's name.
        ("68", "HIS", "ND1", &phosphate[..], 'H'),
        ("68", "HIE", "NE2", &phosphate, 'H'),
        ("68", "HSP", "ND1", &phosphate, 'H'),
        ("21", "ASP", "OD1", &phosphate, 'D'),
        ("59", "TYR", "OH", &[("S", 1.6), ("O1", 2.1), ("O2", 2.2), ("O3", 2.3)], 'Y'),
        ("29", "LYS", "NZ", &[("CH", 1.4), ("OX", 2.1), ("CH3", 2.4)], 'K'),
        // More than a phosphate.
        ("20", "SER", "OG", &[("P24", 1.6), ("O23", 2.1), ("O26", 2.2), ("O27", 2.3), ("C28", 3.0)], 'S'),
        // The dictionary's phosphohistidine, S-methylcysteine, methylated lysine, lysinamide.
        ("68", "HIP", "ND1", &phosphate, 'H'),
        ("17", "CYM", "CB", &[("SG", 1.8), ("CD", 2.6)], 'C'),
        ("29", "LYP", "NZ", &[("CM", 1.4)], 'K'),
        ("29", "LYN", "C", &[("NT", 1.4)], 'K'),
    ] {
        // Cysteine is made of valine, which has two atoms more.
        let is_left =
            |line: &&str| line[22..26].trim() != "17" || name != "CYM" || !line[12..16].trim().starts_with("CG");
        let lines = with_atoms_at(number, atom, added);
        let renamed = |line: &str| if line[22..26].trim() == number { with(line, 18, name) } else { line.to_owned() };
        let text: String = lines.lines().filter(is_left).map(|line| renamed(line) + "\n").collect();
        assert_eq!(properties(text, number.parse().unwrap()), letter, "{name}");
    }
    // Homoserine, and a glutamine with a ring, of serine's and glutamate's atoms.
    let names = |own: &'static [(&str, &str)], number: &'static str, name: &'static str| {
        move |line: &str| match own.iter().find(|(old, _)| *old == line[12..16].trim()) {
            _ if line[22..26].trim() != number => line.to_owned(),
            None => with(line, 18, name),
            Some((_, new)) => with(&with(line, 18, name), 13, &format!(" {new:<3}")),
        }
    };
    let homoserine = ubiquitin(1..=76, names(&[("CB", "C3"), ("OG", "O3")], "20", "HSE"));
    assert_eq!(properties(homoserine, 20), 'S');
    let glutamine = ubiquitin(1..=76, names(&[("OE2", "N1")], "16", "GLH"));
    assert_eq!(properties(glutamine, 16), 'Q');
}

/// What is not known to be another residue is what its name says.
#[test]
fn beads_and_ends_make_no_other_residue() {
    let charge =
        |text: String, number: usize| RESIDUES[usize::from(read(text).structure.residue_types[number - 1])].charge;
    // Second oxygens under their names of programs, isoleucine's carbon of CHARMM, selenium.
    for (number, name, atom, added, expected) in [
        ("29", "LYS", "O", ("OT2", 1.0), 1.0),
        ("29", "LYP", "O", ("OC2", 1.0), 1.0),
        ("23", "ILE", "CD1", ("CD", 0.5), 0.0),
        ("1", "MSE", "CG", ("SE", 1.9), 0.0),
    ] {
        let is_left = |line: &&str| name != "MSE" || line[22..26].trim() != "1" || line[12..16].trim() != "SD";
        let lines = with_atoms_at(number, atom, &[added]);
        let renamed = |line: &str| if line[22..26].trim() == number { with(line, 18, name) } else { line.to_owned() };
        let text: String = lines.lines().filter(is_left).map(|line| renamed(line) + "\n").collect();
        assert_eq!(charge(text, number.parse().unwrap()), expected, "{name}");
    }
    // A bead for the side chain, of one name and of the residue's.
    for bead in ["SC ", "LYS"] {
        let is_left = |line: &&str| matches!(line[12..16].trim(), "N" | "CA" | "C" | "O" | "CB");
        let changed = |line: &str| if line[12..16].trim() == "CB" { with(line, 14, bead) } else { line.to_owned() };
        let lines = ubiquitin(1..=76, same);
        let text: String = lines.lines().filter(is_left).map(|line| changed(line) + "\n").collect();
        assert_eq!(charge(text, 29), 1.0, "{bead}");
    }
}
