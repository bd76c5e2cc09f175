//! Atomic operations. They need not be convergent, so inline assembly can express them. Its instructions name the scope.

use super::SharedPointer;
use crate::buffers::atomic::Operation;
use crate::scope::Level;
use bytemuck::Pod;
use core::arch::asm;
use core::marker::PhantomData;

/// The address of a number.
pub struct Location<T>(Address, PhantomData<T>);

#[derive(Clone, Copy)]
enum Address {
    Shared(u32),
    Global(u64, Level),
}

impl<T> Clone for Location<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Location<T> {}

impl<T> Location<T> {
    #[inline(always)]
    pub(crate) fn global(pointer: *mut T, level: Level) -> Self {
        Self(Address::Global(pointer as u64, level), PhantomData)
    }

    #[inline(always)]
    pub(crate) fn cast<U>(self) -> Location<U> {
        Location(self.0, PhantomData)
    }
}

impl<T: Pod> Location<T> {
    #[inline(always)]
    pub(crate) fn shared(array: SharedPointer<T>, i: u32) -> Self {
        Self(Address::Shared(array.address(i)), PhantomData)
    }
}

/// A number with atomic operations.
#[doc(hidden)]
pub trait AtomicNumber: Pod {
    /// # Safety
    /// The address is within live memory that other threads access only by atomic operations.
    unsafe fn apply(operation: Operation, location: Location<Self>, value: Self) -> Self;
    /// # Safety
    /// As for [`apply`](Self::apply).
    unsafe fn compare_exchange(location: Location<Self>, expected: Self, new: Self) -> Self;
    /// # Safety
    /// As for [`apply`](Self::apply).
    unsafe fn load(location: Location<Self>) -> Self;
    /// # Safety
    /// As for [`apply`](Self::apply).
    unsafe fn store(location: Location<Self>, value: Self);
}

/// One instruction for each state space and scope. Instructions for global memory name it, because one for a generic
/// address would first have to test it.
macro_rules! instruction {
    ($location:expr, $name:literal, $operation:literal, $operands:literal, $register:ident, $ty:ty, $($more:tt)*) => {{
        let old: $ty;
        macro_rules! global {
            ($scope:literal, $pointer:expr) => {
                asm!(
                    concat!("{{ .reg .b64 location; cvta.to.global.u64 location, {1}; ", $name, $scope, ".global", $operation, " {0}, [location]", $operands, " }}"),
                    out($register) old, in(reg64) $pointer, $($more)* options(nostack, preserves_flags)
                )
            };
        }
        match $location.0 {
            Address::Shared(address) => asm!(
                concat!($name, ".cta.shared", $operation, " {0}, [{1}]", $operands),
                out($register) old, in(reg32) address, $($more)* options(nostack, preserves_flags)
            ),
            Address::Global(pointer, Level::Block) => global!(".cta", pointer),
            Address::Global(pointer, Level::Device) => global!(".gpu", pointer),
            Address::Global(pointer, Level::System) => global!(".sys", pointer),
        }
        old
    }};
}

/// A store, which has no result.
macro_rules! store {
    ($location:expr, $ty:literal, $register:ident, $value:expr) => {{
        macro_rules! global {
            ($scope:literal, $pointer:expr) => {
                asm!(
                    concat!("{{ .reg .b64 location; cvta.to.global.u64 location, {0}; st.relaxed", $scope, ".global", $ty, " [location], {1}; }}"),
                    in(reg64) $pointer, in($register) $value, options(nostack, preserves_flags)
                )
            };
        }
        match $location.0 {
            Address::Shared(address) => asm!(
                concat!("st.relaxed.cta.shared", $ty, " [{0}], {1};"),
                in(reg32) address, in($register) $value, options(nostack, preserves_flags)
            ),
            Address::Global(pointer, Level::Block) => global!(".cta", pointer),
            Address::Global(pointer, Level::Device) => global!(".gpu", pointer),
            Address::Global(pointer, Level::System) => global!(".sys", pointer),
        }
    }};
}

/// An operation with one operand.
macro_rules! update {
    ($location:expr, $operation:literal, $register:ident, $ty:ty, $value:expr) => {
        instruction!($location, "atom.relaxed", $operation, ", {2};", $register, $ty, in($register) $value,)
    };
}

