//! The atoms of amino acids: which there are, under which names, and what follows from a name.
//!
//! In an amino acid the name of an atom says what it is, whatever the file's element column has: programs write an alpha
//! carbon's `CA` there as calcium, `X` everywhere, or the first letters of the name. The column decides about atoms that the
//! amino acid does not have, and about residues that are no amino acids.

use super::components::{Component, other_element};
use super::ions::element_by_names;
use super::word::{pack, trim_zeros};
use shared_types::residue::{FIRST_NUCLEOTIDE, NUCLEOTIDES, STANDARD, parent_of};
use shared_types::{RESIDUES, ResidueKind, UNKNOWN};
use std::sync::LazyLock;

/// The heavy atoms of a backbone, and the second oxygen at its end. No amino acid of the Chemical Component Dictionary,
/// standard or modified, has another element under these names, or under its parent's names of [`SIDE_CHAINS`].
const BACKBONE: &str = "N CA C O OXT CB";

/// The heavy atoms of the standard amino acids beyond N, CA, C and O. The element is the first letter of the name. Their radii
/// are those of `shared_types::radii`.
const SIDE_CHAINS: [(&str, &str); STANDARD] = [
    ("ALA", "CB"),
    ("ARG", "CB CG CD NE CZ NH1 NH2"),
    ("ASN", "CB CG OD1 ND2"),
    ("ASP", "CB CG OD1 OD2"),
    ("CYS", "CB SG"),
    ("GLN", "CB CG CD OE1 NE2"),
    ("GLU", "CB CG CD OE1 OE2"),
    ("GLY", ""),
    ("HIS", "CB CG ND1 CD2 CE1 NE2"),
    ("ILE", "CB CG1 CG2 CD1"),
    ("LEU", "CB CG CD1 CD2"),
    ("LYS", "CB CG CD CE NZ"),
    ("MET", "CB CG SD CE"),
    ("PHE", "CB CG CD1 CD2 CE1 CE2 CZ"),
    ("PRO", "CB CG CD"),
    ("SER", "CB OG"),
    ("THR", "CB OG1 CG2"),
    ("TRP", "CB CG CD1 CD2 NE1 CE2 CE3 CZ2 CZ3 CH2"),
    ("TYR", "CB CG CD1 CD2 CE1 CE2 CZ OH"),
    ("VAL", "CB CG1 CG2"),
];

const _: () = {
    let mut kind = 0;
    while kind < STANDARD {
        let (own, residue) = (SIDE_CHAINS[kind].0.as_bytes(), RESIDUES[kind].name.as_bytes());
        assert!(own[0] == residue[0] && own[1] == residue[1] && own[2] == residue[2]);
        kind += 1;
    }
};

/// Names that CHARMM, GROMACS and GROMOS give atoms of side chains.
const OTHER_NAMES: [(&str, &str); 1] = [("ILE", "CD")];

/// The heavy atoms of nucleotides: phosphate, sugar and base. No nucleotide of the Chemical Component Dictionary, standard or modified,
/// has another element under these names.
const NUCLEOTIDE: &str =
    "P OP1 OP2 OP3 O5' C5' C4' O4' C3' O3' C2' O2' C1' N1 C2 N3 C4 C5 C6 N7 C8 N9 N2 N4 N6 O2 O4 O6 C7";

/// The heavy atoms of bases, by their letters.
const BASES: [(char, &str); 6] = [
    ('A', "N9 C8 N7 C5 C6 N6 N1 C2 N3 C4"),
    ('C', "N1 C2 O2 N3 C4 N4 C5 C6"),
    ('G', "N9 C8 N7 C5 C6 O6 N1 C2 N2 N3 C4"),
    ('I', "N9 C8 N7 C5 C6 O6 N1 C2 N3 C4"),
    ('T', "N1 C2 O2 N3 C4 O4 C5 C7 C6"),
    ('U', "N1 C2 O2 N3 C4 O4 C5 C6"),
];

