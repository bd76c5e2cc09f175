//! A wide corpus, if available: `PRISM_CORPUS` names a directory with `dev/` (structures) and `malformed/`.

use crate::against_pdbtbx::compare;
use crate::read_common::*;
use flate2::read::MultiGzDecoder;
use prism_read::{ReadOptions, read_path};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The corpus' directory of that name. Prints a message if it is missing.
fn corpus(directory: &str) -> Option<PathBuf> {
    match std::env::var_os("PRISM_CORPUS") {
        Some(root) => Some(Path::new(&root).join(directory)),
        None => {
            eprintln!("skipped: PRISM_CORPUS names no directory that holds {directory}/");
            None
        }
    }
}

fn files(directory: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    files.sort();
    files
}

fn plain_text(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut text = Vec::new();
    MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
    text
}

#[test]
fn structures_are_read_like_pdbtbx() {
    let Some(directory) = corpus("dev") else { return };
    let (mut alike, mut unread, mut different) = (0, Vec::new(), Vec::new());
    for (file, path) in files(&directory) {
        let read = read_path(&path, &file, &ReadOptions::standard());
        if let Some((entry, _)) = file.split_once(".bcif") {
            // The numbers equal those of the text, if the text is available.
            let text = ["cif", "cif.gz"].map(|extension| path.with_file_name(format!("{entry}.{extension}")));
            let text = text.iter().find(|path| path.exists()).expect("the entry as mmCIF");
            let text = read_path(text, &file, &ReadOptions::standard()).unwrap().structure;
            crate::read_common::assert_same(&read.unwrap().structure, &text);
            continue;
        }
        if file.starts_with("1bna") {
            assert!(read.unwrap_err().to_string().contains("no protein"));
            continue;
        }
        let read = read.unwrap_or_else(|error| panic!("refused: {error}"));
        read.structure.validate().unwrap();
        match compare(&plain_text(&path), file.contains(".cif"), &read.structure) {
            Ok(Some(_)) => alike += 1,
            Ok(None) => unread.push(file),
            Err(difference) => different.push(format!("{file}: {difference}")),
        }
    }
    eprintln!("{alike} structures alike; pdbtbx does not read {unread:?}; different: {different:#?}");
    assert!(different.is_empty() && alike > 0);
}

#[test]
fn entries_in_both_formats_are_the_same() {
    let Some(directory) = corpus("dev") else { return };
    let read = |path: &Path| read_path(path, "x", &ReadOptions::standard()).map(|read| read.structure);
    let mut pairs = 0;
    for (file, path) in files(&directory) {
        let Some(stem) = file.strip_suffix(".gz").unwrap_or(&file).strip_suffix(".cif") else { continue };
        let pdb = [format!("{stem}.pdb"), format!("{stem}.pdb.gz")].map(|pdb| directory.join(pdb));
        let Some(pdb) = pdb.iter().find(|path| path.exists()) else { continue };
        if let (Ok(cif), Ok(pdb)) = (read(&path), read(pdb)) {
            eprintln!("{stem}");
            if stem == "4hhb" {
                // Two releases of the entry with different frames.
                assert_eq!(cif.residue_numbers, pdb.residue_numbers);
                assert_eq!(cif.residue_atoms, pdb.residue_atoms);
            } else {
                assert_same(&cif, &pdb);
            }
            pairs += 1;
        }
    }
    assert!(pairs > 0);
}

/// The expected result of a malformed file: residues, atoms and warnings, or words of the refusal.
type Verdict = Result<(usize, usize, usize), &'static str>;

