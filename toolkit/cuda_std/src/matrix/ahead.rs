//! Products of windows whose tiles are copied some turns ahead.

#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use super::parts::Copies;
use super::parts::{PARTS, STEPS, part};
use super::{MatrixElement, MatrixProduct};
use crate::bounds::{check_length, out_of_bounds};
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use crate::platform::{self, SharedPointer};
use crate::vectors::ElementVector;
use crate::{Block, PerThread, Stages, Windows};
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
use crate::{PerLane, Tile, unrolled::unrolled};

impl<V: ElementVector<Element: MatrixElement>, const S: usize> Stages<'_, V, S> {
    /// The main loop of a large product: adds the products of two tables' windows, pair by pair. Rows of a window have 128 bytes.
    /// Each warp adds 16 `R` rows of `a` times 8 `C` rows of `b`; `corner` gives the first row of each by the warp's index.
    ///
    /// Windows are copied `S - 1` turns ahead. While tensor cores multiply, copies and the loads of the next step are under way. A
    /// device checks before the first turn what can panic, so the loop itself has no checks. The results are those of
    /// [`copy_parts_ahead`](Self::copy_parts_ahead) into [`swizzled`](crate::swizzled) tiles and
    /// [`Warp::multiply_rows`](crate::Warp::multiply_rows).
    ///
    /// # Warpgroups
    ///
    /// In a kernel that is built for `sm_90a`, four warps of Hopper multiply floats together. The tensor cores then read both windows from
    /// shared memory while the warps copy, which takes about 0.6 of the time for `bf16`. This needs parts of warps that lie one below the
    /// other by fours:
    ///
    /// - `R` is 1, and `C` is 8, 16 or 32. For `e4m3` and `e5m2`, `C` is 8 or 16, and there are more than three stages.
    /// - The block has a multiple of 128 threads.
    /// - `corner` gives warps `4 g` to `4 g + 3` the same column, and rows that are 16 apart. The first row and the column are multiples
    ///   of 8.
    /// - The stages belong to a [`DynamicShared`](crate::DynamicShared), and their size is a multiple of 1024 bytes.
    /// - All threads copy the same number of parts: the windows' rows together are a multiple of half the number of threads, and those of
    ///   each window a multiple of an eighth.
    ///
    /// Otherwise single warps multiply, as on all other chips. The results are those of the definition in both cases
    /// ([`Warp::multiply`](crate::Warp::multiply)), but for `e4m3` and `e5m2`, of which warpgroups add the 128 products of a turn with about
    /// 14 bits, before they are added to the sum so far as `f32`. Let `S` be the sum of the absolute values of a turn's products: the turn's
    /// sum is within `2^-6 S` of the exact one, and exact if all products are multiples of one power of two `u`, and `S` is at most
    /// `2^13 u`. Single warps multiply fastest with square parts, such as `R` 4 and `C` 8.
    ///
    /// # Panics
    /// When there are not as many windows of `a` as of `b`, a stage is smaller than a pair of windows, or a window does not
    /// contain a warp's rows.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// A times the transpose of B. A block computes 32 x 32 elements, each of its two warps 16 x 32.
    /// #[kernel(threads = 64, requires(depth.is_multiple_of(64), a.len() == 4 * depth as usize, b.len() == a.len()))]
    /// fn product(
    ///     block: &mut Block,
    ///     out: &mut Tile2d<f32, 32, 32, WriteOnly>,
    ///     a: &[bf16x8],
    ///     b: &[bf16x8],
    ///     depth: u32,
    ///     tiles: &mut Shared<bf16x8, { 3 * 64 * 8 }>,
    /// ) {
    ///     let (a, b) = (Table::new(a, 32, depth / 8), Table::new(b, 32, depth / 8));
    ///     let mut product = block.per_thread(|_| MatrixProduct::<bf16, 1, 4>::zero());
    ///     let windows = (a.windows_across::<32, 8>(0), b.windows_across::<32, 8>(0));
    ///     tiles.stages::<3>(block).add_products(block, windows, |warp| [16 * warp, 0], &mut product);
    ///     let sums = block.finish_products(product);
    ///     out.write_sums(block, &sums, |_, _, sum| sum);
    /// }
    /// # fn main() {
    /// let row = |n: u32, i: u32| bf16x8::from_array([0, 1, 2, 3, 4, 5, 6, 7].map(|k| bf16::from_f32(((8 * i + k) % n) as f32)));
    /// let depth = 256;
    /// let [a, b] = [7, 5].map(|n| (0..4 * depth).map(|i| row(n, i)).collect::<Vec<_>>());
    /// let mut out = [0.0; 32 * 32];
    /// let args = product::Args { out: Matrix { data: &mut out[..], columns: 32 }, a: &a[..], b: &b[..], depth };
    /// product::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
    /// let expected: u32 = (0..depth).map(|k| (depth * 30 + k) % 7 * ((depth * 9 + k) % 5)).sum();
    /// assert_eq!(out[30 * 32 + 9], expected as f32);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn add_products<const A: usize, const B: usize, const R: usize, const C: usize>(
        &mut self,
        block: &mut Block,
        windows: (Windows<'_, V, A, PARTS>, Windows<'_, V, B, PARTS>),
        corner: impl Fn(u32) -> [u32; 2] + Sync,
        product: &mut PerThread<MatrixProduct<V::Element, R, C>>,
    ) {
        self.products::<false, A, B, R, C>(block, windows, corner, product);
    }

    /// As [`add_products`](Self::add_products), but of `e4m3` and `e5m2` warpgroups add all turns with about 14 bits. `C` may be 32 then, and
    /// stages as few as two. This is faster, and what libraries call fast accumulation.
    ///
    /// A turn changes the sum so far as it would in `add_products`, but in its error `S` has the absolute value of the sum so far as another
    /// term. So errors grow with the number of turns. Other elements, and other chips, have the results of `add_products`.
    ///
    /// # Panics
    /// As [`add_products`](Self::add_products).
    #[inline(always)]
    #[track_caller]
    pub fn add_products_fast<const A: usize, const B: usize, const R: usize, const C: usize>(
        &mut self,
        block: &mut Block,
        windows: (Windows<'_, V, A, PARTS>, Windows<'_, V, B, PARTS>),
        corner: impl Fn(u32) -> [u32; 2] + Sync,
        product: &mut PerThread<MatrixProduct<V::Element, R, C>>,
    ) {
        self.products::<true, A, B, R, C>(block, windows, corner, product);
    }

    /// The products of both, which are `FAST` or not.
    #[inline(always)]
    #[track_caller]
    fn products<const FAST: bool, const A: usize, const B: usize, const R: usize, const C: usize>(
        &mut self,
        block: &mut Block,
        (a, b): (Windows<'_, V, A, PARTS>, Windows<'_, V, B, PARTS>),
        corner: impl Fn(u32) -> [u32; 2] + Sync,
        product: &mut PerThread<MatrixProduct<V::Element, R, C>>,
    ) {
        const { assert!(size_of::<V>() == 16, "rows are copied in parts of 16 bytes") };
        const { assert!(A >= 16 * R && B >= 8 * C, "the windows contain a warp's rows") };
        let (turns, n) = (a.count(), const { (PARTS * (A + B)) as u32 });
        if b.count() != turns {
            out_of_bounds();
        }
        check_length(n, self.capacity());
        let stride = const { (128 / size_of::<V::Element>()) as u32 };
        // The first elements of a warp's rows.
        let first = |warp: u32| {
            let [row, column] = corner(warp);
            if row > const { (A - 16 * R) as u32 } || column > const { (B - 8 * C) as u32 } {
                out_of_bounds();
            }
            [row, const { A as u32 } + column].map(|row| row * stride)
        };
        #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
        {
            let threads = block.threads();
            let is_even = Copies::<V, A, B>::are_even(threads);
            #[cfg(target_feature = "sm_90a")]
            let is_in_order = const { !super::warpgroup::multiply::<V::Element>(R, C, S, FAST) }
                || super::warpgroup::are_warpgroups(threads, &corner) && self.are_aligned_to(1024);
            #[cfg(not(target_feature = "sm_90a"))]
            let is_in_order = true;
            if SharedPointer::<V>::IS_COPIED && is_even && is_in_order && a.are_global() && b.are_global() {
                platform::frozen(&corner);
                let stages = self.open(block);
                #[cfg(target_feature = "sm_90a")]
                if const { super::warpgroup::multiply::<V::Element>(R, C, S, FAST) } {
                    block.warps_with(product, |warp, product| {
                        let (_, [row, column]) = (first(warp.index()), first(warp.index() & !3));
                        // As below.
                        platform::publish();
                        platform::ask_lanes();
                        // SAFETY: as checked; the stages are open.
                        unsafe {
                            let sums = product.0.own_mut().first_sums();
                            let (windows, first) = ((a, b), [row, column]);
                            if const { !FAST && super::warpgroup::kind::<V::Element>().is_coarse() } {
                                super::warpgroup::main_loop_by_turns::<V, S, A, B, C>(
                                    threads, turns, stages, windows, first, sums,
                                );
                            } else {
                                super::warpgroup::main_loop::<V, S, A, B, C>(
                                    threads, turns, stages, windows, first, sums,
                                );
                            }
                        }
                    });
                    return;
                }
                block.warps_with(product, |warp, product| {
                    let first = first(warp.index());
                    // All threads of the block are alive after this. Nothing in the loop can end one.
                    platform::publish();
                    platform::ask_lanes();
                    // SAFETY: as checked; the stages are open.
                    unsafe { main_loop::<V, S, A, B, R, C>(threads, turns, stages, (a, b), first, stride, product) };
                });
                return;
            }
        }
        self.copy_parts_ahead(
            block,
            turns,
            n,
            |turn| (a.window(turn), b.window(turn)),
            // SAFETY: there are `n` parts.
            |(a, b), i| unsafe { part((a, b), i) },
            |block, _, tile| {
                let tile = tile.elements().swizzled();
                block.warps_with(product, |warp, product| {
                    let [row, column] = first(warp.index());
                    // With so many sums there are no registers for the next step's elements.
                    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
                    if const { super::warpgroup::multiply::<V::Element>(R, C, S, FAST) } {
                        let mut sums = warp.map(&*product, |_, own| own.sums);
                        warp.multiply_all_rows::<STEPS, _, _, _>((&tile, row), (&tile, column), stride, &mut sums);
                        warp.each_with(product, &sums, |_, own, sums| own.sums = *sums);
                        return;
                    }
                    warp.multiply_rows::<STEPS, _, _, _>((&tile, row), (&tile, column), stride, product);
                });
            },
        );
    }
}

