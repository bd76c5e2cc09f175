//! Files as databases, programs and people write them, whole or damaged.

use crate::bytes::Bytes;
use crate::reading::{Outcome, assembly, check, options};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::GzEncoder;
use prism_host::ReadOptions;
use prism_host::read::{AtomArrays, Texts, read_arrays, with_b_column};
use prism_host::read::{ReadStructure, read_bytes, read_structures};
use std::io::{Read, Write};

/// The results as text.
fn told(read: &[Outcome]) -> Vec<String> {
    read.iter().map(|read| read.as_ref().map_or_else(ToString::to_string, |read| format!("{read:?}"))).collect()
}

/// A PDB file.
pub fn pdb(data: &[u8]) {
    let options = options(data);
    let read = read_structures(data, "x", &options);
    check(&read);
    if let Some(id) = assembly(data) {
        check(&read_structures(data, "x", &ReadOptions { assembly: Some(id), ..options.clone() }));
    }
    // Line ends have no meaning.
    if data.contains(&b'\n') && !data.contains(&b'\r') && starts_as_pdb(data) {
        let lines: Vec<u8> = data.iter().flat_map(|&c| [b'\r', c].into_iter().skip(usize::from(c != b'\n'))).collect();
        assert_eq!(told(&read), told(&read_structures(&lines, "x", &options)), "with carriage returns");
    }
}

/// A PQR file. Its columns identify the format.
pub fn pqr(data: &[u8]) {
    check(&read_structures(data, "x", &options(data)));
}

/// Writes the B column of a file. Writing it again changes nothing, and all other values stay.
pub fn b_column(data: &[u8]) {
    let write = |text: &[u8]| with_b_column(text, "x", "depth in Å", |residue| (residue.number % 90) as f32);
    let Ok(changed) = write(data) else { return };
    // A record with unusual columns may turn into a record of another format, or into two records.
    let is_text = data.iter().all(|c| matches!(c, b' '..=b'~' | b'\n'));
    let is_as_pdb_has_it = starts_as_pdb(data) && is_text && data.split(|c| *c == b'\n').all(has_numbers);
    if !is_as_pdb_has_it && !data.starts_with(b"data_") {
        return;
    }
    match write(&changed) {
        // Numbers of any width are cut at the columns, so the result may look like a file whose columns are separated by blanks.
        Err(error) if error.to_string().contains("B column") => return,
        again => assert!(again.is_ok_and(|again| again == changed), "twice as once"),
    }
    let options = options(data);
    let [one, other] = [data, &changed].map(|text| read_structures(text, "x", &options));
    let shown = |read: &[Outcome]| -> Vec<_> {
        let shown = |read: &ReadStructure| format!("{:?} {:?}", read.structure.atoms, read.structure.residue_numbers);
        read.iter().map(|read| read.as_ref().map(shown).map_err(|_| ())).collect()
    };
    if one.iter().all(Result::is_ok) {
        assert_eq!(shown(&one), shown(&other), "but for the B column");
    }
}

/// Whether a line is not an atom record, or one with valid numbers: residue number and coordinates must be numbers,
/// occupancy and B factor numbers or empty. The same holds for a record that follows on the same line.
fn has_numbers(line: &[u8]) -> bool {
    if !line.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"ATOM") || head.eq_ignore_ascii_case(b"HETA")) {
        return true;
    }
    let number = |from: usize, to: usize| -> Option<f32> {
        std::str::from_utf8(line.get(from..line.len().min(to))?).ok()?.trim().parse().ok()
    };
    let is_empty =
        |from: usize, to: usize| line.get(from..line.len().min(to)).is_none_or(|text| text.trim_ascii().is_empty());
    let mut rest = [(54, 60), (60, 66)].into_iter();
    let is_whole = |from: usize, to: usize| {
        line.len() >= to && number(from, to).is_some_and(|x| x.fract() == 0.0 && !line[from..to].contains(&b'.'))
    };
    // Padding a record that ends inside its occupancy changes the occupancy.
    if !is_whole(22, 26) || (55..60).contains(&line.trim_ascii_end().len()) {
        return false;
    }
    [(30, 38), (38, 46), (46, 54)].into_iter().all(|(from, to)| line.len() >= to && number(from, to).is_some())
        && rest.all(|(from, to)| is_empty(from, to) || number(from, to).is_some_and(|x| x >= 0.0))
        // The first of two records may lose its end.
        && (1..line.len())
            .find(|&at| line[at..].starts_with(b"ATOM") || line[at..].starts_with(b"HETATM"))
            .is_none_or(|at| at >= 66 && has_numbers(&line[at..]))
}

