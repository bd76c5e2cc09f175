//! Bonds between residues that files declare: `_struct_conn` of mmCIF; `LINK`, `SSBOND` and `CONECT` of PDB.

use super::lines::lines;
use super::number::integer;
use super::pdb;
use super::tables::{STRUCT_CONN, Tables};
use super::word::text_of;
use std::collections::{BTreeSet, HashMap};

/// The category of mmCIF.
pub(super) const CATEGORY: &str = "_struct_conn.";

/// Its items: the kind, and nine of each end.
pub(super) const ITEMS: [&str; 19] = [
    "conn_type_id",
    "ptnr1_auth_asym_id",
    "ptnr1_label_asym_id",
    "ptnr1_auth_seq_id",
    "ptnr1_label_seq_id",
    "pdbx_ptnr1_PDB_ins_code",
    "ptnr1_auth_comp_id",
    "ptnr1_label_comp_id",
    "ptnr1_label_atom_id",
    "ptnr1_symmetry",
    "ptnr2_auth_asym_id",
    "ptnr2_label_asym_id",
    "ptnr2_auth_seq_id",
    "ptnr2_label_seq_id",
    "pdbx_ptnr2_PDB_ins_code",
    "ptnr2_auth_comp_id",
    "ptnr2_label_comp_id",
    "ptnr2_label_atom_id",
    "ptnr2_symmetry",
];

/// What a bond between residues is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// A covalent bond.
    Covalent,
    /// A bond between two cysteines.
    Disulfide,
    /// Coordination of a metal.
    Metal,
}

impl LinkKind {
    /// What it is by its atoms, whatever a file calls it.
    #[must_use]
    pub fn of_atoms(self, has_metal: bool, are_sulfurs: bool) -> Self {
        match self {
            _ if has_metal => Self::Metal,
            Self::Covalent if are_sulfurs => Self::Disulfide,
            Self::Metal => Self::Covalent,
            kind => kind,
        }
    }
}

/// An end of a bond between residues, by the author's names.
#[derive(Clone, Copy, Debug)]
pub struct LinkEnd<'a> {
    /// The author's chain id.
    pub chain: &'a [u8],
    /// The author's residue number.
    pub number: i32,
    /// The insertion code.
    pub icode: &'a [u8],
    /// The residue's name.
    pub residue: &'a [u8],
    /// The atom's name.
    pub atom: &'a [u8],
}

/// A bond as a file declares it.
pub(super) struct Declared<'a> {
    pub(super) kind: LinkKind,
    pub(super) ends: [LinkEnd<'a>; 2],
    /// Whether both ends are of one copy in the crystal, and the bond within the structure.
    pub(super) is_within: bool,
}

/// The bond of a row with the values of [`ITEMS`], which are empty where they are not given; `None` if it is none.
pub(super) fn of_row<'a>(row: &[&'a [u8]]) -> Option<Declared<'a>> {
    let (kind, ends) = row.split_first()?;
    let kind = match &*kind.to_ascii_lowercase() {
        b"disulf" => LinkKind::Disulfide,
        b"metalc" => LinkKind::Metal,
        kind if kind.starts_with(b"covale") => LinkKind::Covalent,
        _ => return None,
    };
    let end = |of: &[&'a [u8]]| {
        let &[chain, asym, number, seq, icode, residue, component, atom, symmetry] = of else { return None };
        let one_of = |author: &'a [u8], label: &'a [u8]| if author.is_empty() { label } else { author };
        let number = integer(one_of(number, seq))?;
        let own = LinkEnd { chain: one_of(chain, asym), number, icode, residue: one_of(residue, component), atom };
        Some((own, symmetry))
    };
    let ends = ends.split_at_checked(9)?;
    let ((a, symmetry_of_a), (b, symmetry_of_b)) = (end(ends.0)?, end(ends.1)?);
    Some(Declared { kind, ends: [a, b], is_within: are_of_one_copy(symmetry_of_a, symmetry_of_b) })
}

/// Whether two symmetry operators are the same. That which is not given is the identity.
pub(super) fn are_of_one_copy(a: &[u8], b: &[u8]) -> bool {
    let [a, b] = [a, b].map(|operator| if matches!(operator, b"" | b"1555") { b"1_555" } else { operator });
    a == b
}

/// An end, by its names: chain, number, insertion code, residue, atom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    pub(super) chain: Box<str>,
    pub(super) number: i32,
    pub(super) icode: Box<str>,
    pub(super) residue: Box<str>,
    pub(super) atom: Box<str>,
}

impl End {
    fn of(end: &LinkEnd<'_>) -> Self {
        let [chain, icode, residue, atom] =
            [end.chain, end.icode, end.residue, end.atom].map(|text| text_of(text).into());
        Self { chain, number: end.number, icode, residue, atom }
    }

    fn is_of_residue(&self, other: &Self) -> bool {
        (&self.chain, self.number, &self.icode, &self.residue)
            == (&other.chain, other.number, &other.icode, &other.residue)
    }
}

