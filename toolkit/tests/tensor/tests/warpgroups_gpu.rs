//! Products of matrices by Hopper's warpgroups, on a GPU: the bits of CPU cores, or within the bound of the definition. Other chips
//! compute the same by single warps.

use cuda_builder::{NvvmArch, Ptxas};
use cuda_host::{CudaError, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::{ElementVector, MatrixElement};
use tensor_kernels as k;
use tensor_tests::{gpus, share_of_bound};
use toolkit_tests::device::Machines;
use toolkit_tests::dice::Dice;

/// Rows of both matrices, each with `depth` elements.
const SIDE: u32 = 256;

/// Elements as vectors.
trait Vector: ElementVector<Element: MatrixElement<Sum = f32>> + DeviceLayout {
    fn of(x: [f32; 8]) -> Self;
    fn numbers(self) -> [f32; 8];
}

macro_rules! vector {
    ($($vector:ident)*) => {$(
        impl Vector for $vector {
            fn of(x: [f32; 8]) -> Self {
                Self::from_f32(x)
            }

            fn numbers(self) -> [f32; 8] {
                self.to_f32()
            }
        }
    )*};
}
vector!(bf16x8 f16x8);

fn matrix<V: Vector>(depth: u32, mut number: impl FnMut() -> f32) -> Vec<V> {
    (0..SIDE * depth / 8).map(|_| V::of([0; 8].map(|_: i32| number()))).collect()
}

/// The product by `staged` on a machine; `None` if its blocks have too little shared memory.
macro_rules! product {
    ($on:expr, $a:expr, $b:expr, $depth:expr, <$vector:ty, $rows:literal, $columns:literal, $stages:literal, $c:literal>) => {{
        let (on, depth): (&Machine, u32) = ($on, $depth);
        let (x, y, mut out) = (on.buffer($a)?, on.buffer($b)?, on.zeroed::<f32>((SIDE * SIDE) as usize)?);
        let data = Matrix { data: out.view_mut(), columns: SIDE };
        let tiles = DynamicLength($stages * 8 * ($rows + $columns));
        let args = k::staged::Args { out: data, a: x.view(), b: y.view(), depth, tiles };
        let grid = (SIDE / $columns, SIDE / $rows);
        match k::staged::launch::<$vector, $rows, $columns, $stages, 1, $c, _>(on, grid, args) {
            Err(CudaError::SharedMemory { .. }) => Ok(None),
            launched => launched.and_then(|()| out.download().map(Some)),
        }
    }};
}

/// A product by one of the instances.
type Product<V> = fn(&Machine, &[V], &[V], u32) -> Result<Option<Vec<f32>>, CudaError>;

const OF_BF16: [Product<bf16x8>; 5] = [
    |on, a, b, depth| product!(on, a, b, depth, <bf16x8, 128, 256, 3, 32>),
    |on, a, b, depth| product!(on, a, b, depth, <bf16x8, 128, 256, 4, 32>),
    |on, a, b, depth| product!(on, a, b, depth, <bf16x8, 256, 128, 4, 16>),
    |on, a, b, depth| product!(on, a, b, depth, <bf16x8, 128, 128, 3, 16>),
    |on, a, b, depth| product!(on, a, b, depth, <bf16x8, 128, 128, 4, 16>),
];
const OF_F16: [Product<f16x8>; 2] = [
    |on, a, b, depth| product!(on, a, b, depth, <f16x8, 128, 256, 4, 32>),
    |on, a, b, depth| product!(on, a, b, depth, <f16x8, 64, 64, 2, 8>),
];

/// Runs the products of both types on CPU cores and all GPUs, and compares their bits.
fn same_bits(depth: u32, mut number: impl FnMut() -> f32) -> Vec<f32> {
    let machines = all(gpus("sm_80"));
    let [a, b]: [Vec<bf16x8>; 2] = [0; 2].map(|_: i32| matrix(depth, &mut number));
    let [c, d] = [&a, &b].map(|list| list.iter().map(|x| f16x8::of(x.numbers())).collect::<Vec<_>>());
    let expected = OF_BF16[0](&machines[0].1, &a, &b, depth).unwrap().expect("CPU cores have memory");
    let check = |name: &str, found: Result<Option<Vec<f32>>, CudaError>| match found.unwrap() {
        // A chip with less shared memory refuses the largest ones.
        None => println!("{name}: too little shared memory"),
        Some(found) => {
            let other = found.iter().zip(&expected).position(|(x, y)| x.to_bits() != y.to_bits());
            let other = other.map(|at| (at / SIDE as usize, at % SIDE as usize, found[at], expected[at]));
            assert_eq!(other, None, "{name}, depth {depth}");
        }
    };
    for (name, machine) in &machines {
        OF_BF16.iter().for_each(|product| check(name, product(machine, &a, &b, depth)));
        OF_F16.iter().for_each(|product| check(name, product(machine, &c, &d, depth)));
    }
    expected
}

fn all(gpus: Vec<(&'static str, cuda_host::CudaExecutor)>) -> Vec<(&'static str, Machine)> {
    [("CPU cores", Machine::cpu())].into_iter().chain(gpus.into_iter().map(|(name, gpu)| (name, gpu.into()))).collect()
}

#[test]
fn products_that_fit_have_the_bits_of_the_cpu() {
    let mut dice = Dice::new(1);
    // Fewer turns than stages, as many, and more.
    for depth in [64, 128, 192, 256, 576] {
        let mut first = Vec::new();
        let sums = same_bits(depth, || {
            let number = dice.below(9) as f32 - 4.0;
            first.push(number);
            number
        });
        let line = |row: u32| &first[(row * depth) as usize..][..depth as usize];
        let exact: f32 = line(200).iter().zip(line(SIDE + 131)).map(|(x, y)| x * y).sum();
        assert_eq!(sums[(200 * SIDE + 131) as usize], exact);
    }
}

#[test]
fn infinities_and_nans_have_the_bits_of_the_cpu() {
    let mut dice = Dice::new(2);
    let special = [0.0, -0.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.5, 2.0];
    // Mostly ones, so that some sums stay finite.
    let sums = same_bits(128, || if dice.below(400) == 0 { special[dice.below(8)] } else { 1.0 });
    assert!(
        sums.iter().any(|x| x.is_nan()) && sums.iter().any(|x| x.is_infinite()) && sums.iter().any(|x| x.is_finite())
    );
}

/// The largest deviation from exact sums, relative to the bound of all steps of 16.
fn share_of_step_bounds<V: Vector>(a: &[V], b: &[V], depth: u32, found: &[f32], smallest: f64) -> f64 {
    let numbers = |list: &[V]| list.iter().flat_map(|x| x.numbers()).map(f64::from).collect::<Vec<_>>();
    share_of_bound([&numbers(a), &numbers(b)], depth as usize, found, (16, 0.0, f64::powi(2.0, -18)), smallest)
}

#[test]
fn products_are_within_their_bound() {
    let mut dice = Dice::new(3);
    let machines = all(gpus("sm_80"));
    for (exponents, scale, depth) in [(0, 1.0f64, 64), (8, 1.0, 64), (20, 1e-3, 64), (4, 1e-6, 64), (4, 1.0, 1024)] {
        let mut number = || {
            let power = f64::powi(2.0, dice.below(exponents + 1) as i32 - exponents as i32 / 2);
            let number = (dice.normal() * power * scale) as f32;
            // Finite as `f16`, too.
            if number.abs() < 200.0 { number } else { 1.0 }
        };
        let [a, b]: [Vec<bf16x8>; 2] = [0; 2].map(|_: i32| matrix(depth, &mut number));
        let [c, d]: [Vec<f16x8>; 2] = [0; 2].map(|_: i32| matrix(depth, &mut number));
        for (name, machine) in &machines {
            let of_bf16 = OF_BF16[1](machine, &a, &b, depth).unwrap();
            let of_f16 = OF_F16[1](machine, &c, &d, depth).unwrap();
            let shares = [
                of_bf16.map(|found| share_of_step_bounds(&a, &b, depth, &found, f64::from(f32::MIN_POSITIVE))),
                of_f16.map(|found| share_of_step_bounds(&c, &d, depth, &found, f64::powi(2.0, -14))),
            ];
            println!("{name}, 2^{exponents}, {scale}, depth {depth}: {shares:.4?} of the bound, bf16 and f16");
        }
    }
}

/// 64 x 64 by `turned`, whose stages lack so many parts of 16 bytes. If `turned` is 1, the first warp has the last rows.
fn product_turned(
    on: &Machine,
    [a, b]: [&[bf16x8]; 2],
    depth: u32,
    turned: u32,
    missing: u32,
) -> Result<Vec<f32>, CudaError> {
    let (x, y, mut out) = (on.buffer(a)?, on.buffer(b)?, on.zeroed::<f32>(64 * 64)?);
    let data = Matrix { data: out.view_mut(), columns: 64 };
    let tiles = DynamicLength(2 * (8 * 128_u32).wrapping_sub(missing));
    let args = k::turned::Args { out: data, a: x.view(), b: y.view(), depth, turned, tiles };
    k::turned::launch(on, (1, 1), args)?;
    out.download()
}

/// 64 rows of whole numbers.
fn rows_of_numbers(dice: &mut Dice, depth: u32) -> Vec<bf16x8> {
    (0..64 * depth / 8).map(|_| bf16x8::of([0; 8].map(|_: i32| dice.below(9) as f32 - 4.0))).collect()
}

#[test]
fn warps_in_another_order_multiply_by_themselves() {
    let (machines, mut dice, depth) = (Machines::of(gpus("sm_80")), Dice::new(4), 192);
    let [a, b] = [0; 2].map(|_: i32| rows_of_numbers(&mut dice, depth));
    let found = [0, 1].map(|turned| machines.same(|on| product_turned(on, [&a, &b], depth, turned, 0)));
    for row in 0..64 {
        let (there, here) = (row * 64, (48 - row / 16 * 16 + row % 16) * 64);
        assert_eq!(found[0][there..there + 64], found[1][here..here + 64]);
    }
}

/// The first stage begins at a multiple of 1024 bytes, as warpgroups need, but the second one does not.
#[test]
fn stages_of_odd_sizes_are_multiplied_by_single_warps() {
    let (machines, mut dice, depth) = (Machines::of(gpus("sm_80")), Dice::new(5), 320);
    let [a, b] = [0; 2].map(|_: i32| rows_of_numbers(&mut dice, depth));
    let exact = machines.same(|on| product_turned(on, [&a, &b], depth, 0, 0));
    // One part more than the windows take.
    assert_eq!(machines.same(|on| product_turned(on, [&a, &b], depth, 0, u32::MAX)), exact);
}

/// No other check guards shared memory here: copies do not check where they write.
#[test]
fn stages_without_room_for_the_windows_are_an_error() {
    let machines = all(gpus("sm_80"));
    let ones = vec![bf16x8::of([1.0; 8]); 64 * 128 / 8];
    for (name, on) in &machines {
        // A stage lacks one part of 16 bytes, one row, or all.
        for missing in [1, 8, 8 * 128] {
            let error = product_turned(on, [&ones, &ones], 128, 0, missing)
                .and_then(|_| on.synchronize())
                .expect_err("a stage has no room");
            let found = error.kernel_panic().unwrap_or_else(|| panic!("{name}, {missing}: {error}"));
            assert!(found.to_string().contains("product.rs"), "{name}, {missing}: {found}");
        }
    }
}

/// The PTX for Hopper alone, if there was a compiler when the tests were built.
fn for_hopper() -> Option<&'static str> {
    let image = tensor_tests::PTX.ok()?.iter().find(|(name, _)| *name == "sm_90a");
    Some(image.expect("PTX for every kind of chip").1)
}

/// The instructions must not get into a branch that only some lanes take. The compiler does not duplicate a convergent operation, nor the
/// straight-line code behind it.
#[test]
fn products_of_warpgroups_stand_behind_a_convergent_operation() {
    let Some(ptx) = for_hopper() else {
        return println!("skipped: no device compiler when the tests were built");
    };
    let lines: Vec<_> = ptx.lines().map(str::trim).collect();
    let begins = (0..lines.len()).filter(|at| lines[*at].starts_with("wgmma.fence")).collect::<Vec<_>>();
    let (mut alone, mut in_chains) = (0, 0);
    for at in begins {
        // Pieces of one group stand behind each other.
        let before = lines[..at].iter().rev().find(|line| {
            line.starts_with("vote.sync.ballot")
                || line.ends_with(':')
                || line.split_whitespace().any(|word| word == "bra")
        });
        assert!(before.is_some_and(|line| line.starts_with("vote.sync.ballot")), "line {at}: {before:?}");
        let steps = lines[at + 1..]
            .iter()
            .take_while(|line| !line.starts_with("wgmma.commit_group") && !line.starts_with("wgmma.fence"));
        let steps = steps.filter(|line| line.starts_with("wgmma.mma_async")).count();
        assert_eq!(steps, 4, "line {at}");
        let kernel = lines[..at].iter().rev().find(|line| line.contains(".entry ")).expect("a kernel");
        if kernel.contains("together_") && !kernel.contains("attend") || kernel.contains("turned") {
            alone += 1;
        } else {
            in_chains += 1;
        }
    }
    // One in `turned` and in each instance of `staged` but that of 512 threads, which do not copy equally many parts.
    // Those of 8-bit floats have three each: for the first turn, and for odd and even ones.
    assert_eq!(alone, 6 + 1 + 2 + 3 * 3 + 3);
    // For 64 elements of rows or columns, before the first turn, in a turn, and after the last one.
    assert!(in_chains > 0);
    for (name, ptx) in tensor_tests::PTX.unwrap().iter().filter(|(name, _)| *name != "sm_90a") {
        assert!(!ptx.contains("wgmma"), "{name}");
    }
}

#[test]
fn the_assembler_lets_products_run_at_once() {
    let Some(ptx) = for_hopper() else {
        return println!("skipped: no device compiler when the tests were built");
    };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    // Where `ptxas --install` puts it: below this workspace.
    let places = root.ancestors().map(|folder| folder.join("target/ptxas")).filter(|place| place.is_dir());
    let assembler = match Ptxas::find(&places.collect::<Vec<_>>()) {
        Ok(assembler) => assembler,
        Err(error) => {
            let required = std::env::var_os("CUDA_REQUIRE_ASSEMBLER").is_some_and(|value| value == "1");
            assert!(!required, "CUDA_REQUIRE_ASSEMBLER=1, but {error}");
            return println!("skipped: {error}");
        }
    };
    let path = std::env::temp_dir().join(format!("warpgroups-{}.ptx", std::process::id()));
    std::fs::write(&path, ptx).unwrap();
    let found = assembler.resources(&path, NvvmArch::Compute90a);
    std::fs::remove_file(&path).unwrap();
    let found = found.unwrap();
    let together: Vec<_> = found
        .iter()
        .filter(|used| used.kernel.contains("together_") && !used.kernel.contains("attend") || used.kernel == "turned")
        .collect();
    assert_eq!(together.len(), 7 + 1 + 2 + 3 + 3);
    for used in together {
        // Where warpgroups cannot multiply, single warps have as many sums of 8-bit floats, and these as `f16`: a few registers too many.
        let may_spill = used.kernel == "fast_together_e4m3_128_256_4";
        assert!(!used.serialized && (used.spill_stores == 0 || may_spill), "{used:?}");
    }
    let chains =
        |name: &str| name.starts_with("attend_together_") || name.starts_with("chained_") && name != "chained_until";
    let chains: Vec<_> = found.iter().filter(|used| chains(&used.kernel)).collect();
    assert_eq!(chains.len(), 3 + 5);
    assert!(chains.iter().all(|used| !used.serialized), "{chains:?}");
}
