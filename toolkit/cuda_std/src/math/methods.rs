//! What to write in place of the platform's float methods.

/// What no type implements, so that a kernel in a `no_std` crate which calls `x.sqrt()` is told of [`crate::math`].
#[diagnostic::on_unimplemented(
    message = "a kernel has no float methods of the platform: call the function of `math`, as `math::sqrt(x)` for `x.sqrt()`",
    note = "`math` has one implementation for GPUs and CPU cores, so that both compute the same bits"
)]
pub trait OfThePlatform {}

macro_rules! methods {
    ($($name:ident($($more:ident),*);)*) => {
        /// Methods that a platform with a library of its own gives floats. Where `std` is part of the program those are called, and
        /// these are not seen; on the device they are found here, and cannot be called.
        pub trait FloatMethods: Sized {
            $(
                #[doc(hidden)]
                fn $name(self, $($more: Self),*) -> Self {
                    let _ = ($($more,)*);
                    self
                }
            )*
        }
    };
}

methods! {
    sqrt(); cbrt(); exp(); exp2(); exp_m1(); ln(); ln_1p(); log2(); log10();
    sin(); cos(); tan(); asin(); acos(); atan(); sinh(); cosh(); tanh();
    floor(); ceil(); round(); round_ties_even(); trunc(); fract();
    powf(power); atan2(x); hypot(other); mul_add(factor, term); rem_euclid(divisor);
}

impl<T: OfThePlatform> FloatMethods for T {}
