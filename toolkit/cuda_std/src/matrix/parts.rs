//! Parts of 16 bytes in the rows of two windows, one below the other, and their copies.

use super::swizzled;
use crate::Window;
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use crate::{
    half::Elements16,
    platform::{self, SharedPointer},
    unrolled::unrolled,
};

/// Steps of a turn: a row of 128 bytes has the elements of four.
pub(super) const STEPS: usize = 4;

/// Parts of 16 bytes in a row.
pub(super) const PARTS: usize = 8;

/// The most parts that a thread copies in a step of a main loop.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
pub(super) const MOST_COPIES: usize = 16;

/// Part `i` of a swizzled tile that has the rows of two windows.
///
/// # Safety
/// `i` is below `PARTS (A + B)`.
#[inline(always)]
pub(super) unsafe fn part<'x, V, const A: usize, const B: usize>(
    windows: (&Window<'x, V, A, PARTS>, &Window<'x, V, B, PARTS>),
    i: u32,
) -> &'x V {
    let part = swizzled(i);
    // SAFETY: swizzling stays within a row.
    unsafe { in_row(windows, part / PARTS as u32, part % PARTS as u32) }
}

/// Part `at` of row `row` of two windows, one below the other.
///
/// # Safety
/// `row` is below `A + B`, and `at` below [`PARTS`].
#[inline(always)]
unsafe fn in_row<'x, V, const A: usize, const B: usize>(
    (a, b): (&Window<'x, V, A, PARTS>, &Window<'x, V, B, PARTS>),
    row: u32,
    at: u32,
) -> &'x V {
    let rows = const { A as u32 };
    // SAFETY: the caller's.
    unsafe { if row < rows { a.at_unchecked(row, at) } else { b.at_unchecked(row - rows, at) } }
}

/// Begins a quarter of the calling thread's copies of a turn.
///
/// # Safety
/// There are `threads` threads, which divide the parts as the main loop says. The stage has room for both windows, which are in
/// global memory and stay borrowed until the copies have ended. Nobody uses the stage until then.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
pub(super) unsafe fn copy_step<'x, V: Elements16 + 'x, const A: usize, const B: usize>(
    threads: u32,
    pair: (Window<'x, V, A, PARTS>, Window<'x, V, B, PARTS>),
    stage: SharedPointer<V>,
    step: u32,
) {
    let (each, thread) = (const { (PARTS * (A + B) / STEPS) as u32 }, platform::fresh_thread_index());
    // SAFETY: as in `Crew::thread`. Without it, the compiler does not know from which window a copy comes.
    unsafe { core::hint::assert_unchecked(thread < threads) };
    // As `part`, but all of a thread's parts have one position in their rows, because 64 parts are eight whole rows.
    let at = (thread ^ (thread / PARTS as u32)) % PARTS as u32;
    unrolled::<MOST_COPIES>(|k| {
        let first = step.wrapping_mul(each).wrapping_add(k.wrapping_mul(threads));
        if k < each / threads {
            let row = first / PARTS as u32 + thread / PARTS as u32;
            // SAFETY: in bounds; each part belongs to one thread. The rest is the caller's.
            unsafe { stage.copy_global(first.wrapping_add(thread), in_row((&pair.0, &pair.1), row, at)) };
        }
    });
}
