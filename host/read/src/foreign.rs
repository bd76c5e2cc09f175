//! Formats that are known but not read, by their content: each has a text that says what it is, and what to do.

use super::number::decimal;
use std::borrow::Cow;

/// Of PDBML.
pub const PDBML: &str = "PDBML is not supported; fetch the .cif file";
/// Of mmJSON.
pub const MMJSON: &str = "mmJSON is not supported; fetch the .cif file";
/// Of GRO.
pub const GRO: &str = "GRO has no chains, and is read only as the topology of a trajectory (--trajectory); convert it with `gmx editconf -f x.gro -o x.pdb`";
/// Of formats for small molecules.
pub const SMALL_MOLECULE: &str = "is a format for small molecules; give PDB, mmCIF or BinaryCIF";
/// Of a trajectory.
pub const TRAJECTORY: &str = "is a trajectory: give its topology here, and the trajectory by --trajectory";
/// Of the input of a run of GROMACS.
pub const TPR: &str = "is an input of `gmx mdrun` (TPR), which is not read; write its atoms as PDB with `gmx trjconv -s run.tpr -f run.xtc -dump 0 -o top.pdb`";
pub(super) const MMTF: &str = "MMTF is not supported, and no longer published: fetch the .bcif.gz or .cif.gz file";
const HTML: &str = "is a web page and no structure; the server may have answered with an error: fetch the file again";
const XML: &str = "is an XML file and no structure; give PDB, mmCIF or BinaryCIF";
const JSON: &str = "is a JSON file and no structure; give PDB, mmCIF or BinaryCIF";
const FASTA: &str =
    "is a FASTA file: sequences without coordinates; give structures of them, predicted or from experiments";
const SEQUENCE: &str = "is a file of sequences, without coordinates; give structures, predicted or from experiments";
const TOPOLOGY: &str =
    "is a topology without coordinates: give its trajectory by --trajectory, or write the atoms as PDB or mmCIF";
const IMAGE: &str = "is an image and no structure; give PDB, mmCIF or BinaryCIF";
const TABLE: &str = "is a table and no structure; give PDB, mmCIF or BinaryCIF";

/// What a file of a format begins with.
const BEGINNINGS: [(&[u8], &str); 28] = [
    (b"%PDF-", "is a PDF document and no structure; give PDB, mmCIF or BinaryCIF"),
    (b"\x89PNG\r\n", IMAGE),
    (b"\xff\xd8\xff", IMAGE),
    (b"GIF8", IMAGE),
    (b"<svg", IMAGE),
    (b"%!PS", "is a PostScript document and no structure; give PDB, mmCIF or BinaryCIF"),
    (b"{\\rtf", "is an RTF document and no structure; save it as plain text, or fetch the file again"),
    (b"\xd0\xcf\x11\xe0", "is an Office document and no structure; give PDB, mmCIF or BinaryCIF"),
    (b"\x93NUMPY", "is a NumPy array and no structure; give PDB, mmCIF or BinaryCIF"),
    (b"PAR1", TABLE),
    (b"ARROW1", TABLE),
    (b"SQLite format 3", "is a database and no structure; give PDB, mmCIF or BinaryCIF"),
    (b"CDF\x01", TRAJECTORY),
    (b"CDF\x02", TRAJECTORY),
    (b"CDF\x05", TRAJECTORY),
    // XTC and TRR of GROMACS, and DCD in either order of bytes.
    (b"\0\0\x07\xcb", TRAJECTORY),
    (b"\0\0\x07\xc9", TRAJECTORY),
    (b"\x54\0\0\0CORD", TRAJECTORY),
    (b"\0\0\0\x54CORD", TRAJECTORY),
    (b"version https://git-lfs", "is a pointer of Git LFS and not the file itself; `git lfs pull` fetches it"),
    (b"PSF ", TOPOLOGY),
    (b"%VERSION", TOPOLOGY),
    (b"@<TRIPOS>", SMALL_MOLECULE),
    (b"LOCUS ", SEQUENCE),
    (b"ID   ", SEQUENCE),
    (b"CLUSTAL", SEQUENCE),
    (b"# STOCKHOLM", SEQUENCE),
    (b">", FASTA),
];

