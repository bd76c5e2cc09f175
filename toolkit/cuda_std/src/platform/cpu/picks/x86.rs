//! What processors of this kind do with several elements at a time.

use super::{Pick, SharedPointer, TURN, WORDS, bits, column, store};
use std::arch::x86_64::{
    __m512, _mm_loadl_epi64, _mm_loadu_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_storeu_ps, _mm_unpackhi_ps,
    _mm_unpacklo_ps, _mm256_cvtepu8_epi32, _mm256_loadu_si256, _mm256_loadu2_m128, _mm256_permutevar8x32_epi32,
    _mm256_shuffle_ps, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm512_add_epi32,
    _mm512_broadcast_f32x4, _mm512_loadu_epi32, _mm512_loadu_ps, _mm512_mask_loadu_ps, _mm512_maskz_compress_epi32,
    _mm512_permutex2var_ps, _mm512_set1_epi32, _mm512_setr_epi32, _mm512_shuffle_f32x4, _mm512_storeu_epi32,
    _mm512_storeu_ps,
};

/// # Safety
/// There are `n` elements, from 1 to 16.
#[target_feature(enable = "avx512f")]
#[inline]
pub unsafe fn apart_by_sixteen(elements: *const [f32; 4], n: u32) -> [[f32; 16]; 4] {
    // A bit for each word that exists.
    let exist = u64::MAX >> (64 - 4 * n);
    // SAFETY: four times four elements of the caller, of which those that do not exist are not read.
    unsafe {
        let first_element = _mm512_broadcast_f32x4(_mm_loadu_ps(elements.cast()));
        let of =
            |k: usize| _mm512_mask_loadu_ps(first_element, (exist >> (4 * k)) as u16, elements.wrapping_add(k).cast());
        words_of([of(0), of(4), of(8), of(12)])
    }
}

/// The same for 16 elements, which need no masks.
///
/// # Safety
/// There are as many.
#[target_feature(enable = "avx512f")]
#[inline]
pub unsafe fn all_sixteen(elements: *const [f32; 4]) -> [[f32; 16]; 4] {
    // SAFETY: four elements of the caller each.
    words_of([0, 4, 8, 12].map(|k| unsafe { _mm512_loadu_ps(elements.add(k).cast()) }))
}

/// The words of four times four elements.
#[target_feature(enable = "avx512f")]
#[inline]
fn words_of([a, b, c, d]: [__m512; 4]) -> [[f32; 16]; 4] {
    let mut words = [[0.0f32; 16]; 4];
    // The first words of eight elements, then their second words.
    let first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    let third = _mm512_add_epi32(first, _mm512_set1_epi32(2));
    for (which, words) in [first, third].into_iter().zip(words.as_chunks_mut::<2>().0) {
        let (low, high) = (_mm512_permutex2var_ps(a, which, b), _mm512_permutex2var_ps(c, which, d));
        // SAFETY: 16 positions of each array.
        unsafe {
            _mm512_storeu_ps(words[0].as_mut_ptr(), _mm512_shuffle_f32x4::<0x44>(low, high));
            _mm512_storeu_ps(words[1].as_mut_ptr(), _mm512_shuffle_f32x4::<0xee>(low, high));
        }
    }
    words
}

/// # Safety
/// There are elements at the 16 addresses.
#[target_feature(enable = "avx")]
#[inline]
pub unsafe fn apart_by_eight(at: impl Fn(usize) -> *const [f32; 4]) -> [[f32; 16]; 4] {
    let mut words = [[0.0f32; 16]; 4];
    for i in [0, 8] {
        // SAFETY: eight elements of the caller, to eight positions of each array.
        unsafe {
            let of = |k: usize| _mm256_loadu2_m128(at(i + k + 4).cast(), at(i + k).cast());
            let (a, b, c, d) = (of(0), of(1), of(2), of(3));
            let (low, low_2) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let (high, high_2) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            _mm256_storeu_ps(words[0].as_mut_ptr().add(i), _mm256_shuffle_ps::<0x44>(low, low_2));
            _mm256_storeu_ps(words[1].as_mut_ptr().add(i), _mm256_shuffle_ps::<0xee>(low, low_2));
            _mm256_storeu_ps(words[2].as_mut_ptr().add(i), _mm256_shuffle_ps::<0x44>(high, high_2));
            _mm256_storeu_ps(words[3].as_mut_ptr().add(i), _mm256_shuffle_ps::<0xee>(high, high_2));
        }
    }
    words
}

/// # Safety
/// There are elements at the 16 addresses.
#[inline(always)]
pub unsafe fn apart_by_four(at: impl Fn(usize) -> *const [f32; 4]) -> [[f32; 16]; 4] {
    let mut words = [[0.0f32; 16]; 4];
    let mut i = 0;
    while i < 16 {
        // SAFETY: four elements of the caller, to four positions of each array.
        unsafe {
            let of = |k: usize| _mm_loadu_ps(at(i + k).cast());
            let (a, b, c, d) = (of(0), of(1), of(2), of(3));
            let (low, high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
            let (low_2, high_2) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
            _mm_storeu_ps(words[0].as_mut_ptr().add(i), _mm_movelh_ps(low, low_2));
            _mm_storeu_ps(words[1].as_mut_ptr().add(i), _mm_movehl_ps(low_2, low));
            _mm_storeu_ps(words[2].as_mut_ptr().add(i), _mm_movelh_ps(high, high_2));
            _mm_storeu_ps(words[3].as_mut_ptr().add(i), _mm_movehl_ps(high_2, high));
        }
        i += 4;
    }
    words
}

/// The chosen positions for each choice of eight, in increasing order.
static CHOSEN: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut votes = 0;
    while votes < 256 {
        let (mut k, mut at) = (0, 0);
        while k < 8 {
            if votes >> k & 1 == 1 {
                all[votes][at] = k as u8;
                at += 1;
            }
            k += 1;
        }
        votes += 1;
    }
    all
};