/// Their names before 2007, and in force fields.
const OTHER_NUCLEOTIDE_NAMES: [(&str, &str); 4] = [("O1P", "OP1"), ("O2P", "OP2"), ("O3P", "OP3"), ("C5M", "C7")];

/// What the oxygens at a chain's end are called: in the dictionary, and in CHARMM (OT1), GROMACS (OC1, O1), X-PLOR and older
/// programs. Their names of O come first.
const END_OXYGENS: [(&str, &str); 2] = [("O", "OT1 OC1 OCT1 O1 O'"), ("OXT", "OXT OT2 OC2 OCT2 O2 O'' OT")];

/// What the names of points that are no atoms begin with in amino acids: CYANA's and IUPAC's pseudo-atoms of NMR (QB, MD1),
/// GROMACS's virtual sites (MCB1), lone pairs (LP1) and AMBER's extra points (EP1), Rosetta's virtual nitrogen of proline (NV).
const PSEUDO_ATOMS: [&str; 5] = ["Q", "M", "L", "EP", "NV"];

/// The centroid of a side chain in Rosetta.
const CENTROID: &str = "CEN";

/// What the Drude particle of N is called, and in X-PLOR the deuterium at N.
const DRUDE_OR_DEUTERIUM: &[u8] = b"DN";

/// CHARMM's atoms of caps within the residue that they end: acetyl, and methylamine or an amide.
const CAPS: [(&str, &str); 2] = [("ACE", "CAY CY OY"), ("NME", "NT CAT")];

/// Names of points that are no atoms in other residues: centres of pockets (fpocket, P2Rank), membranes and the like (Rosetta), and a
/// viewer's.
const POINTS: &str = "APOL POL THKN CNTR NORM ORIG CEN *";

/// The symbols of such points, and what their names begin with: lone pairs, extra points, dummy atoms, ghost atoms.
const POINT_SYMBOLS: [&str; 4] = ["LP", "EP", "DU", "BQ"];

/// The symbol of PyMOL's pseudoatoms.
const PYMOL: u16 = u16::from_le_bytes(*b"PS");

/// The symbols of the elements.
const ELEMENTS: &str = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr \
                        Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re \
                        Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg \
                        Cn Nh Fl Mc Lv Ts Og D T";

/// For each first letter of a symbol, a bit for each second letter, and bit 0 for none.
const SYMBOLS: [u32; 26] = {
    let (mut bits, text) = ([0; 26], ELEMENTS.as_bytes());
    let mut at = 0;
    while at < text.len() {
        if text[at].is_ascii_uppercase() {
            let second =
                if at + 1 < text.len() && text[at + 1].is_ascii_lowercase() { text[at + 1] - b'a' + 1 } else { 0 };
            bits[(text[at] - b'A') as usize] |= 1 << second;
        }
        at += 1;
    }
    bits
};

/// Which rules hold for the atoms of a residue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Those of a standard amino acid, under whatever name of the residue.
    Standard,
    /// Those of a modified amino acid: it has the names of its parent's atoms, and others.
    Modified,
    /// Those of an amino acid without a parent: it has the names of the backbone, and others.
    NoParent,
    /// Those of a nucleotide.
    Nucleotide,
    /// The element column's.
    Other,
}

impl Rules {
    pub(super) fn of(component: Component) -> Self {
        match component {
            Component::Standard(_) | Component::Variant(_) => Self::Standard,
            Component::Modified(UNKNOWN) | Component::Unknown => Self::NoParent,
            Component::Modified(_) | Component::Shared(_) => Self::Modified,
            Component::Nucleic(_) => Self::Nucleotide,
            _ => Self::Other,
        }
    }

