//! A buffer of other elements than the kernel reads.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::Segments;
use test_kernels::roots;

fn run(
    gpu: &CudaExecutor,
    at: &DeviceOffsets,
    buffer: &mut DeviceBuffer<f32>,
    input: &DeviceBuffer<u32>,
) -> Result<(), CudaError> {
    let out = Segments { data: buffer.view_mut(), offsets: at };
    roots::launch(gpu, 1, roots::Args { out, input: input.view(), scale: 1.0 })
}

fn main() {}
