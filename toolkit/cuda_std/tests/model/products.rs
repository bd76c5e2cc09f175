//! `Stages::add_products`, compared with its definition.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// A times the transpose of B for 64 rows of A and 32 of B: two warps with 32 x 32 each, from row `first` of A's windows on.
#[kernel(threads = 64, requires(out.columns() == 32))]
fn product(
    block: &mut Block,
    out: &mut Tile2d<f32, 64, 32, WriteOnly>,
    a: &[f16x8],
    b: &[f16x8],
    depths: [u32; 2],
    first: u32,
    tiles: &mut Shared<f16x8, { 3 * 96 * 8 }>,
) {
    let [a, b] = [(a, 64, depths[0]), (b, 32, depths[1])].map(|(rows, n, depth)| Table::new(rows, n, depth / 8));
    let windows = (a.windows_across::<64, 8>(0), b.windows_across::<32, 8>(0));
    let mut product = block.per_thread(|_| MatrixProduct::<f16, 2, 4>::zero());
    tiles.stages::<3>(block).add_products(block, windows, |warp| [first + 32 * warp, 0], &mut product);
    let sums = block.finish_products(product);
    out.write_sums(block, &sums, |_, _, sum| sum);
}

/// Whole numbers, whose sums are exact.
fn rows(n: u32, depth: u32, most: u32) -> Vec<f16x8> {
    let number = |i: u32| f16::from_f32((i * i % 1013 % most) as f32);
    (0..n * depth / 8).map(|i| f16x8::from_array([0, 1, 2, 3, 4, 5, 6, 7].map(|k| number(8 * i + k)))).collect()
}

fn run(executor: &CpuExecutor, depths: [u32; 2], first: u32) -> Result<Vec<f32>, LaunchError> {
    let (a, b) = (rows(64, depths[0], 9), rows(32, depths[1], 7));
    let mut out = vec![0.0; 64 * 32];
    let args = product::Args { out: Matrix { data: &mut out[..], columns: 32 }, a: &a[..], b: &b[..], depths, first };
    product::launch(executor, (1, 1), args).map(|()| out)
}

#[test]
fn products_of_windows_are_those_of_their_rows() {
    // Fewer turns than stages, none, and more. An incomplete window is not multiplied.
    for depth in if cfg!(miri) { vec![64] } else { vec![0, 8, 64, 128, 192, 456] } {
        let (a, b) = (rows(64, depth, 9), rows(32, depth, 7));
        let line = |rows: &[f16x8], i: u32| -> Vec<f32> {
            let row = &rows[(i * depth / 8) as usize..][..(depth / 64 * 8) as usize];
            row.iter().flat_map(|eight| eight.to_f32()).collect()
        };
        for executor in [CpuExecutor::new(), CpuExecutor::shuffled(4)] {
            let found = run(&executor, [depth; 2], 0).unwrap();
            for (row, column) in [(0, 0), (17, 5), (31, 31), (32, 0), (63, 30)] {
                let exact: f32 = line(&a, row).iter().zip(line(&b, column)).map(|(x, y)| x * y).sum();
                assert_eq!(found[(row * 32 + column) as usize], exact, "({row}, {column}) of depth {depth}");
            }
        }
    }
}

#[test]
fn windows_that_do_not_fit_are_refused() {
    // More windows of one table than of the other; a warp's rows beyond its window.
    for (depths, first, fits) in
        [([128, 128], 0, true), ([128, 64], 0, false), ([128, 128], 1, false), ([64, 64], u32::MAX, false)]
    {
        let found = run(&CpuExecutor::new(), depths, first);
        assert_eq!(found.is_ok(), fits, "{depths:?} from {first}: {found:?}");
    }
}
