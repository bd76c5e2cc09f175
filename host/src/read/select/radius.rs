//! Radii of atoms.

use crate::read::word::trim_zeros;
use shared_types::ResidueKind;
use shared_types::radii::{protor_radius, radius_of_element};

const SE: u64 = u64::from_le_bytes(*b"SE\0\0\0\0\0\0");

/// The radius of an atom in Å. It depends on the residue's parent and the atom's name if the element agrees with the name,
/// otherwise on the element alone.
#[inline(always)]
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
    use crate::read::atoms::element;
    use crate::read::word::pack;

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
