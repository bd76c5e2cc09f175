//! Shared by the tests of the reader.
#![allow(dead_code, reason = "each test binary uses its own part")]

mod readers;

use flate2::Compression;
use flate2::write::GzEncoder;
use prism_read::{
    AtomArrays, ReadError, ReadOptions, ReadStructure, StructureInput, Texts, read_bytes, read_structures,
};
use std::io::{Read as _, Write};

pub const CRAMBIN_PDB: &str = include_str!("../../../../tests/data/1crn.pdb");
pub const CRAMBIN_CIF: &str = include_str!("../../../../tests/data/1crn.cif");
pub const UBIQUITIN_PDB: &str = include_str!("../../../../tests/data/1ubq.pdb");

/// Reads bytes under the name `x`, all chains.
pub fn try_read(bytes: impl AsRef<[u8]>) -> Result<ReadStructure, ReadError> {
    read_bytes(bytes.as_ref(), "x", &ReadOptions::default())
}

/// Reads bytes that must be readable, and checks that the structure is valid.
#[track_caller]
pub fn read(bytes: impl AsRef<[u8]>) -> ReadStructure {
    let read = try_read(&bytes).unwrap_or_else(|error| panic!("refused: {error}"));
    readers::assert_same(bytes.as_ref(), &read);
    read.structure.validate().unwrap_or_else(|error| panic!("does not hold together: {error}"));
    read
}

/// Reads bytes that must be readable without a warning.
#[track_caller]
pub fn structure(bytes: impl AsRef<[u8]>) -> StructureInput {
    let read = read(bytes);
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    read.structure
}

/// The message about bytes that must be refused.
#[track_caller]
pub fn refusal(bytes: impl AsRef<[u8]>) -> String {
    match try_read(bytes) {
        Ok(read) => panic!("read, with {} residues", read.structure.n_residues()),
        Err(error) => error.to_string(),
    }
}

/// `chain number+icode name atoms` of each residue.
pub fn rows(s: &StructureInput) -> Vec<String> {
    let row = |i: usize| {
        let chain = &s.chains[s.chain_ids[i] as usize];
        let atoms = s.residue_atoms[i + 1] - s.residue_atoms[i];
        format!("{chain} {}{} {} {atoms}", s.residue_numbers[i], s.insertion_codes[i], s.resname(i))
    };
    (0..s.n_rows()).map(row).collect()
}

/// Reads bytes that may be refused, and checks that structures of others are valid.
#[track_caller]
pub fn survives(bytes: &[u8], options: &ReadOptions) {
    for read in read_structures(bytes, "x", options).into_iter().flatten() {
        read.structure.validate().unwrap_or_else(|error| panic!("accepted, yet {error}"));
    }
}

/// Asserts that two texts hold the same structure, bit for bit.
#[track_caller]
pub fn assert_same(a: &StructureInput, b: &StructureInput) {
    assert_eq!(a.residue_types, b.residue_types);
    assert_eq!(a.residue_numbers, b.residue_numbers);
    assert_eq!(a.insertion_codes, b.insertion_codes);
    assert_eq!(a.chains, b.chains);
    assert_eq!(a.chain_ids, b.chain_ids);
    assert_eq!(a.residue_atoms, b.residue_atoms);
    assert_eq!(a.ca_indices, b.ca_indices);
    assert_eq!(a.center.map(f64::to_bits), b.center.map(f64::to_bits));
    let atoms = |s: &StructureInput| s.atoms.iter().map(|a| [a.x, a.y, a.z, a.radius].map(f32::to_bits)).collect();
    let (atoms_a, atoms_b): (Vec<_>, Vec<_>) = (atoms(a), atoms(b));
    assert_eq!(atoms_a, atoms_b);
    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&a.bfactor), bits(&b.bfactor));
}

/// Inflates gzip data.
pub fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    plain
}

/// One gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The first `n` atom lines of ubiquitin, each with its line feed.
pub fn ubiquitin_atoms(n: usize) -> String {
    UBIQUITIN_PDB.split_inclusive('\n').filter(|line| line.starts_with("ATOM")).take(n).collect()
}

/// An `ATOM` line with a given coordinate.
pub fn atom_line(name: &str, alternate: char, residue: &str, id: &str, x: f64) -> String {
    // `id` is chain, number and insertion code: columns 22 to 27.
    format!("ATOM      1 {name:<4}{alternate}{residue:>3} {id:<6}   {x:8.3}{:8.3}{:8.3}  1.00{:6.2}\n", 0.0, 0.0, x)
}

