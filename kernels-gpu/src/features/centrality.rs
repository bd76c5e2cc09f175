//! Eigenvector centrality (Bonacich 1972): the leading eigenvector of the contact graph's adjacency matrix A.
//!
//! Power iteration needs tens of thousands of steps where the second eigenvalue is close, so this is the Lanczos
//! iteration (Golub and Van Loan, Matrix Computations, 10.1), restarted from its best vector after at most
//! [`STEPS`] steps. It stops when |A v - lambda v| is small against lambda.

mod workers;

pub use workers::{AllBlocks, FEW, Workers};

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

/// Column `centrality`, by a block.
#[inline(always)]
pub fn by_block<V>(
    block: &mut Block,
    graph: ContactGraph,
    n: u32,
    vectors: &mut Part<f32>,
    coefficients: &mut Shared<[f32; 2], STEPS>,
    ritz: &mut Shared<f32, STEPS>,
    output: &mut Segment<FeatureRow>,
) {
    let product = |v: View<f32>, (), i| graph.sum_over_contacts(i, |j| v.get(j));
    let scale = eigenvector::<V, _>(block, graph, product, n, vectors, coefficients, ritz);
    let v = vectors.view(n);
    output.update(block, n, |i, row| {
        row.columns[column::CENTRALITY] = if graph.alpha_carbons.get(i).exists() { v.get(i) * scale } else { NAN };
    });
}

/// Column `centrality`, by all blocks of a grid. `output` has the structure's rows.
///
/// `product` is a row of the adjacency matrix times a vector. On CPU cores it is called and not inlined. So the kernel gives it, whose
/// closures are compiled for the processor.
#[inline(always)]
pub fn by_all_blocks<V>(
    mut workers: AllBlocks,
    graph: ContactGraph,
    product: impl for<'v> Fn(GridView<'v, f32>, Thread, u32) -> f32 + Copy + Sync,
    n: u32,
    vectors: &mut GridMemory<f32>,
    (coefficients, ritz): (&mut GridMemory<[f32; 2]>, &mut GridMemory<f32>),
    output: &mut GridMemory<FeatureRow>,
) {
    let scale = eigenvector::<V, _>(&mut workers, graph, product, n, vectors, coefficients, ritz);
    let v = vectors.view();
    output.update(workers.grid, n, |thread, i, row| {
        let exists = graph.alpha_carbons.get(i).exists();
        row.columns[column::CENTRALITY] = if exists { v.get(thread, i) * scale } else { NAN };
    });
}

/// Computes the eigenvector, the first of `vectors`. Returns the factor that gives it length 1, or 0 without contacts.
#[inline(always)]
fn eigenvector<V, W: Workers + ?Sized>(
    workers: &mut W,
    graph: ContactGraph,
    product: impl for<'v> Fn(W::Vector<'v>, W::Reader, u32) -> f32 + Copy + Sync,
    n: u32,
    vectors: &mut W::Vectors<'_>,
    coefficients: &mut W::Coefficients<'_>,
    ritz: &mut W::Ritz<'_>,
) -> f32 {
    // The degrees are the first step of a power iteration, and 0 exactly where there is no contact.
    let mut square = workers.fill_sum(vectors, n, |_, i| {
        let degree = graph.degree(i) as f32;
        (degree, degree * degree)
    });
    if square > 0.0 {
        for _ in 0..RESTARTS {
            let eigenvalue = lanczos::<V, W>(workers, product, n, 1.0 / sqrt(square), vectors, coefficients, ritz);
            // The best vector is the last one; its absolute values replace the first one.
            let (mut best, rest) = W::split(vectors, n);
            let ritz_vector = W::view(&rest, STEPS as u32 * n, 0, STEPS as u32 * n);
            square = workers.fill_sum(&mut best, n, |reader, i| {
                let v = W::get(ritz_vector, reader, (STEPS as u32 - 1) * n + i).abs();
                (v, v * v)
            });
            let v = W::view(&best, n, 0, n);
            let residual = workers.sum(n, |reader, i| {
                let off = product(v, reader, i) - eigenvalue * W::get(v, reader, i);
                off * off
            });
            if residual <= TOLERANCE * TOLERANCE * eigenvalue * eigenvalue * square {
                break;
            }
        }
    }
    if square > 0.0 { 1.0 / sqrt(square) } else { 0.0 }
}

