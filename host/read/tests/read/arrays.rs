//! Arrays of a file's records give the same structure as the file.

use crate::read_common::{arrays_of, parts};
use prism_read::{Alternates, AtomArrays, ReadOptions, Texts, read_arrays, read_bytes};
use std::io::Read;

fn text_of(path: &str) -> String {
    let mut text = String::new();
    let bytes = std::fs::read(path).unwrap();
    match path.ends_with(".gz") {
        true => drop(flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap()),
        false => text = String::from_utf8(bytes).unwrap(),
    }
    text
}

#[test]
fn arrays_give_what_the_file_gives() {
    let files = [
        "../../data/6m0j_rbd.pdb",
        "../../tests/data/1crn.pdb.gz",
        "../../tests/data/1ubq.pdb.gz",
        "../../tests/data/1jcd.pdb.gz",
    ];
    let options = [
        ReadOptions::default(),
        ReadOptions::standard(),
        ReadOptions { chains: Some(vec!["A".to_owned(), "E".to_owned()]), ..ReadOptions::default() },
        ReadOptions { cover: true, ..ReadOptions::default() },
    ];
    for path in files {
        let text = text_of(path);
        let (atoms, positions) = arrays_of(&text);
        for options in &options {
            let file = read_bytes(text.as_bytes(), "x", options).unwrap();
            let read = read_arrays(&atoms, &positions, "x", options).remove(0).unwrap();
            assert_eq!(parts(&read.structure), parts(&file.structure), "{path}, {options:?}");
            assert_eq!(read.structure.name, "x");
        }
    }
}

#[test]
fn alternate_locations_are_chosen_as_in_files() {
    let line = |serial: u32, name: &str, alternate: &str, x: f64, occupancy: f64| {
        format!(
            "ATOM  {serial:5}  {name:<3}{alternate}GLY A   1    {x:8.3}   2.000   3.000  {occupancy:4.2} 10.00           C\n"
        )
    };
    let text = [line(1, "N", " ", 0.0, 1.0), line(2, "CA", "A", 1.4, 0.3), line(3, "CA", "B", 1.5, 0.7)].concat();
    let (atoms, positions) = arrays_of(&text);
    for alternates in [Alternates::Highest, Alternates::First, Alternates::Named('A')] {
        let options = ReadOptions { alternates, ..ReadOptions::default() };
        let file = read_bytes(text.as_bytes(), "x", &options).unwrap().structure;
        let read = read_arrays(&atoms, &positions, "x", &options).remove(0).unwrap().structure;
        assert_eq!(parts(&read), parts(&file), "{alternates:?}");
    }
}

#[test]
fn what_is_wrong_names_the_array_and_the_atom() {
    let (atoms, positions) = arrays_of(&text_of("../../data/6m0j_rbd.pdb"));
    let error = |atoms: &AtomArrays, positions: &[[f64; 3]], options: &ReadOptions| {
        read_arrays(atoms, positions, "x", options).remove(0).unwrap_err().to_string()
    };
    let plain = ReadOptions::default();
    let short = error(&atoms, &positions[1..], &plain);
    assert_eq!(short, format!("x: `positions` has {} entries for {} atoms", atoms.len() - 1, atoms.len()));
    let mut away = positions.clone();
    away[7][1] = f64::NAN;
    assert!(error(&atoms, &away, &plain).starts_with("x: atom 7 (counted from 0): position"));
    let odd = AtomArrays { hetero: vec![true], ..atoms.clone() };
    assert!(error(&odd, &positions, &plain).starts_with("x: `hetero` has 1 entry"));
    assert!(error(&AtomArrays::default(), &[], &plain).contains("the arrays are empty"));
    let built = ReadOptions { assembly: Some("1".to_owned()), ..plain };
    assert!(error(&atoms, &positions, &built).contains("arrays describe none"));
    assert_eq!(Texts::new(4, vec![0; 10]), Err(2));
}
