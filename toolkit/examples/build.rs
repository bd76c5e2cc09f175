//! Compiles the kernels of the examples to PTX, which src/lib.rs takes into the program.

fn main() {
    cuda_builder::CudaBuilder::new(".").build_for_include();
}
