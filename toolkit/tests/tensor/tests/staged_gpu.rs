//! Tiles in several stages, and whole rows of shared memory for tensor cores, on a GPU: the bits of CPU cores.

use cuda_host::{CudaError, DeviceBuffer, Machine};
use cuda_std::prelude::*;
use tensor_kernels as k;
use tensor_tests::gpus;
use toolkit_tests::device::Machines;
use toolkit_tests::dice::Dice;

#[test]
fn matrices_of_tiles_are_those_of_the_definition() {
    let (machines, mut dice) = (Machines::of(gpus("sm_80")), Dice::new(1));
    macro_rules! check {
        ($kernel:ident, $sum:ty, $from:expr, $row:literal, $most:literal) => {{
            let mut list = |rows: usize| -> Vec<i32> {
                (0..rows * $row).map(|_| dice.below(2 * $most + 1) as i32 - $most).collect()
            };
            let (a, b) = (list(16), list(24));
            let [x, y] = [&a, &b].map(|list| list.iter().map(|x| $from(*x)).collect::<Vec<_>>());
            for way in 0..3 {
                let found = machines.same(|on| {
                    let (x, y, mut out) = (on.buffer(&x)?, on.buffer(&y)?, on.zeroed::<$sum>(16 * 24)?);
                    let data = Matrix { data: out.view_mut(), columns: 24 };
                    k::$kernel::launch(on, (1, 1), k::$kernel::Args { out: data, a: x.view(), b: y.view(), way })?;
                    out.download()
                });
                for (at, found) in found.into_iter().enumerate() {
                    let (row, column) = (at / 24, at % 24);
                    let exact: i32 = (0..$row).map(|k| a[row * $row + k] * b[column * $row + k]).sum();
                    assert_eq!(found as i32, exact, "row {row}, column {column}, way {way}");
                }
            }
        }};
    }
    check!(from_tiles_f16, f32, |x: i32| f16::from_f32(x as f32), 64, 100);
    check!(from_tiles_bf16, f32, |x: i32| bf16::from_f32(x as f32), 64, 100);
    check!(from_tiles_tf32, f32, |x: i32| tf32::from_f32(x as f32), 32, 100);
    check!(from_tiles_i8, i32, |x: i32| x as i8, 128, 127);
    check!(from_tiles_e4m3, f32, |x: i32| e4m3::from_f32(x as f32), 128, 16);
    check!(from_tiles_e5m2, f32, |x: i32| e5m2::from_f32(x as f32), 128, 8);
}

#[test]
fn products_by_stages_have_the_bits_of_the_cpu() {
    let (gpus, mut dice) = (gpus("sm_80"), Dice::new(2));
    // Fewer turns than stages, as many, and more.
    for depth in [64u32, 128, 192, 448] {
        let mut matrix = |rows: u32| -> Vec<bf16x8> {
            let mut eight = || [0; 8].map(|_: i32| bf16::from_f32(dice.below(9) as f32 - 4.0));
            (0..rows * depth / 8).map(|_| bf16x8::from_array(eight())).collect()
        };
        let (a, b) = (matrix(256), matrix(256));
        macro_rules! check {
            ($rows:literal, $columns:literal, $stages:literal) => {{
                let (grid, tiles) = ((256 / $columns, 256 / $rows), DynamicLength($stages * 8 * ($rows + $columns)));
                let mut out = vec![0.0f32; 256 * 256];
                let data = Matrix { data: &mut out[..], columns: 256 };
                let args = k::staged::Args { out: data, a: &a[..], b: &b[..], depth, tiles };
                k::staged::launch::<bf16x8, $rows, $columns, $stages, 4, 8, _>(&CpuExecutor::new(), grid, args)
                    .unwrap();
                let line = |matrix: &[bf16x8], line: usize| -> Vec<f32> {
                    matrix[line * depth as usize / 8..][..depth as usize / 8].iter().flat_map(|x| x.to_f32()).collect()
                };
                let exact: f32 = line(&a, 200).iter().zip(&line(&b, 131)).map(|(x, y)| x * y).sum();
                assert_eq!(out[200 * 256 + 131], exact);
                for (name, gpu) in &gpus {
                    let [x, y] = [&a, &b].map(|values| DeviceBuffer::from_slice(gpu.stream(), values).unwrap());
                    let mut there = DeviceBuffer::<f32>::zeroed(gpu.stream(), out.len()).unwrap();
                    let data = Matrix { data: there.view_mut(), columns: 256 };
                    let args = k::staged::Args { out: data, a: x.view(), b: y.view(), depth, tiles };
                    // A chip with less shared memory refuses the largest ones.
                    match k::staged::launch::<bf16x8, $rows, $columns, $stages, 4, 8, _>(gpu, grid, args) {
                        Err(cuda_host::CudaError::SharedMemory { .. }) => println!("{name}: too little shared memory"),
                        launched => {
                            launched.unwrap();
                            assert!(there.download(gpu.stream()).unwrap() == out, "{name}, depth {depth}");
                        }
                    }
                }
            }};
        }
        check!(128, 256, 3);
        check!(128, 256, 4);
        check!(256, 128, 3);
        check!(128, 128, 4);
    }
}

