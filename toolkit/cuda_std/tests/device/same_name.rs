/// One.
pub mod a {
    use cuda_std::prelude::*;
    /// A kernel.
    #[kernel(threads = 64)]
    pub fn k(block: &mut Block, out: &mut Chunk<f32, 64>) {
        let n = out.len();
        out.fill(block, n, |_| 1.0);
    }
}

/// Another.
pub mod b {
    use cuda_std::prelude::*;
    /// Another kernel.
    #[kernel(threads = 64)]
    pub fn k(block: &mut Block, out: &mut Chunk<f32, 64>, x: &[f32]) {
        let n = out.len();
        out.fill(block, n, |i| x.at(i));
    }
}
