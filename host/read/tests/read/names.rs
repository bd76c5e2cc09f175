//! Residues whose names programs changed: names of patches, fourth letters, names that mean something else elsewhere.

use crate::programs::{chains, moved, named, note, same, ubiquitin, with};
use crate::read_common::*;
use prism_read::{Models, NoteKind, Polymers, ReadOptions, read_bytes};
use shared_types::RESIDUES;
use shared_types::residue::parent_of;

/// A line whose residue has another name, if it has this number.
fn renamed(number: i32, name: &str) -> impl Fn(&str) -> String {
    let name = format!("{name:<4}");
    move |line: &str| if line[22..26].trim() == number.to_string() { with(line, 18, &name) } else { same(line) }
}

/// Parents and charges as in the force fields' files: CHARMM's patches SP1 to THPB, GROMOS 43A1P (S2P to Y2P), GLYCAM (OLT), GROMACS (QLN).
#[test]
fn a_residue_bonded_into_a_chain_is_one_of_it_under_any_name() {
    let (serine, threonine, tyrosine) = ((20, "SER"), (7, "THR"), (59, "TYR"));
    for (name, (number, parent), charge) in [
        ("SP1", serine, -1.0),
        ("SP2", serine, -2.0),
        ("S2P", serine, -2.0),
        ("THP1", threonine, -1.0),
        ("THPB", threonine, -2.0),
        ("T2P", threonine, -2.0),
        ("OLT", threonine, 0.0),
        ("TP1", tyrosine, -1.0),
        ("TP1A", tyrosine, -1.0),
        ("TP2", tyrosine, -2.0),
        ("Y2P", tyrosine, -2.0),
        ("QLN", (2, "GLN"), f32::NAN),
        ("HIE1", (68, "HIS"), f32::NAN),
        ("HSDX", (68, "HIS"), f32::NAN),
    ] {
        let text = ubiquitin(1..=76, renamed(number, name));
        let (s, usual) = (read(&text).structure, read(ubiquitin(1..=76, same)).structure);
        assert_eq!((s.n_residues(), s.chains.as_slice()), (76, &["A".to_owned()][..]), "{name}");
        let row = number as usize - 1;
        let kind = s.residue_types[row];
        let own = RESIDUES[usize::from(kind)];
        assert_eq!(
            (s.resname(row), parent_of(kind).map(|kind| RESIDUES[usize::from(kind)].name)),
            (name, Some(parent))
        );
        assert!(own.charge == charge || own.charge.is_nan() && charge.is_nan(), "{name}: {}", own.charge);
        // Its atoms are those of the parent.
        assert!(s.atoms == usual.atoms && s.roles == usual.roles && s.bfactor == usual.bfactor, "{name}");
        assert_eq!((&s.ca_indices, &s.b_column), (&usual.ca_indices, &usual.b_column), "{name}");
    }
    // Names that no table has, or that are a nucleotide's: without a parent, with a note.
    for name in ["BALA", "THP", "PSU", "A", "ABC"] {
        let read = read(ubiquitin(1..=76, renamed(28, name)));
        assert_eq!(chains(ubiquitin(1..=76, renamed(28, name))), named(&[("A", 76)]), "{name}");
        assert!(!note(&read, NoteKind::NoParent).is_empty(), "{name}: {:?}", read.notes);
        let s = &read.structure;
        assert_eq!((s.resname(27), parent_of(s.residue_types[27])), (name, None));
        assert_eq!(s.bfactor[27], 7.74, "{name}");
    }
    // Also beside nucleotides, and in alternate locations.
    let text = ubiquitin(1..=76, renamed(59, "TP1"));
    for polymers in [Polymers::Protein, Polymers::All] {
        let options = ReadOptions { polymers, ..ReadOptions::default() };
        assert_eq!(read_bytes(text.as_bytes(), "x", &options).unwrap().structure.n_residues(), 76);
    }
    let lettered = |line: &str| if line[17..20] == *"TP1" { with(line, 17, "A") } else { same(line) };
    let lettered: String = text.lines().map(|line| lettered(line) + "\n").collect();
    assert_eq!(read(&lettered).structure.bfactor, read(&text).structure.bfactor);
}

