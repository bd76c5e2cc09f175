//! Arrays of a file's records give the same structure as the file.

use prism_host::StructureInput;
use prism_host::inputs::InputFile;
use prism_host::read::{Alternates, AtomArrays, ReadOptions, Texts, read_arrays, read_bytes, read_structures};
use std::io::Read;
use std::sync::Arc;

fn text_of(path: &str) -> String {
    let mut text = String::new();
    let bytes = std::fs::read(path).unwrap();
    match path.ends_with(".gz") {
        true => drop(flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap()),
        false => text = String::from_utf8(bytes).unwrap(),
    }
    text
}

/// The columns of `ATOM` and `HETATM` records as arrays.
fn arrays_of(pdb: &str) -> (AtomArrays, Vec<[f64; 3]>) {
    let atoms: Vec<&str> = pdb.lines().filter(|line| line.starts_with("ATOM") || line.starts_with("HETATM")).collect();
    let texts = |range: std::ops::Range<usize>| -> Texts { atoms.iter().map(|line| &line[range.clone()]).collect() };
    let numbers = |range: std::ops::Range<usize>| -> Vec<f64> {
        atoms.iter().map(|line| line[range.clone()].trim().parse().unwrap()).collect()
    };
    let [x, y, z] = [30..38, 38..46, 46..54].map(numbers);
    let arrays = AtomArrays {
        atom_names: texts(12..16),
        residue_names: texts(17..20),
        chains: texts(21..22),
        residue_numbers: atoms.iter().map(|line| line[22..26].trim().parse().unwrap()).collect(),
        insertion_codes: texts(26..27),
        alternates: texts(16..17),
        elements: texts(76..78),
        hetero: atoms.iter().map(|line| line.starts_with("HETATM")).collect(),
        in_chain: Vec::new(),
        occupancies: numbers(54..60),
        b_factors: numbers(60..66),
    };
    (arrays, (0..atoms.len()).map(|i| [x[i], y[i], z[i]]).collect())
}

/// Everything that computations use, floats by their bits.
fn parts(structure: &StructureInput) -> String {
    let atoms: Vec<_> = structure.atoms.iter().map(|a| [a.x, a.y, a.z, a.radius].map(f32::to_bits)).collect();
    let b: Vec<_> = structure.bfactor.iter().map(|b| b.to_bits()).collect();
    let s = structure;
    let identity = (&s.chains, &s.chain_ids, &s.residue_numbers, &s.insertion_codes, &s.residue_names);
    let index = (&s.residue_atoms, &s.ca_indices, &s.residue_types, &s.roles, s.environment);
    format!("{atoms:?} {b:?} {identity:?} {index:?} {:?}", s.center.map(f64::to_bits))
}

#[test]
fn arrays_give_what_the_file_gives() {
    let files =
        ["../data/6m0j_rbd.pdb", "../tests/data/1crn.pdb.gz", "../tests/data/1ubq.pdb.gz", "../tests/data/1jcd.pdb.gz"];
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
    let (atoms, positions) = arrays_of(&text_of("../data/6m0j_rbd.pdb"));
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

#[test]
fn memory_holds_files_and_tars() {
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
    let expected = read_structures(&plain, "x", &ReadOptions::default()).remove(0).unwrap().structure;
    for (name, bytes) in [("all.tar", tar.clone()), ("unnamed", tar), ("packed", packed.finish().unwrap())] {
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
