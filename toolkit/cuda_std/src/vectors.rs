//! Several neighbouring elements at once.

use crate::bounds::check_index;
use crate::{Tile, platform};
use bytemuck::Pod;
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// A vector of elements: [`f16x2`](crate::f16x2), [`f16x8`](crate::f16x8), [`bf16x2`](crate::bf16x2), [`bf16x8`](crate::bf16x8),
/// [`e4m3x16`](crate::e4m3x16), [`e5m2x16`](crate::e5m2x16) or [`tf32x4`](crate::tf32x4). See [`Tile::elements`] for an example.
pub trait ElementVector: Pod + Sync + sealed::Sealed {
    /// The type of its elements.
    type Element: Pod + Sync;
    /// The number of its elements.
    const COUNT: u32;
}

/// Declares the elements of a vector.
macro_rules! elements {
    ($vector:ident, $element:ident, $count:literal) => {
        impl crate::vectors::SealedVector for $vector {}
        impl crate::vectors::ElementVector for $vector {
            type Element = $element;
            const COUNT: u32 = $count;
        }
    };
}
pub(crate) use elements;

/// Defines a vector of 16 bytes whose numbers convert from and to `f32`.
macro_rules! of_numbers {
    ($(#[$about:meta])* $vector:ident, $element:ident, $count:literal, $name:expr) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
        #[repr(C, align(16))]
        pub struct $vector([$element; $count]);

        impl $vector {
            /// Makes a group from single numbers.
            #[inline(always)]
            #[must_use]
            pub const fn from_array(numbers: [$element; $count]) -> Self {
                Self(numbers)
            }

            /// All numbers.
            #[inline(always)]
            #[must_use]
            pub const fn to_array(self) -> [$element; $count] {
                self.0
            }

            /// Rounds all to the nearest values.
            #[inline(always)]
            #[must_use]
            pub fn from_f32(numbers: [f32; $count]) -> Self {
                Self(numbers.map($element::from_f32))
            }

            /// Converts all exactly.
            #[inline(always)]
            #[must_use]
            pub fn to_f32(self) -> [f32; $count] {
                self.0.map($element::to_f32)
            }
        }

        // SAFETY: host and device agree on this type: 16 bytes, aligned to 16.
        unsafe impl cuda_layout::DeviceLayout for $vector {
            const TEXT: &'static cuda_layout::Text = &cuda_layout::Text::new().push($name);
        }

        $crate::vectors::elements!($vector, $element, $count);
    };
}
pub(crate) use of_numbers;
pub(crate) use sealed::Sealed as SealedVector;

impl<'a, V: ElementVector> Tile<'a, V> {
    /// The same memory as single elements, in the same order.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn last(block: &mut Block, out: &mut Chunk<f16, 1>, x: &[f16], tile: &mut Shared<f16x8, 4>) {
    ///     let x = Vectors::<_, 8>::of(x);
    ///     let tile = tile.fill(block, x.len(), |i| f16x8::from_array(x.get(i))).elements();
    ///     out.fill(block, 1, |_| tile.get(tile.len() - 1));
    /// }
    /// # fn main() {
    /// let x: Vec<_> = (0..19).map(|i| f16::from_f32(i as f32)).collect();
    /// let mut out = [f16::ZERO];
    /// last::launch(&CpuExecutor::new(), 1, last::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out[0].to_f32(), 15.0);
    /// # }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn elements(self) -> Tile<'a, V::Element> {
        const { assert!(V::COUNT as usize * size_of::<V::Element>() == size_of::<V>()) };
        let (data, len) = self.raw();
        // SAFETY: the same memory with smaller elements, whose number fits: no shared array has 2^32 bytes.
        unsafe { Tile::new(data.recast(), len.wrapping_mul(V::COUNT), true) }
    }
}

/// An input slice as arrays of `N` neighbouring elements. A thread reads each array at once: 4, 8 or 16 bytes. An
/// incomplete array at the end is left out.
///
/// A slice that is not aligned to this size is read element by element: slower, with the same result.
///
/// ```
/// use cuda_std::Vectors;
///
/// let pairs = Vectors::<_, 4>::of(&[1u16, 2, 3, 4, 5, 6, 7, 8, 9]);
/// assert_eq!((pairs.len(), pairs.get(1)), (2, [5, 6, 7, 8]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Vectors<'a, T, const N: usize> {
    first: *const T,
    len: u32,
    is_aligned: bool,
    owner: PhantomData<&'a [T]>,
}

#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Words2([u32; 2]);

impl<'a, T: Pod, const N: usize> Vectors<'a, T, N> {
    /// Views a slice as arrays.
    #[inline(always)]
    #[must_use]
    pub fn of(data: &'a [T]) -> Self {
        const { assert!(matches!(size_of::<[T; N]>(), 4 | 8 | 16), "a vector has 4, 8 or 16 bytes") };
        let (first, all) = (data.as_ptr(), data.len() / N);
        let len = if all > u32::MAX as usize { u32::MAX } else { all as u32 };
        Self { first, len, is_aligned: first.addr().is_multiple_of(size_of::<[T; N]>()), owner: PhantomData }
    }

    crate::bounds::counted!("arrays");

    /// The `N` elements from index `N i` on.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> [T; N] {
        check_index(i, self.len);
        let at = self.first.wrapping_add(i as usize * N);
        // SAFETY: in bounds; whole words are read only where the slice is aligned to them.
        unsafe {
            if !self.is_aligned {
                return at.cast::<[T; N]>().read();
            }
            match const { size_of::<[T; N]>() } {
                16 => core::mem::transmute_copy(&platform::load_four_words(at.cast())),
                8 => core::mem::transmute_copy(&at.cast::<Words2>().read().0),
                _ => core::mem::transmute_copy(&at.cast::<u32>().read()),
            }
        }
    }
}

// SAFETY: reading plain data.
unsafe impl<T: Pod, const N: usize> Sync for Vectors<'_, T, N> {}
// SAFETY: reading plain data.
unsafe impl<T: Pod, const N: usize> Send for Vectors<'_, T, N> {}
