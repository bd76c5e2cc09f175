//! Modified residues without a `label_seq_id`: which belong to a chain.

use crate::read_common::*;
use prism_read::{NoteKind, StructureInput};

/// Residues of crambin that are made selenomethionines in `HETATM` records: the first two, one inside, and the last.
const MODIFIED: [&str; 4] = ["1", "2", "20", "46"];

/// Crambin with modified residues and a glycine that is bonded to nothing. `.` is the number of every row that is in `unnumbered`.
fn crambin(entity: &str, unnumbered: impl Fn(&str) -> bool) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let (items, rows) = crambin_loop();
    let at = |name: &str| items.iter().position(|&item| item == name).unwrap();
    let [number, label, residue, entity_id, x] =
        ["auth_seq_id", "label_seq_id", "label_comp_id", "label_entity_id", "Cartn_x"].map(at);
    let mut all: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|value| (*value).to_owned()).collect()).collect();
    for row in &mut all {
        row[entity_id] = entity.to_owned();
        if MODIFIED.contains(&&*row[number]) {
            "HETATM".clone_into(&mut row[0]);
            "MSE".clone_into(&mut row[residue]);
        }
        if unnumbered(&row[0]) {
            ".".clone_into(&mut row[label]);
        }
    }
    for row in rows.iter().filter(|row| row[number] == "31") {
        let mut free: Vec<String> = row.iter().map(|value| (*value).to_owned()).collect();
        let far: f64 = free[x].parse::<f64>().unwrap() + 40.0;
        (free[x], free[number], free[label]) = (format!("{far:.3}"), "101".to_owned(), ".".to_owned());
        "HETATM".clone_into(&mut free[0]);
        "GLY".clone_into(&mut free[residue]);
        entity.clone_into(&mut free[entity_id]);
        all.push(free);
    }
    (items, all)
}

/// The same in text and in BinaryCIF, with the number of amino acids that have no row.
#[track_caller]
fn both((items, rows): (Vec<&str>, Vec<Vec<String>>)) -> (StructureInput, usize) {
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let [text, binary] = [cif_of(&items, &rows).into_bytes(), bcif_of(&items, &rows)].map(read);
    assert_same(&text.structure, &binary.structure);
    let unlinked = |note: &&prism_read::Note| note.kind == NoteKind::Unlinked;
    assert_eq!(text.notes.iter().find(unlinked), binary.notes.iter().find(unlinked));
    let unlinked = text.notes.iter().find(unlinked).map_or(0, |note| note.text[..1].parse().unwrap());
    (text.structure, unlinked)
}

#[test]
fn modified_residues_are_of_their_chain_where_hetatm_records_have_no_numbers() {
    // As Biopython writes mmCIF, and as gemmi writes a structure from a PDB file.
    for given in [crambin("?", |group| group == "HETATM"), crambin("A", |_| true)] {
        let (read, unlinked) = both(given);
        assert_eq!(read.residue_numbers, (1..=46).collect::<Vec<_>>());
        let modified: Vec<i32> = (1..=46).filter(|&number| read.resname(number as usize - 1) == "MSE").collect();
        assert_eq!((modified, unlinked), (vec![1, 2, 20, 46], 1));
    }
}

#[test]
fn residues_with_one_number_of_the_author_are_told_apart_by_their_labels() {
    let (items, mut rows) = crambin("1", |_| false);
    let [number, residue] =
        ["auth_seq_id", "label_comp_id"].map(|name| items.iter().position(|&item| item == name).unwrap());
    // The residue before a proline is one, too.
    rows.iter_mut().filter(|row| row[number] == "18").for_each(|row| "PRO".clone_into(&mut row[residue]));
    let (before, _) = both((items.clone(), rows.clone()));
    rows.iter_mut().filter(|row| row[number] == "18").for_each(|row| "19".clone_into(&mut row[number]));
    let (read, _) = both((items, rows));
    assert_eq!(read.residue_atoms, before.residue_atoms);
    assert_eq!(
        (read.residue_numbers[16..20].to_vec(), read.resname(17), read.resname(18)),
        (vec![17, 19, 19, 20], "PRO", "PRO")
    );
}

#[test]
fn a_file_that_numbers_its_polymers_says_what_belongs_to_none() {
    // As the wwPDB writes an amino acid that is a ligand, even one that is bonded to a chain.
    let (items, mut rows) = crambin("1", |_| false);
    let (number, label) =
        (items.iter().position(|&item| item == "auth_seq_id"), items.iter().position(|&item| item == "label_seq_id"));
    rows.iter_mut().filter(|row| row[number.unwrap()] == "46").for_each(|row| ".".clone_into(&mut row[label.unwrap()]));
    let (read, unlinked) = both((items, rows));
    assert_eq!((read.residue_numbers.clone(), unlinked), ((1..=45).collect(), 2));
}