    /// Whether a record is about a heavy atom of a standard amino acid, whose name and element are plain: the element is the name's
    /// first letter.
    #[inline(always)]
    pub(super) fn is_plainly_heavy(self, name: u64, symbol: u16) -> bool {
        const O: u64 = b'O' as u64;
        let [first, second, third, ..] = name.to_le_bytes();
        // No letter of a standard name is the third. Those that have one, or these second letters, are of caps, centroids
        // and Rosetta's virtual nitrogen.
        let is_own = third < b'A' && !matches!(second, b'T' | b'V' | b'Y');
        let is_heavy = matches!(first, b'C' | b'N' | b'S') && is_own || name == O || is_plain_oxygen(name);
        self == Self::Standard && is_heavy && (symbol == u16::from(first) || symbol == 0)
    }

    /// What a record of an atom is about, and whether its element column agrees. `residue` is the residue's name and `kind` its
    /// type.
    #[inline(always)]
    pub fn atom(self, residue: u64, kind: ResidueKind, name: u64, symbol: u16) -> (Atom, bool) {
        match self {
            Self::Standard if self.is_plainly_heavy(name, symbol) => {
                (Atom::Heavy { name, element: u16::from(name as u8) }, true)
            }
            Self::Standard if name as u8 == b'H' && matches!(symbol.to_le_bytes(), [0 | b'H', 0]) => {
                (Atom::Hydrogen, true)
            }
            Self::Standard => of_amino_acid(self, residue, kind, name, symbol),
            Self::Modified => of_amino_acid(self, residue, kind, name, symbol),
            Self::NoParent => of_no_parent(upper(name), symbol),
            Self::Nucleotide => of_nucleotide(upper(name), symbol),
            Self::Other => (of_ligand(residue, name, symbol), true),
        }
    }
}

/// What an atom record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    /// A heavy atom, by its standard name, and its element's symbol by [`element`]; 0 if it is not known.
    Heavy { name: u64, element: u16 },
    /// A heavy atom of a cap that stands within the residue.
    Cap { name: u64, element: u16 },
    /// A hydrogen of any mass.
    Hydrogen,
    /// A point that is no atom.
    Pseudo,
}

/// An element's symbol as a word, in upper case; 0 if the text is no symbol.
#[inline]
pub fn element(symbol: &[u8]) -> u16 {
    match *symbol {
        [a] if a.is_ascii_alphabetic() => u16::from_le_bytes([a.to_ascii_uppercase(), 0]),
        [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
            u16::from_le_bytes([a.to_ascii_uppercase(), b.to_ascii_uppercase()])
        }
        _ => 0,
    }
}

/// Whether there is an element with this symbol, given by [`element`].
fn is_element(symbol: u16) -> bool {
    let [a, b] = symbol.to_le_bytes();
    let second = if b == 0 { 0 } else { b.wrapping_sub(b'A').wrapping_add(1) };
    a.is_ascii_uppercase() && SYMBOLS[usize::from(a - b'A')] >> (second & 31) & 1 == 1
}

/// Whether a symbol is that of hydrogen, deuterium or tritium.
fn is_hydrogen(symbol: u16) -> bool {
    matches!(symbol.to_le_bytes(), [b'H' | b'D' | b'T', 0])
}

/// A name in upper case.
#[inline]
fn upper(name: u64) -> u64 {
    // Small letters have both of these bits.
    const BITS: u64 = 0x4040_4040_4040_4040;
    if name & (name << 1) & BITS == 0 {
        return name;
    }
    u64::from_le_bytes(name.to_le_bytes().map(|c| c.to_ascii_uppercase()))
}

/// Whether a name is one of an oxygen in a side chain: names of those at an end have other second characters.
#[inline(always)]
fn is_plain_oxygen(name: u64) -> bool {
    let [first, second, ..] = name.to_le_bytes();
    first == b'O' && matches!(second, b'D' | b'E' | b'G' | b'H')
}

