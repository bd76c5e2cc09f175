//! Chains of two products, whose sums between them do not leave the registers.

#[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
use super::parts::MOST_COPIES;
use super::{MOST, MatrixA, MatrixElement, MatrixSums, PerRow, place_a};
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
use crate::bounds::check_length;
use crate::bounds::out_of_bounds;
use crate::platform::LaneStorage;
#[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
use crate::platform::SharedPointer;
use crate::unrolled::unrolled;
use crate::vectors::ElementVector;
use crate::{Block, PerLane, PerThread, Stages, Warp, Windows};
use core::marker::PhantomData;

/// A lane's part of a left matrix with 16 `R` rows and `K` times [`DEPTH`](MatrixElement::DEPTH) columns, which stays in registers.
///
/// [`Block::matrix_rows`] loads it. [`Stages::chain_products`] has an example.
#[derive(Clone, Copy)]
pub struct MatrixRows<E, const R: usize, const K: usize>(pub(super) [[[u32; 4]; R]; K], PhantomData<E>);

impl Block {
    /// Loads the rows of all warps, `K / 4` times 64 elements each. The rows of a warp begin at vector `first(warp)`, by its index, and row
    /// `r` of them `stride r` vectors later.
    ///
    /// # Panics
    /// When a vector does not exist.
    #[inline(always)]
    #[track_caller]
    pub fn matrix_rows<V: ElementVector<Element: MatrixElement>, const R: usize, const K: usize>(
        &mut self,
        from: &[V],
        first: impl Fn(u32) -> u32 + Sync,
        stride: u32,
    ) -> PerThread<MatrixRows<V::Element, R, K>> {
        const { assert!(size_of::<V>() == 16 && align_of::<V>() >= 4, "vectors have 16 bytes") };
        const { assert!(R > 0 && K > 0 && R * K <= MOST, "a warp keeps 1 to 64 matrices") };
        self.per_thread(|thread| {
            let (first, lane) = (first(thread.index() / 32), thread.index() % 32);
            let end = u64::from(first) + u64::from(stride) * const { 16 * R as u64 - 1 } + const { 2 * K as u64 };
            if end > from.len() as u64 {
                out_of_bounds();
            }
            let mut rows = [[[0; 4]; R]; K];
            unrolled::<R>(|r| {
                unrolled::<2>(|half| {
                    let row = u64::from(first) + u64::from(stride) * u64::from(16 * r + place_a(lane, half).0);
                    unrolled::<K>(|k| {
                        unrolled::<2>(|part| {
                            let word = 4 * (row as usize + (2 * k + part) as usize) + (lane % 4) as usize;
                            // SAFETY: a word of a vector below the end, as checked; vectors are plain data and begin at words.
                            rows[k as usize][r as usize][(half + 2 * part) as usize] =
                                unsafe { *from.as_ptr().cast::<u32>().add(word) };
                        });
                    });
                });
            });
            MatrixRows(rows, PhantomData)
        })
    }
}

/// Steps of 16 elements in a panel.
const IN_PANEL: u32 = 4;
/// Elements of a row in a panel.
const PANEL: u32 = 64;

