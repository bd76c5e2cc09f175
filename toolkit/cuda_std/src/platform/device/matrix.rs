//! Products of matrices, by tensor cores.

use super::warp::{LaneStorage, leave_if_a_lane_is_dead, stay_together};
use crate::matrix::{MatrixA, MatrixB, MatrixElement, MatrixSums};
use crate::seal::INSIDE;
use crate::unrolled::unrolled;

/// Adds the product of `a` and `b` to `sums`.
#[inline(always)]
pub(crate) fn multiply<E: MatrixElement, const R: usize, const C: usize>(
    a: &LaneStorage<MatrixA<E, R>>,
    b: &LaneStorage<MatrixB<E, C>>,
    sums: &mut LaneStorage<MatrixSums<E, R, C>>,
) {
    const {
        assert!(
            E::PER_WORD > 0 && cfg!(target_feature = "sm_80"),
            "tensor cores multiply matrices in kernels that are built for sm_80 or later: by \
             `CudaBuilder::arch(NvvmArch::Compute80)`, or `build-ptx --arch sm_80`"
        );
    }
    ask_lanes();
    // SAFETY: all lanes are alive, and get here together, because the code of a warp phase is the same for all of them.
    unsafe { multiply_own(&a.0, &b.0, &mut sums.0) };
}

/// Ends the warp unless all lanes are alive. An instruction for tensor cores has an undefined result if a lane does not take part.
#[inline(always)]
pub(crate) fn ask_lanes() {
    leave_if_a_lane_is_dead();
    // The instructions after this are part of the same code: see `mma`.
    stay_together();
}

/// As [`multiply`].
///
/// # Safety
/// [`ask_lanes`] comes before it in the same straight-line code, which all lanes run together.
#[inline(always)]
pub(crate) unsafe fn multiply_own<E: MatrixElement, const R: usize, const C: usize>(
    a: &MatrixA<E, R>,
    b: &MatrixB<E, C>,
    sums: &mut MatrixSums<E, R, C>,
) {
    let Some(halves) = E::HALVES else {
        // SAFETY: the caller's.
        unsafe { multiply_words::<E, R, C>(&a.0, &b.0, sums) };
        return;
    };
    unrolled::<2>(|half| {
        let (mut own_a, mut own_b) = ([[0; 4]; R], [[0; 2]; C]);
        unrolled::<R>(|r| {
            unrolled::<4>(|j| own_a[r as usize][j as usize] = halves(a.0[r as usize][j as usize])[half as usize])
        });
        unrolled::<C>(|c| {
            unrolled::<2>(|j| own_b[c as usize][j as usize] = halves(b.0[c as usize][j as usize])[half as usize])
        });
        // The instructions after this are part of the same code.
        stay_together();
        // SAFETY: the caller's.
        unsafe { multiply_words::<E, R, C>(&own_a, &own_b, sums) };
    });
}

/// As [`multiply_own`], for words as instructions take them.
///
/// # Safety
/// As for [`multiply_own`].
#[inline(always)]
unsafe fn multiply_words<E: MatrixElement, const R: usize, const C: usize>(
    a: &[[u32; 4]; R],
    b: &[[u32; 2]; C],
    sums: &mut MatrixSums<E, R, C>,
) {
    unrolled::<R>(|r| {
        unrolled::<C>(|c| {
            // Every other row backwards: one operand stays from one instruction to the next.
            let (r, c) = (r as usize, if r % 2 == 0 { c as usize } else { C - 1 - c as usize });
            // SAFETY: the caller's.
            sums.0[r][c] = unsafe { E::multiply(a[r], b[c], sums.0[r][c], INSIDE) };
        });
    });
}

/// Loads `N * J` parts of 8 rows with 16 bytes each from shared memory. Lane `l` gets word `l % 4` of row `l / 4` of each part.
/// `line(part, row)` is the address of a row.
///
/// # Safety
/// As for [`multiply_own`]. All rows lie within shared memory, at multiples of 16 bytes, and nobody writes them.
#[cfg(target_feature = "sm_80")]
#[inline(always)]
pub(crate) unsafe fn load_rows<const N: usize, const J: usize>(
    lane: u32,
    line: impl Fn(u32, u32) -> u32,
) -> [[u32; J]; N] {
    // SAFETY: the caller's.
    unsafe { load::<N, J, false>(lane, line) }
}

/// Loads `2 N` parts as [`load_rows`] does, but their columns: lane `l` gets the elements of 16 bits in rows `2 (l % 4)` and
/// `2 (l % 4) + 1` of column `l / 4`.
///
/// # Safety
/// As for [`load_rows`].
#[cfg(target_feature = "sm_80")]
#[inline(always)]
pub(crate) unsafe fn load_columns<const N: usize>(lane: u32, line: impl Fn(u32, u32) -> u32) -> [[u32; 2]; N] {
    // SAFETY: the caller's.
    unsafe { load::<N, 2, true>(lane, line) }
}

