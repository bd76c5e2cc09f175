//! The 20 standard amino acids, their protonation states, modified amino acids, and their tabulated properties; nucleotides.

/// The type of a residue, an index into [`RESIDUES`]. See [`kind_of`] for an example.
pub type ResidueKind = u8;

/// Number of standard amino acids. They come first in [`RESIDUES`].
pub const STANDARD: usize = 20;

/// The type of a residue without a standard amino acid as parent. It comes after the standard amino acids and their
/// protonation states, before the modified ones: packed data sets store types as numbers.
///
/// ```
/// use shared_types::residue::{HYDROPATHY, RESIDUES, UNKNOWN, parent_of};
///
/// assert_eq!(RESIDUES[usize::from(UNKNOWN)].name, "UNK");
/// assert!(HYDROPATHY[usize::from(UNKNOWN)].is_nan() && parent_of(UNKNOWN).is_none());
/// ```
pub const UNKNOWN: ResidueKind = 27;

const _: () = assert!(RESIDUES[UNKNOWN as usize].letter == 'X');

/// An amino acid's tabulated properties, or a nucleotide, which has none.
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
    /// Three-letter code as in structure files; for a protonation state, its name in AMBER's force fields; for a modified
    /// amino acid or nucleotide, the code of its parent.
    pub name: &'static str,
    /// One-letter code of the standard amino acid or nucleotide; `X` and `N` without one.
    pub letter: char,
    /// Hydropathy: Kyte and Doolittle 1982, J Mol Biol 157:105. NaN for modified amino acids, which the scale does not have.
    pub hydropathy: f32,
    /// Formal charge at pH 7: K and R +1, D and E -1, others (also H) 0. A protonation state has its own charge, and so have
    /// the modified amino acids of [`MODIFIED`]; NaN for other modified ones.
    pub charge: f32,
    /// Volume in Å³: Zamyatnin 1972, Prog Biophys Mol Biol 24:107. NaN for modified amino acids.
    pub volume: f32,
    /// Largest accessible surface area in Å²: theoretical values of Tien et al. 2013, PLoS ONE 8:e80635. That of the parent
    /// for modified amino acids.
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

