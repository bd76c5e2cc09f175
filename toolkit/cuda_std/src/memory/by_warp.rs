//! Phases of warps that write a block's memory, behind the methods of [`BlockMemory`].

use super::{BlockMemory, WarpPart};
use crate::access::Readable;
use crate::block::Block;
use crate::bounds::{MAX_LENGTH, check_length};
use crate::buffers::elements::Elements;
use crate::memory::tile::Tile;
use crate::platform;
use crate::seal::{INSIDE, Inside};
use crate::warp::{PerLane, Warp};

/// Shared arrays that are divided among the warps of a block: a tuple of up to eight `&mut Shared`.
///
/// [`fill_by_warp_with`](BlockMemory::fill_by_warp_with) takes them. [`WarpList`](crate::lists::WarpList) has an example.
pub trait SharedByWarp: sealed::Sealed {
    /// Each array with the length of a warp's part.
    #[doc(hidden)]
    type Parts: Sync;
    /// A list in each of them.
    type Lists<'a>;

    /// Whether threads may still be reading or writing one of them. From now on they may.
    #[doc(hidden)]
    fn claim(&mut self, _: Inside) -> bool;

    #[doc(hidden)]
    fn parts(self, _: Inside, warps: u32) -> Self::Parts;

    /// # Safety
    /// The arrays stay borrowed while the lists live. Part `warp` is used through one list at a time, and its lanes have finished
    /// reading the old contents.
    #[doc(hidden)]
    unsafe fn lists<'a>(parts: &Self::Parts, warp: u32) -> Self::Lists<'a>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// [`BlockMemory::write_by_warp`].
#[inline(always)]
pub(super) fn write<M: Elements>(memory: &mut M, block: &mut Block, value: impl Fn(&mut Warp) -> M::Item + Sync) {
    let elements = memory.resolved(INSIDE);
    block.open(memory.claim(INSIDE));
    let crew = block.phase();
    platform::each_warp(crew, |w| {
        if w < elements.count() {
            let item = value(&mut Warp::new(w, crew));
            if platform::leads_warp() {
                // SAFETY: in bounds; element w belongs to one warp, and one of its threads stores.
                unsafe { elements.store(w, item) };
            }
        }
    });
    block.close(M::READABLE);
}

/// [`BlockMemory::fill_by_warp`].
#[inline(always)]
#[track_caller]
pub(super) fn fill<M: Elements>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    value: impl Fn(&mut Warp, u32) -> M::Item + Sync,
) {
    let elements = memory.resolved(INSIDE);
    check_length(n, elements.count());
    block.open(memory.claim(INSIDE));
    let crew = block.phase();
    platform::each_index_by_warp(crew, n, |w, i| {
        let item = value(&mut Warp::new(w, crew), i);
        if platform::leads_warp() {
            // SAFETY: in bounds; element i belongs to one warp, and one of its threads stores.
            unsafe { elements.store(i, item) };
        }
    });
    block.close(M::READABLE);
}

/// [`BlockMemory::fill_rows_by_warp`].
#[inline(always)]
#[track_caller]
pub(super) fn fill_rows<M: Elements, S: Sync>(
    memory: &mut M,
    block: &mut Block,
    rows: u32,
    columns: u32,
    about: impl Fn(&mut Warp, u32) -> S + Sync,
    value: impl Fn(&S, u32, u32) -> M::Item + Sync,
) {
    let elements = memory.resolved(INSIDE);
    check_length(rows.saturating_mul(columns), elements.count());
    check_length(rows.max(columns), MAX_LENGTH);
    block.open(memory.claim(INSIDE));
    let crew = block.phase();
    platform::each_index_by_warp(crew, rows, |w, row| {
        let about = about(&mut Warp::new(w, crew), row);
        let first = row.wrapping_mul(columns);
        platform::each_index_of_warp(crew, w, columns, |column| {
            // SAFETY: in bounds; the row belongs to one warp, and each of its elements to one lane.
            unsafe { elements.store(first.wrapping_add(column), value(&about, row, column)) };
        });
    });
    block.close(M::READABLE);
}

/// [`BlockMemory::update_by_warp`].
#[inline(always)]
#[track_caller]
pub(super) fn update<M: Elements + Readable>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    change: impl Fn(&mut Warp, u32, M::Item) -> M::Item + Sync,
) {
    let elements = memory.resolved(INSIDE);
    check_length(n, elements.count());
    block.open(memory.claim(INSIDE));
    let crew = block.phase();
    platform::each_index_by_warp(crew, n, |w, i| {
        // SAFETY: in bounds; element i belongs to one warp, whose lanes read it before one of them stores.
        let item = change(&mut Warp::new(w, crew), i, unsafe { elements.load(i) });
        platform::meet_warp();
        if platform::leads_warp() {
            // SAFETY: as above.
            unsafe { elements.store(i, item) };
        }
    });
    block.close(true);
}

