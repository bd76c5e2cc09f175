#[inline(never)]
fn depth(x: &[u32], i: u32) -> u32 {
    if i == 0 { 0 } else { depth(x, x.at(i)).wrapping_mul(3).wrapping_add(depth(x, x.at(i - 1))) }
}

#[kernel(threads = 64)]
pub fn deep(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32]) {
    out.fill(block, 64, |i| depth(x, i));
}
