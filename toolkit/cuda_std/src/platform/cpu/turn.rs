//! Sixteen consecutive elements of an array, which a core examines together.

use super::picks::{TURN, apart, bits};
use crate::View;
use bytemuck::Pod;

/// The elements. Words of elements of four words lie apart: the first word of each, then the second of each, and so on. The
/// compiler would take such elements apart, too, if a loop reads all of their words. If it reads only some, it would leave the last
/// elements to a slower loop, because it may not read the other words behind the array.
///
/// Aligned to the widest vectors: a core waits long for a load that crosses two lines of its cache, if it has just stored there.
#[repr(align(64))]
pub(super) struct Turn<T> {
    words: [[f32; TURN]; 4],
    whole: [Option<T>; TURN],
}

impl<T: Pod> Turn<T> {
    const IS_FOUR_WORDS: bool = size_of::<T>() == 16;

    /// `n` elements, from 1 to 16, from number `first` on. The others are the first one again.
    ///
    /// # Safety
    /// They exist.
    #[inline(always)]
    pub(super) unsafe fn new(from: &View<T>, first: u32, n: u32) -> Self {
        let mut turn = Self { words: [[0.0; TURN]; 4], whole: [None; TURN] };
        // SAFETY: the caller's; any bits are four words.
        unsafe {
            if Self::IS_FOUR_WORDS {
                turn.words = apart(from.pointer().add(first as usize).cast(), n);
            } else {
                for k in 0..TURN {
                    turn.whole[k] = Some(from.get_unchecked(number(first, n, k)));
                }
            }
        }
        turn
    }

    #[inline(always)]
    pub(super) fn get(&self, k: usize) -> T {
        if Self::IS_FOUR_WORDS {
            let [x, y, z, w] = &self.words;
            bytemuck::pod_read_unaligned(bytemuck::bytes_of(&[x[k], y[k], z[k], w[k]]))
        } else {
            self.whole[k].unwrap_or(T::zeroed())
        }
    }
}

/// Numbers that are stored and loaded by vectors, aligned as a [`Turn`] is.
#[repr(align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// The number of element `k` of a turn.
#[inline(always)]
pub(super) fn number(first: u32, n: u32, k: usize) -> u32 {
    if (k as u32) < n { first.wrapping_add(k as u32) } else { first }
}

/// Which indices to collect, in increasing order.
pub(crate) trait Ask {
    /// A bit for each of `n` indices from `first` on, at most 32.
    fn votes(&self, first: u32, n: u32) -> u32;
}

impl<F: Fn(u32) -> bool> Ask for F {
    #[inline(always)]
    fn votes(&self, first: u32, n: u32) -> u32 {
        (0..n).fold(0, |votes, k| votes | u32::from(self(first.wrapping_add(k))) << k)
    }
}

/// Asks about elements of an array.
pub(crate) struct AskOf<'a, T, F>(View<'a, T>, F);

impl<'a, T: Pod, F: Fn(u32, T) -> bool> AskOf<'a, T, F> {
    /// # Safety
    /// The indices asked about are below the array's length.
    #[inline(always)]
    pub(crate) unsafe fn new(from: View<'a, T>, ask: F) -> Self {
        Self(from, ask)
    }
}

impl<T: Pod, F: Fn(u32, T) -> bool> Ask for AskOf<'_, T, F> {
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "an iterator would be a function without the processor's features")]
    fn votes(&self, first: u32, n: u32) -> u32 {
        let Self(from, ask) = self;
        let (mut votes, mut done) = (0, 0);
        while done < n {
            let (first, count) = (first.wrapping_add(done), (n - done).min(TURN as u32));
            // SAFETY: whoever made this asks for indices below the array's length.
            let turn = unsafe { Turn::new(from, first, count) };
            let mut kept = [0u8; TURN];
            for k in 0..TURN {
                kept[k] = u8::from(ask(number(first, count, k), turn.get(k)));
            }
            votes |= (bits(&kept) & (u32::MAX >> (32 - count))) << done;
            done += count;
        }
        votes
    }
}
