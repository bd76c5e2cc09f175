//! The kernels over heavy atoms. Other kernels put their results into rows.
//!
//! They are separate kernels because their resource needs differ: many warps with few registers, and a list per warp.
//! Data flows one way. [`cells`] sorts a structure's atoms into a grid. [`surface`] counts exposed points and neighbours of
//! each atom, and [`depth`] finds its distance to the surface. [`contacts`] counts contacts of residues, and [`residues`]
//! adds everything up for each residue. In all but the first kernel a block takes a [`WorkItem`](crate::items::WorkItem): a few hundred elements
//! of one structure. So the time follows the number of atoms, not the sizes of the structures.

pub(crate) mod cells;
mod contacts;
mod depth;
mod neighbours;
mod residues;
mod surface;

use crate::groups::{AtomItems, CountedAtoms, MadeCells, OwnedAtoms, ResidueItems, SortedAtoms, UnsortedAtoms};
use crate::items::{ATOMS_PER_ITEM, RESIDUES_PER_ITEM};
use crate::scratch::{AtomSurface, CellWords, ResidueExposure};
use cells::{Cells, Frame};
use contacts::Pair;
use cuda_std::lists::*;
use cuda_std::math::{larger, smaller};
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, PointGroup, Steps};

/// Radius of the probe in Å: a water molecule.
const PROBE: f32 = 1.4;
/// Threads of the blocks that count around atoms.
const THREADS: usize = 192;
const WARPS: usize = THREADS / 32;

#[inline(always)]
fn distance2(a: Atom, b: Atom) -> f32 {
    square([b.x - a.x, b.y - a.y, b.z - a.z])
}

/// The smaller of two numbers that are not NaN.
#[inline(always)]
#[expect(
    clippy::disallowed_methods,
    reason = "one instruction on a device; results do not depend on the sign of a zero"
)]
fn lower(a: f32, b: f32) -> f32 {
    if cfg!(target_arch = "nvptx64") { a.min(b) } else { smaller(a, b) }
}

/// The larger of two numbers that are not NaN.
#[inline(always)]
#[expect(
    clippy::disallowed_methods,
    reason = "one instruction on a device; results do not depend on the sign of a zero"
)]
fn higher(a: f32, b: f32) -> f32 {
    if cfg!(target_arch = "nvptx64") { a.max(b) } else { larger(a, b) }
}

/// The squared length of a vector.
#[inline(always)]
fn square([x, y, z]: [f32; 3]) -> f32 {
    math::fma(x, x, math::fma(y, y, z * z))
}

/// The inputs of one structure.
#[derive(Clone, Copy)]
struct Inputs<'a> {
    // Of the whole batch.
    atoms: &'a [Atom],
    chain_ids: Clamped<'a, u32>,
    residue_atoms: &'a [u32],
    descriptors: &'a [BatchStructureDesc],
    /// The structure's index in the batch.
    index: u32,
}

impl<'a> Inputs<'a> {
    #[inline(always)]
    fn new(
        atoms: &'a [Atom],
        chain_ids: &'a [u32],
        residue_atoms: &'a [u32],
        descriptors: &'a [BatchStructureDesc],
        index: u32,
    ) -> Self {
        Self { atoms, chain_ids: View::of(chain_ids).clamped(), residue_atoms, descriptors, index }
    }
}

