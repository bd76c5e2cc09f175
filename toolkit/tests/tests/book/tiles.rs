//! The examples of the chapter on tiles, on CPU cores: a product of matrices in four steps.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use toolkit_tests::dice::bits;

// ANCHOR: plain
/// C = A B. A has `k` columns, and B has `k` rows.
#[kernel(threads = 256, requires(a.len() == c.rows() * k as usize, b.len() == k as usize * c.columns()))]
pub fn plain(block: &mut Block, c: &mut Tile2d<f32, 16, 16>, a: &[f32], b: &[f32], k: u32) {
    let (top, left, [_, columns]) = (c.first_row(), c.first_column(), c.matrix());
    c.fill(block, |row, column| {
        let term = |i| (a.at((top + row) * k + i), b.at(i * columns + left + column));
        (0..k).fold(0.0, |sum, i| math::fma(term(i).0, term(i).1, sum))
    });
}
// ANCHOR_END: plain

// ANCHOR: factors
/// The factors of C = A B. A has `k` columns, and B has `k` rows.
#[derive(Arguments)]
pub struct Factors<'a> {
    pub a: &'a [f32],
    pub b: &'a [f32],
    pub k: u32,
}
// ANCHOR_END: factors

// ANCHOR: tiled
/// The same, with tiles of 16 x 16 in shared memory.
#[kernel(threads = 256, requires(factors.a.len() == c.rows() * factors.k as usize, factors.b.len() == factors.k as usize * c.columns()))]
pub fn tiled(
    block: &mut Block,
    c: &mut Tile2d<f32, 16, 16>,
    factors: Factors<'_>,
    from_a: &mut Shared<f32, 256>,
    from_b: &mut Shared<f32, 256>,
) {
    let Factors { a, b, k } = factors;
    let (top, left, [rows, columns]) = (c.first_row(), c.first_column(), c.matrix());
    let mut sums = block.per_thread(|_| 0.0);
    for first in (0..k).step_by(16) {
        let from_a = from_a.fill(block, 256, |i| {
            let (row, column) = (top + i / 16, first + i % 16);
            if row < rows && column < k { a.at(row * k + column) } else { 0.0 }
        });
        let from_b = from_b.fill(block, 256, |i| {
            let (row, column) = (first + i / 16, left + i % 16);
            if row < k && column < columns { b.at(row * columns + column) } else { 0.0 }
        });
        block.each(&mut sums, |thread, sum| {
            let (row, column) = (thread.index() / 16, thread.index() % 16);
            for i in 0..16 {
                *sum = math::fma(from_a.get(16 * row + i), from_b.get(16 * i + column), *sum);
            }
        });
    }
    // One row and one column of the tile per thread.
    c.write::<1, 1, _>(block, &sums, |_, sum, _, _| *sum);
}
// ANCHOR_END: tiled

// ANCHOR: halves
/// The same for whole tiles, with one barrier per iteration.
#[kernel(
    threads = 256,
    requires(
        c.rows().is_multiple_of(16) && c.columns().is_multiple_of(16) && factors.k.is_multiple_of(16),
        factors.a.len() == c.rows() * factors.k as usize && factors.b.len() == factors.k as usize * c.columns(),
    )
)]
pub fn halved(
    block: &mut Block,
    c: &mut Tile2d<f32, 16, 16, WriteOnly>,
    factors: Factors<'_>,
    from_a: &mut Shared<f32, 512>,
    from_b: &mut Shared<f32, 512>,
) {
    let Factors { a, b, k } = factors;
    let (top, left, [rows, columns]) = (c.first_row(), c.first_column(), c.matrix());
    let (a, b) = (Table::new(a, rows, k), Table::new(b, k, columns));
    let (mut from_a, mut from_b) = (from_a.halves(block), from_b.halves(block));
    let mut sums = block.per_thread(|_| 0.0);
    for first in (0..k).step_by(16) {
        let (a, b) = (a.window::<16, 16>(top, first), b.window::<16, 16>(first, left));
        let from_a = from_a.fill(block, 256, |i| a.at(i / 16, i % 16));
        let from_b = from_b.fill(block, 256, |i| b.at(i / 16, i % 16));
        let (from_a, from_b) = block.meet((from_a, from_b));
        block.each(&mut sums, |thread, sum| {
            let (row, column) = (thread.index() / 16, thread.index() % 16);
            for i in 0..16 {
                *sum = math::fma(from_a.get(16 * row + i), from_b.get(16 * i + column), *sum);
            }
        });
    }
    c.write::<1, 1, _>(block, &sums, |_, sum, _, _| *sum);
}
// ANCHOR_END: halves

