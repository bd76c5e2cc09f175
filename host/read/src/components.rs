//! Residue names and their meaning.

mod table;

use super::atoms::element;
use super::word::{pack, trim_zeros};
use foldhash::{HashMap, HashMapExt as _};
use shared_types::residue::{
    MODIFIED, STANDARD, kind_of_nucleotide, modified_kind, modified_nucleotide, nucleotide_of, parent_of,
};
use shared_types::{RESIDUES, ResidueKind, UNKNOWN};
use std::sync::LazyLock;

/// The meaning of a residue name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    /// One of the 20 standard amino acids.
    Standard(ResidueKind),
    /// A standard amino acid in a protonation state, or under a force field's name.
    Variant(ResidueKind),
    /// A modified amino acid, with its type; [`UNKNOWN`] if it has no parent.
    Modified(ResidueKind),
    /// A name that force fields give an amino acid, and the Chemical Component Dictionary something else: it is the amino acid
    /// if it has a protein's backbone.
    Shared(ResidueKind),
    /// `UNK` or a blank name.
    Unknown,
    /// A nucleotide, with its type.
    Nucleic(ResidueKind),
    Water,
    /// Points that a program wrote as atoms.
    Dummy,
    /// Anything else.
    Other,
}

impl Component {
    /// The type of a nucleotide.
    pub(super) fn nucleotide(self) -> Option<ResidueKind> {
        match self {
            Self::Nucleic(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether it is a nucleotide under a standard name.
    pub(super) fn is_standard_nucleotide(self) -> bool {
        self.nucleotide().is_some_and(|kind| nucleotide_of(kind) == Some(kind))
    }

    /// The type of a known amino acid.
    pub(super) fn amino_acid(self) -> Option<ResidueKind> {
        match self {
            Self::Standard(kind) | Self::Variant(kind) | Self::Modified(kind) | Self::Shared(kind) => Some(kind),
            _ => None,
        }
    }
}

/// Names of standard amino acids in force fields (AMBER, CHARMM, GROMACS and GROMOS, OPLS), in programs for constant pH, in CYANA, and
/// in protonation states. AMBER's names at chain ends (`NALA`, `CHIE`) and CHARMM's of D-amino acids (`DALA`, `DHSD`) follow from
/// those of three letters.
const VARIANTS: [(&str, &str); 20] = [
    ("ALA", "ALAD"),
    ("ARG", "ARGP ARGT ARG+"),
    ("ARN", "ARN ARGN"),
    ("ASH", "ASH ASPH ASPP"),
    ("ASN", "ASN1"),
    ("ASP", "ASPM ASPT ASP-"),
    ("CYM", "CYM CYSM CYSD"),
    ("CYS", "CYX CYS1 CYS2 CYSH CYN CYSS"),
    ("GLH", "GLH GLUH GLUP"),
    ("GLU", "GLUT GLU-"),
    ("GLY", "GLYN"),
    ("HIP", "HIP HSP HISH HISP HISHP HIS+"),
    ("HIS", "HID HIE HSD HSE HISA HISB HISD HISE HIS_D HIS1 HIS2 HSPT"),
    ("ILE", "ILEU"),
    ("LYN", "LYN LSN LYSN"),
    ("LYS", "LYSH LYSP LYST LYS+"),
    ("MET", "METN"),
    ("PRO", "PROH"),
    ("TRP", "TRPH"),
    ("TYM", "TYM TYRM"),
];

/// As [`VARIANTS`], names that the Chemical Component Dictionary gives something that is no amino acid: AMBER's aspartate and
/// glutamate for constant pH (AS4, GL4), whose protons the name does not state; cysteines with a proton (CYP) or bound to
/// zinc (Rosetta's CYZ); histidines with both protons (HIH, HDE); AMOEBA's lysine and tyrosine without theirs;
/// phosphates of AMBER and GROMOS, and CHARMM's patches that make them; GLYCAM's serine and hydroxyproline that carry a sugar.
const SHARED: [(&str, &str); 16] = [
    ("ARN", "AR0"),
    ("ASP", "AS4"),
    ("CYS", "CYP CYZ"),
    ("GLU", "GL4"),
    ("HIP", "HIH HDE"),
    ("HYP", "OLP"),
    ("LYN", "LYD"),
    ("LYS", "LYP"),
    ("PTR", "TP2 TP2A Y2P"),
    ("S1P", "S1P SP1"),
    ("SEP", "SP2"),
    ("SER", "OLS"),
    ("T1P", "T1P THP1"),
    ("TPO", "T2P THPB"),
    ("TYM", "TYD"),
    ("Y1P", "Y1P TP1A"),
];

/// As [`SHARED`], names of a state or modification with a charge that the tables do not have, by parent: GROMACS's glutamine with a third
/// proton, AMBER's phosphates of histidine.
const SHARED_MODIFIED: [(&str, &str); 2] = [("GLN", "QLN"), ("HIS", "H1D H2D H1E H2E")];

/// As [`SHARED`], a name that the dictionary gives a nucleotide: CHARMM's patch that phosphorylates tyrosine.
const SHARED_WITH_NUCLEOTIDE: (&str, &str) = ("Y1P", "TP1");

/// Names that mean one amino acid in `ATOM` records, where force fields give them, and in `HETATM` records the dictionary's, which is
/// another one: GLYCAM's asparagine and threonine that carry a sugar (an amide of norleucine, methylated threonine), GROMOS's
/// phosphate of serine (an alanine with a thiophene).
const BY_RECORD: [(&str, &str); 3] = [("ASN", "NLN"), ("THR", "OLT"), ("SEP", "S2P")];

/// Amino acids that have names at chain ends, and without them a name of [`VARIANTS`], of the dictionary, or a meaning that depends
/// on the record: AMBER's norleucine, AMOEBA's cysteine without its proton, GLYCAM's amino acids that carry a sugar.
const AT_ENDS: [(&str, &str); 5] = [("ASN", "NLN"), ("CYM", "CYD"), ("HYP", "HYP"), ("NLE", "NLE"), ("THR", "OLT")];

/// CHARMM's names of modified amino acids, by parent: D-ornithine, with lipids, with a myristoyl.
const OTHER_MODIFIED: [(&str, &str); 4] =
    [("ALA", "DORN"), ("CYS", "CYSF CYSG CYSL CYSP"), ("GLY", "GLYM"), ("LYS", "LYSM")];

/// Names of the phosphates of serine, threonine and tyrosine that no dictionary has.
const PHOSPHATES: [(&str, &str); 3] = [("SEP", "PSER"), ("TPO", "PTHR"), ("PTR", "PTYR")];

/// Names of [`VARIANTS`] that the dictionary gives a derivative of another amino acid, by that: homoserine, and a glutamine with a ring.
const OF_ANOTHER_PARENT: [(&str, &str); 2] = [("SER", "HSE"), ("GLN", "GLH")];

/// A name of [`VARIANTS`] that the dictionary gives an amide, whose nitrogen is called as that of CHARMM's caps: lysinamide.
const AMIDE: &str = "LYN";

/// CHARMM's histidines, which have D-forms, too.
const CHARMM_HIS: [&str; 3] = ["HSD", "HSE", "HSP"];

/// Modified amino acids with the hydropathy, charge and volume of their parent: D-amino acids, which are mirror images, and
/// selenomethionine, which stands for methionine in crystals.
const AS_THE_PARENT: &str = "DAL DAR DSG DAS DCY DGN DGL DHI DIL DLE DLY MED DPN DPR DSN DTH DTR DTY DVA MSE";

/// The dictionary's names of dummy atoms (which OPM and PPM write for membranes), and of unknown atoms or ions; virtual residues of
/// Rosetta, and PyMOL's pseudoatoms. The last name is in two parts because texts of this repository mark nothing as unfinished.
const DUMMIES: &str = concat!("DUM UNX EMB MEM VRT PSD ", "X", "XX");

/// Martini's bead of water. In the dictionary it is tungsten, whose records have that element.
pub(super) const BEAD_OF_WATER: u64 = b'W' as u64;

/// HADDOCK's residues that are no molecules, and their atoms: the axes of an anisotropy tensor, and points of a shape. In the
/// dictionary both are ligands, with other atoms.
const POINTS_OF_HADDOCK: [(&str, &str); 2] = [("ANI", "X Y Z OO"), ("SHA", "CA SHA")];

/// Water in the dictionary and in force fields, and beads of it in Martini, SIRAH and BMW.
const WATERS: &str = "HOH WAT DOD D2O H2O D3O HHO OHH SOL TIP TIP2 TIP3 TIP4 TIP5 TP3 TP4 TP5 SPC SPCE SPF T3P T4P T5P T3H T4E OH2 \
                      OPC OPC3 FB3 FB4 F3C SWM4 SWM6 WT1 WT4 WN WF PW BMW";

/// The names of [`WATERS`] and [`DUMMIES`] that mean nothing else in the dictionary. Ligands may have the other ones.
const CERTAIN: [&str; 5] = ["HOH", "WAT", "DOD", "DUM", "UNX"];

/// Names of standard nucleotides in formats and force fields; those of four letters are of old AMBER. Old files and CHARMM use those of RNA
/// for DNA, too.
const NUCLEOTIDES: [(&str, &str); 13] = [
    ("A", "A ADE RA RA5 RA3 A5 A3 RADE"),
    ("C", "C CYT RC RC5 RC3 C5 C3 RCYT"),
    ("G", "G GUA RG RG5 RG3 G5 G3 RGUA"),
    ("U", "U URA RU RU5 RU3 U5 U3 RURA"),
    ("I", "I"),
    ("N", "N"),
    ("DA", "DA DA5 DA3 DADE"),
    ("DC", "DC DC5 DC3 DCYT"),
    ("DG", "DG DG5 DG3 DGUA"),
    ("DT", "DT DT5 DT3 T THY DTHY"),
    ("DU", "DU"),
    ("DI", "DI"),
    ("DN", "DN"),
];

/// The type of one of the tables' amino acids by its name: a standard one, a protonation state, or a modified one.
fn kind_named(name: &str) -> ResidueKind {
    match RESIDUES[..usize::from(UNKNOWN)].iter().position(|residue| residue.name == name) {
        Some(kind) => kind as ResidueKind,
        None => modified_kind(name.as_bytes(), UNKNOWN),
    }
}

/// The standard names of [`RESIDUES`], by [`pack`].
const NAMES: [u64; STANDARD] = {
    let mut names = [0; STANDARD];
    let mut kind = 0;
    while kind < names.len() {
        let &[a, b, c] = RESIDUES[kind].name.as_bytes() else { panic!("not three letters") };
        names[kind] = u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0]);
        kind += 1;
    }
    names
};

/// All names except the standard ones.
static OTHERS: LazyLock<HashMap<u64, Component>> = LazyLock::new(|| {
    let kind = kind_named;
    let mut all = HashMap::new();
    let add = |all: &mut HashMap<u64, Component>, names: &str, component: &dyn Fn(&str) -> Component| {
        all.extend(names.split_ascii_whitespace().map(|name| (pack(name.as_bytes()), component(name))));
    };
    // Later names win.
    let nucleotide = |name: &str| kind_of_nucleotide(name.as_bytes()).unwrap_or(UNKNOWN);
    for (parent, names) in table::NUCLEIC {
        add(&mut all, names, &|_| Component::Nucleic(modified_nucleotide(nucleotide(parent))));
    }
    for (parent, names) in table::PEPTIDES {
        let own = modified_kind(b"", kind(parent));
        add(&mut all, names, &|_| Component::Modified(own));
    }
    let mut change = |name: &str, own_kind: &dyn Fn(ResidueKind) -> ResidueKind| {
        if let Some(Component::Modified(kind)) = all.get_mut(&pack(name.as_bytes())) {
            *kind = own_kind(*kind);
        }
    };
    MODIFIED.iter().for_each(|(name, ..)| change(name, &|kind| modified_kind(name.as_bytes(), kind)));
    AS_THE_PARENT.split_ascii_whitespace().for_each(|name| change(name, &|kind| parent_of(kind).unwrap_or(kind)));
    for (name, names) in NUCLEOTIDES {
        add(&mut all, names, &|_| Component::Nucleic(nucleotide(name)));
    }
    add(&mut all, WATERS, &|_| Component::Water);
    add(&mut all, DUMMIES, &|_| Component::Dummy);
    for (name, names) in OTHER_MODIFIED {
        add(&mut all, names, &|own| Component::Modified(modified_kind(own.as_bytes(), kind(name))));
    }
    for (name, names) in PHOSPHATES {
        add(&mut all, names, &|_| Component::Shared(kind(name)));
    }
    for (name, names) in SHARED {
        add(&mut all, names, &|_| Component::Shared(kind(name)));
    }
    for (name, names) in SHARED_MODIFIED {
        add(&mut all, names, &|_| Component::Shared(modified_kind(b"", kind(name))));
    }
    for (name, names) in VARIANTS {
        add(&mut all, names, &|_| Component::Variant(kind(name)));
    }
    add(&mut all, "PGLU", &|_| Component::Variant(kind("PCA")));
    // AMBER's residues at chain ends, and CHARMM's D-amino acids.
    let standard = || RESIDUES[..STANDARD].iter().map(|residue| residue.name);
    let names = VARIANTS.iter().chain(&SHARED).chain(&AT_ENDS);
    let listed = names.flat_map(|(name, names)| names.split_ascii_whitespace().map(|own| (own, kind(name))));
    let three_letters = listed.filter(|(own, _)| own.len() == 3);
    for (name, kind) in standard().map(|name| (name, kind(name))).chain(three_letters) {
        let is_chiral = standard().any(|own| own == name) || CHARMM_HIS.contains(&name);
        for prefix in ["N", "C", "D"].into_iter().filter(|prefix| *prefix != "D" || is_chiral) {
            all.insert(pack(format!("{prefix}{name}").as_bytes()), Component::Variant(kind));
        }
    }
    for name in ["UNK", "", "?", "."] {
        all.insert(pack(name.as_bytes()), Component::Unknown);
    }
    all
});

/// Atoms of modified amino acids whose element is not the first letter of their name: residue, atom, and the symbol.
static OTHER_ELEMENTS: LazyLock<HashMap<(u64, u64), u16>> = LazyLock::new(|| {
    let of_element = |(symbol, atoms): &(&str, &'static str)| {
        let symbol = element(symbol.as_bytes());
        let named =
            |atom: &'static str| atom.split_once('/').map(|(residue, name)| (residue.as_bytes(), name.as_bytes()));
        let atoms = atoms.split_ascii_whitespace().filter_map(named);
        atoms.map(move |(residue, name)| ((pack(residue), pack(name)), symbol))
    };
    table::OTHER_ELEMENTS.iter().flat_map(of_element).collect()
});

/// The symbol of an atom's element, if its residue is a modified amino acid and the symbol is not the name's first letter.
pub(super) fn other_element(residue: u64, atom: u64) -> Option<u16> {
    OTHER_ELEMENTS.get(&(residue, atom)).copied()
}

/// The type of a standard name, given as [`pack`] makes it.
#[inline]
pub(super) fn standard(name: u64) -> Option<ResidueKind> {
    NAMES.iter().position(|&standard| standard == name).map(|kind| kind as ResidueKind)
}

/// The meaning of a name in a record, given as [`pack`] makes it.
#[inline]
pub(super) fn component_of(name: u64, hetatm: bool) -> Component {
    let found = component(name);
    match found {
        Component::Modified(_) if !hetatm => in_atom_record(name).unwrap_or(found),
        _ => found,
    }
}

/// What a name of [`BY_RECORD`] means in `ATOM` records.
#[cold]
fn in_atom_record(name: u64) -> Option<Component> {
    let (of, _) = BY_RECORD.iter().find(|(_, own)| pack(own.as_bytes()) == name)?;
    let kind = kind_named(of);
    Some(if kind < UNKNOWN { Component::Variant(kind) } else { Component::Modified(kind) })
}

/// The amino acid that the dictionary derives a residue from, where force fields mean another one by its name.
#[cold]
pub(super) fn parent_of_other(name: u64) -> Option<ResidueKind> {
    let (parent, _) = OF_ANOTHER_PARENT.iter().find(|(_, own)| pack(own.as_bytes()) == name)?;
    Some(kind_named(parent))
}

/// Whether a residue with this name and a cap's nitrogen is what the dictionary calls so.
#[cold]
pub(super) fn is_amide(name: u64) -> bool {
    name == pack(AMIDE.as_bytes())
}

/// Whether no table has a use for the atoms of a residue with this name: water, and points that are no atoms.
pub(super) fn is_unused(name: u64) -> bool {
    matches!(component(name), Component::Water | Component::Dummy)
}

/// Whether names say that their residues are the first of a chain, and the last of one: AMBER's `NMET` and `CGLY`, `DC5` and `DG3` of force fields.
pub(super) fn ends_named(name: u64) -> [bool; 2] {
    let bytes = name.to_le_bytes();
    let text = trim_zeros(&bytes);
    match (component(name), text) {
        (found, [b'A'..=b'Z', .., end]) if found.is_standard_nucleotide() => [*end == b'5', *end == b'3'],
        (Component::Variant(_), [begin, rest @ ..]) if rest.len() == 3 => {
            let is_whole = matches!(component(pack(rest)), Component::Standard(_) | Component::Variant(_));
            b"NC".map(|end| *begin == end && is_whole)
        }
        _ => [false; 2],
    }
}

/// The most atoms of a water, or points of a residue of points, besides lone pairs and the like. No ligand with such a name has as few.
pub(super) const MOST_POINTS: usize = 5;

/// Whether a name of water or of points is one that no ligand has.
#[inline]
pub(super) fn is_certain(name: u64) -> bool {
    const NAMES: [u64; CERTAIN.len()] = {
        let mut names = [0; CERTAIN.len()];
        let mut at = 0;
        while at < names.len() {
            let &[a, b, c] = CERTAIN[at].as_bytes() else { panic!("not three letters") };
            names[at] = u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0]);
            at += 1;
        }
        names
    };
    NAMES.contains(&name)
}

