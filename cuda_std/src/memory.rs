//! What the memories of a block have in common: phases that write them, and reading in between.

use crate::access::Readable;
use crate::atomic::{Atomic, Cells};
use crate::bounds::{MAX_LENGTH, check_index, check_length};
use crate::platform::{self, Place};
use crate::warp_list::SharedByWarp;
use crate::{Block, PerLane, PerThread, Team, Thread, Tile, Warp};
use bytemuck::Pod;

/// Raw access to a memory's elements.
pub trait Elements {
    /// What it holds.
    type Item: Pod;
    /// The same elements, when it is known where they lie.
    type Resolved: Elements<Item = Self::Item>;
    /// Finds out where the elements lie: once for a phase.
    fn resolved(&self) -> Self::Resolved;
    /// How many.
    fn count(&self) -> u32;
    /// Whether the kernel can read them, so that a phase that writes them ends with a barrier.
    const READABLE: bool;
    /// Whether other threads may still read or write them, so that a phase that writes them begins with a barrier. Each
    /// such phase asks once, before it begins, and from then on they may.
    fn claim(&mut self) -> bool;
    /// # Safety
    /// `i < count()`, and no thread writes that element at the same time.
    unsafe fn load(&self, i: u32) -> Self::Item;
    /// # Safety
    /// `i < count()`, and no other thread touches that element at the same time.
    unsafe fn store(&self, i: u32, value: Self::Item);
    /// # Safety
    /// As for [`store`](Self::store).
    unsafe fn change(&self, i: u32, change: impl FnOnce(&mut Self::Item));
    /// Where element `i` lies, for atomic operations.
    fn place(&self, i: u32) -> Place<Self::Item>;
}

/// A part of a block's memory that one warp writes, in a phase of
/// [`write_parts_by_warp_with`](BlockMemory::write_parts_by_warp_with).
///
/// What is enforced: parts do not overlap, which the phase has seen to; an index is checked against the part's length.
pub struct WarpPart<'a, M> {
    memory: &'a M,
    first: u32,
    len: u32,
}

impl<M: Elements> WarpPart<'_, M> {
    /// Where the part begins in the block's memory.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> u32 {
        self.first
    }

    /// Number of elements.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is no element.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes element `i` of the part.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, _warp: &mut Warp, i: u32, item: M::Item) {
        check_index(i, self.len);
        if platform::leads_warp() {
            // SAFETY: in bounds of the part, which is this warp's alone; one of its threads stores.
            unsafe { self.memory.store(self.first.wrapping_add(i), item) };
        }
    }
}

/// Memory that all threads of a block share: a [`Tile`] of shared memory, or a block's
/// [`Segment`](crate::Segment) of a global buffer.
///
/// A phase that writes it gives each element to one thread. It begins with a barrier where a thread may still read or write
/// what was there, and ends with one where it can be read: see [`Block`]. Reading goes on in any phase in between, and
/// between phases.
pub trait BlockMemory: Elements {
    /// Number of elements.
    #[inline(always)]
    fn len(&self) -> u32 {
        self.count()
    }

    /// Whether there is no element.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn get(&self, i: u32) -> Self::Item
    where
        Self: Readable,
    {
        check_index(i, self.count());
        // SAFETY: in bounds; a phase that writes holds this memory by `&mut`, so none runs.
        unsafe { self.load(i) }
    }

