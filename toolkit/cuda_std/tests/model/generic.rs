//! Instances of generic kernels: their names, descriptions and errors, and parameters that no argument determines.

use cuda_layout::DeviceLayout;
use cuda_std::launch::{Kernel, LaunchError};
use cuda_std::prelude::*;
use std::ops::Mul;

/// Each block reverses its own part and scales it. The constant is the size of block, part and tile.
#[kernel(
    threads = N,
    requires(factors.len() == 1),
    instances(turned_f32 = <f32, 256>, turned_f64 = <f64, 128>, turned_u32 = <u32, { 2 * 32 }>)
)]
pub fn turned<T: DeviceLayout + Mul<Output = T>, const N: usize>(
    block: &mut Block,
    out: &mut Chunk<T, N>,
    factors: &[T],
    tile: &mut Shared<T, N>,
) {
    let n = out.len();
    let own = out.view(n);
    let tile = tile.fill(block, n, |i| own.get(i));
    out.fill(block, n, |i| tile.get(n - 1 - i) * factors.at(0));
}

#[test]
fn an_instance_has_a_name_a_block_and_a_description_of_its_own() {
    type Floats = turned::Kernel<f32, 256>;
    assert_eq!((Floats::NAME, Floats::THREADS), ("turned_f32", 256));
    assert_eq!((turned::Kernel::<u32, 64>::NAME, turned::Kernel::<u32, 64>::THREADS), ("turned_u32", 64));
    assert_eq!(Floats::DESCRIPTION, "turned_f32<f32,256>(out:&mut Chunk<f32,256>;factors:&[f32];)x256 grid 1");
    assert_eq!(
        turned::Kernel::<f64, 128>::DESCRIPTION,
        "turned_f64<f64,128>(out:&mut Chunk<f64,128>;factors:&[f64];)x128 grid 1"
    );
}

#[test]
fn errors_name_the_instance() {
    let launch = |blocks: u32, factors: &[f32]| {
        let mut out = [1.0; 300];
        turned::launch::<f32, 256, _>(&CpuExecutor::new(), blocks, turned::Args { out: &mut out, factors })
    };
    assert_eq!(launch(2, &[1.0]), Ok(()));
    let chunks = launch(3, &[1.0]);
    assert!(
        matches!(chunks, Err(LaunchError::Chunks { kernel: "turned_f32", per_block: 256, needed: 2, .. })),
        "{chunks:?}"
    );
    let contract = launch(2, &[]);
    let wanted = LaunchError::Requirement { kernel: "turned_f32", expression: "factors.len() == 1" };
    assert_eq!(contract, Err(wanted));
}

/// An operation given by its type, without a value.
pub trait Operation<T> {
    /// The neutral element.
    const NEUTRAL: T;
    /// Combines two values.
    fn join(a: T, b: T) -> T;
}

/// The sum.
pub struct Sum;

/// The maximum.
pub struct Largest;

impl Operation<u32> for Sum {
    const NEUTRAL: u32 = 0;
    fn join(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
}

impl Operation<u32> for Largest {
    const NEUTRAL: u32 = 0;
    fn join(a: u32, b: u32) -> u32 {
        a.max(b)
    }
}

impl Operation<i64> for Sum {
    const NEUTRAL: i64 = 0;
    fn join(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
}

const WIDE: u32 = 128;

/// No argument determines `Op` or `WHOLE`. Parameters may have names that launches use in other libraries.
#[kernel(
    threads = WIDE,
    instances(sums = <u32, Sum, false>, largest = <u32, Largest, false>, whole_sums = <i64, Sum, true>)
)]
fn joined<S, E, const WHOLE: bool>(block: &mut Block, out: &mut Chunk<S, 4>, x: &[S])
where
    S: DeviceLayout,
    E: Operation<S>,
{
    let (n, all, part) = (out.len(), x.len() as u32, x.len() as u32 / 4);
    let first = out.start();
    let whole = block.reduce(all, E::NEUTRAL, |i| x.at(i), E::join);
    out.fill(block, n, |i| {
        let values = (0..part).map(|k| x.at((first + i) * part + k));
        if WHOLE { whole } else { values.fold(E::NEUTRAL, E::join) }
    });
}

#[test]
fn what_no_argument_says_the_launch_says() {
    let cpu = CpuExecutor::new();
    let x: Vec<u32> = (0..16).collect();
    let mut out = [0; 4];
    joined::launch::<_, Sum, false, _>(&cpu, 1, joined::Args { out: &mut out, x: &x }).unwrap();
    assert_eq!(out, [6, 22, 38, 54]);
    joined::launch::<_, Largest, false, _>(&cpu, 1, joined::Args { out: &mut out, x: &x }).unwrap();
    assert_eq!(out, [3, 7, 11, 15]);
    let mut out = [0; 4];
    joined::launch::<_, Sum, true, _>(&cpu, 1, joined::Args { out: &mut out, x: &[5i64, -9, 1] }).unwrap();
    assert_eq!(out, [-3; 4]);
}
