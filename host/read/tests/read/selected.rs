//! Selections of residues, and the parts of a file that become structures of their own. Parts are compared with the same chains read alone.

use crate::read_common::{CRAMBIN_CIF, UBIQUITIN_PDB, rows};
use prism_read::{
    Each, Models, NoteKind, ReadError, ReadOptions, ReadStructure, StructureInput, read_bytes, read_path,
    read_structures,
};
use std::sync::Arc;

const TRIMER: &str = "../../tests/data/1jcd.pdb.gz";
/// HIV capsid, with two operators.
const CAPSID: &str = "../../tests/data/1a8o.cif.gz";

fn select(text: &str) -> ReadOptions {
    let select = text.parse().unwrap_or_else(|error| panic!("{error}"));
    ReadOptions { select: Some(Arc::new(select)), ..ReadOptions::default() }
}

fn each(each: Each) -> ReadOptions {
    ReadOptions { each, ..ReadOptions::default() }
}

fn all_of(path: &str, options: &ReadOptions) -> Vec<Result<ReadStructure, ReadError>> {
    let mut bytes = std::fs::read(path).unwrap();
    if path.ends_with(".gz") {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut text).unwrap();
        bytes = text;
    }
    read_structures(&bytes, "x", options)
}

/// Rows, and every atom where the file has it, to 1e-3 Å.
fn described(s: &StructureInput) -> (Vec<String>, Vec<[i64; 4]>) {
    let atom = |atom: &shared_types::Atom| {
        let at = |axis: usize, value: f32| ((f64::from(value) + s.center[axis]) * 1e3).round() as i64;
        [at(0, atom.x), at(1, atom.y), at(2, atom.z), (atom.radius * 1e3).round() as i64]
    };
    (rows(s), s.atoms.iter().map(atom).collect())
}

#[test]
fn a_selected_chain_is_the_chain_read_alone() {
    let chains = ReadOptions { chains: Some(vec!["B".to_owned()]), ..ReadOptions::default() };
    let alone = read_path(TRIMER, "x", &chains).unwrap().structure;
    let selected = read_path(TRIMER, "x", &select("chain B")).unwrap().structure;
    selected.validate().unwrap();
    assert_eq!(described(&selected), described(&alone));
    assert_eq!(selected.center, alone.center);
}

#[test]
fn numbers_and_names_choose_residues() {
    let ubiquitin = |text: &str| rows(&read_bytes(UBIQUITIN_PDB.as_bytes(), "x", &select(text)).unwrap().structure);
    assert_eq!(ubiquitin("resnum 1-3"), ["A 1 MET 8", "A 2 GLN 9", "A 3 ILE 8"]);
    assert_eq!(ubiquitin("resname TYR or resnum 76 and protein"), ["A 59 TYR 12", "A 76 GLY 5"]);
    assert_eq!(ubiquitin("not resnum 2-100"), ["A 1 MET 8"]);
    assert_eq!(ubiquitin("resn A?G and resi 40:60"), ["A 42 ARG 11", "A 54 ARG 11"]);
    // MET 1 has atoms close to those of its neighbours in the sheet; counted from the file's coordinates by hand.
    assert!(ubiquitin("within 4 of resnum 1").contains(&"A 2 GLN 9".to_owned()));
    assert!(!ubiquitin("around 4 resnum 1").contains(&"A 1 MET 8".to_owned()));
}