impl Inputs<'_> {
    /// The structure's descriptor. It is read again at each use, which takes fewer registers than to keep it.
    #[inline]
    fn structure(&self) -> BatchStructureDesc {
        self.descriptors.at(self.index)
    }

    /// Atom `i` of the structure.
    #[inline]
    fn atom(&self, i: u32) -> Atom {
        self.atoms.at(self.structure().atom_offset + i)
    }

    /// Its atoms.
    #[inline(always)]
    fn all(&self) -> Clamped<'_, Atom> {
        let structure = self.structure();
        View::of(self.atoms.part(structure.atom_offset, structure.n_atoms)).clamped()
    }

    /// The row of residue `i` in the batch.
    #[inline]
    fn row(&self, i: u32) -> u32 {
        self.structure().ca_offset.wrapping_add(i)
    }

    /// The range of residue `i`'s atoms: the first one, and the one behind the last.
    #[inline]
    fn atoms_of(&self, i: u32) -> (u32, u32) {
        let is_last = i + 1 >= self.structure().n_residues;
        let end = if is_last { self.structure().n_atoms } else { self.residue_atoms.at(self.row(i + 1)) };
        (self.residue_atoms.at(self.row(i)), end)
    }

    /// The residue of an atom.
    #[inline]
    #[cfg(target_arch = "nvptx64")]
    fn residue_of(&self, atom: u32) -> u32 {
        // Binary search for the last residue that begins at the atom or before it, with as many steps for every atom.
        let (mut low, mut n) = (0, self.structure().n_residues);
        while n > 1 {
            let half = n / 2;
            low += if self.residue_atoms.at(self.row(low + half)) <= atom { half } else { 0 };
            n -= half;
        }
        low
    }

    /// The first and last of the residues whose contacts with residue `i` do not count: itself, and those in the rows beside
    /// it that are in its chain.
    #[inline(always)]
    fn beside(&self, i: u32) -> (u32, u32) {
        let chain = self.chain(i);
        let before = (i > 0) & (self.chain(i.wrapping_sub(1)) == chain);
        let after = (i + 1 < self.structure().n_residues) & (self.chain(i + 1) == chain);
        (i - u32::from(before), i + u32::from(after))
    }

    /// The chain of a residue.
    #[inline]
    fn chain(&self, i: u32) -> u32 {
        self.chain_ids.get(self.row(i))
    }
}

/// Sorts the heavy atoms of every structure of at most `largest` atoms into cells: block `i` takes structure `i`.
#[kernel(threads = 256, blocks_per_sm = 4)]
pub fn atom_cells(
    block: &mut Block,
    made: MadeCells<'_>,
    unsorted: UnsortedAtoms<'_>,
    frame: &mut Shared<Frame, 1>,
    largest: u32,
) {
    enum Here {}
    let MadeCells { frames, sorted, cells, owners } = made;
    let UnsortedAtoms { atoms, descriptors, chain_ids, residue_atoms } = unsorted;
    let index = block.index();
    let structure = descriptors.at(index);
    if structure.n_atoms <= largest {
        let inputs = Inputs::new(atoms, chain_ids, residue_atoms, descriptors, index);
        sort::<Here>(block, &inputs, frames, sorted, cells, owners, frame);
    }
}

/// As [`fn@atom_cells`], for structures of more than `largest` atoms.
#[kernel(threads = 1024, blocks_per_sm = 1)]
pub fn large_atom_cells(
    block: &mut Block,
    made: MadeCells<'_>,
    unsorted: UnsortedAtoms<'_>,
    frame: &mut Shared<Frame, 1>,
    largest: u32,
) {
    enum Here {}
    let MadeCells { frames, sorted, cells, owners } = made;
    let UnsortedAtoms { atoms, descriptors, chain_ids, residue_atoms } = unsorted;
    let index = block.index();
    let structure = descriptors.at(index);
    if structure.n_atoms > largest {
        let inputs = Inputs::new(atoms, chain_ids, residue_atoms, descriptors, index);
        sort::<Here>(block, &inputs, frames, sorted, cells, owners, frame);
    }
}