/// Whether a residue with this name and such an atom is one of [`POINTS_OF_HADDOCK`].
#[cold]
pub(super) fn is_point(name: u64, atom: u64) -> bool {
    let is_it = |text: &str, word: u64| pack(text.as_bytes()) == word;
    POINTS_OF_HADDOCK
        .iter()
        .any(|(own, atoms)| is_it(own, name) && atoms.split_ascii_whitespace().any(|own| is_it(own, atom)))
}

/// The amino acid that a nucleotide's name means if the residue has a protein's backbone, or [`UNKNOWN`].
pub(super) fn with_backbone(name: u64) -> ResidueKind {
    let (of, own) = SHARED_WITH_NUCLEOTIDE;
    if name == pack(own.as_bytes()) { kind_named(of) } else { UNKNOWN }
}

/// The meaning of a name, given as [`pack`] makes it. Case is ignored, and what Rosetta adds to a name (`ALA:NtermProteinFull`).
#[inline]
pub fn component(name: u64) -> Component {
    standard(name).map_or_else(|| unusual(name), Component::Standard)
}

fn unusual(name: u64) -> Component {
    if let Some(&found) = OTHERS.get(&name) {
        return found;
    }
    let bytes = name.to_le_bytes();
    let end = bytes[1..].iter().position(|&c| c == b':').map_or(bytes.len(), |at| at + 1);
    let upper = pack(&bytes.map(|c| c.to_ascii_uppercase())[..end]);
    match upper == name {
        true => with_a_fourth_letter(&bytes),
        false => component(upper),
    }
}

