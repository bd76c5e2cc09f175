//! Depth: the distance from an atom to the nearest one with accessible area.
//!
//! A warp takes the atoms of a few cells in a row. It lists the atoms with area in and around these cells once, and searches
//! the list for all of its atoms without area together. If the nearest one may be outside of the list, the warp searches again
//! for that atom alone.

use super::cells::{Bounds, Cells};
#[cfg(not(target_arch = "nvptx64"))]
use super::square;
use super::{distance2, lower};
use crate::points::near;
use crate::scratch::AtomSurface;
use cuda_std::lists::*;
use cuda_std::math::{NAN, smaller, sqrt};
use cuda_std::prelude::*;
use shared_types::Atom;

/// The search ends at this distance in Å. In no protein is an atom half as far from the surface. Without a limit, the time for a
/// body that is solid for hundreds of Å would grow with the square of its atoms.
pub const DEEPEST: f32 = 40.0;

/// The number of cells of which a warp takes the atoms.
pub const CELLS: u32 = 4;
/// Room in a warp's list of atoms with area in and around those cells; real structures have some 100.
pub const EXPOSED: usize = if cfg!(target_arch = "nvptx64") { 142 } else { 160 };
/// Room in a warp's list of atoms without area: of one per lane. It is scratch memory before.
pub const BURIED: usize = near::SCRATCH;

/// An atom with area. On a device it lies in shared memory, because lanes read different ones.
#[cfg(target_arch = "nvptx64")]
pub type Exposed = [f32; 4];
/// On a core, coordinates of several atoms lie together.
#[cfg(not(target_arch = "nvptx64"))]
pub type Exposed = Pick;

/// The atoms of one structure, in the order of cells.
#[derive(Clone, Copy)]
pub struct Atoms<'a> {
    pub cells: Cells<'a>,
    pub sorted: Clamped<'a, Atom>,
    pub surface: Clamped<'a, AtomSurface>,
}

impl Atoms<'_> {
    /// Whether the atom of a rank has area.
    #[inline(always)]
    fn is_exposed(&self, rank: u32) -> bool {
        self.surface.get(rank).exposed > 0
    }
}

/// Finds the depths of a part's atoms, which lie in a few cells of a row. The part's ranks count from `first`. NaN if no atom
/// within [`DEEPEST`] has area.
#[inline(always)]
pub fn find<V>(
    warp: &mut Warp,
    exposed: &mut WarpList<Exposed>,
    buried: &mut WarpList<u32>,
    part: &mut WarpPart<Segment<f32>>,
    first: u32,
    atoms: &Atoms,
) {
    let mut begin = 0u32;
    while begin < part.len() {
        let n = part.len().wrapping_sub(begin).min(32);
        let first = first.wrapping_add(part.start()).wrapping_add(begin);
        let depths = of_some::<V>(warp, exposed, buried, first, n, atoms);
        part.set_by_lane(warp, begin / 32, &depths);
        begin = begin.wrapping_add(32);
    }
}

/// The depths of the `n` atoms from rank `first` on: at most 32, one for each lane.
#[inline(always)]
fn of_some<V>(
    warp: &mut Warp,
    exposed: &mut WarpList<Exposed>,
    buried: &mut WarpList<u32>,
    first: u32,
    n: u32,
    atoms: &Atoms,
) -> PerLane<f32> {
    let cells = &atoms.cells;
    let rank = warp.per_lane(|lane| first.wrapping_add(lane.index()));
    let is_buried = warp.map(&rank, |lane, rank| (lane.index() < n) & !atoms.is_exposed(*rank));
    let mut left = warp.ballot(&is_buried, |_, is_buried| *is_buried);
    if left == 0 {
        return warp.per_lane(|_| 0.0);
    }
    exposed.clear(warp);
    let last = first.wrapping_add(n).wrapping_sub(1);
    let region = cells.around_both(atoms.sorted.get(first), atoms.sorted.get(last), 1);
    let rows = region.rows();
    let runs =
        warp.per_lane(|lane| if lane.index() < rows { cells.run_of(region, lane.index()).ends() } else { [0; 2] });
    list::<V>(warp, exposed, buried, &runs, atoms);
    buried.clear(warp);
    buried.push_where(warp, &rank, &is_buried, |_, is_buried| *is_buried);
    let (exposed, buried) = (exposed.items(warp), buried.items(warp));
    let nearest = nearest::<V>(warp, buried, left, exposed, atoms.sorted);
    let mut depths =
        warp.map((&nearest, &is_buried), |_, (nearest, is_buried)| if *is_buried { sqrt(*nearest) } else { 0.0 });
    if exposed.is_complete() {
        let seen = smaller(cells.seen(1), DEEPEST);
        left &= warp.ballot(&nearest, |_, nearest| *nearest > seen * seen);
        if left != 0 {
            // Most atoms are farther from the cells that were not searched.
            left &= warp.ballot(&nearest, |lane, nearest| {
                let own = atoms.sorted.get(first.wrapping_add(lane.index()));
                let seen = smaller(cells.seen_in(region, own), DEEPEST);
                *nearest > seen * seen
            });
        }
    }
    while left != 0 {
        let next = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        let within = warp.broadcast(&depths, next);
        let depth = farther::<V>(warp, atoms.sorted.get(first.wrapping_add(next)), within, atoms);
        warp.each(&mut depths, |lane, own| *own = if lane.index() == next { depth } else { *own });
    }
    depths
}

