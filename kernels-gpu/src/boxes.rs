//! Boxes around alpha carbons that follow each other, in a tree. So a residue finds those near it without looking at all of them.
//!
//! A leaf has eight consecutive residues, and a node has eight leaves or nodes. Residues that follow each other are near each
//! other in space, so their boxes are small, and a walk from the root to what is near visits few nodes: as many in a large
//! structure as in a small one. (Cells of a grid would do as well, but residues would not be found in the order of the file. Sums
//! of floats are made in this order.) Leaves are visited in this order, and each has a residue for each thread of a team.
//!
//! Where residues that follow each other lie far apart, a walk visits more, and at worst everything. It never misses a residue:
//! rounding is monotonic, so the distance of a box is computed no larger than that of a point in it.

use cuda_std::math::{NAN, fma};
use cuda_std::prelude::*;

/// Residues of a leaf, children of a node, and threads of a team that walks.
pub const FAN: u32 = 8;
const SHIFT: u32 = 3;

/// A number for each of eight residues, leaves or nodes.
pub type Eight = [f32; FAN as usize];
/// Rows of a leaf: x, y and z of its residues, NaN where there is none.
const POINT: u32 = 3;
/// Rows of a node: the lowest x, y and z of its children, and the highest ones.
const BOX: u32 = 6;

/// The number of leaves (level 0), or of nodes of a level from 1 on.
#[inline(always)]
const fn count(n: u32, level: u32) -> u32 {
    // From level 10 on there is one node.
    n.wrapping_sub(1).unbounded_shr(SHIFT.wrapping_mul(level.wrapping_add(1))).wrapping_add(1)
}

/// The number of rows of a level of nodes.
#[inline(always)]
const fn rows_of_level(n: u32, level: u32) -> u32 {
    BOX.wrapping_mul(count(n, level))
}

/// The number of rows of eight for a structure of `n` residues: about one for two residues.
#[must_use]
pub const fn rows_of_eight(n: u32) -> u32 {
    if n == 0 {
        return 0;
    }
    let (mut rows, mut level) = (POINT * count(n, 0), 1);
    loop {
        rows += BOX * count(n, level);
        if count(n, level) == 1 {
            return rows;
        }
        level += 1;
    }
}

/// Writes the tree of `n` residues. Missing positions are NaN.
#[inline(always)]
pub fn build<V>(block: &mut Block, n: u32, position: impl Fn(u32) -> [f32; 3] + Sync, rows: &mut Segment<Eight>) {
    let mut rows = rows.whole();
    rows.fill(block, POINT * count(n, 0), |row| {
        let (leaf, axis) = (row / POINT, row % POINT);
        core::array::from_fn(|k| {
            let i = FAN.wrapping_mul(leaf).wrapping_add(k as u32);
            let [x, y, z] = if i < n { position(i) } else { [NAN; 3] };
            if axis == 0 {
                x
            } else if axis == 1 {
                y
            } else {
                z
            }
        })
    });
    // The rows of the children, and where those of the nodes begin.
    let (mut below, mut first, mut level) = (0, POINT * count(n, 0), 1);
    loop {
        let (children, nodes) = (count(n, level - 1), count(n, level));
        let (done, mut rest) = rows.split_at(first);
        let done = done.view(first);
        rest.fill(block, BOX * nodes, |row| {
            let (node, end) = (row / BOX, row % BOX);
            let is_high = end >= 3;
            core::array::from_fn(|k| {
                let child = FAN.wrapping_mul(node).wrapping_add(k as u32);
                let nothing = if is_high { f32::NEG_INFINITY } else { f32::INFINITY };
                if child >= children {
                    return nothing;
                }
                let ends =
                    if level == 1 { done.get(POINT * child + end % 3) } else { done.get(below + BOX * child + end) };
                ends.into_iter().fold(nothing, |so_far, x| {
                    // Comparisons leave out NaN.
                    let is_beyond = if is_high { x > so_far } else { x < so_far };
                    if is_beyond { x } else { so_far }
                })
            })
        });
        if nodes == 1 {
            return;
        }
        (below, first, level) = (first, first + BOX * nodes, level + 1);
    }
}

/// The tree of one structure.
#[derive(Clone, Copy)]
pub struct Boxes<'a> {
    rows: &'a [Eight],
    n: u32,
}

/// A row of eight numbers, of which a thread of a device reads its own.
#[derive(Clone, Copy)]
struct Row<'a> {
    #[cfg(not(target_arch = "nvptx64"))]
    numbers: &'a Eight,
    #[cfg(target_arch = "nvptx64")]
    numbers: Clamped<'a, f32>,
    #[cfg(target_arch = "nvptx64")]
    first: u32,
}