// ANCHOR: parts
/// The same with 2 x 2 elements per thread.
#[kernel(
    threads = 256,
    requires(
        c.rows().is_multiple_of(32) && c.columns().is_multiple_of(32) && factors.k.is_multiple_of(16),
        factors.a.len() == c.rows() * factors.k as usize && factors.b.len() == factors.k as usize * c.columns(),
    )
)]
pub fn by_parts(
    block: &mut Block,
    c: &mut Tile2d<f32, 32, 32, WriteOnly>,
    factors: Factors<'_>,
    from_a: &mut Shared<f32, 1024>,
    from_b: &mut Shared<f32, 1024>,
) {
    let Factors { a, b, k } = factors;
    let (top, left, [rows, columns]) = (c.first_row(), c.first_column(), c.matrix());
    let (a, b) = (Table::new(a, rows, k), Table::new(b, k, columns));
    let (mut from_a, mut from_b) = (from_a.halves(block), from_b.halves(block));
    let mut sums = block.per_thread(|_| [[0.0; 2]; 2]);
    for first in (0..k).step_by(16) {
        let (a, b) = (a.window::<32, 16>(top, first), b.window::<16, 32>(first, left));
        let from_a = from_a.fill(block, 512, |i| a.at(i / 16, i % 16));
        let from_b = from_b.fill(block, 512, |i| b.at(i / 32, i % 32));
        let (from_a, from_b) = block.meet((from_a, from_b));
        block.each(&mut sums, |thread, sums| {
            let (row, column) = (thread.index() / 16 * 2, thread.index() % 16 * 2);
            for i in 0..16 {
                let x = [from_a.get(16 * row + i), from_a.get(16 * (row + 1) + i)];
                let y = [from_b.get(32 * i + column), from_b.get(32 * i + column + 1)];
                // Unrolled: an array that a loop indexes is in memory, not in registers.
                sums[0][0] = math::fma(x[0], y[0], sums[0][0]);
                sums[0][1] = math::fma(x[0], y[1], sums[0][1]);
                sums[1][0] = math::fma(x[1], y[0], sums[1][0]);
                sums[1][1] = math::fma(x[1], y[1], sums[1][1]);
            }
        });
    }
    c.write::<2, 2, _>(block, &sums, |_, sums, i, j| sums[i as usize][j as usize]);
}
// ANCHOR_END: parts

/// Numbers between -1 and 1 whose products and sums are rounded.
fn numbers(n: u32, seed: u32) -> Vec<f32> {
    let word = |i: u32| (i ^ seed).wrapping_mul(2_654_435_761) >> 8;
    (0..n).map(|i| word(i) as f32 / (1 << 23) as f32 - 1.0).collect()
}

/// The product by the textbook loop.
fn product(a: &[f32], b: &[f32], [rows, columns, k]: [u32; 3]) -> Vec<u32> {
    let element = |row: u32, column: u32| {
        let term = |i: u32| (a[(row * k + i) as usize], b[(i * columns + column) as usize]);
        (0..k).fold(0.0f32, |sum, i| term(i).0.mul_add(term(i).1, sum)).to_bits()
    };
    (0..rows * columns).map(|i| element(i / columns, i % columns)).collect()
}

/// Launches a kernel on matrices of these sizes, in several orders, and compares.
macro_rules! check {
    ($kernel:ident, $tile:literal, $sizes:expr) => {
        check!($kernel, $tile, $sizes, |c, a, b, k| $kernel::Args { c, factors: FactorsArgs { a, b, k } })
    };
    ($kernel:ident, $tile:literal, $sizes:expr, |$c:ident, $a:ident, $b:ident, $k:ident| $args:expr) => {
        for sizes in $sizes {
            let [rows, columns, $k] = sizes;
            let (a, b) = (numbers(rows * $k, 1), numbers($k * columns, 2));
            let ($a, $b) = (&a[..], &b[..]);
            for executor in [CpuExecutor::new(), CpuExecutor::shuffled(5)] {
                let mut c = vec![f32::NAN; (rows * columns) as usize];
                let grid = (columns.div_ceil($tile), rows.div_ceil($tile));
                let $c = Matrix { data: &mut c[..], columns };
                $kernel::launch(&executor, grid, $args)?;
                assert_eq!(bits(&c), product(&a, &b, sizes), "{} of {sizes:?}", stringify!($kernel));
            }
        }
    };
}

#[test]
fn all_steps_have_the_bits_of_the_plain_loop() -> Result<(), LaunchError> {
    check!(plain, 16, [[1, 1, 1], [17, 33, 40], [16, 48, 0], [32, 64, 32]], |c, a, b, k| plain::Args { c, a, b, k });
    check!(tiled, 16, [[1, 1, 1], [17, 33, 40], [16, 48, 0], [32, 64, 32]]);
    check!(halved, 16, [[16, 16, 16], [16, 48, 0], [32, 64, 80]]);
    check!(by_parts, 32, [[32, 32, 16], [32, 96, 0], [64, 32, 80]]);
    Ok(())
}

#[test]
fn a_launch_says_what_does_not_fit() {
    let (a, b, mut c) = (numbers(16 * 17, 1), numbers(17 * 16, 2), vec![0.0; 256]);
    let mut launch = |grid: (u32, u32), k| {
        let c = Matrix { data: &mut c[..], columns: 16 };
        halved::launch(&CpuExecutor::new(), grid, halved::Args { c, factors: FactorsArgs { a: &a, b: &b, k } })
    };
    // ANCHOR: refused
    // A grid of 2 x 1 for a matrix of one tile.
    let Err(error @ LaunchError::Tiles { .. }) = launch((2, 1), 17) else { panic!("there is one tile") };
    assert!(error.to_string().contains("in tiles of 16 x 16, take a grid of 1 x 1 x 1 blocks"), "{error}");
    // Seventeen columns of A.
    let Err(error @ LaunchError::Requirement { .. }) = launch((1, 1), 17) else { panic!("17 is no multiple of 16") };
    assert!(error.to_string().contains("k.is_multiple_of(16)"), "{error}");
    // ANCHOR_END: refused
}
