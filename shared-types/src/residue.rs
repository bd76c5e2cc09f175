//! The 20 standard amino acids, their protonation states, and their tabulated properties.

/// The type of a residue, an index into [`RESIDUES`]. See [`kind_of`] for an example.
pub type ResidueKind = u8;

/// Number of standard amino acids. They come first in [`RESIDUES`].
pub const STANDARD: usize = 20;

/// The type of a residue without a standard amino acid as parent.
///
/// ```
/// use shared_types::residue::{HYDROPATHY, RESIDUES, UNKNOWN, parent_of};
///
/// assert_eq!(RESIDUES[usize::from(UNKNOWN)].name, "UNK");
/// assert!(HYDROPATHY[usize::from(UNKNOWN)].is_nan() && parent_of(UNKNOWN).is_none());
/// ```
pub const UNKNOWN: ResidueKind = RESIDUES.len() as ResidueKind - 1;

/// An amino acid's tabulated properties.
///
/// ```
/// use shared_types::residue::{CHARGE, HYDROPATHY, MAX_AREA, RESIDUES, VOLUME, kind_of};
///
/// let arginine = kind_of(b"ARG").unwrap();
/// let residue = RESIDUES[usize::from(arginine)];
/// assert_eq!((residue.letter, residue.charge, residue.volume), ('R', 1.0, 173.4));
/// assert_eq!(residue.hydropathy, HYDROPATHY[usize::from(arginine)]);
/// assert_eq!((CHARGE[1], VOLUME[1], MAX_AREA[1]), (1.0, 173.4, 274.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residue {
    /// Three-letter code as in structure files; for a protonation state, its name in AMBER's force fields.
    pub name: &'static str,
    /// One-letter code of the standard amino acid; `X` without one.
    pub letter: char,
    /// Hydropathy: Kyte and Doolittle 1982, J Mol Biol 157:105.
    pub hydropathy: f32,
    /// Formal charge at pH 7: K and R +1, D and E -1, others (also H) 0. A protonation state has its own charge.
    pub charge: f32,
    /// Volume in Å³: Zamyatnin 1972, Prog Biophys Mol Biol 24:107.
    pub volume: f32,
    /// Largest accessible surface area in Å²: theoretical values of Tien et al. 2013, PLoS ONE 8:e80635.
    pub max_area: f32,
}

const fn residue(
    name: &'static str,
    letter: char,
    hydropathy: f32,
    charge: f32,
    volume: f32,
    max_area: f32,
) -> Residue {
    Residue { name, letter, hydropathy, charge, volume, max_area }
}

/// A standard amino acid with another charge.
const fn charged(name: &'static str, standard: Residue, charge: f32) -> Residue {
    Residue { name, charge, ..standard }
}

const ARG: Residue = residue("ARG", 'R', -4.5, 1.0, 173.4, 274.0);
const ASP: Residue = residue("ASP", 'D', -3.5, -1.0, 111.1, 193.0);
const CYS: Residue = residue("CYS", 'C', 2.5, 0.0, 108.5, 167.0);
const GLU: Residue = residue("GLU", 'E', -3.5, -1.0, 138.4, 223.0);
const HIS: Residue = residue("HIS", 'H', -3.2, 0.0, 153.2, 224.0);
const LYS: Residue = residue("LYS", 'K', -3.9, 1.0, 168.6, 236.0);
const TYR: Residue = residue("TYR", 'Y', -1.3, 0.0, 193.6, 263.0);