#[test]
fn ligands_are_selected_where_they_cover() {
    let text = "\
ATOM      1  CA  GLY A   1       0.000   0.000   0.000  1.00 10.00           C
ATOM      2  CA  ALA A   2       3.800   0.000   0.000  1.00 12.00           C
HETATM    3 FE   HEM A 101       5.000   3.000   0.000  1.00 12.00          FE
HETATM    4 ZN    ZN B 102       0.000   9.000   0.000  1.00 12.00          ZN
HETATM    5  O   HOH A 103       0.000   2.000   0.000  1.00 12.00           O
END
";
    let read = |text: &str, selection: &str, cover: bool| {
        let options = ReadOptions { cover, ..select(selection) };
        let read = read_bytes(text.as_bytes(), "x", &options).unwrap();
        (read.structure.n_rows(), read.structure.n_atoms() - read.structure.n_atoms_of_rows(), read.notes)
    };
    let counts = |selection: &str, cover: bool| {
        let (rows, covering, _) = read(text, selection, cover);
        (rows, covering)
    };
    assert_eq!(counts("all", true), (2, 2));
    assert_eq!(counts("all", false), (2, 0));
    assert_eq!(counts("chain A", true), (2, 1));
    assert_eq!(counts("protein or resname ZN", true), (2, 1));
    assert_eq!(counts("protein", true), (2, 0));
    assert_eq!(counts("within 3.5 of resname HEM", true), (1, 1));
    assert_eq!(counts("around 3.5 resname HEM", true), (1, 0));
    // Ligands select residues whether they cover or not.
    assert_eq!(counts("within 3.5 of resname HEM", false), (1, 0));
    let unselected = |selection: &str, cover: bool| {
        let notes = read(text, selection, cover).2.into_iter();
        notes.filter(|note| note.kind == NoteKind::Unselected).map(|note| note.text).collect::<Vec<_>>()
    };
    assert_eq!(unselected("protein or resname HEM", true), [""; 0]);
    assert_eq!(unselected("chain A", false), [""; 0]);
    let note = unselected("protein or resname HEM", false);
    assert!(note.len() == 1 && note[0].contains("HEM") && note[0].contains("--het cover"), "{note:?}");
}

#[test]
fn a_selection_of_nothing_is_refused_with_what_there_is() {
    let refused = read_bytes(UBIQUITIN_PDB.as_bytes(), "x", &select("chain B")).unwrap_err().to_string();
    assert_eq!(
        refused,
        "x: no protein residues in the selection (chain B); the file has 76 residues of protein in the chains A"
    );
}

#[test]
fn each_chain_is_the_chain_read_alone() {
    let parts = all_of(TRIMER, &each(Each::Chain));
    assert_eq!(parts.len(), 3);
    for (part, chain) in parts.into_iter().zip(["A", "B", "C"]) {
        let part = part.unwrap().structure;
        part.validate().unwrap();
        assert_eq!(part.name, format!("x:{chain}"));
        let options = ReadOptions { chains: Some(vec![chain.to_owned()]), ..ReadOptions::default() };
        let alone = read_path(TRIMER, "x", &options).unwrap().structure;
        assert_eq!(described(&part), described(&alone), "{chain}");
    }
    let two = ReadOptions { chains: Some(vec!["A".to_owned(), "C".to_owned()]), ..each(Each::Chain) };
    let names: Vec<String> =
        all_of(TRIMER, &two).into_iter().map(|read| read.unwrap().structure.name.clone()).collect();
    assert_eq!(names, ["x:A", "x:C"]);
}

#[test]
fn chains_with_a_disulfide_are_one_molecule() {
    let chain = |chain: char, y: f64| {
        let atom = |name: &str, x: f64, element: char| {
            format!(
                "ATOM      1  {name:<3} CYS {chain}   1    {x:8.3}{y:8.3}   0.000  1.00 10.00           {element}\n"
            )
        };
        [atom("CA", 0.0, 'C'), atom("SG", 3.0, 'S')].concat()
    };
    // Sulphurs of A and C are 2.05 Å apart, those of B are far.
    let text = format!("{}{}{}END\n", chain('A', 0.0), chain('B', 30.0), chain('C', 2.05));
    let names = |text: &str, kind: Each| {
        let all = read_structures(text.as_bytes(), "x", &each(kind)).into_iter();
        all.map(|read| read.unwrap().structure).map(|one| (one.name.clone(), one.n_rows())).collect::<Vec<_>>()
    };
    let one = |name: &str, rows| (name.to_owned(), rows);
    assert_eq!(names(&text, Each::Molecule), [one("x:A+C", 2), one("x:B", 1)]);
    let apart = format!("{}{}{}END\n", chain('A', 0.0), chain('B', 30.0), chain('C', 2.9));
    assert_eq!(names(&apart, Each::Molecule), [one("x:A", 1), one("x:B", 1), one("x:C", 1)]);
    assert_eq!(names(&apart, Each::Model), [one("x", 3)]);
}

