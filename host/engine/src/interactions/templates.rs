//! Bonds of the standard amino acids and nucleotides: `-` single, `=` double. Rings have one of their Kekulé structures. The orders
//! are those of the Chemical Component Dictionary, without hydrogens.

use super::model::Order;
use foldhash::{HashMap, HashMapExt as _};
use std::sync::LazyLock;

const PROTEIN_BACKBONE: &str = "N-CA CA-C C=O C-OXT CA-CB";

const AMINO_ACIDS: [(&str, &str); 20] = [
    ("ALA", ""),
    ("ARG", "CB-CG CG-CD CD-NE NE-CZ CZ-NH1 CZ=NH2"),
    ("ASN", "CB-CG CG=OD1 CG-ND2"),
    ("ASP", "CB-CG CG=OD1 CG-OD2"),
    ("CYS", "CB-SG"),
    ("GLN", "CB-CG CG-CD CD=OE1 CD-NE2"),
    ("GLU", "CB-CG CG-CD CD=OE1 CD-OE2"),
    ("GLY", ""),
    ("HIS", "CB-CG CG-ND1 CG=CD2 ND1=CE1 CD2-NE2 CE1-NE2"),
    ("ILE", "CB-CG1 CB-CG2 CG1-CD1 CG1-CD"),
    ("LEU", "CB-CG CG-CD1 CG-CD2"),
    ("LYS", "CB-CG CG-CD CD-CE CE-NZ"),
    ("MET", "CB-CG CG-SD SD-CE"),
    ("PHE", "CB-CG CG=CD1 CD1-CE1 CE1=CZ CZ-CE2 CE2=CD2 CD2-CG"),
    ("PRO", "CB-CG CG-CD CD-N"),
    ("SER", "CB-OG"),
    ("THR", "CB-OG1 CB-CG2"),
    ("TRP", "CB-CG CG=CD1 CD1-NE1 NE1-CE2 CD2=CE2 CG-CD2 CD2-CE3 CE3=CZ3 CZ3-CH2 CZ2=CH2 CE2-CZ2"),
    ("TYR", "CB-CG CG=CD1 CD1-CE1 CE1=CZ CZ-CE2 CE2=CD2 CD2-CG CZ-OH"),
    ("VAL", "CB-CG1 CB-CG2"),
];

const NUCLEIC_BACKBONE: &str =
    "P=OP1 P-OP2 P-OP3 P-O5' O5'-C5' C5'-C4' C4'-O4' C4'-C3' C3'-O3' C3'-C2' C2'-O2' C2'-C1' C1'-O4'";

const BASES: [(&str, &str); 6] = [
    ("A", "C1'-N9 N9-C8 C8=N7 N7-C5 C5-C6 C6-N6 C6=N1 N1-C2 C2=N3 N3-C4 C4=C5 C4-N9"),
    ("C", "C1'-N1 N1-C2 C2=O2 C2-N3 N3=C4 C4-N4 C4-C5 C5=C6 C6-N1"),
    ("G", "C1'-N9 N9-C8 C8=N7 N7-C5 C5-C6 C6=O6 C6-N1 N1-C2 C2-N2 C2=N3 N3-C4 C4=C5 C4-N9"),
    ("I", "C1'-N9 N9-C8 C8=N7 N7-C5 C5-C6 C6=O6 C6-N1 N1-C2 C2=N3 N3-C4 C4=C5 C4-N9"),
    ("T", "C1'-N1 N1-C2 C2=O2 C2-N3 N3-C4 C4=O4 C4-C5 C5=C6 C6-N1 C5-C7"),
    ("U", "C1'-N1 N1-C2 C2=O2 C2-N3 N3-C4 C4=O4 C4-C5 C5=C6 C6-N1"),
];

