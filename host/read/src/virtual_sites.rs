//! Virtual sites of coarse-grained models: alpha carbons that lie on a bead.
//!
//! Martini's Gō models have one at the backbone's bead of each residue, under the residue's number, after all beads of the molecule. They
//! have no mass and are no other model of it.

use super::draft::Draft;
use shared_types::NO_CA;
use std::collections::HashMap;

/// The square of the farthest distance in Å of a site from its bead: coordinates are rounded.
const SAME_PLACE2: f64 = 0.05 * 0.05;

impl Draft {
    /// Leaves out rows that are the virtual site of a row before.
    pub(super) fn drop_virtual_sites(&mut self) {
        if self.restarts.is_empty() {
            return;
        }
        let s = &self.structure;
        let identity =
            |row: usize| (s.chain_ids[row], s.residue_numbers[row], &*s.insertion_codes[row], self.names[row]);
        let mut beads = HashMap::new();
        let mut kept = Vec::with_capacity(s.n_residues());
        for row in 0..s.n_residues() {
            let atoms = self.atoms_of(row);
            let ca = s.ca_indices[row];
            let of_bead = |bead: &usize| {
                let site = &self.atoms[atoms.start];
                self.atoms_of(*bead).any(|atom| {
                    (0..3).map(|axis| (self.atoms[atom][axis] - site[axis]).powi(2)).sum::<f64>() < SAME_PLACE2
                })
            };
            if ca == NO_CA {
                beads.insert(identity(row), row);
            } else if atoms.len() == 1 && beads.get(&identity(row)).is_some_and(of_bead) {
                continue;
            }
            kept.push(row);
        }
        let sites = s.n_residues() - kept.len();
        if sites > 0 {
            *self = self.rows(&kept);
            self.tally.pseudo_atoms += sites;
        }
    }
}
