//! A view of a buffer that is gone.
use cuda_host::{CudaError, DeviceBuffer, DeviceView, Stream};

fn run(stream: &Stream) -> Result<Vec<f32>, CudaError> {
    let view: DeviceView<'_, f32> = {
        let buffer = DeviceBuffer::<f32>::zeroed(stream, 4)?;
        buffer.view()
    };
    view.download(stream)
}

fn main() {}
