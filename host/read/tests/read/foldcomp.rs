//! FoldComp entries compared with the output of FoldComp's own program.

use crate::read_common::{read, refusal, structure, survives};
use flate2::read::GzDecoder;
use prism_read::{Models, NoteKind, ReadOptions, StructureInput, read_structures};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Read;

const DATABASE: &[u8] = include_bytes!("../../../tests/data/foldcomp");
/// The output of `foldcomp.decompress` 1.0.0 for both entries, concatenated.
const TEXTS: &[u8] = include_bytes!("../../../tests/data/foldcomp.pdb.gz");

/// The entries of ubiquitin and crambin, without the zero after each.
fn entries() -> [&'static [u8]; 2] {
    let second = 1 + DATABASE[1..].windows(4).position(|word| word == b"FCMP").unwrap();
    [&DATABASE[..second - 1], &DATABASE[second..DATABASE.len() - 1]]
}

fn texts() -> [String; 2] {
    let mut text = String::new();
    GzDecoder::new(TEXTS).read_to_string(&mut text).unwrap();
    let (first, second) = text.split_at(text.rfind("TITLE").unwrap());
    [first.to_owned(), second.to_owned()]
}

/// Atoms in the file's frame, in units of 0.001 Å.
fn thousandths(structure: &StructureInput) -> Vec<[f64; 3]> {
    let [x, y, z] = structure.center;
    let atoms = structure.atoms.iter();
    atoms.map(|atom| [f64::from(atom.x) + x, f64::from(atom.y) + y, f64::from(atom.z) + z].map(|v| 1e3 * v)).collect()
}

#[test]
fn atoms_lie_where_foldcomp_puts_them() {
    for (entry, text) in entries().into_iter().zip(texts()) {
        let (own, theirs) = (structure(entry), structure(text));
        assert_eq!(own.residue_types, theirs.residue_types);
        assert_eq!((&own.residue_numbers, &own.chains), (&theirs.residue_numbers, &theirs.chains));
        assert_eq!((&own.residue_atoms, &own.roles), (&theirs.residue_atoms, &theirs.roles));
        let (own_b, their_b) = (own.b_column.iter(), &theirs.b_column);
        assert!(own_b.zip(their_b).all(|(own, theirs)| (own - theirs).abs() < 0.0051));
        for (own, theirs) in thousandths(&own).iter().flatten().zip(thousandths(&theirs).iter().flatten()) {
            // The text is rounded.
            assert!((own - theirs).abs() < 0.51, "{own} and {theirs} thousandths of an Å");
        }
    }
}

#[test]
fn entries_are_one_model_and_no_assembly() {
    let [entry, _] = entries();
    let with = |options: ReadOptions| read_structures(entry, "x", &options).remove(0);
    for models in [Models::All, Models::Number(1)] {
        let read = with(ReadOptions { models, ..ReadOptions::default() }).unwrap();
        assert_eq!((&*read.structure.name, read.structure.n_residues()), ("x", 76));
    }
    let error = with(ReadOptions { models: Models::Number(2), ..ReadOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("no model 2; the file has model 1"), "{error}");
    let error = with(ReadOptions { assembly: Some("1".to_owned()), ..ReadOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("FoldComp entries describe none"), "{error}");
    let other = with(ReadOptions { chains: Some(vec!["B".to_owned()]), ..ReadOptions::default() }).unwrap_err();
    assert!(other.to_string().contains("the file has A"), "{other}");
}

#[test]
fn titles_say_what_is_predicted() {
    let [entry, _] = entries();
    // The format has one value for each residue, also of an experiment.
    let plain = read(entry);
    assert!(!plain.structure.predicted && plain.structure.bfactor.iter().all(|b| !b.is_nan()));
    assert!(plain.notes.iter().any(|note| note.kind == NoteKind::MaybeConfidence), "{:?}", plain.notes);
    let titled = |title: &[u8]| {
        let mut entry = entry.to_vec();
        let at = entry.windows(4).position(|word| word == b"1ubq").unwrap();
        entry.splice(at..at + 4, title.iter().copied());
        entry[24] = title.len() as u8;
        read(entry)
    };
    for title in ["AF-P0CG48-F1-model_v4", "ESMFOLD V1 PREDICTION"] {
        let read = titled(title.as_bytes());
        let notes: Vec<&str> = read.notes.iter().map(|note| note.text.as_str()).collect();
        assert!(
            read.structure.predicted && notes.len() == 1 && notes[0].contains("as its title says"),
            "{title}: {notes:?}"
        );
    }
}

#[test]
fn cut_and_changed_headers_are_refused() {
    let [entry, _] = entries();
    for cut in 4..entry.len() {
        let refused = refusal(&entry[..cut]);
        assert!(refused.contains("damaged FoldComp entry"), "{cut}: {refused}");
    }
    assert!(refusal([entry, b"\0\0"].concat()).contains("damaged"));
    let changed = |at: usize, bytes: &[u8]| {
        let mut entry = entry.to_vec();
        entry[at..at + bytes.len()].copy_from_slice(bytes);
        refusal(entry)
    };
    // Residues, anchors, torsions and the title's length: the largest possible values, and one too many.
    for (at, bytes) in [(4, &[0xff; 2][..]), (12, &[0xff]), (16, &[0xff; 4]), (24, &[0xff; 4])] {
        assert!(changed(at, bytes).contains("bytes, but its header says"), "byte {at}");
        assert!(changed(at, &[entry[at] + 1]).contains("damaged FoldComp entry"), "byte {at}");
    }
    assert!(changed(76, &[1]).contains("anchors do not lead"));
    assert!(changed(28, &f32::NAN.to_le_bytes()).contains("not finite"));
    let backbone = entry.len() - 8 - 76 - usize::from(entry[16]) - 256 * usize::from(entry[17]) - 8 * 76;
    assert!(changed(backbone, &[0xff]).contains("undefined type"));
    assert!(changed(backbone, &[entry[backbone] ^ 0x08]).contains("side-chain torsions"));
    let nowhere = changed(backbone - 13 - 36, &[0; 36]);
    assert!(nowhere.contains("has no finite position"), "{nowhere}");
}

proptest! {
    #[test]
    fn changed_entries_hold_together_or_are_refused(
        which in 0..2usize,
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut entry = entries()[which].to_vec();
        for (at, byte) in changes {
            let at = at.index(entry.len());
            entry[at] = byte;
        }
        if let Some(cut) = cut {
            entry.truncate(cut.index(entry.len()));
        }
        survives(&entry, &ReadOptions::default());
    }
}
