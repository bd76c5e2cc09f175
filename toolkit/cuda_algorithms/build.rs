//! Compiles the kernels of the algorithms to PTX, which src/lib.rs includes in the program.

fn main() {
    cuda_builder::CudaBuilder::new(".").build_for_include();
}
