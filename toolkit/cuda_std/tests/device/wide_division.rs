/// Numbers of 128 bits are divided.
#[kernel(threads = 64)]
pub fn wide(block: &mut Block, out: &mut Chunk<u64, 64>) {
    let n = out.len();
    out.fill(block, n, |i| {
        let wide = (u128::from(i) + 7) * 0xffff_ffff_ffff_ffff_ffff;
        ((wide / (u128::from(i) + 3)) >> 40) as u64 + (wide % 1_000_003) as u64
    });
}
