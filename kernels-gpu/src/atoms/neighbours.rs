//! Neighbour search for the atoms of a pair of cells.
//!
//! A warp lists all atoms within reach of the pair once. It searches that list for two atoms at a time, counts the atoms
//! within [`REACH`] of each, and lists those that may touch it.

use super::cells::{Bounds, Cells, REACH, ROWS, Run};
use super::{PROBE, distance2, square};
use cuda_std::lists::*;
use cuda_std::math::{larger, smaller};
use cuda_std::prelude::*;
use shared_types::Atom;

/// Room in the list of atoms that may touch one of a pair of cells; real structures have up to about 380. On a core the list has all
/// atoms within reach: up to about 800.
pub const CANDIDATES: usize = if cfg!(target_arch = "nvptx64") { 408 } else { 896 };
/// Room in the list of the other atoms within reach of the pair; real structures have up to about 450. A core does not use it.
pub const FAR: usize = if cfg!(target_arch = "nvptx64") { 488 } else { 32 };
/// Room in the list of atoms that may touch an atom; real structures have up to about 90.
pub const NEAR: usize = if cfg!(target_arch = "nvptx64") { 104 } else { 128 };

/// The words of [`NOWHERE`], for the lanes without an atom of a list.
#[cfg(not(target_arch = "nvptx64"))]
const NOWHERE_WORDS: [f32; 4] = [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0];
/// An atom touches another one within the sum of their radii and this. Rounding must not lose an atom that just touches.
const MARGIN: f32 = 2.0 * PROBE + 1e-4;

/// No atom: far from all.
const NOWHERE: Atom = Atom { x: f32::INFINITY, y: f32::INFINITY, z: f32::INFINITY, radius: 0.0 };

/// The atoms of a structure.
pub struct Around<'a> {
    pub cells: Cells<'a>,
    /// The batch's atoms in the order of cells.
    pub sorted: Clamped<'a, Atom>,
    /// The rank in the batch of the structure's first atom. Ranks count in the batch, which takes fewer registers than a
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

    /// Run `k` of the atoms within `reach` of a box in one cell, as ranks in the batch.
    #[inline(always)]
    pub fn near(&self, of: &Bounds, k: u32, reach: f32) -> Run {
        let run = self.cells.near(of, k, reach);
        Run { first: self.first.wrapping_add(run.first), end: self.first.wrapping_add(run.end) }
    }
}

/// The atoms of a pair of cells, and those around it.
pub struct Cell<'a> {
    /// The rank of its first atom.
    pub first: u32,
    /// The atoms that may touch one of them.
    pub candidates: WarpItems<'a, Pick>,
    /// The other atoms within reach of one of them.
    pub far: WarpItems<'a, Pick>,
}

/// Lists all atoms within reach of the `n` atoms from rank `first` on, which lie in a pair of cells. `scratch` is a list that is not
/// in use.
#[inline(always)]
pub fn list<'a, 'l, V>(
    warp: &mut Warp,
    candidates: &'a mut WarpList<'l, Pick>,
    far: &'a mut WarpList<'l, Pick>,
    scratch: &mut WarpList<'_, Pick>,
    around: &Around,
    first: u32,
    n: u32,
) -> Cell<'a> {
    let sorted = &around.sorted;
    let bounds = Bounds::of_all::<V>(warp, n, |k| sorted.get(first.wrapping_add(k)));
    let reach = around.reach();
    let runs = warp.per_lane(|lane| around.near(&bounds, lane.index(), reach).ends());
    candidates.clear(warp);
    far.clear(warp);
    // A core searches one list faster than two.
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let is_within = |_, [x, y, z, _]: [f32; 4]| bounds.distance2([x, y, z]) <= reach * reach;
        candidates.push_ranges_with(warp, scratch, sorted, &runs, is_within);
        candidates.pad(warp, NOWHERE_WORDS);
    }
    #[cfg(target_arch = "nvptx64")]
    {
        let (sides, touching) = (bounds.sides(), around.cells.frame().largest + MARGIN);
        warp.push_ranges_to([candidates, far], scratch, sorted, &runs, |_, [x, y, z, radius]| {
            let (d2, touching) = (sides.distance2([x, y, z]), touching + radius);
            let (is_within, may_touch) = (d2 <= reach * reach, d2 < touching * touching);
            [is_within & may_touch, is_within & !may_touch]
        });
    }
    Cell { first, candidates: candidates.items(warp), far: far.items(warp) }
}

/// 1 if a squared distance is at most that of [`REACH`], else 0: exactly, in one instruction.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn one_if_within(d2: f32) -> f32 {
    // The next larger number than 100 is 2^-17 larger. The product is exact, and so is the difference near 0.
    const STEEP: f32 = 131_072.0;
    math::fma_to_unit(d2, -STEEP, REACH * REACH * STEEP + 1.0)
}

