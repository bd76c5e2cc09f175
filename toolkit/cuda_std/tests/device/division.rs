/// 128 bits, divided.
#[kernel(threads = 64)]
pub fn wide(block: &mut Block, out: &mut Chunk<u32, 64>, a: u64) {
    let n = out.len();
    out.fill(block, n, |i| {
        let wide = (u128::from(a) + 7) * 0xffff_ffff_ffff_ffff_ffff;
        (wide / (u128::from(a) * u128::from(i) + 3)) as u32
    });
}
