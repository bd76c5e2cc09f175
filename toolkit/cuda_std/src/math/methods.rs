//! A hint for code that calls the platform's float methods.

/// No type implements this, so that the compiler refers to [`crate::math`] when a kernel in a `no_std` crate calls
/// `x.sqrt()`.
#[diagnostic::on_unimplemented(
    message = "a kernel has no float methods of the platform: call the function of `math`, as `math::sqrt(x)` for `x.sqrt()`",
    note = "`math` has one implementation for GPUs and CPU cores, so that both compute the same bits"
)]
pub trait OfThePlatform {}

macro_rules! methods {
    ($($name:ident($($more:ident),*);)*) => {
        /// The names of `std`'s float methods. Where there is a `std`, its own methods hide these. On the device the compiler
        /// finds these, and they cannot be called.
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
    sin(); cos(); tan(); asin(); acos(); atan(); sinh(); cosh(); tanh(); asinh(); acosh(); atanh();
    floor(); ceil(); round(); round_ties_even(); trunc(); fract();
    powf(power); atan2(x); hypot(other); mul_add(factor, term); rem_euclid(divisor);
}

impl<T: OfThePlatform> FloatMethods for T {}
