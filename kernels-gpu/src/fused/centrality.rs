//! Eigenvector centrality (Bonacich 1972): the leading eigenvector of the contact graph's adjacency matrix A.
//!
//! Power iteration needs tens of thousands of steps where the second eigenvalue is close, so this is the Lanczos
//! iteration (Golub and Van Loan, Matrix Computations, 10.1), restarted from its best vector after at most
//! [`STEPS`] steps. It stops when |A v - lambda v| is small against lambda.

use super::network::ContactGraph;
use crate::scratch::{KRYLOV_VECTORS, Krylov};
use cuda_std::math::{NAN, larger, sqrt};
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::column;

/// Steps between restarts. The last vector is the one in the making.
pub const STEPS: usize = KRYLOV_VECTORS - 1;
/// The Ritz pair is looked at after this many steps, and again every so many.
const LOOK_EVERY: u32 = 8;
/// Largest |A v - lambda v| / lambda. The promise is 1e-4.
const TOLERANCE: f32 = 5e-5;
/// Restarts after which the best vector so far is taken. Real structures need fewer than ten.
const RESTARTS: u32 = 200;
/// Points at which the bisection tries the eigenvalue at a time.
const POINTS: u32 = 256;

/// Column `centrality`.
#[inline(always)]
pub fn eigenvector(
    block: &mut Block,
    graph: ContactGraph,
    n: u32,
    krylov: &mut Segment<Krylov>,
    coefficients: &mut Shared<[f32; 2], STEPS>,
    ritz: &mut Shared<f32, STEPS>,
    output: &mut Segment<FeatureRow>,
) {
    let mut vectors = krylov.flatten();
    // The degrees are the first step of a power iteration, and 0 exactly where there is no contact.
    vectors.fill(block, n, |i| graph.degree(i) as f32);
    let contacts = squares(block, vectors.view(n), n);
    if contacts > 0.0 {
        for _ in 0..RESTARTS {
            let length = sqrt(squares(block, vectors.view(n), n));
            vectors.update(block, n, |_, v| *v /= length);
            let eigenvalue = lanczos(block, graph, n, &mut vectors, coefficients, ritz);
            // The best vector takes the first one's place; the second one's holds its image.
            let (mut best, mut rest) = vectors.split_at(n);
            let length = sqrt(squares(block, best.view(n), n));
            best.update(block, n, |_, v| *v = v.abs() / length);
            let v = best.view(n);
            rest.fill(block, n, |i| {
                let mut image = 0.0;
                graph.each_contact(i, |j| image += v.get(j));
                image - eigenvalue * v.get(i)
            });
            let residual = sqrt(squares(block, rest.view(n), n));
            if residual <= TOLERANCE * eigenvalue {
                break;
            }
        }
    }
    output.update(block, n, |i, row| {
        row.columns[column::CENTRALITY] = if graph.places.get(i).exists() { vectors.get(i) } else { NAN };
    });
}

/// The square of a vector's length.
#[inline(always)]
fn squares(block: &mut Block, vector: View<f32>, n: u32) -> f32 {
    block.reduce(n, 0.0, |i| vector.get(i) * vector.get(i), |a, b| a + b)
}

/// Improves the unit vector that `vectors` begins with, in its place, and returns the eigenvalue's estimate.
#[inline(always)]
fn lanczos(
    block: &mut Block,
    graph: ContactGraph,
    n: u32,
    vectors: &mut Segment<f32>,
    coefficients: &mut Shared<[f32; 2], STEPS>,
    ritz: &mut Shared<f32, STEPS>,
) -> f32 {
    let mut tridiagonal = coefficients.fill(block, STEPS as u32, |_| [0.0; 2]);
    let mut before = 0.0;
    let mut steps = 0;
    loop {
        let here = steps * n;
        let (done, mut next) = vectors.split_at(here + n);
        let done = done.view(here + n);
        // w = A v_k - beta_(k-1) v_(k-1)
        next.fill(block, n, |i| {
            let mut image = 0.0;
            graph.each_contact(i, |j| image += done.get(here + j));
            if here > 0 { math::fma(-before, done.get(here - n + i), image) } else { image }
        });
        let alpha = block.reduce(n, 0.0, |i| next.get(i) * done.get(here + i), |a, b| a + b);
        next.update(block, n, |i, w| *w = math::fma(-alpha, done.get(here + i), *w));
        let beta = sqrt(squares(block, next.view(n), n));
        tridiagonal.set(block, steps, [alpha, beta]);
        steps += 1;
        let invariant = beta <= 1e-6 * larger(alpha.abs(), before);
        if invariant || steps % LOOK_EVERY == 0 || steps == STEPS as u32 {
            let eigenvalue = largest_eigenvalue(block, &tridiagonal, steps);
            let weights = ritz.fill(block, steps, |j| ritz_weight(&tridiagonal, steps, eigenvalue, j));
            let length = sqrt(block.reduce(steps, 0.0, |j| weights.get(j) * weights.get(j), |a, b| a + b));
            // The last weight is 1: the residual of the Ritz pair is beta / length.
            if invariant || beta <= 0.5 * TOLERANCE * eigenvalue * length || steps == STEPS as u32 {
                next.fill(block, n, |i| {
                    let mut sum = 0.0;
                    for j in 0..steps {
                        sum = math::fma(weights.get(j), done.get(j * n + i), sum);
                    }
                    sum
                });
                let (mut first, rest) = vectors.split_at(n);
                first.fill(block, n, |i| rest.get((steps - 1) * n + i));
                return eigenvalue;
            }
        }
        next.update(block, n, |_, w| *w /= beta);
        before = beta;
    }
}

/// The largest eigenvalue of the leading `k` rows of a symmetric tridiagonal matrix of pairs (diagonal, next to it).
///
/// A number is above all eigenvalues when the pivots of T - s I are all negative. [`POINTS`] numbers are tried at
/// once, and the gap in which the answer lies is cut again until f32 does not resolve it.
#[inline(always)]
fn largest_eigenvalue(block: &mut Block, tridiagonal: &Tile<[f32; 2]>, k: u32) -> f32 {
    // Gershgorin's circles bound it.
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
    for _ in 0..3 {
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
