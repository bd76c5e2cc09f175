//! Page-locked memory that was given to a graph and is used beside it.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, Graph, PinnedBuffer};

fn run(gpu: &CudaExecutor, mut pinned: PinnedBuffer<f32>, to: &mut DeviceBuffer<f32>) -> Result<(), CudaError> {
    let (mut graph, ()) = Graph::record::<_, CudaError>(gpu, |recorder| {
        let upload = recorder.own(pinned);
        recorder.upload(&upload, to.view_mut())
    })?;
    graph.launch(gpu.stream())?;
    pinned.as_mut_slice()?.fill(0.0);
    Ok(())
}

fn main() {}
