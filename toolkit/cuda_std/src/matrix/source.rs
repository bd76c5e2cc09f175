//! Where matrices are loaded from.

use super::MatrixElement;
use crate::Tile;
use crate::bounds::out_of_bounds;
use crate::seal::Inside;

mod sealed {
    use crate::seal::Inside;

    pub trait Source<E> {
        /// How many elements there are.
        fn count(&self, _: Inside) -> u32;
        /// # Safety
        /// There is an element `at`.
        unsafe fn element(&self, at: u32, _: Inside) -> E;
        /// The word that begins with element `at`.
        ///
        /// # Safety
        /// All its elements are there; `at` is a multiple of how many a word has.
        unsafe fn word(&self, at: u32, _: Inside) -> u32;
    }
}

/// What matrices are loaded from: a [`Tile`] of shared memory, and an input `[E]`.
pub trait MatrixSource<E>: sealed::Source<E> + Sync {}

impl<E: MatrixElement + Sync> MatrixSource<E> for Tile<'_, E> {}
impl<E: MatrixElement + Sync> MatrixSource<E> for [E] {}

impl<E: MatrixElement> sealed::Source<E> for Tile<'_, E> {
    #[inline(always)]
    fn count(&self, _: Inside) -> u32 {
        self.raw().1
    }

    #[inline(always)]
    unsafe fn element(&self, at: u32, _: Inside) -> E {
        // SAFETY: the caller's; a phase that writes holds the tile by `&mut`, so none runs.
        unsafe { self.raw().0.load(at) }
    }

    #[inline(always)]
    unsafe fn word(&self, at: u32, _: Inside) -> u32 {
        // SAFETY: as above.
        unsafe { self.raw().0.load_word(at) }
    }
}

impl<E: MatrixElement> sealed::Source<E> for [E] {
    #[inline(always)]
    fn count(&self, _: Inside) -> u32 {
        if self.len() > u32::MAX as usize { u32::MAX } else { self.len() as u32 }
    }

    #[inline(always)]
    unsafe fn element(&self, at: u32, _: Inside) -> E {
        // SAFETY: the caller's.
        unsafe { *self.get_unchecked(at as usize) }
    }

    #[inline(always)]
    unsafe fn word(&self, at: u32, _: Inside) -> u32 {
        let is_aligned = self.as_ptr().addr().is_multiple_of(4);
        let word = self.as_ptr().wrapping_add(at as usize).cast::<u32>();
        // SAFETY: the caller's. Where the slice begins at a multiple of 4 bytes, so does each word.
        unsafe { if is_aligned { word.read() } else { word.read_unaligned() } }
    }
}

/// Checks that `rows` rows of `columns` elements are there; and, if they are read by words, that they begin at some.
#[inline(always)]
#[track_caller]
pub(super) fn check_rows<E: MatrixElement>(
    count: u32,
    first: u32,
    stride: u32,
    rows: u32,
    columns: u32,
    by_words: bool,
) {
    let end = u64::from(rows.wrapping_sub(1)) * u64::from(stride) + u64::from(first) + u64::from(columns);
    if end > u64::from(count) {
        out_of_bounds();
    }
    if by_words && !(first | stride).is_multiple_of(E::PER_WORD) {
        not_at_a_word();
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_at_a_word() -> ! {
    panic!("a row of a matrix does not begin at a multiple of 4 bytes")
}
