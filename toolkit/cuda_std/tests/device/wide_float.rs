/// A number of 128 bits as a float.
#[kernel(threads = 64)]
pub fn wide(block: &mut Block, out: &mut Chunk<f64, 64>, a: f64) {
    let n = out.len();
    out.fill(block, n, |i| {
        let wide = (u128::from(i) + 7) * 0xffff_ffff_ffff_ffff_ffff / (u128::from(i) + 3);
        a * (wide as f64)
    });
}
