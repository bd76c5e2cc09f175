//! The language's arithmetic on a GPU and on CPU cores, with corner values and random operands: the same bits. On cores also as a
//! direct call, and as its definition by other means. Without a GPU the comparison with it prints a line and passes, unless
//! CUDA_REQUIRE_GPU=1 requires a GPU.

use cuda_host::{CudaError, Machine};
use test_kernels::{self as kernels, Arithmetic, Operand, Outcome, arithmetic};
use toolkit_tests::device::Machines;
use toolkit_tests::dice::Dice;

/// Elements of a block.
const CHUNK: usize = 1024;

/// Random pairs for each operation, beside all pairs of corner values: more with CUDA_WIDE=1.
fn count() -> usize {
    if std::env::var("CUDA_WIDE").as_deref() == Ok("1") { 100_000 } else { 4_000 }
}

fn operand(value: u128) -> Operand {
    [value as u64, (value >> 64) as u64]
}

/// Pairs of all `corners`, then random ones from `random`.
fn pairs(corners: &[u128], seed: u64, random: impl Fn(&mut Dice) -> (u128, u128)) -> (Vec<Operand>, Vec<Operand>) {
    let mut dice = Dice::new(seed);
    let all = corners.iter().flat_map(|x| corners.iter().map(move |y| (*x, *y)));
    let random = (0..count()).map(|_| random(&mut dice));
    all.chain(random).map(|(x, y)| (operand(x), operand(y))).unzip()
}

/// Numbers of `bits` bits: next to 0, to the ends, and to powers of two; amounts of shifts; and numbers of random lengths.
fn integers(bits: u32, seed: u64) -> (Vec<Operand>, Vec<Operand>) {
    let mut corners: Vec<u128> = (0..4).chain([5, 7, 10, 19]).collect();
    corners.extend((0..3).map(|x: u128| x.wrapping_neg()));
    for power in [bits / 4, bits / 2, bits / 2 + 1, bits - 2, bits - 1] {
        corners.extend([-1i8, 0, 1].map(|step| (1u128 << power).wrapping_add_signed(step.into())));
    }
    corners.extend([bits - 1, bits, bits + 1, 2 * bits].map(u128::from));
    corners.extend([24, 53].map(|digits| if digits < bits { (1u128 << digits) + 1 } else { 1 }));
    pairs(&corners, seed, |dice| {
        let mut number = || {
            let word = u128::from(dice.word()) << 64 | u128::from(dice.word());
            let length = dice.below(bits as usize) as u32 + 1;
            let short = word >> (128 - length);
            if dice.below(2) == 0 { short } else { short.wrapping_neg() }
        };
        (number(), number())
    })
}

/// Floats of `bits` bits: zeros, subnormal numbers, ends of ranges, and halves, of both signs; random bits; and numbers that are
/// near the ends of integers.
fn floats(bits: u32, special: &[u128], ends: fn(i32, f64) -> u128, seed: u64) -> (Vec<Operand>, Vec<Operand>) {
    let sign = 1u128 << (bits - 1);
    let corners: Vec<u128> = special.iter().flat_map(|x| [*x, x ^ sign]).collect();
    pairs(&corners, seed, |dice| {
        let mut number = || match dice.below(3) {
            0 => u128::from(dice.word()) & (sign | (sign - 1)),
            1 => ends(dice.below(130) as i32, dice.between(-2.0, 2.0)),
            _ => {
                let x = ends(0, dice.between(-1000.0, 1000.0));
                x ^ u128::from(dice.below(16) as u64)
            }
        };
        (number(), number())
    })
}

fn singles(seed: u64) -> (Vec<Operand>, Vec<Operand>) {
    let tiny = f32::MIN_POSITIVE;
    let special =
        [0.0, f32::from_bits(1), tiny.next_down(), tiny, tiny.next_up(), 0.5f32.next_down(), 0.5, 1.0, 1.5, 2.5]
            .into_iter()
            .chain([1.0f32.next_down(), 127.5, 128.0, 255.5, 256.0, 32_767.5, 65_535.5, 8_388_607.5, 16_777_216.0])
            .chain([2f32.powi(31), 2f32.powi(32).next_down(), 2f32.powi(63), 2f32.powi(64), 2f32.powi(127), f32::MAX])
            .chain([f32::INFINITY, f32::NAN, f32::from_bits(0x7f80_0001)])
            .map(|x| u128::from(x.to_bits()));
    floats(32, &special.collect::<Vec<_>>(), |power, x| u128::from((2f32.powi(power) * x as f32).to_bits()), seed)
}

