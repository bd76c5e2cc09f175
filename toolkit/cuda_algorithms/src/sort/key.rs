//! Keys as words whose order is that of the keys.

#[cfg(not(target_arch = "nvptx64"))]
use super::host::Keys;
use cuda_layout::DeviceLayout;

/// How the order of keys follows from that of their words: before words are compared, the bits of the first one are flipped, and those of
/// the second one if the highest bit is set.
pub type Order<W> = [W; 2];

/// The word of a key: `u8`, `u16`, `u32` or `u64`.
pub trait Word: DeviceLayout + PartialEq {
    /// The order of unsigned numbers, then that of signed numbers, then that of floats.
    const ORDERS: [Order<Self>; 3];

    /// The opposite order.
    #[must_use]
    fn reversed(order: Order<Self>) -> Order<Self>;

    /// The word whose order among unsigned numbers is this word's order.
    #[must_use]
    fn mapped(self, order: Order<Self>) -> Self;

    /// The word that is mapped to this one.
    #[must_use]
    fn unmapped(self, order: Order<Self>) -> Self;

    /// The eight bits from bit `shift` on.
    fn digit(self, shift: u32) -> u32;
}

macro_rules! words {
    ($($word:ident as $signed:ident,)*) => { $(
        impl Word for $word {
            const ORDERS: [Order<$word>; 3] = {
                let sign = 1 << ($word::BITS - 1);
                [
                    [0, 0],
                    [sign, 0],
                    [sign, sign - 1],
                ]
            };

            fn reversed([always, negative]: Order<$word>) -> Order<$word> {
                [!always, negative]
            }

            #[inline(always)]
            fn mapped(self, [always, negative]: Order<$word>) -> $word {
                let sign = (self as $signed >> ($word::BITS - 1)) as $word;
                self ^ always ^ (sign & negative)
            }

            #[inline(always)]
            fn unmapped(self, [always, negative]: Order<$word>) -> $word {
                // `negative` leaves the highest bit as it is, which says which words it flipped.
                let word = self ^ always;
                let sign = (word as $signed >> ($word::BITS - 1)) as $word;
                word ^ (sign & negative)
            }

            #[inline(always)]
            fn digit(self, shift: u32) -> u32 {
                self.wrapping_shr(shift) as u32 & 255
            }
        }
    )* };
}

words!(u8 as i8, u16 as i16, u32 as i32, u64 as i64,);

/// What can be sorted: integers and floats of 8 to 64 bits.
///
/// Floats have the order of `total_cmp`: negative NaN, negative numbers, -0, +0, positive numbers, NaN. Equal bits are equal keys.
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key of a sort",
    note = "keys are integers and floats of 8 to 64 bits"
)]
pub trait SortKey: DeviceLayout {
    /// The unsigned integer of the same size.
    type Word: Keys;
    /// The order of its words.
    const ORDER: Order<Self::Word>;
}

/// What a sort moves with its keys: plain data of 4, 8 or 16 bytes, aligned to 4, 8 and 8 bytes.
///
/// Implement it for a structure of this size and alignment:
///
/// ```
/// use cuda_algorithms::SortValue;
/// use cuda_layout::DeviceLayout;
///
/// #[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
/// #[repr(C, align(8))]
/// struct Point {
///     x: f32,
///     y: f32,
/// }
///
/// impl SortValue for Point {
///     type Word = u64;
/// }
/// ```
#[cfg(not(target_arch = "nvptx64"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value of a sort",
    note = "numbers of 4 and 8 bytes are, and structures of 4, 8 or 16 bytes with `impl SortValue for .. {{ type Word = ..; }}`"
)]
pub trait SortValue: DeviceLayout {
    /// `u32`, `u64` or `[u64; 2]`: the one of the same size.
    type Word: DeviceLayout;
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! keys {
    ($($key:ident as $word:ident: $order:literal,)*) => { $(
        impl SortKey for $key {
            type Word = $word;
            const ORDER: Order<$word> = <$word as Word>::ORDERS[$order];
        }
    )* };
}

#[cfg(not(target_arch = "nvptx64"))]
keys!(u8 as u8: 0, u16 as u16: 0, u32 as u32: 0, u64 as u64: 0,);
#[cfg(not(target_arch = "nvptx64"))]
keys!(i8 as u8: 1, i16 as u16: 1, i32 as u32: 1, i64 as u64: 1,);
#[cfg(not(target_arch = "nvptx64"))]
keys!(f32 as u32: 2, f64 as u64: 2,);

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! values {
    ($($value:ty as $word:ty,)*) => { $(
        impl SortValue for $value {
            type Word = $word;
        }
    )* };
}

#[cfg(not(target_arch = "nvptx64"))]
values!(u32 as u32, i32 as u32, f32 as u32, u64 as u64, i64 as u64, f64 as u64,);
#[cfg(not(target_arch = "nvptx64"))]
values!([u64; 2] as [u64; 2], [i64; 2] as [u64; 2], [f64; 2] as [u64; 2],);
