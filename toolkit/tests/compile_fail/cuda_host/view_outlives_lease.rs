//! A view of memory that has gone back to its pool.
use cuda_host::{CudaError, GpuBufferPool, Stream};

fn run(pool: &GpuBufferPool, stream: &Stream) -> Result<Vec<f32>, CudaError> {
    let buffer = pool.lease_zeroed::<f32>(stream, 4)?;
    let view = buffer.view();
    drop(buffer);
    view.download(stream)
}

fn main() {}