/// As [`load_rows`], or if `COLUMNS` as [`load_columns`].
///
/// # Safety
/// As for [`load_rows`].
#[cfg(target_feature = "sm_80")]
#[inline(always)]
unsafe fn load<const N: usize, const J: usize, const COLUMNS: bool>(
    lane: u32,
    line: impl Fn(u32, u32) -> u32,
) -> [[u32; J]; N] {
    const { assert!(J == 2 || J == 4, "parts are loaded in pairs") };
    let (part, row) = (lane / 8, lane % 8);
    let mut words = [[0; J]; N];
    unrolled::<N>(|n| {
        let first = n.wrapping_mul(J as u32);
        let n = n as usize;
        // Two pairs at a time, if there is another pair.
        if const { J == 4 } || (n.is_multiple_of(2) && n + 1 < N) {
            // SAFETY: the caller's, of each lane's row.
            let [a, b, c, d] = unsafe { four::<COLUMNS>(line(first.wrapping_add(part), row)) };
            (words[n][0], words[n][1]) = (a, b);
            if const { J == 4 } {
                (words[n][J - 2], words[n][J - 1]) = (c, d);
            } else {
                (words[(n + 1) % N][0], words[(n + 1) % N][1]) = (c, d);
            }
        } else if n.is_multiple_of(2) {
            // SAFETY: as above.
            let [a, b] = unsafe { two::<COLUMNS>(line(first.wrapping_add(part % 2), row)) };
            (words[n][0], words[n][1]) = (a, b);
        }
    });
    words
}

/// Four parts, by one instruction. Lane `l` gives the address of row `l % 8` of part `l / 8`.
///
/// # Safety
/// As for [`load_rows`].
#[cfg(target_feature = "sm_80")]
#[inline(always)]
unsafe fn four<const COLUMNS: bool>(address: u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    macro_rules! load {
        ($order:literal) => {
            core::arch::asm!(concat!("ldmatrix.sync.aligned.m8n8.x4", $order, ".shared.b16 {{{0}, {1}, {2}, {3}}}, [{4}];"),
                out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg32) address,
                options(readonly, nostack, preserves_flags))
        };
    }
    // SAFETY: the caller's.
    unsafe { if const { COLUMNS } { load!(".trans") } else { load!("") } };
    [a, b, c, d]
}

/// Two parts. The addresses are those of the first 16 lanes.
///
/// # Safety
/// As for [`load_rows`].
#[cfg(target_feature = "sm_80")]
#[inline(always)]
unsafe fn two<const COLUMNS: bool>(address: u32) -> [u32; 2] {
    let (a, b): (u32, u32);
    macro_rules! load {
        ($order:literal) => {
            core::arch::asm!(concat!("ldmatrix.sync.aligned.m8n8.x2", $order, ".shared.b16 {{{0}, {1}}}, [{2}];"),
                out(reg32) a, out(reg32) b, in(reg32) address, options(readonly, nostack, preserves_flags))
        };
    }
    // SAFETY: the caller's.
    unsafe { if const { COLUMNS } { load!(".trans") } else { load!("") } };
    [a, b]
}

/// One instruction each: `m16n8`, with the depth at which a row has 8 words.
///
/// Each is inline assembly that is declared to have side effects. LLVM's own functions have none for its optimiser (22.1:
/// `nosync memory(none)`, not convergent), so it may move one into a branch that only some lanes take. Code with side effects stays
/// in place, but LLVM may still copy it if it is not convergent. So [`multiply`] has a convergent operation directly before it, in
/// the same straight-line code.
pub(crate) mod mma {
    use core::arch::asm;

    macro_rules! instruction {
        ($text:literal, $a:ident, $b:ident, $sums:ident) => {{
            let [mut s, mut t, mut u, mut v] = $sums;
            // SAFETY: the caller's.
            unsafe {
                asm!(
                    concat!($text, " {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"),
                    inout(reg32) s, inout(reg32) t, inout(reg32) u, inout(reg32) v,
                    in(reg32) $a[0], in(reg32) $a[1], in(reg32) $a[2], in(reg32) $a[3], in(reg32) $b[0], in(reg32) $b[1],
                    options(nomem, nostack, preserves_flags)
                );
            }
            [s, t, u, v]
        }};
    }

    /// # Safety
    /// All lanes are alive and get here together. The same holds for the functions below.
    #[inline(always)]
    pub(crate) unsafe fn f16(a: [u32; 4], b: [u32; 2], sums: [f32; 4]) -> [f32; 4] {
        instruction!("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", a, b, sums)
    }

    /// # Safety
    /// As above.
    #[inline(always)]
    pub(crate) unsafe fn bf16(a: [u32; 4], b: [u32; 2], sums: [f32; 4]) -> [f32; 4] {
        instruction!("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", a, b, sums)
    }

    /// # Safety
    /// As above.
    #[inline(always)]
    pub(crate) unsafe fn tf32(a: [u32; 4], b: [u32; 2], sums: [f32; 4]) -> [f32; 4] {
        instruction!("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", a, b, sums)
    }

    pub(crate) use self::f16 as e4m3;
    pub(crate) use self::f16 as e5m2;

    /// # Safety
    /// As above.
    #[inline(always)]
    pub(crate) unsafe fn i8(a: [u32; 4], b: [u32; 2], sums: [i32; 4]) -> [i32; 4] {
        instruction!("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", a, b, sums)
    }
}
