//! The kernels of the backbone: dihedral angles, hydrogen bonds, secondary structure.
//!
//! Data flows one way. [`geometry`] takes the atoms of each residue and its neighbours along the chain, [`bonds`] looks at
//! all pairs of residues whose alpha carbons are near, and [`states`] reads the pattern of bonds along each structure. The
//! first two take work items, some rows of a structure each; in the last a block has a structure.
//!
//! Hydrogen bonds and states follow Kabsch and Sander 1983, Biopolymers 22:2577, with the rules of mkdssp 4: only residues
//! with N, CA, C and O take part; the hydrogen lies 1 Å from N, opposite to the C=O of the residue with those atoms that
//! comes before, also across a chain break; energies are rounded to 0.001 kcal/mol; each N-H keeps its two strongest bonds.

mod bonds;
mod geometry;
mod ladders;
mod states;

use crate::scratch::WorkItem;
use crate::vector::Vector;
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use shared_types::feature::{BackboneRow, column};
use shared_types::{Atom, BatchStructureDesc};

/// Threads that look for one residue's bonds together. Fewer leave lanes idle while one computes an energy; more leave
/// long structures to few threads.
const TEAM: u32 = 4;

/// A residue's alpha carbon, and what its neighbours ask of it.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Carbon {
    /// Position in Å; NaN unless the residue has N, CA, C and O.
    position: [f32; 3],
    /// The bits below.
    tag: u32,
}

impl Carbon {
    /// N, CA, C and O are there.
    const COMPLETE: u32 = 1;
    /// Both this residue and the next row are complete, and its C is bound to the next one's N.
    const LINKED: u32 = 2;
    /// N has a hydrogen with a position.
    const DONOR: u32 = 4;

    #[inline(always)]
    fn is(self, bit: u32) -> bool {
        self.tag & bit != 0
    }

    #[inline(always)]
    fn to(self, other: Self) -> Vector {
        let ([ax, ay, az], [bx, by, bz]) = (self.position, other.position);
        Vector { x: bx - ax, y: by - ay, z: bz - az }
    }
}

/// The atoms between which hydrogen bonds form, in Å.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct PeptideAtoms {
    n: [f32; 3],
    h: [f32; 3],
    c: [f32; 3],
    o: [f32; 3],
}

/// Stands for a residue in [`HydrogenBonds`] where there is none.
const NOBODY: u32 = u32::MAX;

/// The hydrogen bonds of a residue.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct HydrogenBonds {
    /// The rows of the structure whose C=O its N-H binds to, the stronger one first.
    acceptors: [u32; 2],
    /// Energy of the strongest bond of its N-H in kcal/mol, at most 0.
    nh: f32,
    /// The same of its C=O.
    co: f32,
}

/// Ladders that begin at a residue, which is the lowest row of them: how many; then for each, by rising row, the row that the
/// residue is paired with, and twice the number of bridges and 1 if it is parallel. An N-H has two bonds at most, so that a
/// residue has eight bridges to higher rows at most. Few words are in use, and the others are neither written nor read.
pub type LadderStarts = [u32; 17];

/// First of the kernels of the backbone: angles, and the atoms that hydrogen bonds are between. Block `i` takes the rows of
/// item `i`, which are its segments of `output`, `carbons` and `peptides`.
///
/// - `output`: a row a residue, with angles.
/// - `roles`: [`shared_types::backbone::RoleAtoms`] as words.
/// - `residue_atoms`: a residue's first atom, counted from the structure's first.
///
/// The other inputs are those of [`fn@crate::mega_fused_batch_detection_prism4d`].
#[kernel(threads = 128, blocks_per_sm = 8)]
pub fn backbone_geometry(
    block: &mut Block,
    output: &mut Segment<BackboneRow>,
    carbons: &mut Segment<Carbon>,
    peptides: &mut Segment<PeptideAtoms>,
    items: &[WorkItem],
    atoms: &[Atom],
    ca_indices: &[u32],
    descriptors: &[BatchStructureDesc],
    residue_types: &[u8],
    chain_ids: &[u32],
    residue_atoms: &[u32],
    roles: &[[u32; 2]],
) {
    let item = items.at(block.index());
    if item.structure == crate::scratch::NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let inputs = geometry::Inputs {
        atoms: atoms.part(structure.atom_offset, structure.n_atoms),
        ca_indices: ca_indices.part(structure.ca_offset, structure.n_residues),
        residue_types: residue_types.part(structure.ca_offset, structure.n_residues),
        chain_ids: chain_ids.part(structure.ca_offset, structure.n_residues),
        residue_atoms: residue_atoms.part(structure.ca_offset, structure.n_residues),
        roles: roles.part(structure.ca_offset, structure.n_residues),
        n: structure.n_residues,
    };
    let rows = output.len();
    carbons.fill(block, rows, |at| inputs.carbon(item.first + at));
    peptides.fill(block, rows, |at| inputs.peptide(item.first + at));
    output.fill(block, rows, |at| inputs.angles(item.first + at));
}