#[inline(never)]
fn of_amino_acid(rules: Rules, residue: u64, kind: ResidueKind, name: u64, symbol: u16) -> (Atom, bool) {
    let name = upper(name);
    let (bytes, is_modified) = (name.to_le_bytes(), rules == Rules::Modified);
    let text = trim_zeros(&bytes);
    let first = first_letter(text);
    let heavy = |name: u64, element: u16| (Atom::Heavy { name, element }, symbol == 0 || symbol == element);
    if let Some(element) = is_modified.then(|| other_element(residue, name)).flatten() {
        return heavy(name, element);
    }
    let (parent, side_chain) = parent_of(kind).map_or(("", ""), |parent| SIDE_CHAINS[usize::from(parent)]);
    if has(BACKBONE, text)
        || has(side_chain, text)
        || OTHER_NAMES.iter().any(|(of, names)| *of == parent && has(names, text))
    {
        return heavy(name, u16::from(first));
    }
    if let Some((standard, _)) = END_OXYGENS.iter().find(|(_, names)| !is_modified && has(names, text)) {
        return heavy(pack(standard.as_bytes()), u16::from(b'O'));
    }
    if matches!(first, b'H' | b'D' | b'T') {
        if let Some(heavy) = drude_particle_of(text).filter(|_| !is_hydrogen(symbol))
            && (has(BACKBONE, heavy) || has(side_chain, heavy))
            && (text != DRUDE_OR_DEUTERIUM || symbol != 0)
        {
            return (Atom::Pseudo, true);
        }
        return (Atom::Hydrogen, symbol == 0 || is_hydrogen(symbol));
    }
    if text == CENTROID.as_bytes() {
        return (Atom::Pseudo, true);
    }
    if !is_modified && cap_of(name).is_some() {
        return (Atom::Cap { name, element: u16::from(first) }, symbol == 0 || symbol == u16::from(first));
    }
    let is_own = is_element(symbol) && symbol == u16::from(first);
    if PSEUDO_ATOMS.iter().any(|begin| text.starts_with(begin.as_bytes())) && !is_own {
        return (Atom::Pseudo, true);
    }
    (of_other(name, symbol), true)
}

/// The heavy atom of a Drude particle by their names: CHARMM's polarisable force field gives each heavy atom one, `DCA` of `CA`.
fn drude_particle_of(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(b"D").filter(|heavy| matches!(heavy.first(), Some(b'C' | b'N' | b'O' | b'S')))
}

/// Whether a name is that of a Drude particle, or may be one; no deuterium but that of N has such a name.
pub(super) fn may_be_drude(name: u64) -> bool {
    drude_particle_of(trim_zeros(&upper(name).to_le_bytes())).is_some()
}

/// The same for an amino acid of which only the backbone is known.
fn of_no_parent(name: u64, symbol: u16) -> (Atom, bool) {
    let bytes = name.to_le_bytes();
    let text = trim_zeros(&bytes);
    let element = u16::from(text.first().copied().unwrap_or(0));
    match has(BACKBONE, text) {
        true => (Atom::Heavy { name, element }, symbol == 0 || symbol == element),
        false => (of_other(name, symbol), true),
    }
}

/// The same for a nucleotide. Its known atoms have an element by their name, as those of an amino acid have.
fn of_nucleotide(name: u64, symbol: u16) -> (Atom, bool) {
    // Older files have stars instead of primes.
    let bytes = name.to_le_bytes().map(|c| if c == b'*' { b'\'' } else { c });
    let text = trim_zeros(&bytes);
    let text =
        OTHER_NUCLEOTIDE_NAMES.iter().find(|(old, _)| old.as_bytes() == text).map_or(text, |(_, new)| new.as_bytes());
    let element = u16::from(text.first().copied().unwrap_or(0));
    if has(NUCLEOTIDE, text) {
        return (Atom::Heavy { name: pack(text), element }, symbol == 0 || symbol == element);
    }
    // No nucleotide has holmium, mercury or the like under a name that begins so.
    let begins_with_h = |symbol: u16| symbol as u8 == b'H';
    if matches!(first_letter(text), b'H' | b'D')
        && (!is_element(symbol) || is_hydrogen(symbol) || begins_with_h(symbol))
    {
        return (Atom::Hydrogen, symbol == 0 || is_hydrogen(symbol));
    }
    (of_other(pack(text), symbol), true)
}

