//! What small floats have in common.

/// Lets a type compare, convert and print as the `f32` that each of its values is.
macro_rules! as_f32 {
    ($one:ident) => {
        impl PartialEq for $one {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl PartialOrd for $one {
            #[inline(always)]
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }

        impl From<$one> for f32 {
            #[inline(always)]
            fn from(x: $one) -> f32 {
                x.to_f32()
            }
        }

        impl From<$one> for f64 {
            #[inline(always)]
            fn from(x: $one) -> f64 {
                x.to_f32().into()
            }
        }

        impl core::fmt::Debug for $one {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Debug::fmt(&self.to_f32(), f)
            }
        }

        impl core::fmt::Display for $one {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.to_f32(), f)
            }
        }
    };
}
pub(crate) use as_f32;