/// Second: the hydrogen bonds of each residue. Items are those of the first; `carbons` and `peptides` are the batch's.
#[kernel(threads = 256, blocks_per_sm = 3)]
pub fn backbone_bonds(
    block: &mut Block,
    bonds: &mut Segment<HydrogenBonds>,
    items: &[WorkItem],
    descriptors: &[BatchStructureDesc],
    carbons: &[Carbon],
    peptides: &[PeptideAtoms],
) {
    enum Here {}
    let item = items.at(block.index());
    if item.structure == crate::scratch::NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let n = structure.n_residues;
    let chain = bonds::Chain {
        carbons: View::of(carbons.part(structure.ca_offset, n)).clamped(),
        peptides: View::of(peptides.part(structure.ca_offset, n)).clamped(),
        n,
    };
    let rows = bonds.len();
    bonds.fill_by_team::<TEAM>(block, rows, |team, at| chain.bonds_of::<Here>(team, item.first + at));
}

/// Last: the states of secondary structure, and the energies. Block `i` takes structure `i`.
///
/// - `output`: the rows of the first kernel, which are completed.
/// - `starts`, `strands`, `marks`: scratch, an element a residue.
///
/// Blocks are small: while one thread joins ladders, others of its block wait, but other blocks do not.
#[kernel(threads = 64, blocks_per_sm = 16)]
pub fn backbone_states(
    block: &mut Block,
    output: &mut Segment<BackboneRow>,
    starts: &mut Segment<LadderStarts>,
    strands: &mut Segment<u32>,
    marks: &mut Segment<u32>,
    descriptors: &[BatchStructureDesc],
    carbons: &[Carbon],
    bonds: &[HydrogenBonds],
) {
    let structure = descriptors.at(block.index());
    let (first, n) = (structure.ca_offset, structure.n_residues);
    let pattern =
        ladders::Pattern { carbons: View::of(carbons.part(first, n)), bonds: View::of(bonds.part(first, n)), n };
    let mut words = starts.whole();
    let mut words = words.flatten();
    words.update_atomic(block, n, |thread, words, i| pattern.write_starts(thread, words, i));
    let starts = ladders::Starts { words: words.into_view() };
    strands.fill(block, n, |i| starts.not_joined(i));
    strands.update_atomic(block, n, |thread, strands, i| pattern.join_ladders(thread, &starts, strands, i));
    let rows = output.view(n);
    marks.fill(block, n, |i| states::marks(&pattern, rows, i));
    let marked = states::Marked { marks: marks.view(n), strands: strands.view(n) };
    output.update(block, n, |i, row| {
        let (carbon, bonds) = (pattern.carbons.get(i), pattern.bonds.get(i));
        let complete = carbon.is(Carbon::COMPLETE);
        let columns = &mut row.columns;
        columns[column::HBOND_ENERGY_NH] = if carbon.is(Carbon::DONOR) { bonds.nh } else { math::NAN };
        columns[column::HBOND_ENERGY_CO] = if complete { bonds.co } else { math::NAN };
        columns[column::SS] = if complete { marked.state(i) as u32 as f32 } else { math::NAN };
    });
}
