//! Unrolled loops.

/// Calls `f` with every number below `N`, unrolled for the first 64, so that array elements that `f` accesses by this
/// number stay in registers. The compiler does not unroll a loop of many instructions by itself.
#[inline(always)]
pub(crate) fn unrolled<const N: usize>(mut f: impl FnMut(u32)) {
    macro_rules! calls {
        ($($number:literal)*) => {$(
            if const { N > $number } {
                f($number);
            }
        )*};
    }
    calls!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    calls!(32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
    for number in 64..N {
        f(number as u32);
    }
}