/// Crambin's `_atom_site` loop: its items and its rows.
pub fn crambin_loop() -> (Vec<&'static str>, Vec<Vec<&'static str>>) {
    let items: Vec<_> = CRAMBIN_CIF.lines().filter_map(|l| l.strip_prefix("_atom_site.")).map(str::trim).collect();
    let rows: Vec<Vec<_>> =
        CRAMBIN_CIF.lines().filter(|l| l.starts_with("ATOM ")).map(|l| l.split_whitespace().collect()).collect();
    assert!(rows.iter().all(|row| row.len() == items.len()));
    (items, rows)
}

/// A data block with an `_atom_site` loop.
pub fn cif_of(items: &[&str], rows: &[Vec<&str>]) -> String {
    let mut text = "data_X\nloop_\n".to_owned();
    for item in items {
        text += &format!("_atom_site.{item}\n");
    }
    for row in rows {
        text += &format!("{}\n", row.join(" "));
    }
    text
}

/// The same in BinaryCIF. Every value is a text.
pub fn bcif_of(items: &[&str], rows: &[Vec<&str>]) -> Vec<u8> {
    bcif_of_tables(&[("_atom_site", items, rows)])
}

/// A category: its name, items and rows.
type Table<'t> = (&'t str, &'t [&'t str], &'t [Vec<&'t str>]);

/// A data block of BinaryCIF with some categories.
pub fn bcif_of_tables(tables: &[Table<'_>]) -> Vec<u8> {
    let text = |text: &str| match text.len() {
        short @ 0..32 => [&[0xa0 | short as u8][..], text.as_bytes()].concat(),
        long => [&[0xdb][..], &(long as u32).to_be_bytes(), text.as_bytes()].concat(),
    };
    let numbers = |numbers: &[u32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        [&[0xc6][..], &(bytes.len() as u32).to_be_bytes(), &bytes].concat()
    };
    let array = |items: &[Vec<u8>]| [&[0xdc][..], &(items.len() as u16).to_be_bytes(), &items.concat()].concat();
    let map = |entries: &[(&str, Vec<u8>)]| {
        let all: Vec<u8> = entries.iter().flat_map(|(key, value)| [text(key), value.clone()].concat()).collect();
        [&[0xde][..], &(entries.len() as u16).to_be_bytes(), &all].concat()
    };
    // 32-bit integers.
    let plain = || array(&[map(&[("kind", text("ByteArray")), ("type", vec![3])])]);
    let column = |(index, item): (usize, &&str), rows: &[Vec<&str>]| {
        let mut offsets = vec![0];
        rows.iter().for_each(|row| offsets.push(offsets[offsets.len() - 1] + row[index].len() as u32));
        let texts = map(&[
            ("kind", text("StringArray")),
            ("stringData", text(&rows.iter().map(|row| row[index]).collect::<String>())),
            ("offsets", numbers(&offsets)),
            ("offsetEncoding", plain()),
            ("dataEncoding", plain()),
        ]);
        let data =
            map(&[("data", numbers(&(0..rows.len() as u32).collect::<Vec<_>>())), ("encoding", array(&[texts]))]);
        map(&[("name", text(item)), ("data", data)])
    };
    let table = |(name, items, rows): &Table<'_>| {
        let columns: Vec<Vec<u8>> = items.iter().enumerate().map(|item| column(item, rows)).collect();
        let count = [&[0xcd][..], &(rows.len() as u16).to_be_bytes()].concat();
        map(&[("name", text(name)), ("rowCount", count), ("columns", array(&columns))])
    };
    let block = map(&[("header", text("X")), ("categories", array(&tables.iter().map(table).collect::<Vec<_>>()))]);
    map(&[("version", text("0.3.0")), ("dataBlocks", array(&[block]))])
}

/// The columns of `ATOM` and `HETATM` records as arrays.
pub fn arrays_of(pdb: &str) -> (AtomArrays, Vec<[f64; 3]>) {
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
pub fn parts(structure: &StructureInput) -> String {
    let atoms: Vec<_> = structure.atoms.iter().map(|a| [a.x, a.y, a.z, a.radius].map(f32::to_bits)).collect();
    let b: Vec<_> = structure.bfactor.iter().map(|b| b.to_bits()).collect();
    let s = structure;
    let identity = (&s.chains, &s.chain_ids, &s.residue_numbers, &s.insertion_codes, &s.residue_names);
    let index = (&s.residue_atoms, &s.ca_indices, &s.residue_types, &s.roles, s.environment);
    format!("{atoms:?} {b:?} {identity:?} {index:?} {:?}", s.center.map(f64::to_bits))
}
