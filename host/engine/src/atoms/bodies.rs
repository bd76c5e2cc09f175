//! Chains with their ligands, whose atoms bury each other.

use super::{AtomOptions, AtomsError, Owner, Surface, surfaces};
use crate::Engine;
use prism_read::grid::Grid;
use prism_read::structure::{Hetero, StructureInput};
use shared_types::Atom;
use std::collections::BTreeSet;

/// The chains of atoms: those with rows, and those of residues without rows by their author's ids.
pub(super) struct Bodies {
    pub(super) names: Vec<String>,
    /// The chain of each atom.
    of_atoms: Vec<usize>,
}

impl Bodies {
    pub(super) fn of(structure: &StructureInput, hetero: &Hetero, atoms: &[(Owner, usize, Atom)]) -> Self {
        let mut names: Vec<String> = Vec::new();
        let of_atoms = atoms
            .iter()
            .map(|(owner, ..)| {
                let name = match owner {
                    Owner::Row(row) => &*structure.chains[structure.chain_ids[*row] as usize],
                    Owner::Hetero(place) => &*hetero.residues[*place].chain,
                };
                names.iter().rposition(|own| own == name).unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                })
            })
            .collect();
        Self { names, of_atoms }
    }

    /// The surface of all atoms together, the area of each with its chain alone, and the chains that cover some of it.
    #[expect(clippy::type_complexity, reason = "three results of one computation")]
    pub(super) fn areas(
        &self,
        engine: &Engine,
        structure: &StructureInput,
        atoms: &[Atom],
        options: &AtomOptions,
    ) -> Result<(Surface, Vec<f32>, Vec<Vec<usize>>), AtomsError> {
        let pairs = self.touching(atoms, options.probe);
        let members: Vec<Vec<usize>> = (0..self.names.len())
            .map(|body| (0..atoms.len()).filter(|&atom| self.of_atoms[atom] == body).collect())
            .collect();
        let both = |&[a, b]: &[usize; 2]| [&members[a][..], &members[b][..]].concat();
        // A single chain is all there is.
        let groups: Vec<Vec<usize>> = match self.names.len() {
            0 | 1 => Vec::new(),
            _ => members.iter().cloned().chain(pairs.iter().map(both)).collect(),
        };
        let sets: Vec<Vec<Atom>> = std::iter::once(atoms.to_vec())
            .chain(groups.iter().map(|group| group.iter().map(|&atom| atoms[atom]).collect()))
            .collect();
        let mut computed = surfaces(engine, structure, &sets, options)?.into_iter();
        let whole = computed.next().unwrap_or_else(|| Surface { areas: Vec::new(), depths: Vec::new() });
        let mut alone = whole.areas.clone();
        let mut covering = vec![Vec::new(); atoms.len()];
        for (index, (group, surface)) in groups.iter().zip(computed).enumerate() {
            match index.checked_sub(self.names.len()) {
                None => group.iter().zip(surface.areas).for_each(|(&atom, area)| alone[atom] = area),
                Some(pair) => {
                    let [a, b] = pairs[pair];
                    for (&atom, together) in group.iter().zip(surface.areas) {
                        if together < alone[atom] {
                            covering[atom].push(if self.of_atoms[atom] == a { b } else { a });
                        }
                    }
                }
            }
        }
        covering.iter_mut().for_each(|bodies| bodies.sort_unstable());
        Ok((whole, alone, covering))
    }

    /// Pairs of chains with atoms so close that they may cover each other.
    fn touching(&self, atoms: &[Atom], probe: f32) -> Vec<[usize; 2]> {
        if self.names.len() < 2 {
            return Vec::new();
        }
        let place = |atom: &Atom| [atom.x, atom.y, atom.z].map(f64::from);
        let largest = atoms.iter().map(|atom| atom.radius).fold(0.0, f32::max);
        let grid = Grid::new(f64::from(2.0 * (largest + probe)), atoms.iter().map(place));
        let mut pairs = BTreeSet::new();
        for (atom, body) in atoms.iter().zip(&self.of_atoms) {
            let near = grid.near(place(atom)).map(|(other, _)| self.of_atoms[other]);
            pairs.extend(near.filter(|other| other > body).map(|other| [*body, other]));
        }
        pairs.into_iter().collect()
    }
}