const MALFORMED: [(&str, Verdict); 46] = [
    ("all_same_point.pdb", Ok((26, 200, 1))),
    ("bad_gzip.pdb.gz", Err("corrupt or truncated gzip")),
    ("binary.pdb", Err("no atoms")),
    ("bom.pdb", Ok((6, 50, 0))),
    ("cif_missing_cartn.cif", Err("no Cartn_z")),
    // Its content is recognised; it ends inside a row.
    ("cif_named_pdb.pdb", Err("line 1047: the loop that begins with _atom_site.group_PDB ends in this row")),
    ("cif_no_atom_site.cif", Err("no atoms")),
    ("cif_question_coords.cif", Err("line 576: _atom_site.Cartn_x \"?\" is not given")),
    ("cif_quoted_semicolon.cif", Ok((76, 602, 0))),
    ("cif_ragged_loop.cif", Err("line 580: ")),
    ("cif_truncated_row.cif", Err("line 612: the loop that begins with _atom_site.group_PDB ends in this row")),
    ("cif_two_blocks.cif", Ok((76, 602, 1))),
    ("cif_unterminated_text.cif", Err("line 3: the text field")),
    ("directory_like.pdb", Err("no atoms")),
    ("duplicate_atoms.pdb", Ok((12, 100, 1))),
    ("empty.cif", Err("empty")),
    ("empty.pdb", Err("empty")),
    ("exp_coord.pdb", Err("line 11: x")),
    ("gz_named_plain.pdb", Ok((76, 602, 0))),
    ("header_only.pdb", Err("no atoms")),
    ("hetatm_only.pdb", Err("no protein residues")),
    ("html.pdb", Err("is a web page and no structure")),
    ("huge_coord.pdb", Ok((5, 40, 0))),
    ("inf_coord.pdb", Err("line 11: x")),
    ("long_line.pdb", Ok((6, 50, 0))),
    ("nan_coord.pdb", Err("line 11: x")),
    ("no_ca.pdb", Ok((76, 526, 0))),
    ("nonascii.pdb", Ok((6, 50, 0))),
    ("nul.pdb", Err("no atoms")),
    ("one_atom.pdb", Ok((1, 1, 0))),
    ("one_residue.pdb", Ok((1, 8, 0))),
    // The content of these two is recognised; they end inside an atom's record.
    ("pdb_named_cif.cif", Err("line 371: the atom record ends at column 30")),
    ("plain_named_gz.pdb.gz", Err("line 371: the atom record ends at column 30")),
    ("resnum_letters.pdb", Ok((1, 8, 0))),
    ("shifted_columns.pdb", Err("no atoms")),
    ("shifted_coords.pdb", Err("line 1: x")),
    ("space_separated.pdb", Err("line 1: ")),
    ("stars_coord.pdb", Err("line 11: x")),
    ("tabs.pdb", Err("line 1: ")),
    ("truncated_gzip.pdb.gz", Err("corrupt or truncated gzip")),
    ("truncated_midcoord.pdb", Err("line 521: the atom record ends at column 44")),
    ("truncated_midline.pdb", Err("line 521: the atom record ends at column 37")),
    ("unclosed_models.pdb", Ok((5, 40, 0))),
    ("utf8_name.pdb", Err("line 1: x")),
    ("whitespace.pdb", Err("no atoms")),
    ("zero_occ.pdb", Ok((76, 602, 0))),
];

#[test]
fn malformed_files_get_their_verdicts() {
    let Some(directory) = corpus("malformed") else { return };
    let mut wrong = Vec::new();
    for (file, path) in files(&directory) {
        let Some((_, verdict)) = MALFORMED.iter().find(|(name, _)| *name == file) else {
            wrong.push(format!("{file}: no verdict is known"));
            continue;
        };
        let read = read_path(&path, &file, &ReadOptions::standard());
        let found =
            read.as_ref().map(|read| (read.structure.n_residues(), read.structure.n_atoms(), read.warnings.len()));
        match (found, verdict) {
            (Ok(found), Ok(expected)) if found == *expected => {}
            (Err(error), Err(words)) if error.to_string().contains(words) => {}
            (Ok(found), _) => wrong.push(format!("{file}: read as {found:?}, expected {verdict:?}")),
            (Err(error), _) => wrong.push(format!("{error}; expected {verdict:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Polymer residues as counted by gemmi 0.7.5 (`setup_entities`, peptides, one per number). For the two files without a
/// polymer by gemmi, the residues with an alpha carbon.
#[test]
fn no_polymer_residue_is_without_its_row() {
    const COUNTS: [(&str, &str, usize, &[&str]); 14] = [
        ("dev", "1a8o.cif.gz", 70, &["MSE"]),
        ("dev", "1a8o.pdb.gz", 70, &["MSE"]),
        ("dev", "1o6u.cif.gz", 1178, &["MSE"]),
        ("dev", "1o6u.pdb.gz", 1178, &["MSE"]),
        ("dev", "2bz1.pdb.gz", 174, &["MSE"]),
        ("dev", "1tw7.pdb.gz", 198, &["HSD"]),
        ("dev", "adk_open.pdb.gz", 214, &["HSD"]),
        ("dev", "2drt.pdb", 86, &["HYP"]),
        ("dev", "unordered_res.pdb", 35, &["HIP", "NLE"]),
        ("sites", "1atp.pdb.gz", 356, &["SEP", "TPO"]),
        ("sites", "1hvr.pdb.gz", 198, &["CSO"]),
        ("sites", "2src.pdb.gz", 450, &["PTR"]),
        ("sites", "4cum.pdb.gz", 810, &["CAS"]),
        ("sites", "6msm.pdb.gz", 1198, &["UNK"]),
    ];
    for (folder, file, count, modified) in COUNTS {
        let Some(directory) = corpus(folder) else { continue };
        let read = read_path(directory.join(file), file, &ReadOptions::default()).unwrap().structure;
        let names: std::collections::HashSet<&str> = (0..read.n_residues()).map(|row| read.resname(row)).collect();
        assert!(modified.iter().all(|name| names.contains(name)), "{file}: {names:?}");
        assert_eq!(read.n_residues(), count, "{file}");
    }
}
