//! `tf32` and 8-bit floats on a GPU: conversions with the bits of CPU cores, and products by single warps and by warpgroups, which have
//! their bits or lie within the bound of the definition.

use cuda_host::{CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{ElementVector, MatrixElement};
use tensor_kernels as k;
use tensor_tests::{gpus, share_of_bound};
use toolkit_tests::device::Machines;
use toolkit_tests::dice::Dice;

/// Rows of both matrices.
const SIDE: u32 = 256;

#[test]
fn conversions_have_the_bits_of_the_cpu() {
    let machines = Machines::of(gpus("sm_75"));
    let is_wide = std::env::var_os("CUDA_WIDE").is_some_and(|value| value == "1");
    let (blocks, step) = if is_wide { (1 << 16, 1) } else { (512, 129) };
    machines.same(|on| {
        let mut out = on.zeroed::<[u32; 2]>(blocks as usize)?;
        k::narrowed_to_8_bits::launch(on, blocks, k::narrowed_to_8_bits::Args { out: out.view_mut(), step })?;
        out.download()
    });
    let all = machines.same(|on| {
        let mut out = on.zeroed::<[u32; 2]>(256)?;
        k::widened_from_8_bits::launch(on, 1, k::widened_from_8_bits::Args { out: out.view_mut() })?;
        out.download()
    });
    // Every number comes back, and the nearest one of those between.
    let numbers = |format: usize| -> Vec<f32> {
        let mut finite: Vec<f32> =
            all.iter().map(|bits| f32::from_bits(bits[format])).filter(|x| x.is_finite()).collect();
        finite.sort_by(f32::total_cmp);
        finite
    };
    macro_rules! nearest {
        ($format:ident, $numbers:expr) => {
            for pair in $numbers.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                assert_eq!($format::from_f32(a).to_f32().to_bits(), a.to_bits());
                let middle = a + (b - a) / 2.0;
                let [low, high] = [f32::next_down(middle), f32::next_up(middle)].map(|x| $format::from_f32(x).to_f32());
                assert!(a == b || (low, high) == (a, b), "{a} {b}: {low} {high}");
                let tie = $format::from_f32(middle);
                assert!(a == b || tie.to_bits().is_multiple_of(2), "{middle} between {a} and {b} becomes {tie}");
            }
        };
    }
    nearest!(e4m3, numbers(0));
    nearest!(e5m2, numbers(1));
    assert_eq!((numbers(0).len(), numbers(1).len()), (254, 248));
    assert_eq!((e4m3::MAX.to_f32(), e5m2::MAX.to_f32()), (448.0, 57344.0));
    for x in [f32::INFINITY, 1e30, f32::MAX] {
        assert_eq!((e4m3::from_f32(x), e5m2::from_f32(-x).to_f32()), (e4m3::MAX, -57344.0));
    }
    assert_eq!([e4m3::MIN_POSITIVE, e4m3::EPSILON, e4m3::ONE].map(f32::from), [0.015625, 0.125, 1.0]);
    assert_eq!([e5m2::MIN_POSITIVE, e5m2::EPSILON, e5m2::ONE].map(f32::from), [6.1035156e-5, 0.25, 1.0]);
}

/// Elements as vectors.
trait Vector: ElementVector<Element: MatrixElement<Sum = f32>> + DeviceLayout {
    fn of(number: &mut dyn FnMut() -> f32) -> Self;
    fn numbers(self) -> Vec<f64>;
}

macro_rules! vector {
    ($($vector:ident)*) => {$(
        impl Vector for $vector {
            fn of(number: &mut dyn FnMut() -> f32) -> Self {
                Self::from_f32([(); _].map(|()| number()))
            }

            fn numbers(self) -> Vec<f64> {
                self.to_f32().map(f64::from).to_vec()
            }
        }
    )*};
}
vector!(tf32x4 e4m3x16 e5m2x16);

fn matrix<V: Vector>(depth: u32, number: &mut dyn FnMut() -> f32) -> Vec<V> {
    (0..SIDE * depth / V::COUNT).map(|_| V::of(number)).collect()
}

fn numbers<V: Vector>(matrix: &[V]) -> Vec<f64> {
    matrix.iter().flat_map(|x| x.numbers()).collect()
}

/// The product by `staged` on a machine; `None` if its blocks have too little shared memory.
macro_rules! product {
    (<$($instance:tt)*) => {
        product!(staged <$($instance)*)
    };
    ($kernel:ident <$vector:ty, $rows:literal, $columns:literal, $stages:literal, $r:literal, $c:literal>) => {
        |on: &Machine, a: &[$vector], b: &[$vector], depth: u32| {
            let (x, y, mut out) = (on.buffer(a)?, on.buffer(b)?, on.zeroed::<f32>((SIDE * SIDE) as usize)?);
            let data = Matrix { data: out.view_mut(), columns: SIDE };
            let tiles = DynamicLength($stages * 8 * ($rows + $columns));
            let args = k::$kernel::Args { out: data, a: x.view(), b: y.view(), depth, tiles };
            let grid = (SIDE / $columns, SIDE / $rows);
            match k::$kernel::launch::<$vector, $rows, $columns, $stages, $r, $c, _>(on, grid, args) {
                Err(CudaError::SharedMemory { .. }) => Ok(None),
                launched => launched.and_then(|()| out.download().map(Some)),
            }
        }
    };
}

