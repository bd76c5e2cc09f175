//! The atoms of a structure that was read before, and the bonds that its file declares, as they come from a file.

use prism_read::structure::{AtomLabel, AtomPlace, Hetero, HeteroResidue, StructureInput};
use prism_read::{AtomRecord, LinkEnd, Problem, SystemContents};

/// Passes on the atoms of all residues: those with rows, then others where the structure has them. Water and hydrogens are in none. Bonds
/// between residues that the file declares follow.
pub(super) fn each_atom(structure: &StructureInput, into: &mut dyn SystemContents) -> Result<(), Problem> {
    for row in 0..structure.n_rows() {
        let own = structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize;
        let of = Owner::of_row(structure, row);
        structure.atom_labels[own].iter().try_for_each(|label| into.atom(of.record(label)))?;
    }
    let Some(others) = structure.hetero.as_deref() else { return Ok(()) };
    for residue in &others.residues {
        let Some(of) = Owner::of_hetero(residue) else { continue };
        others.labels[residue.atoms.clone()].iter().try_for_each(|label| into.atom(of.record(label)))?;
    }
    for bond in &others.bonds {
        if let [Some(a), Some(b)] = bond.ends.map(|place| end(structure, others, place)) {
            into.link(bond.kind, [a, b]);
        }
    }
    Ok(())
}

/// An atom as the end of a bond.
fn end<'a>(structure: &'a StructureInput, others: &'a Hetero, place: AtomPlace) -> Option<LinkEnd<'a>> {
    let (owner, label) = match place {
        AtomPlace::Row(atom) => {
            let row = structure.residue_atoms.partition_point(|&begin| begin as usize <= atom).checked_sub(1)?;
            (Owner::of_row(structure, row), structure.atom_labels.get(atom)?)
        }
        AtomPlace::Hetero(atom) => {
            let residue = others.residues.partition_point(|residue| residue.atoms.end <= atom);
            (Owner::of_hetero(others.residues.get(residue)?)?, others.labels.get(atom)?)
        }
    };
    let [chain, icode, residue, atom] = [owner.chain, owner.icode, owner.name, label.name()].map(str::as_bytes);
    Some(LinkEnd { chain, number: owner.number, icode, residue, atom })
}

/// A residue.
struct Owner<'a> {
    chain: &'a str,
    number: i32,
    icode: &'a str,
    name: &'a str,
    is_hetatm: bool,
}

impl<'o> Owner<'o> {
    fn of_row(structure: &'o StructureInput, row: usize) -> Self {
        Self {
            chain: &structure.chains[structure.chain_ids[row] as usize],
            number: structure.residue_numbers[row],
            icode: &structure.insertion_codes[row],
            name: structure.resname(row),
            is_hetatm: false,
        }
    }

    /// `None` without a number.
    fn of_hetero(residue: &'o HeteroResidue) -> Option<Self> {
        let (chain, icode, name) = (&residue.chain, &residue.icode, &residue.name);
        Some(Self { chain, number: residue.number?, icode, name, is_hetatm: true })
    }

    fn record<'a>(&'a self, label: &'a AtomLabel) -> AtomRecord<'a> {
        AtomRecord {
            chain: self.chain.as_bytes(),
            number: self.number,
            icode: self.icode.as_bytes(),
            residue: self.name.as_bytes(),
            name: label.name().as_bytes(),
            element: label.element().as_bytes(),
            // One of several was chosen before.
            alternate: b"",
            position: label.position,
            b: f64::from(label.b_factor),
            occupancy: 1.0,
            is_hetatm: self.is_hetatm,
            serial: None,
            id: b"",
            label: None,
            is_water: false,
        }
    }
}
