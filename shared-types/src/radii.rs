//! Van der Waals radii of heavy atoms: the ProtOr set, Tsai et al. 1999, J Mol Biol 290:253.

use crate::residue::{FIRST_NUCLEOTIDE, NUCLEOTIDES, ResidueKind, UNKNOWN, nucleotide_of, parent_of};

/// Radius in Å of a carbon with three neighbours and no hydrogen (C3H0).
const CARBON_BARE: f32 = 1.61;
/// Radius in Å of an aromatic carbon with one hydrogen (C3H1).
const CARBON_AROMATIC: f32 = 1.76;
/// Radius in Å of every other carbon (C4).
const CARBON: f32 = 1.88;
/// Radius in Å of a nitrogen.
const NITROGEN: f32 = 1.64;
/// Radius in Å of a carbonyl oxygen (O1H0).
const OXYGEN_CARBONYL: f32 = 1.42;
/// Radius in Å of every other oxygen (O2, and the second oxygen of a carboxylate).
const OXYGEN: f32 = 1.46;
/// Radius in Å of a sulfur.
const SULFUR: f32 = 1.77;
/// Radius in Å of a phosphorus.
const PHOSPHORUS: f32 = 1.8;
/// Radius in Å of an atom of an unknown element.
const UNKNOWN_ELEMENT: f32 = 1.7;

/// Whether a radius of [`protor_radius`] is that of a carbon or sulfur. No other element has these radii.
///
/// ```
/// use shared_types::radii::{is_apolar, protor_radius};
///
/// let (alanine, cysteine) = (0, 4);
/// assert!(is_apolar(protor_radius(alanine, b"CB")) && is_apolar(protor_radius(cysteine, b"SG")));
/// assert!(!is_apolar(protor_radius(alanine, b"O")));
/// ```
#[inline]
#[must_use]
pub fn is_apolar(radius: f32) -> bool {
    radius == CARBON || radius == CARBON_BARE || radius == CARBON_AROMATIC || radius == SULFUR
}

const ARG: ResidueKind = 1;
const ASN: ResidueKind = 2;
const ASP: ResidueKind = 3;
const GLN: ResidueKind = 5;
const GLU: ResidueKind = 6;
const HIS: ResidueKind = 8;
const PHE: ResidueKind = 13;
const TRP: ResidueKind = 17;
const TYR: ResidueKind = 18;

/// Radius in Å by element symbol (in any case), for elements without a ProtOr class: Mantina et al. 2009, J Phys Chem A
/// 113:5806, as in FreeSASA. C, N, O and S have their ProtOr radius; unknown elements have 1.7.
///
/// ```
/// use shared_types::radii::radius_of_element;
///
/// assert_eq!([radius_of_element(b"SE"), radius_of_element(b"p"), radius_of_element(b"C")], [1.9, 1.8, 1.88]);
/// assert_eq!(radius_of_element(b"Xx"), 1.7);
/// ```
#[must_use]
pub fn radius_of_element(symbol: &[u8]) -> f32 {
    let letter = |at: usize| symbol.get(at).map_or(b' ', u8::to_ascii_uppercase);
    match [letter(0), letter(1)] {
        [b'C', b' '] => CARBON,
        [b'N', b' '] => NITROGEN,
        [b'O', b' '] => OXYGEN,
        [b'S', b' '] => SULFUR,
        [b'P', b' '] => PHOSPHORUS,
        [b'S', b'E'] => 1.9,
        [b'F', b' '] => 1.47,
        [b'C', b'L'] => 1.75,
        [b'B', b'R'] => 1.83,
        [b'I', b' '] => 1.98,
        [b'L', b'I'] => 1.81,
        [b'N', b'A'] => 2.27,
        [b'K', b' '] => 2.75,
        [b'M', b'G'] => 1.73,
        [b'C', b'A'] => 2.31,
        _ => UNKNOWN_ELEMENT,
    }
}

