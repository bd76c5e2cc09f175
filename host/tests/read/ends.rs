//! Where PDB files and their models end.

use crate::read_common::*;
use prism_host::read::NoteKind;

/// Alpha carbons of a chain.
fn chain(id: char, numbers: std::ops::RangeInclusive<u32>, y: f64) -> String {
    let line = |number| {
        let line = atom_line(" CA ", ' ', "GLY", &format!("{id}{number:4} "), f64::from(number) * 3.8);
        line.replacen("   0.000", &format!("{y:8.3}"), 1)
    };
    numbers.map(line).collect()
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
        "the file has no END, and no atoms of chains B, C, which SEQRES names: it may be cut"
    );
    assert!(maybe_cut(&format!("{header}{a}{b}")).unwrap().contains("no atoms of chain C, which"));
    // A chain without atoms in a whole file; no END in a file that has all chains; no SEQRES.
    for whole in [format!("{header}{a}END\n"), format!("{header}{a}{b}{c}"), a.clone()] {
        assert_eq!(maybe_cut(&whole), None);
    }
    // Models after the first are not looked at.
    let model = |number: u32| format!("MODEL {number:8}\n{a}ENDMDL\n");
    assert_eq!(maybe_cut(&format!("{header}{}{}END\n", model(1), model(2))), None);
}
