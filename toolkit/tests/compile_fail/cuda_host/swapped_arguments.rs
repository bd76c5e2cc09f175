//! Arguments under each other's names.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::Segments;
use test_kernels::fail;

fn run(
    gpu: &CudaExecutor,
    at: &DeviceOffsets,
    buffer: &mut DeviceBuffer<u32>,
    input: &DeviceBuffer<u32>,
) -> Result<(), CudaError> {
    let out = Segments { data: buffer.view_mut(), offsets: at };
    fail::launch(gpu, 1, fail::Args { out, input: 3, block_to_fail: input.view(), index: 0 })
}

fn main() {}
