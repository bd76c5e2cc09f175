//! BinaryCIF, PQR, PDBQT, and compressed files.

use crate::read_common::*;
use prism_read::{ReadOptions, read_bytes, take_categories, unquoted};
use std::fmt::Write as _;

/// Crambin, as written by biotite 1.6.0 from `1crn.cif`.
const CRAMBIN_BCIF: &[u8] = include_bytes!("../../../tests/data/1crn.bcif");

#[test]
fn binary_cif_is_the_text_to_the_bit() {
    let (binary, text) = (structure(CRAMBIN_BCIF), structure(CRAMBIN_CIF));
    assert_same(&binary, &text);
    assert_eq!((binary.residue_names.len(), binary.predicted, &binary.b_column), (0, false, &text.b_column));
    assert_same(&structure(gzip(CRAMBIN_BCIF)), &text);
    let options = ReadOptions { assembly: Some("1".to_owned()), labels: true, ..ReadOptions::default() };
    let of = |bytes: &[u8]| read_bytes(bytes, "x", &options).unwrap().structure;
    assert_same(&of(CRAMBIN_BCIF), &text);
    assert_eq!(of(CRAMBIN_BCIF).labels, of(CRAMBIN_CIF.as_bytes()).labels);
}

#[test]
fn damaged_binary_cif_is_refused_or_read_but_never_a_panic() {
    for cut in (0..CRAMBIN_BCIF.len()).step_by(997) {
        let refused = read_bytes(&CRAMBIN_BCIF[..cut], "x", &ReadOptions::default()).unwrap_err().to_string();
        assert!(cut == 0 || refused.contains("damaged BinaryCIF") || refused.contains("no atoms"), "{cut}: {refused}");
    }
    let options = ReadOptions { assembly: Some("1".to_owned()), labels: true, cover: true, ..ReadOptions::default() };
    for at in (0..CRAMBIN_BCIF.len()).step_by(23) {
        let mut other = CRAMBIN_BCIF.to_vec();
        other[at] ^= 1 << (at % 8);
        survives(&other, &options);
    }
}

/// Ubiquitin in PDB2PQR's format with invented charges, with or without chains.
fn pqr(chain: bool) -> String {
    let mut text = "REMARK   1 PQR file\n".to_owned();
    for line in UBIQUITIN_PDB.lines().filter(|line| line.starts_with("ATOM")) {
        let (head, number) = (&line[..21], &line[22..26]);
        let chain = if chain { &line[21..22] } else { " " };
        let _ = writeln!(text, "{head}{chain}{number}    {} -0.3000 1.8000", &line[30..54]);
    }
    text + "TER\nEND\n"
}

#[test]
fn pqr_has_the_atoms_of_its_pdb() {
    let plain: String = UBIQUITIN_PDB.split_inclusive('\n').filter(|line| line.starts_with("ATOM")).collect();
    let (plain, with, without) = (structure(plain), structure(pqr(true)), structure(pqr(false)));
    assert_eq!((&with.chains[..], &without.chains[..]), (&["A".to_owned()][..], &[" ".to_owned()][..]));
    for read in [&with, &without] {
        assert_eq!((read.residue_types.len(), &read.residue_numbers), (76, &plain.residue_numbers));
        assert_eq!((&read.atoms, read.center), (&plain.atoms, plain.center));
        assert!(read.bfactor.iter().all(|b| b.is_nan()) && !read.predicted);
    }
    let cut = pqr(true).replacen(" -0.3000 1.8000\nATOM    301", "\nATOM    301", 1);
    assert!(refusal(cut).contains("ten or eleven fields"));
}

#[test]
fn pdbqt_has_the_atoms_of_its_pdb() {
    let mut text = String::new();
    let types = |line: &str| match (line[12..16].trim(), &line[17..20]) {
        // Aromatic carbons.
        ("CG" | "CD1" | "CD2" | "CE1" | "CE2" | "CZ", "PHE" | "TYR") => "A ".to_owned(),
        (name, _) if name.starts_with('O') => "OA".to_owned(),
        (name, _) => format!("{:<2}", &name[..1]),
    };
    for line in UBIQUITIN_PDB.lines().filter(|line| line.starts_with("ATOM")) {
        let _ = writeln!(text, "{}    {:6.3} {}", &line[..66], -0.123, types(line));
    }
    let text = format!("REMARK  Name = ubiquitin\nROOT\n{text}ENDROOT\nTORSDOF 0\n");
    let plain: String = UBIQUITIN_PDB.split_inclusive('\n').filter(|line| line.starts_with("ATOM")).collect();
    assert_same(&structure(text), &structure(plain));
}

#[test]
fn files_may_be_compressed_by_any_of_four() {
    let plain = structure(CRAMBIN_CIF);
    let zstd = zstd::encode_all(CRAMBIN_CIF.as_bytes(), 3).unwrap();
    assert_same(&structure(&zstd), &plain);
    assert_same(&structure(zstd::encode_all(CRAMBIN_BCIF, 3).unwrap()), &plain);
    assert!(refusal(&zstd[..zstd.len() / 2]).contains("corrupt or truncated zstd data"));
}

#[test]
fn binary_cif_becomes_text_with_all_of_its_categories() {
    let atoms = ["id", "Cartn_x"];
    let binary = bcif_of_tables(&[
        ("_struct", &["title", "details"], &[vec!["5' and \"", ""]]),
        ("_atom_site", &atoms, &[vec!["1", "2.5"], vec!["2", "?"]]),
        ("_x", &["a", "b"], &[vec!["loop_", "a b"], vec!["two\n;lines", "."]]),
    ]);
    let (text, taken) = take_categories(&binary, "x", &["_x."]).unwrap().unwrap();
    assert!(text.starts_with("data_X\n"), "{text}");
    assert!(text.contains("_struct.title \n;5' and \"\n;\n") && text.contains("_struct.details ?\n"), "{text}");
    assert!(text.contains("loop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2.5\n2 ?\n"), "{text}");
    let rows: Vec<Vec<&str>> =
        taken[0].rows.iter().map(|row| row.iter().map(|value| unquoted(value)).collect()).collect();
    assert_eq!(rows, [["loop_", "a b"], ["two\n ;lines", "."]]);
    assert!(take_categories(&binary[..binary.len() - 9], "x", &[]).is_err());
}

#[test]
fn formats_that_are_not_read_are_named() {
    assert!(refusal(b"\x82\xabmmtfVersion\xa31.0\xa1x\x01").contains("MMTF"));
    let xml = "<?xml version=\"1.0\"?>\n<PDBx:datablock datablockName=\"1CRN\">\n<PDBx:atom_siteCategory/>";
    assert!(refusal(xml).contains("PDBML is not supported; fetch the .cif file"));
    assert!(refusal("{\"data_1CRN\": {\"atom_site\": {}}}").contains("mmJSON is not supported; fetch the .cif file"));
    assert!(refusal("\n<!DOCTYPE html>\n<html><body>404</body></html>").contains("is a web page and no structure"));
    assert!(read(CRAMBIN_BCIF).models == 1);
}
