//! Attention: the softmax of products of queries and keys, times the values.

use cuda_layout::DeviceLayout;
use cuda_std::math::approx;
use cuda_std::prelude::*;
use cuda_std::{ElementVector, in_panels};

/// Columns of a panel: 128 bytes of a row.
const PANEL: u32 = 64;
/// The rows of heads that lie one below the other, each with 16-bit elements in parts of eight.
#[derive(Arguments)]
pub struct Heads<'a, V: DeviceLayout> {
    /// The keys.
    pub keys: &'a [V],
    /// The values, one row for each key.
    pub values: &'a [V],
    /// Rows of a head in memory.
    pub length: u32,
    /// The first rows of a head, which are its keys and queries. The others fill up whole tiles: they are finite numbers, as keys they have
    /// no weight, and as queries they give what has no meaning.
    pub used: u32,
    /// What products of queries and keys are multiplied by.
    pub scale: f32,
    /// 1 if a query sees only the keys up to its own row.
    pub causal: u32,
}

/// What a warp knows of its queries.
#[derive(Clone, Copy)]
struct Seen<E: MatrixElement<Sum = f32>, const R: usize, const N: usize> {
    /// Values, times the exponentials of their scores.
    values: MatrixSums<E, R, N>,
    /// The largest score of each query.
    most: PerRow<f32, R>,
    /// The sum of a lane's exponentials.
    total: PerRow<f32, R>,
}

/// For each query, the mean of the values, weighted by the exponentials of its scores. Scores are `scale` times the products with
/// the keys. A block has `ROWS` queries of one head, a warp 16 `R`. `KEYS` keys and their values are copied at a time, up to `STAGES - 1`
/// turns ahead. `C` is `KEYS / 8`, `N` the number of columns by 8, and `QUERIES` the number of parts of the queries.
#[kernel(
    threads = 2 * ROWS / R,
    requires(
        heads.length > 0 && heads.length.is_multiple_of(ROWS as u32) && heads.length.is_multiple_of(KEYS as u32),
        heads.used > 0 && heads.used <= heads.length,
        out.rows().is_multiple_of(heads.length as usize) && out.columns() == COLUMNS,
        queries.len() * 8 == out.rows() * out.columns(),
        heads.keys.len() == queries.len() && heads.values.len() == queries.len(),
        tiles.len() == 2 * STAGES * KEYS * COLUMNS / 8,
    ),
    instances(
        attention_64 = <bf16x8, bf16, 128, 32, 64, 2, 4, 8, 3, 1024>,
        attention_128 = <bf16x8, bf16, 128, 32, 128, 2, 4, 16, 3, 2048>,
        attention_f16_64 = <f16x8, f16, 64, 32, 64, 1, 4, 8, 2, 512>,
    )
)]
pub fn attend<
    V,
    E,
    const ROWS: usize,
    const KEYS: usize,
    const COLUMNS: usize,
    const R: usize,
    const C: usize,
    const N: usize,
    const STAGES: usize,
    const QUERIES: usize,