/// [`BlockMemory::fill_by_warp_with`].
#[inline(always)]
#[track_caller]
pub(super) fn fill_with<M: Elements, S: SharedByWarp>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    mut arrays: S,
    value: impl Fn(&mut Warp, &mut S::Lists<'_>, u32) -> M::Item + Sync,
) {
    check_length(n, memory.count());
    let claimed = memory.claim(INSIDE) | arrays.claim(INSIDE);
    let parts = arrays.parts(INSIDE, block.threads() / 32);
    // The memory's address is looked up again for every element, because the warp needs the registers in between.
    let memory = &*memory;
    block.open(claimed);
    let crew = block.phase();
    platform::each_index_by_warp(crew, n, |w, i| {
        platform::meet_warp();
        // SAFETY: part w belongs to this warp. A warp computes one element at a time, and waits for its lanes in between;
        // on a CPU, one core runs all of a block's warps. The arrays stay borrowed.
        let mut lists = unsafe { S::lists(&parts, w) };
        let item = value(&mut Warp::new(w, crew), &mut lists, i);
        if platform::leads_warp() {
            // SAFETY: in bounds; element i belongs to one warp, and one of its threads stores.
            unsafe { memory.store(i, item) };
        }
    });
    block.close(M::READABLE);
}

/// [`BlockMemory::write_parts_by_warp_with`].
#[inline(always)]
#[track_caller]
pub(super) fn write_parts_with<M: Elements, S: SharedByWarp>(
    memory: &mut M,
    block: &mut Block,
    starts: &Tile<u32>,
    mut arrays: S,
    write: impl Fn(&mut Warp, &mut S::Lists<'_>, &mut WarpPart<'_, M>) + Sync,
) {
    let parts = starts.len().saturating_sub(1);
    let _ = memory.claim(INSIDE) | arrays.claim(INSIDE);
    let lists = arrays.parts(INSIDE, block.threads() / 32);
    let memory = &*memory;
    block.open(true);
    platform::begin_turns();
    // All threads check that no two parts overlap before any thread writes.
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
        // SAFETY: as in `fill_with`.
        let mut lists = unsafe { S::lists(&lists, w) };
        let (first, end) = (starts.get(g), starts.get(g + 1));
        let mut part = WarpPart::new(memory, first, end);
        write(&mut Warp::new(w, crew), &mut lists, &mut part);
    });
    block.close(M::READABLE);
}

/// [`BlockMemory::fill_by_lanes`].
#[inline(always)]
#[track_caller]
pub(super) fn fill_by_lanes<M: Elements>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    values: impl Fn(&mut Warp, u32) -> PerLane<M::Item> + Sync,
) {
    let elements = memory.resolved(INSIDE);
    check_length(n, elements.count());
    block.open(memory.claim(INSIDE));
    let crew = block.phase();
    platform::each_index_by_warp(crew, n.div_ceil(32), |w, group| {
        let first = group.wrapping_mul(32);
        let items = values(&mut Warp::new(w, crew), first);
        items.0.store_each(crew, w, |lane, item| {
            let i = first.wrapping_add(lane);
            if i < n {
                // SAFETY: in bounds; each element belongs to one lane.
                unsafe { elements.store(i, *item) };
            }
        });
    });
    block.close(M::READABLE);
}

/// [`BlockMemory::fill_by_lanes_with`].
#[inline(always)]
#[track_caller]
pub(super) fn fill_by_lanes_with<M: Elements, S: SharedByWarp>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    mut arrays: S,
    values: impl Fn(&mut Warp, &mut S::Lists<'_>, u32) -> PerLane<M::Item> + Sync,
) {
    check_length(n, memory.count());
    let claimed = memory.claim(INSIDE) | arrays.claim(INSIDE);
    let parts = arrays.parts(INSIDE, block.threads() / 32);
    let memory = &*memory;
    block.open(claimed);
    let crew = block.phase();
    platform::each_index_by_warp(crew, n.div_ceil(32), |w, group| {
        platform::meet_warp();
        // SAFETY: as in `fill_with`.
        let mut lists = unsafe { S::lists(&parts, w) };
        let first = group.wrapping_mul(32);
        let items = values(&mut Warp::new(w, crew), &mut lists, first);
        items.0.store_each(crew, w, |lane, item| {
            let i = first.wrapping_add(lane);
            if i < n {
                // SAFETY: in bounds; each element belongs to one lane.
                unsafe { memory.store(i, *item) };
            }
        });
    });
    block.close(M::READABLE);
}
