//! 16-bit floats: single numbers, pairs in a word, and groups of eight that are read and written at once.

#![allow(non_camel_case_types)] // Number types are in lower case, like Rust's own.

pub(crate) mod soft;

use crate::platform::half as arch;
use crate::{floats, vectors};
use bytemuck::{Pod, Zeroable};
use core::fmt;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use cuda_layout::{DeviceLayout, Text};

/// Defines the operators of a type by functions with two arguments.
macro_rules! operators {
    ($type:ty: |$x:ident, $y:ident| $add:expr, $mul:expr, |$z:ident| $neg:expr) => {
        impl Add for $type {
            type Output = Self;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                let ($x, $y) = (self, other);
                $add
            }
        }

        impl Mul for $type {
            type Output = Self;

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                let ($x, $y) = (self, other);
                $mul
            }
        }

        impl Neg for $type {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                let $z = self;
                $neg
            }
        }

        impl Sub for $type {
            type Output = Self;

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self + -other
            }
        }

        impl AddAssign for $type {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl SubAssign for $type {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl MulAssign for $type {
            #[inline(always)]
            fn mul_assign(&mut self, other: Self) {
                *self = *self * other;
            }
        }
    };
}

macro_rules! float_format {
    (
        $(#[$about:meta])*
        $one:ident, $pair:ident, $eight:ident, $mantissa:literal,
        $one_name:literal, $pair_name:literal, $eight_name:literal
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Default, Zeroable, Pod)]
        #[repr(transparent)]
        pub struct $one(u16);

        impl $one {
            /// 0.
            pub const ZERO: Self = Self(0);
            /// 1.
            pub const ONE: Self = Self(soft::narrow::<$mantissa>(1.0));
            /// The largest finite value.
            pub const MAX: Self = Self(soft::infinity::<$mantissa>() - 1);
            /// The smallest positive value that is not subnormal.
            pub const MIN_POSITIVE: Self = Self(1 << $mantissa);
            /// The difference between 1 and the next larger value.
            pub const EPSILON: Self = Self(soft::round::<$mantissa>(1.0 / (1u32 << $mantissa) as f64));
            /// Infinity.
            pub const INFINITY: Self = Self(soft::infinity::<$mantissa>());
            /// The NaN that conversions and arithmetic return.
            pub const NAN: Self = Self(soft::NAN);

            /// The value with these bits.
            #[inline(always)]
            #[must_use]
            pub const fn from_bits(bits: u16) -> Self {
                Self(bits)
            }

            /// The bits of the value.
            #[inline(always)]
            #[must_use]
            pub const fn to_bits(self) -> u16 {
                self.0
            }

            /// Rounds to the nearest value, ties to even. Numbers at least half a step above the largest value become
            /// infinity.
            #[inline(always)]
            #[must_use]
            pub fn from_f32(x: f32) -> Self {
                Self(arch::$one::narrow(x))
            }

            /// [`from_f32`](Self::from_f32) for constants.
            #[inline(always)]
            #[must_use]
            pub const fn constant(x: f32) -> Self {
                Self(soft::narrow::<$mantissa>(x))
            }

            /// Rounds once to the nearest value, with the rules of [`from_f32`](Self::from_f32). It uses integer
            /// arithmetic.
            #[inline(always)]
            #[must_use]
            pub const fn from_f64(x: f64) -> Self {
                Self(soft::round::<$mantissa>(x))
            }

            /// Converts exactly.
            #[inline(always)]
            #[must_use]
            pub fn to_f32(self) -> f32 {
                arch::$one::widen(self.0)
            }

            /// Whether it is NaN.
            #[inline(always)]
            #[must_use]
            pub const fn is_nan(self) -> bool {
                soft::is_nan::<$mantissa>(self.0)
            }

            /// Whether it is neither infinite nor NaN.
            #[inline(always)]
            #[must_use]
            pub const fn is_finite(self) -> bool {
                self.0 & 0x7fff < soft::infinity::<$mantissa>()
            }

            /// The absolute value.
            #[inline(always)]
            #[must_use]
            pub const fn abs(self) -> Self {
                Self(self.0 & 0x7fff)
            }

            /// `self * by + and`, rounded once.
            #[inline(always)]
            #[must_use]
            pub fn fma(self, by: Self, and: Self) -> Self {
                Self(arch::$one::fma(self.0.into(), by.0.into(), and.0.into()) as u16)
            }

            /// The smaller value, where -0 is smaller than +0. If one value is NaN, the other one.
            #[inline(always)]
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(arch::$one::min(self.0.into(), other.0.into()) as u16)
            }

            /// The larger value, where -0 is smaller than +0. If one value is NaN, the other one.
            #[inline(always)]
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(arch::$one::max(self.0.into(), other.0.into()) as u16)
            }
        }

        operators!($one:
            |x, y| Self(arch::$one::add(x.0.into(), y.0.into()) as u16),
            Self(arch::$one::mul(x.0.into(), y.0.into()) as u16),
            |z| Self(z.0 ^ 0x8000));

        floats::as_f32!($one);

        #[cfg(not(target_arch = "nvptx64"))]
        impl From<half::$one> for $one {
            fn from(x: half::$one) -> Self {
                Self(x.to_bits())
            }
        }

        #[cfg(not(target_arch = "nvptx64"))]
        impl From<$one> for half::$one {
            fn from(x: $one) -> Self {
                Self::from_bits(x.0)
            }
        }

        #[doc = concat!("Two [`struct@", $one_name, "`]s in a word, the first one in its lower half.")]
        ///
        /// A GPU computes both by one instruction. The results have the same bits as those of single numbers.
        ///
        /// ```
        /// # use cuda_std::prelude::*;
        #[doc = concat!("let x = ", $pair_name, "::from_f32([1.5, -2.0]);")]
        #[doc = concat!("let y = x.fma(", $pair_name, "::splat(x.low()), -x);")]
        /// assert_eq!((y.to_f32(), x.min(y).to_f32(), x.max(y).to_f32()), ([0.75, -1.0], [0.75, -2.0], [1.5, -1.0]));
        /// assert_eq!((x + y * x - y).to_array().map(f32::from), [1.875, 1.0]);
        #[doc = concat!("assert_eq!(", $pair_name, "::from_bits(x.to_bits()).high().to_f32(), -2.0);")]
        /// ```
        #[derive(Clone, Copy, Default, Zeroable, Pod)]
        #[repr(transparent)]
        pub struct $pair(u32);

        impl $pair {
            /// Makes a pair from two numbers.
            #[inline(always)]
            #[must_use]
            pub const fn new(low: $one, high: $one) -> Self {
                Self(low.0 as u32 | (high.0 as u32) << 16)
            }

            /// The same number twice.
            #[inline(always)]
            #[must_use]
            pub const fn splat(x: $one) -> Self {
                Self::new(x, x)
            }

            /// The pair with these bits.
            #[inline(always)]
            #[must_use]
            pub const fn from_bits(bits: u32) -> Self {
                Self(bits)
            }

            /// The bits of the pair.
            #[inline(always)]
            #[must_use]
            pub const fn to_bits(self) -> u32 {
                self.0
            }

            /// The first number.
            #[inline(always)]
            #[must_use]
            pub const fn low(self) -> $one {
                $one(self.0 as u16)
            }

            /// The second number.
            #[inline(always)]
            #[must_use]
            pub const fn high(self) -> $one {
                $one((self.0 >> 16) as u16)
            }

            /// Both numbers.
            #[inline(always)]
            #[must_use]
            pub const fn to_array(self) -> [$one; 2] {
                [self.low(), self.high()]
            }

            /// Rounds both to the nearest values.
            #[inline(always)]
            #[must_use]
            pub fn from_f32([low, high]: [f32; 2]) -> Self {
                Self(arch::$one::narrow_pair(low, high))
            }

            /// Converts both exactly.
            #[inline(always)]
            #[must_use]
            pub fn to_f32(self) -> [f32; 2] {
                [self.low().to_f32(), self.high().to_f32()]
            }

            /// The absolute values.
            #[inline(always)]
            #[must_use]
            pub const fn abs(self) -> Self {
                Self(self.0 & 0x7fff_7fff)
            }

            /// `self * by + and`, each rounded once.
            #[inline(always)]
            #[must_use]
            pub fn fma(self, by: Self, and: Self) -> Self {
                Self(arch::$one::fma(self.0, by.0, and.0))
            }

            #[doc = concat!("The smaller number at each position, by the rules of `", $one_name, "::min`.")]
            #[inline(always)]
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(arch::$one::min(self.0, other.0))
            }

            #[doc = concat!("The larger number at each position, by the rules of `", $one_name, "::max`.")]
            #[inline(always)]
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(arch::$one::max(self.0, other.0))
            }
        }

        operators!($pair:
            |x, y| Self(arch::$one::add(x.0, y.0)),
            Self(arch::$one::mul(x.0, y.0)),
            |z| Self(z.0 ^ 0x8000_8000));

        impl PartialEq for $pair {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                self.to_array() == other.to_array()
            }
        }

        impl fmt::Debug for $pair {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.to_array().fmt(f)
            }
        }

        #[doc = concat!("Eight [`struct@", $one_name, "`]s, which a thread reads or writes at once: 16 bytes, at a multiple of 16.")]
        ///
        /// ```
        /// # use cuda_std::prelude::*;
        #[doc = concat!("let x = ", $eight_name, "::from_f32([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]);")]
        #[doc = concat!("let y = x.fma(x, ", $eight_name, "::splat(", $one_name, "::ONE));")]
        /// assert_eq!((y - x * x).to_f32(), [1.0; 8]);
        #[doc = concat!("assert_eq!((x + -x, ", $eight_name, "::from_array(x.to_array())), (Default::default(), x));")]
        /// assert_eq!(x.pairs()[3].to_f32(), [3.5, 4.0]);
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod)]
        #[repr(C, align(16))]
        pub struct $eight([$pair; 4]);

        impl $eight {
            /// Makes a group of eight numbers from four pairs.
            #[inline(always)]
            #[must_use]
            pub const fn new(pairs: [$pair; 4]) -> Self {
                Self(pairs)
            }

            /// The four pairs.
            #[inline(always)]
            #[must_use]
            pub const fn pairs(self) -> [$pair; 4] {
                self.0
            }

            /// The same number eight times.
            #[inline(always)]
            #[must_use]
            pub const fn splat(x: $one) -> Self {
                Self([$pair::splat(x); 4])
            }

            /// Makes a group from eight numbers.
            #[inline(always)]
            #[must_use]
            pub const fn from_array([a, b, c, d, e, f, g, h]: [$one; 8]) -> Self {
                Self([$pair::new(a, b), $pair::new(c, d), $pair::new(e, f), $pair::new(g, h)])
            }

            /// All eight numbers.
            #[inline(always)]
            #[must_use]
            pub const fn to_array(self) -> [$one; 8] {
                let [a, b, c, d] = self.0;
                [a.low(), a.high(), b.low(), b.high(), c.low(), c.high(), d.low(), d.high()]
            }

            /// Rounds all to the nearest values.
            #[inline(always)]
            #[must_use]
            pub fn from_f32([a, b, c, d, e, f, g, h]: [f32; 8]) -> Self {
                Self([[a, b], [c, d], [e, f], [g, h]].map($pair::from_f32))
            }

            /// Converts all exactly.
            #[inline(always)]
            #[must_use]
            pub fn to_f32(self) -> [f32; 8] {
                self.to_array().map($one::to_f32)
            }

            /// `self * by + and`, each rounded once.
            #[inline(always)]
            #[must_use]
            pub fn fma(self, by: Self, and: Self) -> Self {
                let ([a, b, c, d], x, y) = (self.0, by.0, and.0);
                Self([a.fma(x[0], y[0]), b.fma(x[1], y[1]), c.fma(x[2], y[2]), d.fma(x[3], y[3])])
            }
        }

        operators!($eight:
            |x, y| Self([x.0[0] + y.0[0], x.0[1] + y.0[1], x.0[2] + y.0[2], x.0[3] + y.0[3]]),
            Self([x.0[0] * y.0[0], x.0[1] * y.0[1], x.0[2] * y.0[2], x.0[3] * y.0[3]]),
            |z| Self(z.0.map(core::ops::Neg::neg)));

        // SAFETY: host and device agree on these three types: 16 bits, a word, and 16 bytes aligned to 16.
        unsafe impl DeviceLayout for $one {
            const TEXT: &'static Text = &Text::new().push($one_name);
        }
        // SAFETY: as above.
        unsafe impl DeviceLayout for $pair {
            const TEXT: &'static Text = &Text::new().push($pair_name);
        }
        // SAFETY: as above.
        unsafe impl DeviceLayout for $eight {
            const TEXT: &'static Text = &Text::new().push($eight_name);
        }

        vectors::elements!($pair, $one, 2);
        vectors::elements!($eight, $one, 8);
    };
}

