//! Elements that tensor cores multiply.

use crate::seal::Inside;
use crate::{bf16, bf16x2, e4m3, e5m2, f16, f16x2, vectors};
use bytemuck::{Pod, Zeroable};
use core::fmt;
use cuda_layout::{DeviceLayout, Text};

pub(crate) mod sealed {
    use crate::seal::Inside;
    use bytemuck::Pod;

    pub trait Element: Pod {
        /// The type of sums of products.
        type Added: Pod + Send + Sync;
        /// The number of elements in a word.
        const PER_WORD: u32;
        /// The bits of the element.
        fn bits(self, _: Inside) -> u32;
        /// The word of two numbers, rounded to 16 bits.
        fn rounded(_: [f32; 2], _: Inside) -> u32 {
            unreachable!("only words of two elements are made from numbers")
        }
        /// The bits of a word that tensor cores use.
        #[inline(always)]
        fn seen(word: u32, _: Inside) -> u32 {
            word
        }
        /// The two words of `f16` that stand for a word, if instructions multiply these. Sums of products do not depend on the order of
        /// elements, so all first words are multiplied with each other, and all second ones.
        #[cfg(target_arch = "nvptx64")]
        const HALVES: Option<fn(u32) -> [u32; 2]> = None;
        /// `sums` plus the product of 16 x 8 words and 8 x 8 words, distributed over the lanes.
        ///
        /// # Safety
        /// All lanes of the warp are alive and reach this together.
        #[cfg(target_arch = "nvptx64")]
        unsafe fn multiply(a: [u32; 4], b: [u32; 2], sums: [Self::Added; 4], _: Inside) -> [Self::Added; 4];
        /// How warpgroups multiply it, if they do. Then sums are `f32`.
        #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
        const KIND: Option<crate::platform::warpgroup::Kind> = None;
        /// The type in which products are computed.
        #[cfg(not(target_arch = "nvptx64"))]
        type Wide: Copy + Default;
        /// Element `i` of a word.
        #[cfg(not(target_arch = "nvptx64"))]
        fn wide(word: u32, i: u32, _: Inside) -> Self::Wide;
        /// `sum` plus all products.
        #[cfg(not(target_arch = "nvptx64"))]
        fn add(sum: Self::Added, products: impl Iterator<Item = (Self::Wide, Self::Wide)>, _: Inside) -> Self::Added;
    }
}

/// An element of matrices that tensor cores multiply: [`struct@f16`], [`bf16`], [`tf32`], [`e4m3`], [`e5m2`], and `i8`.
///
/// See [`Warp::multiply`](crate::Warp::multiply) for an example and its results.
#[diagnostic::on_unimplemented(
    message = "tensor cores do not multiply `{Self}`",
    note = "`f16`, `bf16`, `tf32` (which `f32` is rounded to), `e4m3`, `e5m2` and `i8` they do"
)]
pub trait MatrixElement: sealed::Element<Added = Self::Sum> {
    /// The type of sums of products: `f32`, or `i32` for `i8`.
    type Sum: Pod + Send + Sync;
    /// The number of columns of the left matrix and of rows of the right matrix in one product: 16 for 16-bit elements, 8
    /// for `tf32`, 32 for 8-bit elements.
    const DEPTH: u32 = 8 * Self::PER_WORD;
}

impl MatrixElement for f16 {
    type Sum = f32;
}
impl MatrixElement for bf16 {
    type Sum = f32;
}
impl MatrixElement for tf32 {
    type Sum = f32;
}
impl MatrixElement for e4m3 {
    type Sum = f32;
}
impl MatrixElement for e5m2 {
    type Sum = f32;
}
impl MatrixElement for i8 {
    type Sum = i32;
}

/// An `f32` with 11 significant bits instead of 24, for tensor cores: 32 bits, the last 13 of which are ignored.
///
/// ```
/// # use cuda_std::prelude::*;
/// let x = tf32::from_f32(1.0 / 3.0);
/// assert_eq!(x.to_f32(), 0.33325195);
/// // Ties go to even: 1 + 2^-11 lies between 1 and 1 + 2^-10.
/// assert_eq!(tf32::from_f32(1.0 + f32::powi(2.0, -11)).to_f32(), 1.0);
/// ```
#[derive(Clone, Copy, Default, Zeroable, Pod)]
#[repr(transparent)]
pub struct tf32(u32);

impl tf32 {
    const IGNORED: u32 = (1 << 13) - 1;

    /// Rounds to the nearest value, ties to even.
    #[inline(always)]
    #[must_use]
    pub const fn from_f32(x: f32) -> Self {
        let bits = x.to_bits();
        if bits & 0x7fff_ffff > 0x7f80_0000 {
            return Self(0x7fff_e000);
        }
        // A carry goes into the exponent, and from the largest exponent to infinity.
        Self(bits.wrapping_add(Self::IGNORED >> 1).wrapping_add(bits >> 13 & 1) & !Self::IGNORED)
    }

    /// Converts exactly.
    #[inline(always)]
    #[must_use]
    pub const fn to_f32(self) -> f32 {
        f32::from_bits(self.0 & !Self::IGNORED)
    }
}

impl PartialEq for tf32 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl fmt::Debug for tf32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f32().fmt(f)
    }
}

