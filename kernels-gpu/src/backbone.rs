//! The kernels of the backbone: dihedral angles, hydrogen bonds, secondary structure.
//!
//! Data flows one way. [`geometry`] reads the atoms of each residue and of its neighbours along the chain. [`bonds`]
//! looks at all pairs of residues whose alpha carbons are near. [`states`] reads the pattern of bonds along each
//! structure. In the first two, a block takes a work item, which is some rows of a structure; in the last, a block takes
//! a structure.
//!
//! Hydrogen bonds and states follow Kabsch and Sander 1983, Biopolymers 22:2577, with the rules of mkdssp 4: only residues
//! with N, CA, C and O take part; the hydrogen lies 1 Å from N, opposite to the C=O of the residue with those atoms that
//! comes before, also across a chain break; energies are rounded to 0.001 kcal/mol; each N-H keeps its two strongest bonds.

mod bonds;
mod geometry;
mod ladders;
mod states;

use crate::boxes::{Boxes, Eight, FAN};
use crate::groups::BackboneItems;
use crate::items::{NO_STRUCTURE, WorkItem};
#[cfg(not(target_arch = "nvptx64"))]
use crate::reach::WithinReach;
use crate::vector::Vector;
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use shared_types::BatchStructureDesc;
use shared_types::feature::{BackboneRow, column};

/// Threads that search one residue's bonds together. With fewer, lanes idle while one computes an energy; with more, a long
/// structure has few threads.
const TEAM: u32 = 4;

/// A residue's alpha carbon, and the flags that its neighbours read.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Carbon {
    /// Position in Å; NaN unless the residue has N, CA, C and O.
    position: [f32; 3],
    /// A set of the bits below.
    tag: u32,
}

impl Carbon {
    /// The residue has N, CA, C and O.
    const COMPLETE: u32 = 1;
    /// This residue and the next row are complete, and its C is bound to the next one's N.
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

/// No residue, in [`HydrogenBonds`].
const NOBODY: u32 = u32::MAX;

/// The hydrogen bonds of a residue.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct HydrogenBonds {
    /// The rows whose C=O its N-H binds to, the stronger bond first.
    acceptors: [u32; 2],
    /// Energy of the strongest bond of its N-H in kcal/mol, at most 0.
    nh: f32,
    /// Energy of the strongest bond of its C=O in kcal/mol, at most 0.
    co: f32,
}

impl HydrogenBonds {
    /// Of a residue that is not complete.
    const NONE: Self = Self { acceptors: [NOBODY; 2], nh: 0.0, co: 0.0 };
}

/// The ladders whose lowest row is this residue. The first word is their number. Two words follow for each ladder, by
/// increasing partner: the row that the residue is paired with; and twice the number of bridges, plus 1 if it is parallel. An
/// N-H has at most two bonds, so a residue has at most eight bridges to higher rows. Unused words are neither written nor
/// read.
pub type LadderStarts = [u32; 17];

/// The first kernel of the backbone: dihedral angles, and the atoms of hydrogen bonds. Block `i` takes the rows of item
/// `i`, which are its segments of `output`, `carbons` and `peptides`.
///
/// - `output`: one row per residue; the angles are written.
#[kernel(threads = 128, blocks_per_sm = 8)]
pub fn backbone_geometry(
    block: &mut Block,
    output: &mut Segment<BackboneRow>,
    carbons: &mut Segment<Carbon>,
    peptides: &mut Segment<PeptideAtoms>,
    residues: BackboneItems<'_>,
) {
    let BackboneItems {
        items,
        atoms,
        ca_indices,
        descriptors,
        residue_types,
        chain_ids,
        residue_atoms,
        roles,
        closures,
    } = residues;
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
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
        closures: closures.part(structure.ca_offset, structure.n_residues),
        n: structure.n_residues,
    };
    let rows = output.len();
    carbons.fill(block, rows, |at| inputs.carbon(item.first + at));
    peptides.fill(block, rows, |at| inputs.peptide(item.first + at));
    output.fill(block, rows, |at| inputs.angles(item.first + at));
}

/// The second kernel: the hydrogen bonds of each residue in structures of at most `largest`. It takes the same items; `carbons` and `peptides` are those of
/// the whole batch.
#[kernel(threads = 256, blocks_per_sm = 3, avx512)]
pub fn backbone_bonds(
    block: &mut Block,
    bonds: &mut Segment<HydrogenBonds>,
    items: &[WorkItem],
    descriptors: &[BatchStructureDesc],
    carbons: &[Carbon],
    peptides: &[PeptideAtoms],
    largest: u32,
) {
    enum Here {}
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let n = structure.n_residues;
    if n > largest {
        return;
    }
    let carbons = carbons.part(structure.ca_offset, n);
    let (all, rows) = (View::of(carbons).clamped(), bonds.len());
    let peptides = View::of(peptides.part(structure.ca_offset, n)).clamped();
    let chain = bonds::Chain { carbons: all, peptides, n };
    #[cfg(not(target_arch = "nvptx64"))]
    let all_rows = bonds::AllRows {
        carbons,
        within_reach: WithinReach::new(item.first, rows, n, bonds::REACH, |j| all.get(j).position),
    };
    bonds.fill_by_team::<TEAM>(block, rows, |team, at| {
        chain.bonds_of::<Here>(
            team,
            item.first + at,
            #[cfg(not(target_arch = "nvptx64"))]
            &all_rows,
        )
    });
}

/// The same for structures of more than `largest` residues. Block `i` takes the rows of item `i` of large structures.
///
/// - `boxes`: the result of [`fn@crate::alpha_carbon_boxes`].
#[kernel(threads = 256, blocks_per_sm = 3, avx512)]
pub fn split_bonds(
    block: &mut Block,
    bonds: &mut Segment<HydrogenBonds>,
    items: &[WorkItem],
    descriptors: &[BatchStructureDesc],
    carbons: &[Carbon],
    peptides: &[PeptideAtoms],
    boxes: &[Eight],
) {
    enum Here {}
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let n = structure.n_residues;
    let chain = bonds::Chain {
        carbons: View::of(carbons.part(structure.ca_offset, n)).clamped(),
        peptides: View::of(peptides.part(structure.ca_offset, n)).clamped(),
        n,
    };
    let (boxes, rows) = (Boxes::of(boxes, item.boxes, n), bonds.len());
    bonds.fill_by_team::<FAN>(block, rows, |team, at| chain.near_bonds_of::<Here>(team, item.first + at, boxes));
}

/// The last kernel: states of secondary structure, and energies. Block `i` takes structure `i`.
///
/// - `output`: the rows of the first kernel; the other columns are written.
/// - `starts`, `strands`, `marks`: scratch, one element per residue.
///
/// Blocks are small: one thread joins ladders while its block waits, and other blocks run meanwhile.
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
