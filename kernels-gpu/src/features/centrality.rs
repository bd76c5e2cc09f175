//! Eigenvector centrality (Bonacich 1972): the leading eigenvector of the contact graph's adjacency matrix A.
//!
//! Power iteration needs tens of thousands of steps where the second eigenvalue is close, so this is the Lanczos
//! iteration (Golub and Van Loan, Matrix Computations, 10.1), restarted from its best vector after at most
//! [`STEPS`] steps. It stops when |A v - lambda v| is small against lambda.

use crate::graph::ContactGraph;
use crate::scratch::WORK_VECTORS;
use cuda_std::math::{NAN, larger, sqrt};
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::column;

/// Steps between restarts. The last vector is the one being computed.
pub const STEPS: usize = WORK_VECTORS - 1;
/// The Ritz pair is checked every this many steps.
const LOOK_EVERY: u32 = 8;
/// Largest |A v - lambda v| / lambda. The promise is 1e-4.
const TOLERANCE: f32 = 5e-5;
/// Restarts after which the best vector so far is taken. Real structures need fewer than ten.
const RESTARTS: u32 = 200;
/// Points that the bisection tries at once: one per lane of a warp.
const POINTS: u32 = 32;
/// Rounds of the bisection. An interval of the eigenvalue's size shrinks to a millionth of it.
const CUTS: u32 = 4;

/// Column `centrality`.
#[inline(always)]
pub fn eigenvector<V>(
    block: &mut Block,
    graph: ContactGraph,
    n: u32,
    vectors: &mut Part<f32>,
    coefficients: &mut Shared<[f32; 2], STEPS>,
    ritz: &mut Shared<f32, STEPS>,
    output: &mut Segment<FeatureRow>,
) {
    // The degrees are the first step of a power iteration, and 0 exactly where there is no contact.
    let mut square = vectors.fill_reduce(
        block,
        n,
        0.0,
        |i| {
            let degree = graph.degree(i) as f32;
            (degree, degree * degree)
        },
        |a, b| a + b,
    );
    if square > 0.0 {
        for _ in 0..RESTARTS {
            let eigenvalue = lanczos::<V>(block, graph, n, 1.0 / sqrt(square), vectors, coefficients, ritz);
            // The best vector is the last one; its absolute values replace the first one.
            let (mut best, rest) = vectors.split_at(n);
            let ritz_vector = rest.view(STEPS as u32 * n);
            square = best.fill_reduce(
                block,
                n,
                0.0,
                |i| {
                    let v = ritz_vector.get((STEPS as u32 - 1) * n + i).abs();
                    (v, v * v)
                },
                |a, b| a + b,
            );
            let v = best.view(n);
            let residual = block.reduce(
                n,
                0.0,
                |i| {
                    let off = graph.sum_over_contacts(i, v) - eigenvalue * v.get(i);
                    off * off
                },
                |a, b| a + b,
            );
            if residual <= TOLERANCE * TOLERANCE * eigenvalue * eigenvalue * square {
                break;
            }
        }
    }
    let v = vectors.view(n);
    let scale = if square > 0.0 { 1.0 / sqrt(square) } else { 0.0 };
    output.update(block, n, |i, row| {
        row.columns[column::CENTRALITY] = if graph.alpha_carbons.get(i).exists() { v.get(i) * scale } else { NAN };
    });
}