#[test]
fn names_of_hetero_residues_are_the_dictionarys() {
    let hetero = |number: i32, name: &'static str| {
        move |line: &str| match line[22..26].trim() == number.to_string() {
            true => with(&renamed(number, name)(line), 1, "HETATM"),
            false => same(line),
        }
    };
    let parent = |name: &'static str, number: i32| {
        let s = read(ubiquitin(1..=76, hetero(number, name))).structure;
        assert_eq!((s.n_residues(), s.resname(number as usize - 1)), (76, name));
        parent_of(s.residue_types[number as usize - 1]).map(|kind| RESIDUES[usize::from(kind)].name)
    };
    // S2P is an alanine there, with a thiophene; TP1 is none of its amino acids.
    assert_eq!([parent("S2P", 20), parent("TP1", 59)], [Some("ALA"), Some("TYR")]);
    // Apart from a chain it is a ligand.
    let apart = ubiquitin(59..=59, hetero(59, "TP1"));
    let apart: String = apart.lines().map(|line| with(&moved(line, 60.0), 23, " 300") + "\n").collect();
    assert_eq!(chains(ubiquitin(1..=76, same) + &apart), named(&[("A", 76)]));
}

/// Names and chains of the residues that cover others.
fn ligands(text: &str) -> Vec<String> {
    let options = ReadOptions { atoms: true, cover: true, models: Models::First, ..ReadOptions::default() };
    let read = read_bytes(text.as_bytes(), "x", &options).unwrap().structure;
    let hetero = read.hetero.as_ref().unwrap();
    hetero.residues.iter().map(|residue| format!("{} {}", residue.name, residue.chain)).collect()
}

#[test]
fn lipids_have_names_of_four_letters() {
    let lipid = |(index, name): (usize, &&str)| {
        let y = 10.0 + 9.0 * index as f64;
        format!("ATOM   9000  P   {name}{:4}      60.000  {y:6.3}  10.000  1.00  0.00      MEMB\n", index + 1)
    };
    let lipids = |names: &[&str]| names.iter().enumerate().map(lipid).collect::<String>();
    let all = ["POPCL", "POPEL", "CHL1L", "DPPCL", "XYZWL", "POPC "];
    let expected = ["POPC L", "POPE L", "CHL1 L", "DPPC L", "XYZW L", "POPC  "];
    assert_eq!(ligands(&(ubiquitin(1..=76, same) + &lipids(&all))), expected);
    // In files whose polymers have chain ids of two letters, other residues have such ids, too; lipids only where no polymer is.
    let chain = |line: &str| with(line, 21, if line[22..26].trim().parse::<i32>().unwrap() < 40 { "CL" } else { "BL" });
    let text = ubiquitin(1..=39, chain) + &ubiquitin(42..=76, chain) + &lipids(&["POPCL", "POPEL", "XYZWL", "HEMBL"]);
    assert_eq!(ligands(&text), ["POP CL", "POPE L", "XYZ WL", "HEM BL"]);
}

/// What the column means is looked up once, however many models there are.
#[test]
fn frames_of_lipids_are_read_in_linear_time() {
    let lipid = "ATOM   9000  P   POPCL   1      60.000  10.000  10.000  1.00  0.00      MEMB\n";
    let atoms = ubiquitin(1..=2, same) + lipid;
    let models: String = (1..=5_000).map(|number| format!("MODEL {number:8}\n{atoms}ENDMDL\n")).collect();
    let options = ReadOptions { models: Models::All, ..ReadOptions::default() };
    assert_eq!(prism_read::read_structures(models.as_bytes(), "x", &options).len(), 5_000);
}
