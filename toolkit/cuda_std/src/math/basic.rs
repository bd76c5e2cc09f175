//! Single operations of IEEE 754, and selections.

/// The only NaN of results.
pub const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// `a * b + c`, rounded once.
///
/// ```
/// use cuda_std::math;
///
/// // The product is not rounded: f32 cannot hold 1 - 2^-23 + 2^-48, and 2^-48 remains.
/// let x = 1.0 - f32::EPSILON / 2.0;
/// assert_eq!(math::fma(x, x, -(x * x)), f32::EPSILON * f32::EPSILON / 4.0);
/// ```
#[inline(always)]
#[must_use]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::mul_add(a, b, c);
    #[cfg(not(target_arch = "nvptx64"))]
    a.mul_add(b, c)
}

/// `a * b + c`, rounded once, then limited to the numbers from 0 to 1; 0 for NaN. It is one instruction on a device.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::fma_to_unit(0.5, 0.5, 0.25), math::fma_to_unit(2.0, 1.0, 0.0)], [0.5, 1.0]);
/// assert_eq!([math::fma_to_unit(-1.0, 1.0, 0.0), math::fma_to_unit(f32::NAN, 1.0, 0.0)], [0.0; 2]);
/// ```
#[inline(always)]
#[must_use]
pub fn fma_to_unit(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let limited: u32;
        // SAFETY: computes a register from registers; no convergence, no memory.
        unsafe {
            core::arch::asm!(
                "fma.rn.sat.f32 {0}, {1}, {2}, {3};",
                out(reg32) limited, in(reg32) a.to_bits(), in(reg32) b.to_bits(), in(reg32) c.to_bits(),
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        f32::from_bits(limited)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    smaller(larger(fma(a, b, c), 0.0), 1.0)
}

/// The square root, correctly rounded.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::sqrt(2.25), 1.5);
/// assert!(math::sqrt(-1.0).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

/// `x`, or [`NAN`] for any NaN, since the bits of NaNs differ between processors.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::canonical(-f32::NAN).to_bits(), math::NAN.to_bits());
/// assert_eq!(math::canonical(-0.0).to_bits(), (-0.0f32).to_bits());
/// ```
#[inline(always)]
#[must_use]
pub fn canonical(x: f32) -> f32 {
    // This tests the bits, with the sign shifted out: LLVM removes a comparison of numbers where `x` is a square root,
    // since the result is a NaN either way.
    let bits = x.to_bits();
    f32::from_bits(if bits << 1 > f32::INFINITY.to_bits() << 1 { NAN.to_bits() } else { bits })
}

/// The smaller of two numbers, or `b` if either is NaN.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::smaller(1.0, 2.0), 1.0);
/// assert_eq!(math::smaller(f32::NAN, 2.0), 2.0);
/// assert!(math::smaller(2.0, f32::NAN).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two numbers, or `b` if either is NaN.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::larger(1.0, 2.0), 2.0);
/// assert_eq!(math::larger(f32::NAN, 1.0), 1.0);
/// ```
#[inline(always)]
#[must_use]
pub fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `x as u32`: rounds toward zero; 0 for NaN and negative numbers, the largest `u32` above. It is one instruction on a
/// device.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!([math::to_u32(2.9), math::to_u32(-3.0), math::to_u32(1e20)], [2, 0, u32::MAX]);
/// ```
#[inline(always)]
#[must_use]
pub fn to_u32(x: f32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            #[link_name = "llvm.nvvm.f2ui.rz"]
            safe fn f2ui_rz(x: f32) -> u32;
        }
        f2ui_rz(x)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        // As `x as u32`, for which the compiler makes branches. Without them a core converts several at a time.
        let positive = if x > 0.0 { x } else { 0.0 };
        let is_too_large = positive >= 4_294_967_296.0;
        let fits = if is_too_large { 0.0 } else { positive };
        // SAFETY: at least 0 and below 2^32.
        let converted = unsafe { fits.to_int_unchecked::<u32>() };
        if is_too_large { u32::MAX } else { converted }
    }
}

/// 1 / x, correctly rounded.
///
/// ```
/// use cuda_std::math;
///
/// assert_eq!(math::recip(8.0), 0.125);
/// assert_eq!(math::recip(-0.0), f32::NEG_INFINITY);
/// ```
#[inline(always)]
#[must_use]
pub fn recip(x: f32) -> f32 {
    canonical(1.0 / x)
}

#[cfg(test)]
mod tests {
    #[test]
    fn conversion_saturates() {
        let edges = [0.0f32, 1.0, 16_777_216.0, 2_147_483_648.0, 4_294_967_040.0, 4_294_967_296.0, 1e20, f32::INFINITY];
        let near = edges.into_iter().flat_map(|x| [x, x.next_down(), x.next_up(), x + 0.5]);
        for x in near.flat_map(|x| [x, -x]).chain([f32::NAN, -0.0, f32::MIN_POSITIVE]) {
            assert_eq!(super::to_u32(x), x as u32, "{x}");
        }
    }
}
