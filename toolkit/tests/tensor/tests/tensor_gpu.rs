//! 16-bit floats and tensor cores on a GPU: the bits of CPU cores, with the instructions of each kind of chip; and the
//! error of sums of products whose bits may differ.

use cuda_host::Machine;
use cuda_std::MatrixElement;
use cuda_std::prelude::*;
use tensor_kernels as k;
use tensor_tests::gpus;
use toolkit_tests::device::Machines;
use toolkit_tests::dice::Dice;

/// CPU cores, and the first device with the kernels for each kind of chip from `oldest` on.
fn machines(oldest: &str) -> Machines {
    Machines::of(gpus(oldest))
}

/// The number of blocks and the step between their numbers: all 65,536, or a sample.
fn blocks() -> (u32, u32) {
    if std::env::var_os("CUDA_WIDE").is_some_and(|value| value == "1") { (1 << 16, 1) } else { (512, 129) }
}

fn word(dice: &mut Dice) -> u32 {
    (dice.below(1 << 16) << 16 | dice.below(1 << 16)) as u32
}

#[test]
fn conversions_have_the_bits_of_the_cpu() {
    let machines = machines("sm_75");
    let (blocks, step) = blocks();
    machines.same(|on| {
        let mut out = on.zeroed::<[u32; 2]>(blocks as usize)?;
        k::narrowed::launch(on, blocks, k::narrowed::Args { out: out.view_mut(), step })?;
        out.download()
    });
    machines.same(|on| {
        let mut out = on.zeroed::<[u32; 2]>(1 << 16)?;
        k::widened::launch(on, 64, k::widened::Args { out: out.view_mut() })?;
        out.download()
    });
    let mut dice = Dice::new(1);
    let pairs: Vec<_> = (0..5000).map(|_| [0; 2].map(|_: i32| f32::from_bits(word(&mut dice)))).collect();
    machines.same(|on| {
        let (x, mut out) = (on.buffer(&pairs)?, on.zeroed::<[u32; 2]>(pairs.len())?);
        k::narrowed_pairs::launch(on, 5, k::narrowed_pairs::Args { out: out.view_mut(), x: x.view() })?;
        out.download()
    });
}

#[test]
fn arithmetic_has_the_bits_of_the_cpu() {
    let machines = machines("sm_75");
    // Alone, CPU cores have nothing to be compared with, and take seconds.
    if machines.gpu().is_none() {
        return;
    }
    // Zeros, subnormal and largest numbers, infinities, several NaNs, ones and halves, in both formats.
    let special: Vec<u32> = [
        0, 1, 2, 0x7f, 0x80, 0x3ff, 0x400, 0x401, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3f00, 0x3f80, 0x3f81, 0x7bff,
        0x7c00, 0x7c01, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7e00, 0x7fff,
    ]
    .iter()
    .flat_map(|bits| [*bits, bits | 0x8000])
    .collect();
    let mut dice = Dice::new(2);
    let mut words = Vec::new();
    for x in &special {
        for y in &special {
            for z in &special {
                // The other half is random.
                words.push([*x, *y, *z].map(|low| low | (word(&mut dice) & 0xffff_0000)));
            }
        }
    }
    words.extend((0..1 << 20).map(|_| [0; 3].map(|_: i32| word(&mut dice))));
    // Close to each other, so that sums cancel and round.
    words.extend((0..1 << 18).map(|_| {
        let near = |center: u32, dice: &mut Dice| (center + dice.below(0x800) as u32) | (dice.below(2) as u32) << 15;
        let [x, y, z] = [0x3800, 0x3a00, 0x3400].map(|center| near(center, &mut dice) | near(center, &mut dice) << 16);
        [x, y, z]
    }));
    // In parts, whose results are small enough for a launch to be repeated under other schedules.
    for words in words.chunks(1 << 18) {
        machines.same(|on| {
            let (on_device, mut out) = (on.buffer(words)?, on.zeroed::<[u32; 12]>(words.len())?);
            let args = k::arithmetic::Args { out: out.view_mut(), words: on_device.view() };
            k::arithmetic::launch(on, (words.len() as u32).div_ceil(1024), args)?;
            out.download()
        });
    }
    // Sums and products with all numbers.
    machines.same(|on| {
        let mut out = on.zeroed::<[u32; 4]>(1 << 10)?;
        k::all_sums::launch(on, 1 << 10, k::all_sums::Args { out: out.view_mut(), step: 61 })?;
        out.download()
    });
}