/// The operations on an integer. Each group gives the type with which its instructions end.
macro_rules! integer {
    ($ty:ident, $register:ident, $add:literal, $min:literal, $max:literal, $exchange:literal, $and:literal, $or:literal,
     $xor:literal, $cas:literal, $load:literal) => {
        impl AtomicNumber for $ty {
            #[inline(always)]
            unsafe fn apply(operation: Operation, location: Location<$ty>, value: $ty) -> $ty {
                // SAFETY: ensured by the caller; numbers in a slice are aligned.
                unsafe {
                    match operation {
                        Operation::Add => update!(location, $add, $register, $ty, value),
                        Operation::Min => update!(location, $min, $register, $ty, value),
                        Operation::Max => update!(location, $max, $register, $ty, value),
                        Operation::Exchange => update!(location, $exchange, $register, $ty, value),
                        Operation::And => update!(location, $and, $register, $ty, value),
                        Operation::Or => update!(location, $or, $register, $ty, value),
                        Operation::Xor => update!(location, $xor, $register, $ty, value),
                    }
                }
            }

            #[inline(always)]
            unsafe fn compare_exchange(location: Location<$ty>, expected: $ty, new: $ty) -> $ty {
                // SAFETY: as in `apply`.
                unsafe {
                    instruction!(location, "atom.relaxed", $cas, ", {2}, {3};", $register, $ty,
                        in($register) expected, in($register) new,)
                }
            }

            #[inline(always)]
            unsafe fn load(location: Location<$ty>) -> $ty {
                // SAFETY: as in `apply`.
                unsafe { instruction!(location, "ld.relaxed", $load, ";", $register, $ty,) }
            }

            #[inline(always)]
            unsafe fn store(location: Location<$ty>, value: $ty) {
                // SAFETY: as in `apply`.
                unsafe { store!(location, $load, $register, value) }
            }
        }
    };
}

integer!(
    u32,
    reg32,
    ".add.u32",
    ".min.u32",
    ".max.u32",
    ".exch.b32",
    ".and.b32",
    ".or.b32",
    ".xor.b32",
    ".cas.b32",
    ".b32"
);
integer!(
    i32,
    reg32,
    ".add.s32",
    ".min.s32",
    ".max.s32",
    ".exch.b32",
    ".and.b32",
    ".or.b32",
    ".xor.b32",
    ".cas.b32",
    ".b32"
);
integer!(
    u64,
    reg64,
    ".add.u64",
    ".min.u64",
    ".max.u64",
    ".exch.b64",
    ".and.b64",
    ".or.b64",
    ".xor.b64",
    ".cas.b64",
    ".b64"
);

integer!(
    i64,
    reg64,
    ".add.u64",
    ".min.s64",
    ".max.s64",
    ".exch.b64",
    ".and.b64",
    ".or.b64",
    ".xor.b64",
    ".cas.b64",
    ".b64"
);

macro_rules! float {
    ($float:ident, $bits:ident, $int:ident, $register:ident, $add:literal) => {
        impl AtomicNumber for $float {
            #[inline(always)]
            unsafe fn apply(operation: Operation, location: Location<$float>, value: $float) -> $float {
                let raw = value.to_bits();
                let (bits, signed) = (location.cast::<$bits>(), location.cast::<$int>());
                // The bits of positive floats increase with the float, and those of negative floats decrease. As signed
                // integers, all negative floats are below the positive ones. As unsigned integers, they are above.
                let negative = value.is_sign_negative();
                // SAFETY: ensured by the caller; the bits of a float are an integer of its size.
                unsafe {
                    $float::from_bits(match operation {
                        Operation::Min | Operation::Max if value.is_nan() => $bits::load(bits),
                        Operation::Min if negative => $bits::apply(Operation::Max, bits, raw),
                        Operation::Max if negative => $bits::apply(Operation::Min, bits, raw),
                        Operation::Min | Operation::Max => $int::apply(operation, signed, raw as $int) as $bits,
                        Operation::Exchange => $bits::apply(Operation::Exchange, bits, raw),
                        _ => update!(location, $add, $register, $float, value).to_bits(),
                    })
                }
            }

            #[inline(always)]
            unsafe fn compare_exchange(location: Location<$float>, expected: $float, new: $float) -> $float {
                // SAFETY: as in `apply`.
                $float::from_bits(unsafe {
                    $bits::compare_exchange(location.cast(), expected.to_bits(), new.to_bits())
                })
            }

            #[inline(always)]
            unsafe fn load(location: Location<$float>) -> $float {
                // SAFETY: as in `apply`.
                $float::from_bits(unsafe { $bits::load(location.cast()) })
            }

            #[inline(always)]
            unsafe fn store(location: Location<$float>, value: $float) {
                // SAFETY: as in `apply`.
                unsafe { $bits::store(location.cast(), value.to_bits()) }
            }
        }
    };
}

float!(f32, u32, i32, reg32, ".add.f32");
float!(f64, u64, i64, reg64, ".add.f64");
