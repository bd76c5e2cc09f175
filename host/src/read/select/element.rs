//! Chemical elements of atoms, and their radii.

use crate::read::word::trim_zeros;
use shared_types::ResidueKind;
use shared_types::radii::{protor_radius, radius_of_element};

const SE: u64 = u64::from_le_bytes(*b"SE\0\0\0\0\0\0");

/// Whether an atom is a hydrogen or deuterium. Decided by its element if that is valid, otherwise by the first letter of
/// its name after digits.
#[inline]
pub(in crate::read) fn is_hydrogen(element: &[u8], name: &[u8]) -> bool {
    match element {
        [b'H' | b'h' | b'D' | b'd'] => true,
        [e] if e.is_ascii_alphabetic() && !matches!(e, b'X' | b'x') => false,
        [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => false,
        _ => matches!(name.iter().find(|c| !c.is_ascii_digit()), Some(b'H' | b'D')),
    }
}

/// An element's symbol as a word; 0 if it is not an element.
#[inline]
pub(in crate::read) fn element(symbol: &[u8]) -> u16 {
    match *symbol {
        [a] if a.is_ascii_alphabetic() => u16::from_le_bytes([a.to_ascii_uppercase(), 0]),
        [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
            u16::from_le_bytes([a.to_ascii_uppercase(), b.to_ascii_uppercase()])
        }
        _ => 0,
    }
}

/// The radius of an atom in Å. It depends on the residue's parent and the atom's name if the element agrees with the name,
/// otherwise on the element alone.
#[inline]
pub(super) fn radius(kind: ResidueKind, name: u64, element: u16) -> f64 {
    let bytes = name.to_le_bytes();
    let text = trim_zeros(&bytes);
    let first = text.iter().find(|c| !c.is_ascii_digit()).copied().unwrap_or(0);
    f64::from(if element == 0 && name == SE {
        radius_of_element(b"SE")
    } else if (element == 0 || element == u16::from(first)) && matches!(first, b'C' | b'N' | b'O' | b'S') {
        protor_radius(kind, text)
    } else if element == 0 {
        radius_of_element(&[first])
    } else {
        let symbol = element.to_le_bytes();
        radius_of_element(if symbol[1] == 0 { &symbol[..1] } else { &symbol })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::word::pack;

    #[test]
    fn hydrogens_by_element_then_by_name() {
        assert!(is_hydrogen(b"H", b"CA"));
        assert!(is_hydrogen(b"d", b"CA"));
        assert!(!is_hydrogen(b"HG", b"HG"));
        assert!(!is_hydrogen(b"C", b"HA"));
        for unknown in [&b""[..], b"X", b"1", b"C1"] {
            assert!(is_hydrogen(unknown, b"1HB"), "{unknown:?}");
            assert!(!is_hydrogen(unknown, b"CA"), "{unknown:?}");
        }
    }

    #[test]
    fn radii_by_parent_and_name_else_by_element() {
        let methionine = 12;
        let radius = |name: &[u8], symbol: &[u8]| radius(methionine, pack(name), element(symbol)) as f32;
        assert_eq!(radius(b"CE", b"C"), 1.88);
        assert_eq!(radius(b"C", b""), 1.61);
        assert_eq!([radius(b"SE", b"Se"), radius(b"SE", b""), radius(b"SD", b"S")], [1.9, 1.9, 1.77]);
        assert_eq!([radius(b"P", b"P"), radius(b"P", b""), radius(b"XX", b"C")], [1.8, 1.8, 1.88]);
        assert_eq!(radius(b"CA", b"CA"), 2.31);
    }
}
