//! No input makes the reader panic, and accepted structures are valid.

use crate::read_common::*;
use prism_read::ReadOptions;
use proptest::collection::vec;
use proptest::prelude::*;

/// Reads with and without a selection of chains.
fn survives_any(bytes: &[u8]) {
    for chains in [None, Some(vec!["A".to_owned()])] {
        survives(bytes, &ReadOptions { chains, ..ReadOptions::default() });
    }
}

/// A beginning that each kind of reader accepts.
fn beginnings() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "ATOM  ",
        "ATOM      1  CA  SER A   1    ",
        "data_x\n",
        "data_x\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n",
        "data_x\n_a.b\n;",
        "\u{feff}#",
        "FCMP",
        "FCMP\x01\0\x04\0\x01\0\x01\0\x02A\0\0\x01\0\0\0",
        "\x1f",
    ])
}

/// Bytes with a special meaning are more frequent.
fn bytes() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(b" \n\n\r\t'\";#_.?-+0123456789eEAHXdls(".to_vec())]
}

/// A small complete file of each format.
fn whole(cif: bool) -> Vec<u8> {
    if cif {
        let (items, rows) = crambin_loop();
        cif_of(&items, &rows[..30]).into_bytes()
    } else {
        ubiquitin_atoms(30).into_bytes()
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes(head in beginnings(), tail in vec(bytes(), 0..400)) {
        survives_any(&[head.as_bytes(), &tail].concat());
        survives_any(&[b"\x1f\x8b\x08\0\0\0\0\0\0\xff", &tail[..]].concat());
    }

    #[test]
    fn changed_bytes(cif in any::<bool>(), changes in vec((any::<prop::sample::Index>(), bytes()), 1..12)) {
        let mut text = whole(cif);
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        survives_any(&text);
    }

    #[test]
    fn removed_and_inserted_bytes(
        cif in any::<bool>(),
        removed in any::<prop::sample::Index>(),
        length in 0..200usize,
        inserted in vec(bytes(), 0..30),
    ) {
        let mut text = whole(cif);
        let begin = removed.index(text.len());
        let end = (begin + length).min(text.len());
        text.splice(begin..end, inserted);
        survives_any(&text);
        survives_any(&gzip(&text));
    }

    /// A cut file is refused, or has only the complete atoms before the cut.
    #[test]
    fn cut_files(cif in any::<bool>(), at in any::<prop::sample::Index>()) {
        let text = whole(cif);
        let cut = &text[..at.index(text.len())];
        survives_any(cut);
        if let Ok(read) = try_read(cut) {
            let rows = std::str::from_utf8(cut).unwrap().lines().filter(|line| line.starts_with("ATOM")).count();
            prop_assert_eq!(read.structure.n_atoms(), rows);
            let whole = structure(&text);
            for (atom, expected) in read.structure.atoms.iter().zip(&whole.atoms) {
                for (value, center, expected, whole_center) in [
                    (atom.x, read.structure.center[0], expected.x, whole.center[0]),
                    (atom.y, read.structure.center[1], expected.y, whole.center[1]),
                    (atom.z, read.structure.center[2], expected.z, whole.center[2]),
                ] {
                    prop_assert!((f64::from(value) + center - f64::from(expected) - whole_center).abs() < 1e-5);
                }
            }
        }
    }
}