/// The meaning of an unknown name of four letters: programs add one to the name of an amino acid, or of a state of it, for another
/// state, whose charge is not known then. Ligands may have such names, too.
fn with_a_fourth_letter(name: &[u8; 8]) -> Component {
    let &[a, b, c, d, 0, ..] = name else { return Component::Other };
    let short = pack(&[a, b, c]);
    let state = || match OTHERS.get(&short) {
        Some(Component::Variant(kind)) => parent_of(*kind),
        _ => None,
    };
    let own = standard(short).or_else(state).filter(|_| d != 0);
    own.map_or(Component::Other, |kind| Component::Shared(modified_kind(b"", kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Option<ResidueKind> {
        component(pack(name.as_bytes())).amino_acid()
    }

    #[test]
    fn force_fields_names_have_their_protonation() {
        for (name, state) in [
            ("HIE", "HIS"),
            ("HID", "HIS"),
            ("HSD", "HIS"),
            ("HSE", "HIS"),
            ("HIP", "HIP"),
            ("HSP", "HIP"),
            ("CYX", "CYS"),
            ("CYM", "CYM"),
            ("ASH", "ASH"),
            ("GLH", "GLH"),
            ("LYN", "LYN"),
            ("NALA", "ALA"),
            ("CGLU", "GLU"),
            ("NHIP", "HIP"),
            ("CHIE", "HIS"),
            ("NCYX", "CYS"),
            ("Ala", "ALA"),
            ("hie", "HIS"),
            ("ASPP", "ASH"),
            ("AS4", "ASP"),
            ("GL4", "GLU"),
            ("CYP", "CYS"),
            ("HIH", "HIP"),
            ("HDE", "HIP"),
            ("LYP", "LYS"),
            ("AR0", "ARN"),
            ("QLN", "GLN"),
            ("HIE1", "HIS"),
            ("H2E", "HIS"),
            ("NLYD", "LYN"),
            ("CCYD", "CYM"),
            ("NOLS", "SER"),
            ("COLT", "THR"),
            ("NNLN", "ASN"),
            ("DALA", "ALA"),
            ("DHSP", "HIP"),
            ("HIS_D", "HIS"),
            ("ALA:NtermProteinFull", "ALA"),
            ("HIS_D:CtermProteinFull", "HIS"),
        ] {
            assert_eq!(kind(name).map(|kind| RESIDUES[usize::from(kind)].name), Some(state), "{name}");
        }
        for (name, charge) in [
            ("S1P", -1.0),
            ("SP1", -1.0),
            ("SP2", -2.0),
            ("THP1", -1.0),
            ("THPB", -2.0),
            ("T2P", -2.0),
            ("TP2", -2.0),
            ("Y2P", -2.0),
            ("PGLU", 0.0),
            ("CHYP", 0.0),
            ("CNLE", 0.0),
            ("NOLP", 0.0),
        ] {
            assert_eq!(kind(name).map(|kind| RESIDUES[usize::from(kind)].charge), Some(charge), "{name}");
        }
    }

    /// Parents as in the tables of gemmi 0.7.5, which has its one-letter codes in lower case.
    #[test]
    fn modified_residues_have_the_dictionarys_parent() {
        for (name, of) in [
            ("MSE", "MET"),
            ("SEP", "SER"),
            ("TPO", "THR"),
            ("PTR", "TYR"),
            ("SEC", "CYS"),
            ("PYL", "LYS"),
            ("HYP", "PRO"),
            ("MLY", "LYS"),
            ("CSO", "CYS"),
            ("KCX", "LYS"),
            ("LLP", "LYS"),
            ("CAS", "CYS"),
            ("PCA", "GLN"),
            ("DAL", "ALA"),
        ] {
            let parent = kind(name).and_then(parent_of).map(|kind| RESIDUES[usize::from(kind)].name);
            assert_eq!(parent, Some(of), "{name}");
        }
        assert_eq!(kind("CRO"), Some(UNKNOWN), "made of three residues");
        assert_eq!(component(pack(b"UNK")), Component::Unknown);
        for (name, other) in
            [("HOH", Component::Water), ("ATP", Component::Other), ("DUM", Component::Dummy), ("UNL", Component::Other)]
        {
            assert_eq!(component(pack(name.as_bytes())), other, "{name}");
        }
    }

    /// Parents as in the dictionary: `_chem_comp.mon_nstd_parent_comp_id`.
    #[test]
    fn nucleotides_have_the_dictionarys_parent() {
        for (name, of) in [
            ("A", "A"),
            ("RA5", "A"),
            ("GUA", "G"),
            ("DT3", "DT"),
            ("T", "DT"),
            ("PSU", "U"),
            ("H2U", "U"),
            ("5MU", "U"),
            ("5MC", "C"),
            ("OMC", "C"),
            ("7MG", "G"),
            ("OMG", "G"),
            ("M2G", "G"),
            ("1MA", "A"),
            ("YYG", "G"),
            ("BRU", "DU"),
            ("5CM", "DC"),
            ("8OG", "DG"),
            ("3DR", "DN"),
        ] {
            let found = component(pack(name.as_bytes())).nucleotide().and_then(nucleotide_of);
            assert_eq!(found.map(|kind| RESIDUES[usize::from(kind)].name), Some(of), "{name}");
        }
        let is_standard = |name: &str| component(pack(name.as_bytes())).is_standard_nucleotide();
        assert!(is_standard("ADE") && is_standard("DG5") && !is_standard("PSU") && !is_standard("ALA"));
    }

    #[test]
    fn names_that_are_shared_are_no_amino_acids_of_the_dictionary() {
        for name in SHARED.iter().flat_map(|(_, names)| names.split_ascii_whitespace()) {
            let is_own = |names: &str| names.split_ascii_whitespace().any(|own| own == name);
            assert!(!table::PEPTIDES.iter().any(|(_, names)| is_own(names)), "{name}");
        }
    }

    #[test]
    fn every_modified_amino_acid_with_a_charge_is_in_the_dictionary_with_that_parent() {
        for (name, letter, charge) in MODIFIED {
            let found = kind(name).map(|kind| RESIDUES[usize::from(kind)]).map(|own| (own.letter, own.charge));
            assert_eq!(found, Some((letter, charge)), "{name}");
            let parent = RESIDUES[..STANDARD].iter().find(|standard| standard.letter == letter).unwrap().name;
            let is_own = |names: &str| names.split_ascii_whitespace().any(|own| own == name);
            let is_listed = table::PEPTIDES.iter().any(|(of, names)| *of == parent && is_own(names));
            assert!(is_listed || matches!(name, "S1P" | "T1P" | "Y1P"), "{name}");
        }
    }
}
