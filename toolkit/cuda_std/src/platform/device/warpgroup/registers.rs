//! Products whose left matrix lies in registers, and waits for the sums of one of two products that are under way.

use super::Kind;
use core::arch::asm;

/// The parts of 8 columns that the sums of such products can have here.
pub(crate) const fn is_width(parts: usize) -> bool {
    matches!(parts, 8 | 16)
}

/// How the 64 rows of a right matrix with which a piece of 64 products begins lie in shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    /// Column by column: 64 elements of each column in 128 bytes.
    ByColumns,
    /// Row by row: 64 columns of each row in 128 bytes, and the next 64 columns in the next panel.
    ByRows,
}

/// As [`descriptor`](super::descriptor), for a matrix that is stored [row by row](Right::ByRows) in panels of `panel` bytes.
#[inline(always)]
pub(crate) const fn descriptor_by_rows(address: u32, panel: u32) -> u64 {
    // Parts of 128 bytes are swizzled, eight rows lie 1024 bytes after the previous eight, and 64 columns a panel after the previous 64.
    1 << 62 | (1024 / 16) << 32 | ((panel / 16) as u64) << 16 | (address / 16) as u64
}

/// Declares the instructions for one width. `$sum` are the numbers of the sums.
macro_rules! width {
    ($width:ident, $parts:literal, $columns:literal, [$first:literal $($sum:literal)*]) => {
        mod $width {
            use super::asm;

            /// Four steps of 16: the left matrix has four registers for each, and `$step` leads from one to the next part of the right one.
            macro_rules! begin {
                ($kind:literal, $order:literal, $step:literal, $sums:ident, $rows:ident, $at:ident) => {
                    // SAFETY: the caller's.
                    unsafe {
                        asm!(
                            "{{ .reg .pred %add; .reg .b64 %columns; setp.ne.b32 %add, {add}, 0; mov.b64 %columns, {columns};",
                            "wgmma.fence.sync.aligned;",
                            begin!(@one $kind, $order, "{a0}, {a1}, {a2}, {a3}"), "setp.ne.b32 %add, 1, 0;",
                            concat!("add.s64 %columns, %columns, ", $step, ";"),
                            begin!(@one $kind, $order, "{a4}, {a5}, {a6}, {a7}"),
                            concat!("add.s64 %columns, %columns, ", $step, ";"),
                            begin!(@one $kind, $order, "{a8}, {a9}, {a10}, {a11}"),
                            concat!("add.s64 %columns, %columns, ", $step, ";"),
                            begin!(@one $kind, $order, "{a12}, {a13}, {a14}, {a15}"), "}}",
                            inout(reg32) $sums[0][0], $(inout(reg32) $sums[$sum / 4][$sum % 4],)*
                            a0 = in(reg32) $rows[0][0], a1 = in(reg32) $rows[0][1], a2 = in(reg32) $rows[0][2],
                            a3 = in(reg32) $rows[0][3], a4 = in(reg32) $rows[1][0], a5 = in(reg32) $rows[1][1],
                            a6 = in(reg32) $rows[1][2], a7 = in(reg32) $rows[1][3], a8 = in(reg32) $rows[2][0],
                            a9 = in(reg32) $rows[2][1], a10 = in(reg32) $rows[2][2], a11 = in(reg32) $rows[2][3],
                            a12 = in(reg32) $rows[3][0], a13 = in(reg32) $rows[3][1], a14 = in(reg32) $rows[3][2],
                            a15 = in(reg32) $rows[3][3],
                            add = const ADD as i32, columns = in(reg64) $at,
                            options(nostack, preserves_flags)
                        );
                    }
                };
                (@one $kind:literal, $order:literal, $left:literal) => {
                    concat!(
                        "wgmma.mma_async.sync.aligned.m64n", $columns, "k16.f32.", $kind, ".", $kind,
                        " {{{", $first, "}" $(, ", {", $sum, "}")*, "}}, {{", $left, "}}, %columns, %add, 1, 1, ", $order, ";"
                    )
                };
            }

            #[inline(always)]
            pub(super) unsafe fn bf16<const ADD: bool>(
                sums: &mut [[f32; 4]; $parts],
                rows: &[[u32; 4]; 4],
                right: super::Right,
                columns: u64,
            ) {
                match right {
                    super::Right::ByColumns => begin!("bf16", "0", "2", sums, rows, columns),
                    super::Right::ByRows => begin!("bf16", "1", "128", sums, rows, columns),
                }
            }

            #[inline(always)]
            pub(super) unsafe fn f16<const ADD: bool>(
                sums: &mut [[f32; 4]; $parts],
                rows: &[[u32; 4]; 4],
                right: super::Right,
                columns: u64,
            ) {
                match right {
                    super::Right::ByColumns => begin!("f16", "0", "2", sums, rows, columns),
                    super::Right::ByRows => begin!("f16", "1", "128", sums, rows, columns),
                }
            }

            #[inline(always)]
            pub(super) unsafe fn finish_first(sums: &mut [[f32; 4]; $parts]) {
                // SAFETY: the caller's.
                unsafe {
                    asm!(
                        concat!("wgmma.wait_group.sync.aligned 1; //" $(, "{", $sum, "}")*, "{", $first, "}"),
                        inout(reg32) sums[0][0], $(inout(reg32) sums[$sum / 4][$sum % 4],)*
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    };
}

width!(w8, 8, "64", [
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
]);
width!(w16, 16, "128", [
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38
    39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
]);

macro_rules! by_width {
    ($parts:ident, $sums:ident, |$own:ident, $width:ident| $call:expr) => {
        match $parts {
            8 => {
                // SAFETY: this is the array's own length.
                let $own = unsafe { &mut *(&raw mut *$sums).cast::<[[f32; 4]; 8]>() };
                use w8 as $width;
                // SAFETY: the caller's.
                unsafe { $call }
            }
            16 => {
                // SAFETY: this is the array's own length.
                let $own = unsafe { &mut *(&raw mut *$sums).cast::<[[f32; 4]; 16]>() };
                use w16 as $width;
                // SAFETY: the caller's.
                unsafe { $call }
            }
            _ => {}
        }
    };
}

/// Begins to add the products of 64 rows with 64 elements each, in registers, and 8 `C` columns, for the warpgroup that the calling warp
/// belongs to; without `ADD` the sums begin anew. `rows` are the calling warp's 16 rows. [`end_group`] follows the last piece. Until a
/// wait for them, the sums may only be passed to this function.
///
/// # Safety
/// The calling warp's lanes, and the warpgroup's other warps, are alive and come here together, with the same `right` and `columns`, which
/// describe a matrix in shared memory. Until the products are finished nothing writes there. All writes before were
/// [shown](super::show_to_tensor_cores) and then waited for by a barrier. `C` [is a width](is_width).
#[inline(always)]
pub(crate) unsafe fn begin_products_of_registers<const ADD: bool, const C: usize>(
    kind: Kind,
    sums: &mut [[f32; 4]; C],
    rows: &[[u32; 4]; 4],
    right: Right,
    columns: u64,
) {
    by_width!(C, sums, |own, width| match kind {
        Kind::Bf16 => width::bf16::<ADD>(own, rows, right, columns),
        Kind::F16 => width::f16::<ADD>(own, rows, right, columns),
        // Sums are never rounded to other elements.
        Kind::Tf32 | Kind::E4m3 | Kind::E5m2 => {}
    });
}

/// Makes a group of the products that this warpgroup has begun since the last group.
///
/// # Safety
/// All lanes of the warp are alive and come here together.
#[inline(always)]
pub(crate) unsafe fn end_group() {
    // SAFETY: the caller's.
    unsafe { asm!("wgmma.commit_group.sync.aligned;", options(nostack, preserves_flags)) };
}

/// Waits for the sums of the last group but one.
///
/// # Safety
/// As for [`end_group`]. `C` [is a width](is_width).
#[inline(always)]
pub(crate) unsafe fn finish_first_products<const C: usize>(sums: &mut [[f32; 4]; C]) {
    by_width!(C, sums, |own, width| width::finish_first(own));
}
