//! The examples of the chapter on small floats and tensor cores, on CPU cores.

use cuda_host::Image;
use cuda_std::MatrixElement;
use cuda_std::prelude::*;

// ANCHOR: scale
/// `y = a x + y`, eight elements per thread. Sums and products are each rounded once.
#[kernel(threads = 256, requires(y.len() == x.len()))]
pub fn axpy(block: &mut Block, y: &mut Chunk<bf16x8, 256>, x: &[bf16x8], a: bf16) {
    let (n, first) = (y.len(), y.start());
    y.update(block, n, |i, y| *y = x.at(first + i).fma(bf16x8::splat(a), *y));
}

/// Means of rows of 16-bit floats. They are added as `f32`, because 16 bits are for storage, not for sums.
#[kernel(threads = 128, requires(x.len() == out.len() * columns as usize))]
pub fn means(block: &mut Block, out: &mut Chunk<f16, 16>, x: &[f16], columns: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill_by_team::<8>(block, n, |team, row| {
        let begin = (first + row) * columns;
        let sum = team.reduce(columns, 0.0, |sum, k| sum + x.at(begin + k).to_f32(), |a, b| a + b);
        f16::from_f32(sum / columns as f32)
    });
}
// ANCHOR_END: scale

#[test]
fn sixteen_bits_are_elements_like_others() {
    // ANCHOR: host
    // The types of the crate `half` have the same bits.
    let x: Vec<half::f16> = (0..30).map(|i| half::f16::from_f32(i as f32 / 4.0)).collect();
    let mut out = [f16::ZERO; 3];
    let args = means::Args { out: &mut out[..], x: bytemuck::cast_slice(&x), columns: 10 };
    means::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out.map(half::f16::from), [1.125, 3.625, 6.125].map(half::f16::from_f32));
    // ANCHOR_END: host
    let x = vec![bf16x8::from_f32([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]); 300];
    let mut y = vec![bf16x8::splat(bf16::ONE); 300];
    let args = axpy::Args { y: &mut y[..], x: &x[..], a: bf16::from_f32(0.5) };
    axpy::launch(&CpuExecutor::new(), 2, args).unwrap();
    assert_eq!(y[299].to_f32(), [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0]);
}

// ANCHOR: product
/// Distance between rows of the tiles in shared memory, in elements: 32, plus 8 so that rows begin in different banks.
const ROW: u32 = 40;

/// Two matrices, row by row. A has `depth` columns, and B has `depth` rows.
#[derive(Arguments)]
pub struct Factors<'a> {
    pub a: &'a [bf16],
    pub b: &'a [bf16],
    pub depth: u32,
}

/// C = A B for row-major matrices: a block for each 64 x 64 of C, with four warps of 32 x 32 each.
#[kernel(
    threads = 128,
    requires(
        c.rows().is_multiple_of(64) && c.columns().is_multiple_of(64) && factors.depth.is_multiple_of(32),
        factors.a.len() == c.rows() * factors.depth as usize,
        factors.b.len() == factors.depth as usize * c.columns(),
    )
)]
pub fn product(
    block: &mut Block,
    c: &mut Tile2d<f32, 64, 64, WriteOnly>,
    factors: Factors<'_>,
    from_a: &mut Shared<bf16x8, 320>,
    from_b: &mut Shared<bf16, 2560>,
) {
    let Factors { a, b, depth } = factors;
    let (top, left, [_, columns]) = (c.first_row(), c.first_column(), c.matrix());
    let eights = Vectors::<_, 8>::of(a);
    let mut sums = block.per_thread(|_| MatrixSums::<bf16, 2, 4>::zero());
    for first in (0..depth).step_by(32) {
        // 64 rows of 32 elements, eight at a time; the fifth group of a row is padding.
        let from_a = from_a.fill_all(block, |i| {
            let (row, eight) = (top + i / 5, (i % 5).min(3));
            bf16x8::from_array(eights.get((row * depth + first) / 8 + eight))
        });
        // 64 columns of 32 elements.
        let from_b = from_b.fill_all(block, |i| {
            let (column, row) = (left + i / ROW, first + (i % ROW).min(31));
            b.at(row * columns + column)
        });
        let from_a = from_a.elements();
        block.warps_with(&mut sums, |warp, sums| {
            let (top, left) = (warp.index() / 2 * 32, warp.index() % 2 * 32);
            for k in (0..32).step_by(bf16::DEPTH as usize) {
                let a = warp.matrix_a(&from_a, top * ROW + k, ROW);
                let b = warp.matrix_b_by_columns(&from_b, left * ROW + k, ROW);
                warp.multiply(&a, &b, sums);
            }
        });
    }
    c.write_sums(block, &sums, |_, _, sum| sum);
}
// ANCHOR_END: product

