//! 8-bit floats, which tensor cores multiply, and vectors of sixteen.

#![allow(non_camel_case_types)] // Number types are in lower case, like Rust's own.

use crate::{floats, vectors};
use bytemuck::{Pod, Zeroable};
use cuda_layout::{DeviceLayout, Text};

/// Rounds to the nearest value with `M` bits behind the binary point, ties to even. Larger numbers become `most`, the bits of the largest
/// finite value.
const fn narrow<const M: u32>(x: f32, most: u8) -> u8 {
    let bits = x.to_bits();
    let (sign, size) = ((bits >> 24) as u8 & 0x80, bits & 0x7fff_ffff);
    if size > 0x7f80_0000 {
        return NAN;
    }
    let bias = (1 << (6 - M)) - 1;
    // The exponent's field in the result. Results are subnormal where it is 0 or less.
    let field = (size >> 23) as i32 - (127 - bias);
    if field > 2 * bias + 1 {
        return sign | most;
    }
    // A subnormal `f32` is far too small to matter.
    let significand = size & 0x7f_ffff | 0x80_0000;
    let (base, shift) =
        if field > 0 { (((field - 1) as u32) << M, 23 - M) } else { (0, 24 - M + field.unsigned_abs()) };
    if shift > 24 {
        // Less than half of the smallest number.
        return sign;
    }
    let (quotient, rest, half) = (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1));
    let up = rest > half || rest == half && quotient & 1 == 1;
    // A carry goes into the exponent.
    let rounded = base + quotient + up as u32;
    sign | if rounded > most as u32 { most } else { rounded as u8 }
}

/// The only NaN that conversions return.
const NAN: u8 = 0x7f;

/// Converts exactly; a NaN becomes all bits but the sign. Larger values than `most` are infinite, and those than `largest` NaN.
#[inline(always)]
const fn widen<const M: u32>(bits: u8, [most, largest]: [u8; 2]) -> f32 {
    let (sign, rest) = ((bits as u32 & 0x80) << 24, bits & 0x7f);
    if rest > largest {
        return f32::from_bits(0x7fff_ffff);
    }
    if rest > most {
        return f32::from_bits(sign | 0x7f80_0000);
    }
    // Exact: the factor changes the exponent's bias, for subnormal numbers too.
    let size = f32::from_bits((rest as u32) << (23 - M)) * f32::from_bits((254 - ((1 << (6 - M)) - 1)) << 23);
    f32::from_bits(sign | size.to_bits())
}

/// Defines a format. `$most` are the bits of its largest finite value, and `$largest` those of its largest value, which may be infinite.
macro_rules! float_format {
    (
        $(#[$about:meta])*
        $one:ident, $sixteen:ident, $mantissa:literal, [$most:literal, $largest:literal], $one_name:literal, $sixteen_name:literal
        $(, $more:item)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Default, Zeroable, Pod)]
        #[repr(transparent)]
        pub struct $one(u8);

        impl $one {
            /// 0.
            pub const ZERO: Self = Self(0);
            /// 1.
            pub const ONE: Self = Self::constant(1.0);
            /// The largest finite value.
            pub const MAX: Self = Self($most);
            /// The smallest positive value that is not subnormal.
            pub const MIN_POSITIVE: Self = Self(1 << $mantissa);
            /// The difference between 1 and the next larger value.
            pub const EPSILON: Self = Self::constant(1.0 / (1u32 << $mantissa) as f32);
            /// The NaN that conversions return.
            pub const NAN: Self = Self(NAN);
            $($more)*

            /// The value with these bits.
            #[inline(always)]
            #[must_use]
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits)
            }

            /// The bits of the value.
            #[inline(always)]
            #[must_use]
            pub const fn to_bits(self) -> u8 {
                self.0
            }

            /// Rounds to the nearest value, ties to even. Larger numbers, and infinities, become the largest value of their sign.
            #[inline(always)]
            #[must_use]
            pub fn from_f32(x: f32) -> Self {
                #[cfg(all(target_arch = "nvptx64", target_feature = "sm_90"))]
                {
                    Self(crate::platform::float8::$one(x))
                }
                #[cfg(not(all(target_arch = "nvptx64", target_feature = "sm_90")))]
                {
                    Self::constant(x)
                }
            }

            /// [`from_f32`](Self::from_f32) for constants.
            #[inline(always)]
            #[must_use]
            pub const fn constant(x: f32) -> Self {
                Self(narrow::<$mantissa>(x, $most))
            }

            /// Converts exactly.
            #[inline(always)]
            #[must_use]
            pub const fn to_f32(self) -> f32 {
                widen::<$mantissa>(self.0, [$most, $largest])
            }

            /// Whether it is NaN.
            #[inline(always)]
            #[must_use]
            pub const fn is_nan(self) -> bool {
                self.0 & 0x7f > $largest
            }
        }

        floats::as_f32!($one);

        // SAFETY: host and device agree on this type: 8 bits.
        unsafe impl DeviceLayout for $one {
            const TEXT: &'static Text = &Text::new().push($one_name);
        }

        vectors::of_numbers! {
            #[doc = concat!("Sixteen [`", $one_name, "`]s, which a thread reads or writes at once: 16 bytes, at a multiple of 16.")]
            ///
            /// ```
            /// # use cuda_std::prelude::*;
            #[doc = concat!("let x = ", $sixteen_name, "::from_f32([0.5; 16]);")]
            #[doc = concat!("assert_eq!(x.to_array(), [", $one_name, "::from_f32(0.5); 16]);")]
            #[doc = concat!("assert_eq!(", $sixteen_name, "::from_array([", $one_name, "::ONE; 16]).to_f32(), [1.0; 16]);")]
            /// ```
            $sixteen, $one, 16, $sixteen_name
        }
    };
}

float_format! {
    /// An 8-bit float with 4 significant bits, from 0.002 to 448, for tensor cores. It has a NaN and no infinities.
    ///
    /// Like `f16` it can be an element of every memory and an argument of kernels. Conversions have the same bits on CPU cores and on every
    /// GPU. For arithmetic, convert to `f32`.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// let x = [1.0 / 3.0, 17.0, 1e9, -f32::INFINITY].map(e4m3::from_f32);
    /// // Ties go to even: 17 lies between 16 and 18.
    /// assert_eq!(x.map(f32::from), [0.34375, 16.0, 448.0, -448.0]);
    /// assert!(e4m3::from_f32(f32::NAN).is_nan() && e4m3::from_bits(0xff).is_nan());
    /// ```
    e4m3, e4m3x16, 3, [0x7e, 0x7e], "e4m3", "e4m3x16"
}

float_format! {
    /// An 8-bit float with 3 significant bits: the upper half of an `f16`, with its range. Tensor cores multiply it.
    ///
    /// The rules of [`e4m3`] hold. Conversions make no infinities.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// let x = [1.0 / 3.0, 9.0, 1e9].map(e5m2::from_f32);
    /// assert_eq!(x.map(f32::from), [0.3125, 8.0, 57344.0]);
    /// assert_eq!(e5m2::INFINITY.to_f32(), f32::INFINITY);
    /// ```
    e5m2, e5m2x16, 2, [0x7b, 0x7c], "e5m2", "e5m2x16",
    /// Infinity.
    pub const INFINITY: Self = Self(0x7c);
}
