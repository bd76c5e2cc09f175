//! The examples of the chapter on porting, on CPU cores: the safe forms of raw kernels. `compat_gpu.rs` tests the raw forms
//! on a GPU, against the same plain loops.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use toolkit_tests::dice::bits;

/// Different numbers between -1 and 1.
fn numbers(n: u32, seed: u32) -> Vec<f32> {
    let word = |i: u32| (i ^ seed << 20).wrapping_mul(2_654_435_761) >> 8;
    (0..n).map(|i| word(i) as f32 / (1 << 23) as f32 - 1.0).collect()
}

// ANCHOR: add
/// Adds two vectors.
#[kernel(threads = 128, requires(a.len() == c.len(), b.len() == c.len()))]
pub fn add(block: &mut Block, c: &mut Chunk<f32, 1024, WriteOnly>, a: &[f32], b: &[f32]) {
    let (n, first) = (c.len(), c.start());
    let (a, b) = (a.part(first, n), b.part(first, n));
    c.fill(block, n, |i| a.at(i) + b.at(i));
}
// ANCHOR_END: add

#[test]
fn vectors_are_added() -> Result<(), LaunchError> {
    let (a, b, mut c) = (numbers(3000, 1), numbers(3000, 2), vec![f32::NAN; 3000]);
    // ANCHOR: add-launch
    add::launch(&CpuExecutor::new(), 3, add::Args { c: &mut c, a: &a, b: &b })?;
    // ANCHOR_END: add-launch
    assert_eq!(bits(&c), bits(&a.iter().zip(&b).map(|(a, b)| a + b).collect::<Vec<_>>()));
    let launched = add::launch(&CpuExecutor::new(), 3, add::Args { c: &mut c, a: &a, b: &b[..2990] });
    assert!(matches!(launched, Err(LaunchError::Requirement { .. })), "{launched:?}");
    Ok(())
}

// ANCHOR: sums
/// The sum of every 1024 elements of `input`.
#[kernel(threads = 256, requires(input.len().div_ceil(1024) == sums.len()))]
pub fn block_sums(block: &mut Block, sums: &mut Chunk<f32, 1, WriteOnly>, input: &[f32]) {
    let first = 1024 * block.index();
    let input = input.part(first, (input.len() as u32 - first).min(1024));
    let sum = block.reduce(input.len() as u32, 0.0, |i| input.at(i), |a, b| a + b);
    sums.fill(block, 1, |_| sum);
}
// ANCHOR_END: sums

#[test]
fn blocks_add_up_their_elements() -> Result<(), LaunchError> {
    for n in [1, 1024, 5000] {
        let (input, mut out) = (numbers(n, 3), vec![f32::NAN; n.div_ceil(1024) as usize]);
        block_sums::launch(
            &CpuExecutor::shuffled(2),
            n.div_ceil(1024),
            block_sums::Args { sums: &mut out, input: &input },
        )?;
        for (sum, part) in out.iter().zip(input.chunks(1024)) {
            let exact: f64 = part.iter().map(|x| f64::from(*x)).sum();
            assert!((f64::from(*sum) - exact).abs() < 1e-4, "{sum} for {exact}");
        }
    }
    Ok(())
}

// ANCHOR: gemm
/// C = alpha A B + beta C. A has `k` columns, and B has `k` rows.
#[derive(Arguments)]
pub struct Product<'a> {
    pub a: &'a [f32],
    pub b: &'a [f32],
    pub k: u32,
    pub alpha: f32,
    pub beta: f32,
}

#[kernel(
    threads = 256,
    requires(
        product.a.len() == c.rows() * product.k as usize,
        product.b.len() == product.k as usize * c.columns(),
    )
)]
pub fn gemm(
    block: &mut Block,
    c: &mut Tile2d<f32, 16, 16>,
    product: Product<'_>,
    tile_a: &mut Shared<f32, 256>,
    tile_b: &mut Shared<f32, 256>,
) {
    let Product { a, b, k, alpha, beta } = product;
    let (top, left, [m, n]) = (c.first_row(), c.first_column(), c.matrix());
    // A thread's sum, and the initial value of C at its position.
    let mut state = block.per_thread(|thread| {
        let (ty, tx) = (thread.index() / 16, thread.index() % 16);
        (0.0, if ty < c.rows() && tx < c.columns() { c.get(ty, tx) } else { 0.0 })
    });
    for first in (0..k).step_by(16) {
        let tile_a = tile_a.fill(block, 256, |i| {
            let (row, along) = (top + i / 16, first + i % 16);
            if row < m && along < k { a.at(row * k + along) } else { 0.0 }
        });
        let tile_b = tile_b.fill(block, 256, |i| {
            let (down, column) = (first + i / 16, left + i % 16);
            if down < k && column < n { b.at(down * n + column) } else { 0.0 }
        });
        block.each(&mut state, |thread, (sum, _)| {
            let (ty, tx) = (thread.index() / 16, thread.index() % 16);
            for i in 0..16 {
                *sum = math::fma(tile_a.get(16 * ty + i), tile_b.get(16 * i + tx), *sum);
            }
        });
    }
    c.write::<1, 1, _>(block, &state, |_, (sum, old), _, _| math::fma(alpha, *sum, beta * old));
}
// ANCHOR_END: gemm

#[test]
fn matrices_are_multiplied() -> Result<(), LaunchError> {
    for (m, n, k) in [(1, 1, 1), (16, 16, 16), (37, 50, 70), (64, 33, 128)] {
        let (a, b, old) = (numbers(m * k, 1), numbers(k * n, 2), numbers(m * n, 3));
        let (alpha, beta) = (1.5f32, -0.25);
        let expected: Vec<f32> = (0..m * n)
            .map(|at| {
                let term = |i: u32| (a[(at / n * k + i) as usize], b[(i * n + at % n) as usize]);
                let sum = (0..k).fold(0.0f32, |sum, i| term(i).0.mul_add(term(i).1, sum));
                alpha.mul_add(sum, beta * old[at as usize])
            })
            .collect();
        for executor in [CpuExecutor::new(), CpuExecutor::shuffled(1)] {
            let mut c = old.clone();
            gemm::launch(
                &executor,
                (n.div_ceil(16), m.div_ceil(16)),
                gemm::Args {
                    c: Matrix { data: &mut c, columns: n },
                    product: ProductArgs { a: &a, b: &b, k, alpha, beta },
                },
            )?;
            assert_eq!(bits(&c), bits(&expected), "{m} x {n} x {k}");
        }
    }
    Ok(())
}
