/// All of a block's shared memory, and a reduction, which needs some of it.
#[kernel(threads = 64)]
pub fn tight(block: &mut Block, out: &mut Chunk<f32, 64>, big: &mut Shared<f32, 12_284>) {
    let n = out.len();
    let big = big.fill(block, 12_284, |i| i as f32);
    let sum = block.reduce(12_284, 0.0, |i| big.get(i), |a, b| a + b);
    out.fill(block, n, |i| big.get(i * 100) + sum);
}
