//! Bonds between ligands and other residues: those that the file declares, and those that distances show.

use super::{Rows, place};
use prism_read::LinkKind;
use prism_read::elements;
use prism_read::grid::Grid;
use prism_read::structure::{AtomLabel, AtomPlace, Hetero, StructureInput};
use std::collections::{BTreeMap, HashSet};

/// Two ligands with atoms that are closer, in Å, are alternatives of one ligand.
const TOO_NEAR: f64 = 1.0;

/// What says that there is a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The file, which declares it.
    File,
    /// The distance of the atoms.
    Distance,
    /// The file and the distance.
    Both,
}

impl Basis {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Distance => "distance",
            Self::Both => "both",
        }
    }
}

/// The atom at the other end of a ligand's bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Partner {
    /// Of a residue with a row.
    Row {
        /// The row.
        row: usize,
        /// The atom, counted from the structure's first.
        atom: usize,
    },
    /// Of another residue without a row.
    Ligand {
        /// Its place in [`Hetero::residues`].
        residue: usize,
        /// The atom, counted from the first without a row.
        atom: usize,
    },
}

/// A bond of an atom without a row to another residue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// What it is. Coordination of a metal is never found by distance.
    pub kind: LinkKind,
    /// The atom, counted from the first without a row.
    pub own: usize,
    /// The other atom.
    pub partner: Partner,
    /// Their distance in Å.
    pub distance: f64,
    /// What says that there is a bond.
    pub basis: Basis,
}

/// All bonds of all atoms without rows, in the order of these atoms, and then of their partners. A bond of two of them is there twice.
pub(super) fn bonds(structure: &StructureInput, hetero: &Hetero, rows: &Rows) -> Vec<Bond> {
    let mut residue_of = vec![0; hetero.atoms.len()];
    for (index, residue) in hetero.residues.iter().enumerate() {
        residue_of[residue.atoms.clone()].fill(index);
    }
    let mut all: BTreeMap<(usize, Partner), Bond> = BTreeMap::new();
    let mut add = |bond: Bond| {
        let of = |known: &mut Bond| {
            if known.basis != bond.basis {
                known.basis = Basis::Both
            }
        };
        all.entry((bond.own, bond.partner)).and_modify(of).or_insert(bond);
    };
    let partner = |place: AtomPlace| match place {
        AtomPlace::Row(atom) => Some(Partner::Row { row: *rows.row_of.get(atom)?, atom }),
        AtomPlace::Hetero(atom) => Some(Partner::Ligand { residue: *residue_of.get(atom)?, atom }),
    };
    for declared in &hetero.bonds {
        let [a, b] = declared.ends;
        for (own, other) in [(a, b), (b, a)] {
            if let (AtomPlace::Hetero(own), Some(partner)) = (own, partner(other)) {
                add(Bond { kind: declared.kind, own, partner, distance: declared.distance, basis: Basis::File });
            }
        }
    }
    let near = by_distance(structure, hetero, rows, &residue_of);
    let residues = |bond: &Bond| match bond.partner {
        Partner::Ligand { residue, .. } => Some([residue_of[bond.own], residue]),
        Partner::Row { .. } => None,
    };
    let alternatives: HashSet<[usize; 2]> =
        near.iter().filter(|bond| bond.distance < TOO_NEAR).filter_map(residues).collect();
    near.into_iter().filter(|bond| residues(bond).is_none_or(|pair| !alternatives.contains(&pair))).for_each(add);
    all.into_values().collect()
}

/// Covalent bonds by distance. Atoms of metals have none: they are coordinated.
fn by_distance(structure: &StructureInput, hetero: &Hetero, rows: &Rows, residue_of: &[usize]) -> Vec<Bond> {
    let element = |label: &AtomLabel| elements::of_symbol(label.element).filter(|element| !element.is_metal);
    let ligands = Grid::new(super::NEAR[0], hetero.atoms.iter().map(place));
    let of_atom = |own: usize| {
        let (at, own_element) = (place(&hetero.atoms[own]), element(&hetero.labels[own]));
        let of_rows = rows.grid.near(at).map(|(atom, distance2)| {
            let label = structure.atom_labels.get(atom);
            (Partner::Row { row: rows.row_of[atom], atom }, label, distance2.sqrt())
        });
        let of_ligands = ligands.near(at).map(|(atom, distance2)| {
            (Partner::Ligand { residue: residue_of[atom], atom }, hetero.labels.get(atom), distance2.sqrt())
        });
        let is_other = |(partner, ..): &(Partner, Option<&AtomLabel>, f64)| !matches!(partner, Partner::Ligand { residue, .. } if *residue == residue_of[own]);
        let bond = |(partner, label, distance): (Partner, Option<&AtomLabel>, f64)| {
            let (own_element, other) = (own_element?, element(label?)?);
            let are_sulfurs = hetero.labels[own].element() == "S" && label?.element() == "S";
            let kind = LinkKind::Covalent.of_atoms(false, are_sulfurs);
            (distance <= own_element.longest_bond(other)).then_some(Bond {
                kind,
                own,
                partner,
                distance,
                basis: Basis::Distance,
            })
        };
        of_rows.chain(of_ligands).filter(is_other).filter_map(bond).collect::<Vec<_>>()
    };
    (0..hetero.atoms.len()).flat_map(of_atom).collect()
}