// SAFETY: host and device agree on this type: 32 bits.
unsafe impl DeviceLayout for tf32 {
    const TEXT: &'static Text = &Text::new().push("tf32");
}

vectors::of_numbers! {
    /// Four [`tf32`]s, which a thread reads or writes at once: 16 bytes, at a multiple of 16.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// let x = tf32x4::from_f32([0.5, 1.0, 1.5, 2.0]);
    /// assert_eq!(x.to_array()[2], tf32::from_f32(1.5));
    /// assert_eq!(tf32x4::from_array([tf32::from_f32(3.0); 4]).to_f32(), [3.0; 4]);
    /// ```
    tf32x4, tf32, 4, "tf32x4"
}

/// Adds products of floats on a CPU: each is exact in `f64`, and their sum is rounded to `f32` once.
#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
fn add_floats(sum: f32, products: impl Iterator<Item = (f64, f64)>) -> f32 {
    let sum = products.fold(f64::from(sum), |sum, (x, y)| sum + x * y) as f32;
    if sum.is_nan() { f32::from_bits(0x7fff_ffff) } else { sum }
}

/// Implements an element that is a float.
macro_rules! float {
    ($element:ident, $per_word:literal, |$x:ident| $bits:expr, |$word:ident, $i:ident| $wide:expr, $($other:item),*) => {
        impl sealed::Element for $element {
            type Added = f32;
            const PER_WORD: u32 = $per_word;

            #[inline(always)]
            fn bits(self, _: Inside) -> u32 {
                let $x = self;
                $bits
            }

            $($other)*

            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            unsafe fn multiply(a: [u32; 4], b: [u32; 2], sums: [f32; 4], _: Inside) -> [f32; 4] {
                // SAFETY: ensured by the caller.
                unsafe { crate::platform::mma::$element(a, b, sums) }
            }

            #[cfg(not(target_arch = "nvptx64"))]
            type Wide = f64;

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn wide($word: u32, $i: u32, _: Inside) -> f64 {
                $wide
            }

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn add(sum: f32, products: impl Iterator<Item = (f64, f64)>, _: Inside) -> f32 {
                add_floats(sum, products)
            }
        }
    };
}

float!(
    f16,
    2,
    |x| x.to_bits().into(),
    |word, i| f16::from_bits((word >> (16 * i)) as u16).into(),
    #[inline(always)]
    fn rounded(pair: [f32; 2], _: Inside) -> u32 {
        f16x2::from_f32(pair).to_bits()
    },
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
    const KIND: Option<crate::platform::warpgroup::Kind> = Some(crate::platform::warpgroup::Kind::F16);
);
float!(
    bf16,
    2,
    |x| x.to_bits().into(),
    |word, i| bf16::from_bits((word >> (16 * i)) as u16).into(),
    #[inline(always)]
    fn rounded(pair: [f32; 2], _: Inside) -> u32 {
        bf16x2::from_f32(pair).to_bits()
    },
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
    const KIND: Option<crate::platform::warpgroup::Kind> = Some(crate::platform::warpgroup::Kind::Bf16);
);
float!(
    tf32,
    1,
    |x| x.0,
    |word, _i| tf32(word).to_f32().into(),
    #[inline(always)]
    fn seen(word: u32, _: Inside) -> u32 {
        word & !tf32::IGNORED
    },
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
    const KIND: Option<crate::platform::warpgroup::Kind> = Some(crate::platform::warpgroup::Kind::Tf32);
);
float!(
    e4m3,
    4,
    |x| x.to_bits().into(),
    |word, i| e4m3::from_bits((word >> (8 * i)) as u8).into(),
    #[cfg(target_arch = "nvptx64")]
    const HALVES: Option<fn(u32) -> [u32; 2]> = Some(crate::platform::float8::halves::e4m3);,
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
    const KIND: Option<crate::platform::warpgroup::Kind> = Some(crate::platform::warpgroup::Kind::E4m3);
);
float!(
    e5m2,
    4,
    |x| x.to_bits().into(),
    |word, i| e5m2::from_bits((word >> (8 * i)) as u8).into(),
    #[cfg(target_arch = "nvptx64")]
    const HALVES: Option<fn(u32) -> [u32; 2]> = Some(crate::platform::float8::halves::e5m2);,
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90a"))]
    const KIND: Option<crate::platform::warpgroup::Kind> = Some(crate::platform::warpgroup::Kind::E5m2);
);

impl sealed::Element for i8 {
    type Added = i32;
    const PER_WORD: u32 = 4;

    #[inline(always)]
    fn bits(self, _: Inside) -> u32 {
        u32::from(self as u8)
    }

    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    unsafe fn multiply(a: [u32; 4], b: [u32; 2], sums: [i32; 4], _: Inside) -> [i32; 4] {
        // SAFETY: ensured by the caller.
        unsafe { crate::platform::mma::i8(a, b, sums) }
    }

    #[cfg(not(target_arch = "nvptx64"))]
    type Wide = i32;

    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn wide(word: u32, i: u32, _: Inside) -> i32 {
        i32::from((word >> (8 * i)) as u8 as i8)
    }

    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn add(sum: i32, products: impl Iterator<Item = (i32, i32)>, _: Inside) -> i32 {
        products.fold(sum, |sum, (x, y)| sum.wrapping_add(x * y))
    }
}
