//! Covalent bonds between ligands and residues with rows, by distance.

use super::{Rows, place};
use prism_read::elements::{self, Element};
use prism_read::structure::{AtomLabel, Hetero, StructureInput};

/// Atoms are bonded if they are closer than their covalent radii and this, in Å: the tolerance of Open Babel.
const TOLERANCE: f64 = 0.45;

/// A covalent bond of an atom without a row to one with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The row of the residue.
    pub row: usize,
    /// Its atom, counted from the structure's first.
    pub atom: usize,
    /// The other atom, counted from the first without a row.
    pub own: usize,
    /// Their distance in Å.
    pub distance: f64,
}

/// All bonds, in the order of the atoms without rows. Atoms of metals have none: they are coordinated.
pub(super) fn bonds(structure: &StructureInput, hetero: &Hetero, rows: &Rows) -> Vec<Bond> {
    let element = |label: &AtomLabel| elements::of_symbol(label.element).filter(|element| !element.is_metal);
    let longest = |a: &Element, b: &Element| f64::from(a.covalent + b.covalent) + TOLERANCE;
    let mut all = Vec::new();
    for (own, (atom, label)) in hetero.atoms.iter().zip(&hetero.labels).enumerate() {
        let Some(own_element) = element(label) else { continue };
        let mut near: Vec<(usize, f64)> = rows.grid.near(place(atom)).collect();
        near.sort_unstable_by_key(|(atom, _)| *atom);
        for (atom, distance2) in near {
            let Some(other) = structure.atom_labels.get(atom).and_then(element) else { continue };
            let distance = distance2.sqrt();
            if distance <= longest(own_element, other) {
                all.push(Bond { row: rows.row_of[atom], atom, own, distance });
            }
        }
    }
    all
}
