//! Who is near: the atoms of a cell look for their neighbours together.
//!
//! A warp has the atoms of a cell. It lists once what is within reach of any of them, and goes through that list for two
//! atoms at a time: all that is within [`REACH`] is counted, and what may touch an atom goes to a list of its own.

use super::cells::{Bounds, Cells, REACH, ROWS, Run};
use super::surface::{CONTACT, PROBE};
use super::{Inputs, distance2};
use cuda_std::prelude::*;
use shared_types::Atom;

/// Atoms within reach of a cell's; real ones have up to about 650.
pub const CANDIDATES: usize = 768;
/// Atoms that may touch one, by distance alone; real ones have up to about 90.
pub const NEAR: usize = 128;

/// No atom: far from all.
const NOWHERE: Atom = Atom { x: f32::INFINITY, y: f32::INFINITY, z: f32::INFINITY, radius: 0.0 };

/// The atoms of a structure.
pub struct Around<'a> {
    pub inputs: Inputs<'a>,
    pub cells: Cells<'a>,
    /// The batch's atoms in the order of cells, and the residue of each.
    pub sorted: Clamped<'a, Atom>,
    pub owners: Clamped<'a, u32>,
    /// Where the structure's begin. Places are counted in the batch: that takes fewer registers than to keep where in
    /// memory the structure's atoms lie.
    pub first: u32,
}

impl Around<'_> {
    /// Run `k` of those near a box in one cell, in places.
    #[inline(always)]
    pub fn near(&self, of: &Bounds, k: u32) -> Run {
        let run = self.cells.near(of, k);
        Run { first: self.first.wrapping_add(run.first), end: self.first.wrapping_add(run.end) }
    }

    /// Distance from which no other atom touches this one.
    #[inline(always)]
    fn farthest(&self, atom: Atom) -> f32 {
        (atom.radius + PROBE) + (self.cells.frame().largest + PROBE)
    }

    /// Whether an atom is in contact with one of a residue's.
    #[inline(always)]
    pub fn is_touched(&self, residue: u32, atom: Atom) -> bool {
        let (mut own, end) = self.inputs.atoms_of(residue);
        while own < end {
            if distance2(self.inputs.atom(own), atom) <= CONTACT * CONTACT {
                return true;
            }
            own += 1;
        }
        false
    }
}

/// Lists the places of all atoms within reach of those at `first` and the `n` that follow, which lie in one cell.
#[inline(always)]
pub fn list(warp: &mut Warp, candidates: &mut WarpList<u32>, around: &Around, first: u32, n: u32) {
    let sorted = &around.sorted;
    let own = warp.per_lane(|lane| {
        let (mut bounds, mut k) = (Bounds::NOTHING, lane.index());
        while k < n {
            bounds = bounds.and(Bounds::of(sorted.get(first.wrapping_add(k))));
            k = k.wrapping_add(32);
        }
        bounds
    });
    let bounds = warp.reduce(&own, Bounds::and);
    let runs = warp.per_lane(|lane| around.near(&bounds, lane.index()));
    candidates.clear(warp);
    let mut next = 0u32;
    while next < ROWS {
        // As many runs as there is room for, and one at least.
        let kept = candidates.items(warp).len();
        let room = candidates.capacity().wrapping_sub(kept);
        let lengths =
            warp.map(
                &runs,
                |lane, run| {
                    if lane.index() < next { 0 } else { run.end.saturating_sub(run.first).min(1 << 26) }
                },
            );
        let ends = warp.inclusive_scan(&lengths, u32::wrapping_add);
        let until = warp.ballot(&ends, |_, end| *end <= room).trailing_ones().max(next + 1);
        let chosen = warp.map(&runs, |lane, run| {
            let is_chosen = lane.index() >= next && lane.index() < until;
            if is_chosen { [run.first, run.end] } else { [0; 2] }
        });
        candidates.push_ranges(warp, &chosen);
        candidates.retain_from(warp, kept, |warp, places| {
            let atoms = warp.map(places, |_, place| sorted.get(*place));
            warp.map(&atoms, |_, atom| bounds.distance2(*atom) <= REACH * REACH)
        });
        next = until;
    }
}

/// Lists the places of atoms that may touch the one at `first`, and the one behind it where there are two. Returns how
/// many are within reach of each: the first one's in the lower half of the word.
#[inline(always)]
pub fn of_two(
    warp: &mut Warp,
    candidates: WarpItems<u32>,
    near: [&mut WarpList<u32>; 2],
    around: &Around,
    first: u32,
    two: bool,
) -> u32 {
    let sorted = &around.sorted;
    let (a, b) = (sorted.get(first), if two { sorted.get(first.wrapping_add(1)) } else { NOWHERE });
    let (far_a, far_b) = (around.farthest(a), around.farthest(b));
    let [near_a, near_b] = near;
    near_a.clear(warp);
    near_b.clear(warp);
    // Two counts in a word: there are fewer than 2^16 candidates.
    let mut within = warp.per_lane(|_| 0u32);
    let mut begin = 0u32;
    while begin < candidates.len() {
        // Lanes without a candidate look at the last one, which takes less than to leave them out.
        let last = candidates.len() - 1;
        let is_one = |lane: Lane| begin.wrapping_add(lane.index()) <= last;
        let places = candidates.by_lane(warp, begin);
        let atoms = warp.map(&places, |_, place| sorted.get(*place));
        let from_a = warp.map(&atoms, |_, atom| distance2(a, *atom));
        let from_b = warp.map(&atoms, |_, atom| distance2(b, *atom));
        warp.each_with(&mut within, (&from_a, &from_b), |lane, within, (a, b)| {
            *within = within.wrapping_add(if is_one(lane) & (*a <= REACH * REACH) { 1 } else { 0 });
            *within = within.wrapping_add(if is_one(lane) & (*b <= REACH * REACH) { 1 << 16 } else { 0 });
        });
        near_a.push_where(warp, &places, &from_a, |lane, a| is_one(lane) & (*a < far_a * far_a));
        near_b.push_where(warp, &places, &from_b, |lane, b| is_one(lane) & (*b < far_b * far_b));
        begin = begin.wrapping_add(32);
    }
    warp.reduce(&within, u32::wrapping_add)
}

/// How many atoms are within reach of one, asked of all that may be: for those with more neighbours than there is room for.
#[inline(always)]
pub fn crowd(warp: &mut Warp, around: &Around, atom: Atom) -> u32 {
    let within = warp.per_lane(|lane| {
        let mut within = 0u32;
        for k in 0..ROWS {
            let run = around.near(&Bounds::of(atom), k);
            let mut at = run.first.wrapping_add(lane.index());
            while at < run.end {
                within = within.wrapping_add(u32::from(distance2(atom, around.sorted.get(at)) <= REACH * REACH));
                at = at.wrapping_add(32);
            }
        }
        within
    });
    warp.reduce(&within, u32::wrapping_add)
}
