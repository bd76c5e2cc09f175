//! Sums over rows of a matrix, in loops of which compilers make vector instructions. Everything here is inlined, because what is
//! compiled apart has no more than the instructions that all processors have.

/// Numbers that are added side by side, so that they need not be added one after the other.
const LANES: usize = 8;
/// Numbers that are added in single precision before they go to a sum in double precision, so that seven digits stay.
const BLOCK: usize = 16 * LANES;

/// Sums of what `of` gives for each number of a row.
#[inline(always)]
pub(super) fn sums<const N: usize>(row: &[f32], of: impl Fn(f32) -> [f32; N]) -> [f64; N] {
    let mut total = [0.0; N];
    let mut results = [[0.0_f32; BLOCK]; N];
    let (whole, rest) = row.as_chunks::<BLOCK>();
    for block in whole {
        add(block, BLOCK, &of, &mut results, &mut total);
    }
    if !rest.is_empty() {
        let mut block = [0.0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        add(&block, rest.len(), &of, &mut results, &mut total);
    }
    total
}

/// Adds a block, of which `length` numbers count. Results lie one after the other first: no number waits for the one before.
#[inline(always)]
fn add<const N: usize>(
    block: &[f32; BLOCK],
    length: usize,
    of: &impl Fn(f32) -> [f32; N],
    results: &mut [[f32; BLOCK]; N],
    total: &mut [f64; N],
) {
    // Whole vectors. A block that is not full has zeros behind its numbers.
    let padded = length.next_multiple_of(LANES).min(BLOCK);
    for (at, &number) in block[..padded].iter().enumerate() {
        let values = of(number);
        for (results, value) in results.iter_mut().zip(values) {
            results[at] = value;
        }
    }
    for (total, results) in total.iter_mut().zip(results) {
        *total += f64::from(side_by_side(&results[..length]));
    }
}

/// The sum of a few numbers.
#[inline(always)]
fn side_by_side(numbers: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let (whole, rest) = numbers.as_chunks::<LANES>();
    for chunk in whole {
        lanes.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    lanes.iter_mut().zip(rest).for_each(|(sum, value)| *sum += value);
    lanes.iter().sum()
}

/// The smallest number of a row; infinite without any.
#[inline(always)]
pub(super) fn smallest(row: &[f32]) -> f32 {
    let less = |one: f32, other: f32| if one < other { one } else { other };
    let (whole, rest) = row.as_chunks::<LANES>();
    let lanes =
        whole.iter().fold([f32::INFINITY; LANES], |lanes, chunk| std::array::from_fn(|at| less(chunk[at], lanes[at])));
    lanes.iter().chain(rest).fold(f32::INFINITY, |least, &number| less(number, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_all_numbers() {
        for length in [0, 1, 7, 8, 9, 127, 128, 129, 300] {
            let row: Vec<f32> = (0..length).map(|at| (at * 7 % 31) as f32 * 0.25 + 0.25).collect();
            let [sum, near] = sums(&row, |number| [number, if number < 3.0 { 1.0 } else { 0.0 }]);
            assert_eq!(sum, row.iter().map(|&number| f64::from(number)).sum::<f64>(), "{length}");
            assert_eq!(near, row.iter().filter(|number| **number < 3.0).count() as f64, "{length}");
            assert_eq!(smallest(&row), row.iter().copied().fold(f32::INFINITY, f32::min), "{length}");
        }
    }
}
