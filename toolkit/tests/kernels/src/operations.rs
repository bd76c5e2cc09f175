//! The language's arithmetic, so that a test can compare the bits of both sides: integers of all widths, conversions, and what
//! floats do without functions ([`math`](crate::math_table()) has those).

use core::cmp::Ordering;
use cuda_std::prelude::*;

/// An operand: the low bits are those of a number.
pub type Operand = [u64; 2];

/// A result: the bits of a number, sign-extended, and 0 or 1 for what comes with it, or 2 if there is none.
pub type Outcome = [u64; 3];

/// A number of up to 128 bits, with operations by number.
pub trait Arithmetic {
    /// The operations' names, by number.
    const OPERATIONS: &'static [&'static str];

    /// Applies an operation. All bits are set if there is none of this number.
    fn apply(operation: u32, x: Operand, y: Operand) -> Outcome;
}

trait Encode {
    fn encode(self) -> Outcome;
}

fn wide(operand: Operand) -> u128 {
    u128::from(operand[1]) << 64 | u128::from(operand[0])
}

macro_rules! encode {
    ($($type:ident)+) => {
        $(impl Encode for $type {
            #[inline(always)]
            fn encode(self) -> Outcome {
                let bits = self as u128;
                [bits as u64, (bits >> 64) as u64, 0]
            }
        })+
    };
}

encode!(i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 bool);

impl<T: Encode> Encode for Option<T> {
    #[inline(always)]
    fn encode(self) -> Outcome {
        self.map_or([0, 0, 2], T::encode)
    }
}

impl<T: Encode> Encode for (T, bool) {
    #[inline(always)]
    fn encode(self) -> Outcome {
        let [low, high, _] = self.0.encode();
        [low, high, u64::from(self.1)]
    }
}

impl Encode for Ordering {
    #[inline(always)]
    fn encode(self) -> Outcome {
        (self as i8).encode()
    }
}

/// Every NaN is the same one, because processors make different ones.
impl Encode for f32 {
    #[inline(always)]
    fn encode(self) -> Outcome {
        if !self.is_nan() { self.to_bits().encode() } else { [0x7fc0_0000, 0, 1] }
    }
}

impl Encode for f64 {
    #[inline(always)]
    fn encode(self) -> Outcome {
        if !self.is_nan() { self.to_bits().encode() } else { [0x7ff8_0000_0000_0000, 0, 1] }
    }
}

/// The operations of a type, as items of its implementation.
macro_rules! operations {
    ($x:ident, $y:ident = $from:expr; $($name:ident => $value:expr,)+) => {
        const OPERATIONS: &'static [&'static str] = &[$(stringify!($name)),+];

        #[inline(always)]
        fn apply(operation: u32, x: Operand, y: Operand) -> Outcome {
            let from = $from;
            let ($x, $y) = (from(x), from(y));
            let number = 0u32;
            $(
                if operation == number {
                    return Encode::encode($value);
                }
                let number = number.wrapping_add(1);
            )+
            let _ = number;
            [u64::MAX; 3]
        }
    };
}

macro_rules! integer {
    ($type:ident, $x:ident, $y:ident; $($own:tt)*) => {
        impl Arithmetic for $type {
            operations! {
                $x, $y = |operand| wide(operand) as $type;
                wrapping_add => $x.wrapping_add($y),
                wrapping_sub => $x.wrapping_sub($y),
                wrapping_mul => $x.wrapping_mul($y),
                wrapping_neg => $x.wrapping_neg(),
                wrapping_pow => $x.wrapping_pow($y as u32 % 20),
                checked_add => $x.checked_add($y),
                checked_sub => $x.checked_sub($y),
                checked_mul => $x.checked_mul($y),
                checked_div => $x.checked_div($y),
                checked_rem => $x.checked_rem($y),
                checked_div_euclid => $x.checked_div_euclid($y),
                checked_rem_euclid => $x.checked_rem_euclid($y),
                checked_neg => $x.checked_neg(),
                checked_shl => $x.checked_shl($y as u32),
                checked_shr => $x.checked_shr($y as u32),
                checked_pow => $x.checked_pow($y as u32 % 20),
                checked_ilog2 => $x.checked_ilog2(),
                checked_ilog10 => $x.checked_ilog10(),
                checked_ilog => $x.checked_ilog($y),
                overflowing_add => $x.overflowing_add($y),
                overflowing_sub => $x.overflowing_sub($y),
                overflowing_mul => $x.overflowing_mul($y),
                overflowing_neg => $x.overflowing_neg(),
                overflowing_shl => $x.overflowing_shl($y as u32),
                overflowing_shr => $x.overflowing_shr($y as u32),
                saturating_add => $x.saturating_add($y),
                saturating_sub => $x.saturating_sub($y),
                saturating_mul => $x.saturating_mul($y),
                saturating_pow => $x.saturating_pow($y as u32 % 20),
                wrapping_div => if $y == 0 { 0 } else { $x.wrapping_div($y) },
                wrapping_rem => if $y == 0 { 0 } else { $x.wrapping_rem($y) },
                wrapping_shl => $x.wrapping_shl($y as u32),
                wrapping_shr => $x.wrapping_shr($y as u32),
                unbounded_shl => $x.unbounded_shl($y as u32),
                unbounded_shr => $x.unbounded_shr($y as u32),
                rotate_left => $x.rotate_left($y as u32),
                rotate_right => $x.rotate_right($y as u32),
                leading_zeros => $x.leading_zeros(),
                leading_ones => $x.leading_ones(),
                trailing_zeros => $x.trailing_zeros(),
                trailing_ones => $x.trailing_ones(),
                count_ones => $x.count_ones(),
                swap_bytes => $x.swap_bytes(),
                reverse_bits => $x.reverse_bits(),
                abs_diff => $x.abs_diff($y),
                midpoint => $x.midpoint($y),
                and => $x & $y,
                or => $x | $y,
                xor => $x ^ $y,
                not => !$x,
                less => $x < $y,
                equal => $x == $y,
                cmp => $x.cmp(&$y),
                smaller => if $x < $y { $x } else { $y },
                to_i8 => $x as i8,
                to_i16 => $x as i16,
                to_i32 => $x as i32,
                to_i64 => $x as i64,
                to_i128 => $x as i128,
                to_u8 => $x as u8,
                to_u16 => $x as u16,
                to_u32 => $x as u32,
                to_u64 => $x as u64,
                to_u128 => $x as u128,
                to_f32 => $x as f32,
                to_f64 => $x as f64,
                $($own)*
            }
        }
    };
}

