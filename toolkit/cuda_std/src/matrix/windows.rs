//! Windows that are copied some turns ahead, for products in which each turn uses two.

#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use super::parts::MOST_COPIES;
use super::parts::PARTS;
use super::{MatrixElement, Swizzled, swizzled};
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use crate::Window;
use crate::bounds::{check_length, out_of_bounds};
use crate::platform::{self, SharedPointer};
use crate::vectors::ElementVector;
use crate::{Block, Stages, Tile, Windows};

/// The row and the part in it that stand at part `i` of `R` rows in swizzled panels: 128 bytes of each row, one panel after another, each
/// [`swizzled`]. `R` is a multiple of 8.
///
/// ```
/// use cuda_std::in_panels;
///
/// // Eight rows: 64 parts a panel. The second row begins with its second part.
/// assert_eq!([0, 1, 8, 9, 64, 73].map(in_panels::<8>), [(0, 0), (0, 1), (1, 1), (1, 0), (0, 8), (1, 8)]);
/// ```
#[inline(always)]
#[must_use]
pub const fn in_panels<const R: usize>(i: u32) -> (u32, u32) {
    const { assert!(R > 0 && R.is_multiple_of(8), "panels have a multiple of 8 rows") };
    let (in_panel, parts) = const { ((R * PARTS) as u32, PARTS as u32) };
    let at = swizzled(i % in_panel);
    (at / parts, i / in_panel * parts + at % parts)
}

impl<V: ElementVector<Element: MatrixElement>, const S: usize> Stages<'_, V, S> {
    /// Runs `body(block, turn, a, b)` for every turn below `turns`, with copies of window `turn` of both tables. The copies for a turn
    /// begin `S - 1` turns earlier, as in [`copy_ahead`](Self::copy_ahead).
    ///
    /// A copy consists of panels of 128 bytes of each row, one panel after another, each [`swizzled`]. For elements of
    /// 16 bits, element `c` of row `r` is element `64 (R p + r) + c % 64` of a copy with `R` rows, where `p = c / 64`. The build stops
    /// unless rows are whole panels and windows have a multiple of 8 rows.
    ///
    /// # Panics
    /// When a table has fewer windows, or a stage is smaller than both windows.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// A times the transpose of B, each with `depth` rows of 64 elements, 8 rows of B at a time.
    /// #[kernel(threads = 32, requires(a.len() == 128, b.len() == 64 * out.columns() / 8, c.len() == b.len()))]
    /// fn sums(
    ///     block: &mut Block,
    ///     out: &mut Tile2d<f32, 16, 64, WriteOnly>,
    ///     a: &[bf16x8],
    ///     b: &[bf16x8],
    ///     c: &[bf16x8],
    ///     tiles: &mut Shared<bf16x8, { 2 * 2 * 16 * 8 }>,
    ///     rows: &mut Shared<bf16x8, 128>,
    /// ) {
    ///     let rows = rows.fill(block, 128, |i| a.at(swizzled(i))).elements().swizzled();
    ///     let [b, c] = [b, c].map(|table| Table::new(table, 64, 8).windows_down::<16, 8>(0, 0));
    ///     let mut own = block.per_thread(|_| MatrixSums::<bf16, 1, 8>::zero());
    ///     // (A B) C, 16 columns of A B at a time.
    ///     tiles.stages::<2>(block).copy_windows_ahead(block, 4, (b, c), |block, _, b, c| {
    ///         block.warps_with(&mut own, |warp, own| {
    ///             let mut sums = warp.per_lane(|_| MatrixSums::<bf16, 1, 2>::zero());
    ///             warp.multiply_all_rows::<4, _, _, _>((&rows, 0), (&b, 0), 64, &mut sums);
    ///             warp.multiply_sums(&sums, (&c, 0), [64, 0], own);
    ///         });
    ///     });
    ///     out.write_sums(block, &own, |_, _, sum| sum);
    /// }
    /// # fn main() {
    /// let one = |n: u32| move |i: u32| bf16x8::from_f32([0, 1, 2, 3, 4, 5, 6, 7].map(|k| if (8 * i + k) % 65 == 0 { n as f32 } else { 0.0 }));
    /// let [a, b, c] = [(16, 2), (64, 3), (64, 5)].map(|(rows, n)| (0..rows * 8).map(one(n)).collect::<Vec<_>>());
    /// let mut out = [0.0; 16 * 64];
    /// let data = Matrix { data: &mut out[..], columns: 64 };
    /// sums::launch(&CpuExecutor::new(), (1, 1), sums::Args { out: data, a: &a[..], b: &b[..], c: &c[..] }).unwrap();
    /// assert_eq!((out[0], out[65], out[66], out[15 * 65]), (30.0, 30.0, 0.0, 30.0));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn copy_windows_ahead<const A: usize, const B: usize, const C: usize>(
        &mut self,
        block: &mut Block,
        turns: u32,
        (a, b): (Windows<'_, V, A, C>, Windows<'_, V, B, C>),
        mut body: impl FnMut(&mut Block, u32, Swizzled<'_, V::Element>, Swizzled<'_, V::Element>),
    ) {
        const { assert!(size_of::<V>() == 16 && C.is_multiple_of(PARTS), "rows are whole panels of 128 bytes") };
        let (of_a, of_b) = const { ((A * C) as u32, (B * C) as u32) };
        if turns > a.count() || turns > b.count() {
            out_of_bounds();
        }
        check_length(of_a.wrapping_add(of_b), self.capacity());
        #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
        let is_even = {
            let threads = block.threads();
            let is_even = |n: u32| n.is_multiple_of(threads) && n / threads <= MOST_COPIES as u32;
            let all_global = SharedPointer::<V>::IS_COPIED && a.are_global() && b.are_global();
            threads.is_multiple_of(64) && is_even(of_a) && is_even(of_b) && all_global
        };
        let copy = |block: &mut Block, turn: u32, data: SharedPointer<V>| {
            #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
            if is_even {
                // SAFETY: there are so many turns; as checked, and `turns_ahead` says that nobody reads the stage.
                unsafe {
                    copy_window((0, block.threads()), a.window_unchecked(turn), data);
                    copy_window((0, block.threads()), b.window_unchecked(turn), data.offset(of_a));
                }
                return;
            }
            let (a, b) = (a.window(turn), b.window(turn));
            platform::each_unrolled(block.phase(), of_a.wrapping_add(of_b), |i| {
                // SAFETY: positions lie in the windows. Index i belongs to one thread, and nobody reads this stage. The source stays
                // borrowed until the copies have ended.
                unsafe {
                    let from = if i < of_a {
                        let (row, at) = in_panels::<A>(i);
                        a.at_unchecked(row, at)
                    } else {
                        let (row, at) = in_panels::<B>(i.wrapping_sub(of_a));
                        b.at_unchecked(row, at)
                    };
                    data.copy(i, from);
                }
            });
        };
        self.turns_ahead(block, turns, copy, |block, turn, data| {
            // SAFETY: all of it was copied and waited for. The stages stay borrowed, and no phase writes this one in this turn.
            let (a, b) = unsafe { (Tile::new(data, of_a, true), Tile::new(data.offset(of_a), of_b, true)) };
            body(block, turn, a.elements().swizzled(), b.elements().swizzled());
        });
    }
}