#[test]
fn memories_and_warps_hold_16_bit_floats() {
    let mut dice = Dice::new(3);
    let x: Vec<_> = (0..2 * 1024 + 8).map(|_| bf16::from_f32(dice.normal() as f32)).collect();
    let y: Vec<_> = (0..1000).map(|_| f16::from_f32(dice.normal() as f32)).collect();
    let by = bf16::from_f32(0.3);
    let machines = machines("sm_75");
    // Also from a position that is not a multiple of 16 bytes.
    for first in [0, 8, 3] {
        machines.same(|on| {
            let (x, mut out) = (on.buffer(&x)?, on.zeroed::<bf16x8>(250)?);
            k::eights::launch(on, 2, k::eights::Args { out: out.view_mut(), x: x.slice(first..)?, by })?;
            out.download()
        });
    }
    machines.same(|on| {
        let (y, mut out) = (on.buffer(&y)?, on.zeroed::<[f16; 4]>(150)?);
        k::lanes::launch(on, 3, k::lanes::Args { out: out.view_mut(), x: y.view() })?;
        out.download()
    });
}

#[test]
fn shared_arrays_and_lanes_hold_16_bit_floats() {
    let x: Vec<_> = (0..50).map(|i| f16::from_f32(i as f32 / 8.0)).collect();
    let offsets = Offsets::new(vec![0, 40]).unwrap();
    let (out, wide) = machines("sm_75").in_any_order().same(|on| {
        let (offsets, x) = (on.offsets(&offsets)?, on.buffer(&x)?);
        let (mut out, mut wide) = (on.zeroed::<[f16; 4]>(40)?, on.zeroed::<bf16x8>(4)?);
        let (segments, by) = (Segments { data: out.view_mut(), offsets: &offsets }, f16x2::from_f32([2.0, 0.0]));
        k::memories::launch(on, 1, k::memories::Args { out: segments, wide: wide.view_mut(), x: x.view(), by })?;
        Ok((out.download()?, wide.download()?))
    });
    let tile = |i: usize| (i % 50) as f32 / 4.0;
    let sum = |i: usize| tile(i % 32) + tile(i % 32 + 32);
    assert_eq!(out[39].map(f32::from), [sum(7), sum(6), sum(17), sum(31)]);
    assert_eq!(wide[3].to_f32(), [24, 25, 26, 27, 28, 29, 30, 31].map(tile));
}

#[test]
fn tiles_are_copied_ahead() {
    let (machines, mut dice) = (machines("sm_75"), Dice::new(8));
    for turns in [1usize, 2, 7, 30] {
        let n = 96 * turns;
        let words: Vec<_> = (0..n).map(|_| dice.normal() as f32).collect();
        let wide: Vec<_> = (0..n).map(|_| f16x8::from_f32([0.0; 8].map(|_| dice.normal() as f32))).collect();
        let halves: Vec<_> = words.iter().map(|x| bf16::from_f32(*x)).collect();
        let own = f16x8::from_f32([0.25; 8]);
        machines.same(|on| {
            let (a, b, c) = (on.buffer(&wide)?, on.buffer(&words)?, on.buffer(&halves)?);
            let mut out = on.zeroed::<[f32; 4]>(96)?;
            let args = k::copied::Args { out: out.view_mut(), wide: a.view(), words: b.view(), halves: c.view(), own };
            k::copied::launch(on, 1, args)?;
            out.download()
        });
    }
}

