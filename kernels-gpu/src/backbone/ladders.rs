//! Bridges between two stretches of a structure, and the ladders that they make.
//!
//! A bridge pairs rows `i < j`. Consecutive bridges form a ladder: rows `i + 1` and `j + 1` (parallel) or `j - 1`
//! (antiparallel) are the next pair. Ladders separated by a bulge count as one. A bulge has at most one additional residue on
//! one side and at most four on the other.

use super::marks::{LINKED, STARTS_SHIFT};
use super::{Carbon, HydrogenBonds, LadderStarts};
use cuda_std::prelude::*;

/// The patterns by which two rows are a bridge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bridge {
    None,
    Parallel,
    Antiparallel,
}

/// Marks a residue in a ladder of several bridges. The bits below say which of the ladders that begin there continue other ones.
pub const STRAND: u32 = 1 << 16;
/// Marks a residue in a ladder of one bridge.
pub const BRIDGE: u32 = 1 << 17;

/// Rows whose marks are read at a time by a thread that looks for the next ladder.
const AHEAD: u32 = 8;

/// The least distance between the rows of a pair.
const APART: u32 = 3;
/// Joined ladders are closer than this many rows on one side.
const BULGE: u32 = 6;
/// Joined ladders are closer than this many rows on the other side.
const SHORT_BULGE: u32 = 3;

/// A ladder: rows `i ..= i_end` are paired with `j ..= j_end`.
#[derive(Clone, Copy)]
struct Ladder {
    parallel: bool,
    i: u32,
    i_end: u32,
    j: u32,
    j_end: u32,
}

impl Ladder {
    #[inline(always)]
    fn of(i: u32, [j, shape]: [u32; 2]) -> Self {
        let (parallel, more) = (shape & 1 == 1, (shape >> 1) - 1);
        let (low, high) = if parallel { (j, j + more) } else { (j - more, j) };
        Self { parallel, i, i_end: i + more, j: low, j_end: high }
    }
}

/// Words of a row in [`LadderStarts`].
const WORDS: u32 = size_of::<LadderStarts>() as u32 / 4;

/// The ladders that begin at each of some rows: [`LadderStarts`].
pub struct Starts<'a> {
    pub words: View<'a, u32>,
}

impl Starts<'_> {
    /// The number of ladders that begin at a row.
    #[inline(always)]
    pub fn count(&self, row: u32) -> u32 {
        self.words.get(WORDS * row)
    }

    /// Ladder number `k` of those that begin at a row.
    #[inline(always)]
    fn ladder(&self, row: u32, k: u32) -> Ladder {
        let at = WORDS * row + 1 + 2 * (k & 7);
        Ladder::of(row, [self.words.get(at), self.words.get(at + 1)])
    }
}

/// The pattern of hydrogen bonds of one structure.
pub struct Pattern<'a> {
    pub carbons: View<'a, Carbon>,
    pub bonds: View<'a, HydrogenBonds>,
    pub n: u32,
}

impl Pattern<'_> {
    /// Whether row `i` is bound to the next one.
    #[inline(always)]
    pub fn is_linked(&self, i: u32) -> bool {
        self.carbons.get(i).is(Carbon::LINKED)
    }

    /// Whether the chain is unbroken from row `first` to row `last`, which is not below it.
    #[inline(always)]
    pub fn is_unbroken(&self, first: u32, last: u32) -> bool {
        let mut i = first;
        while i < last && self.is_linked(i) {
            i += 1;
        }
        i == last
    }

    /// Whether the N-H of row `donor` is bound to the C=O of row `acceptor`.
    #[inline(always)]
    pub fn has_bond(&self, donor: u32, acceptor: u32) -> bool {
        let [first, second] = self.bonds.get(donor).acceptors;
        first == acceptor || second == acceptor
    }

    /// Whether row `i` has a neighbour along the chain on both sides.
    #[inline(always)]
    fn is_inside(&self, i: u32) -> bool {
        i > 0 && i < self.n && self.is_linked(i - 1) && self.is_linked(i)
    }

    /// The bridge between rows `i` and `j`.
    #[inline(always)]
    fn bridge(&self, i: u32, j: u32) -> Bridge {
        // A row below 0 has wrapped around.
        if j >= self.n || i >= j || j - i < APART || !self.is_inside(i) || !self.is_inside(j) {
            Bridge::None
        } else if (self.has_bond(i + 1, j) && self.has_bond(j, i - 1))
            || (self.has_bond(j + 1, i) && self.has_bond(i, j - 1))
        {
            Bridge::Parallel
        } else if (self.has_bond(i + 1, j - 1) && self.has_bond(j + 1, i - 1))
            || (self.has_bond(j, i) && self.has_bond(i, j))
        {
            Bridge::Antiparallel
        } else {
            Bridge::None
        }
    }

    /// The partner of the row that is `step` rows after a ladder's first, whose partner is `j`.
    #[inline(always)]
    fn partner(kind: Bridge, j: u32, step: u32) -> u32 {
        if kind == Bridge::Parallel { j.wrapping_add(step) } else { j.wrapping_sub(step) }
    }

    /// Writes the ladders that begin at row `i` to element `at` of some [`LadderStarts`], of which `words` are the words.
    #[inline(always)]
    pub fn write_starts<M>(&self, thread: Thread, words: &M, at: u32, i: u32)
    where
        M: AtomicMemory<Item = u32>,
    {
        let first = WORDS * at;
        let mut count = 0;
        if self.is_inside(i) {
            self.each_start(i, |ladder| {
                let at = first + 1 + 2 * (count & 7);
                words.store(thread, at, ladder[0]);
                words.store(thread, at + 1, ladder[1]);
                count += 1;
            });
        }
        words.store(thread, first, count);
    }

    /// Calls `write` for the ladders that begin at row `i`, as [`LadderStarts`] has them.
    #[inline(always)]
    fn each_start(&self, i: u32, mut write: impl FnMut([u32; 2])) {
        // Every pattern has a bond from the N-H of row i or i + 1 to row j or j - 1.
        let ([a, b], [c, d]) = (self.bonds.get(i + 1).acceptors, self.bonds.get(i).acceptors);
        let candidates = [a, b, c, d];
        let mut last = i;
        loop {
            let mut lowest = u32::MAX;
            for k in 0..8 {
                let j = candidates[k / 2].wrapping_add((k % 2) as u32);
                if j > last && j < lowest && self.bridge(i, j) != Bridge::None {
                    lowest = j;
                }
            }
            if lowest == u32::MAX {
                return;
            }
            last = lowest;
            let kind = self.bridge(i, last);
            if self.bridge(i - 1, Self::partner(kind, last, u32::MAX)) == kind {
                continue;
            }
            let mut bridges = 1;
            while self.bridge(i + bridges, Self::partner(kind, last, bridges)) == kind {
                bridges += 1;
            }
            write([last, 2 * bridges + u32::from(kind == Bridge::Parallel)]);
        }
    }
}