#[test]
fn ligands_go_with_the_chain_whose_id_they_have() {
    let text = "\
ATOM      1  CA  GLY A   1       0.000   0.000   0.000  1.00 10.00           C
ATOM      2  CA  ALA B   2       3.800   0.000   0.000  1.00 12.00           C
HETATM    3 FE   HEM A 101       5.000   3.000   0.000  1.00 12.00          FE
HETATM    4 ZN    ZN A 102       0.000   9.000   0.000  1.00 12.00          ZN
END
";
    let options = ReadOptions { cover: true, ..each(Each::Chain) };
    let covering = |read: Result<ReadStructure, ReadError>| {
        let s = read.unwrap().structure;
        s.n_atoms() - s.n_atoms_of_rows()
    };
    let all: Vec<usize> = read_structures(text.as_bytes(), "x", &options).into_iter().map(covering).collect();
    assert_eq!(all, [2, 0]);
    // Glycans of recent files have a chain id of their own. What goes with no chain is noted.
    let apart = text.replace("ZN A 102", "ZN G 102");
    let notes_of = |text: &str| {
        let read = read_structures(text.as_bytes(), "x", &options).swap_remove(0).unwrap();
        read.notes
            .into_iter()
            .filter(|note| note.kind == NoteKind::WithoutPart)
            .map(|note| note.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(notes_of(text), [""; 0]);
    assert_eq!(
        notes_of(&apart),
        ["1 residue without a row has the chain id of no chain with rows, and is in no part (--each)"]
    );
}

#[test]
fn each_assembly_is_the_assembly_read_alone() {
    let parts = all_of(CAPSID, &each(Each::Assembly));
    assert_eq!(parts.len(), 1);
    let part = parts.into_iter().next().unwrap().unwrap().structure;
    let options = ReadOptions { assembly: Some("1".to_owned()), ..ReadOptions::default() };
    let alone = read_path(CAPSID, "x", &options).unwrap().structure;
    assert_eq!((part.name.as_str(), described(&part)), ("x:1", described(&alone)));
    // In PDB files REMARK 350 lists them.
    let listed = read_structures(UBIQUITIN_PDB.as_bytes(), "x", &each(Each::Assembly));
    assert_eq!(listed.into_iter().map(|read| read.unwrap().structure.name.clone()).collect::<Vec<_>>(), ["x:1"]);
    let bare: String = UBIQUITIN_PDB.split_inclusive('\n').filter(|line| line.starts_with("ATOM")).collect();
    let refused = read_bytes(bare.as_bytes(), "x", &each(Each::Assembly)).unwrap_err().to_string();
    assert!(refused.starts_with("x: the file describes no assembly"), "{refused}");
    assert_eq!(read_bytes(CRAMBIN_CIF.as_bytes(), "x", &each(Each::Assembly)).unwrap().structure.n_rows(), 46);
}

#[test]
fn models_are_divided_too() {
    let model = |number: i32| {
        let atom = |chain: char, x: f64| {
            format!("ATOM      1  CA  GLY {chain}   1    {x:8.3}   0.000   0.000  1.00 10.00           C\n")
        };
        format!("MODEL     {number:4}\n{}{}ENDMDL\n", atom('A', 0.0), atom('B', 5.0))
    };
    let text = format!("{}{}END\n", model(1), model(2));
    let options = ReadOptions { models: Models::All, ..each(Each::Chain) };
    let names: Vec<String> = read_structures(text.as_bytes(), "x", &options)
        .into_iter()
        .map(|read| read.unwrap().structure.name.clone())
        .collect();
    assert_eq!(names, ["x#1:A", "x#1:B", "x#2:A", "x#2:B"]);
}
