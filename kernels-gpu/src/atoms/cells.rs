//! Heavy atoms in the cells of a grid, so that neighbours are found without testing every atom.
//!
//! Cells are at least [`EDGE`] wide, half of [`REACH`], so an atom within reach of another is at most two cells away.
//! Cells of a row along x are contiguous in memory, and so are their atoms: a neighbourhood is a few *runs* of atoms. The
//! order of atoms within a cell may differ from run to run. Results are counts, sums of integers and smallest values,
//! which do not depend on it.

use super::{higher, lower};
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::math::{larger, smaller, sqrt};
use cuda_std::prelude::*;
use shared_types::Atom;

/// Distance in Å within which neighbours can be found.
pub const REACH: f32 = 10.0;
/// Bound of rounding errors of positions and borders, in Å, for structures up to 50,000 Å wide.
const SLACK: f32 = 0.02;
/// Smallest edge of a cell in Å.
pub const EDGE: f32 = REACH / 2.0 + 2.0 * SLACK;
/// Most rows of cells within reach.
pub const ROWS: u32 = 25;
/// Offsets of those rows from the middle in y and z, near ones first.
const NEAR_FIRST: [[i32; 2]; ROWS as usize] = [
    [0, 0],
    [-1, 0],
    [1, 0],
    [0, -1],
    [0, 1],
    [-1, -1],
    [-1, 1],
    [1, -1],
    [1, 1],
    [-2, 0],
    [2, 0],
    [0, -2],
    [0, 2],
    [-2, -1],
    [-2, 1],
    [2, -1],
    [2, 1],
    [-1, -2],
    [1, -2],
    [-1, 2],
    [1, 2],
    [-2, -2],
    [-2, 2],
    [2, -2],
    [2, 2],
];

/// Consecutive atoms: `first .. end`.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub struct Run {
    pub first: u32,
    pub end: u32,
}

impl Run {
    /// `first` and `end`.
    #[inline(always)]
    pub fn ends(self) -> [u32; 2] {
        [self.first, self.end]
    }
}

/// The geometry of a grid. It is kept in shared memory: all threads read it, and it would take many registers.
#[derive(Clone, Copy, Debug, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Frame {
    origin: [f32; 3],
    edge: f32,
    /// 1 / edge
    per_edge: f32,
    /// Cells along x, y and z.
    size: [u32; 3],
    /// Largest radius of an atom in Å.
    pub largest: f32,
    /// In a block's own copy: the index in the batch of the block's first atom.
    pub first: u32,
    _padding: [u32; 2],
}

impl Frame {
    /// The cell of a coordinate along an axis; the nearest cell if it is outside. It is monotonic in `at`.
    #[inline(always)]
    fn cell(&self, axis: usize, at: f32) -> u32 {
        let cell = math::to_u32((at - self.origin[axis]) * self.per_edge);
        cell.min(self.size[axis].wrapping_sub(1))
    }

    /// Number of the cell of a point.
    #[inline(always)]
    fn number(&self, x: f32, y: f32, z: f32) -> u32 {
        self.row(self.cell(1, y), self.cell(2, z)).wrapping_add(self.cell(0, x))
    }

    /// Number of cells.
    #[inline(always)]
    fn cells(&self) -> u32 {
        self.size[0] * self.size[1] * self.size[2]
    }

    /// Number of a row's first cell.
    #[inline(always)]
    fn row(&self, y: u32, z: u32) -> u32 {
        z.wrapping_mul(self.size[1]).wrapping_add(y).wrapping_mul(self.size[0])
    }

    /// How far a box is from cell `cell` along an axis.
    #[inline(always)]
    fn gap(&self, axis: usize, of: &Bounds, cell: u32) -> f32 {
        // Not fused, here and below: the slack covers the rounding, and this may run on cores without a fused instruction.
        let low = cell as f32 * self.edge + self.origin[axis] - SLACK;
        let high = cell.wrapping_add(1) as f32 * self.edge + self.origin[axis] + SLACK;
        larger(0.0, larger(low - of.high[axis], of.low[axis] - high))
    }
}

/// The bounding box of some atoms.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub struct Bounds {
    low: [f32; 3],
    high: [f32; 3],
}

