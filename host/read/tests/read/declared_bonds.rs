//! Bonds between residues that files declare.

use crate::read_common::{CRAMBIN_CIF, bcif_of_tables, crambin_loop};
use prism_read::structure::{AtomPlace, StructureInput};
use prism_read::{LinkKind, Note, NoteKind, ReadOptions, read_bytes, read_path};

fn options() -> ReadOptions {
    ReadOptions { atoms: true, ..ReadOptions::default() }
}

/// Two cysteines, one of them bonded to a ligand, a metal and a sugar of two units. `records` stand before the atoms, `after` behind them.
fn pdb(records: &str, after: &str) -> String {
    let atoms = "\
ATOM      1  N   CYS A   1      -1.500   0.000   0.000  1.00 10.00           N
ATOM      2  CA  CYS A   1       0.000   0.000   0.000  1.00 10.00           C
ATOM      3  C   CYS A   1       0.500   1.400   0.000  1.00 10.00           C
ATOM      4  O   CYS A   1       0.000   2.400   0.000  1.00 10.00           O
ATOM      5  CB  CYS A   1       0.600  -0.800   1.200  1.00 10.00           C
ATOM      6  SG  CYS A   1       2.400  -0.800   1.200  1.00 10.00           S
HETATM    7 ZN    ZN A 101       4.600  -0.800   1.200  1.00 10.00          ZN
HETATM    8  C1  LIG A 102       2.800  -2.550   1.200  1.00 10.00           C
HETATM    9  C2  LIG A 102       2.800  -4.050   1.200  1.00 10.00           C
HETATM   10  C1  NAG A 103      20.000   0.000   0.000  1.00 10.00           C
HETATM   11  O4  NAG A 103      21.400   0.000   0.000  1.00 10.00           O
HETATM   12  C1  NAG A 104      22.800   0.000   0.000  1.00 10.00           C
HETATM   13  O   HOH A 201       6.500  -0.800   1.200  1.00 10.00           O
";
    format!("{records}{atoms}{after}END\n")
}

fn link(a: &str, b: &str, operators: [&str; 2]) -> String {
    format!("{:<12}{a}{:15}{b}{:2}{:>6} {:>6}  1.80\n", "LINK", "", "", operators[0], operators[1])
}

/// An end in the columns of LINK: atom, blank, residue, chain, number, insertion code.
fn end(atom: &str, residue: &str, number: u32) -> String {
    format!("{atom:<4} {residue:>3} A{number:4} ")
}

const HERE: [&str; 2] = ["1555", "1555"];

/// The names of both atoms of each bond, with its kind.
fn named(structure: &StructureInput) -> Vec<(LinkKind, [String; 2])> {
    let hetero = structure.hetero.as_ref().unwrap();
    let name = |end: AtomPlace| match end {
        AtomPlace::Row(atom) => {
            let row = structure.residue_atoms.iter().rposition(|&begin| begin as usize <= atom).unwrap();
            let chain = &structure.chains[structure.chain_ids[row] as usize];
            format!("{chain}_{}:{}", structure.residue_numbers[row], structure.atom_labels[atom].name())
        }
        AtomPlace::Hetero(atom) => {
            let residue = hetero.residues.iter().find(|residue| residue.atoms.contains(&atom)).unwrap();
            format!("{}_{}:{}", residue.chain, residue.number.unwrap(), hetero.labels[atom].name())
        }
    };
    hetero.bonds.iter().map(|bond| (bond.kind, bond.ends.map(name))).collect()
}

fn bonds_and_notes(text: &str) -> (Vec<(LinkKind, [String; 2])>, Vec<String>) {
    let read = read_bytes(text.as_bytes(), "x", &options()).unwrap();
    let of_bonds = |note: &Note| (note.kind == NoteKind::Bonds).then(|| note.text.clone());
    (named(&read.structure), read.notes.iter().filter_map(of_bonds).collect())
}

fn expected(kind: LinkKind, a: &str, b: &str) -> (LinkKind, [String; 2]) {
    (kind, [a.to_owned(), b.to_owned()])
}

#[test]
fn link_and_conect_name_the_same_bonds() {
    let links = link(&end(" SG", "CYS", 1), &end(" C1", "LIG", 102), HERE)
        + &link(&end("ZN", " ZN", 101), &end(" SG", "CYS", 1), HERE)
        + &link(&end(" O4", "NAG", 103), &end(" C1", "NAG", 104), HERE);
    let all = [
        expected(LinkKind::Metal, "A_1:SG", "A_101:ZN"),
        expected(LinkKind::Covalent, "A_1:SG", "A_102:C1"),
        expected(LinkKind::Covalent, "A_103:O4", "A_104:C1"),
    ];
    // Bonds within residues are not among those of CONECT that count, nor is one of the two records of a bond.
    let conect = "\
CONECT    6    8    7
CONECT    7    6   13
CONECT    8    6    9
CONECT    9    8
CONECT   11   12   10
CONECT   12   11
";
    for text in [pdb(&links, ""), pdb("", conect), pdb(&links, conect)] {
        assert_eq!(bonds_and_notes(&text), (all.to_vec(), Vec::new()));
    }
    assert_eq!(bonds_and_notes(&pdb("", "")), (Vec::new(), Vec::new()));
    // They are read only where it is asked what atoms are.
    let plain = read_bytes(pdb(&links, conect).as_bytes(), "x", &ReadOptions::default()).unwrap();
    assert!(plain.structure.hetero.is_none());
}