macro_rules! signed {
    ($($type:ident)+) => {
        $(integer! {
            $type, x, y;
            wrapping_abs => x.wrapping_abs(),
            unsigned_abs => x.unsigned_abs(),
            checked_abs => x.checked_abs(),
            overflowing_abs => x.overflowing_abs(),
            saturating_neg => x.saturating_neg(),
            signum => x.signum(),
            is_negative => x.is_negative(),
            checked_isqrt => x.checked_isqrt(),
        })+
    };
}

macro_rules! unsigned {
    ($($type:ident)+) => {
        $(integer! {
            $type, x, y;
            isqrt => x.isqrt(),
            div_ceil => if y == 0 { 0 } else { x.div_ceil(y) },
            is_power_of_two => x.is_power_of_two(),
            checked_next_power_of_two => x.checked_next_power_of_two(),
            checked_next_multiple_of => x.checked_next_multiple_of(y),
        })+
    };
}

signed!(i8 i16 i32 i64 i128);
unsigned!(u8 u16 u32 u64 u128);

macro_rules! float {
    ($($type:ident, $bits:ident;)+) => {
        $(impl Arithmetic for $type {
            operations! {
                x, y = |operand: Operand| $type::from_bits(operand[0] as $bits);
                add => x + y,
                sub => x - y,
                mul => x * y,
                div => x / y,
                neg => -x,
                abs => x.abs(),
                copysign => x.copysign(y),
                mul_and_add_are_two_roundings => x * y + x,
                less => x < y,
                less_or_equal => x <= y,
                equal => x == y,
                partial_cmp => x.partial_cmp(&y),
                total_cmp => x.total_cmp(&y),
                is_nan => x.is_nan(),
                is_finite => x.is_finite(),
                is_subnormal => x.is_subnormal(),
                is_sign_negative => x.is_sign_negative(),
                bits => x.to_bits(),
                next_up => x.next_up(),
                next_down => x.next_down(),
                to_i8 => x as i8,
                to_i16 => x as i16,
                to_i32 => x as i32,
                to_i64 => x as i64,
                to_i128 => x as i128,
                to_u8 => x as u8,
                to_u16 => x as u16,
                to_u32 => x as u32,
                to_u64 => x as u64,
                to_u128 => x as u128,
                to_f32 => x as f32,
                to_f64 => x as f64,
            }
        })+
    };
}

float! {
    f32, u32;
    f64, u64;
}

/// Applies an operation to corresponding operands.
#[kernel(
    threads = 128,
    requires(x.len() == out.len(), y.len() == out.len()),
    instances(
        arithmetic_i8 = <i8>, arithmetic_i16 = <i16>, arithmetic_i32 = <i32>, arithmetic_i64 = <i64>,
        arithmetic_i128 = <i128>, arithmetic_u8 = <u8>, arithmetic_u16 = <u16>, arithmetic_u32 = <u32>,
        arithmetic_u64 = <u64>, arithmetic_u128 = <u128>, arithmetic_f32 = <f32>, arithmetic_f64 = <f64>
    )
)]
pub fn arithmetic<T: Arithmetic>(
    block: &mut Block,
    out: &mut Chunk<Outcome, 1024, WriteOnly>,
    x: &[Operand],
    y: &[Operand],
    operation: u32,
) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| T::apply(operation, x.at(first + i), y.at(first + i)));
}