impl Bounds {
    /// The box of one atom.
    #[inline(always)]
    pub fn of(atom: Atom) -> Self {
        Self::at([atom.x, atom.y, atom.z])
    }

    /// The box of one position.
    #[inline(always)]
    pub fn at(at: [f32; 3]) -> Self {
        Self { low: at, high: at }
    }

    /// The box between two corners.
    #[inline(always)]
    pub fn between(low: [f32; 3], high: [f32; 3]) -> Self {
        Self { low, high }
    }

    /// The box around both.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self {
            low: core::array::from_fn(|axis| smaller(self.low[axis], other.low[axis])),
            high: core::array::from_fn(|axis| larger(self.high[axis], other.high[axis])),
        }
    }

    /// The box around `n` atoms, found by one thread.
    #[inline(always)]
    pub fn of_few(n: u32, atom: impl Fn(u32) -> Atom) -> Self {
        // A core takes all coordinates of an atom at a time.
        let (mut low, mut high) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
        for k in 0..n {
            let Atom { x, y, z, radius } = atom(k);
            let at = [x, y, z, radius];
            for axis in 0..4 {
                low[axis] = smaller(low[axis], at[axis]);
                high[axis] = larger(high[axis], at[axis]);
            }
        }
        Self { low: [low[0], low[1], low[2]], high: [high[0], high[1], high[2]] }
    }

    /// The box around `n` atoms; around any if there is none.
    #[inline(always)]
    pub fn of_all<V>(warp: &mut Warp, n: u32, atom: impl Fn(u32) -> Atom + Sync) -> Self {
        if cfg!(not(target_arch = "nvptx64")) {
            return Self::of_few(n, atom);
        }
        // A lane takes one coordinate of every eighth atom. Lanes without an atom take the last one: a branch would separate the
        // lanes.
        let both_ends = |[low, high]: [f32; 2], [other_low, other_high]: [f32; 2]| {
            [lower(low, other_low), higher(high, other_high)]
        };
        let last = n.wrapping_sub(1);
        let own = |lane: Lane, begin: u32| {
            let Atom { x, y, z, radius } = atom(begin.wrapping_add(lane.index() / 4).min(last));
            let (is_odd, is_upper) = (lane.index() & 1 == 1, lane.index() & 2 == 2);
            let (low, high) = (if is_odd { y } else { x }, if is_odd { radius } else { z });
            if is_upper { high } else { low }
        };
        let mut ends = warp.per_lane(|lane| [own(lane, 0); 2]);
        let mut begin = 8u32;
        while begin < n {
            warp.each(&mut ends, |lane, ends| *ends = both_ends(*ends, [own(lane, begin); 2]));
            begin = begin.wrapping_add(8);
        }
        for lanes in [4, 8, 16] {
            let others = warp.shuffle_xor(&ends, lanes);
            warp.each_with(&mut ends, &others, |_, ends, others| *ends = both_ends(*ends, *others));
        }
        let [[a, d], [b, e], [c, f]] = [0, 1, 2].map(|axis| warp.broadcast(&ends, axis));
        Self { low: [a, b, c], high: [d, e, f] }
    }

    /// The squared distance of an atom from the box: with rounding, too, at most that from any atom in the box.
    #[inline(always)]
    pub fn distance2(&self, to: [f32; 3]) -> f32 {
        // (NaN counts as near.)
        let away = |axis: usize, at: f32| higher(higher(self.low[axis] - at, at - self.high[axis]), 0.0);
        let (x, y, z) = (away(0, to[0]), away(1, to[1]), away(2, to[2]));
        math::fma(x, x, math::fma(y, y, z * z))
    }
}

/// A cuboid of cells: its first and last cell along each axis.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub struct Region {
    low: [u32; 3],
    high: [u32; 3],
}

impl Region {
    /// The number of its rows of cells.
    #[inline(always)]
    pub fn rows(&self) -> u32 {
        self.width().wrapping_mul(self.high[2].wrapping_sub(self.low[2]).wrapping_add(1))
    }

    /// The number of its rows side by side in y.
    #[inline(always)]
    fn width(&self) -> u32 {
        self.high[1].wrapping_sub(self.low[1]).wrapping_add(1)
    }