/// The standard amino acids by three-letter code, then protonation states with another charge, then the unknown residue.
const STANDARD_AND_STATES: [Residue; UNKNOWN as usize + 1] = [
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

/// Modified amino acids whose formal charge at pH 7 is known: the code in the Chemical Component Dictionary (or, for S1P, T1P
/// and Y1P, in AMBER's force fields), the letter of the parent, and the charge.
///
/// The charge follows from the groups by their usual pKa. Phosphate monoesters (second pKa 5.6 to 6.1) have -2, and -1 where
/// the name says that they are protonated. Carboxylates (3 to 4.5), carbamates, sulfates, sulfonates, sulfinates (all below 3)
/// and selenols (5.2) have -1 each; amines and guanidines (above 10) with or without methyl groups +1; amides, ureas, ethers,
/// disulfides, sulfoxides, hydroxyls and imidazoles (6 to 7) 0. Sulfenic acids (CSO, pKa 6 to 7 in proteins), persulfides,
/// Schiff bases (LLP) and metal compounds are left out, because no one charge describes them: theirs is undefined.
pub const MODIFIED: [(&str, char, f32); 50] = [
    ("SEP", 'S', -2.0),
    ("TPO", 'T', -2.0),
    ("PTR", 'Y', -2.0),
    ("CSP", 'C', -2.0),
    ("PHD", 'D', -2.0),
    ("S1P", 'S', -1.0),
    ("T1P", 'T', -1.0),
    ("Y1P", 'Y', -1.0),
    ("TYS", 'Y', -1.0),
    ("OCS", 'C', -1.0),
    ("CSD", 'C', -1.0),
    ("CCS", 'C', -1.0),
    ("SEC", 'C', -1.0),
    ("CGU", 'E', -2.0),
    ("KCX", 'K', -1.0),
    ("CXM", 'M', -1.0),
    ("IAS", 'D', -1.0),
    ("ALY", 'K', 0.0),
    ("MLZ", 'K', 1.0),
    ("MLY", 'K', 1.0),
    ("M3L", 'K', 1.0),
    ("LYZ", 'K', 1.0),
    ("AGM", 'R', 1.0),
    ("NMM", 'R', 1.0),
    ("2MR", 'R', 1.0),
    ("DA2", 'R', 1.0),
    ("CIR", 'R', 0.0),
    ("ORN", 'A', 1.0),
    ("DAB", 'A', 1.0),
    ("ABA", 'A', 0.0),
    ("AIB", 'A', 0.0),
    ("AYA", 'A', 0.0),
    ("SAR", 'G', 0.0),
    ("HIC", 'H', 0.0),
    ("MHS", 'H', 0.0),
    ("HYP", 'P', 0.0),
    ("PCA", 'Q', 0.0),
    ("MEQ", 'Q', 0.0),
    ("SAC", 'S', 0.0),
    ("FME", 'M', 0.0),
    ("MHO", 'M', 0.0),
    ("SME", 'M', 0.0),
    ("OMT", 'M', 0.0),
    ("NLE", 'L', 0.0),
    ("MLE", 'L', 0.0),
    ("CME", 'C', 0.0),
    ("SCY", 'C', 0.0),
    ("SMC", 'C', 0.0),
    ("SNC", 'C', 0.0),
    ("YCM", 'C', 0.0),
];

/// The nucleotides by their codes in the Chemical Component Dictionary, and their letters; those of RNA first. `N` and `DN` are of an
/// unknown base, or without one.
pub const NUCLEOTIDES: [(&str, char); 13] = [
    ("A", 'A'),
    ("C", 'C'),
    ("G", 'G'),
    ("U", 'U'),
    ("I", 'I'),
    ("N", 'N'),
    ("DA", 'A'),
    ("DC", 'C'),
    ("DG", 'G'),
    ("DT", 'T'),
    ("DU", 'U'),
    ("DI", 'I'),
    ("DN", 'N'),
];

/// The number of types of amino acids, which come before those of nucleotides.
const AMINO_ACIDS: usize = STANDARD_AND_STATES.len() + MODIFIED.len() + STANDARD;

/// The type of the first nucleotide. All nucleotides come after the amino acids: first those of [`NUCLEOTIDES`], then modified ones of
/// each.
///
/// ```
/// use shared_types::residue::{FIRST_NUCLEOTIDE, MAX_AREA, RESIDUES, parent_of};
///
/// assert_eq!(RESIDUES[usize::from(FIRST_NUCLEOTIDE)].name, "A");
/// assert!(parent_of(FIRST_NUCLEOTIDE).is_none() && MAX_AREA[usize::from(FIRST_NUCLEOTIDE)].is_nan());
/// ```
pub const FIRST_NUCLEOTIDE: ResidueKind = AMINO_ACIDS as ResidueKind;

/// Whether a type is that of a nucleotide.
///
/// ```
/// use shared_types::residue::{UNKNOWN, is_nucleotide, kind_of, kind_of_nucleotide};
///
/// assert!(is_nucleotide(kind_of_nucleotide(b"DA").unwrap()));
/// assert!(!is_nucleotide(kind_of(b"ALA").unwrap()) && !is_nucleotide(UNKNOWN));
/// ```
#[inline]
#[must_use]
pub const fn is_nucleotide(kind: ResidueKind) -> bool {
    kind >= FIRST_NUCLEOTIDE
}

/// The type of a nucleotide of [`NUCLEOTIDES`].
///
/// ```
/// use shared_types::residue::{RESIDUES, kind_of_nucleotide};
///
/// assert_eq!(kind_of_nucleotide(b"DT").map(|kind| RESIDUES[usize::from(kind)].letter), Some('T'));
/// assert_eq!(kind_of_nucleotide(b"PSU"), None);
/// ```
#[must_use]
pub fn kind_of_nucleotide(name: &[u8]) -> Option<ResidueKind> {
    let place = NUCLEOTIDES.iter().position(|(own, _)| own.as_bytes() == name)?;
    Some(FIRST_NUCLEOTIDE + place as ResidueKind)
}

/// The type of the modified nucleotides of a standard one.
///
/// ```
/// use shared_types::residue::{kind_of_nucleotide, modified_nucleotide, nucleotide_of};
///
/// let uridine = kind_of_nucleotide(b"U").unwrap();
/// let pseudouridine = modified_nucleotide(uridine);
/// assert_eq!(nucleotide_of(pseudouridine), Some(uridine));
/// assert_ne!(pseudouridine, uridine);
/// ```
#[must_use]
pub const fn modified_nucleotide(standard: ResidueKind) -> ResidueKind {
    if is_nucleotide(standard) && standard < FIRST_NUCLEOTIDE + NUCLEOTIDES.len() as ResidueKind {
        standard + NUCLEOTIDES.len() as ResidueKind
    } else {
        standard
    }
}

/// The nucleotide of [`NUCLEOTIDES`] that a type is or derives from; `None` for types of amino acids, and for invalid types.
///
/// ```
/// use shared_types::residue::{kind_of, kind_of_nucleotide, nucleotide_of};
///
/// let adenosine = kind_of_nucleotide(b"A").unwrap();
/// assert_eq!(nucleotide_of(adenosine), Some(adenosine));
/// assert_eq!(nucleotide_of(kind_of(b"ALA").unwrap()), None);
/// ```
#[inline]
#[must_use]
pub const fn nucleotide_of(kind: ResidueKind) -> Option<ResidueKind> {
    if is_nucleotide(kind) && (kind as usize) < RESIDUES.len() {
        Some(FIRST_NUCLEOTIDE + (kind - FIRST_NUCLEOTIDE) % NUCLEOTIDES.len() as ResidueKind)
    } else {
        None
    }
}

/// The standard amino acids by three-letter code, protonation states, the unknown residue, the amino acids of [`MODIFIED`],
/// modified amino acids of each parent without a known charge, the nucleotides of [`NUCLEOTIDES`], and modified nucleotides of each. A
/// [`ResidueKind`] is an index into this table.
pub const RESIDUES: [Residue; AMINO_ACIDS + 2 * NUCLEOTIDES.len()] = {
    let mut all = [STANDARD_AND_STATES[UNKNOWN as usize]; AMINO_ACIDS + 2 * NUCLEOTIDES.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < STANDARD_AND_STATES.len() {
            STANDARD_AND_STATES[i]
        } else if i < STANDARD_AND_STATES.len() + MODIFIED.len() {
            let (_, letter, charge) = MODIFIED[i - STANDARD_AND_STATES.len()];
            modified(letter, charge)
        } else if i < AMINO_ACIDS {
            modified(STANDARD_AND_STATES[i - STANDARD_AND_STATES.len() - MODIFIED.len()].letter, f32::NAN)
        } else {
            let (name, letter) = NUCLEOTIDES[(i - AMINO_ACIDS) % NUCLEOTIDES.len()];
            Residue { name, letter, ..STANDARD_AND_STATES[UNKNOWN as usize] }
        };
        i += 1;
    }
    all
};

/// A modified amino acid of the parent with a letter.
const fn modified(letter: char, charge: f32) -> Residue {
    let mut parent = 0;
    while STANDARD_AND_STATES[parent].letter != letter {
        parent += 1;
    }
    let (hydropathy, volume) = (f32::NAN, f32::NAN);
    Residue { charge, hydropathy, volume, ..STANDARD_AND_STATES[parent] }
}

/// The type of a modified amino acid, given its code and its parent's type: its own if [`MODIFIED`] has it.
///
/// ```
/// use shared_types::residue::{RESIDUES, kind_of, modified_kind};
///
/// let serine = kind_of(b"SER").unwrap();
/// let phosphorylated = RESIDUES[usize::from(modified_kind(b"SEP", serine))];
/// assert_eq!((phosphorylated.letter, phosphorylated.charge), ('S', -2.0));
/// assert!(phosphorylated.hydropathy.is_nan() && phosphorylated.volume.is_nan());
/// assert!(RESIDUES[usize::from(modified_kind(b"LLP", serine))].charge.is_nan());
/// ```
#[must_use]
pub fn modified_kind(name: &[u8], parent: ResidueKind) -> ResidueKind {
    let own = MODIFIED.iter().position(|(own, ..)| own.as_bytes() == name);
    match (own, parent_of(parent)) {
        (Some(own), _) => (STANDARD_AND_STATES.len() + own) as ResidueKind,
        (None, Some(parent)) => (STANDARD_AND_STATES.len() + MODIFIED.len()) as ResidueKind + parent,
        (None, None) => UNKNOWN,
    }
}

/// The standard amino acid of each type in [`RESIDUES`]; [`UNKNOWN`] for the unknown residue and nucleotides.
const PARENTS: [ResidueKind; RESIDUES.len()] = {
    let mut parents = [UNKNOWN; RESIDUES.len()];
    let mut kind = 0;
    while kind < AMINO_ACIDS {
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

/// The standard amino acid of a type in any charge state; `None` for [`UNKNOWN`], nucleotides and invalid types.
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
