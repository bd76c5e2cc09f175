//! A block turns its elements round, with and without the barrier between writing and reading.

use cuda_std::compat::prelude::*;

/// `out` has the elements of `input` in the opposite order, of each block's 256.
///
/// # Safety
/// Both have 256 elements for each block.
#[kernel(threads = 256)]
pub unsafe fn raw_turn(out: *mut u32, input: *const u32) {
    // SAFETY: each thread writes its own elements, and reads after a barrier what another has written.
    unsafe {
        let tile = SharedPointer::new(shared_array![u32; 256]);
        let (own, first) = (thread::thread_idx_x(), thread::block_idx_x().wrapping_mul(256));
        tile.wrapping_add(own).write(input.add(first.wrapping_add(own) as usize).read());
        thread::sync_threads();
        out.add(first.wrapping_add(own) as usize).write(tile.wrapping_add(own ^ 255).read());
    }
}

/// Wrong on purpose, for tests of the search for races: as [`raw_turn()`], but between two turns of the same memory a barrier is missing.
/// A warp that is late reads what an early one has written for the second turn. `out` has `input` turned round; `other` has it turned
/// round and added to itself.
///
/// # Safety
/// All have 256 elements for each block. The values that are read may be those of either turn.
#[kernel(threads = 256)]
pub unsafe fn raw_turn_unmet(out: *mut u32, other: *mut u32, input: *const u32) {
    // SAFETY: aligned words of shared memory are read and written whole; a test wants to see which of two values is read.
    unsafe {
        let tile = SharedPointer::new(shared_array![u32; 256]);
        let (own, first) = (thread::thread_idx_x(), thread::block_idx_x().wrapping_mul(256));
        let x = input.add(first.wrapping_add(own) as usize).read();
        tile.wrapping_add(own).write(x);
        thread::sync_threads();
        out.add(first.wrapping_add(own) as usize).write(tile.wrapping_add(own ^ 255).read());
        // Here is none.
        tile.wrapping_add(own).write(x.wrapping_add(x));
        thread::sync_threads();
        other.add(first.wrapping_add(own) as usize).write(tile.wrapping_add(own ^ 255).read());
    }
}