fn doubles(seed: u64) -> (Vec<Operand>, Vec<Operand>) {
    let tiny = f64::MIN_POSITIVE;
    let special =
        [0.0, f64::from_bits(1), tiny.next_down(), tiny, tiny.next_up(), 0.5f64.next_down(), 0.5, 1.0, 1.5, 2.5]
            .into_iter()
            .chain([127.5, 255.5, 65_535.5, 2_147_483_647.5, 4_294_967_295.5, 4_503_599_627_370_495.5])
            .chain([2f64.powi(53) + 2.0, 2f64.powi(63), 2f64.powi(64).next_down(), 2f64.powi(127), 2f64.powi(128)])
            // What rounds to a subnormal, to the largest and beyond the largest `f32`.
            .chain([1e-45, 1e-40, f64::from(f32::MAX), 3.402_823_567_797_336_6e38, f64::MAX])
            .chain([f64::INFINITY, f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)])
            .map(|x| u128::from(x.to_bits()));
    floats(64, &special.collect::<Vec<_>>(), |power, x| u128::from((2f64.powi(power) * x).to_bits()), seed)
}

/// Calls a macro with each type and the operands of it.
macro_rules! each_type {
    ($call:ident) => {
        $call!(i8, integers(8, 1));
        $call!(i16, integers(16, 2));
        $call!(i32, integers(32, 3));
        $call!(i64, integers(64, 4));
        $call!(i128, integers(128, 5));
        $call!(u8, integers(8, 6));
        $call!(u16, integers(16, 7));
        $call!(u32, integers(32, 8));
        $call!(u64, integers(64, 9));
        $call!(u128, integers(128, 10));
        $call!(f32, singles(11));
        $call!(f64, doubles(12));
    };
}

fn run<T: Arithmetic + 'static>(
    on: &Machine,
    (x, y): &(Vec<Operand>, Vec<Operand>),
    operation: u32,
) -> Result<Vec<Outcome>, CudaError>
where
    arithmetic::Kernel<T>: arithmetic::Instance,
{
    let blocks = x.len().div_ceil(CHUNK) as u32;
    let (x, y, mut out) = (on.buffer(x)?, on.buffer(y)?, on.zeroed::<Outcome>(x.len())?);
    let args = arithmetic::Args { out: out.view_mut(), x: x.view(), y: y.view(), operation };
    arithmetic::launch::<T, _>(on, blocks, args)?;
    out.download()
}

#[test]
fn every_operation_has_the_same_bits_on_both_sides() {
    let machines = Machines::new("test kernels", kernels::IMAGE);
    let mut compared = 0;
    macro_rules! compare {
        ($type:ident, $operands:expr) => {{
            let operands = $operands;
            for (operation, name) in (0..).zip(<$type as Arithmetic>::OPERATIONS) {
                println!("{} {name}", stringify!($type));
                let found = machines.same(|on| run::<$type>(on, &operands, operation));
                for (index, (x, y)) in operands.0.iter().zip(&operands.1).enumerate() {
                    let direct = <$type as Arithmetic>::apply(operation, *x, *y);
                    assert_eq!(found[index], direct, "{} {name}: {x:x?}, {y:x?}", stringify!($type));
                }
                compared += found.len();
            }
            let none = <$type as Arithmetic>::OPERATIONS.len() as u32;
            assert_eq!(<$type as Arithmetic>::apply(none, [0; 2], [0; 2]), [u64::MAX; 3]);
        }};
    }
    each_type!(compare);
    println!("{compared} results");
}