/// Whole numbers, whose sums are exact.
fn rows(n: u32, depth: u32, most: u32) -> Vec<f16x8> {
    let number = |i: u32| f16::from_f32((i * i % 1013 % most) as f32);
    (0..n * depth / 8).map(|i| f16x8::from_array([0, 1, 2, 3, 4, 5, 6, 7].map(|k| number(8 * i + k)))).collect()
}

/// The product of 64 rows and 32 columns of these depths; the first warp begins at row `first` of A's windows.
fn product_of_windows(on: &Machine, [deep_a, deep_b]: [u32; 2], first: u32) -> Result<Vec<f32>, CudaError> {
    let (a, b) = (on.buffer(&rows(64, deep_a, 9))?, on.buffer(&rows(32, deep_b, 7))?);
    let mut out = on.zeroed::<f32>(64 * 32)?;
    let data = Matrix { data: out.view_mut(), columns: 32 };
    let args = k::stages_of_windows::Args { out: data, a: a.view(), b: b.view(), deep_a, deep_b, first };
    k::stages_of_windows::launch(on, (1, 1), args)?;
    out.download()
}

#[test]
fn products_of_windows_are_those_of_their_rows() {
    let machines = Machines::of(gpus("sm_80")).in_any_order();
    // Fewer turns than stages, none, and more. An incomplete window is not multiplied.
    for depth in [0, 8, 64, 128, 192, 456] {
        let (a, b) = (rows(64, depth, 9), rows(32, depth, 7));
        let line = |rows: &[f16x8], i: u32| -> Vec<f32> {
            let row = &rows[(i * depth / 8) as usize..][..(depth / 64 * 8) as usize];
            row.iter().flat_map(|eight| eight.to_f32()).collect()
        };
        let found = machines.same(|on| product_of_windows(on, [depth; 2], 0));
        for (row, column) in [(0, 0), (17, 5), (31, 31), (32, 0), (63, 30)] {
            let exact: f32 = line(&a, row).iter().zip(line(&b, column)).map(|(x, y)| x * y).sum();
            assert_eq!(found[(row * 32 + column) as usize], exact, "({row}, {column}) of depth {depth}");
        }
    }
}

#[test]
fn windows_that_do_not_fit_are_refused() {
    let machines = Machines::of(gpus("sm_80")).in_any_order();
    machines.same(|on| product_of_windows(on, [128, 128], 0));
    // More windows of one table than of the other; a warp's rows beyond its window.
    for (depths, first) in [([128, 64], 0), ([128, 128], 1), ([64, 64], u32::MAX)] {
        machines.panic(|on| product_of_windows(on, depths, first));
    }
}

#[test]
fn closures_are_part_of_their_kernels() {
    let Ok(images) = tensor_tests::PTX else {
        return println!("skipped: no device compiler when the tests were built");
    };
    for (name, ptx) in images {
        // A call would move the sums of a product through memory.
        // Before 9.0 the conversion of many 8-bit floats is so long that they do go there.
        let is_long = |line: &&str| *name < "sm_90" && line.contains("e4m3x16");
        let calls: Vec<_> = ptx.lines().filter(|line| line.starts_with(".func") && line.contains("_RNC")).collect();
        let calls: Vec<_> = calls.into_iter().filter(|line| !is_long(line)).collect();
        assert!(calls.is_empty(), "{name}: {calls:#?}");
    }
}