#[test]
fn the_product_is_that_of_the_definition() {
    let (rows, columns, depth) = (128u32, 64, 96);
    let number = |i: u32| bf16::from_f32((i * i % 17) as f32 - 8.0);
    let a: Vec<_> = (0..rows * depth).map(number).collect();
    let b: Vec<_> = (0..depth * columns).map(|i| number(i + 5)).collect();
    let mut out = vec![0.0; (rows * columns) as usize];
    let c = Matrix { data: &mut out[..], columns };
    let args = product::Args { c, factors: FactorsArgs { a: &a[..], b: &b[..], depth } };
    product::launch(&CpuExecutor::shuffled(3), (columns / 64, rows / 64), args).unwrap();
    for (at, found) in (0..).zip(out) {
        let (row, column) = (at / columns, at % columns);
        let terms =
            (0..depth).map(|k| a[(row * depth + k) as usize].to_f32() * b[(k * columns + column) as usize].to_f32());
        assert_eq!(found, terms.sum::<f32>(), "row {row}, column {column}");
    }
}

// ANCHOR: together
/// A times the transpose of B, with `depth` elements in each row. A block computes 64 x 128 by four warps of 16 x 128, which multiply
/// together on Hopper.
#[kernel(
    threads = 128,
    requires(
        c.rows().is_multiple_of(64) && c.columns().is_multiple_of(128) && depth.is_multiple_of(64),
        a.len() * 8 == c.rows() * depth as usize && b.len() * 8 == c.columns() * depth as usize,
        tiles.len() == 4 * (64 + 128) * 8,
    )
)]
pub fn together(
    block: &mut Block,
    c: &mut Tile2d<f32, 64, 128, WriteOnly>,
    a: &[bf16x8],
    b: &[bf16x8],
    depth: u32,
    tiles: &mut DynamicShared<bf16x8>,
) {
    let (top, left, [rows, columns]) = (c.first_row(), c.first_column(), c.matrix());
    let (a, b) = (Table::new(a, rows, depth / 8), Table::new(b, columns, depth / 8));
    let windows = (a.windows_across::<64, 8>(top), b.windows_across::<128, 8>(left));
    let mut product = block.per_thread(|_| MatrixProduct::<bf16, 1, 16>::zero());
    tiles.stages::<4>(block).add_products(block, windows, |warp| [16 * warp, 0], &mut product);
    let sums = block.finish_products(product);
    c.write_sums(block, &sums, |_, _, sum| sum);
}
// ANCHOR_END: together

#[test]
fn the_product_of_four_warps_is_that_of_the_definition() {
    let (rows, columns, depth) = (128u32, 128, 192);
    let number = |i: u32| bf16::from_f32((i * i % 17) as f32 - 8.0);
    let line = |i: u32| bf16x8::from_array([0, 1, 2, 3, 4, 5, 6, 7].map(|k| number(8 * i + k)));
    let (a, b): (Vec<_>, Vec<_>) =
        ((0..rows * depth / 8).map(line).collect(), (0..columns * depth / 8).map(line).collect());
    let mut out = vec![0.0; (rows * columns) as usize];
    let c = Matrix { data: &mut out[..], columns };
    let args = together::Args { c, a: &a[..], b: &b[..], depth, tiles: DynamicLength(4 * (64 + 128) * 8) };
    together::launch(&CpuExecutor::shuffled(4), (columns / 128, rows / 64), args).unwrap();
    for (at, found) in (0..).zip(out) {
        let terms =
            (0..depth).map(|k| number(at / columns * depth + k).to_f32() * number(at % columns * depth + k).to_f32());
        assert_eq!(found, terms.sum::<f32>(), "element {at}");
    }
}

// ANCHOR: newest
/// The last of several images that a device can load.
fn newest<'p>(images: &[Image<'p>], compute_capability: (u32, u32)) -> Option<Image<'p>> {
    images.iter().copied().rfind(|image| image.runs_on(compute_capability))
}
// ANCHOR_END: newest

#[test]
fn a_device_gets_the_newest_ptx_that_it_can_load() {
    // SAFETY: nothing is loaded.
    let images = [".target sm_80\n", ".target sm_90a\n"].map(|ptx| unsafe { Image::from_text("k", ptx) });
    let found = [(7, 5), (8, 9), (9, 0), (10, 0)].map(|device| newest(&images, device).map(|image| image.ptx()));
    let [older, newer] = images.map(|image| image.ptx());
    assert_eq!(found, [None, Some(older), Some(newer), Some(older)]);
}
