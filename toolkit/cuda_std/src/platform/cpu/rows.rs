//! Rows of a table: a core joins the rows of a warp's lanes one after another, each as a whole.

use super::warp::WARP;

/// The bitwise or of the rows with some numbers, or of row `last` for larger ones.
///
/// # Safety
/// The rows up to `last` exist.
#[inline(always)]
pub(super) unsafe fn or<const T: usize>(table: *const [u32; 8], last: u32, rows: [&[u32; WARP]; T]) -> [u32; 8] {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions; the rest is ensured by the caller.
        return unsafe { x86::or(table, last, rows) };
    }
    let mut all = [0; 8];
    for rows in rows {
        for row in rows {
            // SAFETY: it exists.
            let own = unsafe { table.add((*row).min(last) as usize).read_unaligned() };
            for (all, own) in all.iter_mut().zip(own) {
                *all |= own;
            }
        }
    }
    all
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use super::WARP;
    use std::arch::x86_64::{
        __m256i, _mm256_loadu_si256, _mm256_min_epu32, _mm256_or_si256, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_storeu_si256,
    };

    /// # Safety
    /// As for [`super::or`].
    #[target_feature(enable = "avx2")]
    #[inline]
    pub unsafe fn or<const T: usize>(table: *const [u32; 8], last: u32, rows: [&[u32; WARP]; T]) -> [u32; 8] {
        let last = _mm256_set1_epi32(last.cast_signed());
        // Two sums, so that one row need not wait for the one before.
        let mut sums = [_mm256_setzero_si256(); 2];
        for rows in rows {
            for eight in rows.as_chunks::<8>().0 {
                let mut numbers = [0u32; 8];
                // SAFETY: eight numbers from and to arrays; the rows exist.
                unsafe {
                    let found = _mm256_min_epu32(_mm256_loadu_si256(eight.as_ptr().cast()), last);
                    _mm256_storeu_si256(numbers.as_mut_ptr().cast(), found);
                    for [a, b] in numbers.as_chunks::<2>().0 {
                        let row = |number: u32| _mm256_loadu_si256(table.add(number as usize).cast::<__m256i>());
                        sums = [_mm256_or_si256(sums[0], row(*a)), _mm256_or_si256(sums[1], row(*b))];
                    }
                }
            }
        }
        let mut all = [0; 8];
        // SAFETY: eight words.
        unsafe { _mm256_storeu_si256(all.as_mut_ptr().cast(), _mm256_or_si256(sums[0], sums[1])) };
        all
    }
}

#[cfg(test)]
mod tests {
    use super::or;

    #[test]
    fn the_last_row_stands_for_those_behind_it() {
        let table: [[u32; 8]; 40] = std::array::from_fn(|row| std::array::from_fn(|word| 1 << ((row + word) % 32)));
        let first: [u32; 32] = std::array::from_fn(|lane| if lane % 2 == 0 { 3 } else { 70 + lane as u32 });
        let second: [u32; 32] = std::array::from_fn(|lane| (lane as u32) % 2);
        let expected = |rows: &[usize]| -> [u32; 8] {
            std::array::from_fn(|word| rows.iter().fold(0, |all, row| all | table[*row][word]))
        };
        // SAFETY: there are 40 rows.
        unsafe {
            assert_eq!(or(table.as_ptr(), 39, [&first]), expected(&[3, 39]));
            assert_eq!(or(table.as_ptr(), 39, [&first, &second]), expected(&[3, 39, 0, 1]));
        }
    }
}
