//! A view to read where the kernel writes.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::Segments;
use test_kernels::roots;

fn run(gpu: &CudaExecutor, at: &DeviceOffsets, out: &DeviceBuffer<f32>, input: &DeviceBuffer<f32>) -> Result<(), CudaError> {
    let out = Segments { data: out.view(), offsets: at };
    roots::launch(gpu, 1, roots::Args { out, input: input.view(), scale: 1.0 })
}

fn main() {}
