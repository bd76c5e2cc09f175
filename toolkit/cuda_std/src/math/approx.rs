//! Fast functions whose bits **differ between CPU and GPU**: an explicit choice of speed over equal bits.
//!
//! On the device each is one or a few of PTX's `.approx` instructions, whose bits also differ between architectures. On a
//! CPU it is the accurate function of [`math`](super), except [`rsqrt_of_normal`] and [`recip_of_normal`]. A kernel that calls one of them no longer has the same bits
//! everywhere; its tests compare within the error given here, which is that of the PTX manual. The bits of a NaN are
//! unspecified.
//!
//! ```
//! use cuda_std::math::{self, approx};
//!
//! let near = |x: f32, y: f32| (x - y).abs() <= 2e-6;
//! assert!(near(approx::exp2(0.5), math::exp2(0.5)) && near(approx::log2(3.0), math::log2(3.0)));
//! assert!(near(approx::sin(1.0), math::sin(1.0)) && near(approx::cos(1.0), math::cos(1.0)));
//! assert!(near(approx::rsqrt(4.0), 0.5) && near(approx::recip(8.0), 0.125) && near(approx::div(1.0, 4.0), 0.25));
//! assert!(near(approx::tanh(0.5), math::tanh(0.5)));
//! assert!(near(approx::rsqrt_of_normal(4.0), 0.5) && near(approx::recip_of_normal(8.0), 0.125));
//! ```

/// The device's instruction, or the CPU's function.
macro_rules! approximate {
    ($instruction:literal, $x:ident, $cpu:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let y: u32;
            // SAFETY: computes a register from a register; no convergence, no memory.
            unsafe {
                core::arch::asm!(
                    concat!($instruction, " {0}, {1};"),
                    out(reg32) y, in(reg32) $x.to_bits(),
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            f32::from_bits(y)
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $cpu
    }};
}

/// 2^x. Error on the device: within 2 ulp.
#[inline(always)]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    approximate!("ex2.approx.f32", x, super::exp2(x))
}

/// As [`exp2`], but on the device a result below 2^-126 is 0. It takes one instruction instead of four.
#[inline(always)]
#[must_use]
pub fn exp2_or_zero(x: f32) -> f32 {
    approximate!("ex2.approx.ftz.f32", x, super::exp2(x))
}

/// log2(x). Error on the device: absolute within 2^-22 where x is between 1/2 and 2, relative within 2^-22 elsewhere.
#[inline(always)]
#[must_use]
pub fn log2(x: f32) -> f32 {
    approximate!("lg2.approx.f32", x, super::log2(x))
}

/// The sine of x radians. Absolute error on the device: within 2^-20.5 where `|x| <= 2 pi`, increasing beyond.
#[inline(always)]
#[must_use]
pub fn sin(x: f32) -> f32 {
    approximate!("sin.approx.f32", x, super::sin(x))
}

/// The cosine of x radians. Absolute error on the device: within 2^-20.5 where `|x| <= 2 pi`, increasing beyond.
#[inline(always)]
#[must_use]
pub fn cos(x: f32) -> f32 {
    approximate!("cos.approx.f32", x, super::cos(x))
}

/// 1 / sqrt(x). Relative error on the device: within 2^-22.9.
#[inline(always)]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    approximate!("rsqrt.approx.f32", x, super::rsqrt(x))
}

/// 1 / x. Error on the device: within 1 ulp.
#[inline(always)]
#[must_use]
pub fn recip(x: f32) -> f32 {
    approximate!("rcp.approx.f32", x, super::recip(x))
}

/// [`rsqrt`] where x is a positive normal number, in fewer instructions; unspecified for others. (On the device a subnormal x
/// counts as 0.) Relative error on a CPU: within 2^-19.
#[inline(always)]
#[must_use]
pub fn rsqrt_of_normal(x: f32) -> f32 {
    approximate!("rsqrt.approx.ftz.f32", x, estimate::rsqrt(x))
}

/// [`recip`] where x and the result are positive normal numbers, in fewer instructions; unspecified for others. (On the device
/// subnormal numbers count as 0.) Relative error on a CPU: within 2^-22.
#[inline(always)]
#[must_use]
pub fn recip_of_normal(x: f32) -> f32 {
    approximate!("rcp.approx.ftz.f32", x, estimate::recip(x))
}

/// Estimates from a number's bits, and two Newton steps each; the first step's constants make its largest error smallest
/// (Moroz et al. 2018). A core computes eight or sixteen at a time, while its divider takes as long for each vector as for a
/// dozen of these instructions. Products are not fused: code for older processors has no instruction for that.
#[cfg(not(target_arch = "nvptx64"))]
mod estimate {
    #[inline(always)]
    pub fn rsqrt(x: f32) -> f32 {
        let half = 0.5 * x;
        let y = f32::from_bits(0x5f37_6908u32.wrapping_sub(x.to_bits() >> 1));
        let y = y * (1.500_878_9 - half * y * y);
        y * (1.5 - half * y * y)
    }

    #[inline(always)]
    pub fn recip(x: f32) -> f32 {
        let y = f32::from_bits(0x7eb5_3567u32.wrapping_sub(x.to_bits()));
        let y = 1.939_597_4 * y * (1.436_142 - x * y);
        y * (2.0 - x * y)
    }

    /// An error depends only on the significand, and for the root also on whether the exponent is odd.
    #[test]
    fn errors_are_small() {
        let (mut root, mut reciprocal) = (0.0f64, 0.0f64);
        for bits in (1f32.to_bits()..4f32.to_bits()).step_by(31) {
            let x = f32::from_bits(bits);
            root = root.max((f64::from(rsqrt(x)) * f64::from(x).sqrt() - 1.0).abs());
            reciprocal = reciprocal.max((f64::from(recip(x)) * f64::from(x) - 1.0).abs());
        }
        assert!(root < 2f64.powi(-19) && reciprocal < 2f64.powi(-22), "{root:e} {reciprocal:e}");
        for exponent in -60..60 {
            let (x, scale) = (1.7 * 4f32.powi(exponent), 4f32.powi(-exponent));
            assert_eq!(rsqrt(x), rsqrt(1.7) * 2f32.powi(-exponent));
            assert_eq!(recip(x), recip(1.7) * scale);
        }
    }
}

/// The hyperbolic tangent, from [`exp2`] and [`recip`]. Absolute error on the device: within 2^-20, so small results have
/// few correct digits. PTX has an instruction, but not in the version that all supported devices accept.
#[inline(always)]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        // An infinite power, for a large x, gives 1.
        1.0 - 2.0 * recip(exp2(x * (2.0 * core::f32::consts::LOG2_E)) + 1.0)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        super::tanh(x)
    }
}

/// x / y. On the device within 2 ulp where `|y|` is between 2^-126 and 2^126, and 0 for larger finite `|y|`.
#[inline(always)]
#[must_use]
pub fn div(x: f32, y: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let quotient: u32;
        // SAFETY: computes a register from registers; no convergence, no memory.
        unsafe {
            core::arch::asm!(
                "div.approx.f32 {0}, {1}, {2};",
                out(reg32) quotient, in(reg32) x.to_bits(), in(reg32) y.to_bits(),
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        f32::from_bits(quotient)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        x / y
    }
}
