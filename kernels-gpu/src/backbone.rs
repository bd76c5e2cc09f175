//! The kernels of the backbone: dihedral angles, hydrogen bonds, secondary structure.
//!
//! Data flows one way. [`geometry`] reads the atoms of each residue and of its neighbours along the chain. [`bonds`]
//! looks at all pairs of residues whose alpha carbons are near. [`marks`] and [`ladders`] find the patterns of bonds along and
//! between stretches of a structure, from which [`states`] follow. In all of them a block takes a work item, which is some rows of
//! a structure, so that no block waits for a large structure. Only the joining of ladders goes along whole stretches.
//!
//! Hydrogen bonds and states follow Kabsch and Sander 1983, Biopolymers 22:2577, with the rules of mkdssp 4: only residues
//! with N, CA, C and O take part; the hydrogen lies 1 Å from N, opposite to the C=O of the residue with those atoms that
//! comes before, also across a chain break; energies are rounded to 0.001 kcal/mol; each N-H keeps its two strongest bonds.

mod bonds;
mod geometry;
mod ladders;
mod marks;
mod states;

use crate::boxes::{Boxes, Eight, FAN};
use crate::groups::{BackboneItems, BondedItems};
use crate::items::{NO_STRUCTURE, WorkItem};
#[cfg(not(target_arch = "nvptx64"))]
use crate::reach::WithinReach;
use crate::vector::Vector;
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
#[cfg(not(target_arch = "nvptx64"))]
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use ladders::Pattern;
use shared_types::BatchStructureDesc;
use shared_types::feature::{BackboneRow, column};

/// Threads that search one residue's bonds together. With fewer, lanes idle while one computes an energy; with more, a long
/// structure has few threads. A core tests the residues of a team together.
const TEAM: u32 = if cfg!(target_arch = "nvptx64") { 4 } else { 32 };

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
    /// No residue.
    #[cfg(not(target_arch = "nvptx64"))]
    const NOWHERE: Self = Self { position: [NAN; 3], tag: 0 };

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
    let all_rows = {
        let near = WithinReach::new(item.first, rows, n, bonds::REACH, |j| all.get(j).position);
        bonds::AllRows::new(carbons, near)
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

/// What a row has of the pattern of bonds by itself: the ladders that begin there, and marks. Block `i` takes the rows of item `i`.
///
/// - `starts`, `marks`: one element per residue.
/// - `strands`: one element per residue, which becomes 0.
/// - `rows`: those of the first kernel.
#[kernel(threads = 128, blocks_per_sm = 8)]
pub fn backbone_marks(
    block: &mut Block,
    starts: &mut Segment<LadderStarts>,
    strands: &mut Segment<u32>,
    marks: &mut Segment<u32>,
    rows: &[BackboneRow],
    bonded: BondedItems<'_>,
) {
    let BondedItems { items, descriptors, carbons, bonds } = bonded;
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let (first, n, count) = (structure.ca_offset, structure.n_residues, marks.len());
    let pattern = Pattern { carbons: View::of(carbons.part(first, n)), bonds: View::of(bonds.part(first, n)), n };
    let mut words = starts.whole();
    let mut words = words.flatten();
    words.update_atomic(block, count, |thread, words, at| pattern.write_starts(thread, words, at, item.first + at));
    let starts = ladders::Starts { words: words.into_view() };
    let rows = View::of(rows.part(first, n));
    marks.fill(block, count, |at| marks::of(&pattern, rows, item.first + at, starts.count(at)));
    strands.fill(block, count, |_| 0);
}

/// Joins ladders, and marks their residues in `strands`. Block `i` takes the unbroken stretches that begin in the rows of item `i`.
///
/// A thread takes a stretch, for which it goes through the rows of other items, too. Only this thread changes what it reads of
/// `strands`; of the bits that several threads set, the order does not matter.
#[kernel(threads = 128, blocks_per_sm = 8)]
pub fn backbone_ladders(
    block: &mut Block,
    strands: &Atomics<u32>,
    items: &[WorkItem],
    descriptors: &[BatchStructureDesc],
    starts: &[LadderStarts],
    marks: &[u32],
) {
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let (first, n) = (structure.ca_offset, structure.n_residues);
    let joined = ladders::Joined {
        starts: ladders::Starts { words: View::of(starts.part(first, n).as_flattened()) },
        marks: View::of(marks.part(first, n)).clamped(),
        strands,
        first,
    };
    block.for_each(item.end(items, block.index(), n) - item.first, |thread, at| {
        joined.join_from(thread, item.first + at)
    });
}

/// The last kernel: states of secondary structure, and energies. Block `i` takes the rows of item `i`.
///
/// - `output`: the rows of the first kernel; the other columns are written.
#[kernel(threads = 128, blocks_per_sm = 8)]
pub fn backbone_states(
    block: &mut Block,
    output: &mut Segment<BackboneRow>,
    strands: &[u32],
    marks: &[u32],
    bonded: BondedItems<'_>,
) {
    let BondedItems { items, descriptors, carbons, bonds } = bonded;
    let item = items.at(block.index());
    if item.structure == NO_STRUCTURE {
        return;
    }
    let structure = descriptors.at(item.structure);
    let (first, n, rows) = (structure.ca_offset, structure.n_residues, output.len());
    let marked = states::Marked { marks: View::of(marks.part(first, n)), strands: View::of(strands.part(first, n)) };
    output.update(block, rows, |at, row| {
        let i = item.first + at;
        let (carbon, bonds) = (carbons.at(first + i), bonds.at(first + i));
        let complete = carbon.is(Carbon::COMPLETE);
        let columns = &mut row.columns;
        columns[column::HBOND_ENERGY_NH] = if carbon.is(Carbon::DONOR) { bonds.nh } else { math::NAN };
        columns[column::HBOND_ENERGY_CO] = if complete { bonds.co } else { math::NAN };
        columns[column::SS] = if complete { marked.state(i) as u32 as f32 } else { math::NAN };
    });
}