/// What an operation means, in arithmetic of 128 bits. `None`: not defined here.
fn defined(name: &str, bits: u32, is_signed: bool, x: i128, y: i128) -> Option<Outcome> {
    let (low, high) =
        if is_signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    let wrap = |value: i128| {
        let cut = value.rem_euclid(1i128 << bits);
        if is_signed && cut > high { cut - (1i128 << bits) } else { cut }
    };
    let plain = |value: i128| [value as u64, (value >> 64) as u64, 0];
    let fits = |value: i128| (low..=high).contains(&value);
    let checked = |value: i128| if fits(value) { plain(value) } else { [0, 0, 2] };
    let overflowing = |value: i128| {
        let [low, high, _] = plain(wrap(value));
        [low, high, u64::from(!fits(value))]
    };
    let pattern = x.rem_euclid(1i128 << bits) as u128;
    let amount = (y as u32) % bits;
    let bit = |at: u32| pattern >> at & 1 == 1;
    let (quotient, remainder) = if y == 0 { (0, 0) } else { (x / y, x % y) };
    let or_none = |value: i128| if y == 0 { [0, 0, 2] } else { checked(value) };
    Some(match name {
        "wrapping_add" => plain(wrap(x + y)),
        "wrapping_sub" => plain(wrap(x - y)),
        "wrapping_mul" => plain(wrap(x * y)),
        "wrapping_neg" => plain(wrap(-x)),
        "checked_add" => checked(x + y),
        "checked_sub" => checked(x - y),
        "checked_mul" => checked(x * y),
        "checked_div" => or_none(quotient),
        // Where the quotient does not fit, there is no remainder either.
        "checked_rem" => {
            if y != 0 && !fits(quotient) {
                [0, 0, 2]
            } else {
                or_none(remainder)
            }
        }
        "overflowing_add" => overflowing(x + y),
        "overflowing_sub" => overflowing(x - y),
        "overflowing_mul" => overflowing(x * y),
        "saturating_add" => plain((x + y).clamp(low, high)),
        "saturating_sub" => plain((x - y).clamp(low, high)),
        "saturating_mul" => plain((x * y).clamp(low, high)),
        "wrapping_div" => plain(wrap(quotient)),
        "wrapping_rem" => plain(remainder),
        "wrapping_shl" => plain(wrap(x << amount)),
        "wrapping_shr" => plain(x >> amount),
        "checked_shl" => {
            if (y as u32) < bits {
                plain(wrap(x << amount))
            } else {
                [0, 0, 2]
            }
        }
        "unbounded_shl" => plain(if (y as u32) < bits { wrap(x << amount) } else { 0 }),
        "unbounded_shr" => plain(if (y as u32) < bits {
            x >> amount
        } else if x < 0 {
            -1
        } else {
            0
        }),
        "rotate_left" => plain(wrap((pattern << amount | pattern >> (bits - amount)) as i128)),
        "leading_zeros" => plain((0..bits).rev().take_while(|at| !bit(*at)).count() as i128),
        "trailing_zeros" => plain((0..bits).take_while(|at| !bit(*at)).count() as i128),
        "count_ones" => plain((0..bits).filter(|at| bit(*at)).count() as i128),
        "reverse_bits" => plain(wrap((0..bits).filter(|at| bit(*at)).map(|at| 1i128 << (bits - 1 - at)).sum())),
        "abs_diff" => plain((x - y).abs()),
        "checked_ilog2" if x > 0 => plain((0..bits).filter(|at| x >> at > 0).count() as i128 - 1),
        "isqrt" => plain((x as f64).sqrt().floor() as i128),
        "to_i8" => plain(i128::from(x as i8)),
        "to_u16" => plain(i128::from(x as u16)),
        "to_i64" => plain(x),
        _ => return None,
    })
}

/// All pairs of 8 bits, and many of 16 and 32 bits.
#[test]
fn operations_are_what_they_are_defined_to_be() {
    fn check<T: Arithmetic>(bits: u32, is_signed: bool, pairs: impl Iterator<Item = (i128, i128)>) {
        let mut checked = 0;
        for (x, y) in pairs {
            for (operation, name) in (0..).zip(T::OPERATIONS) {
                let found = T::apply(operation, operand(x as u128), operand(y as u128));
                if let Some(expected) = defined(name, bits, is_signed, x, y) {
                    assert_eq!(found, expected, "{name} of {x} and {y}, {bits} bits");
                    checked += 1;
                }
            }
        }
        assert!(checked > 1_000_000, "{checked}");
    }
    let all = |range: std::ops::Range<i128>| range.clone().flat_map(move |x| range.clone().map(move |y| (x, y)));
    check::<i8>(8, true, all(-128..128));
    check::<u8>(8, false, all(0..256));
    let wider = |bits: u32, is_signed: bool| {
        let number = move |operand: &Operand| {
            let cut = (u128::from(operand[0]) & ((1 << bits) - 1)) as i128;
            if is_signed && cut >> (bits - 1) == 1 { cut - (1 << bits) } else { cut }
        };
        let (x, y) = integers(bits, 77);
        let pairs = x.iter().zip(&y).map(|(x, y)| (number(x), number(y))).collect::<Vec<_>>();
        pairs.clone().into_iter().cycle().take(40_000)
    };
    check::<i16>(16, true, wider(16, true));
    check::<u16>(16, false, wider(16, false));
    check::<i32>(32, true, wider(32, true));
    check::<u32>(32, false, wider(32, false));
}