#[inline(always)]
fn sort<V>(
    block: &mut Block,
    inputs: &Inputs,
    frames: &mut Segment<Frame>,
    sorted: &mut Segment<Atom>,
    cells: &mut Segment<CellWords>,
    owners: &mut Segment<u32>,
    frame: &mut Shared<Frame, 1>,
) {
    let n = inputs.structure().n_atoms;
    let around_all = cells::frame::<V>(block, n, |i| inputs.atom(i));
    frames.set(block, 0, around_all);
    let frame = frame.fill(block, 1, |_| around_all);
    let mut words = cells.whole();
    let mut words = words.flatten();
    cells::sort::<V>(block, n, |i| inputs.atom(i), &mut words, sorted, &frame);
    let cells = Cells::of(words.into_view(), n, &frame);
    #[cfg(target_arch = "nvptx64")]
    owners.fill(block, n, |k| inputs.residue_of(cells.order.get(k)));
    // A core goes through each residue's atoms.
    #[cfg(not(target_arch = "nvptx64"))]
    owners.update_atomic(block, inputs.structure().n_residues, |thread, owners, i| {
        let (first, end) = inputs.atoms_of(i);
        for atom in first..end {
            owners.store(thread, cells.rank.get(atom), i);
        }
    });
}

/// What a block of [`fn@atom_surfaces`] works in.
#[derive(Arguments)]
pub struct SurfaceScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// Where each warp's atoms begin.
    starts: &'a mut Shared<u32, { ATOMS_PER_ITEM as usize + 1 }>,
    /// Lists of each warp, like the next ones.
    candidates: &'a mut Shared<Pick, { WARPS * neighbours::CANDIDATES }>,
    /// Atoms that are counted only.
    far: &'a mut Shared<Pick, { WARPS * neighbours::FAR }>,
    /// Atoms that may cover a point, of one atom of the warp.
    near_a: &'a mut Shared<Pick, { WARPS * neighbours::NEAR }>,
    /// Of another one.
    near_b: &'a mut Shared<Pick, { WARPS * neighbours::NEAR }>,
}

/// Counts exposed points and near atoms of every heavy atom. Block `i` takes the atoms of item `i`, in the order of cells.
///
/// Four blocks take 132 kB of shared memory, which leaves more to the first cache than the next larger division would. Their 80
/// registers per thread suffice from sm_90 on. Older chips would have to spill.
///
/// - `surface`: one element per heavy atom, in the order of cells.
/// - `points`: the `n_points` test points on an atom's sphere.
/// - `steps`: the bits of the run's [`Steps`]. Without that of protrusion, the counts of near atoms may be incomplete.
#[kernel(threads = 192, blocks_per_sm(sm_75 = 2, sm_80 = 3, sm_86 = 2, sm_90 = 4), avx512, requires(n_points > 0 && points.len() == n_points.div_ceil(shared_types::POINTS_PER_GROUP as u32) as usize))]
pub fn atom_surfaces(
    block: &mut Block,
    surface: &mut Segment<AtomSurface>,
    atoms: AtomItems<'_>,
    points: &[PointGroup],
    n_points: u32,
    steps: u32,
    scratch: SurfaceScratch<'_>,
) {
    enum Here {}
    let AtomItems { items, descriptors, atoms: SortedAtoms { sorted, cells, frames } } = atoms;
    let SurfaceScratch { frame, starts, candidates, far, near_a, near_b } = scratch;
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let mut own = frames.at(item.structure);
    own.first = item.atoms + item.first;
    let frame = frame.fill(block, 1, |_| own);
    let around = neighbours::Around {
        cells: Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame),
        sorted: View::of(sorted).clamped(),
        first: item.atoms,
        counts: Steps::from_bits(steps).has(Steps::PROTRUSION),
    };
    let first = own.first;
    // The memory of a list, which is not needed yet.
    let numbers = candidates.recast::<u32, { WARPS * neighbours::CANDIDATES * size_of::<Pick>() / 4 }>();
    let starts =
        cell_parts(block, starts, numbers, surface.len(), |k| around.cells.pair_of(sorted.at(first.wrapping_add(k))));
    let points = surface::Points::new(points, n_points);
    surface.write_parts_by_warp_with(block, &starts, (candidates, far, near_a, near_b), |warp, lists, part| {
        surface::count::<Here>(warp, lists, part, first, &around, points);
    });
    let is_crowded = |counts: AtomSurface| counts.exposed == surface::CROWDED.exposed;
    let count = surface.len();
    if block.any(count, |k| is_crowded(surface.get(k))) {
        surface.update_by_warp(block, count, |warp, k, counts| {
            if is_crowded(counts) {
                surface::count_in_crowd::<Here>(warp, first.wrapping_add(k), &around, points)
            } else {
                counts
            }
        });
    }
}

