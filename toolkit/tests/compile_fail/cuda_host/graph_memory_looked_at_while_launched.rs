//! Page-locked memory of a graph that is looked at while the graph is launched.
use cuda_host::{CudaError, Graph, Staged, Stream};

fn run(graph: &mut Graph, results: &Staged<f32>, stream: &Stream) -> Result<f32, CudaError> {
    let elements = graph.pinned(results)?;
    graph.launch(stream)?;
    Ok(elements[0])
}

fn main() {}