/// The numbers of atoms within [`REACH`] of each of two. On a device each lane has its part.
#[cfg(target_arch = "nvptx64")]
type Within = [PerLane<f32>; 2];
/// On a core, which counts the bits of many comparisons at once, the second number is in the upper half: there are fewer than 2^16
/// candidates.
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
    /// Counts the atoms at `x`, `y` and `z` within [`REACH`]. Returns the squared distances from both atoms.
    #[inline(always)]
    fn count<V>(&mut self, warp: &mut Warp, x: &PerLane<f32>, y: &PerLane<f32>, z: &PerLane<f32>) -> [PerLane<f32>; 2] {
        let Self { a, b, within, .. } = self;
        let from_a = warp.map((x, y, z), |_, (x, y, z)| square([*x - a.x, *y - a.y, *z - a.z]));
        let from_b = warp.map((x, y, z), |_, (x, y, z)| square([*x - b.x, *y - b.y, *z - b.z]));
        #[cfg(target_arch = "nvptx64")]
        {
            let [within_a, within_b] = within;
            warp.each_with(within_a, &from_a, |_, within, d2| *within += one_if_within(*d2));
            warp.each_with(within_b, &from_b, |_, within, d2| *within += one_if_within(*d2));
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let [a, b] = [&from_a, &from_b].map(|from| warp.count(from, |_, d2| *d2 <= REACH * REACH));
            *within = within.wrapping_add(a).wrapping_add(b << 16);
        }
        [from_a, from_b]
    }

    /// Counts the far picks of the first `n` lanes.
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn count_far<V>(&mut self, warp: &mut Warp, picks: &Picks, n: u32) {
        let [x, y, z, radius] = picks.words();
        // Lanes without an atom are far from all. (Adding nothing uses the radius, because all words that are read ahead must be
        // used. A comparison would not do: the compiler would compare where they are read, and the warp would wait there.)
        let x = warp.map((x, radius), |lane, (x, radius)| {
            let x = math::fma(*radius, 0.0, *x);
            if lane.index() < n { x } else { f32::INFINITY }
        });
        self.count::<V>(warp, &x, y, z);
    }

    /// Counts the picks of the first `n` lanes, and lists those that may touch.
    #[inline(always)]
    fn look<V>(&mut self, warp: &mut Warp, picks: &Picks, n: u32) {
        let [x, y, z, radius] = picks.words();
        // Lanes without an atom are far from all, which is cheaper than a branch, and than to ask four times.
        #[cfg(target_arch = "nvptx64")]
        let x = &warp.map(x, |lane, x| if lane.index() < n { *x } else { f32::INFINITY });
        // On a core the list has such atoms. Copies show the compiler that no result lies in the list.
        #[cfg(not(target_arch = "nvptx64"))]
        let _ = n;
        #[cfg(not(target_arch = "nvptx64"))]
        let (x, y, z, radius) =
            (&warp.map(x, |_, x| *x), &warp.map(y, |_, y| *y), &warp.map(z, |_, z| *z), &warp.map(radius, |_, r| *r));
        let [from_a, from_b] = self.count::<V>(warp, x, y, z);
        let Self { reach, near: [near_a, near_b], .. } = self;
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
    let (sorted, candidates) = (&around.sorted, cell.candidates);
    let first = cell.first.wrapping_add(k);
    let (a, b) = (sorted.get(first), if two { sorted.get(first.wrapping_add(1)) } else { NOWHERE });
    let [near_a, near_b] = near;
    near_a.clear(warp);
    near_b.clear(warp);
    let reach = larger(a.radius, b.radius) + MARGIN;
    #[cfg(target_arch = "nvptx64")]
    let within = [(); 2].map(|()| warp.per_lane(|_| 0.0));
    #[cfg(not(target_arch = "nvptx64"))]
    let within = 0;
    let mut two = Two { a, b, reach, near: [near_a, near_b], within };
    // In both lists, atoms are read while those before them are looked at: two turns before, where a turn is short.
    #[cfg(target_arch = "nvptx64")]
    if !cell.far.is_empty() {
        let far = cell.far;
        let mut left = far.len();
        let mut next = 64u32;
        let mut first = far.picks(warp, sorted, 0);
        let mut second = far.picks_ahead(warp, sorted, 32);
        loop {
            let third = far.picks_ahead(warp, sorted, next);
            two.count_far::<[V; 1]>(warp, &first, left);
            if left <= 32 {
                break;
            }
            first = far.picks_ahead(warp, sorted, next.wrapping_add(32));
            two.count_far::<[V; 2]>(warp, &second, left.wrapping_sub(32));
            if left <= 64 {
                break;
            }
            second = far.picks_ahead(warp, sorted, next.wrapping_add(64));
            two.count_far::<[V; 3]>(warp, &third, left.wrapping_sub(64));
            if left <= 96 {
                break;
            }
            (left, next) = (left.wrapping_sub(96), next.wrapping_add(96));
        }
    }
    if !candidates.is_empty() {
        let mut left = candidates.len();
        let mut begin = 0u32;
        let mut these = candidates.picks_ahead(warp, sorted, 0);
        loop {
            let those = candidates.picks_ahead(warp, sorted, begin.wrapping_add(32));
            two.look::<[V; 4]>(warp, &these, left);
            begin = begin.wrapping_add(32);
            if left <= 32 {
                break;
            }
            left = left.wrapping_sub(32);
            these = candidates.picks_ahead(warp, sorted, begin.wrapping_add(32));
            two.look::<[V; 5]>(warp, &those, left);
            begin = begin.wrapping_add(32);
            if left <= 32 {
                break;
            }
            left = left.wrapping_sub(32);
        }
    }
    #[cfg(target_arch = "nvptx64")]
    {
        let [a, b] = &two.within;
        // There are fewer than 2^12 of each in a lane.
        let within = warp.map((a, b), |_, (a, b)| math::to_u32(math::fma(*b, 65_536.0, *a)));
        warp.sum(&within)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        two.near.iter_mut().for_each(|near| near.pad(warp, NOWHERE_WORDS));
        two.within
    }
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