/// Where each cell (or pair of cells) begins among the `n` atoms of an item, which are in the order of `cell`. A warp
/// takes the atoms of one cell or pair.
#[inline(always)]
fn cell_parts<'a, const N: usize, const M: usize>(
    block: &mut Block,
    starts: &'a mut Shared<u32, N>,
    numbers: &mut Shared<u32, M>,
    n: u32,
    cell: impl Fn(u32) -> u32 + Sync,
) -> Tile<'a, u32> {
    // A core finds each cell once. On a device that would take a barrier and registers.
    #[cfg(not(target_arch = "nvptx64"))]
    let cells = starts.fill(block, n, cell);
    #[cfg(not(target_arch = "nvptx64"))]
    let cell = |k: u32| cells.get(k);
    let begins = |k: u32| k == 0 || cell(k) != cell(k - 1);
    let mut numbers = numbers.fill(block, n, |_| 0);
    let parts = numbers.inclusive_scan(block, n, 0, |k| u32::from(begins(k)), u32::wrapping_add);
    let mut starts = starts.fill(block, parts + 1, |_| n);
    starts.update_atomic(block, n, |thread, starts, k| {
        if k == 0 || numbers.get(k) != numbers.get(k - 1) {
            starts.store(thread, numbers.get(k) - 1, k);
        }
    });
    starts
}

/// What a block of [`fn@atom_depths`] works in.
#[derive(Arguments)]
pub struct DepthScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// Where each warp's atoms begin.
    starts: &'a mut Shared<u32, { ATOMS_PER_ITEM as usize + 1 }>,
    /// Lists of each warp: atoms with accessible area.
    exposed: &'a mut Shared<depth::Exposed, { WARPS * depth::EXPOSED }>,
    /// Atoms without.
    buried: &'a mut Shared<u32, { WARPS * depth::BURIED }>,
}

/// Finds the distance from every heavy atom to the nearest one with accessible area. Block `i` takes the atoms of item
/// `i`, in the order of cells.
///
/// Except on sm_80, the number of blocks per multiprocessor is not given. The assembler then takes what shared memory has room for. On
/// sm_80 it would spill.
///
/// - `depths`: one element per heavy atom, in the order of cells: the distance in Å, 0 for atoms that have area themselves.
/// - `surface`: the result of [`fn@atom_surfaces`].
#[kernel(threads = 192, blocks_per_sm(sm_80 = 5, sm_86 = none), avx512)]
pub fn atom_depths(
    block: &mut Block,
    depths: &mut Segment<f32>,
    atoms: AtomItems<'_>,
    surface: &[AtomSurface],
    scratch: DepthScratch<'_>,
) {
    enum Here {}
    let AtomItems { items, descriptors, atoms: SortedAtoms { sorted, cells, frames } } = atoms;
    let DepthScratch { frame, starts, exposed, buried } = scratch;
    let item = items.at(block.index());
    let n = descriptors.at(item.structure).n_atoms;
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let (sorted, surface) = (View::of(sorted.part(item.atoms, n)), View::of(surface.part(item.atoms, n)));
    // The memory of a list, as in `atom_surfaces`.
    let numbers = exposed.recast::<u32, { WARPS * depth::EXPOSED * size_of::<depth::Exposed>() / 4 }>();
    let starts = cell_parts(block, starts, numbers, depths.len(), |k| {
        cells.group_of(sorted.get(item.first.wrapping_add(k)), depth::CELLS)
    });
    let atoms = depth::Atoms { cells, sorted: sorted.clamped(), surface: surface.clamped() };
    depths.write_parts_by_warp_with(block, &starts, (exposed, buried), |warp, (exposed, buried), part| {
        depth::find::<Here>(warp, exposed, buried, part, item.first, &atoms);
    });
}

