//! A view to write where the kernel only reads.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::Segments;
use test_kernels::roots;

fn run(gpu: &CudaExecutor, at: &DeviceOffsets, out: &mut DeviceBuffer<f32>, input: &mut DeviceBuffer<f32>) -> Result<(), CudaError> {
    let out = Segments { data: out.view_mut(), offsets: at };
    let input = input.slice_mut(100..)?;
    roots::launch(gpu, 1, roots::Args { out, input, scale: 1.0 })
}

fn main() {}
