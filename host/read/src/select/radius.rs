//! Radii of atoms.

use crate::elements;
use crate::word::trim_zeros;
use shared_types::ResidueKind;
use shared_types::radii::protor_radius;

const SE: u64 = u64::from_le_bytes(*b"SE\0\0\0\0\0\0");

/// The radius in Å of an atom whose element nothing says.
pub(super) const UNKNOWN_ELEMENT: f64 = 1.7;

/// The radius of an atom in Å; `None` if nothing says its element. It depends on the residue's parent and the atom's name if the element
/// agrees with the name, otherwise on the element alone.
#[inline(always)]
pub(super) fn radius(kind: ResidueKind, name: u64, element: u16) -> Option<f64> {
    let bytes = name.to_le_bytes();
    let text = trim_zeros(&bytes);
    let first = text.iter().find(|c| !c.is_ascii_digit()).copied().unwrap_or(0);
    if !(element == 0 && name == SE)
        && (element == 0 || element == u16::from(first))
        && matches!(first, b'C' | b'N' | b'O' | b'S')
    {
        return Some(f64::from(protor_radius(kind, text)));
    }
    elements::of_symbol(symbol(name, element)).map(|element| f64::from(element.van_der_waals()))
}

/// The symbol of an atom's element: the file's, or what the name begins with, one letter before two. Zeros if neither is an element.
pub(super) fn symbol(name: u64, element: u16) -> [u8; 2] {
    if element != 0 {
        return element.to_le_bytes();
    }
    let bytes = name.to_le_bytes();
    let mut letters = trim_zeros(&bytes).iter().skip_while(|c| c.is_ascii_digit()).map(u8::to_ascii_uppercase);
    let (first, second) = (letters.next().unwrap_or(0), letters.next().unwrap_or(0));
    let two = [first, second];
    let known = |symbol: &[u8; 2]| elements::of_symbol(*symbol).is_some();
    if name == SE { two } else { [[first, 0], two].into_iter().find(known).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::element;
    use crate::word::pack;

    #[test]
    fn radii_by_parent_and_name_else_by_element() {
        let methionine = 12;
        let radius =
            |name: &[u8], symbol: &[u8]| radius(methionine, pack(name), element(symbol)).map(|radius| radius as f32);
        assert_eq!(radius(b"CE", b"C"), Some(1.88));
        assert_eq!(radius(b"C", b""), Some(1.61));
        assert_eq!([radius(b"SE", b"Se"), radius(b"SE", b""), radius(b"SD", b"S")], [1.9, 1.9, 1.77].map(Some));
        assert_eq!([radius(b"P", b"P"), radius(b"P", b""), radius(b"XX", b"C")], [1.8, 1.8, 1.88].map(Some));
        assert_eq!(radius(b"CA", b"CA"), Some(2.31));
        // Alvarez' values for transition metals; names alone, if there is no element.
        assert_eq!([radius(b"ZN", b"Zn"), radius(b"ZN", b""), radius(b"FE", b"Fe")], [2.39, 2.39, 2.44].map(Some));
        assert_eq!([radius(b"QQ", b""), radius(b"XX", b"X")], [None; 2]);
    }
}