/// What a record of an atom of a ligand or ion is about: its element column decides, then the names of atom and residue.
fn of_ligand(residue: u64, name: u64, symbol: u16) -> Atom {
    let by_names = || element_by_names(upper(residue), upper(name));
    match is_element(symbol) {
        false => by_names().map_or_else(|| of_other(name, symbol), |element| Atom::Heavy { name, element }),
        true => of_other(name, symbol),
    }
}

/// What a record of an atom is about if its element column decides, and its name where that has no element.
fn of_other(name: u64, symbol: u16) -> Atom {
    let bytes = name.to_le_bytes();
    let text = trim_zeros(&bytes);
    if is_element(symbol) {
        return if is_hydrogen(symbol) { Atom::Hydrogen } else { Atom::Heavy { name, element: symbol } };
    }
    let begins_with = |begin: &[u8]| text.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin));
    let is_point = |begin: &&str| element(begin.as_bytes()) == symbol || begins_with(begin.as_bytes());
    match first_letter(text) {
        _ if symbol == PYMOL || has(POINTS, text) || POINT_SYMBOLS.iter().any(is_point) => Atom::Pseudo,
        // Of the elements only xenon begins so.
        b'X' if !begins_with(b"XE") => Atom::Pseudo,
        b'H' | b'D' | b'h' | b'd' => Atom::Hydrogen,
        _ => Atom::Heavy { name, element: 0 },
    }
}

/// The name of the cap that an atom of a standard amino acid belongs to, if it is one of a cap.
pub(super) fn cap_of(name: u64) -> Option<&'static str> {
    let bytes = upper(name).to_le_bytes();
    CAPS.iter().find(|(_, atoms)| has(atoms, trim_zeros(&bytes))).map(|(cap, _)| *cap)
}

/// Which of the names of the carbonyl oxygen a name is, the best first: for residues that have no O.
pub(super) fn end_oxygen(name: u64) -> Option<usize> {
    if is_plain_oxygen(name) {
        return None;
    }
    let bytes = name.to_le_bytes();
    let text = trim_zeros(&bytes);
    let names = END_OXYGENS.iter().flat_map(|(_, names)| names.split_ascii_whitespace());
    if text.first() == Some(&b'O') { names.map(str::as_bytes).position(|own| own == text) } else { None }
}

/// The names of the heavy atoms of a standard amino acid, also at a chain's end.
pub(super) fn own_atoms(standard: ResidueKind) -> &'static [u64] {
    static NAMES: LazyLock<[Vec<u64>; STANDARD]> = LazyLock::new(|| {
        SIDE_CHAINS.map(|(residue, side_chain)| {
            let others = OTHER_NAMES.iter().filter(|(of, _)| *of == residue).map(|(_, names)| *names);
            let ends = END_OXYGENS.iter().map(|(_, names)| *names);
            let names = ["N CA C O", side_chain].into_iter().chain(others).chain(ends);
            names.flat_map(str::split_ascii_whitespace).map(|name| pack(name.as_bytes())).collect()
        })
    });
    &NAMES[usize::from(standard)]
}

/// Number of heavy atoms of each standard amino acid within a chain.
const HEAVY_ATOMS: [usize; STANDARD] = {
    let (mut counts, mut kind) = ([4; STANDARD], 0);
    while kind < STANDARD {
        let (names, mut at) = (SIDE_CHAINS[kind].1.as_bytes(), 0);
        while at < names.len() {
            counts[kind] += (at == 0 || names[at] == b' ') as usize;
            at += 1;
        }
        kind += 1;
    }
    counts
};

/// Number of heavy atoms of a standard amino acid within a chain.
pub(crate) fn heavy_atoms(standard: ResidueKind) -> usize {
    HEAVY_ATOMS[usize::from(standard)]
}

