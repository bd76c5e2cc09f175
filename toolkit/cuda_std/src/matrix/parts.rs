//! Parts of 16 bytes in the rows of two windows, one below the other, and their copies.

use super::swizzled;
use crate::Window;
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use crate::{
    Windows,
    platform::{self, SharedPointer},
    unrolled::unrolled,
    vectors::ElementVector,
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

/// The calling thread's copies of a pair of windows, one pair after another.
///
/// A turn only adds to addresses. Multiplications of whole numbers hold up the tensor cores of Hopper, which add to registers meanwhile:
/// with two for each copy, a product by warpgroups took a tenth longer on an H200.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
pub(super) struct Copies<V, const A: usize, const B: usize> {
    /// The thread's first parts of the next pair.
    next: [*const V; 2],
    /// The thread's next part of this pair.
    part: *const V,
    /// The distances in elements from one part of the thread to the next one.
    below: [usize; 2],
    /// The distances in elements from one window to the next one.
    windows: [usize; 2],
}

#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
impl<V: ElementVector, const A: usize, const B: usize> Copies<V, A, B> {
    /// Whether so many threads can copy like that: 64 divides their number, and each has as many parts of a window as any other, and as
    /// many in a step. Then all of a thread's parts have one position in their rows, because 64 parts are eight whole rows.
    #[inline(always)]
    pub(super) const fn are_even(threads: u32) -> bool {
        let [of_a, of_b] = const { [(A * PARTS) as u32, (B * PARTS) as u32] };
        let in_a_step = threads.wrapping_mul(const { STEPS as u32 });
        let n = of_a.wrapping_add(of_b);
        threads.is_multiple_of(64)
            && of_a.is_multiple_of(threads)
            && n.is_multiple_of(in_a_step)
            && n / in_a_step <= MOST_COPIES as u32
    }

    #[inline(always)]
    pub(super) fn new(threads: u32, (a, b): (Windows<'_, V, A, PARTS>, Windows<'_, V, B, PARTS>)) -> Self {
        let (thread, parts) = (platform::fresh_thread_index(), const { PARTS as u32 });
        // As `swizzled`.
        let (row, at) = (thread / parts, (thread ^ (thread / parts)) % parts);
        let next = [a.start(row, at), b.start(row, at)];
        let [of_a, of_b] = [a.strides(), b.strides()];
        let below = [of_a[0], of_b[0]].map(|row| row.wrapping_mul((threads / parts) as usize));
        Self { next, part: next[0], below, windows: [of_a[1], of_b[1]] }
    }

    /// Begins a quarter of the copies of the next pair. Steps follow each other, and the last one ends the pair.
    ///
    /// # Safety
    /// The pair exists and is in global memory. All threads come here as often, and copies [are even](Self::are_even).
    /// The stage has room for the pair, and nobody uses it until the copies have ended.
    #[inline(always)]
    pub(super) unsafe fn begin(&mut self, threads: u32, stage: SharedPointer<V>, step: u32) {
        let [of_a, of_both] = const { [(A * PARTS) as u32, ((A + B) * PARTS) as u32] };
        let each = of_both / threads / const { STEPS as u32 };
        let thread = platform::fresh_thread_index();
        unrolled::<MOST_COPIES>(|k| {
            if k < each {
                let first = step.wrapping_mul(each).wrapping_add(k).wrapping_mul(threads);
                if first == of_a {
                    self.part = self.next[1];
                }
                // SAFETY: the caller's; the part is in the window, and it belongs to one thread.
                unsafe { stage.copy_global(first.wrapping_add(thread), &*self.part) };
                self.part = self.part.wrapping_add(self.below[usize::from(first >= of_a)]);
            }
        });
        if step == const { STEPS as u32 - 1 } {
            let [a, b] = self.next;
            self.next = [a.wrapping_add(self.windows[0]), b.wrapping_add(self.windows[1])];
            self.part = self.next[0];
        }
    }
}