impl<V: ElementVector<Element: MatrixElement<Sum = f32>>, const S: usize> Stages<'_, V, S> {
    /// Adds chains of two products: rows times window `turn` of `a` (the transpose: its rows are columns here), and what becomes of these
    /// sums times window `turn` of `b`, for every turn below `turns`.
    ///
    /// In each turn `weigh(warp, turn, sums, own)` gets the sums of the first product, which it may change, and returns what the sums of the
    /// second products so far are multiplied by, row by row. Then `sums` are rounded to 16 bits (to nearest, ties to even), and their product
    /// with the window of `b` is added. `state` has each lane's own value, which `weigh` gets, and the sums of the second products.
    ///
    /// Each warp has its own 16 `R` `rows`. Windows have `A` rows with 8 `N` elements, and are copied some turns ahead.
    /// `C` is `A / 8`, the width of the first product by 8, and `K` is `N / 2`. The build stops for other numbers, and if rows are not whole
    /// panels of 128 bytes.
    ///
    /// The results are those of [`Warp::multiply`] and [`Warp::multiply_sums`].
    ///
    /// # Warpgroups
    ///
    /// In a kernel that is built for `sm_90a`, four warps of Hopper multiply `f16` or `bf16` together. While tensor cores compute the first
    /// product of the next turn and the second one of this turn, the warps copy, and weigh the sums of the next turn as soon as these are
    /// there. This needs:
    ///
    /// - `R` is 1, and `C` and `N` are 8 or 16. The block has a multiple of 128 threads.
    /// - The stages belong to a [`DynamicShared`](crate::DynamicShared), and their size is a multiple of 1024 bytes.
    /// - `A N` is a multiple of 128 and at most 2048: the last four warps copy.
    ///
    /// Otherwise single warps multiply, as on all other chips.
    ///
    /// If `weigh` may panic, the assembler (`ptxas`) has to wait for products before, and says so: they run one after another.
    ///
    /// # Panics
    /// When a table has fewer windows, or a stage is smaller than both windows.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// For each of 16 rows of `x`: the sum of the rows of `b`, weighted by the squares of the row's products with the rows of `a`.
    /// #[kernel(threads = 32, requires(x.len() == 128, a.len() == b.len() && a.len().is_multiple_of(128)))]
    /// fn weighted(
    ///     block: &mut Block,
    ///     out: &mut Tile2d<f32, 16, 64, WriteOnly>,
    ///     x: &[bf16x8],
    ///     a: &[bf16x8],
    ///     b: &[bf16x8],
    ///     tiles: &mut Shared<bf16x8, { 2 * 2 * 16 * 8 }>,
    /// ) {
    ///     let rows = block.matrix_rows::<bf16x8, 1, 4>(x, |_| 0, 8);
    ///     let turns = a.len() as u32 / 128;
    ///     let [a, b] = [a, b].map(|table| Table::new(table, 16 * turns, 8).windows_down::<16, 8>(0, 0));
    ///     let mut state = block.per_thread(|_| ((), MatrixSums::<bf16, 1, 8>::zero()));
    ///     tiles.stages::<2>(block).chain_products(
    ///         block,
    ///         turns,
    ///         (a, b),
    ///         &rows,
    ///         &mut state,
    ///         |warp, _, sums: &mut PerLane<MatrixSums<bf16, 1, 2>>, _| {
    ///             warp.each(sums, |lane, sums| sums.for_each(lane, |_, _, sum| *sum *= *sum));
    ///             warp.per_lane(|_| PerRow::splat(1.0))
    ///         },
    ///     );
    ///     let mut sums = block.per_thread(|_| MatrixSums::<bf16, 1, 8>::zero());
    ///     block.each_with(&mut sums, &state, |_, sums, (_, own)| *sums = *own);
    ///     out.write_sums(block, &sums, |_, _, sum| sum);
    /// }
    /// # fn main() {
    /// // Row i of `x` and of `a` has a 1 in column i, so the weights are 1 and 0.
    /// let one = |i: u32| bf16x8::from_f32([0, 1, 2, 3, 4, 5, 6, 7].map(|k| if (8 * i + k) % 65 == 0 { 1.0 } else { 0.0 }));
    /// let a: Vec<_> = (0..32 * 8).map(one).collect();
    /// let b: Vec<_> = (0..32 * 8).map(|i| bf16x8::from_f32([(i / 8) as f32; 8])).collect();
    /// let mut out = [0.0; 16 * 64];
    /// let data = Matrix { data: &mut out[..], columns: 64 };
    /// let args = weighted::Args { out: data, x: &a[..128], a: &a[..], b: &b[..] };
    /// weighted::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
    /// assert_eq!((out[0], out[64 * 9], out[64 * 15 + 63]), (0.0, 9.0, 15.0));
    /// # }
    /// ```
    ///
    /// The sums of the second products belong to the loop while it runs:
    ///
    /// ```compile_fail,E0502
    /// # use cuda_std::prelude::*;
    /// fn used(
    ///     block: &mut Block,
    ///     stages: &mut Stages<'_, bf16x8, 2>,
    ///     windows: Windows<'_, bf16x8, 16, 8>,
    ///     rows: &PerThread<MatrixRows<bf16, 1, 4>>,
    ///     state: &mut PerThread<((), MatrixSums<bf16, 1, 8>)>,
    /// ) {
    ///     stages.chain_products(
    ///         block,
    ///         1,
    ///         (windows, windows),
    ///         rows,
    ///         state,
    ///         |warp, _, _: &mut PerLane<MatrixSums<bf16, 1, 2>>, _| {
    ///             let _used = &*state;
    ///             warp.per_lane(|_| PerRow::splat(1.0))
    ///         },
    ///     );
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn chain_products<
        T: Copy + Send + Sync,
        const A: usize,
        const R: usize,
        const C: usize,
        const K: usize,
        const N: usize,
    >(
        &mut self,
        block: &mut Block,
        turns: u32,
        (a, b): (Windows<'_, V, A, N>, Windows<'_, V, A, N>),
        rows: &PerThread<MatrixRows<V::Element, R, K>>,
        state: &mut PerThread<(T, MatrixSums<V::Element, R, N>)>,
        weigh: impl Fn(
            &mut Warp,
            u32,
            &mut PerLane<MatrixSums<V::Element, R, C>>,
            &mut PerLane<T>,
        ) -> PerLane<PerRow<f32, R>>
        + Sync,
    ) {
        const {
            assert!(
                C * 8 == A && C.is_multiple_of(2),
                "the first sums have a column for each row of a window, a multiple of 16"
            );
            assert!(<V::Element as super::element::sealed::Element>::PER_WORD == 2, "sums become elements of 16 bits");
            assert!(K * 2 == N, "a row has as many elements as a row of a window");
            assert!(R > 0 && R * C <= MOST && R * N <= MOST, "a warp adds to 1 to 64 matrices at once");
        }
        #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
        if const { super::warpgroup_chain::multiply::<V::Element>(R, C, N) } {
            let threads = block.threads();
            let n = const { (A * N) as u32 };
            if turns > a.count() || turns > b.count() {
                out_of_bounds();
            }
            check_length(2 * n, self.capacity());
            let is_even =
                const { (A * N).is_multiple_of(128) && A * N / 128 <= MOST_COPIES } && threads.is_multiple_of(128);
            if SharedPointer::<V>::IS_COPIED && is_even && self.are_aligned_to(1024) && a.are_global() && b.are_global()
            {
                use crate::platform;
                platform::frozen(&weigh);
                let stages = self.open(block);
                block.warps_with(state, |warp, state| {
                    let rows = rows.0.own(warp.index());
                    // All threads of the block are alive after this.
                    platform::publish();
                    platform::ask_lanes();
                    // SAFETY: as checked; the stages are open.
                    unsafe {
                        super::warpgroup_chain::main_loop::<V, T, S, A, R, C, K, N>(
                            threads,
                            turns,
                            stages,
                            (a, b),
                            rows,
                            warp,
                            state,
                            &weigh,
                        );
                    }
                });
                return;
            }
        }
        self.copy_windows_ahead(block, turns, (a, b), |block, turn, a, b| {
            block.warps_with(state, |warp, state| {
                let (phase, first) = (warp.phase(), 32 * warp.index());
                let rows = PerLane(LaneStorage::new(phase, warp.index(), |lane| *rows.0.own(first + lane)));
                let mut sums = warp.per_lane(|_| MatrixSums::<V::Element, R, C>::zero());
                unrolled::<K>(|k| {
                    let left = warp.map(&rows, |_, rows| MatrixA(rows.0[k as usize], PhantomData));
                    let at = k / IN_PANEL * A as u32 * PANEL + k % IN_PANEL * <V::Element as MatrixElement>::DEPTH;
                    let right = warp.matrix_b_by_columns::<V::Element, C>(&a, at, PANEL);
                    warp.multiply(&left, &right, &mut sums);
                });
                let mut own = warp.map(&*state, |_, state| state.0);
                let by = weigh(warp, turn, &mut sums, &mut own);
                let mut product = warp.map(&*state, |_, state| state.1);
                warp.each_with(&mut product, &by, |_, product, by| product.for_each_in_rows(by, |sum, by| *sum *= *by));
                warp.multiply_sums(&sums, (&b, 0), [PANEL, const { A as u32 * PANEL }], &mut product);
                warp.each_with(state, (&own, &product), |_, state, (own, product)| *state = (*own, *product));
            });
        });
    }
}
