//! Products of matrices by the four warps of a warpgroup together, on Hopper.
//!
//! The tensor cores read both matrices from shared memory and add to registers of all four warps, while the warps go on.

mod registers;

use core::arch::asm;

pub(crate) use registers::{
    Right, begin_products_of_registers, descriptor_by_rows, end_group, finish_first_products,
    is_width as is_chain_width,
};

/// The parts of 8 columns that one instruction can have here, for one warp of a warpgroup.
pub(crate) const fn is_width(parts: usize) -> bool {
    matches!(parts, 8 | 16 | 32)
}

/// Where a matrix lies, for the instructions: rows of 128 bytes from `address` on, which is a multiple of 1024. The 16-byte parts
/// of each eight rows are [swizzled](crate::swizzled).
#[inline(always)]
pub(crate) fn descriptor(address: u32) -> u64 {
    /// Parts of 128 bytes are swizzled (bits 62 and 63), and eight rows lie 1024 bytes after the previous eight (32 to 45). The
    /// distance in bits 16 to 29 has no meaning for such matrices.
    const WAY: u64 = 1 << 62 | (1024 / 16) << 32 | 1 << 16;
    WAY | u64::from(address / 16)
}

/// Makes this thread's earlier writes to shared memory, and its finished copies, visible to the tensor cores of the warpgroups
/// that meet this thread at a barrier.
#[inline(always)]
pub(crate) fn show_to_tensor_cores() {
    // SAFETY: a fence.
    unsafe { asm!("fence.proxy.async.shared::cta;", options(nostack, preserves_flags)) };
}

/// Waits for all products that this warpgroup has begun, except those of the last call.
///
/// # Safety
/// All lanes of the warp are alive and come here together.
#[inline(always)]
pub(crate) unsafe fn finish_older_products() {
    // SAFETY: the caller's.
    unsafe { asm!("wgmma.wait_group.sync.aligned 1;", options(nostack, preserves_flags)) };
}

/// Declares the instructions for one width. `$sum` are the numbers of the sums.
macro_rules! width {
    ($width:ident, $parts:literal, $columns:literal, [$first:literal $($sum:literal)*]) => {
        mod $width {
            use super::asm;

            /// As [`begin_products`](super::Products::begin).
            macro_rules! begin {
                ($kind:literal, $order:literal, $sums:ident, $rows:ident, $at:ident) => {
                    // SAFETY: the caller's.
                    unsafe {
                        asm!(
                            "{{ .reg .pred %add; .reg .b64 %rows, %columns; setp.ne.b32 %add, {add}, 0;",
                            "mov.b64 %rows, {rows}; mov.b64 %columns, {columns};",
                            "wgmma.fence.sync.aligned;",
                            begin!(@one $kind, $order), "setp.ne.b32 %add, 1, 0;",
                            "add.s64 %rows, %rows, 2; add.s64 %columns, %columns, 2;",
                            begin!(@one $kind, $order), "add.s64 %rows, %rows, 2; add.s64 %columns, %columns, 2;",
                            begin!(@one $kind, $order), "add.s64 %rows, %rows, 2; add.s64 %columns, %columns, 2;",
                            begin!(@one $kind, $order),
                            "wgmma.commit_group.sync.aligned; }}",
                            inout(reg32) $sums[0][0], $(inout(reg32) $sums[$sum / 4][$sum % 4],)*
                            rows = in(reg64) $rows, columns = in(reg64) $at, add = const ADD as i32,
                            options(nostack, preserves_flags)
                        );
                    }
                };
                (@one $kind:literal, $order:literal) => {
                    concat!(
                        "wgmma.mma_async.sync.aligned.m64n", $columns, $kind,
                        " {{{", $first, "}" $(, ", {", $sum, "}")*, "}}, %rows, %columns, %add, 1, 1", $order, ";"
                    )
                };
            }

            #[inline(always)]
            pub(super) unsafe fn begin<const ADD: bool>(
                kind: super::Kind,
                sums: &mut [[f32; 4]; $parts],
                rows: u64,
                columns: u64,
            ) {
                use super::Kind;

                // A row of 128 bytes has four steps of 32. Only matrices of 16-bit elements may lie row by row.
                match kind {
                    Kind::Bf16 => begin!("k16.f32.bf16.bf16", ", 0, 0", sums, rows, columns),
                    Kind::F16 => begin!("k16.f32.f16.f16", ", 0, 0", sums, rows, columns),
                    Kind::Tf32 => begin!("k8.f32.tf32.tf32", "", sums, rows, columns),
                    Kind::E4m3 => begin!("k32.f32.e4m3.e4m3", "", sums, rows, columns),
                    Kind::E5m2 => begin!("k32.f32.e5m2.e5m2", "", sums, rows, columns),
                }
            }

            #[inline(always)]
            pub(super) unsafe fn finish(sums: &mut [[f32; 4]; $parts]) {
                // SAFETY: the caller's.
                unsafe {
                    asm!(
                        concat!("wgmma.wait_group.sync.aligned 0; //" $(, "{", $sum, "}")*, "{", $first, "}"),
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
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41
    42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
]);
width!(w32, 32, "256", [
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41
    42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80
    81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114
    115 116 117 118 119 120 121 122 123 124 125 126 127
]);

/// The element types that warpgroups multiply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bf16,
    F16,
    Tf32,
    E4m3,
    E5m2,
}

impl Kind {
    /// Whether sums have far fewer bits than an `f32`: about 14 on Hopper.
    pub(crate) const fn is_coarse(self) -> bool {
        matches!(self, Self::E4m3 | Self::E5m2)
    }

    /// Whether elements have 16 bits, so that sums can become elements again.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::Bf16 | Self::F16)
    }
}

/// Begins to add the products of 64 rows and 8 `C` columns with 128 bytes each, for the warpgroup that the calling warp belongs to; without
/// `ADD` the sums begin anew. They are those of the warp's 16 rows. Until a wait for them, they may only be passed to this function.
///
/// # Safety
/// The calling warp's lanes, and the warpgroup's other warps, are alive and come here together, with the same arguments.
/// `rows` and `columns` describe matrices in shared memory, and until the products are finished nothing writes there. All writes
/// before were [shown](show_to_tensor_cores) and then waited for by a barrier. `C` [is a width](is_width).
#[inline(always)]
pub(crate) unsafe fn begin_products<const ADD: bool, const C: usize>(
    kind: Kind,
    sums: &mut [[f32; 4]; C],
    rows: u64,
    columns: u64,
) {
    macro_rules! by_width {
        ($($parts:literal $width:ident)*) => {
            match C {
                $($parts => {
                    // SAFETY: this is the array's own length; the rest is the caller's.
                    unsafe {
                        let sums = &mut *(&raw mut *sums).cast::<[[f32; 4]; $parts]>();
                        $width::begin::<ADD>(kind, sums, rows, columns);
                    }
                })*
                _ => {}
            }
        };
    }
    by_width!(8 w8 16 w16 32 w32);
}

/// Waits for all products that this warpgroup has begun to add to these sums.
///
/// # Safety
/// As for [`finish_older_products`]. `C` [is a width](is_width).
#[inline(always)]
pub(crate) unsafe fn finish_products<const C: usize>(sums: &mut [[f32; 4]; C]) {
    macro_rules! by_width {
        ($($parts:literal $width:ident)*) => {
            match C {
                // SAFETY: as above.
                $($parts => unsafe { $width::finish(&mut *(&raw mut *sums).cast::<[[f32; 4]; $parts]>()) },)*
                _ => {}
            }
        };
    }
    by_width!(8 w8 16 w16 32 w32);
}