#[test]
fn bonds_that_are_not_as_declared_have_notes() {
    let elsewhere = link(&end(" SG", "CYS", 1), &end(" C1", "LIG", 102), ["1555", "2655"]);
    let (bonds, notes) = bonds_and_notes(&pdb(&elsewhere, ""));
    assert_eq!(bonds, []);
    assert_eq!(notes, ["1 bond that the file declares leads to another copy in the crystal, and is not used"]);
    // Both ends moved alike are of one copy.
    let moved = link(&end(" SG", "CYS", 1), &end(" C1", "LIG", 102), ["3555", "3555"]);
    assert_eq!(bonds_and_notes(&pdb(&moved, "")).0, [expected(LinkKind::Covalent, "A_1:SG", "A_102:C1")]);

    // 3.26 Å.
    let long = link(&end(" SG", "CYS", 1), &end(" C2", "LIG", 102), HERE);
    let (bonds, notes) = bonds_and_notes(&pdb(&long, ""));
    assert_eq!(bonds, [expected(LinkKind::Covalent, "A_1:SG", "A_102:C2")]);
    assert_eq!(notes, ["1 bond that the file declares is unusually long, and counts: A_1:SG with A_102:C2 (3.27 Å)"]);
    let far = link(&end(" SG", "CYS", 1), &end(" C1", "NAG", 104), HERE);
    assert_eq!(
        bonds_and_notes(&pdb(&far, "")),
        (vec![], vec!["1 bond that the file declares would be longer than 4 Å, and is not used".to_owned()])
    );
    let missing = link(&end(" SG", "CYS", 1), &end(" C9", "LIG", 102), HERE)
        + &link(&end("ZN", " ZN", 101), &end(" O", "HOH", 201), HERE);
    assert_eq!(
        bonds_and_notes(&pdb(&missing, "")),
        (vec![], vec!["1 bond that the file declares names an atom that was not read".to_owned()])
    );
}

#[test]
fn bonds_of_mmcif_binary_cif_and_pdb_are_the_same() {
    let of = |name: &str| read_path(format!("../tests/data/{name}"), name, &options()).unwrap().structure;
    let disulfides = [("A_3:SG", "A_40:SG"), ("A_4:SG", "A_32:SG"), ("A_16:SG", "A_26:SG")];
    let disulfides = disulfides.map(|(a, b)| expected(LinkKind::Disulfide, a, b));
    assert_eq!([named(&of("1crn.pdb")), named(&of("1crn.cif"))], [disulfides.to_vec(), disulfides.to_vec()]);
    let category = "_struct_conn.";
    let items: Vec<&str> = CRAMBIN_CIF.lines().filter_map(|line| line.strip_prefix(category)).map(str::trim).collect();
    let rows = CRAMBIN_CIF.lines().filter(|line| line.starts_with("disulf"));
    let rows: Vec<Vec<&str>> =
        rows.map(|line| line.split_whitespace().collect()).filter(|row: &Vec<&str>| row.len() == items.len()).collect();
    let (atom_items, atoms) = crambin_loop();
    let binary = bcif_of_tables(&[("_atom_site", &atom_items, &atoms), ("_struct_conn", &items, &rows)]);
    assert_eq!(named(&read_bytes(&binary, "x", &options()).unwrap().structure), disulfides);
}

#[test]
fn each_copy_of_an_assembly_has_its_bonds() {
    let mut records = String::from("REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n");
    for (operator, shift) in [(1, 0.0), (2, 100.0)] {
        for row in 1..=3 {
            let [x, y, z] = [1, 2, 3].map(|column| f64::from(u8::from(column == row)));
            let shift = if row == 1 { shift } else { 0.0 };
            records += &format!("REMARK 350   BIOMT{row}   {operator} {x:9.6} {y:9.6} {z:9.6} {shift:14.5}\n");
        }
    }
    let links = link(&end(" SG", "CYS", 1), &end(" C1", "LIG", 102), HERE);
    let assembly = ReadOptions { assembly: Some("1".to_owned()), ..options() };
    let read = read_bytes(pdb(&(records + &links), "").as_bytes(), "x", &assembly).unwrap();
    let bonds = named(&read.structure);
    assert_eq!(
        bonds,
        [("A_1:SG", "A_102:C1"), ("A-2_1:SG", "A-2_102:C1")].map(|(a, b)| expected(LinkKind::Covalent, a, b))
    );
}