/// A product by one of the instances.
type Product<V> = fn(&Machine, &[V], &[V], u32) -> Result<Option<Vec<f32>>, CudaError>;

/// By single warps first.
const OF_TF32: [Product<tf32x4>; 3] = [
    product!(<tf32x4, 128, 128, 4, 4, 8>),
    product!(<tf32x4, 128, 256, 4, 1, 32>),
    product!(<tf32x4, 128, 128, 4, 1, 16>),
];
const OF_E4M3: [Product<e4m3x16>; 3] = [
    product!(<e4m3x16, 128, 128, 4, 4, 8>),
    product!(<e4m3x16, 128, 128, 4, 1, 16>),
    product!(<e4m3x16, 128, 128, 6, 1, 16>),
];
const OF_E5M2: [Product<e5m2x16>; 1] = [product!(<e5m2x16, 128, 128, 4, 1, 16>)];

/// With fast accumulation.
const FAST_E4M3: Product<e4m3x16> = product!(fast <e4m3x16, 128, 256, 4, 1, 32>);
const FAST_E5M2: Product<e5m2x16> = product!(fast <e5m2x16, 128, 128, 3, 1, 16>);

fn machines() -> Vec<(&'static str, Machine)> {
    let gpus = gpus("sm_80").into_iter().map(|(name, gpu)| (name, gpu.into()));
    [("CPU cores", Machine::cpu())].into_iter().chain(gpus).collect()
}

/// Runs products on CPU cores and all GPUs, and compares their bits.
fn same_bits<V: Vector>(products: &[Product<V>], [a, b]: [&[V]; 2], depth: u32) -> Vec<f32> {
    let machines = machines();
    let expected = products[0](&machines[0].1, a, b, depth).unwrap().expect("CPU cores have memory");
    for (name, machine) in &machines {
        for product in products {
            match product(machine, a, b, depth).unwrap() {
                None => println!("{name}: too little shared memory"),
                Some(found) => {
                    let other = found.iter().zip(&expected).position(|(x, y)| x.to_bits() != y.to_bits());
                    let other = other.map(|at| (at / SIDE as usize, at % SIDE as usize, found[at], expected[at]));
                    assert_eq!(other, None, "{name}, depth {depth}");
                }
            }
        }
    }
    expected
}

/// The same for random matrices whose sums are exact.
fn exact_bits<V: Vector>(products: &[Product<V>], depth: u32, number: &mut dyn FnMut() -> f32) {
    let [a, b] = [0; 2].map(|_: i32| matrix::<V>(depth, number));
    let found = same_bits(products, [&a, &b], depth);
    let line = |list: &[V], row: u32| numbers(list)[(row * depth) as usize..][..depth as usize].to_vec();
    let exact: f64 = line(&a, 200).iter().zip(line(&b, 131)).map(|(x, y)| x * y).sum();
    assert_eq!(f64::from(found[(200 * SIDE + 131) as usize]), exact);
}

#[test]
fn products_that_fit_have_the_bits_of_the_cpu() {
    let mut dice = Dice::new(1);
    let mut number = || dice.below(9) as f32 - 4.0;
    // Fewer turns than stages, as many, and more; odd and even numbers of them.
    for turns in [1, 2, 3, 4, 5, 9] {
        exact_bits(&OF_TF32, 32 * turns, &mut number);
        exact_bits(&OF_E4M3, 128 * turns, &mut number);
        exact_bits(&OF_E5M2, 128 * turns, &mut number);
        exact_bits(&[FAST_E4M3], 128 * turns, &mut || number().clamp(-1.0, 1.0));
        exact_bits(&[FAST_E5M2], 128 * turns, &mut || number().clamp(-1.0, 1.0));
    }
}

