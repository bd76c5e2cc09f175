//! Tests count barriers. Phases pass the same barriers on CPU cores, where nobody waits.

use crate::access::{Access, ReadWrite, WriteOnly};
use crate::platform::{BARRIERS, Crew, Order, SharedStorage};
use crate::{AtomicMemory, Atomics, Block, BlockMemory, Chunk, Grid, Outputs, Scans, Segment, Shared, Tile2d, View};

const THREADS: u32 = 64;

/// The number of barriers that `phases` pass.
fn barriers(phases: impl FnOnce(&mut Block)) -> u32 {
    let mut block = Block::new(0, Crew::new(THREADS, Grid::from(1), Order::RISING));
    let before = BARRIERS.get();
    phases(&mut block);
    BARRIERS.get() - before
}

fn with_chunk<A: Access>(phases: impl FnOnce(&mut Block, &mut Chunk<u32, 100, A>)) -> u32 {
    let mut data = [0; 100];
    // SAFETY: the array is the chunk's alone.
    let mut chunk = unsafe { Chunk::new(0, data.as_mut_ptr(), 100) };
    barriers(|block| phases(block, &mut chunk))
}

fn shared<const N: usize>() -> Shared<u32, N> {
    Shared::from_storage(SharedStorage::new())
}

#[test]
fn a_phase_that_writes_what_can_be_read_stands_between_two_barriers() {
    assert_eq!(with_chunk::<ReadWrite>(|block, out| out.fill(block, 100, |i| i)), 2);
    assert_eq!(with_chunk::<ReadWrite>(|block, out| out.set(block, 3, 1)), 2);
    let reading_between = with_chunk::<ReadWrite>(|block, out| {
        out.fill(block, 100, |i| i);
        let last = out.get(99);
        out.update(block, 100, |_, item| *item += last);
    });
    assert_eq!(reading_between, 4, "threads read the last element each in its own time");
}

#[test]
fn what_is_only_written_is_waited_for_where_a_phase_follows_another() {
    assert_eq!(with_chunk::<WriteOnly>(|block, out| out.fill(block, 100, |i| i)), 0);
    let twice = with_chunk::<WriteOnly>(|block, out| {
        out.fill(block, 100, |i| i);
        out.fill_by_team::<8>(block, 100, |_, i| i);
    });
    assert_eq!(twice, 1, "other threads write the same elements");
    let mut data = [0; 6];
    // SAFETY: the array is the tile's alone.
    let mut tile = unsafe { Tile2d::<u32, 2, 3, WriteOnly>::new(0, 0, data.as_mut_ptr(), [2, 3]) };
    assert_eq!(barriers(|block| tile.fill(block, |row, column| row + column)), 0);
    let offsets = [0, 6];
    // SAFETY: as above.
    let mut segment = unsafe { Segment::<u32, WriteOnly>::new(data.as_mut_ptr(), offsets.as_ptr()) };
    assert_eq!(barriers(|block| segment.fill(block, 6, |i| i)), 0);
}

#[test]
fn outputs_of_one_phase_share_its_barriers() {
    let mut data = [[0; 100]; 3];
    let [a, b, c] = &mut data;
    // SAFETY: each array is its chunk's alone.
    let (mut a, mut b) = unsafe {
        let write_only = |data: &mut [u32; 100]| Chunk::<u32, 100, WriteOnly>::new(0, data.as_mut_ptr(), 100);
        (write_only(a), write_only(b))
    };
    // SAFETY: as above.
    let mut c = unsafe { Chunk::<u32, 100>::new(0, c.as_mut_ptr(), 100) };
    assert_eq!(barriers(|block| (&mut a, &mut b).fill(block, 100, |i| (i, 2 * i))), 0);
    assert_eq!(barriers(|block| (&mut a, &mut b, &mut c).fill(block, 100, |i| (i, i, i))), 2);
    let by_threads = barriers(|block| {
        let own = block.per_thread(|thread| thread.index());
        (&mut a, &mut b).write(block, 36, &own, |_, own| (*own, *own));
    });
    assert_eq!(by_threads, 1, "other threads have written the same elements");
    assert_eq!((data[0][99], data[1][99], data[2][99]), (63, 63, 99));
}

#[test]
fn nobody_is_waited_for_before_an_array_is_used_first() {
    let mut array = shared::<64>();
    assert_eq!(barriers(|block| _ = array.fill(block, 64, |i| i)), 1);
    assert_eq!(barriers(|block| _ = array.fill(block, 64, |i| i)), 2);
    assert_eq!(barriers(|block| _ = array.fill_all(block, |i| i)), 2);
    let mut other = shared::<64>();
    let twice = barriers(|block| {
        let mut tile = other.fill_all(block, |i| i);
        tile.update(block, 64, |_, item| *item += 1);
    });
    assert_eq!(twice, 3, "the tile may have been read before it was updated");
}