/// Improves the first of `vectors`, which has length 1 when multiplied by `scale`. Writes the better vector behind `STEPS`
/// others, of any length, and returns the estimate of the eigenvalue.
///
/// Vector `k` is stored unscaled. The workers keep the matrix row by row, with the factors that give vectors length 1.
#[inline(always)]
fn lanczos<V, W: Workers + ?Sized>(
    workers: &mut W,
    product: impl for<'v> Fn(W::Vector<'v>, W::Reader, u32) -> f32 + Copy + Sync,
    n: u32,
    mut scale: f32,
    vectors: &mut W::Vectors<'_>,
    coefficients: &mut W::Coefficients<'_>,
    ritz: &mut W::Ritz<'_>,
) -> f32 {
    let first_scale = scale;
    let mut found = workers.nothing_found();
    // The factor of the previous vector as it is stored: its beta times the factor that gives it length 1.
    let mut pull = 0.0;
    let mut step = 0;
    loop {
        let here = step * n;
        let (alpha, square) = {
            let (done, mut next) = W::split(vectors, here + n);
            let v = W::view(&done, here + n, here, n);
            let v_before = W::view(&done, here + n, here - here.min(n), n);
            // w = A v - beta v_before, and alpha = w v
            let alpha = workers.fill_sum(&mut next, n, |reader, i| {
                let mut w = product(v, reader, i) * scale;
                if here > 0 {
                    w = math::fma(-pull, W::get(v_before, reader, i), w);
                }
                (w, w * (W::get(v, reader, i) * scale))
            });
            // w - alpha v; beta is its length
            let square = workers.update_sum(&mut next, n, |reader, i, w| {
                *w = math::fma(-alpha * scale, W::get(v, reader, i), *w);
                *w * *w
            });
            (alpha, square)
        };
        let beta = sqrt(square);
        workers.note(&mut found, step, alpha, beta);
        step += 1;
        let invariant = beta * scale <= 1e-6 * larger(alpha.abs() * scale, pull);
        if invariant || step % LOOK_EVERY == 0 || step == STEPS as u32 {
            let tridiagonal = workers.tridiagonal(coefficients, step, &found);
            let eigenvalue = largest_eigenvalue::<V, W>(workers, &tridiagonal, step);
            let mut weights =
                workers.weights(ritz, step, |reader, j| ritz_weight::<W>(&tridiagonal, reader, step, eigenvalue, j));
            let square = |reader, j| W::weight(&weights, reader, j) * W::weight(&weights, reader, j);
            let length = sqrt(workers.sum_few(step, square));
            // The last weight is 1: the residual of the Ritz pair is beta / length.
            if invariant || beta <= 0.5 * TOLERANCE * eigenvalue * length || step == STEPS as u32 {
                workers.update_weights(&mut weights, step, |reader, j, weight| {
                    let scale = if j == 0 { first_scale } else { 1.0 / W::row(&tridiagonal, reader, j - 1)[1] };
                    *weight = *weight / length * scale;
                });
                let (done, mut last) = W::split(vectors, STEPS as u32 * n);
                let done = W::view(&done, step * n, 0, step * n);
                workers.fill(&mut last, n, |reader, i| {
                    let mut sum = 0.0;
                    for j in 0..step {
                        sum = math::fma(W::weight(&weights, reader, j), W::get(done, reader, j * n + i), sum);
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
fn largest_eigenvalue<V, W: Workers + ?Sized>(workers: &mut W, tridiagonal: &W::Tridiagonal<'_>, k: u32) -> f32 {
    // The Gershgorin circles bound it.
    let bounds = workers.largest_few(k, |reader, j| {
        let [diagonal, right] = W::row(tridiagonal, reader, j);
        let left = if j > 0 { W::row(tridiagonal, reader, j - 1)[1] } else { 0.0 };
        [diagonal, diagonal + left.abs() + if j + 1 < k { right.abs() } else { 0.0 }]
    });
    let [mut low, mut high] = bounds;
    for _ in 0..CUTS {
        let width = (high - low) / POINTS as f32;
        let below = workers.sum_few(POINTS, |reader, p| {
            if is_above::<W>(tridiagonal, reader, k, math::fma(p as f32, width, low)) { 0.0 } else { 1.0 }
        });
        // Points rise, so those that are not above all eigenvalues come first.
        high = math::fma(below, width, low);
        low = math::fma(larger(below - 1.0, 0.0), width, low);
    }
    high
}

/// Whether `s` is above all eigenvalues of the leading `k` rows.
#[inline(always)]
fn is_above<W: Workers + ?Sized>(tridiagonal: &W::Tridiagonal<'_>, reader: W::Reader, k: u32, s: f32) -> bool {
    let mut pivot = -1.0;
    let mut left = 0.0;
    for j in 0..k {
        let [diagonal, right] = W::row(tridiagonal, reader, j);
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
fn ritz_weight<W: Workers + ?Sized>(
    tridiagonal: &W::Tridiagonal<'_>,
    reader: W::Reader,
    k: u32,
    eigenvalue: f32,
    j: u32,
) -> f32 {
    let (mut here, mut after) = (1.0, 0.0);
    let mut at = k - 1;
    while at > j {
        let [diagonal, right] = W::row(tridiagonal, reader, at);
        let [_, left] = W::row(tridiagonal, reader, at - 1);
        let before = ((eigenvalue - diagonal) * here - right * after) / left;
        after = here;
        here = before;
        at -= 1;
    }
    here
}
