//! 16-bit floats: a core has no instructions for their arithmetic.

macro_rules! format {
    ($name:ident, $mantissa:literal) => {
        pub(crate) mod $name {
            use crate::half::soft;

            #[inline(always)]
            pub(crate) fn narrow(x: f32) -> u16 {
                soft::narrow::<$mantissa>(x)
            }

            #[inline(always)]
            pub(crate) fn narrow_pair(low: f32, high: f32) -> u32 {
                u32::from(narrow(low)) | u32::from(narrow(high)) << 16
            }

            #[inline(always)]
            pub(crate) fn widen(bits: u16) -> f32 {
                soft::widen::<$mantissa>(bits)
            }

            #[inline(always)]
            pub(crate) fn add(x: u32, y: u32) -> u32 {
                soft::add::<$mantissa>(x, y)
            }

            #[inline(always)]
            pub(crate) fn mul(x: u32, y: u32) -> u32 {
                soft::mul::<$mantissa>(x, y)
            }

            #[inline(always)]
            pub(crate) fn fma(x: u32, y: u32, z: u32) -> u32 {
                soft::fma::<$mantissa>(x, y, z)
            }

            #[inline(always)]
            pub(crate) fn min(x: u32, y: u32) -> u32 {
                soft::min::<$mantissa>(x, y)
            }

            #[inline(always)]
            pub(crate) fn max(x: u32, y: u32) -> u32 {
                soft::max::<$mantissa>(x, y)
            }
        }
    };
}

format!(f16, 10);
format!(bf16, 7);
