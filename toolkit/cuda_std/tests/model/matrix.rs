//! Products of matrices on CPU cores: their error, which is smaller than a GPU's, and matrices that are not there.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

#[kernel(threads = 32)]
fn one_product(
    block: &mut Block,
    out: &mut Tile2d<f32, 16, 8>,
    a: &[bf16],
    b: &[bf16],
    c: &[f32],
    first: u32,
    stride: u32,
) {
    let mut sums = block.per_thread(|_| MatrixSums::<bf16, 1, 1>::zero());
    block.warps_with(&mut sums, |warp, sums| {
        warp.each(sums, |lane, sums| sums.for_each(lane, |row, column, sum| *sum = c.at(8 * row + column)));
        let (a, b) = (warp.matrix_a(a, first, stride), warp.matrix_b_by_columns(b, 0, 16));
        warp.multiply(&a, &b, sums);
    });
    out.write_sums(block, &sums, |_, _, sum| sum);
}

fn one(a: &[bf16], b: &[bf16], c: &[f32], first: u32, stride: u32) -> Result<[f32; 128], LaunchError> {
    let mut out = [0.0; 128];
    let data = Matrix { data: &mut out[..], columns: 8 };
    one_product::launch(&CpuExecutor::new(), (1, 1), one_product::Args { out: data, a, b, c, first, stride })?;
    Ok(out)
}

#[test]
fn sums_are_within_their_bound_of_the_exact_ones() {
    let mut seed = 1u32;
    let mut draw = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Of many exponents and both signs.
        f32::from_bits((seed & 0x8000_0000) | (0x3400_0000 + (seed >> 4 & 0x0fff_ffff) % 0x1600_0000))
    };
    for _ in 0..20 {
        let [a, b] = [256, 128].map(|n| (0..n).map(|_| bf16::from_f32(draw())).collect::<Vec<_>>());
        let c: Vec<_> = (0..128).map(|_| draw()).collect();
        for (at, found) in one(&a, &b, &c, 0, 16).unwrap().into_iter().enumerate() {
            let (row, column) = (at / 8, at % 8);
            let terms = (0..16).map(|k| f64::from(a[16 * row + k]) * f64::from(b[16 * column + k]));
            let terms: Vec<_> = terms.chain([f64::from(c[at])]).collect();
            let (exact, size) = (terms.iter().sum::<f64>(), terms.iter().map(|term| term.abs()).sum::<f64>());
            assert!((f64::from(found) - exact).abs() <= size * f64::powi(2.0, -24), "{found} in place of {exact}");
        }
    }
}

#[test]
fn a_nan_has_one_pattern() {
    let mut a = vec![bf16::ONE; 256];
    (a[0], a[16]) = (bf16::INFINITY, bf16::NAN);
    let mut b = vec![bf16::ONE; 128];
    b[16] = bf16::ZERO;
    let out = one(&a, &b, &[1.0; 128], 0, 16).unwrap();
    assert_eq!(
        [out[0], out[1], out[8], out[16]].map(f32::to_bits),
        [0x7f80_0000, 0x7fff_ffff, 0x7fff_ffff, 17f32.to_bits()]
    );
}

#[test]
fn matrices_that_are_not_there_end_the_launch() {
    let (a, b, c) = (vec![bf16::ONE; 300], vec![bf16::ONE; 128], [0.0; 128]);
    let message = |result: Result<_, LaunchError>| match result {
        Err(LaunchError::Panic(panic)) => panic.message.unwrap_or_default(),
        other => panic!("{:?}", other.map(|_: [f32; 128]| ())),
    };
    assert!(one(&a, &b, &c, 44, 16).is_ok());
    // Rows may overlap, and be the same.
    assert!(one(&a, &b, &c, 284, 0).is_ok());
    for (first, stride) in [(46, 16), (0, 20), (u32::MAX - 15, 16), (0, u32::MAX - 1), (286, 0)] {
        assert_eq!(message(one(&a, &b, &c, first, stride)), "index out of bounds", "{first}, {stride}");
    }
    for (first, stride) in [(1, 16), (0, 17)] {
        let message = message(one(&a, &b, &c, first, stride));
        assert_eq!(message, "a row of a matrix does not begin at a multiple of 4 bytes");
    }
    assert_eq!(message(one(&a, &b[..127], &c, 0, 16)), "index out of bounds");
}

#[kernel(threads = 32)]
fn too_few_warps(block: &mut Block, out: &mut Tile2d<f32, 32, 8>) {
    let sums = block.per_thread(|_| MatrixSums::<f16, 1, 1>::zero());
    out.write_sums(block, &sums, |_, _, sum| sum);
}

#[test]
fn a_tile_has_no_more_parts_than_the_block_has_warps() {
    let mut out = [0.0; 256];
    let args = too_few_warps::Args { out: Matrix { data: &mut out[..], columns: 8 } };
    assert!(matches!(too_few_warps::launch(&CpuExecutor::new(), (1, 1), args), Err(LaunchError::Panic(_))));
}
