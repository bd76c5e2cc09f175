//! Names that force fields and programs give water or points, and the Chemical Component Dictionary ligands.

use crate::programs::*;
use crate::read_common::*;
use prism_read::{NoteKind, ReadOptions, ReadStructure, Residues, each_atom, read_bytes};

/// Atoms 30 Å beside ubiquitin, of one residue, with their elements.
fn molecule(residue: &str, atoms: &[(&str, &str)]) -> String {
    let line = |(at, (name, element)): (usize, &(&str, &str))| {
        let x = 60.0 + at as f64;
        format!(
            "HETATM  999  {name:<3} {residue:<4}A 300    {x:8.3}  24.430   2.614  1.00  9.67          {element:>2}\n"
        )
    };
    atoms.iter().enumerate().map(line).collect()
}

fn covered_by(residues: Residues, beside: &str) -> ReadStructure {
    let text = ubiquitin(1..=9, same) + beside;
    let options = ReadOptions { cover: true, residues, ..ReadOptions::default() };
    let read = read_bytes(text.as_bytes(), "x", &options).unwrap();
    read.structure.validate().unwrap();
    read
}

/// The number of atoms without rows, and whether a note speaks of points.
fn taken(residues: Residues, beside: &str) -> (usize, bool) {
    let read = covered_by(residues, beside);
    let s = &read.structure;
    assert_eq!(s.n_rows(), 9);
    (s.atoms.len() - s.residue_atoms[9] as usize, !note(&read, NoteKind::PseudoAtoms).is_empty())
}

/// The heavy atoms of a sugar, and its first hydrogen; oxygens come first, as those of water may.
const SUGAR: [(&str, &str); 9] = [
    ("O1", "O"),
    ("H1", "H"),
    ("C1", "C"),
    ("C2", "C"),
    ("C3", "C"),
    ("O2", "O"),
    ("O3", "O"),
    ("C4", "C"),
    ("C5", "C"),
];

#[test]
fn a_ligand_that_is_called_as_water_or_points_is_a_ligand() {
    for residue in
        ["SOL", "SPC", "OPC", "TP3", "TP4", "T3P", "T4P", "BMW", "MEM", "EMB", "VRT", "PSD", concat!("X", "XX")]
    {
        for residues in [Residues::All, Residues::Standard] {
            for element in [true, false] {
                let atoms = SUGAR.map(|(name, symbol)| (name, if element { symbol } else { "" }));
                assert_eq!(taken(residues, &molecule(residue, &atoms)), (8, false), "{residue} {residues:?}");
            }
        }
        let named = |residue: &str| covered_by(Residues::All, &molecule(residue, &SUGAR)).structure.atoms;
        assert_eq!(named(residue), named("LIG"), "{residue}");
    }
}

#[test]
fn water_and_points_are_left_out_by_their_atoms() {
    let five_sites = [("O", "O"), ("H1", "H"), ("H2", "H"), ("LP1", ""), ("LP2", "")];
    let drude = [("OH2", "O"), ("DOH2", ""), ("LPA", ""), ("LPB", ""), ("OM", ""), ("H1", "H"), ("H2", "H")];
    let four_sites = [("OW", "O"), ("HW1", "H"), ("HW2", "H"), ("MW", "")];
    let beads = [("WN1", ""), ("WN2", ""), ("WP1", ""), ("WP2", "")];
    for (residue, atoms) in [
        ("TP5", &five_sites[..]),
        ("SPF", &five_sites[..3]),
        ("F3C", &five_sites[..3]),
        ("HHO", &five_sites[..3]),
        ("OHH", &five_sites[..1]),
        ("SWM6", &drude),
        ("SOL", &four_sites),
        ("SOL", &four_sites[..1]),
        ("TP4", &four_sites),
        ("WT4", &beads),
        ("PW", &[("W", ""), ("WP", ""), ("WM", "")]),
        ("BMW", &[("W", ""), ("DM", ""), ("DP", "")]),
        ("WF", &[("WF", "")]),
    ] {
        // Names of four letters are read with all residues alone.
        for residues in [Residues::All, Residues::Standard].into_iter().take(if residue.len() == 4 { 1 } else { 2 }) {
            let is_noted = taken(residues, &molecule(residue, atoms));
            assert_eq!(is_noted, (0, false), "{residue} {residues:?}");
        }
    }
    for (residue, atoms) in [("VRT", &[("X", ""), ("Y", ""), ("ORI", "")][..]), ("MEM", &[("N", "N"), ("O", "O")])] {
        assert_eq!(taken(Residues::All, &molecule(residue, atoms)), (0, true), "{residue}");
    }
}

/// gemmi calls waters that its table of names lacks, such as `SOL`, non-polymers.
#[test]
fn what_a_file_calls_water_is_water_whatever_its_atoms_are() {
    let water = [("O", "O"), ("H1", "H"), ("H2", "H")];
    for (residue, atoms, kind, expected) in [
        ("WTR", &water[..], "water", 0),
        ("WTR", &water, "non-polymer", 1),
        ("SOL", &SUGAR, "water", 0),
        ("SOL", &SUGAR, "non-polymer", 8),
        ("SOL", &water, "non-polymer", 0),
        ("HOH", &water, "non-polymer", 0),
    ] {
        let entities = format!("loop_\n_entity.id\n_entity.type\n1 polymer\n2 {kind}\n#\n");
        let polymer = ubiquitin(1..=9, same);
        let rows = polymer.lines().map(|line| (line.to_owned(), ["A", "1", "*"]));
        let beside = molecule(residue, atoms);
        let rows = rows.chain(beside.lines().map(|line| (line.to_owned(), ["B", "2", "."])));
        let text = as_cif(&entities, rows.collect::<Vec<_>>().into_iter());
        for residues in [Residues::All, Residues::Standard] {
            let options = ReadOptions { cover: true, residues, ..ReadOptions::default() };
            let s = read_bytes(text.as_bytes(), "x", &options).unwrap().structure;
            assert_eq!(s.atoms.len() - s.residue_atoms[9] as usize, expected, "{residue} {kind} {residues:?}");
        }
        let mut waters = 0;
        let each = each_atom(text.as_bytes(), "x", &mut |atom| {
            waters += usize::from(atom.is_water);
            Ok(())
        });
        assert!(each.is_ok() && waters == if kind == "water" { atoms.len() } else { 0 });
    }
}

/// Three X stand for any amino acid in some programs, and are PyMOL's name of pseudoatoms.
#[test]
fn residues_with_a_backbone_are_amino_acids_whatever_their_names_are() {
    for residue in [concat!("X", "XX"), "MEM", "VRT", "ZZZ"] {
        let s = read(ubiquitin(1..=76, |line| with(line, 18, residue))).structure;
        assert_eq!((s.n_residues(), s.atoms.len()), (76, 602), "{residue}");
    }
}