/// Number of heavy atoms of a nucleotide without its phosphate.
pub(crate) fn heavy_atoms_of_nucleotide(nucleotide: ResidueKind) -> usize {
    let Some((name, letter)) = NUCLEOTIDES.get(usize::from(nucleotide.wrapping_sub(FIRST_NUCLEOTIDE))) else {
        return 0;
    };
    let base = BASES.iter().find(|(own, _)| own == letter).map_or("", |(_, names)| names);
    // DNA lacks O2'.
    let sugar = if name.starts_with('D') { 8 } else { 9 };
    sugar + base.split_ascii_whitespace().count()
}

fn has(names: &str, name: &[u8]) -> bool {
    names.split_ascii_whitespace().any(|own| own.as_bytes() == name)
}

/// The first character that is no digit.
fn first_letter(name: &[u8]) -> u8 {
    name.iter().find(|c| !c.is_ascii_digit()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::component;

    fn atom(residue: &str, name: &str, symbol: &str) -> (Atom, bool) {
        let residue = pack(residue.as_bytes());
        let component = component(residue);
        let (name, symbol) = (pack(name.as_bytes()), element(symbol.as_bytes()));
        Rules::of(component).atom(residue, component.amino_acid().unwrap(), name, symbol)
    }

    fn heavy(name: &str, symbol: &str) -> Atom {
        Atom::Heavy { name: pack(name.as_bytes()), element: element(symbol.as_bytes()) }
    }

    #[test]
    fn an_amino_acids_name_beats_the_element_column() {
        for (residue, name, symbol, element, agrees) in [
            ("ALA", "CA", "CA", "C", false),
            ("LYS", "CE", "Ce", "C", false),
            ("ARG", "NE", "Ne", "N", false),
            ("HIS", "CD2", "Cd", "C", false),
            ("VAL", "CB", "X", "C", false),
            ("VAL", "CB", "", "C", true),
            ("TYR", "OH", "O", "O", true),
            ("MSE", "SE", "S", "SE", false),
            ("3MY", "CL", "C", "CL", false),
            ("MSE", "CE", "Ce", "C", false),
            ("CMH", "HG", "HG", "HG", true),
            ("ILE", "CD", "CD", "C", false),
        ] {
            assert_eq!(atom(residue, name, symbol), (heavy(name, element), agrees), "{residue} {name} {symbol}");
        }
        assert_eq!(atom("GLY", "ca", "c").0, heavy("CA", "C"));
    }

    #[test]
    fn oxygens_at_an_end_have_the_dictionarys_names() {
        for (name, standard) in
            [("OT1", "O"), ("OT2", "OXT"), ("O1", "O"), ("OC2", "OXT"), ("OT", "OXT"), ("OXT", "OXT")]
        {
            assert_eq!(atom("GLY", name, "O"), (heavy(standard, "O"), true));
        }
        assert_eq!(atom("TYS", "O1", "O").0, heavy("O1", "O"), "an oxygen of the sulfate");
    }

    #[test]
    fn hydrogens_and_points_are_no_heavy_atoms() {
        for (name, symbol, agrees) in [
            ("HN", "HN", false),
            ("HG1", "Hg", false),
            ("1HB", "", true),
            ("DA", "D", true),
            ("T", "T", true),
            ("HE2", "He", false),
        ] {
            assert_eq!(atom("GLN", name, symbol), (Atom::Hydrogen, agrees), "{name} {symbol}");
        }
        for (name, symbol) in
            [("LP1", "LP"), ("LP1", ""), ("QB", "Q"), ("QB", ""), ("MG", "Mg"), ("EP1", "EP"), ("NV", "X")]
        {
            assert_eq!(atom("PRO", name, symbol).0, Atom::Pseudo, "{name} {symbol}");
        }
    }

    #[test]
    fn the_column_decides_about_other_atoms() {
        assert_eq!(atom("LYS", "ZN", "ZN").0, heavy("ZN", "ZN"));
        let other = |name: &str, symbol: &str| of_other(pack(name.as_bytes()), element(symbol.as_bytes()));
        assert_eq!(other("CA", "CA"), heavy("CA", "CA"));
        assert_eq!(other("HG", "HG"), heavy("HG", "HG"));
        assert_eq!(other("C1", "X"), heavy("C1", ""));
        assert_eq!(other("CA", "H"), Atom::Hydrogen);
        assert_eq!(other("CA", "d"), Atom::Hydrogen);
        for unknown in ["", "X", "1", "C1", "HN"] {
            assert_eq!(other("1HB", unknown), Atom::Hydrogen, "{unknown}");
            assert_eq!(other("CA", unknown), heavy("CA", ""), "{unknown}");
        }
        assert_eq!([other("LP1", ""), other("X1", "Du"), other("PS1", "PS"), other("APOL", "Ve")], [Atom::Pseudo; 4]);
        let unknown = |name: &str| Rules::NoParent.atom(0, UNKNOWN, pack(name.as_bytes()), element(b"CA"));
        assert_eq!([unknown("CA"), unknown("CA1")], [(heavy("CA", "C"), false), (heavy("CA1", "CA"), true)]);
    }

    #[test]
    fn plain_atoms_are_those_of_the_table() {
        for (residue, names) in SIDE_CHAINS {
            let kind = component(pack(residue.as_bytes())).amino_acid().unwrap();
            assert_eq!(heavy_atoms(kind), 4 + names.split_ascii_whitespace().count());
            for name in names.split_ascii_whitespace().chain(["N", "CA", "C", "O"]) {
                let packed = pack(name.as_bytes());
                let symbol = u16::from(name.as_bytes()[0]);
                let slow = of_amino_acid(Rules::Standard, pack(residue.as_bytes()), kind, packed, symbol);
                assert_eq!(slow, (heavy(name, &name[..1]), true));
                assert_eq!(
                    Rules::Standard.atom(pack(residue.as_bytes()), kind, packed, symbol),
                    slow,
                    "{residue} {name}"
                );
            }
        }
    }

    #[test]
    fn a_nucleotides_atoms_have_the_dictionarys_names() {
        let atom = |name: &str, symbol: &str| {
            let kind = component(pack(b"DT")).nucleotide().unwrap();
            Rules::Nucleotide.atom(pack(b"DT"), kind, pack(name.as_bytes()), element(symbol.as_bytes()))
        };
        for (name, symbol, standard, element, agrees) in [
            ("C1*", "C", "C1'", "C", true),
            ("O1P", "O", "OP1", "O", true),
            ("C5M", "", "C7", "C", true),
            ("o4'", "o", "O4'", "O", true),
            ("C4", "CA", "C4", "C", false),
            ("P", "PT", "P", "P", false),
            ("BR", "BR", "BR", "BR", true),
        ] {
            assert_eq!(atom(name, symbol), (heavy(standard, element), agrees), "{name} {symbol}");
        }
        for (name, symbol, agrees) in [
            ("H5'", "H", true),
            ("1H5*", "", true),
            ("HO5'", "HO", false),
            ("H5T", "", true),
            ("D3", "D", true),
            ("H3T", "X", false),
        ] {
            assert_eq!(atom(name, symbol), (Atom::Hydrogen, agrees), "{name} {symbol}");
        }
        // Counts of the dictionary without P, OP1, OP2 and OP3.
        for (name, count) in [("A", 19), ("C", 17), ("G", 20), ("U", 17), ("DA", 18), ("DT", 17), ("DN", 8)] {
            assert_eq!(
                heavy_atoms_of_nucleotide(component(pack(name.as_bytes())).nucleotide().unwrap()),
                count,
                "{name}"
            );
        }
    }

    #[test]
    fn elements_are_the_118_and_two_isotopes() {
        let all = |b: u8| (b'A'..=b'Z').filter(move |a| is_element(u16::from_le_bytes([*a, b])));
        let count = all(0).count() + (b'A'..=b'Z').map(|b| all(b).count()).sum::<usize>();
        assert_eq!(count, 120);
        assert!(
            !is_element(0) && !is_element(element(b"HN")) && !is_element(element(b"X")) && !is_element(element(b"LP"))
        );
    }
}
