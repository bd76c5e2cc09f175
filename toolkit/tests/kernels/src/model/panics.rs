//! Panics where other threads count on the one that panics: it must end them all, and end every loop that goes by what
//! it did not give.

use cuda_std::prelude::*;

/// Number `bad` where no block is to panic.
pub const NO_BLOCK: u32 = u32::MAX;

/// Every lane takes the number of the one opposite, but lane `lane` of warp 1 of block `bad` panics before that.
///
/// The bad warp hands values on until one lane has what its own would have brought, so for ever: what ends it is that its
/// lane has panicked.
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

/// DoubleBuffer the numbers 1 to 128 until their sum is at most `limit`, and writes them; but in block `bad` element 77 panics
/// in the third turn: where it is halved, or (`in_reduction` not 0) where it is added up.
///
/// The bad block would go on for ever: what ends it is that one of its threads has panicked.
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
