//! An argument that was forgotten.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::Segments;
use test_kernels::roots;

fn run(
    gpu: &CudaExecutor,
    at: &DeviceOffsets,
    buffer: &mut DeviceBuffer<f32>,
    input: &DeviceBuffer<f32>,
) -> Result<(), CudaError> {
    let out = Segments { data: buffer.view_mut(), offsets: at };
    roots::launch(gpu, 1, roots::Args { out, input: input.view() })
}

fn main() {}