/// The result of the kernel `$name` on a machine.
macro_rules! product {
    ($name:ident, $on:expr, $a:expr, $b:expr, $c:expr, $shape:expr) => {{
        let (on, [rows, columns, depth]): (&Machine, [u32; 3]) = ($on, $shape);
        let (x, y, z, mut out) = (on.buffer($a)?, on.buffer($b)?, on.buffer($c)?, on.buffer($c)?);
        let data = Matrix { data: out.view_mut(), columns };
        let args = k::$name::Args { out: data, a: x.view(), b: y.view(), c: z.view(), depth };
        k::$name::launch(on, (columns / 32, rows / 32), args)?;
        out.download()
    }};
}

/// Integers up to `most`, of both signs.
fn whole(dice: &mut Dice, n: u32, most: u32) -> Vec<f32> {
    (0..n).map(|_| dice.below(2 * most as usize + 1) as f32 - most as f32).collect()
}

#[test]
fn products_that_fit_have_the_bits_of_the_cpu() {
    let (machines, rows, columns, mut dice) = (machines("sm_80"), 64, 96, Dice::new(4));
    macro_rules! exact {
        ($kernel:ident, $from:expr, $depth:literal, $most:literal) => {{
            let [a, b] = [rows, columns].map(|n| whole(&mut dice, n * $depth, $most));
            let [a, b] = [a, b].map(|values| values.into_iter().map($from).collect::<Vec<_>>());
            let c = whole(&mut dice, rows * columns, 1 << 20);
            let found = machines.same(|on| product!($kernel, on, &a, &b, &c, [rows, columns, $depth]));
            // Their exact values.
            let product: f64 =
                (0..$depth).map(|k| f64::from(a[$depth + k].to_f32()) * f64::from(b[3 * $depth + k].to_f32())).sum();
            assert_eq!(f64::from(found[columns as usize + 3]), product + f64::from(c[columns as usize + 3]));
        }};
    }
    exact!(product_f16, f16::from_f32, 160, 256);
    exact!(product_bf16, bf16::from_f32, 160, 255);
    exact!(product_tf32, tf32::from_f32, 72, 400);
    exact!(product_e4m3, e4m3::from_f32, 160, 16);
    exact!(product_e5m2, e5m2::from_f32, 160, 8);
    let mut bytes = |n: u32| (0..n).map(|_| dice.below(256) as u8 as i8).collect::<Vec<_>>();
    let (a, b) = (bytes(rows * 96), bytes(columns * 96));
    // Sums that wrap around.
    let c: Vec<i32> = (0..rows * columns).map(|i| i32::MAX - (i % 9999) as i32).collect();
    machines.same(|on| product!(product_i8, on, &a, &b, &c, [rows, columns, 96]));
}

#[test]
fn products_are_those_of_the_definition_however_they_are_loaded() {
    let machines = machines("sm_80").in_any_order();
    // The last tiles are smaller.
    let (rows, columns) = (100u32, 64u32);
    macro_rules! check {
        ($kernel:ident, $sum:ty, $from:expr, $depth:literal) => {{
            let a: Vec<_> = (0..rows * $depth).map(|i| (i * i % 23) as i32 - 11).collect();
            let b: Vec<_> = (0..$depth * columns).map(|i| (i * 7 % 19) as i32 - 9).collect();
            let across: Vec<_> =
                (0..columns * $depth).map(|i| b[(i % $depth * columns + i / $depth) as usize]).collect();
            let [x, y, z] = [&a, &across, &b].map(|list| list.iter().map(|x| $from(*x)).collect::<Vec<_>>());
            for way in 0..3 {
                let found = machines.same(|on| {
                    let (a, by_columns, by_rows) = (on.buffer(&x)?, on.buffer(&y)?, on.buffer(&z)?);
                    let mut out = on.zeroed::<$sum>((rows * columns) as usize)?;
                    let args = k::$kernel::Args {
                        out: Matrix { data: out.view_mut(), columns },
                        a: a.view(),
                        by_columns: by_columns.view(),
                        by_rows: by_rows.view(),
                        depth: $depth,
                        way,
                    };
                    k::$kernel::launch(on, (columns / 32, rows.div_ceil(64)), args)?;
                    out.download()
                });
                for (at, found) in (0..).zip(found) {
                    let (row, column) = (at / columns, at % columns);
                    let exact: i32 =
                        (0..$depth).map(|k| a[(row * $depth + k) as usize] * b[(k * columns + column) as usize]).sum();
                    let expected = if row % 64 == 1 && column % 32 == 2 { 0 } else { exact };
                    assert_eq!(found as i32, expected, "row {row}, column {column}, way {way}");
                }
            }
        }};
    }
    check!(loaded_f16, f32, |x: i32| f16::from_f32(x as f32), 48);
    check!(loaded_bf16, f32, |x: i32| bf16::from_f32(x as f32), 32);
    check!(loaded_tf32, f32, |x: i32| tf32::from_f32(x as f32), 24);
    check!(loaded_i8, i32, |x: i32| x as i8, 64);
    check!(loaded_e4m3, f32, |x: i32| e4m3::from_f32(x as f32), 64);
}

