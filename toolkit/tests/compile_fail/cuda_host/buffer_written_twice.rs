//! The same buffer twice in one launch, both times to write.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::Segments;
use test_kernels::prefix_sums;

fn run(
    gpu: &CudaExecutor,
    at: &DeviceOffsets,
    buffer: &mut DeviceBuffer<f32>,
    input: &DeviceBuffer<f32>,
) -> Result<(), CudaError> {
    let inclusive = Segments { data: buffer.view_mut(), offsets: at };
    let exclusive = Segments { data: buffer.view_mut(), offsets: at };
    prefix_sums::launch::<256, _>(gpu, 1, prefix_sums::Args { inclusive, exclusive, input: input.view() })
}

fn main() {}
