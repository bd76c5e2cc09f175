/// A message that is formatted at run time.
#[kernel(threads = 64)]
pub fn formatted(block: &mut Block, out: &mut Chunk<f32, 64>, x: &[f32]) {
    let n = out.len();
    out.fill(block, n, |i| {
        let own = x.at(i);
        assert!(own > 0.0, "bad {own} at {i}");
        own
    });
}
