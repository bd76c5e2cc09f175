//! Cyclic chains: which residues their closing bonds make neighbours.

use super::{Composition, StructureInput};
use shared_types::Atom;
use shared_types::backbone::{NO_ATOM, NOT_CLOSED, RoleAtoms};

/// Longest bond of C and N in Å.
const BOND: f32 = 2.0;

/// Residues of the smallest cyclic chain. Two residues may be bonded twice, but then each is the other's neighbour in rows already.
const SMALLEST: usize = 3;

/// What decides about closing bonds, besides positions.
struct Ends {
    /// The first and last rows of chains that are long enough.
    chains: Vec<(usize, usize)>,
    /// Whether the composition has closures already, and none is closed.
    are_open: bool,
}

impl Ends {
    fn of(composition: &Composition) -> Self {
        let n_rows = composition.n_rows();
        let mut ends: Vec<Option<(usize, usize)>> = vec![None; composition.chains.len()];
        for (row, &chain) in composition.chain_ids[..n_rows].iter().enumerate() {
            if let Some(ends) = ends.get_mut(chain as usize) {
                ends.get_or_insert((row, row)).1 = row;
            }
        }
        let is_long = |&(first, last): &(usize, usize)| last - first + 1 >= SMALLEST;
        let closures = &composition.closures;
        let are_open = closures.len() == composition.n_residues() && closures.iter().all(|&row| row == NOT_CLOSED);
        Self { chains: ends.into_iter().flatten().filter(is_long).collect(), are_open }
    }
}

impl StructureInput {
    /// Sets [`closures`](super::Composition::closures): in chains whose last residue's C is bonded to the first one's N, the ends point
    /// at each other.
    ///
    /// ```
    /// use prism_read::{ReadOptions, read_path};
    ///
    /// let mut rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
    /// rbd.find_closures();
    /// assert!(rbd.closures.iter().all(|&row| row == shared_types::backbone::NOT_CLOSED), "a linear chain");
    /// # Ok::<(), prism_read::ReadError>(())
    /// ```
    pub fn find_closures(&mut self) {
        let Ends { chains, are_open } = self.composition.derived.get_or_init(|| Ends::of(&self.composition));
        let is_cyclic = |&&(first, last): &&(usize, usize)| self.are_bonded(last, first);
        let cyclic: Vec<(usize, usize)> = chains.iter().filter(is_cyclic).copied().collect();
        // As for most structures, and so for each frame of their trajectories.
        if cyclic.is_empty() && *are_open {
            return;
        }
        let mut closures = vec![NOT_CLOSED; self.n_residues()];
        for (first, last) in cyclic {
            (closures[first], closures[last]) = (last as u32, first as u32);
        }
        // Frames of a trajectory keep the composition that they share.
        if self.closures != closures {
            self.closures = closures;
        }
    }

    /// Whether C of a residue is bonded to N of another one.
    fn are_bonded(&self, before: usize, after: usize) -> bool {
        let roles = |row: usize| self.roles.get(row).map_or(RoleAtoms::NONE, |words| RoleAtoms::of_words(*words));
        let atom = |row: usize, role: u8| -> Option<&Atom> {
            self.atoms.get(self.residue_atoms[row] as usize + usize::from(role)).filter(|_| role != NO_ATOM)
        };
        let (Some(c), Some(n)) = (atom(before, roles(before).c), atom(after, roles(after).n)) else { return false };
        (c.x - n.x).powi(2) + (c.y - n.y).powi(2) + (c.z - n.z).powi(2) <= BOND * BOND
    }
}