/// Names of nucleotides that have these bases, in the dictionary and in force fields.
const NUCLEOTIDES: [(&str, &str); 6] = [
    ("A", "A DA RA ADE A5 A3 DA5 DA3 RA5 RA3"),
    ("C", "C DC RC CYT C5 C3 DC5 DC3 RC5 RC3"),
    ("G", "G DG RG GUA G5 G3 DG5 DG3 RG5 RG3"),
    ("I", "I DI"),
    ("T", "T DT THY DT5 DT3"),
    ("U", "U DU RU URA U5 U3 RU5 RU3"),
];

/// Bonds by the names of their atoms.
pub(super) type Template = Vec<(&'static str, &'static str, Order)>;

static TEMPLATES: LazyLock<HashMap<&'static str, Template>> = LazyLock::new(|| {
    let bond = |word: &'static str| match word.split_once('=') {
        Some((a, b)) => Some((a, b, Order::Double)),
        None => word.split_once('-').map(|(a, b)| (a, b, Order::Single)),
    };
    let template = |backbone: &'static str, own: &'static str| -> Template {
        [backbone, own].iter().flat_map(|text| text.split_ascii_whitespace()).filter_map(bond).collect()
    };
    let mut all = HashMap::new();
    all.extend(AMINO_ACIDS.iter().map(|(name, own)| (*name, template(PROTEIN_BACKBONE, own))));
    for ((_, names), (_, own)) in NUCLEOTIDES.iter().zip(BASES) {
        all.extend(names.split_ascii_whitespace().map(|name| (name, template(NUCLEIC_BACKBONE, own))));
    }
    all
});

/// The bonds of a standard residue.
pub(super) fn template(name: &str) -> Option<&'static Template> {
    TEMPLATES.get(name)
}

/// The dictionary's name of an atom of a nucleotide: older files write `O1P`, `C5M` and `C1*`.
pub(super) fn nucleic_atom(name: &str) -> std::borrow::Cow<'_, str> {
    match name {
        "O1P" => "OP1".into(),
        "O2P" => "OP2".into(),
        "O3P" => "OP3".into(),
        "C5M" => "C7".into(),
        _ if name.contains('*') => name.replace('*', "'").into(),
        _ => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Atoms have the valences of their elements at most, and rings close: a tree has one bond fewer than atoms.
    #[test]
    fn templates_have_valences_and_rings() {
        let rings = |name: &str| match name {
            "HIS" | "PHE" | "TYR" | "PRO" => 1,
            "TRP" => 2,
            "A" | "G" | "I" | "DA" => 3,
            "C" | "T" | "U" | "DT" => 2,
            _ => 0,
        };
        let names = AMINO_ACIDS.iter().map(|(name, _)| *name).chain(["A", "C", "G", "I", "T", "U", "DA", "DT"]);
        for name in names {
            let bonds = template(name).unwrap();
            let mut orders: HashMap<&str, u32> = HashMap::new();
            for (a, b, order) in bonds {
                let order = if *order == Order::Double { 2 } else { 1 };
                *orders.entry(a).or_default() += order;
                *orders.entry(b).or_default() += order;
            }
            // Isoleucine has CD1 under its other name, too.
            let atoms = orders.len();
            assert_eq!(bonds.len(), atoms - 1 + rings(name), "{name}");
            for (atom, order) in orders {
                let most = match atom.as_bytes()[0] {
                    b'C' => 4,
                    b'N' => 3,
                    b'P' => 5,
                    _ => 2,
                };
                // CG1 of isoleucine is bonded to both names of one atom.
                assert!(order <= most || atom == "CG1", "{name} {atom} {order}");
            }
        }
    }

    #[test]
    fn nucleotides_have_one_base_under_all_names() {
        assert!(["DA", "RU", "THY", "I"].iter().all(|name| template(name).is_some()) && template("PSU").is_none());
        assert_eq!(["O1P", "C5*", "C5M", "N9"].map(|name| nucleic_atom(name).into_owned()), ["OP1", "C5'", "C7", "N9"]);
    }
}
