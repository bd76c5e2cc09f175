//! Atoms in contact with residues. A warp takes two residues that follow each other: they are close together, so it searches the
//! atoms around both once.

use super::cells::{Bounds, Cells, Region};
use super::{Inputs, square};
use crate::points::near;
use bytemuck::{Pod, Zeroable};
use cuda_std::lists::*;
use cuda_std::prelude::*;
use shared_types::Atom;

/// Atoms within 4.5 Å of each other are in contact.
const CONTACT: f32 = 4.5;
/// Room in a warp's list of atoms that may touch two residues, with their own.
pub const NEAR: usize = 320;

/// Two residues of a structure that follow each other, or one. A thread finds all of this, because a warp would need as many
/// instructions for one pair as for 32.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct Pair {
    /// The first and last of the residues whose contacts with each do not count: itself and those beside it.
    beside: [[u32; 2]; 2],
    /// The box around their atoms.
    bounds: Bounds,
    /// The number of each one's atoms.
    n: [u32; 2],
    /// The cells that may have atoms in contact with them.
    region: Region,
    /// Their first atom in the structure.
    first: u32,
    _padding: u32,
}

impl Pair {
    /// Residue `i` of a structure, and the one after it if there `are_two`.
    #[inline(always)]
    pub(super) fn new(inputs: &Inputs, cells: &Cells, i: u32, are_two: bool) -> Self {
        let ((first, middle), beside) = (inputs.atoms_of(i), inputs.beside(i));
        let other = if are_two { i.wrapping_add(1) } else { i };
        let ((_, end), beside_other) = (inputs.atoms_of(other), inputs.beside(other));
        let atoms = inputs.all();
        let bounds = Bounds::of_few(end.wrapping_sub(first), |k| atoms.get(first.wrapping_add(k)));
        Self {
            beside: [[beside.0, beside.1], [beside_other.0, beside_other.1]],
            bounds,
            n: [middle.wrapping_sub(first), end.wrapping_sub(middle)],
            region: cells.within(&bounds, CONTACT),
            first,
            _padding: 0,
        }
    }

    /// Atom `k` of residue `which`, or its last one.
    #[inline(always)]
    fn own(&self, atoms: &Clamped<Atom>, which: usize, k: u32) -> Atom {
        let n = self.n[which];
        let first = if which == 0 { self.first } else { self.first.wrapping_add(self.n[0]) };
        if n > 0 { atoms.get(first.wrapping_add(k.min(n.wrapping_sub(1)))) } else { NOWHERE }
    }
}

/// Whether an atom of residue `owner` counts for a residue with those `beside`.
#[inline(always)]
fn is_other([first, last]: [u32; 2], owner: u32) -> bool {
    (owner < first) | (owner > last)
}

/// The atoms of a structure.
pub struct Around<'a> {
    /// As in the file.
    pub atoms: Clamped<'a, Atom>,
    pub cells: Cells<'a>,
    /// In the order of cells.
    pub sorted: Clamped<'a, Atom>,
    /// The residues of the atoms in the order of cells.
    pub owners: Clamped<'a, u32>,
}

/// Two atoms of each of two residues: a step of the loop over a residue's atoms tests two, because it takes instructions besides.
pub type Own = [[Atom; 2]; 2];
/// Residues with more atoms have no list of their own ones: all atoms around them are tested directly. Amino acids have up to 15.
const MOST: u32 = 20;
/// Room in a warp's list of residues' atoms.
pub const OWN: usize = MOST as usize / 2;

/// An atom that touches nothing.
const NOWHERE: Atom = Atom { x: f32::INFINITY, y: f32::INFINITY, z: f32::INFINITY, radius: 0.0 };

