//! Scans: each element combined with all those before it.

use super::BlockMemory;
use crate::access::Readable;
use crate::block::Block;
use crate::bounds::check_length;
use crate::buffers::elements::Elements;
use crate::platform::Scan;
use crate::seal::INSIDE;

/// A block's scans over its memory: methods of every [`BlockMemory`] that can be read.
///
/// The order of the operations depends only on the number of elements, not on the number of threads. Every 32 neighbouring
/// values are a group, and the last one is filled up with `identity`. In a group, value `k` is combined with the one 1
/// below it, then 2, 4, 8, 16 below, with the lower one as the left operand. The last results of 32 neighbouring groups, a
/// round, are combined in the same way. Then element `i` is `(carry + before) + within`: `within` comes from its group,
/// `before` from the earlier groups of its round, and `carry` from the earlier rounds. Each of these is `identity` (or the
/// initial value) if there is none. The next carry is `carry + round`. `identity` must be neutral.
///
/// A scan takes two barriers for every 1024 values. A value has at most 32 bytes, in 32-bit words.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// The starts of runs of these lengths, and the end of the last run; then the sum of all starts.
/// #[kernel(threads = 64)]
/// fn begins(block: &mut Block, out: &mut Chunk<u32, 5>, lengths: &[u32], first: u32) {
///     let end = out.exclusive_scan_from(block, 4, first, 0, |i| lengths.at(i), |a, b| a + b);
///     out.set(block, 4, end);
/// }
///
/// /// Running sums, in place.
/// #[kernel(threads = 64)]
/// fn sums(block: &mut Block, out: &mut Chunk<u32, 5>) {
///     let n = out.len();
///     out.inclusive_scan_in_place(block, n, 0, |a, b| a + b);
/// }
/// # fn main() {
/// let mut out = [0; 5];
/// begins::launch(&CpuExecutor::new(), 1, begins::Args { out: &mut out, lengths: &[3, 0, 2, 4], first: 100 }).unwrap();
/// assert_eq!(out, [100, 103, 103, 105, 109]);
/// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [100, 203, 306, 411, 520]);
/// # }
/// ```
pub trait Scans: BlockMemory {
    /// Writes to every element `i` below `n` the value `value(i)` combined with all values before it. Returns the
    /// combination of all `n` values, which is `identity` for `n == 0`.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](BlockMemory::len).
    #[inline(always)]
    #[track_caller]
    fn inclusive_scan(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: Self::Item,
        value: impl Fn(u32) -> Self::Item + Sync,
        combine: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self: Readable,
    {
        scan(self, block, n, Scan { inclusive: true, initial: identity, identity }, value, combine)
    }

    /// Like [`inclusive_scan`](Self::inclusive_scan), but element `i` leaves `value(i)` out: `within` is the result of the
    /// previous value in its group, and `identity` for the first.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](BlockMemory::len).
    #[inline(always)]
    #[track_caller]
    fn exclusive_scan(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: Self::Item,
        value: impl Fn(u32) -> Self::Item + Sync,
        combine: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self: Readable,
    {
        scan(self, block, n, Scan { inclusive: false, initial: identity, identity }, value, combine)
    }

    /// Like [`inclusive_scan`](Self::inclusive_scan), with `initial` before all values.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](BlockMemory::len).
    #[inline(always)]
    #[track_caller]
    fn inclusive_scan_from(
        &mut self,
        block: &mut Block,
        n: u32,
        initial: Self::Item,
        identity: Self::Item,
        value: impl Fn(u32) -> Self::Item + Sync,
        combine: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self: Readable,
    {
        scan(self, block, n, Scan { inclusive: true, initial, identity }, value, combine)
    }

    /// Like [`exclusive_scan`](Self::exclusive_scan), with `initial` before all values.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](BlockMemory::len).
    #[inline(always)]
    #[track_caller]
    fn exclusive_scan_from(
        &mut self,
        block: &mut Block,
        n: u32,
        initial: Self::Item,
        identity: Self::Item,
        value: impl Fn(u32) -> Self::Item + Sync,
        combine: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self: Readable,
    {
        scan(self, block, n, Scan { inclusive: false, initial, identity }, value, combine)
    }

    /// Like [`inclusive_scan`](Self::inclusive_scan), with the elements themselves as values.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](BlockMemory::len).
    #[inline(always)]
    #[track_caller]
    fn inclusive_scan_in_place(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: Self::Item,
        combine: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self: Readable,
    {
        scan_in_place(self, block, n, Scan { inclusive: true, initial: identity, identity }, combine)
    }

    /// Like [`exclusive_scan`](Self::exclusive_scan), with the elements themselves as values.
    ///
    /// # Panics
    /// When `n` exceeds [`len`](BlockMemory::len).
    #[inline(always)]
    #[track_caller]
    fn exclusive_scan_in_place(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: Self::Item,
        combine: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self: Readable,
    {
        scan_in_place(self, block, n, Scan { inclusive: false, initial: identity, identity }, combine)
    }
}

impl<M: BlockMemory> Scans for M {}

#[inline(always)]
#[track_caller]
fn scan<M: Elements>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    how: Scan<M::Item>,
    value: impl Fn(u32) -> M::Item,
    combine: impl Fn(M::Item, M::Item) -> M::Item,
) -> M::Item {
    let elements = memory.resolved(INSIDE);
    check_length(n, elements.count());
    block.open(memory.claim(INSIDE));
    block.scanned(n, &elements, how, value, combine)
}

#[inline(always)]
#[track_caller]
fn scan_in_place<M: Elements>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    how: Scan<M::Item>,
    combine: impl Fn(M::Item, M::Item) -> M::Item,
) -> M::Item {
    let elements = memory.resolved(INSIDE);
    check_length(n, elements.count());
    block.open(memory.claim(INSIDE));
    // SAFETY: in bounds; the thread that reads an element is the one that writes it afterwards.
    block.scanned(n, &elements, how, |i| unsafe { elements.load(i) }, combine)
}
