//! Chains of two products.

use cuda_layout::DeviceLayout;
use cuda_std::ElementVector;
use cuda_std::prelude::*;

/// Adds up x times the transpose of window `turn` of `a`, rounded to 16 bits, times window `turn` of `b`, for `turns` turns. In every other turn, the sums so
/// far are halved before. A block has 128 rows of x, and windows `KEYS` rows. `totals` gets what each thread has of all first sums.
#[kernel(
    threads = 256,
    requires(
        out.rows().is_multiple_of(128) && out.columns() == COLUMNS && x.len() * 8 == out.rows() * COLUMNS,
        a.len() == b.len() && a.len().is_multiple_of(KEYS * COLUMNS / 8),
    ),
    instances(
        chained_bf16_128 = <bf16x8, bf16, 128, 128, 16, 8, 16, 2>,
        chained_bf16_64 = <bf16x8, bf16, 64, 128, 8, 8, 16, 3>,
        chained_f16_128 = <f16x8, f16, 128, 64, 16, 4, 8, 3>,
        chained_f16_64 = <f16x8, f16, 64, 64, 8, 4, 8, 2>,
        chained_32 = <f16x8, f16, 32, 64, 4, 4, 8, 2>,
    )
)]
pub fn chained<
    V: ElementVector<Element = E> + DeviceLayout,
    E: MatrixElement<Sum = f32> + DeviceLayout + Sync,
    const KEYS: usize,
    const COLUMNS: usize,
    const C: usize,
    const K: usize,
    const N: usize,
    const STAGES: usize,
>(
    block: &mut Block,
    out: &mut Tile2d<f32, 128, COLUMNS, WriteOnly>,
    totals: &mut Chunk<f32, 256>,
    x: &[V],
    a: &[V],
    b: &[V],
    turns: u32,
    tiles: &mut DynamicShared<V>,
) {
    let (first, n) = (out.first_row(), const { N as u32 });
    let rows = block.matrix_rows::<V, 1, K>(x, |warp| (first + 16 * warp) * n, n);
    let all = a.len() as u32 / n;
    let [a, b] = [a, b].map(|table| Table::new(table, all, n).windows_down::<KEYS, N>(0, 0));
    let mut state = block.per_thread(|_| (0.0, MatrixSums::<E, 1, N>::zero()));
    tiles.stages::<STAGES>(block).chain_products(
        block,
        turns,
        (a, b),
        &rows,
        &mut state,
        |warp, turn, sums: &mut PerLane<MatrixSums<E, 1, C>>, total| {
            warp.each_with(total, &*sums, |lane, total, sums| {
                let mut sums = *sums;
                sums.for_each(lane, |_, _, sum| *total += *sum);
            });
            warp.per_lane(|_| PerRow::splat(if turn % 2 == 1 { 0.5 } else { 1.0 }))
        },
    );
    totals.write(block, 0, &state, |_, (total, _)| *total);
    let mut sums = block.per_thread(|_| MatrixSums::<E, 1, N>::zero());
    block.each_with(&mut sums, &state, |_, sums, (_, own)| *sums = *own);
    out.write_sums(block, &sums, |_, _, sum| sum);
}

/// As [`fn@chained`], for one window of 64 rows a turn. The last thread panics in turn `turn`.
#[kernel(threads = 128, requires(x.len() == 64 * 8 && a.len().is_multiple_of(512)))]
pub fn chained_until(
    block: &mut Block,
    out: &mut Tile2d<f32, 64, 64, WriteOnly>,
    x: &[bf16x8],
    a: &[bf16x8],
    until: u32,
    tiles: &mut DynamicShared<bf16x8>,
) {
    let rows = block.matrix_rows::<bf16x8, 1, 4>(x, |warp| 128 * warp, 8);
    let windows = Table::new(a, a.len() as u32 / 8, 8).windows_down::<64, 8>(0, 0);
    let mut state = block.per_thread(|_| ((), MatrixSums::<bf16, 1, 8>::zero()));
    tiles.stages::<2>(block).chain_products(
        block,
        windows.count(),
        (windows, windows),
        &rows,
        &mut state,
        |warp, turn, sums: &mut PerLane<MatrixSums<bf16, 1, 8>>, _| {
            warp.each(sums, |lane, _| assert!(lane.thread().index() < 127 || turn != until, "the last turn"));
            warp.per_lane(|_| PerRow::splat(1.0))
        },
    );
    let mut sums = block.per_thread(|_| MatrixSums::<bf16, 1, 8>::zero());
    block.each_with(&mut sums, &state, |_, sums, (_, own)| *sums = *own);
    out.write_sums(block, &sums, |_, _, sum| sum);
}
