//! Sums over rows of a matrix, in loops of which compilers make vector instructions. Everything here is inlined, because what is
//! compiled apart has no more than the instructions that all processors have.

/// Numbers that are added side by side, so that they need not be added one after the other.
const LANES: usize = 8;
/// Numbers whose results are computed before they are added.
const PART: usize = 4 * LANES;
/// Numbers that are added in single precision before they go to a sum in double precision, so that seven digits stay.
const BLOCK: usize = 4 * PART;

/// Sums of what `of` gives for each number of a row.
#[inline(always)]
pub(super) fn sums<const N: usize>(row: &[f32], of: impl Fn(f32) -> [f32; N]) -> [f64; N] {
    let mut total = [0.0; N];
    let mut results = [[0.0_f32; PART]; N];
    for block in row.chunks(BLOCK) {
        let mut sums = [[0.0_f32; LANES]; N];
        let (whole, rest) = block.as_chunks::<PART>();
        for part in whole {
            compute(part, &of, &mut results);
            for (sums, results) in sums.iter_mut().zip(&results) {
                add(sums, results);
            }
        }
        if !rest.is_empty() {
            let mut part = [0.0; PART];
            part[..rest.len()].copy_from_slice(rest);
            compute(&part, &of, &mut results);
            for (sums, results) in sums.iter_mut().zip(&results) {
                add(sums, &results[..rest.len()]);
            }
        }
        for (total, sums) in total.iter_mut().zip(sums) {
            *total += f64::from(sums.iter().sum::<f32>());
        }
    }
    total
}

/// Writes results one after the other: no number waits for the one before, as it does in a sum.
#[inline(always)]
fn compute<const N: usize>(part: &[f32; PART], of: &impl Fn(f32) -> [f32; N], results: &mut [[f32; PART]; N]) {
    for (at, &number) in part.iter().enumerate() {
        let values = of(number);
        for (results, value) in results.iter_mut().zip(values) {
            results[at] = value;
        }
    }
}

/// Adds numbers side by side.
#[inline(always)]
fn add(sums: &mut [f32; LANES], numbers: &[f32]) {
    let (whole, rest) = numbers.as_chunks::<LANES>();
    for chunk in whole {
        sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    sums.iter_mut().zip(rest).for_each(|(sum, value)| *sum += value);
}

/// The smallest number of a row; infinite without any.
#[inline(always)]
pub(super) fn smallest(row: &[f32]) -> f32 {
    last_of(row, f32::INFINITY, |one, other| if one < other { one } else { other })
}

/// The largest number of many that are not below zero; zero without any.
#[inline(always)]
pub(super) fn largest(numbers: &[f32]) -> f32 {
    last_of(numbers, 0.0, |one, other| if one > other { one } else { other })
}

/// What is left of numbers of which one of two is taken, again and again.
#[inline(always)]
fn last_of(numbers: &[f32], first: f32, either: impl Fn(f32, f32) -> f32) -> f32 {
    let (whole, rest) = numbers.as_chunks::<PART>();
    let lanes = whole.iter().fold([first; PART], |lanes, chunk| std::array::from_fn(|at| either(chunk[at], lanes[at])));
    lanes.iter().chain(rest).fold(first, |last, &number| either(number, last))
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
            assert_eq!(largest(&row), row.iter().copied().fold(0.0, f32::max), "{length}");
        }
    }
}
