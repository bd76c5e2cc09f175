//! Atoms in contact with residues. A warp takes two residues that follow each other: they are close together, so it searches the
//! atoms around both once.

use super::cells::{Bounds, Cells};
use super::{Inputs, square};
use crate::points::near;
use bytemuck::{Pod, Zeroable};
use cuda_std::prelude::*;
use shared_types::Atom;

/// Atoms within 4.5 Å of each other are in contact.
const CONTACT: f32 = 4.5;
/// Room in a warp's list of atoms that may touch two residues, with their own.
pub const NEAR: usize = 320;

/// A residue among the atoms of its structure.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub struct Residue {
    /// The box around its atoms.
    bounds: Bounds,
    /// Its first atom in the structure, and their number.
    first: u32,
    n: u32,
    /// The first and last of the residues whose contacts do not count: itself and those beside it.
    beside: [u32; 2],
}

impl Residue {
    /// A residue without atoms, for the second of two where there is only one.
    pub const NOBODY: Self = Self { bounds: Bounds::NOTHING, first: 0, n: 0, beside: [0; 2] };

    /// Residue `i` of a structure.
    #[inline(always)]
    pub(super) fn new(inputs: &Inputs, i: u32) -> Self {
        let ((first, end), beside) = (inputs.atoms_of(i), inputs.beside(i));
        let (atoms, n) = (inputs.all(), end.wrapping_sub(first));
        let bounds = Bounds::of_few(n, |k| atoms.get(first.wrapping_add(k)));
        Self { bounds, first, n, beside: [beside.0, beside.1] }
    }
}

/// Whether an atom of residue `owner` counts for a residue with those `beside`.
#[inline(always)]
fn is_other([first, last]: [u32; 2], owner: u32) -> bool {
    (owner < first) | (owner > last)
}

/// Two residues that follow each other in shared memory. They are read again at each use, which takes fewer registers than to keep
/// them.
#[derive(Clone, Copy)]
pub struct Two<'a> {
    pub residues: &'a Tile<'a, Residue>,
    pub first: u32,
}

impl Two<'_> {
    #[inline(always)]
    fn residue(&self, k: u32) -> Residue {
        self.residues.get(self.first.wrapping_add(k))
    }
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

impl Around<'_> {
    /// Atom `k` of a residue, or its last one.
    #[inline(always)]
    fn own(&self, residue: Residue, k: u32) -> Atom {
        let last = residue.n.wrapping_sub(1);
        if residue.n > 0 { self.atoms.get(residue.first.wrapping_add(k.min(last))) } else { NOWHERE }
    }
}

/// An atom of each of two residues.
pub type Own = [Atom; 2];
/// Room in a warp's list of these. Amino acids have up to 15 atoms. If a residue has more, all atoms around it are tested directly.
pub const OWN: usize = 20;

/// An atom that touches nothing.
const NOWHERE: Atom = Atom { x: f32::INFINITY, y: f32::INFINITY, z: f32::INFINITY, radius: 0.0 };

/// The numbers of atoms in contact with two residues: those within [`CONTACT`] of one of a residue's atoms, of residues that
/// count for it.
#[inline(always)]
pub fn of_two<V>(
    warp: &mut Warp,
    near: &mut WarpList<Pick>,
    own: &mut WarpList<Own>,
    two: Two,
    around: &Around,
) -> [u32; 2] {
    let Around { cells, sorted, .. } = around;
    let (a, b) = (two.residue(0), two.residue(1));
    let bounds = a.bounds.and(b.bounds);
    let most = a.n.max(b.n);
    near.clear(warp);
    if most > 0 {
        let region = cells.within(&bounds, CONTACT);
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
        let atoms = warp.per_lane(|lane| [0, 1].map(|which| around.own(two.residue(which), lane.index())));
        own.push_where(warp, &atoms, &atoms, |lane, _| lane.index() < most);
        own.items(warp)
    };
    #[cfg(not(target_arch = "nvptx64"))]
    let _ = own;
    let near = near.items(warp);
    let mut counts = Counts::nothing(warp);
    if near.is_complete() & (most <= OWN as u32) {
        let mut at = 0u32;
        while at < near.len() {
            let picks = near.picks(warp, sorted, at);
            let [x, y, z, _] = picks.words();
            // Read before the tests, so that nobody waits for it after them.
            let owners = warp.map(picks.index(), |_, place| around.owners.get(*place));
            let mut touches = [(); 2].map(|()| warp.per_lane(|_| false));
            #[cfg(target_arch = "nvptx64")]
            for own in own.range(0, own.len()) {
                touch::<[V; 0]>(warp, &mut touches, own, (x, y, z));
            }
            #[cfg(not(target_arch = "nvptx64"))]
            for k in 0..most {
                touch::<[V; 0]>(warp, &mut touches, [around.own(a, k), around.own(b, k)], (x, y, z));
            }
            let n = near.len().wrapping_sub(at);
            counts.add::<[V; 0]>(warp, two, &owners, &touches, n);
            at = at.wrapping_add(32);
        }
        return counts.sum(warp);
    }
    // The lists have no room for all: test the atoms of the cells around directly, row by row.
    let region = cells.within(&bounds, CONTACT);
    let mut row = 0u32;
    while row < region.rows() {
        let [mut first, end] = cells.run_within(region, row, &bounds, CONTACT).ends();
        while first < end {
            let places = warp.per_lane(|lane| first.wrapping_add(lane.index()));
            let x = warp.map(&places, |_, place| sorted.get(*place).x);
            let y = warp.map(&places, |_, place| sorted.get(*place).y);
            let z = warp.map(&places, |_, place| sorted.get(*place).z);
            let mut touches = [(); 2].map(|()| warp.per_lane(|_| false));
            let mut k = 0u32;
            while k < most && !warp.all((&touches[0], &touches[1]), |_, (a, b)| *a & *b) {
                let own = [0, 1].map(|which| around.own(two.residue(which), k));
                touch::<[V; 1]>(warp, &mut touches, own, (&x, &y, &z));
                k = k.wrapping_add(1);
            }
            let owners = warp.map(&places, |_, place| around.owners.get(*place));
            counts.add::<[V; 1]>(warp, two, &owners, &touches, end.wrapping_sub(first));
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
    [a, b]: Own,
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
    fn add<V>(&mut self, warp: &mut Warp, two: Two, owners: &PerLane<u32>, [by_a, by_b]: &[PerLane<bool>; 2], n: u32) {
        let (a, b) = (two.residue(0).beside, two.residue(1).beside);
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
