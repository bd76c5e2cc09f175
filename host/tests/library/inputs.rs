//! Inputs in memory, and databases of `FoldComp`.

use crate::read_common::{arrays_of, parts};
use flate2::read::GzDecoder;
use prism_host::ReadOptions;
use prism_host::inputs::{InputFile, Source, discover};
use prism_host::read::read_structures;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The output of `foldcomp.decompress` 1.0.0 for both entries, concatenated.
const TEXTS: &[u8] = include_bytes!("../data/foldcomp.pdb.gz");
const FILES: [&str; 4] = ["foldcomp", "foldcomp.index", "foldcomp.lookup", "foldcomp.dbtype"];

fn texts() -> [String; 2] {
    let mut text = String::new();
    GzDecoder::new(TEXTS).read_to_string(&mut text).unwrap();
    let (first, second) = text.split_at(text.rfind("TITLE").unwrap());
    [first.to_owned(), second.to_owned()]
}

/// The database in a separate folder.
fn database() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in FILES {
        fs::copy(Path::new("tests/data").join(file), folder.path().join(file)).unwrap();
    }
    folder
}

/// Names and number of residues of a database's entries, or the error.
fn inside(path: &Path) -> Vec<Result<(String, usize), String>> {
    let inputs = discover([path]).unwrap();
    let [Ok(input)] = &inputs.entries[..] else { panic!("{:?}", inputs.entries) };
    assert!(matches!(input.source, Source::Database) && input.is_stream());
    let all = input.read_all(&ReadOptions::default()).into_iter();
    let named = |name: String, residues| Ok((name, residues));
    all.map(|read| {
        read.map_or_else(|e| Err(e.reason), |read| named(read.structure.name.clone(), read.structure.n_residues()))
    })
    .collect()
}

#[test]
fn databases_are_read_by_the_names_of_their_entries() {
    let folder = database();
    let path = folder.path().join("foldcomp");
    let both = [Ok(("foldcomp/1ubq".to_owned(), 76)), Ok(("foldcomp/1crn".to_owned(), 46))];
    assert_eq!(inside(&path), both);
    assert_eq!(inside(folder.path()), both, "in a folder");
    let write = |extension: &str, text: &str| fs::write(path.with_extension(extension), text).unwrap();
    let index = fs::read_to_string(path.with_extension("index")).unwrap();
    // Names in another order, with names of other entries, and equal names as for chains of one file.
    write("lookup", "7\tother\t0\n1\tx\t0\n0\tx\t0\n");
    assert_eq!(inside(&path), [Ok(("foldcomp/x".to_owned(), 76)), Ok(("foldcomp/x#2".to_owned(), 46))]);
    fs::remove_file(path.with_extension("lookup")).unwrap();
    assert_eq!(inside(&path), [Ok(("foldcomp/0".to_owned(), 76)), Ok(("foldcomp/1".to_owned(), 46))]);

    // A text entry of a database, as `foldcomp decompress --db` writes it.
    let text = texts()[1].clone() + "\0";
    fs::write(&path, &text).unwrap();
    write("index", &format!("0\t0\t{}\n", text.len()));
    assert_eq!(inside(&path), [Ok(("foldcomp/0".to_owned(), 46))]);

    let reason = |index: &str| {
        write("index", index);
        inside(&path).pop().unwrap().unwrap_err()
    };
    assert!(reason(&index.replace('\t', " ")).contains("line 1 of its .index is not a key"));
    assert!(reason("").contains("no entries"));
    // Many entries that are one and the same would have a short index read a long file for days.
    let entry = format!("0\t0\t{}\n", text.len());
    assert!(reason(&entry.repeat(5)).contains("by line 5 of its .index: they lie over each other"));
    write("index", &entry.repeat(4));
    assert!(inside(&path).iter().all(Result::is_ok), "some may");
    for end in ["0\t18446744073709551615\t9\n", "0\t9\t18446744073709551615\n", "0\t99999999\t9\n"] {
        assert!(reason(end).contains("exceed the database's"), "{end}");
    }
    let large = fs::OpenOptions::new().write(true).open(&path).unwrap();
    large.set_len(1 << 40).unwrap();
    assert!(reason("0\t0\t1099511627776\n").contains("no entry has more than"));
}

#[test]
fn memory_holds_files_and_archives() {
    let plain = std::fs::read("../data/6m0j_rbd.pdb").unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    for name in ["a.pdb", "b.pdb"] {
        let mut header = tar::Header::new_gnu();
        header.set_size(plain.len() as u64);
        tar.append_data(&mut header, name, &plain[..]).unwrap();
    }
    let tar = tar.into_inner().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &tar).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["a.pdb", "b.pdb"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, &plain).unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    let expected = read_structures(&plain, "x", &ReadOptions::default()).remove(0).unwrap().structure;
    let packed = packed.finish().unwrap();
    for (name, bytes) in [("all.tar", tar.clone()), ("unnamed", tar), ("packed", packed), ("zipped", zip)] {
        let file = InputFile::of_bytes(name, bytes);
        assert!(file.is_stream(), "{name}");
        let read: Vec<_> =
            file.read_all(&ReadOptions::default()).into_iter().map(|read| read.unwrap().structure).collect();
        assert_eq!(
            read.iter().map(|s| &*s.name).collect::<Vec<_>>(),
            [format!("{name}/a.pdb"), format!("{name}/b.pdb")]
        );
        assert!(read.iter().all(|structure| parts(structure) == parts(&expected)));
    }
    let (atoms, positions) = arrays_of(std::str::from_utf8(&plain).unwrap());
    let file = InputFile::of_atoms("arrays", Arc::new(atoms), positions);
    assert_eq!(parts(&file.read(&ReadOptions::default()).unwrap().structure), parts(&expected));
}