/// The bonds between residues that a file declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Links {
    pub(super) within: Vec<(LinkKind, [End; 2])>,
    /// The number of those that lead to another copy in the crystal.
    pub(super) to_copies: usize,
}

impl Links {
    /// Whether there is one.
    pub(super) fn are_some(&self) -> bool {
        self.to_copies > 0 || !self.within.is_empty()
    }

    fn push(&mut self, declared: &Declared<'_>) {
        if declared.is_within {
            self.within.push((declared.kind, declared.ends.each_ref().map(End::of)));
        } else {
            self.to_copies += 1;
        }
    }

    /// Those of mmCIF and BinaryCIF.
    pub(super) fn of_tables(tables: &Tables) -> Self {
        let mut links = Self::default();
        for row in tables.rows(STRUCT_CONN) {
            let texts: Vec<String> = row.iter().map(|cell| cell.text()).collect();
            let values: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
            of_row(&values).iter().for_each(|declared| links.push(declared));
        }
        links
    }

    /// Those of a PDB file. `CONECT` names atoms of the first model by their numbers, and bonds within residues, too, which are left out.
    pub(super) fn of_pdb(text: &[u8]) -> Self {
        let (mut links, mut records) = (Self::default(), pdb::Links::new(text));
        let mut pairs: BTreeSet<[i32; 2]> = BTreeSet::new();
        for (_, line) in lines(text) {
            match pdb::conect(line) {
                Some(bonds) => pairs.extend(bonds.map(|[a, b]| [a.min(b), a.max(b)])),
                None => records.of(line).iter().for_each(|declared| links.push(declared)),
            }
        }
        if pairs.is_empty() {
            return links;
        }
        let ends = ends_by_serial(text, &pairs.iter().flatten().copied().collect());
        let named = pairs
            .iter()
            .filter_map(|pair| Some(pair.map(|serial| ends.get(&serial))).filter(|ends| ends[0] != ends[1]));
        for ends in named {
            if let [Some(a), Some(b)] = ends
                && !a.is_of_residue(b)
            {
                links.within.push((LinkKind::Covalent, [a.clone(), b.clone()]));
            }
        }
        links
    }
}

/// The atoms of a PDB file's first model that have some numbers.
fn ends_by_serial(text: &[u8], wanted: &BTreeSet<i32>) -> HashMap<i32, End> {
    let mut records = pdb::Records::of_first_model(text);
    let mut ends = HashMap::new();
    for (at, line) in lines(text) {
        // Damaged records are reported where atoms are read.
        for atom in records.line(at, line).iter().flatten().flatten() {
            let serial = integer(atom.columns[6..11].trim_ascii()).filter(|serial| wanted.contains(serial));
            if let (Some(serial), Ok(number), Ok(name)) = (serial, atom.number(), atom.name()) {
                let id = &atom.place.id;
                let end = LinkEnd { chain: id.chain, number, icode: id.icode, residue: atom.residue(), atom: name };
                ends.entry(serial).or_insert_with(|| End::of(&end));
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_that_are_not_given_are_the_identity() {
        assert!(
            are_of_one_copy(b"", b"1_555") && are_of_one_copy(b"1555", b"1_555") && are_of_one_copy(b"2_655", b"2_655")
        );
        assert!(!are_of_one_copy(b"1_555", b"2_655") && !are_of_one_copy(b"", b"3_555"));
    }

    #[test]
    fn rows_without_the_authors_names_have_those_of_labels() {
        let mut row = [&b""[..]; ITEMS.len()];
        let set = |row: &mut [&[u8]; ITEMS.len()], item: &str, value: &'static str| {
            row[ITEMS.iter().position(|own| *own == item).unwrap()] = value.as_bytes();
        };
        for (item, value) in [
            ("conn_type_id", "covale1"),
            ("ptnr1_label_asym_id", "A"),
            ("ptnr1_label_seq_id", "7"),
            ("ptnr1_label_comp_id", "CYS"),
            ("ptnr1_label_atom_id", "SG"),
            ("ptnr2_auth_asym_id", "B"),
            ("ptnr2_label_asym_id", "C"),
            ("ptnr2_auth_seq_id", "301"),
            ("ptnr2_label_comp_id", "LIG"),
            ("ptnr2_label_atom_id", "C1"),
        ] {
            set(&mut row, item, value);
        }
        let declared = of_row(&row).unwrap();
        let names = declared.ends.map(|end| (text_of(end.chain), end.number, text_of(end.residue), text_of(end.atom)));
        let expected = [("A", 7, "CYS", "SG"), ("B", 301, "LIG", "C1")];
        assert_eq!(names, expected.map(|(a, b, c, d)| (a.to_owned(), b, c.to_owned(), d.to_owned())));
        assert!(declared.is_within && declared.kind == LinkKind::Covalent);
        set(&mut row, "ptnr2_symmetry", "4_565");
        assert!(!of_row(&row).unwrap().is_within);
        set(&mut row, "conn_type_id", "hydrog");
        assert!(of_row(&row).is_none());
    }
}