/// What a text is, if it is in a known format that is not read.
pub(super) fn named(text: &[u8]) -> Option<&'static str> {
    /// The bytes at the beginning that may name the format.
    const HEAD: usize = 4096;
    let begins = |(beginning, what): &(&[u8], &'static str)| text.starts_with(beginning).then_some(*what);
    if let Some(what) = BEGINNINGS.iter().find_map(begins) {
        return Some(what);
    }
    // A length, the length again as XDR has it, and the version of GROMACS.
    if text.starts_with(b"\0\0\0") && text.get(8..16) == Some(b"VERSION ") {
        return Some(TPR);
    }
    let text = text.trim_ascii_start();
    let head = || text[..text.len().min(HEAD)].to_ascii_lowercase();
    let has = |head: &[u8], word: &[u8]| memchr::memmem::find(head, word).is_some();
    match text.first()? {
        b'<' => Some(match head() {
            head if has(&head, b"pdbx") => PDBML,
            head if has(&head, b"<html") || has(&head, b"<!doctype html") => HTML,
            _ => XML,
        }),
        b'{' => Some(match head() {
            head if has(&head, b"\"data_") || has(&head, b"atom_site") => MMJSON,
            _ => JSON,
        }),
        b'[' if matches!(
            text[1..].trim_ascii_start().first(),
            Some(b'{' | b'[' | b'"' | b']' | b'0'..=b'9' | b'-')
        ) =>
        {
            Some(JSON)
        }
        b'>' => Some(FASTA),
        _ => of_lines(&text[..text.len().min(HEAD)]),
    }
}

/// What a text is by its first lines.
fn of_lines(head: &[u8]) -> Option<&'static str> {
    let lines: Vec<&[u8]> = head.split(|&c| c == b'\n').map(<[u8]>::trim_ascii_end).take(4).collect();
    let count = |line: &[u8]| std::str::from_utf8(line.trim_ascii()).ok()?.parse::<u32>().ok();
    match lines[..] {
        // Counts behind three lines of a title, which may be blank.
        _ if lines.iter().any(|line| is_counts(line)) => Some(SMALL_MOLECULE),
        // A title, a number of atoms, and an atom whose positions have the columns of GRO.
        [_, atoms, atom, ..] if count(atoms).is_some() && atom.len() >= 44 && is_position(&atom[20..44]) => Some(GRO),
        // A number of atoms, a title, an element and three coordinates.
        [atoms, _, atom, ..] if count(atoms).is_some() && is_xyz(atom) => Some(SMALL_MOLECULE),
        _ => None,
    }
}

/// Whether a line has the numbers of a molfile's atoms and bonds, and its version.
fn is_counts(line: &[u8]) -> bool {
    let counts = line.strip_suffix(b"V2000").or_else(|| line.strip_suffix(b"V3000"));
    counts.is_some_and(|counts| counts.iter().all(|c| matches!(c, b' ' | b'0'..=b'9')))
}

fn is_position(columns: &[u8]) -> bool {
    columns.chunks(8).all(|field| field[4] == b'.' && decimal(field.trim_ascii()).is_some())
}

fn is_xyz(line: &[u8]) -> bool {
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    words.len() == 4 && words[0].len() <= 2 && words[1..].iter().all(|word| decimal(word).is_some())
}

/// A text without its byte-order mark, and in UTF-8, if the mark says that it is in UTF-16.
pub fn unmarked(text: &[u8]) -> Cow<'_, [u8]> {
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect()
    };
    let (rest, unit): (_, fn([u8; 2]) -> u16) = match text {
        [0xef, 0xbb, 0xbf, rest @ ..] => return Cow::Borrowed(rest),
        [0xff, 0xfe, rest @ ..] => (rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => (rest, u16::from_be_bytes),
        _ => return Cow::Borrowed(text),
    };
    Cow::Owned(String::from_utf16_lossy(&units(rest, unit)).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_their_marks() {
        assert_eq!(&*unmarked(b"\xef\xbb\xbfx.pdb"), b"x.pdb");
        assert_eq!(&*unmarked(b"\xff\xfex\0\xe9\0\n\0"), "xé\n".as_bytes());
        assert_eq!(&*unmarked(b"\xfe\xff\0x\0\n"), b"x\n");
        assert_eq!(&*unmarked(b"x"), b"x");
    }

    #[test]
    fn inputs_of_gromacs_are_told_how_to_be_written() {
        let tpr = b"\0\0\0\x0f\0\0\0\x0eVERSION 2021.4\0\0\0\0\0\x04\0\0\0\x7b";
        assert!(named(tpr).is_some_and(|what| what.contains("gmx trjconv -s run.tpr -f run.xtc -dump 0 -o top.pdb")));
    }

    #[test]
    fn structures_are_not_taken_for_anything_else() {
        for text in [
            "ATOM      1  N   MET A   1      27.340  24.430   2.614  1.00  9.67           N\n",
            "HEADER    [\n",
            "MODEL        1\n",
            "REMARK 1\n1\n",
            "#\ndata_x\n",
            "1\n2\n3\n4\n",
            "#\ndata_x\nloop_\n_atom_site.V3000\n",
        ] {
            assert_eq!(named(text.as_bytes()), None, "{text}");
        }
    }
}