#[test]
fn a_permutation_takes_the_barriers_of_a_filled_array_and_atomic_updates_those_of_a_tile() {
    let mut array = shared::<64>();
    let mut scatter = || {
        barriers(|block| {
            let own = block.per_thread(|thread| 63 - thread.index());
            let tile = array.scatter(block, 64, &own, |thread, own, slots| slots.put(thread, *own, *own));
            assert_eq!((tile.get(0), tile.get(63)), (0, 63));
        })
    };
    assert_eq!((scatter(), scatter()), (1, 2));
    let mut counts = shared::<64>();
    let updates = barriers(|block| {
        let mut own = block.per_thread(|thread| thread.index());
        let mut tile = counts.fill(block, 64, |_| 0);
        tile.update_atomic_by_warp(block, &mut own, |warp, own, cells| {
            warp.each(own, |lane, own| _ = cells.add(lane.thread(), *own, 1));
            warp.meet();
        });
    });
    assert_eq!(updates, 1 + 2);
    let mut array = shared::<64>();
    let within = barriers(|block| {
        let own = block.per_thread(|t| 63 - t.index());
        let mut tile = array.fill(block, 64, |i| i);
        tile.scatter(block, &own, |thread, own, slots| slots.put(thread, *own, *own));
    });
    assert_eq!(within, 1 + 2);
}

// ANCHOR: halves
#[test]
fn tiles_in_halves_take_a_barrier_each_or_together() {
    let (mut left, mut right) = (shared::<128>(), shared::<128>());
    let four_tiles_of_two = barriers(|block| {
        let (mut left, mut right) = (left.halves(block), right.halves(block));
        let own = block.per_thread(|t| t.index());
        for turn in 0..4 {
            let left = left.fill(block, 64, |i| i + turn);
            let right = right.write(block, 64, &own, |_, own| *own);
            let (left, right) = block.meet((left, right));
            assert_eq!((left.get(1), right.get(63)), (1 + turn, 63));
        }
    });
    assert_eq!(four_tiles_of_two, 4);
    assert_eq!(barriers(|block| _ = left.halves(block)), 1, "its last tile may still be read");
}
// ANCHOR_END: halves

#[test]
fn a_tile_that_nobody_met_for_is_waited_for_by_the_next() {
    let mut array = shared::<128>();
    let waited = barriers(|block| {
        let mut halves = array.halves(block);
        let first = halves.fill(block, 64, |i| i);
        let _ = block.meet(first);
        drop(halves.fill(block, 64, |i| i));
        let third = halves.fill(block, 64, |i| i);
        let _ = block.meet(third);
    });
    assert_eq!(waited, 3, "else the third could be written while the first is read");
}

#[test]
fn reductions_take_one_barrier_and_that_of_what_they_write() {
    let sum = |a: u32, b: u32| a + b;
    assert_eq!(barriers(|block| _ = block.reduce(1000, 0, |i| i, sum)), 1);
    assert_eq!(barriers(|block| _ = block.once(|thread| thread.index())), 1);
    let count = barriers(|block| {
        let own = block.per_thread(|thread| thread.index());
        assert_eq!(block.broadcast(&own, 7), 7);
    });
    assert_eq!(count, 1);
    let loop_of_votes = barriers(|block| {
        for _ in 0..5 {
            assert!(block.any(100, |i| i == 99));
        }
    });
    assert_eq!(loop_of_votes, 5);
    assert_eq!(with_chunk::<ReadWrite>(|block, out| _ = out.fill_reduce(block, 100, 0, |i| (i, i), sum)), 2);
    assert_eq!(with_chunk::<WriteOnly>(|block, out| _ = out.fill_reduce(block, 100, 0, |i| (i, i), sum)), 1);
    assert_eq!(with_chunk::<ReadWrite>(|block, out| _ = out.inclusive_scan(block, 100, 0, |i| i, sum)), 3);
}

#[test]
fn what_blocks_hand_on_takes_a_barrier_each() {
    let rows = |block: &mut Block| {
        let own = block.per_thread(|thread| thread.index());
        block.inclusive_scan_rows(&own, 0, |_, own| [*own, 1], |a, b| a + b).1
    };
    assert_eq!(barriers(|block| _ = rows(block)), 1);
    let mut states = [0u64; 2];
    // SAFETY: the array is theirs alone.
    let states = unsafe { Atomics::<u64>::new(states.as_mut_ptr(), 2) };
    assert_eq!(barriers(|block| _ = block.next_part(&states)), 1);
    assert_eq!(barriers(|block| _ = block.look_back(&states, 0, 5u32, 0, |a, b| a + b)), 1);
}

#[test]
fn all_elements_take_a_barrier_for_each_tile() {
    let mut tiles = shared::<64>();
    let mut of = |n: usize, block: &mut Block| {
        let mut own = block.per_thread(|_| 0);
        block.each_of_all(&mut own, View::of(&[1; 100][..n]), &mut tiles, |_, own, x| *own += x);
    };
    assert_eq!(barriers(|block| of(96, block)), 3);
}
