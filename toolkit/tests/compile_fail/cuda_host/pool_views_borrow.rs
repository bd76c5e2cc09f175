//! A pool whose methods return views: the first borrows all of it.
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceView, DeviceViewMut};
use test_kernels::add;

struct Pool {
    atoms: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
}

impl Pool {
    fn output_view(&mut self, n: usize) -> Result<DeviceViewMut<'_, f32>, CudaError> {
        self.output.slice_mut(..n)
    }

    fn upload_atoms(&mut self, gpu: &CudaExecutor, atoms: &[f32]) -> Result<DeviceView<'_, f32>, CudaError> {
        self.atoms.slice_mut(..atoms.len())?.upload(gpu.stream(), atoms)?;
        self.atoms.slice(..atoms.len())
    }
}

fn run(gpu: &CudaExecutor, pool: &mut Pool, atoms: &[f32]) -> Result<(), CudaError> {
    let out = pool.output_view(atoms.len())?;
    let a = pool.upload_atoms(gpu, atoms)?;
    add::launch(gpu, 1, add::Args { out, a, b: a, scale: 1.0 })
}

fn main() {}
