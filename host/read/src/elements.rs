//! Elements: radii and what they are.

mod table;

use shared_types::radii::radius_of_element;
use std::collections::HashSet;
use std::sync::LazyLock;
use table::{ELEMENTS, SACCHARIDES};

/// Covalent bonds are no longer than the sum of the covalent radii and this, in Å: the tolerance of Open Babel.
const TOLERANCE: f64 = 0.45;

/// An element.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    symbol: [u8; 2],
    /// Its covalent radius in Å: Cordero et al. 2008, Dalton Trans 2832.
    pub covalent: f32,
    /// Its van der Waals radius in Å: Mantina et al. 2009, J Phys Chem A 113:5806, as in FreeSASA, or else Alvarez 2013, Dalton Trans
    /// 42:8617.
    radius: f32,
    pub is_metal: bool,
}

const fn element(symbol: &str, covalent: f32, radius: f32, is_metal: bool) -> Element {
    let text = symbol.as_bytes();
    let symbol = [text[0], if text.len() > 1 { text[1] } else { 0 }];
    Element { symbol, covalent, radius, is_metal }
}

impl Element {
    /// The longest covalent bond with another element, in Å.
    #[must_use]
    pub fn longest_bond(&self, other: &Self) -> f64 {
        f64::from(self.covalent + other.covalent) + TOLERANCE
    }

    /// Its van der Waals radius in Å, as atoms of ligands have it: ProtOr's for C, N, O and S.
    pub(crate) fn van_der_waals(&self) -> f32 {
        match self.symbol {
            [b'C' | b'N' | b'O' | b'S', 0] => radius_of_element(&self.symbol[..1]),
            _ => self.radius,
        }
    }
}

/// The element with a symbol in upper case, of which the second letter may be 0.
pub fn of_symbol(symbol: [u8; 2]) -> Option<&'static Element> {
    ELEMENTS.iter().find(|element| element.symbol == symbol)
}

/// Whether the Chemical Component Dictionary calls a component a saccharide.
pub fn is_saccharide(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| SACCHARIDES.split_ascii_whitespace().collect());
    NAMES.contains(name)
}

/// Caps of a chain's end, in the dictionary and in force fields.
const CAPS: [&str; 6] = ["ACE", "FOR", "NH2", "NMA", "NME", "BOC"];

/// Names that force fields give caps, and the dictionary other components: amides of AMBER and CHARMM, N-methyl amides of GROMACS and CHARMM.
const SHARED_CAPS: [&str; 4] = ["NHE", "CT2", "NAC", "CT3"];

/// The heavy atoms of the largest of those caps: N and a methyl group.
const MOST_OF_SHARED_CAPS: usize = 2;

/// Whether a component with so many heavy atoms is a cap of a chain's end.
pub fn is_cap(name: &str, heavy_atoms: usize) -> bool {
    CAPS.contains(&name) || SHARED_CAPS.contains(&name) && heavy_atoms <= MOST_OF_SHARED_CAPS
}

/// Whether a component has the name of a cap.
pub(crate) fn is_called_cap(name: &str) -> bool {
    is_cap(name, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radii_are_those_of_the_papers() {
        let radius = |symbol: [u8; 2]| of_symbol(symbol).map(Element::van_der_waals);
        // Tables of the sources.
        assert_eq!(radius(*b"ZN"), Some(2.39));
        assert_eq!(radius(*b"FE"), Some(2.44));
        assert_eq!(radius(*b"MG"), Some(1.73));
        assert_eq!(radius(*b"C\0"), Some(1.88));
        assert_eq!(radius(*b"XX"), None);
        assert_eq!(of_symbol(*b"S\0").unwrap().covalent, 1.05);
        assert!(of_symbol(*b"CA").unwrap().is_metal && !of_symbol(*b"CL").unwrap().is_metal);
    }

    #[test]
    fn elements_that_both_tables_have_agree() {
        for element in ELEMENTS {
            let text: Vec<u8> = element.symbol.into_iter().filter(|&letter| letter != 0).collect();
            let known = radius_of_element(&text);
            assert!(known == 1.7 || known == element.van_der_waals(), "{text:?}");
        }
    }

    #[test]
    fn caps_are_known_by_their_names_and_sizes() {
        assert!(
            [("ACE", 3), ("NME", 2), ("BOC", 7), ("NHE", 1), ("NAC", 2), ("CT3", 2)]
                .iter()
                .all(|(name, n)| is_cap(name, *n))
        );
        // The dictionary's NHE is CHES, a buffer, and its CT3 a sugar.
        assert!(![("NHE", 13), ("CT3", 29), ("LIG", 2)].iter().any(|(name, n)| is_cap(name, *n)));
    }

    #[test]
    fn sugars_are_saccharides() {
        assert!(["NAG", "MAN", "BGC", "FUC", "SIA"].into_iter().all(is_saccharide));
        assert!(!["HEM", "ATP", "ALA", "HOH"].into_iter().any(is_saccharide));
    }
}
