/// Kernels are built for 7.5 by default.
#[kernel(threads = 32)]
pub fn product(block: &mut Block, out: &mut Tile2d<f32, 16, 8>, a: &[f16], b: &[f16]) {
    let mut sums = block.per_thread(|_| MatrixSums::<f16, 1, 1>::zero());
    block.warps_with(&mut sums, |warp, sums| {
        let (a, b) = (warp.matrix_a(a, 0, 16), warp.matrix_b_by_columns(b, 0, 16));
        warp.multiply(&a, &b, sums);
    });
    out.write_sums(block, &sums, |_, _, sum| sum);
}
