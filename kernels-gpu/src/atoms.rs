//! The kernel of heavy atoms: one block a structure. It prepares what the fused kernel puts into rows.
//!
//! It stands by itself because it wants other resources: many warps with few registers, and a list for each of them.
//! Data flows one way: [`cells`] sorts atoms by place, [`surface`] counts around each, [`residues`] adds up.

mod cells;
mod residues;
mod surface;

use crate::scratch::{AtomSurface, CellWords, ResidueExposure};
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, SpherePoint};

/// Threads that work on an atom's depth or a residue's contacts together.
const TEAM: u32 = 8;
const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;

/// The inputs of one structure.
struct Inputs<'a> {
    /// The structure's own.
    atoms: &'a [Atom],
    /// Those that follow are the batch's.
    residue_types: &'a [u8],
    chain_ids: &'a [u32],
    residue_atoms: &'a [u32],
    structure: BatchStructureDesc,
}

impl Inputs<'_> {
    /// Atom `i` of the structure.
    #[inline]
    fn atom(&self, i: u32) -> Atom {
        self.atoms.at(i)
    }

    /// Where residue `i` lies in the batch.
    #[inline]
    fn row(&self, i: u32) -> u32 {
        self.structure.ca_offset + i
    }

    /// Tabulated kind of residue `i`.
    #[inline]
    fn kind(&self, i: u32) -> u32 {
        u32::from(self.residue_types.at(self.row(i)))
    }

    /// Residue `i`'s atoms: from the first to before the second, of `n` residues.
    #[inline]
    fn atoms_of(&self, i: u32, n: u32) -> (u32, u32) {
        let end = if i + 1 < n { self.residue_atoms.at(self.row(i + 1)) } else { self.structure.n_atoms };
        (self.residue_atoms.at(self.row(i)), end)
    }

    /// The residue of `n` that an atom is part of.
    #[inline]
    fn residue_of(&self, atom: u32, n: u32) -> u32 {
        // The last residue that begins at the atom or before.
        let (mut low, mut high) = (0, n);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.residue_atoms.at(self.row(middle)) <= atom {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Whether two residues are of one chain.
    #[inline]
    fn same_chain(&self, i: u32, j: u32) -> bool {
        self.chain_ids.at(self.row(i)) == self.chain_ids.at(self.row(j))
    }
}

/// Computes what residues have of the structure's heavy atoms: block `i` takes structure `i`.
///
/// - `exposure`: an element a residue.
/// - `atoms`, `descriptors`, `residue_types`, `chain_ids`: as in the fused kernel.
/// - `residue_atoms`: the residue's first atom, counted from the structure's first atom; residues have their atoms
///   one after the other.
/// - `points`: the test points on an atom's sphere.
/// - `sorted`, `cells`, `surface`, `depths`: scratch, one element a heavy atom.
#[kernel(threads = 256, blocks_per_sm = 4, requires(!points.is_empty()))]
pub fn atom_surfaces_prism4d(
    block: &mut Block,
    exposure: &mut Segment<ResidueExposure>,
    atoms: &[Atom],
    descriptors: &[BatchStructureDesc],
    residue_types: &[u8],
    chain_ids: &[u32],
    residue_atoms: &[u32],
    points: &[SpherePoint],
    sorted: &mut Segment<Atom>,
    cells: &mut Segment<CellWords>,
    surface: &mut Segment<AtomSurface>,
    depths: &mut Segment<f32>,
    frame: &mut Shared<cells::Frame, 1>,
    neighbours: &mut Shared<[f32; 4], { WARPS * surface::NEIGHBOURS }>,
    alive: &mut Shared<SpherePoint, { WARPS * surface::POINTS }>,
) {
    let structure = descriptors.at(block.index());
    let atoms = atoms.part(structure.atom_offset, structure.n_atoms);
    let inputs = Inputs { atoms, residue_types, chain_ids, residue_atoms, structure };
    let (n, n_atoms) = (exposure.len(), structure.n_atoms);
    let mut words = cells.whole();
    let mut words = words.flatten();
    let around_all = cells::frame(block, n_atoms, |i| inputs.atom(i));
    let frame = frame.fill(block, 1, |_| around_all);
    let cells = cells::sort(block, n_atoms, |i| inputs.atom(i), &mut words, sorted, &frame);
    let counted = sorted.view(n_atoms);
    surface.fill_by_warp_with(block, n_atoms, (neighbours, alive), |warp, neighbours, alive, i| {
        surface::count(warp, neighbours, alive, inputs.atom(i), &cells, counted, points)
    });
    let surface = surface.view(n_atoms);
    // From here on a radius says whether an atom has accessible area.
    sorted.update(block, n_atoms, |k, atom| {
        atom.radius = if surface.get(cells.order.get(k)).exposed > 0 { 1.0 } else { 0.0 };
    });
    let sorted = sorted.view(n_atoms);
    depths.fill_by_team::<TEAM>(block, n_atoms, |team, i| {
        residues::depth(team, inputs.atom(i), surface.get(i).exposed > 0, &cells, sorted)
    });
    let depths = depths.view(n_atoms);
    let n_points = points.len() as u32;
    exposure.fill_by_team::<TEAM>(block, n, |team, i| {
        let contacts = residues::contacts(team, &inputs, n, i, &cells, sorted);
        residues::exposure(&inputs, n, i, contacts, n_points, surface, depths)
    });
}