/// Lists the atoms with area in the lanes' ranges. `scratch` is a list that is not in use.
#[inline(always)]
fn list<V>(
    warp: &mut Warp,
    exposed: &mut WarpList<Exposed>,
    scratch: &mut WarpList<u32>,
    ranges: &PerLane<[u32; 2]>,
    atoms: &Atoms,
) {
    #[cfg(target_arch = "nvptx64")]
    warp.each_of_ranges_with(scratch, ranges, |warp, ranks, n| {
        let words = warp.map(ranks, |_, rank| {
            let Atom { x, y, z, radius } = atoms.sorted.get(*rank);
            [x, y, z, radius]
        });
        let counts = warp.map(ranks, |_, rank| atoms.surface.get(*rank).exposed);
        exposed.push_where(warp, &words, &counts, |lane, exposed| (lane.index() < n) & (*exposed > 0));
    });
    #[cfg(not(target_arch = "nvptx64"))]
    {
        exposed.push_ranges_with(warp, scratch, &atoms.sorted, ranges, |rank, _| atoms.is_exposed(rank));
        // Lanes without an atom get one that is far from all.
        exposed.pad(warp, [f32::INFINITY; 4]);
    }
}

/// The squared distance to the nearest atom of a list, for the lanes' atoms that are buried. Their bits are in `lanes`. Unspecified
/// for the others.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn nearest<V>(
    warp: &mut Warp,
    buried: WarpItems<u32>,
    lanes: u32,
    exposed: WarpItems<Exposed>,
    sorted: Clamped<Atom>,
) -> PerLane<f32> {
    // Several lanes share the list for each buried atom.
    let questions = Questions::new(buried.len());
    let sharing = questions.lanes();
    let mut nearest = warp.per_lane(|lane| {
        let atom = sorted.get(buried.get_clamped(questions.of(lane)));
        let mut nearest = f32::INFINITY;
        // Two at a time: the second one may be tested twice.
        let to = |at: u32| {
            let [x, y, z, radius] = exposed.get_clamped(at);
            distance2(atom, Atom { x, y, z, radius })
        };
        let mut at = lane.index() % sharing;
        while at < exposed.len() {
            nearest = lower(nearest, lower(to(at), to(at.wrapping_add(sharing))));
            at = at.wrapping_add(sharing.wrapping_mul(2));
        }
        nearest
    });
    let mut partner = sharing / 2;
    while partner > 0 {
        let other = warp.shuffle_xor(&nearest, partner);
        warp.each_with(&mut nearest, &other, |_, nearest, other| *nearest = lower(*nearest, *other));
        partner /= 2;
    }
    warp.shuffle(&nearest, |lane| {
        let before = lanes & 1u32.wrapping_shl(lane.index()).wrapping_sub(1);
        before.count_ones().wrapping_mul(sharing)
    })
}

#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn nearest<V>(
    warp: &mut Warp,
    buried: WarpItems<u32>,
    mut lanes: u32,
    exposed: WarpItems<Exposed>,
    sorted: Clamped<Atom>,
) -> PerLane<f32> {
    let mut all = warp.per_lane(|_| 0.0);
    for rank in buried.range(0, buried.len()) {
        let atom = sorted.get(rank);
        let mut nearest = warp.per_lane(|_| [f32::INFINITY]);
        let mut at = 0u32;
        while at < exposed.len() {
            let picks = exposed.picks(warp, &sorted, at);
            let [x, y, z, _] = picks.words();
            warp.each_with(&mut nearest, (x, y, z), |_, [nearest], (x, y, z)| {
                *nearest = lower(*nearest, square([*x - atom.x, *y - atom.y, *z - atom.z]));
            });
            at = at.wrapping_add(32);
        }
        let [nearest] = warp.smallest(&nearest);
        let own = lanes.trailing_zeros();
        lanes &= lanes.wrapping_sub(1);
        warp.each(&mut all, |lane, to| *to = if lane.index() == own { nearest } else { *to });
    }
    all
}

/// The depth of an atom of which only is known that it is not greater than `within`, which may be infinite.
#[inline(always)]
fn farther<V>(warp: &mut Warp, atom: Atom, within: f32, atoms: &Atoms) -> f32 {
    let is_known = within < DEEPEST;
    let mut reach = if is_known { within } else { 2.0 * atoms.cells.seen(1) };
    loop {
        let mut nearest = warp.per_lane(|_| [f32::INFINITY]);
        near::each_near::<V>(warp, &atoms.cells, &Bounds::of(atom), reach, |warp, ranks, _| {
            warp.each_with(&mut nearest, ranks, |_, [nearest], rank| {
                let to = distance2(atom, atoms.sorted.get(*rank));
                *nearest = smaller(*nearest, if atoms.is_exposed(*rank) { to } else { f32::INFINITY });
            });
        });
        let [nearest] = warp.smallest(&nearest);
        if is_known || nearest <= reach * reach || reach >= DEEPEST {
            return if nearest <= DEEPEST * DEEPEST { sqrt(nearest) } else { NAN };
        }
        reach *= 2.0;
    }
}
