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