/// Radius in Å of the heavy atom `name` (without surrounding blanks) of a residue, given its standard amino acid.
///
/// In the ProtOr set nearly every atom has the radius of its element; the match lists the exceptions. An atom that the set
/// does not have (`OT1`, `CD` of isoleucine) gets its element's radius by the first letter of its name after leading
/// digits: C 1.88, N 1.64, O 1.46, S 1.77, anything else 1.7.
///
/// ```
/// use shared_types::radii::protor_radius;
/// use shared_types::residue::kind_of;
///
/// let phenylalanine = kind_of(b"PHE").unwrap();
/// assert_eq!(protor_radius(phenylalanine, b"CA"), 1.88);
/// assert_eq!(protor_radius(phenylalanine, b"CZ"), 1.76); // aromatic, with a hydrogen
/// assert_eq!(protor_radius(phenylalanine, b"XX"), 1.7); // no element of the set
/// ```
///
/// Atoms of nucleotides have the radii of FreeSASA 2.2.1, whose ProtOr configuration gives them the classes of the set by the same
/// rules. Its two oxygens of a phosphate differ: O1H0 and O2.
///
/// ```
/// use shared_types::radii::protor_radius;
/// use shared_types::residue::kind_of_nucleotide;
///
/// let [adenosine, cytidine] = [b"A", b"C"].map(|name| kind_of_nucleotide(name).unwrap());
/// assert_eq!([b"C2", b"C6"].map(|atom| protor_radius(adenosine, atom)), [1.76, 1.61]);
/// assert_eq!([b"C2", b"C6"].map(|atom| protor_radius(cytidine, atom)), [1.61, 1.76]);
/// assert_eq!(protor_radius(adenosine, b"P"), 1.8);
/// ```
#[must_use]
pub fn protor_radius(kind: ResidueKind, name: &[u8]) -> f32 {
    if let Some(nucleotide) = nucleotide_of(kind) {
        return nucleotide_radius(NUCLEOTIDES[usize::from(nucleotide - FIRST_NUCLEOTIDE)].1, name);
    }
    match (name, parent_of(kind).unwrap_or(UNKNOWN)) {
        (b"CA" | b"CB" | b"N", _) => element_radius(name),
        (b"C", _) => CARBON_BARE,
        (b"O", _) => OXYGEN_CARBONYL,
        (b"CG", ASN | ASP | HIS | PHE | TRP | TYR) => CARBON_BARE,
        (b"CD", GLN | GLU) => CARBON_BARE,
        (b"CZ", ARG | TYR) => CARBON_BARE,
        (b"CD2" | b"CE2", TRP) => CARBON_BARE,
        (b"CD1" | b"CD2" | b"CE1" | b"CE2", PHE | TYR) => CARBON_AROMATIC,
        (b"CZ", PHE) => CARBON_AROMATIC,
        (b"CD2" | b"CE1", HIS) => CARBON_AROMATIC,
        (b"CD1" | b"CE3" | b"CH2" | b"CZ2" | b"CZ3", TRP) => CARBON_AROMATIC,
        (b"OD1", ASN | ASP) | (b"OE1", GLN | GLU) => OXYGEN_CARBONYL,
        _ => element_radius(name),
    }
}

/// Radius in Å of an atom of a nucleotide with a base of this letter.
fn nucleotide_radius(base: char, name: &[u8]) -> f32 {
    match (name, base) {
        (b"P", _) => PHOSPHORUS,
        (b"OP1", _) => OXYGEN_CARBONYL,
        (b"O2", 'C' | 'U' | 'T') | (b"O4", 'U' | 'T') | (b"O6", 'G' | 'I') => OXYGEN_CARBONYL,
        (b"C4", 'A' | 'C' | 'G' | 'U' | 'T' | 'I') => CARBON_BARE,
        (b"C5" | b"C6", 'A' | 'G' | 'I') | (b"C2", 'C' | 'G' | 'U' | 'T') | (b"C5", 'T') => CARBON_BARE,
        (b"C8", 'A' | 'G' | 'I') | (b"C2", 'A' | 'I') => CARBON_AROMATIC,
        (b"C5", 'C' | 'U') | (b"C6", 'C' | 'U' | 'T') => CARBON_AROMATIC,
        _ => element_radius(name),
    }
}

fn element_radius(name: &[u8]) -> f32 {
    match name.iter().find(|c| !c.is_ascii_digit()) {
        Some(b'C') => CARBON,
        Some(b'N') => NITROGEN,
        Some(b'O') => OXYGEN,
        Some(b'S') => SULFUR,
        _ => UNKNOWN_ELEMENT,
    }
}