>(
    block: &mut Block,
    out: &mut Tile2d<E, ROWS, COLUMNS, WriteOnly>,
    queries: &[V],
    heads: Heads<'_, V>,
    rows: &mut Shared<V, QUERIES>,
    tiles: &mut DynamicShared<V>,
) where
    V: ElementVector<Element = E> + DeviceLayout,
    E: MatrixElement<Sum = f32> + Narrow + DeviceLayout + Sync,
{
    let Heads { keys, values, length, used, scale, causal } = heads;
    let scale = scale * core::f32::consts::LOG2_E;
    let first = out.first_row();
    let (head, begin) = (first / length * length, first % length);
    let rows = rows.fill(block, const { QUERIES as u32 }, |i| {
        let (row, part) = in_panels::<ROWS>(i);
        queries.at((first + row) * const { N as u32 } + part)
    });
    let rows = rows.elements().swizzled();
    let n = const { KEYS as u32 };
    let turns = if causal == 1 { used.min(begin + const { ROWS as u32 }) } else { used }.div_ceil(n);
    let windows = [keys, values].map(|table| {
        let all = table.len() as u32 / const { N as u32 };
        Table::new(table, all, const { N as u32 }).windows_down::<KEYS, N>(head, 0)
    });
    let mut seen = block.per_thread(|_| Seen::<E, R, N> {
        values: MatrixSums::zero(),
        most: PerRow::splat(f32::NEG_INFINITY),
        total: PerRow::splat(0.0),
    });
    tiles.stages::<STAGES>(block).copy_windows_ahead(
        block,
        turns,
        (windows[0], windows[1]),
        |block, turn, keys, values| {
            block.warps_with(&mut seen, |warp, seen| {
                let row = warp.index() * const { 16 * R as u32 };
                let mut scores = warp.per_lane(|_| MatrixSums::<E, R, C>::zero());
                cuda_std::unrolled::<4>(|panel| {
                    if panel < const { COLUMNS as u32 / PANEL } {
                        let (rows_at, keys_at) = ((panel * ROWS as u32 + row) * PANEL, panel * n * PANEL);
                        warp.multiply_all_rows::<4, _, _, _>((&rows, rows_at), (&keys, keys_at), PANEL, &mut scores);
                    }
                });
                // Only the last keys can lie behind a query, or behind all keys.
                let seen_by_first = if causal == 1 { used.min(begin + row + 1) } else { used };
                if (turn + 1) * n > seen_by_first {
                    warp.each(&mut scores, |lane, scores| {
                        scores.for_each(lane, |query, key, score| {
                            let behind = if causal == 1 { used.min(begin + row + query + 1) } else { used };
                            if turn * n + key >= behind {
                                *score = f32::NEG_INFINITY;
                            }
                        });
                    });
                }
                let most = warp.map(&scores, |_, scores| scores.fold_rows(f32::NEG_INFINITY, larger));
                let most = warp.reduce_rows(&most, larger);
                let most = warp.map((&most, &*seen), |_, (most, seen)| most.map(&seen.most, larger));
                warp.each_with(&mut scores, &most, |_, scores, most| {
                    scores.for_each_in_rows(most, |score, most| {
                        *score = approx::exp2_or_zero(math::fma(*score, scale, -(*most * scale)));
                    });
                });
                let mut values_seen = warp.map(&*seen, |_, seen| seen.values);
                // Mostly, no score exceeds those before.
                let shrunk = warp.map((&*seen, &most), |_, (seen, most)| seen.most.map(most, |old, new| old - new));
                if warp.any(&shrunk, |_, shrunk| shrunk.any(|by| by < 0.0)) {
                    let by = warp.map(&shrunk, |_, by| by.map(by, |by, _| approx::exp2_or_zero(by * scale)));
                    warp.each_with(&mut values_seen, &by, |_, values, by| {
                        values.for_each_in_rows(by, |value, by| *value *= *by);
                    });
                    warp.each_with(seen, &by, |_, seen, by| seen.total = seen.total.map(by, |total, by| total * by));
                }
                warp.each_with(seen, (&most, &scores), |_, seen, (most, scores)| {
                    let own = scores.fold_rows(0.0, |sum, score| sum + score);
                    seen.total = seen.total.map(&own, |a, b| a + b);
                    seen.most = *most;
                });
                warp.multiply_sums(&scores, (&values, 0), [PANEL, n * PANEL], &mut values_seen);
                warp.each_with(seen, &values_seen, |_, seen, values| seen.values = *values);
            });
        },
    );
    block.warps_with(&mut seen, |warp, seen| {
        let total = warp.map(&*seen, |_, seen| seen.total);
        let total = warp.reduce_rows(&total, |a, b| a + b);
        warp.each_with(seen, &total, |_, seen, total| {
            seen.values.for_each_in_rows(total, |value, total| *value /= *total)
        });
    });
    let mut sums = block.per_thread(|_| MatrixSums::<E, R, N>::zero());
    block.each_with(&mut sums, &seen, |_, sums, seen| *sums = seen.values);
    out.write_sums(block, &sums, |_, _, sum| E::narrow(sum));
}

/// What a warp of [`fn@attend_together`] knows of its queries, besides the values.
#[derive(Clone, Copy)]
struct Weights {
    /// The largest score of each query.
    most: PerRow<f32, 1>,
    /// The sum of a lane's exponentials.
    total: PerRow<f32, 1>,
}

/// As [`fn@attend`], for blocks whose warps have 16 queries each and multiply together on Hopper. `C` is `KEYS / 8`, `N` the number of columns
/// by 8, and `K` half of it.
#[kernel(
    threads = 2 * ROWS,
    requires(
        heads.length > 0 && heads.length.is_multiple_of(ROWS as u32) && heads.length.is_multiple_of(KEYS as u32),
        heads.used > 0 && heads.used <= heads.length,
        out.rows().is_multiple_of(heads.length as usize) && out.columns() == COLUMNS,
        queries.len() * 8 == out.rows() * out.columns(),
        heads.keys.len() == queries.len() && heads.values.len() == queries.len(),
        tiles.len() == 2 * STAGES * KEYS * COLUMNS / 8,
    ),
    instances(
        attend_together_64 = <bf16x8, bf16, 128, 128, 64, 16, 4, 8, 2>,
        attend_together_128 = <bf16x8, bf16, 128, 128, 128, 16, 8, 16, 2>,
        attend_together_f16_64 = <f16x8, f16, 128, 64, 64, 8, 4, 8, 3>,
    )
)]
pub fn attend_together<
    V: ElementVector<Element = E> + DeviceLayout,
    E: MatrixElement<Sum = f32> + Narrow + DeviceLayout + Sync,
    const ROWS: usize,
    const KEYS: usize,
    const COLUMNS: usize,
    const C: usize,
    const K: usize,
    const N: usize,
    const STAGES: usize,
