//! The memory from which matrices are loaded.

use super::MatrixElement;
use crate::Tile;
use crate::bounds::out_of_bounds;
use crate::seal::Inside;
use bytemuck::Pod;

mod sealed {
    use crate::seal::Inside;

    pub trait Source<E> {
        /// The number of elements.
        fn count(&self, _: Inside) -> u32;
        /// # Safety
        /// Element `at` exists.
        unsafe fn element(&self, at: u32, _: Inside) -> E;
        /// The word that begins with element `at`.
        /// # Safety
        /// All its elements exist, and `at` is a multiple of the number of elements in a word.
        unsafe fn word(&self, at: u32, _: Inside) -> u32;
        /// Whether it lies in shared memory, where a warp loads whole rows of 16 bytes at once.
        #[cfg(target_arch = "nvptx64")]
        const IS_SHARED: bool;
        /// The address in shared memory of the 16 bytes that begin with element `at`, which is a multiple of the number of
        /// elements in them.
        #[cfg(target_arch = "nvptx64")]
        fn address(&self, at: u32, _: Inside) -> u32;
    }
}

/// The memory from which matrices are loaded: a [`Tile`] of shared memory, which may be [`Swizzled`], or an input `[E]`.
pub trait MatrixSource<E>: sealed::Source<E> + Sync {}

impl<E: MatrixElement + Sync> MatrixSource<E> for Tile<'_, E> {}
impl<E: MatrixElement + Sync> MatrixSource<E> for Swizzled<'_, E> {}
impl<E: MatrixElement + Sync> MatrixSource<E> for [E] {}

impl<E: MatrixElement> sealed::Source<E> for Tile<'_, E> {
    #[inline(always)]
    fn count(&self, _: Inside) -> u32 {
        self.raw().1
    }

    #[inline(always)]
    unsafe fn element(&self, at: u32, _: Inside) -> E {
        // SAFETY: ensured by the caller. A phase that writes holds the tile by `&mut`, so none runs.
        unsafe { self.raw().0.load(at) }
    }

    #[inline(always)]
    unsafe fn word(&self, at: u32, _: Inside) -> u32 {
        // SAFETY: as above.
        unsafe { self.raw().0.load_word(at) }
    }

    #[cfg(target_arch = "nvptx64")]
    const IS_SHARED: bool = true;

    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn address(&self, at: u32, _: Inside) -> u32 {
        self.raw().0.address(at)
    }
}

/// Bytes of a row of a [`Swizzled`] tile.
const ROW_BYTES: u32 = 128;

/// The position of the 16-byte part number `i` of a [`Swizzled`] tile. Each of eight rows has its eight parts in a different
/// order. The function is its own inverse.
///
/// ```
/// use cuda_std::swizzled;
///
/// assert_eq!([0, 1, 7, 8, 9, 16, 17].map(swizzled), [0, 1, 7, 9, 8, 18, 19]);
/// assert!((0..64).all(|i| swizzled(swizzled(i)) == i));
/// ```
#[inline(always)]
#[must_use]
pub const fn swizzled(i: u32) -> u32 {
    i ^ (i >> 3 & 7)
}