/// The largest deviation from exact sums of one instruction's products, relative to the bound.
fn share_of_bound<E: MatrixElement>(
    [a, b]: [&[E]; 2],
    c: &[f32],
    columns: usize,
    found: &[f32],
    smallest: f64,
    number: impl Fn(E) -> f64,
) -> f64 {
    let depth = E::DEPTH as usize;
    let mut most = 0.0f64;
    for (at, found) in found.iter().enumerate() {
        let (row, column) = (at / columns, at % columns);
        // In f64, whose own rounding is far below the bound.
        let (mut exact, mut size) = (f64::from(c[at]), f64::from(c[at]).abs());
        for k in 0..depth {
            let [x, y] = [number(a[row * depth + k]), number(b[column * depth + k])];
            exact += x * y;
            size += x.abs().max(smallest) * y.abs().max(smallest);
        }
        let bound = f64::powi(2.0, -18) * size + f64::powi(2.0, -126);
        let share = (f64::from(*found) - exact).abs() / bound;
        // NaN must fail, too.
        assert!(
            share <= 1.0,
            "{found} instead of {exact}, beyond the bound of {bound}, at row {row} and column {column}"
        );
        most = most.max(share);
    }
    most
}

#[test]
fn products_are_within_their_bound() {
    let (rows, columns, mut dice) = (64, 64, Dice::new(5));
    let tiny = f64::from(f32::MIN_POSITIVE);
    for (name, gpu) in gpus("sm_80") {
        let gpu = Machine::from(gpu);
        for (exponents, scale) in [(0, 1.0f64), (8, 1.0), (20, 1e-3), (4, 1e-6), (60, 1e-10)] {
            // Normal numbers times powers of two; initial sums of about the products' size, and zero.
            let mut values = |n: u32, scale: f64| -> Vec<f32> {
                let power = |dice: &mut Dice| f64::powi(2.0, dice.below(exponents + 1) as i32 - exponents as i32 / 2);
                (0..n).map(|_| (dice.normal() * power(&mut dice) * scale) as f32).collect()
            };
            let c = values(rows * columns, scale * scale);
            macro_rules! near {
                ($kernel:ident, $element:ident, $smallest:expr, $from:expr) => {{
                    let depth = <$element as MatrixElement>::DEPTH;
                    let [a, b] = [rows, columns]
                        .map(|n| values(n * depth, scale).into_iter().map($from).collect::<Vec<$element>>());
                    let number = |x: $element| f64::from(x.to_f32());
                    let run = |on: &Machine| product!($kernel, on, &a, &b, &c, [rows, columns, depth]);
                    let [cpu, gpu] = [&Machine::cpu(), &gpu].map(|on| {
                        let found = run(on).unwrap();
                        share_of_bound([&a[..], &b[..]], &c, columns as usize, &found, $smallest, number)
                    });
                    println!(
                        "{name}, {}, 2^{exponents}, {scale}: {gpu:.4} of the bound, on CPU cores {cpu:.4}",
                        stringify!($kernel)
                    );
                }};
            }
            if exponents < 60 {
                near!(product_f16, f16, f64::powi(2.0, -14), |x: f32| {
                    // If it is finite.
                    if x.abs() < 200.0 { f16::from_f32(x) } else { f16::ONE }
                });
            }
            near!(product_bf16, bf16, tiny, bf16::from_f32);
            near!(product_tf32, tf32, tiny, tf32::from_f32);
            near!(product_e4m3, e4m3, f64::powi(2.0, -6), e4m3::from_f32);
            near!(product_e5m2, e5m2, f64::powi(2.0, -14), e5m2::from_f32);
            // The low bits are ignored.
            near!(product_tf32, tf32, tiny, |x: f32| bytemuck::cast(x));
        }
    }
}

