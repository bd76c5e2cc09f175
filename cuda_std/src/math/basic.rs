//! One operation of IEEE 754 each, or a selection.

/// The one NaN that results are written with.
pub const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// `a * b + c`, rounded once.
#[inline(always)]
#[must_use]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::mul_add(a, b, c);
    #[cfg(not(target_arch = "nvptx64"))]
    a.mul_add(b, c)
}

/// The square root, correctly rounded.
#[inline(always)]
#[must_use]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

/// `x`, or [`NAN`] for any NaN: its bits differ between processors.
#[inline(always)]
#[must_use]
pub fn canonical(x: f32) -> f32 {
    // On the bits, sign shifted out: a comparison of numbers is left out by LLVM where `x` is a square root, since
    // either way a NaN is the result.
    let bits = x.to_bits();
    f32::from_bits(if bits << 1 > f32::INFINITY.to_bits() << 1 { NAN.to_bits() } else { bits })
}

/// The smaller of two numbers; `b` when either is NaN.
#[inline(always)]
#[must_use]
pub fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two numbers; `b` when either is NaN.
#[inline(always)]
#[must_use]
pub fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// What `x as u32` gives: towards zero, 0 for NaN and below, the largest above. One instruction on a device.
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
        x as u32
    }
}

/// 1 / x, correctly rounded.
#[inline(always)]
#[must_use]
pub fn recip(x: f32) -> f32 {
    canonical(1.0 / x)
}