    /// The cells along y and z of its row `k`.
    #[inline(always)]
    fn row(&self, k: u32) -> [u32; 2] {
        let width = self.width();
        let z = if cfg!(target_arch = "nvptx64") {
            k / width
        } else {
            // A core divides several at a time this way. The quotient is at least half of 1 / width away from the numbers at
            // which its whole part changes, and the error is far below that. Adding this rounds it to an integer, in the sum's
            // lowest bits: a conversion would not take several at a time.
            const TO_INTEGER: f64 = 6_755_399_441_055_744.0;
            ((f64::from(k) + 0.5) * (1.0 / f64::from(width)) - 0.5 + TO_INTEGER).to_bits() as u32
        };
        [self.low[1].wrapping_add(k.wrapping_sub(z.wrapping_mul(width))), self.low[2].wrapping_add(z)]
    }
}

/// A box as its middle and half of its sides, with which a distance takes fewer instructions on a device.
#[derive(Clone, Copy)]
#[cfg(target_arch = "nvptx64")]
pub struct Sides {
    middle: [f32; 3],
    half: [f32; 3],
}

#[cfg(target_arch = "nvptx64")]
impl Bounds {
    /// The box, or a slightly larger one.
    #[inline(always)]
    pub fn sides(&self) -> Sides {
        let middle: [f32; 3] = core::array::from_fn(|axis| 0.5 * (self.low[axis] + self.high[axis]));
        // More than the rounding errors of the differences here and in `distance2`. (That of the middle makes no difference.)
        let half = core::array::from_fn(|axis| {
            let half = higher(self.high[axis] - middle[axis], middle[axis] - self.low[axis]);
            math::fma(half, 1e-6, half + 1e-5)
        });
        Sides { middle, half }
    }
}

#[cfg(target_arch = "nvptx64")]
impl Sides {
    /// As [`Bounds::distance2`].
    #[inline(always)]
    pub fn distance2(&self, to: [f32; 3]) -> f32 {
        let away = |axis: usize| higher((to[axis] - self.middle[axis]).abs() - self.half[axis], 0.0);
        let (x, y, z) = (away(0), away(1), away(2));
        math::fma(x, x, math::fma(y, y, z * z))
    }
}

/// The atoms of one structure, cell by cell.
#[derive(Clone, Copy)]
pub struct Cells<'a> {
    frame: &'a Tile<'a, Frame>,
    /// Where each cell's atoms begin, and the end of all.
    starts: Clamped<'a, u32>,
    /// The index in the file of the atom of each rank in the order of cells.
    pub order: View<'a, u32>,
    /// The rank in that order of each atom of the file.
    pub rank: View<'a, u32>,
}

/// A grid for `n` atoms: its cells are wide enough that there are at most three per atom.
#[inline(always)]
pub fn frame<V>(block: &mut Block, n: u32, atoms: impl Fn(u32) -> Atom + Sync) -> Frame {
    // The upper corner and the largest radius are found as the smallest negative numbers.
    let ends = |i| {
        let Atom { x, y, z, radius } = atoms(i);
        [x, y, z, -x, -y, -z, -radius]
    };
    let lower = |a: [f32; 7], b: [f32; 7]| core::array::from_fn(|k| smaller(a[k], b[k]));
    let [x, y, z, high @ ..] = block.reduce(n, [f32::INFINITY; 7], ends, lower);
    let (low, high) = ([x, y, z], high.map(|end| -end));
    let extent = |axis: usize| high[axis] - low[axis];
    let room = 3.0 * n as f32;
    let mut edge = EDGE;
    loop {
        // This ends: with an infinite edge, all atoms are in one cell.
        let last: [u32; 3] = core::array::from_fn(|axis| (extent(axis) / edge) as u32);
        let cells = (last[0] as f32 + 1.0) * (last[1] as f32 + 1.0) * (last[2] as f32 + 1.0);
        if cells <= room {
            return Frame {
                origin: low,
                edge,
                per_edge: 1.0 / edge,
                size: last.map(|last| last + 1),
                largest: high[3],
                first: 0,
                _padding: [0; 2],
            };
        }
        edge *= 1.25;
    }
}