impl Row<'_> {
    #[inline(always)]
    fn get(&self, k: u32) -> f32 {
        #[cfg(not(target_arch = "nvptx64"))]
        return self.numbers[(k % FAN) as usize];
        #[cfg(target_arch = "nvptx64")]
        return self.numbers.get(self.first.wrapping_add(k));
    }
}

impl<'a> Boxes<'a> {
    /// The tree of `n` residues that [`build`] wrote, from row `first` of `rows` on.
    #[inline(always)]
    pub fn of(rows: &'a [Eight], first: u32, n: u32) -> Self {
        Self { rows: rows.part(first, rows_of_eight(n)), n }
    }

    #[inline(always)]
    fn row(&self, row: u32) -> Row<'a> {
        #[cfg(not(target_arch = "nvptx64"))]
        return Row { numbers: self.rows.at_ref(row) };
        #[cfg(target_arch = "nvptx64")]
        return Row { numbers: View::of(self.rows.as_flattened()).clamped(), first: FAN.wrapping_mul(row) };
    }

    /// The leaves that may have residues within `reach` of a point, in the order of the file. `reach2` is its square.
    #[inline(always)]
    pub fn near<V>(self, team: &mut Team<FAN>, of: [f32; 3], reach2: f32) -> Walk<'a> {
        let (mut level, mut first) = (1u32, POINT.wrapping_mul(count(self.n, 0)));
        while count(self.n, level) > 1 {
            first = first.wrapping_add(rows_of_level(self.n, level));
            level = level.wrapping_add(1);
        }
        let mut walk = Walk { boxes: self, of, reach2, top: level, level, first, node: 0, left: 0 };
        // Nothing is near a missing residue.
        if !of[0].is_nan() {
            walk.enter::<V>(team);
        }
        walk
    }

    /// The residues of a leaf that are nearer to a point than a distance, as bits. `reach2` is the square of the distance.
    #[inline(always)]
    pub fn nearer<V>(&self, team: &mut Team<FAN>, leaf: u32, of: [f32; 3], reach2: f32) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.row(POINT.wrapping_mul(leaf).wrapping_add(axis)));
        team.votes(|k| {
            let (x, y, z) = (x.get(k) - of[0], y.get(k) - of[1], z.get(k) - of[2]);
            fma(x, x, fma(y, y, z * z)) < reach2
        })
    }
}

/// A walk through the tree: [`Boxes::near`].
pub struct Walk<'a> {
    boxes: Boxes<'a>,
    of: [f32; 3],
    reach2: f32,
    /// The root's level, and that of the node where the walk is.
    top: u32,
    level: u32,
    /// The first row of that level, and the number of the node in it.
    first: u32,
    node: u32,
    /// The children still to visit: eight bits for each level. (2^27 residues have eight levels.)
    left: u64,
}

impl Walk<'_> {
    /// The next leaf. All threads of the team get it.
    #[inline(always)]
    pub fn next<V>(&mut self, team: &mut Team<FAN>) -> Option<u32> {
        loop {
            let here = (self.left >> self.shift()) as u32 & 0xff;
            if here == 0 {
                if self.level == self.top {
                    return None;
                }
                self.first = self.first.wrapping_add(rows_of_level(self.boxes.n, self.level));
                self.level = self.level.wrapping_add(1);
                self.node /= FAN;
                continue;
            }
            let k = here.trailing_zeros();
            self.left &= !(1u64.wrapping_shl(self.shift().wrapping_add(k)));
            let child = FAN.wrapping_mul(self.node).wrapping_add(k);
            if self.level == 1 {
                return Some(child);
            }
            self.level = self.level.wrapping_sub(1);
            self.first = self.first.wrapping_sub(rows_of_level(self.boxes.n, self.level));
            self.node = child;
            self.enter::<V>(team);
        }
    }

    /// Notes the children to visit of the node where the walk has arrived.
    #[inline(always)]
    fn enter<V>(&mut self, team: &mut Team<FAN>) {
        let (boxes, of, reach2) = (self.boxes, self.of, self.reach2);
        let row = self.first.wrapping_add(BOX.wrapping_mul(self.node));
        let ends: [Row; BOX as usize] = [0, 1, 2, 3, 4, 5].map(|end| boxes.row(row.wrapping_add(end)));
        let near = team.votes(|k| {
            let away = |axis: usize| {
                let (below, above) = (ends[axis].get(k) - of[axis], of[axis] - ends[axis + 3].get(k));
                let away = if below > above { below } else { above };
                if away > 0.0 { away } else { 0.0 }
            };
            let (x, y, z) = (away(0), away(1), away(2));
            fma(x, x, fma(y, y, z * z)) <= reach2
        });
        self.left |= u64::from(near) << self.shift();
    }

    /// The first bit in `left` of the level where the walk is.
    #[inline(always)]
    fn shift(&self) -> u32 {
        FAN.wrapping_mul(self.level.wrapping_sub(1)) & 63
    }
}
