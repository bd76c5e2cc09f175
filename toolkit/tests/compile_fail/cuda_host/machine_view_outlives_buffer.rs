//! A view of a machine's buffer that is gone.
use cuda_host::{BufferView, CudaError, Machine};

fn run(machine: &Machine) -> Result<Vec<f32>, CudaError> {
    let view: BufferView<'_, f32> = {
        let buffer = machine.zeroed::<f32>(4)?;
        buffer.view()
    };
    view.download()
}

fn main() {}
