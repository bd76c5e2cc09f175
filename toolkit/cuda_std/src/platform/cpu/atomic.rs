//! Atomic operations: blocks run on several cores at the same time.

use super::SharedPointer;
use crate::buffers::atomic::Operation;
use crate::scope::Level;
use bytemuck::Pod;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The address of a number. The whole system sees a core's operations.
pub struct Location<T>(*mut T);

impl<T> Clone for Location<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Location<T> {}

impl<T> Location<T> {
    #[inline(always)]
    pub(crate) fn global(pointer: *mut T, _level: Level) -> Self {
        Self(pointer)
    }

    #[inline(always)]
    pub(crate) fn cast<U>(self) -> Location<U> {
        Location(self.0.cast())
    }

    #[inline(always)]
    pub(crate) fn shared(array: SharedPointer<T>, i: u32) -> Self {
        Self(array.address(i))
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

macro_rules! integers {
    ($($ty:ident $atomic:ident)*) => {$(
        impl AtomicNumber for $ty {
            #[inline(always)]
            unsafe fn apply(operation: Operation, location: Location<$ty>, value: $ty) -> $ty {
                // SAFETY: ensured by the caller; numbers in a slice are aligned.
                let number = unsafe { $atomic::from_ptr(location.0) };
                match operation {
                    Operation::Add => number.fetch_add(value, Relaxed),
                    Operation::Min => number.fetch_min(value, Relaxed),
                    Operation::Max => number.fetch_max(value, Relaxed),
                    Operation::Exchange => number.swap(value, Relaxed),
                    Operation::And => number.fetch_and(value, Relaxed),
                    Operation::Or => number.fetch_or(value, Relaxed),
                    Operation::Xor => number.fetch_xor(value, Relaxed),
                }
            }

            #[inline(always)]
            unsafe fn compare_exchange(location: Location<$ty>, expected: $ty, new: $ty) -> $ty {
                // SAFETY: as in `apply`.
                let number = unsafe { $atomic::from_ptr(location.0) };
                number.compare_exchange(expected, new, Relaxed, Relaxed).unwrap_or_else(|old| old)
            }

            #[inline(always)]
            unsafe fn load(location: Location<$ty>) -> $ty {
                // SAFETY: as in `apply`.
                unsafe { $atomic::from_ptr(location.0) }.load(Relaxed)
            }

            #[inline(always)]
            unsafe fn store(location: Location<$ty>, value: $ty) {
                // SAFETY: as in `apply`.
                unsafe { $atomic::from_ptr(location.0) }.store(value, Relaxed);
            }
        }
    )*};
}

integers!(u32 AtomicU32 i32 AtomicI32 u64 AtomicU64 i64 AtomicI64);

macro_rules! floats {
    ($($float:ident $bits:ident $unsigned:ident $int:ident $signed:ident)*) => {$(
        impl AtomicNumber for $float {
            #[inline(always)]
            unsafe fn apply(operation: Operation, location: Location<$float>, value: $float) -> $float {
                // SAFETY: ensured by the caller; the bits of a float are an integer of its size.
                let (bits, signed) = unsafe { ($unsigned::from_ptr(location.0.cast()), $signed::from_ptr(location.0.cast())) };
                let raw = value.to_bits();
                // The device has no other way either. The bits of positive floats increase with the float, and those of
                // negative floats decrease. As signed integers, all negative floats are below the positive ones. As
                // unsigned integers, they are above.
                let negative = value.is_sign_negative();
                $float::from_bits(match operation {
                    Operation::Min | Operation::Max if value.is_nan() => bits.load(Relaxed),
                    Operation::Min if negative => bits.fetch_max(raw, Relaxed),
                    Operation::Max if negative => bits.fetch_min(raw, Relaxed),
                    Operation::Min => signed.fetch_min(raw as $int, Relaxed) as $bits,
                    Operation::Max => signed.fetch_max(raw as $int, Relaxed) as $bits,
                    Operation::Exchange => bits.swap(raw, Relaxed),
                    _ => {
                        let mut old = bits.load(Relaxed);
                        loop {
                            let sum = ($float::from_bits(old) + value).to_bits();
                            match bits.compare_exchange_weak(old, sum, Relaxed, Relaxed) {
                                Ok(_) => break old,
                                Err(found) => old = found,
                            }
                        }
                    }
                })
            }

            #[inline(always)]
            unsafe fn compare_exchange(location: Location<$float>, expected: $float, new: $float) -> $float {
                // SAFETY: as in `apply`.
                let old = unsafe { $bits::compare_exchange(Location(location.0.cast()), expected.to_bits(), new.to_bits()) };
                $float::from_bits(old)
            }

            #[inline(always)]
            unsafe fn load(location: Location<$float>) -> $float {
                // SAFETY: as in `apply`.
                $float::from_bits(unsafe { $bits::load(Location(location.0.cast())) })
            }

            #[inline(always)]
            unsafe fn store(location: Location<$float>, value: $float) {
                // SAFETY: as in `apply`.
                unsafe { $bits::store(Location(location.0.cast()), value.to_bits()) }
            }
        }
    )*};
}

floats!(f32 u32 AtomicU32 i32 AtomicI32 f64 u64 AtomicU64 i64 AtomicI64);