/// Sorts a structure's `n` atoms into the cells of its frame. Writes `sorted`, and `words` in the layout of [`Cells::of`].
#[inline(always)]
pub fn sort<V>(
    block: &mut Block,
    n: u32,
    atoms: impl Fn(u32) -> Atom + Sync,
    words: &mut Part<u32>,
    sorted: &mut Segment<Atom>,
    tile: &Tile<Frame>,
) {
    let cells = tile.get(0).cells();
    let cell_of = |i| {
        let atom = atoms(i);
        tile.get(0).number(atom.x, atom.y, atom.z)
    };
    let (mut starts, mut rest) = words.split_at(cells + 1);
    rest.fill(block, cells, |_| 0);
    // An atom's rank holds its number in its cell until the cells' starts are known. So atoms are counted once.
    rest.update_atomic(block, n, |thread, words, i| {
        let number = words.add(thread, cell_of(i), 1);
        words.store(thread, cells + n + i, number);
    });
    let counts = rest.view(cells);
    starts.exclusive_scan(block, cells + 1, 0, |c| if c < cells { counts.get(c) } else { 0 }, u32::wrapping_add);
    let first = starts.view(cells);
    rest.update_atomic(block, n, |thread, words, i| {
        let rank = first.get(cell_of(i)) + words.load(thread, cells + n + i);
        words.store(thread, cells + rank, i);
        words.store(thread, cells + n + i, rank);
    });
    let order = rest.view(cells + n).part(cells, n);
    sorted.fill(block, n, |k| atoms(order.get(k)));
}

impl<'a> Cells<'a> {
    /// The cells of a structure of `n` atoms from the words that [`sort`] wrote: the start of each cell and the end of
    /// the last; a counter for each cell; the atom of each rank; and the rank of each atom.
    #[inline(always)]
    pub fn of(words: View<'a, u32>, n: u32, frame: &'a Tile<'a, Frame>) -> Self {
        let cells = frame.get(0).cells();
        let atoms = 2 * cells + 1;
        Self {
            frame,
            starts: words.part(0, cells + 1).clamped(),
            order: words.part(atoms, n),
            rank: words.part(atoms + n, n),
        }
    }
}

