//! One buffer of a pool to read and to write in one launch; two buffers of it would do.
use cuda_host::{CudaError, CudaExecutor, DeviceOffsets, GpuBufferPool};
use cuda_std::launch::Segments;
use test_kernels::roots;

fn run(gpu: &CudaExecutor, at: &DeviceOffsets, pool: &GpuBufferPool) -> Result<(), CudaError> {
    let mut buffer = pool.lease::<f32>(gpu.stream(), 64)?;
    let out = Segments { data: buffer.view_mut(), offsets: at };
    roots::launch(gpu, 1, roots::Args { out, input: buffer.view(), scale: 1.0 })
}

fn main() {}