/// The ladders of a structure, which are joined over bulges.
pub struct Joined<'a> {
    pub starts: Starts<'a>,
    pub marks: Clamped<'a, u32>,
    /// Those of the whole batch.
    pub strands: &'a Atomics<'a, u32>,
    /// The structure's first element in `strands`.
    pub first: u32,
}

impl Joined<'_> {
    /// Whether row `i` is bound to the next one.
    #[inline(always)]
    fn is_linked(&self, i: u32) -> bool {
        self.marks.get(i) & LINKED != 0
    }

    /// The number of ladders that begin at a row.
    #[inline(always)]
    fn count(&self, row: u32) -> u32 {
        self.marks.get(row) >> STARTS_SHIFT
    }

    /// Whether the chain is unbroken from row `first` to row `last`, which is not below it.
    #[inline(always)]
    fn is_unbroken(&self, first: u32, last: u32) -> bool {
        let mut i = first;
        while i < last && self.is_linked(i) {
            i += 1;
        }
        i == last
    }

    /// The next row of the stretch at which ladders begin, from row `row` on.
    #[inline(always)]
    fn next_start(&self, mut row: u32) -> Option<u32> {
        loop {
            // All at once, so that a thread waits once for several rows.
            let marks: [u32; AHEAD as usize] = core::array::from_fn(|k| self.marks.get(row + k as u32));
            for (k, marks) in marks.into_iter().enumerate() {
                if marks >> STARTS_SHIFT != 0 {
                    return Some(row + k as u32);
                }
                // The last row is not bound to another one.
                if marks & LINKED == 0 {
                    return None;
                }
            }
            row += AHEAD;
        }
    }

    /// If row `i` begins an unbroken stretch, joins the stretch's ladders over bulges and marks the rows of all of them in
    /// `strands`, which is 0 at first. One bit for each ladder that begins at a row says whether it continues another one.
    ///
    /// A ladder takes the ladders that continue it in the order of rows. So one thread does this; there is little to do.
    #[inline(always)]
    pub fn join_from(&self, thread: Thread, i: u32) {
        if i > 0 && self.is_linked(i - 1) {
            return;
        }
        let mut from = i;
        while let Some(row) = self.next_start(from) {
            for k in 0..self.count(row) {
                if !self.continues(thread, row, k) {
                    self.join(thread, self.starts.ladder(row, k));
                }
            }
            if !self.is_linked(row) {
                return;
            }
            from = row + 1;
        }
    }

    /// Whether ladder number `k` of those that begin at a row continues another one.
    #[inline(always)]
    fn continues(&self, thread: Thread, row: u32, k: u32) -> bool {
        self.strands.load(thread, self.first + row) & (1 << k) != 0
    }

    #[inline(always)]
    fn join(&self, thread: Thread, first: Ladder) {
        let (mut all, mut last) = (first, first);
        while let Some(next) = self.next(thread, last) {
            all.i_end = next.i_end;
            all.j = if next.j < all.j { next.j } else { all.j };
            all.j_end = if next.j_end > all.j_end { next.j_end } else { all.j_end };
            last = next;
        }
        let state = if all.i == all.i_end { BRIDGE } else { STRAND };
        for row in all.i..=all.i_end {
            self.strands.or(thread, self.first + row, state);
        }
        for row in all.j..=all.j_end {
            self.strands.or(thread, self.first + row, state);
        }
    }

    /// The first ladder that continues `last` beyond a bulge, and continues no other one yet.
    #[inline(always)]
    fn next(&self, thread: Thread, last: Ladder) -> Option<Ladder> {
        for gap in 1..BULGE {
            let row = last.i_end + gap;
            // The chain must be unbroken up to here.
            if !self.is_linked(row - 1) {
                return None;
            }
            for k in 0..self.count(row) {
                let next = self.starts.ladder(row, k);
                if self.goes_on(last, next, gap) && !self.continues(thread, row, k) {
                    self.strands.or(thread, self.first + row, 1 << k);
                    return Some(next);
                }
            }
        }
        None
    }

    /// Whether two ladders that are `gap` rows apart on one side are near enough on the other.
    #[inline(always)]
    fn goes_on(&self, last: Ladder, next: Ladder, gap: u32) -> bool {
        let (end, begin) = if last.parallel { (last.j_end, next.j) } else { (next.j_end, last.j) };
        last.parallel == next.parallel
            && begin >= end
            && (begin - end < SHORT_BULGE || (begin - end < BULGE && gap < SHORT_BULGE))
            && self.is_unbroken(end, begin)
    }
}
