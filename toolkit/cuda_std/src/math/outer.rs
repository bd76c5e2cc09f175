//! Products of vectors.

use super::fma;

/// Adds the products of all pairs of a row's and a column's number to a matrix of sums, each by [`fma`]: a step of a product of
/// matrices whose sums a thread keeps in registers.
///
/// ```
/// use cuda_std::math::add_outer;
///
/// let mut sums = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// add_outer(&mut sums, [10.0, 20.0], [0.5, 1.0, 2.0]);
/// assert_eq!(sums, [[6.0, 12.0, 23.0], [14.0, 25.0, 46.0]]);
/// ```
#[inline(always)]
pub fn add_outer<const R: usize, const C: usize>(sums: &mut [[f32; C]; R], rows: [f32; R], columns: [f32; C]) {
    for i in 0..R {
        for j in 0..C {
            sums[i][j] = fma(rows[i], columns[j], sums[i][j]);
        }
    }
}
