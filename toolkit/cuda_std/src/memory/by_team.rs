//! Phases of teams that write a block's memory, behind the methods of [`BlockMemory`](crate::BlockMemory).

use crate::access::Readable;
use crate::block::Block;
use crate::block::team::Team;
use crate::bounds::check_length;
use crate::buffers::elements::Elements;
use crate::platform;
use crate::seal::INSIDE;

/// [`BlockMemory::fill_by_team`](crate::BlockMemory::fill_by_team).
#[inline(always)]
#[track_caller]
pub(super) fn fill<M: Elements, const L: u32>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    value: impl Fn(&mut Team<L>, u32) -> M::Item + Sync,
) {
    let elements = memory.resolved(INSIDE);
    check_length(n, elements.count());
    block.open(memory.claim(INSIDE));
    platform::each_team::<L>(block.phase(), n, |i, owned| {
        let item = value(&mut Team::new(), i);
        if owned && platform::leads_team::<L>() {
            // SAFETY: in bounds; index i belongs to one team, and one of its threads stores.
            unsafe { elements.store(i, item) };
        }
    });
    block.close(M::READABLE);
}

/// [`BlockMemory::update_by_team`](crate::BlockMemory::update_by_team).
#[inline(always)]
#[track_caller]
pub(super) fn update<M: Elements + Readable, const L: u32, V>(
    memory: &mut M,
    block: &mut Block,
    n: u32,
    compute: impl Fn(&mut Team<L>, u32) -> V + Sync,
    change: impl Fn(V, &mut M::Item) + Sync,
) {
    let elements = memory.resolved(INSIDE);
    check_length(n, elements.count());
    block.open(memory.claim(INSIDE));
    platform::each_team::<L>(block.phase(), n, |i, owned| {
        let computed = compute(&mut Team::new(), i);
        if owned && platform::leads_team::<L>() {
            // SAFETY: as in `fill`.
            unsafe { elements.change(i, |item| change(computed, item)) };
        }
    });
    block.close(M::READABLE);
}
