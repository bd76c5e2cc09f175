/// More shared memory than a block has.
#[kernel(threads = 64)]
pub fn large(block: &mut Block, out: &mut Chunk<f32, 64>, big: &mut Shared<f32, 20_000>) {
    let n = out.len();
    let big = big.fill(block, 20_000, |i| i as f32);
    out.fill(block, n, |i| big.get(i * 100));
}
