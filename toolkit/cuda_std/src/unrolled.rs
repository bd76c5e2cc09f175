//! Unrolled loops.

/// Calls `f` with every number below `N`, unrolled for the first 64, so that array elements that `f` accesses by this
/// number stay in registers. The compiler does not unroll a loop of many instructions by itself.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Four rows of 32 elements: a thread keeps one of each.
/// #[kernel(threads = 32)]
/// fn sums(block: &mut Block, out: &mut Chunk<u32, 32>, x: &[u32]) {
///     let own = block.per_thread(|thread| {
///         let mut own = [0; 4];
///         cuda_std::unrolled::<4>(|k| own[k as usize] = x.at(32 * k + thread.index()));
///         own
///     });
///     out.write(block, 0, &own, |_, own| own.iter().sum());
/// }
/// # fn main() {
/// # let mut out = [0; 32];
/// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &(0..128).collect::<Vec<_>>() }).unwrap();
/// assert_eq!(out[..2], [32 + 64 + 96, 4 + 32 + 64 + 96]);
/// # }
/// ```
#[inline(always)]
pub fn unrolled<const N: usize>(mut f: impl FnMut(u32)) {
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
