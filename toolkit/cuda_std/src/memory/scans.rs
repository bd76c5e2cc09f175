//! Scans: each element combined with all those before it.

use super::{BlockMemory, Elements};
use crate::Block;
use crate::access::Readable;
use crate::block::Scan;
use crate::bounds::check_length;
use crate::seal::INSIDE;

/// Scans of a block over its memory; of every [`BlockMemory`] that can be read.
///
/// The order of the operations depends only on the number of elements, not on the number of threads. Every 32 neighbouring
/// values are a group, the last one filled up with `identity`; in a group, value `k` is combined with the one 1 below it,
/// then 2, 4, 8, 16 below, the lower one as the left operand. The last results of 32 neighbouring groups, a round, are
/// combined with each other likewise. Then element `i` is `(carry + before) + within`: `within` comes from its group,
/// `before` from the groups before it in its round, and `carry` from the rounds before, `identity` (or the initial value)
/// where there is none; the next carry is `carry + round`. `identity` must be neutral.
///
/// Two barriers for every 1024 values. A value has at most 32 bytes, in 32-bit words.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Where runs of these lengths begin, and behind the last one where it ends; then what all begins add up to.
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
    /// Writes every element `i` below `n`: `value(i)`, combined with all those before it. Returns what all `n` make
    /// together, `identity` for `n == 0`.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](BlockMemory::len).
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

    /// As [`inclusive_scan`](Self::inclusive_scan), but element `i` leaves `value(i)` out: `within` is the result of the
    /// value before it in its group, `identity` for the first.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](BlockMemory::len).
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

    /// As [`inclusive_scan`](Self::inclusive_scan), with `initial` before all values.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](BlockMemory::len).
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

    /// As [`exclusive_scan`](Self::exclusive_scan), with `initial` before all values.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](BlockMemory::len).
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

    /// As [`inclusive_scan`](Self::inclusive_scan), of what the elements are.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](BlockMemory::len).
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

    /// As [`exclusive_scan`](Self::exclusive_scan), of what the elements are.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](BlockMemory::len).
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
    // SAFETY: in bounds; the thread that asks for an element is the one that writes it, afterwards.
    block.scanned(n, &elements, how, |i| unsafe { elements.load(i) }, combine)
}