impl Cells<'_> {
    /// The atoms from cell `low` to cell `high` of a row along x.
    #[inline(always)]
    fn run(&self, row: u32, low: u32, high: u32) -> Run {
        Run {
            first: self.starts.get(row.wrapping_add(low)),
            end: self.starts.get(row.wrapping_add(high).wrapping_add(1)),
        }
    }

    /// Run `k` of the [`ROWS`] runs that hold all atoms within `reach` of a box: [`REACH`] at most. The box lies in one row of
    /// cells.
    #[inline(always)]
    pub fn near(&self, of: &Bounds, k: u32, reach: f32) -> Run {
        let frame = self.frame.get(0);
        const NOTHING: Run = Run { first: 0, end: 0 };
        if cfg!(target_arch = "nvptx64") && k >= ROWS {
            return NOTHING;
        }
        let [in_y, in_z] = NEAR_FIRST[k.min(ROWS - 1) as usize];
        // A sum below 0 wraps, and is beyond the last cell, too.
        let y = frame.cell(1, of.low[1]).wrapping_add_signed(in_y);
        let z = frame.cell(2, of.low[2]).wrapping_add_signed(in_z);
        let exists = (k < ROWS) & (y < frame.size[1]) & (z < frame.size[2]);
        if cfg!(target_arch = "nvptx64") && !exists {
            return NOTHING;
        }
        let (gap_y, gap_z) = (frame.gap(1, of, y), frame.gap(2, of, z));
        self.part_of_row(exists, [y, z], of, reach * reach - (gap_y * gap_y + gap_z * gap_z))
    }

    /// The atoms of a row of cells whose distance from a box along x is at most the root of `rest`; none if that is negative,
    /// or the row does not exist.
    #[inline(always)]
    fn part_of_row(&self, exists: bool, [y, z]: [u32; 2], of: &Bounds, rest: f32) -> Run {
        const NOTHING: Run = Run { first: 0, end: 0 };
        let frame = self.frame.get(0);
        let is_far = rest < 0.0;
        let is_near = exists & !is_far;
        // A core finds the parts of several rows at a time, for which there must be no branch.
        if cfg!(target_arch = "nvptx64") && !is_near {
            return NOTHING;
        }
        let half = sqrt(rest) + SLACK;
        let run = self.run(frame.row(y, z), frame.cell(0, of.low[0] - half), frame.cell(0, of.high[0] + half));
        if is_near { run } else { NOTHING }
    }

    /// The cells that may hold atoms within `reach` Å of a box.
    #[inline(always)]
    pub fn within(&self, of: &Bounds, reach: f32) -> Region {
        let cell = |axis: usize, at: f32| self.frame.get(0).cell(axis, at);
        Region {
            low: core::array::from_fn(|axis| cell(axis, of.low[axis] - reach - SLACK)),
            high: core::array::from_fn(|axis| cell(axis, of.high[axis] + reach + SLACK)),
        }
    }

    /// Run `k` of a region of cells [`within`](Self::within) `reach` Å of a box, cut to what may be so near. Empty behind
    /// the last run.
    #[inline(always)]
    pub fn run_within(&self, region: Region, k: u32, of: &Bounds, reach: f32) -> Run {
        let exists = k < region.rows();
        if cfg!(target_arch = "nvptx64") && !exists {
            return Run { first: 0, end: 0 };
        }
        let frame = self.frame.get(0);
        let [y, z] = region.row(k);
        let (gap_y, gap_z) = (frame.gap(1, of, y), frame.gap(2, of, z));
        self.part_of_row(exists, [y, z], of, reach * reach - math::fma(gap_y, gap_y, gap_z * gap_z))
    }

    /// The number of the pair of adjacent cells in a row that has an atom. A warp takes the atoms of such a pair, and
    /// lists their neighbours once.
    #[inline(always)]
    pub fn pair_of(&self, atom: Atom) -> u32 {
        self.group_of(atom, 2)
    }

    /// The number of the group of `n` adjacent cells in a row that has an atom.
    #[inline(always)]
    pub fn group_of(&self, atom: Atom, n: u32) -> u32 {
        let frame = self.frame.get(0);
        frame.row(frame.cell(1, atom.y), frame.cell(2, atom.z)).wrapping_add(frame.cell(0, atom.x) / n)
    }

    /// The cells from that of `first` to that of `last`, which are in one row, and all cells up to `rings` away.
    #[inline(always)]
    pub fn around_both(&self, first: Atom, last: Atom, rings: u32) -> Region {
        Region { low: self.around(first, rings).low, high: self.around(last, rings).high }
    }

    /// The frame, which lies in shared memory.
    #[inline(always)]
    pub fn frame(&self) -> Frame {
        self.frame.get(0)
    }

    /// The cell of an atom, and all cells up to `rings` away.
    #[inline(always)]
    pub fn around(&self, at: Atom, rings: u32) -> Region {
        let cell: [u32; 3] = core::array::from_fn(|axis| self.frame.get(0).cell(axis, [at.x, at.y, at.z][axis]));
        Region {
            low: cell.map(|c| c.saturating_sub(rings)),
            high: core::array::from_fn(|axis| (cell[axis] + rings).min(self.frame.get(0).size[axis] - 1)),
        }
    }

    /// Distance in Å within which [`around`](Self::around) has all atoms.
    #[inline(always)]
    pub fn seen(&self, rings: u32) -> f32 {
        rings as f32 * self.frame.get(0).edge - SLACK
    }

    /// Distance in Å within which a region of cells has all atoms around one in it: that to the nearest cell outside.
    #[inline(always)]
    pub fn seen_in(&self, region: Region, at: Atom) -> f32 {
        let frame = self.frame.get(0);
        let mut seen = f32::INFINITY;
        for (axis, at) in [at.x, at.y, at.z].into_iter().enumerate() {
            let begin_of = |cell: u32| cell as f32 * frame.edge + frame.origin[axis];
            let (low, behind) = (region.low[axis], region.high[axis].wrapping_add(1));
            // Where the grid ends there are no other atoms.
            if low > 0 {
                seen = smaller(seen, at - begin_of(low));
            }
            if behind < frame.size[axis] {
                seen = smaller(seen, begin_of(behind) - at);
            }
        }
        seen - SLACK
    }

    /// Run `k` of a region.
    #[inline(always)]
    pub fn run_of(&self, region: Region, k: u32) -> Run {
        let [y, z] = region.row(k);
        self.run(self.frame.get(0).row(y, z), region.low[0], region.high[0])
    }
}