    /// Writes `value(i)` to every element `i` below `n`.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill(&mut self, block: &mut Block, n: u32, value: impl Fn(u32) -> Self::Item + Sync) {
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        platform::each_index(block.phase(), n, |i| {
            let item = value(i);
            // SAFETY: in bounds; index i is one thread's alone, and the closure cannot hold this memory.
            unsafe { memory.store(i, item) };
        });
        block.close(Self::READABLE);
    }

    /// Writes `item` to every element `i` below `n` and reduces `value`, for `(item, value) = both(i)`; the reduction is
    /// that of [`Block::reduce`], whose barrier is the one behind this phase.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill_reduce<V: Pod>(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: V,
        both: impl Fn(u32) -> (Self::Item, V) + Sync,
        combine: impl Fn(V, V) -> V + Sync,
    ) -> V {
        let memory = self.resolved();
        check_length(n, memory.count());
        let write = |i| {
            let (item, value) = both(i);
            // SAFETY: as in `fill`: the reduction asks for each index once, and has a barrier behind that.
            unsafe { memory.store(i, item) };
            value
        };
        block.open(self.claim());
        block.reduced(n, identity, write, combine)
    }

    /// Lets `change` alter every element `i` below `n` in place and reduces what it returns, as
    /// [`fill_reduce`](Self::fill_reduce).
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn update_reduce<V: Pod>(
        &mut self,
        block: &mut Block,
        n: u32,
        identity: V,
        change: impl Fn(u32, &mut Self::Item) -> V + Sync,
        combine: impl Fn(V, V) -> V + Sync,
    ) -> V
    where
        Self: Readable,
    {
        let memory = self.resolved();
        check_length(n, memory.count());
        let write = |i| {
            let mut value = identity;
            // SAFETY: as in `fill_reduce`.
            unsafe { memory.change(i, |item| value = change(i, item)) };
            value
        };
        block.open(self.claim());
        block.reduced(n, identity, write, combine)
    }

    /// Writes one element, with a value that all threads know.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn set(&mut self, block: &mut Block, i: u32, value: Self::Item) {
        let memory = self.resolved();
        check_index(i, memory.count());
        block.open(self.claim());
        platform::each_index(block.phase(), 1, |_| {
            // SAFETY: in bounds; one thread writes.
            unsafe { memory.store(i, value) };
        });
        block.close(Self::READABLE);
    }

    /// Lets `change` alter every element `i` below `n` in place.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn update(&mut self, block: &mut Block, n: u32, change: impl Fn(u32, &mut Self::Item) + Sync)
    where
        Self: Readable,
    {
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        platform::each_index(block.phase(), n, |i| {
            // SAFETY: as in `fill`.
            unsafe { memory.change(i, |item| change(i, item)) };
        });
        block.close(Self::READABLE);
    }

    /// Writes element `first + t` by thread `t` from its own state, for every thread with an element below
    /// [`len`](Self::len).
    #[inline(always)]
    fn write<S>(
        &mut self,
        block: &mut Block,
        first: u32,
        state: &PerThread<S>,
        value: impl Fn(Thread, &S) -> Self::Item + Sync,
    ) {
        let memory = self.resolved();
        let rest = memory.count().saturating_sub(first);
        block.open(self.claim());
        state.each_ref(block.phase(), |thread, own| {
            if thread.index() < rest {
                let item = value(thread, own);
                // SAFETY: in bounds; each index is one thread's alone.
                unsafe { memory.store(first + thread.index(), item) };
            }
        });
        block.close(Self::READABLE);
    }

    /// Writes every element `i` below `n`: `value(i)`, combined with all those before it. Returns what all `n` make
    /// together, `identity` for `n == 0`.
    ///
    /// The order of the operations depends on `n` alone, not on the number of threads. Every 32 neighbouring values are a
    /// group, the last one filled up with `identity`; in a group, value `k` is combined with the one 1 below it, then 2,
    /// 4, 8, 16 below, the lower one as the left operand. The last results of 32 neighbouring groups, a round, are
    /// combined with each other likewise. Then element `i` is `(carry + before) + within`: `within` comes from its group,
    /// `before` from the groups before it in its round, and `carry` from the rounds before, `identity` where there is none;
    /// the next carry is `carry + round`. `identity` must be neutral.
    ///
    /// Two barriers for every 1024 values. A value has at most 32 bytes, in 32-bit words.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
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
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        block.scanned(n, &memory, true, identity, value, combine)
    }

    /// As [`inclusive_scan`](Self::inclusive_scan), but element `i` leaves `value(i)` out: `within` is the result of the
    /// value before it in its group, `identity` for the first.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
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
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        block.scanned(n, &memory, false, identity, value, combine)
    }

    /// Writes element `w` by warp `w`, for every warp with an element below [`len`](Self::len).
    #[inline(always)]
    fn write_by_warp(&mut self, block: &mut Block, value: impl Fn(&mut Warp) -> Self::Item + Sync) {
        let memory = self.resolved();
        block.open(self.claim());
        let crew = block.phase();
        platform::each_warp(crew, |w| {
            if w < memory.count() {
                let item = value(&mut Warp::new(w, crew));
                if platform::leads_warp() {
                    // SAFETY: in bounds; element w is one warp's alone, and one of its threads stores.
                    unsafe { memory.store(w, item) };
                }
            }
        });
        block.close(Self::READABLE);
    }

    /// Writes every element `i` below `n`, each computed by a warp.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill_by_warp(&mut self, block: &mut Block, n: u32, value: impl Fn(&mut Warp, u32) -> Self::Item + Sync) {
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        let crew = block.phase();
        platform::each_index_by_warp(crew, n, |w, i| {
            let item = value(&mut Warp::new(w, crew), i);
            if platform::leads_warp() {
                // SAFETY: in bounds; element i is one warp's alone, and one of its threads stores.
                unsafe { memory.store(i, item) };
            }
        });
        block.close(Self::READABLE);
    }

    /// Alters every element `i` below `n`, each by a warp, which knows what it was.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn update_by_warp(
        &mut self,
        block: &mut Block,
        n: u32,
        change: impl Fn(&mut Warp, u32, Self::Item) -> Self::Item + Sync,
    ) where
        Self: Readable,
    {
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        let crew = block.phase();
        platform::each_index_by_warp(crew, n, |w, i| {
            // SAFETY: in bounds; element i is one warp's alone, whose lanes read it before one of them stores.
            let item = change(&mut Warp::new(w, crew), i, unsafe { memory.load(i) });
            platform::meet_warp();
            if platform::leads_warp() {
                // SAFETY: as above.
                unsafe { memory.store(i, item) };
            }
        });
        block.close(true);
    }

    /// As [`fill_by_warp`](Self::fill_by_warp); each warp has a list in each of some shared arrays, empty at first, of an
    /// equal part of the array's elements.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill_by_warp_with<S: SharedByWarp>(
        &mut self,
        block: &mut Block,
        n: u32,
        mut arrays: S,
        value: impl Fn(&mut Warp, &mut S::Lists<'_>, u32) -> Self::Item + Sync,
    ) {
        check_length(n, self.count());
        let claimed = self.claim() | arrays.claim();
        let parts = arrays.parts(block.threads() / 32);
        // Where the memory lies is looked up again for every element: what a warp does in between has use for registers.
        let memory = &*self;
        block.open(claimed);
        let crew = block.phase();
        platform::each_index_by_warp(crew, n, |w, i| {
            platform::meet_warp();
            // SAFETY: part w is this warp's, and a warp computes one element at a time, for which its lanes have been
            // waited for; on a CPU, one core runs all of a block's warps. The arrays stay borrowed.
            let mut lists = unsafe { S::lists(&parts, w) };
            let item = value(&mut Warp::new(w, crew), &mut lists, i);
            if platform::leads_warp() {
                // SAFETY: in bounds; element i is one warp's alone, and one of its threads stores.
                unsafe { memory.store(i, item) };
            }
        });
        block.close(Self::READABLE);
    }

    /// Lets warps write the parts that `starts` divides the elements into, each by the warp that is free first: part `g`
    /// goes from `starts[g]` to before `starts[g + 1]`. What a warp does not write stays as it was. Lists as in
    /// [`fill_by_warp_with`](Self::fill_by_warp_with), empty for every part.
    ///
    /// # Panics
    /// When `starts` falls, or goes beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn write_parts_by_warp_with<S: SharedByWarp>(
        &mut self,
        block: &mut Block,
        starts: &Tile<u32>,
        mut arrays: S,
        write: impl Fn(&mut Warp, &mut S::Lists<'_>, &mut WarpPart<'_, Self>) + Sync,
    ) where
        Self: Sized,
    {
        let parts = starts.len().saturating_sub(1);
        let _ = self.claim() | arrays.claim();
        let lists = arrays.parts(block.threads() / 32);
        let memory = &*self;
        block.open(true);
        platform::begin_turns();
        // Nobody writes before all have seen that no two parts overlap.
        let count = memory.count();
        let apart = block.all(parts, |g| {
            let end = starts.get(g + 1);
            starts.get(g) <= end && end <= count
        });
        if !apart {
            panic!("parts overlap, or go beyond the memory");
        }
        let crew = block.phase();
        platform::each_in_turn(crew, parts, |w, g| {
            platform::meet_warp();
            // SAFETY: as in `fill_by_warp_with`.
            let mut lists = unsafe { S::lists(&lists, w) };
            let (first, end) = (starts.get(g), starts.get(g + 1));
            let mut part = WarpPart { memory, first, len: end.wrapping_sub(first) };
            write(&mut Warp::new(w, crew), &mut lists, &mut part);
        });
        block.close(Self::READABLE);
    }

    /// Writes the elements below `n` by 32, each 32 by a warp: `values(warp, first)` has them, one a lane, and what lies
    /// beyond `n` is not written.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill_by_lanes(
        &mut self,
        block: &mut Block,
        n: u32,
        values: impl Fn(&mut Warp, u32) -> PerLane<Self::Item> + Sync,
    ) {
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        let crew = block.phase();
        platform::each_index_by_warp(crew, n.div_ceil(32), |w, group| {
            let first = group.wrapping_mul(32);
            let items = values(&mut Warp::new(w, crew), first);
            items.0.store_each(crew, w, |lane, item| {
                let i = first.wrapping_add(lane);
                if i < n {
                    // SAFETY: in bounds; each element is one lane's alone.
                    unsafe { memory.store(i, *item) };
                }
            });
        });
        block.close(Self::READABLE);
    }

    /// Runs `f(thread, cells, i)` for every `i` below `n`, of which each may update any of the elements by the atomic
    /// operations of `cells`: [`AtomicMemory`](crate::AtomicMemory). Their scope is the block.
    #[inline(always)]
    #[track_caller]
    fn update_atomic(&mut self, block: &mut Block, n: u32, f: impl Fn(Thread, &Cells<'_, Self::Resolved>, u32) + Sync)
    where
        Self: Readable,
        Self::Item: Atomic,
    {
        check_length(n, MAX_LENGTH);
        let cells = Cells::new(self.resolved());
        block.open(self.claim());
        let crew = block.phase();
        platform::each_index(crew, n, |i| f(Thread::of_index(crew, i), &cells, i));
        block.close(Self::READABLE);
    }

    /// Writes every element `i` below `n`, each computed by a team of `L` threads.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn fill_by_team<const L: u32>(
        &mut self,
        block: &mut Block,
        n: u32,
        value: impl Fn(Team<L>, u32) -> Self::Item + Sync,
    ) {
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        platform::each_team::<L>(block.phase(), n, |i, owned| {
            let item = value(Team::new(), i);
            if owned && platform::leads_team::<L>() {
                // SAFETY: in bounds; index i is one team's alone, and one of its threads stores.
                unsafe { memory.store(i, item) };
            }
        });
        block.close(Self::READABLE);
    }

    /// Lets a team of `L` threads compute a change to every element `i` below `n`: `compute` runs in all of the
    /// team's threads, `change` in one.
    ///
    /// # Panics
    /// When `n` is beyond [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    fn update_by_team<const L: u32, V>(
        &mut self,
        block: &mut Block,
        n: u32,
        compute: impl Fn(Team<L>, u32) -> V + Sync,
        change: impl Fn(V, &mut Self::Item) + Sync,
    ) where
        Self: Readable,
    {
        let memory = self.resolved();
        check_length(n, memory.count());
        block.open(self.claim());
        platform::each_team::<L>(block.phase(), n, |i, owned| {
            let computed = compute(Team::new(), i);
            if owned && platform::leads_team::<L>() {
                // SAFETY: as in `fill_by_team`.
                unsafe { memory.change(i, |item| change(computed, item)) };
            }
        });
        block.close(Self::READABLE);
    }
}

impl<M: Elements> BlockMemory for M {}