/// The turns of a warp.
///
/// # Safety
/// All threads of the block are alive and come here together. The first stages, at `data`, have `len` elements each, which is enough
/// for a pair of windows, and only this loop uses them. There are `turns` pairs of windows in global memory. `first` are the first
/// elements of rows that exist. Copies of `threads` threads [are even](Copies::are_even).
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
#[inline(always)]
unsafe fn main_loop<'x, V, const S: usize, const A: usize, const B: usize, const R: usize, const C: usize>(
    threads: u32,
    turns: u32,
    (data, len): (SharedPointer<V>, u32),
    (a, b): (Windows<'x, V, A, PARTS>, Windows<'x, V, B, PARTS>),
    [row, column]: [u32; 2],
    stride: u32,
    product: &mut PerLane<MatrixProduct<V::Element, R, C>>,
) where
    V: ElementVector<Element: MatrixElement> + 'x,
{
    let n = const { (PARTS * (A + B)) as u32 };
    let stage = |number: u32| data.offset(number.wrapping_mul(len));
    let mut copies = Copies::new(threads, (a, b));
    let mut copy = |turn: u32, number: u32, step: u32| {
        if turn < turns {
            // SAFETY: the caller's. Nobody reads this stage: all threads have used it before the barrier at the start of this turn.
            unsafe { copies.begin(threads, stage(number), step) };
        }
    };
    let ahead = const { S as u32 - 1 };
    for turn in 0..ahead {
        unrolled::<STEPS>(|step| copy(turn, turn, step));
        platform::end_turn_of_copies();
    }
    let (mut now, mut next) = (0, ahead);
    for turn in 0..turns {
        // All threads' copies for this turn have ended; those for the next `S - 2` turns may be in flight.
        platform::finish_older_copies::<S, 0>();
        platform::barrier();
        // SAFETY: all of it was copied and waited for, and nobody writes this stage in this turn.
        let tile = unsafe { Tile::new(stage(now), n, true) }.elements().swizzled();
        // SAFETY: the rows exist and begin at multiples of 128 bytes; the caller's. Copies neither panic nor branch by lane.
        unsafe {
            super::product::multiply_steps::<STEPS, _, _, _>((&tile, row), (&tile, column), stride, product, |step| {
                // The first step after a barrier only loads; the last one begins two quarters.
                if step > 0 {
                    copy(turn.wrapping_add(ahead), next, step - 1);
                }
                if step + 1 == STEPS as u32 {
                    copy(turn.wrapping_add(ahead), next, step);
                }
            });
        }
        platform::end_turn_of_copies();
        (now, next) = (Stages::<V, S>::following(now), Stages::<V, S>::following(next));
    }
}