float_format! {
    /// A 16-bit float with 11 significant bits: IEEE 754's `binary16`, from 6e-8 to 65,504.
    ///
    /// It can be an element of every memory, an argument of kernels, and a value of shuffles. On the host it converts to
    /// and from the type of the same name in the crate `half`; `bytemuck::cast_slice` converts slices.
    ///
    /// Conversions and arithmetic round once, to the nearest value, and give the same bits on CPU cores and on every GPU;
    /// their NaN is always [`NAN`](Self::NAN). Comparisons equal those of the same `f32`. For divisions and functions of
    /// `math`, convert to `f32`.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 64)]
    /// fn scale(block: &mut Block, out: &mut Chunk<f16, 64>, x: &[f16], by: f16) {
    ///     let (n, first) = (out.len(), out.start());
    ///     out.fill(block, n, |i| x.at(first + i) * by + f16::ONE);
    /// }
    /// # fn main() {
    /// let x = [0.5, 3.0, 60_000.0].map(f16::from_f32);
    /// let mut out = [f16::ZERO; 3];
    /// scale::launch(&CpuExecutor::new(), 1, scale::Args { out: &mut out, x: &x, by: f16::from_f32(2.0) }).unwrap();
    /// assert_eq!(out, [2.0, 7.0, f32::INFINITY].map(f16::from_f32));
    /// assert_eq!(f16::constant(0.1).fma(f16::constant(3.0), -f16::from_f64(0.3)).to_f32(), -0.00012207031);
    /// # }
    /// ```
    f16, f16x2, f16x8, 10, "f16", "f16x2", "f16x8"
}

float_format! {
    /// A 16-bit float with 8 significant bits: the upper half of an `f32`, with its range.
    ///
    /// The rules of [`struct@f16`] hold. GPUs from compute capability 8.0 on have instructions for it; those with two
    /// operands (sum and product) exist from 9.0 on. On older GPUs, the same results come from `f64` arithmetic, which
    /// takes dozens of instructions.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// let x = bf16::from_f32(3.0e38);
    /// assert_eq!((x.to_f32(), (x + x).is_finite()), (3.0040553e38, false));
    /// assert_eq!((-x).abs().min(bf16::ONE).max(bf16::EPSILON), bf16::ONE);
    /// assert_eq!(half::bf16::from(x), half::bf16::from_f32(3.0e38));
    /// ```
    bf16, bf16x2, bf16x8, 7, "bf16", "bf16x2", "bf16x8"
}
