//! Neighbour search for the atoms of a pair of cells.
//!
//! A warp lists all atoms within reach of the pair once. It searches that list for two atoms at a time, counts the atoms
//! within [`REACH`] of each, and lists those that may touch it.

use super::cells::{Bounds, Cells, REACH, ROWS, Run};
use super::{PROBE, distance2, square};
use cuda_std::math::{larger, smaller};
use cuda_std::prelude::*;
use shared_types::Atom;

/// Room in the list of atoms within reach of a pair of cells; real structures have up to about 800.
pub const CANDIDATES: usize = 896;
/// Room in the list of atoms that may touch an atom; real structures have up to about 90.
pub const NEAR: usize = 128;

/// The words of [`NOWHERE`], for the lanes without an atom of a list.
#[cfg(not(target_arch = "nvptx64"))]
const FAR: [f32; 4] = [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0];

/// No atom: far from all.
const NOWHERE: Atom = Atom { x: f32::INFINITY, y: f32::INFINITY, z: f32::INFINITY, radius: 0.0 };

/// The atoms of a structure.
pub struct Around<'a> {
    pub cells: Cells<'a>,
    /// The batch's atoms in the order of cells.
    pub sorted: Clamped<'a, Atom>,
    /// The place in the batch of the structure's first atom. Places count in the batch, which takes fewer registers than a
    /// pointer to the structure's atoms.
    pub first: u32,
    /// Whether all atoms within [`REACH`] are counted, or only touching ones are searched.
    pub counts: bool,
}

impl Around<'_> {
    /// The distance within which atoms are listed.
    #[inline(always)]
    fn reach(&self) -> f32 {
        // On a device it is a constant: its register would cost more than shorter lists save.
        if self.counts || cfg!(target_arch = "nvptx64") {
            REACH
        } else {
            // Rounding must not lose an atom that just touches.
            const SLACK: f32 = 0.05;
            smaller(REACH, 2.0 * (self.cells.frame().largest + PROBE) + SLACK)
        }
    }

    /// Run `k` of the atoms within `reach` of a box in one cell, as places in the batch.
    #[inline(always)]
    pub fn near(&self, of: &Bounds, k: u32, reach: f32) -> Run {
        let run = self.cells.near(of, k, reach);
        Run { first: self.first.wrapping_add(run.first), end: self.first.wrapping_add(run.end) }
    }
}

/// The atoms of a pair of cells, and those around it.
pub struct Cell<'a> {
    /// The place of its first atom.
    pub first: u32,
    /// All atoms within reach of one of them.
    pub candidates: WarpItems<'a, Pick>,
}

/// Lists all atoms within reach of the `n` atoms from place `first` on, which lie in a pair of cells.
#[inline(always)]
pub fn list<'a, V>(
    warp: &mut Warp,
    candidates: &'a mut WarpList<Pick>,
    around: &Around,
    first: u32,
    n: u32,
) -> Cell<'a> {
    let sorted = &around.sorted;
    let bounds = Bounds::of_all::<V>(warp, n, |k| sorted.get(first.wrapping_add(k)));
    let reach = around.reach();
    let runs = warp.per_lane(|lane| around.near(&bounds, lane.index(), reach).ends());
    candidates.clear(warp);
    candidates.push_ranges_where(warp, sorted, &runs, |_, [x, y, z, _]| bounds.distance2([x, y, z]) <= reach * reach);
    #[cfg(not(target_arch = "nvptx64"))]
    candidates.pad(warp, FAR);
    Cell { first, candidates: candidates.items(warp) }
}

/// The numbers of atoms within [`REACH`] of each of two, that of the second in the upper half: there are fewer than 2^16
/// candidates. On a device each lane has its part.
#[cfg(target_arch = "nvptx64")]
type Within = PerLane<u32>;
/// On a core, which counts the bits of many comparisons at once.
#[cfg(not(target_arch = "nvptx64"))]
type Within = u32;

/// Two atoms of a pair of cells whose neighbours are searched together.
struct Two<'a, 'l> {
    a: Atom,
    b: Atom,
    /// An atom touches neither if it is farther away than its own radius and this.
    reach: f32,
    /// The lists of atoms that may touch each.
    near: [&'a mut WarpList<'l, Pick>; 2],
    within: Within,
}