/// Atoms in arrays, as programs pass them. Most arrays have the same length.
pub fn arrays(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let n = bytes.below(48);
    let mut texts = |choices: &[&str]| {
        let own: Vec<&str> =
            (0..n).map(|_| choices[bytes.below(2 * choices.len()).saturating_sub(choices.len())]).collect();
        let texts: Texts = own.into_iter().collect();
        match bytes.byte() {
            255 => Texts::new(1 + bytes.below(12), bytes.take(n).to_vec()).unwrap_or_default(),
            254 => Texts::default(),
            _ => texts,
        }
    };
    let mut atoms = AtomArrays {
        atom_names: texts(&["CA", "N", "C", "O", "CB", "H", "OXT", "\u{e9}"]),
        residue_names: texts(&["ALA", "GLY", "MSE", "HOH", "ACE", "UNK", "ATP"]),
        chains: texts(&["A", "", "B", "long"]),
        insertion_codes: texts(&["", "A"]),
        alternates: texts(&["", "A", "B"]),
        elements: texts(&["", "C", "H", "SE"]),
        ..AtomArrays::default()
    };
    let mut number = 0;
    for _ in 0..n {
        number += i32::from(bytes.byte().is_multiple_of(4));
        atoms.residue_numbers.push(number);
        atoms.hetero.push(bytes.byte() > 200);
        atoms.in_chain.push(bytes.byte() > 100);
        atoms.occupancies.push(f64::from(bytes.coordinate()));
        atoms.b_factors.push(f64::from(bytes.coordinate()));
    }
    match bytes.byte() {
        255 => atoms.hetero.clear(),
        254 => atoms.b_factors.truncate(n / 2),
        253 => atoms.residue_numbers.push(i32::MIN),
        _ => {}
    }
    let positions: Vec<[f64; 3]> = (0..n).map(|_| [(); 3].map(|()| f64::from(bytes.coordinate()))).collect();
    check(&read_arrays(&atoms, &positions, "x", &options(data)));
}

/// Whether the text is not mistaken for another format.
fn starts_as_pdb(data: &[u8]) -> bool {
    ["ATOM  ", "HETATM", "HEADER", "MODEL "].iter().any(|word| data.starts_with(word.as_bytes()))
}

/// An mmCIF file.
pub fn mmcif(data: &[u8]) {
    let options = options(data);
    let read = read_structures(data, "x", &options);
    check(&read);
    if let Some(id) = assembly(data) {
        check(&read_structures(data, "x", &ReadOptions { assembly: Some(id), ..options.clone() }));
    }
    // A comment in front changes only line numbers.
    if data.starts_with(b"data_") {
        let read: Vec<_> =
            read.iter().map(|read| read.as_ref().map(|read| format!("{read:?}")).map_err(|_| ())).collect();
        let other = read_structures(&[b"#\n", data].concat(), "x", &options);
        let other: Vec<_> =
            other.iter().map(|read| read.as_ref().map(|read| format!("{read:?}")).map_err(|_| ())).collect();
        assert_eq!(read, other, "behind a comment");
    }
}

/// A FoldComp entry. Its last byte, the last residue's B factor, also gives the options.
pub fn foldcomp(data: &[u8]) {
    let entry = [b"FCMP", data].concat();
    let read = read_structures(&entry, "x", &options(data));
    check(&read);
    // Databases end an entry with a zero.
    if read.iter().all(Result::is_ok) && data.last() != Some(&0) {
        assert_eq!(
            told(&read),
            told(&read_structures(&[&entry[..], b"\0"].concat(), "x", &options(data))),
            "with a zero"
        );
    }
}

/// A compressed file: arbitrary bytes, a deflate stream with a correct frame, or a text that is compressed in two members.
pub fn inflate(data: &[u8]) {
    let [how, rest @ ..] = data else { return };
    let options = ReadOptions::default();
    match how % 3 {
        0 => {
            let _ = read_bytes(&[&[0x1f, 0x8b], rest].concat(), "x", &options);
        }
        1 => {
            const MOST: u64 = 1 << 20;
            let mut decoder = DeflateDecoder::new(rest).take(MOST + 1);
            let mut text = Vec::new();
            if decoder.read_to_end(&mut text).is_err() || text.len() as u64 > MOST {
                return;
            }
            let stream = &rest[..decoder.get_ref().total_in() as usize];
            let sum = crc32fast::hash(&text).to_le_bytes();
            let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
            let member = [&head, stream, &sum, &(text.len() as u32).to_le_bytes()].concat();
            same(&member, &text, &options);
        }
        _ => {
            let (first, second) = rest.split_at(usize::from(*how) * rest.len() / 255);
            let level = Compression::new(u32::from(how % 10));
            let compressed = |text: &[u8]| {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(text).expect("written to memory");
                encoder.finish().expect("written to memory")
            };
            let mut both = [compressed(first), compressed(second), vec![0; usize::from(how % 5)]].concat();
            same(&both, rest, &options);
            let place = usize::from(*how) * 257 % both.len();
            both[place] ^= how | 1;
            let _ = read_bytes(&both, "x", &options);
        }
    }
}

/// Checks that a compressed text reads as the text itself.
pub(crate) fn same(compressed: &[u8], text: &[u8], options: &ReadOptions) {
    // Text that begins like a compressed file is decompressed again.
    let is_one = |magic: &&[u8]| text.starts_with(magic);
    if [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd], b"BZh", b"\xfd7zXZ"].iter().any(is_one)
        || text.get(1..4) == Some(&[0x2a, 0x4d, 0x18])
    {
        return;
    }
    let [one, other] = [compressed, text].map(|bytes| told(&[read_bytes(bytes, "x", options)]));
    assert_eq!(one, other, "compressed");
}
