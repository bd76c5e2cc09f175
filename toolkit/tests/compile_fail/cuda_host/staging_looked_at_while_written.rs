//! Page-locked memory of the host that is looked at while a copy to it is queued.
use cuda_host::{CudaError, DeviceView, PinnedBuffer, Stream};

fn run(pinned: &mut PinnedBuffer<f32>, stream: &Stream, from: DeviceView<'_, f32>) -> Result<f32, CudaError> {
    let elements = pinned.as_slice()?;
    pinned.download(stream, from)?;
    Ok(elements[0])
}

fn main() {}
