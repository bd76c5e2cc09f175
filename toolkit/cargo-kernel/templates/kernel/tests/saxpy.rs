//! The kernel compared with plain Rust: on CPU cores, and on a GPU if there is one.

use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write as _};

use my_kernels::{IMAGE, saxpy};

const A: f32 = 1.5;

/// Blocks of very different sizes, one of them empty.
const OFFSETS: [u32; 5] = [0, 1, 1, 4_000, 10_000];
const BLOCKS: u32 = 4;

/// x and y.
fn inputs() -> (Vec<f32>, Vec<f32>) {
    (0..10_000u16).map(f32::from).map(|i| (i / 7.0, 100.0 - i / 3.0)).unzip()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn expected() -> Vec<u32> {
    let (x, y) = inputs();
    bits(&x.iter().zip(&y).map(|(x, y)| y + A * x).collect::<Vec<_>>())
}

// ANCHOR: cpu
#[test]
fn cpu_cores_compute_what_plain_rust_does() -> Result<(), Box<dyn Error>> {
    let offsets = Offsets::new(OFFSETS.to_vec())?;
    // The second executor runs blocks and threads in a shuffled order: a GPU guarantees none.
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(1)] {
        let (x, mut y) = inputs();
        saxpy::launch(&executor, BLOCKS, saxpy::Args { y: Segments { data: &mut y, offsets: &offsets }, x: &x, a: A })?;
        assert_eq!(bits(&y), expected());
    }
    Ok(())
}
// ANCHOR_END: cpu

// ANCHOR: gpu
#[test]
fn a_gpu_computes_the_same_bits() -> Result<(), Box<dyn Error>> {
    let image = match IMAGE {
        Ok(image) => image,
        Err(why) => return skipped(why),
    };
    let executor = match CudaExecutor::open(0, "my_kernels", image) {
        Ok(executor) => executor,
        Err(error) if error.is_unavailable() => return skipped(error),
        Err(error) => return Err(error.into()),
    };
    let stream = executor.stream();
    let (x, y) = inputs();
    let x = DeviceBuffer::from_slice(stream, &x)?;
    let mut y = DeviceBuffer::from_slice(stream, &y)?;
    let offsets = DeviceOffsets::new(stream, &Offsets::new(OFFSETS.to_vec())?)?;
    saxpy::launch(
        &executor,
        BLOCKS,
        saxpy::Args { y: Segments { data: y.view_mut(), offsets: &offsets }, x: x.view(), a: A },
    )?;
    assert_eq!(bits(&y.download(stream)?), expected());
    Ok(())
}
// ANCHOR_END: gpu

// ANCHOR: panic
#[test]
fn an_index_out_of_bounds_is_an_error() -> Result<(), Box<dyn Error>> {
    let (x, mut y) = inputs();
    let offsets = Offsets::new(OFFSETS.to_vec())?;
    let launched = saxpy::launch(
        &CpuExecutor::new(),
        BLOCKS,
        saxpy::Args { y: Segments { data: &mut y, offsets: &offsets }, x: &x[..9_999], a: A },
    );
    match launched {
        Err(LaunchError::Panic(panic)) => assert_eq!((panic.kernel.as_str(), panic.block[0]), ("saxpy", 3)),
        other => panic!("the last element of `x` is missing, but {other:?}"),
    }
    Ok(())
}
// ANCHOR_END: panic

/// Prints in one line that a test was skipped. CUDA_REQUIRE_GPU=1 makes that a failure.
fn skipped(why: impl Display) -> Result<(), Box<dyn Error>> {
    if std::env::var_os("CUDA_REQUIRE_GPU").is_some_and(|value| value == "1") {
        return Err(format!("CUDA_REQUIRE_GPU=1, but {why}").into());
    }
    // Not through `eprintln!`, which a passing test captures; and in one call, since other tests write, too.
    let line = format!("skipped: {}\n", why.to_string().lines().next().unwrap_or_default());
    io::stderr().write_all(line.as_bytes())?;
    Ok(())
}