#[test]
fn infinities_and_nans_have_the_bits_of_the_cpu() {
    let mut dice = Dice::new(6);
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.5];
    let mut list = |n: usize| -> Vec<f32> {
        // Mostly ones, so that some sums stay finite.
        (0..n).map(|_| if dice.below(24) == 0 { special[dice.below(8)] } else { 1.0 }).collect()
    };
    let (a, b, c) = (list(32 * 16), list(32 * 16), list(32 * 32));
    let machines = machines("sm_80");
    macro_rules! same {
        ($kernel:ident, $from:expr) => {{
            let [x, y] = [&a, &b].map(|list| list.iter().map(|x| $from(*x)).collect::<Vec<_>>());
            machines.same(|on| product!($kernel, on, &x, &y, &c, [32, 32, 16]));
        }};
    }
    same!(product_f16, f16::from_f32);
    same!(product_bf16, bf16::from_f32);
    same!(product_tf32, tf32::from_f32);
}

#[test]
fn products_by_way_of_shared_memory_have_the_bits_of_the_cpu() {
    let ([rows, columns, depth], mut dice) = ([128u32, 192, 256], Dice::new(7));
    let (a, b) = (whole(&mut dice, rows * depth, 60), whole(&mut dice, depth * columns, 60));
    let machines = machines("sm_80");
    macro_rules! tiled {
        ($kernel:ident, $from:expr) => {{
            let [x, y] = [&a, &b].map(|list| list.iter().map(|x| $from(*x)).collect::<Vec<_>>());
            let found = machines.same(|on| {
                let (x, y, mut out) = (on.buffer(&x)?, on.buffer(&y)?, on.zeroed((rows * columns) as usize)?);
                let data = Matrix { data: out.view_mut(), columns };
                let args = k::$kernel::Args { out: data, a: x.view(), b: y.view(), depth };
                k::$kernel::launch(on, (columns / 64, rows / 64), args)?;
                out.download()
            });
            let exact: f32 = (0..depth).map(|k| a[(5 * depth + k) as usize] * b[(k * columns + 77) as usize]).sum();
            assert_eq!(found[(5 * columns + 77) as usize], exact);
        }};
    }
    tiled!(tiled_f16, f16::from_f32);
    tiled!(tiled_bf16, bf16::from_f32);
}

/// Tensor cores are used by inline assembly, which the compiler may duplicate. It does not if a convergent operation is in
/// the same straight-line code, as `cuda_std` ensures.
#[test]
fn products_stand_behind_a_convergent_operation() {
    let Ok(images) = tensor_tests::PTX else {
        return println!("skipped: no device compiler when the tests were built");
    };
    for (name, ptx) in images.iter().filter(|(name, _)| *name >= "sm_80") {
        let lines: Vec<_> = ptx.lines().map(str::trim).collect();
        let products: Vec<_> = (0..lines.len()).filter(|at| lines[*at].starts_with("mma.sync")).collect();
        // At least one of each product, and two times eight of those through shared memory.
        assert!(products.len() >= 4 * 2 + 2 * 8, "{name}");
        for at in products {
            let before = lines[..at].iter().rev().find(|line| {
                line.starts_with("vote.sync.ballot")
                    || line.ends_with(':')
                    || line.split_whitespace().any(|word| word == "bra")
            });
            assert!(before.is_some_and(|line| line.starts_with("vote.sync.ballot")), "{name}, line {at}: {before:?}");
        }
    }
}
