//! Panics of a thread on which other threads depend: the panic must end all of them, and every loop that depends on the
//! missing result.

use cuda_std::prelude::*;

/// The value of `bad` if no block should panic.
pub const NO_BLOCK: u32 = u32::MAX;

/// Every lane takes the number of the opposite lane, but lane `lane` of warp 1 of block `bad` panics before that.
///
/// The bad warp passes values on until one lane has the value that the panicked lane would have given, which never happens:
/// only the panic ends the loop.
#[kernel(threads = 64)]
pub fn shuffle_panics(block: &mut Block, out: &mut Chunk<u32, 64>, bad: u32, lane: u32) {
    let (n, first, number) = (out.len(), out.start(), block.index());
    out.fill_by_lanes(block, n, |warp, at| {
        let doomed = number == bad && warp.index() == 1;
        let mut values = warp.per_lane(|own| {
            if doomed && own.index() == lane {
                panic!("this lane has nothing to give");
            }
            first + at + own.index()
        });
        loop {
            values = warp.shuffle(&values, |own| 31 - own.index());
            if !doomed || warp.any(&values, |_, value| *value == u32::MAX) {
                break values;
            }
        }
    });
}

/// Halves the numbers 1 to 128 until their sum is at most `limit`, and writes them. In block `bad` element 77 panics in the
/// third iteration: when it is halved, or (`in_reduction` not 0) when it is added.
///
/// The bad block would loop forever; only the panic ends it.
#[kernel(threads = 128)]
pub fn reduction_panics(block: &mut Block, out: &mut Chunk<u32, 128>, limit: u32, bad: u32, in_reduction: u32) {
    let (n, doomed) = (out.len(), block.index() == bad);
    out.fill(block, n, |i| i + 1);
    let mut turn = 0;
    loop {
        let fails = move |i| doomed && turn == 3 && i == 77;
        let items = out.view(n);
        let value = |i| {
            if in_reduction != 0 && fails(i) {
                panic!("this element is not to be added");
            }
            items.get(i)
        };
        let sum = block.reduce(n, 0, value, |a, b| a + b);
        if sum <= limit && !doomed {
            break;
        }
        out.update(block, n, |i, item| {
            if in_reduction == 0 && fails(i) {
                panic!("this element is not to be halved");
            }
            *item /= 2;
        });
        turn += 1;
    }
}

/// Writes the sum of 128 times `item` to all elements of a block; `bad_item` in block `bad`. If only the sum of all warps'
/// sums overflows, one lane of each warp panics in the last step of the reduction, and no thread may use the sum.
#[kernel(threads = 128)]
pub fn last_sum_panics(block: &mut Block, out: &mut Chunk<u32, 128>, item: u32, bad: u32, bad_item: u32) {
    let item = if block.index() == bad { bad_item } else { item };
    let sum = block.reduce(128, 0, |_| item, |a, b| a + b);
    let n = out.len();
    out.fill(block, n, |_| sum);
}

/// The stages of [`fn@staged_panics`] in which a thread can panic, in order.
pub const STAGES: u32 = 9;

/// The shared memory of [`fn@staged_panics`].
#[derive(Arguments)]
pub struct StagedMemory<'a> {
    tiles: &'a mut Shared<u32, 256>,
    array: &'a mut Shared<u32, 128>,
}

/// Counts the threads of each block that reach the end. In block `bad` threads `first` to `last` panic in `stage`; then none of the
/// block reaches it. Without a `bad` block nothing panics.
#[kernel(threads = 128)]
pub fn staged_panics(
    block: &mut Block,
    out: &mut Chunk<u32, 128>,
    ended: &Atomics<u32>,
    bad: u32,
    stage: u32,
    first: u32,
    last: u32,
    memory: StagedMemory<'_>,
) {
    let StagedMemory { tiles, array } = memory;
    let (number, n) = (block.index(), out.len());
    let fails = move |at: u32, thread: u32| number == bad && stage == at && first <= thread && thread <= last;
    let own = block.per_thread(|thread| {
        assert!(!fails(0, thread.index()), "before all barriers");
        thread.index()
    });
    let given = block.once(|thread| {
        // Other threads only get the value.
        assert!(!fails(1, thread.index()), "once");
        7
    });
    let sum = block.reduce(128, 0, |i| if fails(2, i) { panic!("in a reduction") } else { i + given }, |a, b| a + b);
    out.fill_by_team::<8>(block, 16, |team, i| {
        team.reduce(8, sum, |sum, j| if fails(3, 8 * i + j) { panic!("in a team") } else { sum + j }, |a, b| a.max(b))
    });
    let mut state = block.per_thread(|_| 0);
    let mut halves = tiles.halves(block);
    for turn in 0..4 {
        let tile = halves.fill(block, 128, |i| if turn == 2 && fails(4, i) { panic!("in a tile") } else { i + turn });
        let tile = block.meet(tile);
        block.each(&mut state, |thread, sum| *sum += tile.get(127 - thread.index()));
    }
    block.warps_with(&mut state, |warp, lanes| {
        let most = warp.reduce(lanes, |a, b| a.max(b));
        warp.each(lanes, |lane, value| {
            assert!(!fails(5, lane.thread().index()), "in a warp");
            *value = most;
        });
        let sum = warp.sum(lanes);
        warp.each(lanes, |_, value| *value += sum);
    });
    let array = array.write(block, 128, &state, |thread, value| {
        assert!(!fails(6, thread.index()), "in a shared array");
        *value + given
    });
    out.update(block, n, |i, item| {
        assert!(!fails(7, i), "in an update");
        *item += array.get(127 - i);
    });
    let any =
        block.any_thread(&own, |thread, own| if fails(8, thread.index()) { panic!("at a vote") } else { *own == n });
    block.for_each(128, |thread, _| {
        ended.add(thread, number, if any { 1000 } else { 1 });
    });
}

/// The number of parts before each, and that of its block's; but block `bad` divides by 0 before it announces its part, and if `skip` is
/// not 0, all parts are the next ones, so that nobody takes the first `skip`.
#[kernel(threads = 64, requires(states.len() as u64 == grid.x as u64 + skip as u64 + 1))]
pub fn look_back_panics(block: &mut Block, out: &Scatter<u32>, states: &Atomics<u64>, bad: u32, skip: u32) {
    let part = block.next_part(states);
    let value = 1 / u32::from(part != bad);
    let before = block.look_back(states, part + skip, value, 0, u32::wrapping_add);
    block.once(|thread| out.put(thread, part, before));
}