#[test]
fn products_are_within_their_bound() {
    let mut dice = Dice::new(3);
    let machines = machines();
    for (exponents, scale, turns) in [(0, 1.0f64, 1), (8, 1.0, 1), (12, 0.1, 2), (4, 1.0, 8)] {
        let mut number = || {
            let power = f64::powi(2.0, dice.below(exponents + 1) as i32 - exponents as i32 / 2);
            (dice.normal() * power * scale) as f32
        };
        macro_rules! check {
            ($vector:ident, $products:ident, $depth:expr, $smallest:expr, $by_turns:expr) => {{
                let depth: u32 = $depth * turns;
                let [a, b] = [0; 2].map(|_: i32| matrix::<$vector>(depth, &mut number));
                let numbers = [numbers(&a), numbers(&b)];
                let step = <<$vector as ElementVector>::Element as MatrixElement>::DEPTH as usize;
                for (name, machine) in &machines {
                    for (which, product) in $products.iter().enumerate() {
                        let Some(found) = product(machine, &a, &b, depth).unwrap() else { continue };
                        // Of a step the sum so far is a term; a turn of 8-bit floats begins anew.
                        let bound = match $by_turns && *name == "sm_90a" {
                            true => (128, f64::powi(2.0, -6), f64::powi(2.0, -23)),
                            false => (step, 0.0, f64::powi(2.0, -18)),
                        };
                        let lists = [&numbers[0][..], &numbers[1]];
                        let share = share_of_bound(lists, depth as usize, &found, bound, $smallest);
                        println!(
                            "{name}, {} {which}, 2^{exponents}, {scale}, {turns} turns: {share:.5} of the bound",
                            stringify!($vector)
                        );
                    }
                }
            }};
        }
        check!(tf32x4, OF_TF32, 32, f64::from(f32::MIN_POSITIVE), false);
        check!(e4m3x16, OF_E4M3, 128, f64::powi(2.0, -6), true);
        check!(e5m2x16, OF_E5M2, 128, f64::powi(2.0, -14), true);
    }
}

/// Of 8-bit floats a turn's sum keeps this many bits, which is what [`cuda_std::Stages::add_products`] says.
#[test]
fn sums_of_turns_are_exact_as_far_as_is_said() {
    let turn = |large: f32, small: f32| -> Vec<e4m3x16> {
        let mut at = 0;
        matrix(128, &mut || {
            at += 1;
            if at % 128 == 1 { large } else { small }
        })
    };
    // 64 * 64 and 127 ones: a sum of 4223, of products that are multiples of 1.
    let (a, b) = (turn(64.0, 1.0), turn(64.0, 1.0));
    for (name, machine) in &machines() {
        for product in &OF_E4M3 {
            let Some(found) = product(machine, &a, &b, 128).unwrap() else { continue };
            assert!(found.iter().all(|sum| *sum == 4223.0), "{name}: {}", found[0]);
        }
    }
}

/// The worst sums: a large product, and others that are just too small to be added to it bit by bit.
#[test]
fn the_worst_sums_of_turns_are_within_their_bound() {
    let turn = |large: f32, small: f32| -> Vec<e4m3x16> {
        let mut at = 0;
        matrix(128, &mut || {
            at += 1;
            if at % 128 == 1 { large } else { small }
        })
    };
    for (large, small) in [(448.0, [3.75, 4.0]), (448.0, [1.0, 1.0]), (64.0, [0.5, 0.875]), (256.0, [-2.75, 2.0])] {
        let (a, b) = (turn(large, small[0]), turn(large, small[1]));
        let product = f64::from(small[0]) * f64::from(small[1]);
        let (exact, size) =
            (f64::from(large).powi(2) + 127.0 * product, f64::from(large).powi(2) + 127.0 * product.abs());
        for (name, machine) in &machines() {
            for product in OF_E4M3.iter().chain([&FAST_E4M3]) {
                let Some(found) = product(machine, &a, &b, 128).unwrap() else { continue };
                let share = (f64::from(found[0]) - exact).abs() / (size * f64::powi(2.0, -6));
                println!("{name}: {} for {exact}, {share:.4} of the bound", found[0]);
                assert!(share <= 1.0, "{name}: {} in place of {exact}", found[0]);
            }
        }
    }
}

#[test]
fn infinities_and_nans_have_the_bits_of_the_cpu() {
    let mut dice = Dice::new(2);
    let special = [0.0, -0.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.5, 2.0];
    // Mostly ones, so that some sums stay finite.
    let mut number = || if dice.below(400) == 0 { special[dice.below(8)] } else { 1.0 };
    let list: Vec<f32> = (0..2 * SIDE * 128).map(|_| number()).collect();
    let (a, b) = list.split_at(list.len() / 2);
    let of_tf32 = |list: &[f32]| list.as_chunks().0.iter().map(|x| tf32x4::from_f32(*x)).collect::<Vec<_>>();
    let (x, y) = (of_tf32(a), of_tf32(b));
    same_bits(&OF_TF32, [&x, &y], 128);
    // Conversions make no infinities of 8 bits.
    let eight = |x: &f32| match x {
        x if x.is_infinite() => e5m2::from_bits(e5m2::INFINITY.to_bits() | u8::from(*x < 0.0) << 7),
        x => e5m2::from_f32(*x),
    };
    let of_e5m2 = |list: &[f32]| {
        list.as_chunks().0.iter().map(|x| e5m2x16::from_array(x.each_ref().map(eight))).collect::<Vec<_>>()
    };
    let (x, y) = (of_e5m2(a), of_e5m2(b));
    let found = same_bits(&OF_E5M2, [&x, &y], 128);
    assert!(
        found.iter().any(|x| x.is_nan())
            && found.iter().any(|x| x.is_infinite())
            && found.iter().any(|x| x.is_finite())
    );
}
