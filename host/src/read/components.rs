//! Residue names and their meaning.

mod table;

use super::word::pack;
use shared_types::residue::{STANDARD, kind_of};
use shared_types::{RESIDUES, ResidueKind, UNKNOWN};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The meaning of a residue name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    /// One of the 20 standard amino acids.
    Standard(ResidueKind),
    /// A standard amino acid in a protonation state, or under a force field's name.
    Variant(ResidueKind),
    /// A modified amino acid, with the type of its parent; [`UNKNOWN`] if it has none.
    Modified(ResidueKind),
    /// `UNK` or a blank name.
    Unknown,
    Nucleic,
    Water,
    /// Anything else.
    Other,
}

/// Names of standard amino acids in force fields and protonation states.
const VARIANTS: [(&str, &str); 17] = [
    ("ALA", "ALAD"),
    ("ARG", "ARGP"),
    ("ARN", "ARN ARGN"),
    ("ASH", "ASH ASPH ASPP"),
    ("ASP", "ASPM"),
    ("CYM", "CYM CYSM"),
    ("CYS", "CYX CYS1 CYS2 CYSH CYN CYSP"),
    ("GLH", "GLH GLUH GLUP"),
    ("HIP", "HIP HSP HISH HISP HISHP"),
    ("HIS", "HID HIE HSD HSE HISA HISB HISD HISE HIS1 HIS2"),
    ("ILE", "ILEU"),
    ("LYN", "LYN LSN LYSN"),
    ("LYS", "LYSH LYSP"),
    ("MET", "METN"),
    ("PRO", "PROH"),
    ("TRP", "TRPH"),
    ("TYM", "TYM TYRM"),
];

const WATERS: &str = "HOH WAT DOD H2O D3O SOL TIP TIP2 TIP3 TIP4 TIP5 TP3 TP4 SPC SPCE T3P T4P T5P OH2";

/// Names of standard nucleotides in formats and force fields. Old files use one-letter names for DNA, too.
const NUCLEOTIDES: &str = "A C G U T I N DA DC DG DT DU DI DN RA RC RG RU ADE CYT GUA THY URA DA5 DA3 DC5 DC3 DG5 DG3 DT5 DT3 \
                           RA5 RA3 RC5 RC3 RG5 RG3 RU5 RU3 A5 A3 C5 C3 G5 G3 U5 U3";

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
    let kind =
        |name: &str| RESIDUES.iter().position(|residue| residue.name == name).map_or(UNKNOWN, |i| i as ResidueKind);
    let mut all = HashMap::new();
    let mut add = |names: &str, component| {
        all.extend(names.split_ascii_whitespace().map(|name| (pack(name.as_bytes()), component)));
    };
    // Later names win.
    add(table::NUCLEIC, Component::Nucleic);
    table::PEPTIDES.iter().for_each(|(parent, names)| add(names, Component::Modified(kind(parent))));
    add(NUCLEOTIDES, Component::Nucleic);
    add(WATERS, Component::Water);
    for (name, names) in VARIANTS {
        add(names, Component::Variant(kind(name)));
    }
    // AMBER's residues at chain ends.
    let three_letters =
        VARIANTS.iter().flat_map(|(_, names)| names.split_ascii_whitespace()).filter(|name| name.len() == 3);
    let standard = RESIDUES[..STANDARD].iter().map(|residue| residue.name);
    for name in standard.chain(three_letters) {
        let own = all.get(&pack(name.as_bytes())).copied();
        let kind = match own {
            Some(Component::Variant(kind)) => Some(kind),
            _ => kind_of(name.as_bytes()),
        };
        for end in ["N", "C"] {
            let prefixed = pack(format!("{end}{name}").as_bytes());
            all.extend(kind.map(|kind| (prefixed, Component::Variant(kind))));
        }
    }
    for name in ["UNK", "", "?", "."] {
        all.insert(pack(name.as_bytes()), Component::Unknown);
    }
    all
});

/// The type of a standard name, given as [`pack`] makes it.
#[inline]
pub(super) fn standard(name: u64) -> Option<ResidueKind> {
    NAMES.iter().position(|&standard| standard == name).map(|kind| kind as ResidueKind)
}

/// The meaning of a name, given as [`pack`] makes it. Case is ignored.
#[inline]
pub(super) fn component(name: u64) -> Component {
    standard(name).map_or_else(|| unusual(name), Component::Standard)
}

fn unusual(name: u64) -> Component {
    if let Some(&found) = OTHERS.get(&name) {
        return found;
    }
    let upper = name.to_le_bytes().map(|c| c.to_ascii_uppercase());
    let upper = u64::from_le_bytes(upper);
    match upper == name {
        true => Component::Other,
        false => component(upper),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent(name: &str) -> Option<&'static str> {
        match component(pack(name.as_bytes())) {
            Component::Standard(kind) | Component::Variant(kind) | Component::Modified(kind) => {
                Some(RESIDUES[usize::from(kind)].name)
            }
            _ => None,
        }
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
        ] {
            assert_eq!(parent(name), Some(state), "{name}");
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
            assert_eq!(parent(name), Some(of), "{name}");
        }
        assert_eq!(parent("CRO"), Some("UNK"), "made of three residues");
        assert_eq!(component(pack(b"UNK")), Component::Unknown);
        for (name, other) in [("DA", Component::Nucleic), ("HOH", Component::Water), ("ATP", Component::Other)] {
            assert_eq!(component(pack(name.as_bytes())), other, "{name}");
        }
    }
}
