//! The atoms of a structure that was read before, as they come from a file.

use prism_read::structure::{AtomLabel, StructureInput};
use prism_read::{AtomRecord, Problem, SystemContents};

/// Passes on the atoms of all residues: those with rows, then others where the structure has them. Water and hydrogens are in none.
pub(super) fn each_atom(structure: &StructureInput, into: &mut dyn SystemContents) -> Result<(), Problem> {
    for row in 0..structure.n_rows() {
        let own = structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize;
        let of = Owner {
            chain: &structure.chains[structure.chain_ids[row] as usize],
            number: structure.residue_numbers[row],
            icode: &structure.insertion_codes[row],
            name: structure.resname(row),
            is_hetatm: false,
        };
        structure.atom_labels[own].iter().try_for_each(|label| into.atom(of.record(label)))?;
    }
    let Some(others) = structure.hetero.as_deref() else { return Ok(()) };
    for residue in &others.residues {
        let Some(number) = residue.number else { continue };
        let (chain, icode, name) = (&residue.chain, &residue.icode, &residue.name);
        let of = Owner { chain, number, icode, name, is_hetatm: true };
        others.labels[residue.atoms.clone()].iter().try_for_each(|label| into.atom(of.record(label)))?;
    }
    Ok(())
}

/// A residue.
struct Owner<'a> {
    chain: &'a str,
    number: i32,
    icode: &'a str,
    name: &'a str,
    is_hetatm: bool,
}

impl Owner<'_> {
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