/// # Safety
/// Each target has room for 16 words, and each source has as many.
#[target_feature(enable = "avx2")]
#[inline]
pub unsafe fn by_eight(from: [*const u32; WORDS], votes: u32, to: [*mut u32; WORDS]) {
    let (low, high) = (votes as usize & 255, votes as usize >> 8 & 255);
    let behind = low.count_ones() as usize;
    // SAFETY: eight bytes; the rest is ensured by the caller.
    unsafe {
        let low = _mm256_cvtepu8_epi32(_mm_loadl_epi64(CHOSEN[low].as_ptr().cast()));
        let high = _mm256_cvtepu8_epi32(_mm_loadl_epi64(CHOSEN[high].as_ptr().cast()));
        for (from, to) in from.iter().zip(to) {
            let (a, b) = (_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(8).cast()));
            _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(a, low));
            _mm256_storeu_si256(to.add(behind).cast(), _mm256_permutevar8x32_epi32(b, high));
        }
    }
}

/// # Safety
/// Each target has room for 16 words, and each source has as many.
#[target_feature(enable = "avx512f")]
#[inline]
pub unsafe fn by_sixteen(from: [*const u32; WORDS], votes: u32, to: [*mut u32; WORDS]) {
    for (from, to) in from.iter().zip(to) {
        // SAFETY: ensured by the caller. Compressing in a register is faster than compressing while storing.
        unsafe {
            let words = _mm512_loadu_epi32(from.cast());
            _mm512_storeu_epi32(to.cast(), _mm512_maskz_compress_epi32(votes as u16, words));
        }
    }
}

/// As [`by_sixteen`], for 32 words.
///
/// # Safety
/// Each target has room for 32 words, and each source has as many.
#[target_feature(enable = "avx512f,popcnt")]
#[inline]
pub unsafe fn by_sixteen_twice(from: [*const u32; WORDS], votes: u32, to: [*mut u32; WORDS]) {
    let (low, high) = (votes & 0xffff, votes >> TURN);
    // SAFETY: the halves of each; fewer than 17 words precede the second one.
    unsafe {
        if low != 0 {
            by_sixteen(from, low, to);
        }
        if high != 0 {
            let behind = low.count_ones() as usize;
            by_sixteen(from.map(|from| from.add(TURN)), high, to.map(|to| to.add(behind)));
        }
    }
}

/// Stores those elements of some ranges for which `keep` returns true from position `first` of a list on, as far as there is room.
/// Returns their number.
///
/// A function for this processor alone keeps an element's words in registers from their loading to their storing.
///
/// # Safety
/// There are `len` elements, any bits are four words, and only this warp accesses the list.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub unsafe fn push_ranges(
    elements: *const [f32; 4],
    len: u32,
    ranges: &[[u32; 2]],
    (list, first, capacity): (SharedPointer<Pick>, u32, u32),
    keep: impl Fn(u32, [f32; 4]) -> bool,
) -> u32 {
    let to: [*mut u32; WORDS] = [0, 1, 2, 3, 4].map(|word| column(list, capacity, word));
    let mut at = first;
    for [begin, end] in ranges {
        let (mut k, end) = (*begin, len.min(*end));
        while k < end {
            let n = (end - k).min(TURN as u32);
            // SAFETY: in bounds.
            let words = unsafe { apart_by_sixteen(elements.add(k as usize), n) };
            let [x, y, z, w] = &words;
            let (mut chosen, mut index) = ([0u8; TURN], [0u32; TURN]);
            for i in 0..TURN {
                // Where there is no element, the first one is asked about again.
                index[i] = if (i as u32) < n { k.wrapping_add(i as u32) } else { k };
                chosen[i] = u8::from(keep(index[i], [x[i], y[i], z[i], w[i]]));
            }
            let votes = bits(&chosen) & (u32::MAX >> (32 - n));
            if votes != 0 {
                let from = [index.as_ptr(), x.as_ptr().cast(), y.as_ptr().cast(), z.as_ptr().cast(), w.as_ptr().cast()];
                // SAFETY: 16 words each. There is room for as many, or `store` looks at each.
                unsafe {
                    if capacity.saturating_sub(at) >= TURN as u32 {
                        by_sixteen(from, votes, to.map(|to| to.add(at as usize)));
                    } else {
                        store(from, votes, (list, at, capacity));
                    }
                }
                at = at.wrapping_add(votes.count_ones());
            }
            // Behind the last element of a range, this may be beyond the largest number.
            k = k.saturating_add(TURN as u32);
        }
    }
    at.wrapping_sub(first)
}