/// Begins the calling thread's copies of a window. `threads` threads copy it, from thread `first` on.
///
/// # Safety
/// The calling thread is one of them, and their number is a multiple of 64. They divide the window's parts evenly, and each has at most
/// [`MOST_COPIES`]. The stage has room for the window, which is in global memory and stays borrowed until the copies have ended. Nobody uses the stage until then.
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
pub(super) unsafe fn copy_window<V: ElementVector, const R: usize, const C: usize>(
    (first, threads): (u32, u32),
    window: Window<'_, V, R, C>,
    stage: SharedPointer<V>,
) {
    let (in_panel, parts) = const { ((R * PARTS) as u32, PARTS as u32) };
    let thread = platform::fresh_thread_index().wrapping_sub(first);
    // SAFETY: as in `Crew::thread`.
    unsafe { core::hint::assert_unchecked(thread < threads) };
    // As `in_panels`, but all of a thread's parts have one position in their rows, because 64 parts are eight whole rows.
    let (row, at) = (thread / parts, (thread ^ (thread / parts)) % parts);
    crate::unrolled::unrolled::<MOST_COPIES>(|k| {
        if k < const { (R * C) as u32 } / threads {
            let first = k.wrapping_mul(threads);
            // Threads of a block may share more than one panel.
            let (panel, row) = if in_panel.is_multiple_of(threads) {
                (first / in_panel, first % in_panel / parts + row)
            } else {
                let i = first.wrapping_add(thread);
                (i / in_panel, i % in_panel / parts)
            };
            // SAFETY: within the window; each part belongs to one thread. The rest is the caller's.
            unsafe { stage.copy_global(first.wrapping_add(thread), window.at_unchecked(row, panel * parts + at)) };
        }
    });
}
