//! One buffer of a machine to read and to write in one launch.
use cuda_host::{BufferOffsets, CudaError, Machine};
use cuda_std::launch::Segments;
use test_kernels::roots;

fn run(machine: &Machine, at: &BufferOffsets) -> Result<(), CudaError> {
    let mut buffer = machine.zeroed::<f32>(64)?;
    let out = Segments { data: buffer.view_mut(), offsets: at };
    roots::launch(machine, 1, roots::Args { out, input: buffer.view(), scale: 1.0 })
}

fn main() {}
