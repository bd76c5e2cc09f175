//! Bridges between two stretches of a structure, and the ladders that they make.
//!
//! A bridge pairs rows `i < j`. Consecutive bridges form a ladder: rows `i + 1` and `j + 1` (parallel) or `j - 1`
//! (antiparallel) are the next pair. Ladders separated by a bulge count as one. A bulge has at most one additional residue on
//! one side and at most four on the other.

use super::{Carbon, HydrogenBonds, LadderStarts};
use cuda_std::prelude::*;

/// The patterns by which two rows are a bridge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bridge {
    None,
    Parallel,
    Antiparallel,
}

/// Marks a residue in a ladder of several bridges.
pub const STRAND: u32 = 1 << 16;
/// Marks a residue in a ladder of one bridge.
pub const BRIDGE: u32 = 1 << 17;

/// The bits from this one on hold the number of ladders that begin at the residue. Most residues have none.
const STARTS_SHIFT: u32 = 18;

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

/// The ladders that begin at each row of a structure: [`LadderStarts`].
pub struct Starts<'a> {
    pub words: View<'a, u32>,
}

impl Starts<'_> {
    /// The value in `strands` of a row before ladders are joined.
    #[inline(always)]
    pub fn not_joined(&self, row: u32) -> u32 {
        self.words.get(WORDS * row) << STARTS_SHIFT
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

    /// Writes the ladders that begin at row `i` to its words.
    #[inline(always)]
    pub fn write_starts<M>(&self, thread: Thread, words: &M, i: u32)
    where
        M: AtomicMemory<Item = u32>,
    {
        let first = WORDS * i;
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

    /// If row `i` begins an unbroken stretch, joins the stretch's ladders over bulges and marks the rows of all of them in
    /// `strands`, which holds [`Starts::not_joined`] at first. One bit for each ladder that begins at a row says whether it
    /// continues another one.
    ///
    /// A ladder takes the ladders that continue it in the order of rows. So one thread does this; there is little to do.
    #[inline(always)]
    pub fn join_ladders<M>(&self, thread: Thread, starts: &Starts, strands: &M, i: u32)
    where
        M: AtomicMemory<Item = u32>,
    {
        if i > 0 && self.is_linked(i - 1) {
            return;
        }
        let mut row = i;
        loop {
            for k in 0..strands.load(thread, row) >> STARTS_SHIFT {
                if strands.load(thread, row) & (1 << k) == 0 {
                    self.join(thread, starts, strands, starts.ladder(row, k));
                }
            }
            if !self.is_linked(row) {
                return;
            }
            row += 1;
        }
    }

    #[inline(always)]
    fn join<M>(&self, thread: Thread, starts: &Starts, strands: &M, first: Ladder)
    where
        M: AtomicMemory<Item = u32>,
    {
        let (mut all, mut last) = (first, first);
        while let Some(next) = self.next(thread, starts, strands, last) {
            all.i_end = next.i_end;
            all.j = if next.j < all.j { next.j } else { all.j };
            all.j_end = if next.j_end > all.j_end { next.j_end } else { all.j_end };
            last = next;
        }
        let state = if all.i == all.i_end { BRIDGE } else { STRAND };
        for row in all.i..=all.i_end {
            strands.or(thread, row, state);
        }
        for row in all.j..=all.j_end {
            strands.or(thread, row, state);
        }
    }

    /// The first ladder that continues `last` beyond a bulge, and continues no other one yet.
    #[inline(always)]
    fn next<M>(&self, thread: Thread, starts: &Starts, strands: &M, last: Ladder) -> Option<Ladder>
    where
        M: AtomicMemory<Item = u32>,
    {
        for gap in 1..BULGE {
            let row = last.i_end + gap;
            // The chain must be unbroken up to here.
            if !self.is_linked(row - 1) {
                return None;
            }
            for k in 0..strands.load(thread, row) >> STARTS_SHIFT {
                let next = starts.ladder(row, k);
                let bit = 1 << k;
                if self.goes_on(last, next, gap) && strands.load(thread, row) & bit == 0 {
                    strands.or(thread, row, bit);
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
