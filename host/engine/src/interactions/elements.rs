//! Radii of elements, and which are metals.

/// An element by its symbol in upper case; blank if it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Element(pub(super) [u8; 2]);

pub(super) const H: Element = Element([b'H', 0]);
pub(super) const C: Element = Element([b'C', 0]);
pub(super) const N: Element = Element([b'N', 0]);
pub(super) const O: Element = Element([b'O', 0]);
pub(super) const F: Element = Element([b'F', 0]);
pub(super) const P: Element = Element([b'P', 0]);
pub(super) const S: Element = Element([b'S', 0]);
pub(super) const CL: Element = Element(*b"CL");
pub(super) const SE: Element = Element(*b"SE");
pub(super) const BR: Element = Element(*b"BR");
pub(super) const I: Element = Element([b'I', 0]);

/// Covalent radii of Cordero et al. 2008 (Dalton Trans. 2832), and van der Waals radii of Bondi 1964 (J. Phys. Chem. 68:441), with
/// those of Mantina et al. 2009 (J. Phys. Chem. A 113:5806) for elements that Bondi lacks, all in Å.
const RADII: [(Element, f64, f64); 17] = [
    (H, 0.31, 1.20),
    (Element([b'B', 0]), 0.84, 1.92),
    (C, 0.76, 1.70),
    (N, 0.71, 1.55),
    (O, 0.66, 1.52),
    (F, 0.57, 1.47),
    (Element(*b"SI"), 1.11, 2.10),
    (P, 1.07, 1.80),
    (S, 1.05, 1.80),
    (CL, 1.02, 1.75),
    (Element(*b"GE"), 1.20, 2.11),
    (Element(*b"AS"), 1.19, 1.85),
    (SE, 1.20, 1.90),
    (BR, 1.20, 1.85),
    (Element(*b"SB"), 1.39, 2.06),
    (Element(*b"TE"), 1.38, 2.06),
    (I, 1.39, 1.98),
];

/// Elements that are neither metals nor in [`RADII`].
const NOBLE: [Element; 7] = [
    Element(*b"HE"),
    Element(*b"NE"),
    Element(*b"AR"),
    Element(*b"KR"),
    Element(*b"XE"),
    Element(*b"RN"),
    Element(*b"AT"),
];

/// Metals whose bonds to oxygen are longer than 2.6 Å (Harding 2006, Acta Cryst. D62:678).
const LARGE: [Element; 5] = [Element([b'K', 0]), Element(*b"RB"), Element(*b"CS"), Element(*b"BA"), Element(*b"TL")];

impl Element {
    fn radii(self) -> Option<(f64, f64)> {
        RADII.iter().find(|(element, ..)| *element == self).map(|(_, covalent, contact)| (*covalent, *contact))
    }

    /// The covalent radius. `None` for metals, noble gases, and where the element is not known.
    pub(super) fn covalent_radius(self) -> Option<f64> {
        self.radii().map(|(covalent, _)| covalent)
    }

    /// The van der Waals radius; `None` in the same cases.
    pub(super) fn contact_radius(self) -> Option<f64> {
        self.radii().map(|(_, contact)| contact)
    }

    pub(super) fn is_known(self) -> bool {
        self.0[0] != 0
    }

    pub fn is_metal(self) -> bool {
        self.is_known() && self.radii().is_none() && !NOBLE.contains(&self)
    }

    /// Whether bonds of this metal are long.
    pub(super) fn is_large_metal(self) -> bool {
        LARGE.contains(&self)
    }

    /// Chlorine, bromine or iodine.
    pub(super) fn is_heavy_halogen(self) -> bool {
        matches!(self, CL | BR | I)
    }

    pub(super) fn is_halogen(self) -> bool {
        self == F || self.is_heavy_halogen()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metals_are_what_has_no_covalent_radius() {
        let metal = |symbol: &[u8; 2]| Element(*symbol).is_metal();
        assert!(metal(b"ZN") && metal(b"MG") && metal(b"K\0") && metal(b"FE"));
        assert!(!metal(b"CL") && !metal(b"AR") && !metal(b"C\0") && !metal(&[0, 0]));
        assert_eq!((SE.covalent_radius(), Element(*b"CA").contact_radius()), (Some(1.20), None));
    }
}
