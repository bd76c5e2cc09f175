//! How elements are combined.

use cuda_layout::DeviceLayout;
use cuda_std::math;

/// An operation on two elements, given by its type.
pub trait Operation<T: DeviceLayout>: Send + Sync + 'static {
    /// What changes no element that it is combined with.
    const NEUTRAL: T;

    /// Combines two elements; the first one comes before the second one.
    fn combine(a: T, b: T) -> T;
}

/// An operation for which `(a b) c` has the same bits as `a (b c)`. Sums of floats are none.
pub trait Associative<T: DeviceLayout>: Operation<T> {}

/// The sum. That of integers wraps.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// The smallest element. For floats `b` if either of `a` and `b` is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Smallest;

/// The largest element. For floats `b` if either of `a` and `b` is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Largest;

macro_rules! integers {
    ($($number:ident)*) => { $(
        impl Operation<$number> for Sum {
            const NEUTRAL: $number = 0;

            #[inline(always)]
            fn combine(a: $number, b: $number) -> $number {
                a.wrapping_add(b)
            }
        }

        impl Operation<$number> for Smallest {
            const NEUTRAL: $number = $number::MAX;

            #[inline(always)]
            fn combine(a: $number, b: $number) -> $number {
                a.min(b)
            }
        }

        impl Operation<$number> for Largest {
            const NEUTRAL: $number = $number::MIN;

            #[inline(always)]
            fn combine(a: $number, b: $number) -> $number {
                a.max(b)
            }
        }

        impl Associative<$number> for Sum {}
        impl Associative<$number> for Smallest {}
        impl Associative<$number> for Largest {}
    )* };
}

integers!(u32 i32 u64 i64);

macro_rules! floats {
    ($($number:ident: $smaller:path, $larger:path;)*) => { $(
        impl Operation<$number> for Sum {
            const NEUTRAL: $number = 0.0;

            #[inline(always)]
            fn combine(a: $number, b: $number) -> $number {
                a + b
            }
        }

        impl Operation<$number> for Smallest {
            const NEUTRAL: $number = $number::INFINITY;

            #[inline(always)]
            fn combine(a: $number, b: $number) -> $number {
                $smaller(a, b)
            }
        }

        impl Operation<$number> for Largest {
            const NEUTRAL: $number = $number::NEG_INFINITY;

            #[inline(always)]
            fn combine(a: $number, b: $number) -> $number {
                $larger(a, b)
            }
        }
    )* };
}

floats! {
    f32: math::smaller, math::larger;
    f64: math::f64::smaller, math::f64::larger;
}
