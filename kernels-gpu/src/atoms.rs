//! The kernels of heavy atoms, which prepare what others put into rows.
//!
//! They stand by themselves because they want other resources: many warps with few registers, and a list for each of
//! them. Data flows one way: [`cells`] sorts a structure's atoms by place, [`surface`] counts around each, [`residues`]
//! adds up. But for the first, blocks take a few hundred elements of a structure, an [`Item`], so that the time follows
//! the number of atoms, however they are spread over structures.

mod cells;
mod residues;
mod surface;

pub use cells::Frame;

use crate::scratch::{AtomSurface, CellWords, Item, ResidueExposure};
use cells::Cells;
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

/// Sorts the heavy atoms of every structure of at most `largest` atoms into cells: block `i` takes structure `i`.
///
/// - `frames`: one a structure.
/// - `sorted`, `cells`: one element a heavy atom.
/// - `atoms`, `descriptors`: as in the fused kernel.
#[kernel(threads = 256, blocks_per_sm = 4)]
pub fn atom_cells_prism4d(
    block: &mut Block,
    frames: &mut Segment<Frame>,
    sorted: &mut Segment<Atom>,
    cells: &mut Segment<CellWords>,
    atoms: &[Atom],
    descriptors: &[BatchStructureDesc],
    frame: &mut Shared<Frame, 1>,
    largest: u32,
) {
    if sorted.len() <= largest {
        sort(block, frames, sorted, cells, atoms, descriptors, frame);
    }
}

/// As [`fn@atom_cells_prism4d`], for structures of more than `largest` atoms.
#[kernel(threads = 1024, blocks_per_sm = 1)]
pub fn large_atom_cells_prism4d(
    block: &mut Block,
    frames: &mut Segment<Frame>,
    sorted: &mut Segment<Atom>,
    cells: &mut Segment<CellWords>,
    atoms: &[Atom],
    descriptors: &[BatchStructureDesc],
    frame: &mut Shared<Frame, 1>,
    largest: u32,
) {
    if sorted.len() > largest {
        sort(block, frames, sorted, cells, atoms, descriptors, frame);
    }
}

#[inline(always)]
fn sort(
    block: &mut Block,
    frames: &mut Segment<Frame>,
    sorted: &mut Segment<Atom>,
    cells: &mut Segment<CellWords>,
    atoms: &[Atom],
    descriptors: &[BatchStructureDesc],
    frame: &mut Shared<Frame, 1>,
) {
    let (structure, n) = (descriptors.at(block.index()), sorted.len());
    let atoms = atoms.part(structure.atom_offset, n);
    let around_all = cells::frame(block, n, |i| atoms.at(i));
    frames.set(block, 0, around_all);
    let frame = frame.fill(block, 1, |_| around_all);
    let mut words = cells.whole();
    cells::sort(block, n, |i| atoms.at(i), &mut words.flatten(), sorted, &frame);
}

/// Counts around every heavy atom what is exposed of it and how many others are near: block `i` takes the atoms of item
/// `i`, as they are sorted.
///
/// - `surface`: one element a heavy atom, as they are sorted.
/// - `sorted`, `cells`, `frames`: what [`fn@atom_cells_prism4d`] found.
/// - `points`: the test points on an atom's sphere.
#[kernel(threads = 256, blocks_per_sm = 4, requires(!points.is_empty()))]
pub fn atom_surfaces_prism4d(
    block: &mut Block,
    surface: &mut Segment<AtomSurface>,
    items: &[Item],
    descriptors: &[BatchStructureDesc],
    sorted: &[Atom],
    cells: &[CellWords],
    frames: &[Frame],
    points: &[SpherePoint],
    frame: &mut Shared<Frame, 1>,
    neighbours: &mut Shared<[f32; 4], { WARPS * surface::NEIGHBOURS }>,
    alive: &mut Shared<SpherePoint, { WARPS * surface::POINTS }>,
) {
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(cells.part(item.atoms, n).as_flattened(), n, &frame);
    let sorted = View::of(sorted.part(item.atoms, n));
    let count = surface.len();
    surface.fill_by_warp_with(block, count, (neighbours, alive), |warp, neighbours, alive, at| {
        surface::count(warp, neighbours, alive, sorted.get(item.first.wrapping_add(at)), &cells, sorted, points)
    });
}

/// Adds up what residues have of their heavy atoms: block `i` takes the residues of item `i`.
///
/// - `exposure`: one element a residue.
/// - `depths`: scratch, one element a heavy atom; an item's segment has its residues' atoms.
/// - `surface`: what [`fn@atom_surfaces_prism4d`] found with `points` test points.
/// - `residue_atoms`: the residue's first atom, counted from the structure's first atom; residues have their atoms one
///   after the other.
/// - The others are as in the fused kernel, and as [`fn@atom_cells_prism4d`] left them.
#[kernel(threads = 256, blocks_per_sm = 3)]
pub fn residue_exposure_prism4d(
    block: &mut Block,
    exposure: &mut Segment<ResidueExposure>,
    depths: &mut Segment<f32>,
    items: &[Item],
    atoms: &[Atom],
    descriptors: &[BatchStructureDesc],
    residue_types: &[u8],
    chain_ids: &[u32],
    residue_atoms: &[u32],
    sorted: &[Atom],
    cells: &[CellWords],
    frames: &[Frame],
    surface: &[AtomSurface],
    frame: &mut Shared<Frame, 1>,
    points: u32,
) {
    let item = items.at(block.index());
    let structure = descriptors.at(item.structure);
    let (n, n_atoms) = (structure.n_residues, structure.n_atoms);
    let atoms = atoms.part(structure.atom_offset, n_atoms);
    let inputs = Inputs { atoms, residue_types, chain_ids, residue_atoms, structure };
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(cells.part(item.atoms, n_atoms).as_flattened(), n_atoms, &frame);
    let sorted = View::of(sorted.part(item.atoms, n_atoms));
    let surface = View::of(surface.part(item.atoms, n_atoms));
    let first_atom = depths.start() - item.atoms;
    let own_atoms = depths.len();
    depths.fill_by_team::<TEAM>(block, own_atoms, |team, at| {
        residues::depth(team, cells.place.get(first_atom.wrapping_add(at)), &cells, sorted, surface)
    });
    let depths = depths.view(own_atoms);
    let rows = exposure.len();
    exposure.fill_by_team::<TEAM>(block, rows, |team, at| {
        let i = item.first.wrapping_add(at);
        let contacts = residues::contacts(team, &inputs, n, i, &cells, sorted);
        let (surface, depth) =
            (|own| surface.get(cells.place.get(own)), |own: u32| depths.get(own.wrapping_sub(first_atom)));
        residues::exposure(&inputs, n, i, contacts, points, surface, depth)
    });
}