/// The numbers of atoms in contact with two residues: those within [`CONTACT`] of one of a residue's atoms, of residues that
/// count for it.
#[inline(always)]
pub fn of_two<V>(
    warp: &mut Warp,
    near: &mut WarpList<Pick>,
    own: &mut WarpList<Own>,
    pair: impl Fn() -> Pair + Copy + Sync,
    around: &Around,
) -> [u32; 2] {
    let Around { cells, sorted, atoms, .. } = around;
    let Pair { bounds, region, n, .. } = pair();
    let most = n[0].max(n[1]);
    near.clear(warp);
    if most > 0 {
        let mut row = 0u32;
        while row < region.rows() {
            let runs = near::runs::<V>(warp, cells, region, row, &bounds, CONTACT);
            near.push_ranges_with(warp, own, sorted, &runs, |_, [x, y, z, _]| {
                bounds.distance2([x, y, z]) <= CONTACT * CONTACT
            });
            row = row.wrapping_add(32);
        }
    }
    // On a device all lanes read an atom of the residues at a time, so these are gathered first.
    #[cfg(target_arch = "nvptx64")]
    let own = {
        own.clear(warp);
        let atoms = warp.per_lane(|lane| {
            // The last step may test an atom twice.
            [0, 1].map(|k| [0, 1].map(|which| pair().own(atoms, which, lane.index() * 2 + k)))
        });
        own.push_where(warp, &atoms, &atoms, |lane, _| lane.index() * 2 < most);
        own.items(warp)
    };
    #[cfg(not(target_arch = "nvptx64"))]
    let _ = own;
    let near = near.items(warp);
    let mut counts = Counts::nothing(warp);
    if near.is_complete() & (most <= MOST) {
        let mut at = 0u32;
        while at < near.len() {
            let picks = near.picks(warp, sorted, at);
            let [x, y, z, _] = picks.words();
            // Read before the tests, so that nobody waits for it after them.
            let owners = warp.map(picks.index(), |_, rank| around.owners.get(*rank));
            let mut touches = [(); 2].map(|()| warp.per_lane(|_| false));
            #[cfg(target_arch = "nvptx64")]
            {
                // (An iterator would compare and select in each step.)
                let mut step = 0u32;
                while step < own.len() {
                    let [one, other] = own.get(step);
                    touch::<[V; 0]>(warp, &mut touches, one, (x, y, z));
                    touch::<[V; 0]>(warp, &mut touches, other, (x, y, z));
                    step = step.wrapping_add(1);
                }
            }
            #[cfg(not(target_arch = "nvptx64"))]
            for k in 0..most {
                touch::<[V; 0]>(warp, &mut touches, [0, 1].map(|which| pair().own(atoms, which, k)), (x, y, z));
            }
            let n = near.len().wrapping_sub(at);
            counts.add::<[V; 0]>(warp, pair().beside, &owners, &touches, n);
            at = at.wrapping_add(32);
        }
        return counts.sum_of_list(warp);
    }
    // The lists have no room for all: test the atoms of the cells around directly, row by row.
    let mut row = 0u32;
    while row < region.rows() {
        let [mut first, end] = cells.run_within(region, row, &bounds, CONTACT).ends();
        while first < end {
            let ranks = warp.per_lane(|lane| first.wrapping_add(lane.index()));
            let x = warp.map(&ranks, |_, rank| sorted.get(*rank).x);
            let y = warp.map(&ranks, |_, rank| sorted.get(*rank).y);
            let z = warp.map(&ranks, |_, rank| sorted.get(*rank).z);
            let mut touches = [(); 2].map(|()| warp.per_lane(|_| false));
            let mut k = 0u32;
            while k < most && !warp.all((&touches[0], &touches[1]), |_, (a, b)| *a & *b) {
                let own = [0, 1].map(|which| pair().own(atoms, which, k));
                touch::<[V; 1]>(warp, &mut touches, own, (&x, &y, &z));
                k = k.wrapping_add(1);
            }
            let owners = warp.map(&ranks, |_, rank| around.owners.get(*rank));
            counts.add::<[V; 1]>(warp, pair().beside, &owners, &touches, end.wrapping_sub(first));
            first = first.wrapping_add(32);
        }
        row = row.wrapping_add(1);
    }
    counts.sum(warp)
}

/// Notes in which lanes an atom is in contact with each of the residues' atoms `a` and `b`.
#[inline(always)]
fn touch<V>(
    warp: &mut Warp,
    [by_a, by_b]: &mut [PerLane<bool>; 2],
    [a, b]: [Atom; 2],
    at: (&PerLane<f32>, &PerLane<f32>, &PerLane<f32>),
) {
    let is_near =
        |own: Atom, (x, y, z): (&f32, &f32, &f32)| square([x - own.x, y - own.y, z - own.z]) <= CONTACT * CONTACT;
    warp.each_with(by_a, at, |_, touches, at| *touches |= is_near(a, at));
    warp.each_with(by_b, at, |_, touches, at| *touches |= is_near(b, at));
}

/// The numbers of atoms in contact with two residues.
#[cfg(target_arch = "nvptx64")]
struct Counts {
    /// What each lane has counted.
    own: [PerLane<u32>; 2],
}

/// On a core, which counts the bits of many comparisons at once.
#[cfg(not(target_arch = "nvptx64"))]
struct Counts {
    all: [u32; 2],
}

impl Counts {
    #[inline(always)]
    fn nothing(warp: &mut Warp) -> Self {
        #[cfg(target_arch = "nvptx64")]
        return Self { own: [(); 2].map(|()| warp.per_lane(|_| 0)) };
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let _ = warp;
            Self { all: [0; 2] }
        }
    }

    /// Adds the atoms in contact with each residue, among those of the first `n` lanes.
    #[inline(always)]
    fn add<V>(
        &mut self,
        warp: &mut Warp,
        [a, b]: [[u32; 2]; 2],
        owners: &PerLane<u32>,
        [by_a, by_b]: &[PerLane<bool>; 2],
        n: u32,
    ) {
        let counted = |lane: Lane, touches: bool, beside, owner| (lane.index() < n) & touches & is_other(beside, owner);
        #[cfg(target_arch = "nvptx64")]
        {
            let [of_a, of_b] = &mut self.own;
            warp.each_with(of_a, (by_a, owners), |lane, own, (touches, owner)| {
                *own = own.wrapping_add(u32::from(counted(lane, *touches, a, *owner)));
            });
            warp.each_with(of_b, (by_b, owners), |lane, own, (touches, owner)| {
                *own = own.wrapping_add(u32::from(counted(lane, *touches, b, *owner)));
            });
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            self.all[0] += warp.count((by_a, owners), |lane, (touches, owner)| counted(lane, *touches, a, *owner));
            self.all[1] += warp.count((by_b, owners), |lane, (touches, owner)| counted(lane, *touches, b, *owner));
        }
    }

    /// The numbers, if all counted atoms are in a list. Two numbers of its length fit in one word.
    #[inline(always)]
    fn sum_of_list(self, warp: &mut Warp) -> [u32; 2] {
        #[cfg(target_arch = "nvptx64")]
        {
            const BITS: u32 = 16;
            const { assert!(NEAR < 1 << BITS) }
            let both = warp.map((&self.own[0], &self.own[1]), |_, (a, b)| a | b << BITS);
            let both = warp.sum(&both);
            [both % (1 << BITS), both >> BITS]
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self.sum(warp)
    }

    #[inline(always)]
    fn sum(self, warp: &mut Warp) -> [u32; 2] {
        #[cfg(target_arch = "nvptx64")]
        return self.own.map(|own| warp.sum(&own));
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let _ = warp;
            self.all
        }
    }
}