/// The standard amino acids by three-letter code, then protonation states with another charge, then the unknown residue. A
/// [`ResidueKind`] is an index into this table.
pub const RESIDUES: [Residue; 28] = [
    residue("ALA", 'A', 1.8, 0.0, 88.6, 129.0),
    ARG,
    residue("ASN", 'N', -3.5, 0.0, 114.1, 195.0),
    ASP,
    CYS,
    residue("GLN", 'Q', -3.5, 0.0, 143.8, 225.0),
    GLU,
    residue("GLY", 'G', -0.4, 0.0, 60.1, 104.0),
    HIS,
    residue("ILE", 'I', 4.5, 0.0, 166.7, 197.0),
    residue("LEU", 'L', 3.8, 0.0, 166.7, 201.0),
    LYS,
    residue("MET", 'M', 1.9, 0.0, 162.9, 224.0),
    residue("PHE", 'F', 2.8, 0.0, 189.9, 240.0),
    residue("PRO", 'P', -1.6, 0.0, 112.7, 159.0),
    residue("SER", 'S', -0.8, 0.0, 89.0, 155.0),
    residue("THR", 'T', -0.7, 0.0, 116.1, 172.0),
    residue("TRP", 'W', -0.9, 0.0, 227.8, 285.0),
    TYR,
    residue("VAL", 'V', 4.2, 0.0, 140.0, 174.0),
    charged("ARN", ARG, 0.0),
    charged("ASH", ASP, 0.0),
    charged("CYM", CYS, -1.0),
    charged("GLH", GLU, 0.0),
    charged("HIP", HIS, 1.0),
    charged("LYN", LYS, 0.0),
    charged("TYM", TYR, -1.0),
    residue("UNK", 'X', f32::NAN, f32::NAN, f32::NAN, f32::NAN),
];

/// The standard amino acid of each type in [`RESIDUES`]; [`UNKNOWN`] for the unknown residue.
const PARENTS: [ResidueKind; RESIDUES.len()] = {
    let mut parents = [UNKNOWN; RESIDUES.len()];
    let mut kind = 0;
    while kind < RESIDUES.len() {
        let mut standard = 0;
        while standard < STANDARD {
            if RESIDUES[standard].letter == RESIDUES[kind].letter {
                parents[kind] = standard as ResidueKind;
            }
            standard += 1;
        }
        kind += 1;
    }
    parents
};

/// The standard amino acid of a type in any charge state; `None` for [`UNKNOWN`] and invalid types.
///
/// ```
/// use shared_types::residue::{RESIDUES, kind_of, parent_of};
///
/// let protonated = RESIDUES.iter().position(|residue| residue.name == "HIP").unwrap();
/// assert_eq!(parent_of(protonated as u8), kind_of(b"HIS"));
/// assert_eq!(RESIDUES[protonated].charge, 1.0);
/// ```
#[inline]
#[must_use]
pub fn parent_of(kind: ResidueKind) -> Option<ResidueKind> {
    PARENTS.get(usize::from(kind)).copied().filter(|&parent| parent != UNKNOWN)
}

/// The type of glycine.
pub const GLYCINE: ResidueKind = 7;

const _: () = assert!(matches!(RESIDUES[GLYCINE as usize].name.as_bytes(), b"GLY"));

/// The type of proline, whose nitrogen has no hydrogen within a chain.
///
/// ```
/// use shared_types::residue::{PROLINE, kind_of};
///
/// assert_eq!(kind_of(b"PRO"), Some(PROLINE));
/// ```
pub const PROLINE: ResidueKind = 14;

const _: () = assert!(matches!(RESIDUES[PROLINE as usize].name.as_bytes(), b"PRO"));

macro_rules! property {
    ($doc:literal, $name:ident, $field:ident) => {
        #[doc = $doc]
        pub const $name: [f32; RESIDUES.len()] = {
            let mut values = [0.0; RESIDUES.len()];
            let mut i = 0;
            while i < values.len() {
                values[i] = RESIDUES[i].$field;
                i += 1;
            }
            values
        };
    };
}

property!("[`Residue::hydropathy`] by type.", HYDROPATHY, hydropathy);
property!("[`Residue::charge`] by type.", CHARGE, charge);
property!("[`Residue::volume`] by type.", VOLUME, volume);
property!("[`Residue::max_area`] by type.", MAX_AREA, max_area);

/// The type of a three-letter code; `None` for all codes except the 20 standard amino acids.
///
/// ```
/// use shared_types::residue::{RESIDUES, kind_of};
///
/// assert_eq!(kind_of(b"GLY").map(|kind| RESIDUES[usize::from(kind)].letter), Some('G'));
/// assert_eq!(kind_of(b"HOH"), None);
/// ```
#[must_use]
pub fn kind_of(name: &[u8]) -> Option<ResidueKind> {
    RESIDUES[..STANDARD].iter().position(|r| r.name.as_bytes() == name).map(|i| i as ResidueKind)
}