impl Two<'_, '_> {
    /// Looks at the candidates from `begin` on, which are before `end`.
    #[inline(always)]
    fn look<V>(&mut self, warp: &mut Warp, picks: &Picks, begin: u32, end: u32) {
        let Self { a, b, reach, near: [near_a, near_b], within } = self;
        let [x, y, z, radius] = picks.words();
        // Lanes without a candidate are far from all, which is cheaper than a branch, and than to ask four times.
        #[cfg(target_arch = "nvptx64")]
        let x = {
            let last = end.wrapping_sub(1);
            warp.map(x, |lane, x| if begin.wrapping_add(lane.index()) <= last { *x } else { f32::INFINITY })
        };
        // On a core the list has such atoms. Copies show the compiler that no result lies in the list.
        #[cfg(not(target_arch = "nvptx64"))]
        let _ = (begin, end);
        #[cfg(not(target_arch = "nvptx64"))]
        let (x, y, z) = (warp.map(x, |_, x| *x), &warp.map(y, |_, y| *y), &warp.map(z, |_, z| *z));
        #[cfg(not(target_arch = "nvptx64"))]
        let radius = &warp.map(radius, |_, radius| *radius);
        let from_a = warp.map((&x, y, z), |_, (x, y, z)| square([*x - a.x, *y - a.y, *z - a.z]));
        let from_b = warp.map((&x, y, z), |_, (x, y, z)| square([*x - b.x, *y - b.y, *z - b.z]));
        #[cfg(target_arch = "nvptx64")]
        warp.each_with(within, (&from_a, &from_b), |_, within, (a, b)| {
            let (a, b) = (if *a <= REACH * REACH { 1 } else { 0 }, if *b <= REACH * REACH { 1 << 16 } else { 0 });
            *within = within.wrapping_add(a).wrapping_add(b);
        });
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let [a, b] = [&from_a, &from_b].map(|from| warp.count(from, |_, d2| *d2 <= REACH * REACH));
            *within = within.wrapping_add(a).wrapping_add(b << 16);
        }
        let far2 = warp.map(radius, |_, radius| (radius + *reach) * (radius + *reach));
        near_a.push_picks_where(warp, picks, (&from_a, &far2), |_, (d2, far2)| d2 < far2);
        near_b.push_picks_where(warp, picks, (&from_b, &far2), |_, (d2, far2)| d2 < far2);
    }
}

/// Lists the atoms that may touch atom `k` of a pair of cells, and, if `two`, the same for the next atom. Returns the
/// number of atoms within reach of each: the first one's in the lower half of the word.
#[inline(always)]
pub fn of_two<V>(
    warp: &mut Warp,
    cell: &Cell,
    near: [&mut WarpList<Pick>; 2],
    around: &Around,
    k: u32,
    two: bool,
) -> u32 {
    // Rounding must not lose an atom that just touches.
    const SLACK: f32 = 1e-4;
    let (sorted, candidates) = (&around.sorted, cell.candidates);
    let first = cell.first.wrapping_add(k);
    let (a, b) = (sorted.get(first), if two { sorted.get(first.wrapping_add(1)) } else { NOWHERE });
    let [near_a, near_b] = near;
    near_a.clear(warp);
    near_b.clear(warp);
    let reach = larger(a.radius, b.radius) + (2.0 * PROBE + SLACK);
    #[cfg(target_arch = "nvptx64")]
    let within = warp.per_lane(|_| 0u32);
    #[cfg(not(target_arch = "nvptx64"))]
    let within = 0;
    let mut two = Two { a, b, reach, near: [near_a, near_b], within };
    let n = candidates.len();
    if n > 0 {
        // Candidates are read while those before them are looked at.
        let mut begin = 0u32;
        let mut these = candidates.picks_ahead(warp, sorted, 0);
        loop {
            let those = candidates.picks_ahead(warp, sorted, begin.wrapping_add(32));
            two.look::<[V; 1]>(warp, &these, begin, n);
            begin = begin.wrapping_add(32);
            if begin >= n {
                break;
            }
            these = candidates.picks_ahead(warp, sorted, begin.wrapping_add(32));
            two.look::<[V; 2]>(warp, &those, begin, n);
            begin = begin.wrapping_add(32);
            if begin >= n {
                break;
            }
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    two.near.iter_mut().for_each(|near| near.pad(warp, FAR));
    #[cfg(target_arch = "nvptx64")]
    return warp.sum(&two.within);
    #[cfg(not(target_arch = "nvptx64"))]
    two.within
}

/// The number of atoms within reach of one, without lists: for atoms with more neighbours than the lists have room for.
#[inline(always)]
pub fn crowd<V>(warp: &mut Warp, around: &Around, atom: Atom) -> u32 {
    let within = warp.per_lane(|lane| {
        let mut within = 0u32;
        for k in 0..ROWS {
            let run = around.near(&Bounds::of(atom), k, REACH);
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