/// What a block of [`fn@residue_exposure`] works in.
#[derive(Arguments)]
pub struct ContactScratch<'a> {
    /// Of the structure.
    frame: &'a mut Shared<Frame, 1>,
    /// Pairs of residues, which a warp takes.
    pairs: &'a mut Shared<Pair, { RESIDUES_PER_ITEM as usize / 2 }>,
    /// The number of contacts of both.
    contacts: &'a mut Shared<[u32; 2], { RESIDUES_PER_ITEM as usize / 2 }>,
    /// Lists of each warp: atoms around the pair.
    near: &'a mut Shared<Pick, { 4 * contacts::NEAR }>,
    /// The pair's own atoms.
    own: &'a mut Shared<contacts::Own, { 4 * contacts::OWN }>,
}

/// Adds up the results of heavy atoms for each residue. Block `i` takes the residues of item `i`.
///
/// Warps mostly wait for atoms, so as many blocks as possible share a multiprocessor. Where nine fit in its shared memory, their 56
/// registers per thread suffice.
///
/// - `exposure`: one element per residue.
/// - `points`: the number of test points of [`fn@atom_surfaces`].
/// - `steps`: the bits of the run's [`Steps`]. Without those of depths and contacts, both are 0.
#[kernel(threads = 128, blocks_per_sm(sm_75 = 7, sm_90 = 9, sm_120 = 7), avx512)]
pub fn residue_exposure(
    block: &mut Block,
    exposure: &mut Segment<ResidueExposure>,
    residues: ResidueItems<'_>,
    counted: CountedAtoms<'_>,
    scratch: ContactScratch<'_>,
    points: u32,
    steps: u32,
) {
    enum Here {}
    let ResidueItems { items, atoms, descriptors, residue_types, chain_ids, residue_atoms } = residues;
    let CountedAtoms { atoms: OwnedAtoms { sorted, cells, owners, frames }, depths, surface } = counted;
    let ContactScratch { frame, pairs, contacts, near, own } = scratch;
    let steps = Steps::from_bits(steps);
    let item = items.at(block.index());
    let index = item.structure;
    let n = descriptors.at(index).n_atoms;
    let inputs = Inputs::new(atoms, chain_ids, residue_atoms, descriptors, index);
    let frame = frame.fill(block, 1, |_| frames.at(item.structure));
    let cells = Cells::of(View::of(cells.part(item.atoms, n).as_flattened()), n, &frame);
    let rows = exposure.len();
    let n_pairs = rows.div_ceil(2);
    let mut contacts = contacts.fill(block, n_pairs, |_| [0; 2]);
    if steps.has(Steps::ATOMIC_CONTACTS) {
        let around = contacts::Around {
            atoms: inputs.all(),
            cells,
            sorted: View::of(sorted.part(item.atoms, n)).clamped(),
            owners: View::of(owners.part(item.atoms, n)).clamped(),
        };
        let pairs = pairs.fill(block, n_pairs, |pair| {
            let at = 2 * pair;
            Pair::new(&inputs, &cells, item.first.wrapping_add(at), at + 1 < rows)
        });
        contacts.fill_by_warp_with(block, n_pairs, (near, own), |warp, (near, own), pair| {
            // Read again at each use, which takes fewer registers than to keep it.
            contacts::of_two::<Here>(warp, near, own, || pairs.get(pair), &around)
        });
    }
    let (depths, surface) = (View::of(depths.part(item.atoms, n)), View::of(surface.part(item.atoms, n)));
    exposure.fill(block, rows, |at| {
        let i = item.first.wrapping_add(at);
        let row = inputs.row(i);
        let known = residues::Known {
            kind: u32::from(residue_types.at(row)),
            contacts: contacts.get(at / 2)[at as usize % 2],
            points,
        };
        residues::exposure(&inputs, i, known, |own| {
            let rank = cells.rank.get(own);
            (surface.get(rank), if steps.has(Steps::DEPTH) { depths.get(rank) } else { 0.0 })
        })
    });
}