/// Improves the first of `vectors`, which has length 1 when multiplied by `scale`. Writes the better vector behind `STEPS`
/// others, of any length, and returns the estimate of the eigenvalue.
///
/// Vector `k` is stored unscaled. Thread `k` keeps its row of the matrix, and the factor that gives it length 1.
#[inline(always)]
fn lanczos<V>(
    block: &mut Block,
    graph: ContactGraph,
    n: u32,
    mut scale: f32,
    vectors: &mut Part<f32>,
    coefficients: &mut Shared<[f32; 2], STEPS>,
    ritz: &mut Shared<f32, STEPS>,
) -> f32 {
    let first_scale = scale;
    let mut found = block.per_thread(|_| [0.0; 2]);
    // The factor of the previous vector as it is stored: its beta times the factor that gives it length 1.
    let mut pull = 0.0;
    let mut step = 0;
    loop {
        let here = step * n;
        let (done, mut next) = vectors.split_at(here + n);
        let v = done.view(here + n).part(here, n);
        let v_before = done.view(here + n).part(here - here.min(n), n);
        // w = A v - beta v_before, and alpha = w v
        let alpha = next.fill_reduce(
            block,
            n,
            0.0,
            |i| {
                let mut w = graph.sum_over_contacts(i, v) * scale;
                if here > 0 {
                    w = math::fma(-pull, v_before.get(i), w);
                }
                (w, w * (v.get(i) * scale))
            },
            |a, b| a + b,
        );
        // w - alpha v; beta is its length
        let square = next.update_reduce(
            block,
            n,
            0.0,
            |i, w| {
                *w = math::fma(-alpha * scale, v.get(i), *w);
                *w * *w
            },
            |a, b| a + b,
        );
        let beta = sqrt(square);
        block.each(&mut found, |t, own| {
            if t.index() == step {
                *own = [alpha, beta];
            }
        });
        step += 1;
        let invariant = beta * scale <= 1e-6 * larger(alpha.abs() * scale, pull);
        if invariant || step % LOOK_EVERY == 0 || step == STEPS as u32 {
            let tridiagonal = coefficients.write(block, step, &found, |_, own| *own);
            let eigenvalue = largest_eigenvalue::<V>(block, &tridiagonal, step);
            let mut weights = ritz.fill(block, step, |j| ritz_weight(&tridiagonal, step, eigenvalue, j));
            let length = sqrt(block.reduce(step, 0.0, |j| weights.get(j) * weights.get(j), |a, b| a + b));
            // The last weight is 1: the residual of the Ritz pair is beta / length.
            if invariant || beta <= 0.5 * TOLERANCE * eigenvalue * length || step == STEPS as u32 {
                weights.update(block, step, |j, weight| {
                    let scale = if j == 0 { first_scale } else { 1.0 / tridiagonal.get(j - 1)[1] };
                    *weight = *weight / length * scale;
                });
                let (done, mut last) = vectors.split_at(STEPS as u32 * n);
                let done = done.view(step * n);
                last.fill(block, n, |i| {
                    let mut sum = 0.0;
                    for j in 0..step {
                        sum = math::fma(weights.get(j), done.get(j * n + i), sum);
                    }
                    sum
                });
                return eigenvalue;
            }
        }
        pull = beta * scale;
        scale = 1.0 / beta;
    }
}

/// The largest eigenvalue of the leading `k` rows of a symmetric tridiagonal matrix of pairs (diagonal, next to it).
///
/// A number s is above all eigenvalues when the pivots of T - s I are all negative. [`POINTS`] numbers are tried at once,
/// and the interval that contains the answer is divided again.
#[inline(always)]
fn largest_eigenvalue<V>(block: &mut Block, tridiagonal: &Tile<[f32; 2]>, k: u32) -> f32 {
    // The Gershgorin circles bound it.
    let bounds = block.reduce(
        k,
        [f32::NEG_INFINITY, f32::NEG_INFINITY],
        |j| {
            let [diagonal, right] = tridiagonal.get(j);
            let left = if j > 0 { tridiagonal.get(j - 1)[1] } else { 0.0 };
            [diagonal, diagonal + left.abs() + if j + 1 < k { right.abs() } else { 0.0 }]
        },
        |a, b| [larger(a[0], b[0]), larger(a[1], b[1])],
    );
    let [mut low, mut high] = bounds;
    for _ in 0..CUTS {
        let width = (high - low) / POINTS as f32;
        let below = block.reduce(
            POINTS,
            0.0,
            |p| if is_above(tridiagonal, k, math::fma(p as f32, width, low)) { 0.0 } else { 1.0 },
            |a, b| a + b,
        );
        // Points rise, so those that are not above all eigenvalues come first.
        high = math::fma(below, width, low);
        low = math::fma(larger(below - 1.0, 0.0), width, low);
    }
    high
}

/// Whether `s` is above all eigenvalues of the leading `k` rows.
#[inline(always)]
fn is_above(tridiagonal: &Tile<[f32; 2]>, k: u32, s: f32) -> bool {
    let mut pivot = -1.0;
    let mut left = 0.0;
    for j in 0..k {
        let [diagonal, right] = tridiagonal.get(j);
        pivot = (diagonal - s) - left * left / pivot;
        if pivot >= 0.0 {
            return false;
        }
        left = right;
    }
    true
}

/// Component `j` of the eigenvector of the leading `k` rows, scaled so that the last one is 1. The recurrence runs
/// from the last component to the first, in which direction it grows and so is stable.
#[inline(always)]
fn ritz_weight(tridiagonal: &Tile<[f32; 2]>, k: u32, eigenvalue: f32, j: u32) -> f32 {
    let (mut here, mut after) = (1.0, 0.0);
    let mut at = k - 1;
    while at > j {
        let [diagonal, right] = tridiagonal.get(at);
        let [_, left] = tridiagonal.get(at - 1);
        let before = ((eigenvalue - diagonal) * here - right * after) / left;
        after = here;
        here = before;
        at -= 1;
    }
    here
}