>(
    block: &mut Block,
    out: &mut Tile2d<E, ROWS, COLUMNS, WriteOnly>,
    queries: &[V],
    heads: Heads<'_, V>,
    tiles: &mut DynamicShared<V>,
) {
    let Heads { keys, values, length, used, scale, causal } = heads;
    let scale = scale * core::f32::consts::LOG2_E;
    let first = out.first_row();
    let (head, begin) = (first / length * length, first % length);
    let rows =
        block.matrix_rows::<V, 1, K>(queries, |warp| (first + 16 * warp) * const { N as u32 }, const { N as u32 });
    let n = const { KEYS as u32 };
    let turns = if causal == 1 { used.min(begin + const { ROWS as u32 }) } else { used }.div_ceil(n);
    let windows = [keys, values].map(|table| {
        let all = table.len() as u32 / const { N as u32 };
        Table::new(table, all, const { N as u32 }).windows_down::<KEYS, N>(head, 0)
    });
    let none = Weights { most: PerRow::splat(f32::NEG_INFINITY), total: PerRow::splat(0.0) };
    let mut seen = block.per_thread(|_| (none, MatrixSums::<E, 1, N>::zero()));
    tiles.stages::<STAGES>(block).chain_products(
        block,
        turns,
        (windows[0], windows[1]),
        &rows,
        &mut seen,
        |warp, turn, scores: &mut PerLane<MatrixSums<E, 1, C>>, weights| {
            let row = begin + 16 * warp.index();
            // Only the last keys can lie behind a query, or behind all keys.
            let seen_by_first = if causal == 1 { used.min(begin + 1) } else { used };
            if (turn + 1) * n > seen_by_first {
                warp.each(scores, |lane, scores| {
                    scores.for_each(lane, |query, key, score| {
                        let behind = if causal == 1 { used.min(row + query + 1) } else { used };
                        if turn * n + key >= behind {
                            *score = f32::NEG_INFINITY;
                        }
                    });
                });
            }
            // Two of the largest in turn, because each takes the time of the one before.
            let most = warp.map(&*scores, |_, scores| {
                let two = scores.fold_rows([f32::NEG_INFINITY; 2], |[a, b], score| [b, larger(a, score)]);
                two.map(&two, |[a, b], _| larger(a, b))
            });
            let most = warp.reduce_rows(&most, larger);
            let most = warp.map((&most, &*weights), |_, (most, weights)| most.map(&weights.most, larger));
            warp.each_with(scores, &most, |_, scores, most| {
                scores.for_each_in_rows(most, |score, most| {
                    *score = approx::exp2_or_zero(math::fma(*score, scale, -(*most * scale)));
                });
            });
            let by = warp.map((&*weights, &most), |_, (weights, most)| {
                weights.most.map(most, |old, new| approx::exp2_or_zero((old - new) * scale))
            });
            warp.each_with(weights, (&most, &*scores, &by), |_, weights, (most, scores, by)| {
                let two = scores.fold_rows([0.0; 2], |[a, b], score| [b, a + score]);
                let own = two.map(&two, |[a, b], _| a + b);
                weights.total = weights.total.map(by, |total, by| total * by).map(&own, |a, b| a + b);
                weights.most = *most;
            });
            by
        },
    );
    block.warps_with(&mut seen, |warp, seen| {
        let total = warp.map(&*seen, |_, (weights, _)| weights.total);
        let total = warp.reduce_rows(&total, |a, b| a + b);
        warp.each_with(seen, &total, |_, (_, values), total| {
            let inverse = total.map(total, |total, _| 1.0 / total);
            values.for_each_in_rows(&inverse, |value, inverse| *value *= *inverse)
        });
    });
    let mut sums = block.per_thread(|_| MatrixSums::<E, 1, N>::zero());
    block.each_with(&mut sums, &seen, |_, sums, (_, values)| *sums = *values);
    out.write_sums(block, &sums, |_, _, sum| E::narrow(sum));
}

/// The larger of two scores, by one instruction. Which zero it is makes no difference, and a score that is NaN has a weight that is
/// NaN.
#[inline(always)]
#[expect(clippy::disallowed_methods, reason = "bits of attention may differ between backends")]
fn larger(a: f32, b: f32) -> f32 {
    a.max(b)
}

/// Rounds to 16 bits.
pub trait Narrow: Copy {
    /// The nearest number.
    fn narrow(x: f32) -> Self;
}

impl Narrow for f16 {
    #[inline(always)]
    fn narrow(x: f32) -> Self {
        Self::from_f32(x)
    }
}

impl Narrow for bf16 {
    #[inline(always)]
    fn narrow(x: f32) -> Self {
        Self::from_f32(x)
    }
}
