//! Compiles this crate's kernels to PTX, which src/lib.rs embeds.

fn main() {
    cuda_builder::CudaBuilder::new(".").build_for_include();
}
