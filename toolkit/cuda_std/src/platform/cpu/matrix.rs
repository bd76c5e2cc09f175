//! Products of matrices, as tensor cores compute them.

use super::warp::LaneStorage;
use crate::matrix::{MatrixA, MatrixB, MatrixElement, MatrixSums, place_a, place_b, place_sum};
use crate::seal::INSIDE;

/// The largest number of elements in a row.
const DEPTH: usize = 32;

/// Adds the product of `a` and `b` to `sums`.
pub(crate) fn multiply<E: MatrixElement, const R: usize, const C: usize>(
    a: &LaneStorage<MatrixA<E, R>>,
    b: &LaneStorage<MatrixB<E, C>>,
    sums: &mut LaneStorage<MatrixSums<E, R, C>>,
) {
    let elements = |word: u32| (0..E::PER_WORD).map(move |i| E::wide(word, i, INSIDE));
    let mut columns = [[[E::Wide::default(); DEPTH]; 8]; C];
    for (lane, own) in (0..).zip(&b.0) {
        for (words, columns) in own.0.iter().zip(&mut columns) {
            for (j, word) in (0..).zip(words) {
                let (column, at) = place_b(lane, j);
                let into = &mut columns[column as usize][(at * E::PER_WORD) as usize..];
                into.iter_mut().zip(elements(*word)).for_each(|(into, element)| *into = element);
            }
        }
    }
    for r in 0..R {
        let mut rows = [[E::Wide::default(); DEPTH]; 16];
        for (lane, own) in (0..).zip(&a.0) {
            for (j, word) in (0..).zip(&own.0[r]) {
                let (row, at) = place_a(lane, j);
                let into = &mut rows[row as usize][(at * E::PER_WORD) as usize..];
                into.iter_mut().zip(elements(*word)).for_each(|(into, element)| *into = element);
            }
        }
        for (lane, own) in (0..).zip(&mut sums.0) {
            for (sums, columns) in own.0[r].iter_mut().zip(&columns) {
                for (j, sum) in (0..).zip(sums) {
                    let (row, column) = place_sum(lane, j);
                    let (row, column) = (&rows[row as usize], &columns[column as usize]);
                    let products = row.iter().zip(column).take(E::DEPTH as usize);
                    *sum = E::add(*sum, products.map(|(x, y)| (*x, *y)), INSIDE);
                }
            }
        }
    }
}