/// A tile of rows of 128 bytes. Each of eight rows has its 16-byte parts in a different order: part `i` lies at
/// [`swizzled(i)`](swizzled). So eight lanes that load the same part of eight rows use all banks.
///
/// The code that fills the tile puts parts in these positions, and loads of matrices find them there. In a swizzled tile of
/// 16-bit elements, row `r` begins at element `64 r`.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// A times the transpose of B: 16 rows and 8 rows with 64 elements each.
/// #[kernel(threads = 32)]
/// fn product(
///     block: &mut Block,
///     out: &mut Tile2d<f32, 16, 8, WriteOnly>,
///     a: &[bf16x8],
///     b: &[bf16x8],
///     rows: &mut Shared<bf16x8, { 24 * 8 }>,
/// ) {
///     let rows = rows.fill(block, 24 * 8, |i| {
///         let part = swizzled(i);
///         if part < 16 * 8 { a.at(part) } else { b.at(part - 16 * 8) }
///     });
///     let rows = rows.elements().swizzled();
///     let mut sums = block.per_thread(|_| MatrixSums::<bf16, 1, 1>::zero());
///     block.warps_with(&mut sums, |warp, sums| {
///         for k in (0..64).step_by(16) {
///             let (a, b) = (warp.matrix_a(&rows, k, 64), warp.matrix_b_by_columns(&rows, 16 * 64 + k, 64));
///             warp.multiply(&a, &b, sums);
///         }
///     });
///     out.write_sums(block, &sums, |_, _, sum| sum);
/// }
/// # fn main() {
/// let row = |n: u32, i: u32| bf16x8::from_array([0, 1, 2, 3, 4, 5, 6, 7].map(|k| bf16::from_f32(((8 * i + k) % n) as f32)));
/// let (a, b): (Vec<_>, Vec<_>) = ((0..16 * 8).map(|i| row(7, i)).collect(), (0..8 * 8).map(|i| row(5, i)).collect());
/// let mut out = [0.0; 128];
/// let args = product::Args { out: Matrix { data: &mut out[..], columns: 8 }, a: &a[..], b: &b[..] };
/// product::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
/// let expected: u32 = (0..64).map(|k| (64 * 3 + k) % 7 * ((64 * 6 + k) % 5)).sum();
/// assert_eq!(out[3 * 8 + 6], expected as f32);
/// # }
/// ```
pub struct Swizzled<'a, E>(Tile<'a, E>);

impl<E: Pod> Swizzled<'_, E> {
    /// The position of element `at` in the tile.
    #[inline(always)]
    fn permuted(at: u32) -> u32 {
        let part = const { 16 / size_of::<E>() as u32 };
        at ^ (at / const { ROW_BYTES / size_of::<E>() as u32 } % 8).wrapping_mul(part)
    }
}

impl<'a, E: MatrixElement> Tile<'a, E> {
    /// The tile as rows of 128 bytes whose parts lie where [`swizzled`] says. The remainder after the last whole row is left out.
    #[inline(always)]
    #[must_use]
    pub fn swizzled(self) -> Swizzled<'a, E> {
        Swizzled(self)
    }
}

impl<E: MatrixElement> sealed::Source<E> for Swizzled<'_, E> {
    #[inline(always)]
    fn count(&self, _: Inside) -> u32 {
        let row = const { ROW_BYTES / size_of::<E>() as u32 };
        self.0.raw().1 / row * row
    }

    #[inline(always)]
    unsafe fn element(&self, at: u32, inside: Inside) -> E {
        // SAFETY: ensured by the caller; an element's position is in its own row.
        unsafe { self.0.element(Self::permuted(at), inside) }
    }

    #[inline(always)]
    unsafe fn word(&self, at: u32, inside: Inside) -> u32 {
        // SAFETY: as above; parts hold whole words.
        unsafe { self.0.word(Self::permuted(at), inside) }
    }

    #[cfg(target_arch = "nvptx64")]
    const IS_SHARED: bool = true;

    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn address(&self, at: u32, inside: Inside) -> u32 {
        self.0.address(Self::permuted(at), inside)
    }
}

impl<E: MatrixElement> sealed::Source<E> for [E] {
    #[inline(always)]
    fn count(&self, _: Inside) -> u32 {
        if self.len() > u32::MAX as usize { u32::MAX } else { self.len() as u32 }
    }

    #[inline(always)]
    unsafe fn element(&self, at: u32, _: Inside) -> E {
        // SAFETY: ensured by the caller.
        unsafe { *self.get_unchecked(at as usize) }
    }

    #[inline(always)]
    unsafe fn word(&self, at: u32, _: Inside) -> u32 {
        let is_aligned = self.as_ptr().addr().is_multiple_of(4);
        let word = self.as_ptr().wrapping_add(at as usize).cast::<u32>();
        // SAFETY: ensured by the caller. If the slice begins at a multiple of 4 bytes, each word does too.
        unsafe { if is_aligned { word.read() } else { word.read_unaligned() } }
    }

    #[cfg(target_arch = "nvptx64")]
    const IS_SHARED: bool = false;

    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn address(&self, _: u32, _: Inside) -> u32 {
        0
    }
}

/// Checks that `rows` rows of `columns` elements exist and, if they are read by words, that they begin at words.
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
