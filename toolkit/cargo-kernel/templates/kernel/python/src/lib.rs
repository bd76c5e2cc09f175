//! The kernels as a Python module: on arrays of NumPy and PyTorch in host memory, and of CuPy and PyTorch on a GPU, with the
//! same bits.

use cuda_host::DeviceOffsets;
use cuda_python::{Array, ArrayMut, Executors, MemorySpace, memory_space, of_device, of_launch};
use cuda_std::launch::{CpuExecutor, Executor, Offsets, Segments, Space};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use my_kernels::{IMAGE, saxpy};

static EXECUTORS: Executors = Executors::new("my_kernels");

/// Default number of elements per block.
const SEGMENT: usize = 4096;

#[pymodule]
#[pyo3(name = "my_kernels")]
mod module {
    use super::*;

    /// Adds `a` times `x` to `y`, in place. Both are float32; block `i` does `y[offsets[i]:offsets[i + 1]]`.
    #[pyfunction]
    #[pyo3(signature = (y, x, a, offsets = None))]
    fn saxpy(mut y: ArrayMut<f32>, x: Array<f32>, a: f32, offsets: Option<Vec<u32>>) -> PyResult<()> {
        let offsets = segments(offsets, y.len())?;
        let blocks = offsets.segments() as u32;
        match memory_space(&[&y], &[&x])? {
            MemorySpace::Host => {
                let (mut y, x) = (y.host(), x.host());
                of_launch(launch_saxpy(&CpuExecutor::new(), blocks, &mut y[..], &offsets, &x[..], a))
            }
            MemorySpace::Device(ordinal) => EXECUTORS.call(ordinal, IMAGE, |gpu, call| {
                let (mut y, x) = (y.device(call)?, x.device(call)?);
                let offsets = DeviceOffsets::new(gpu.stream(), &offsets).map_err(of_device)?;
                of_launch(launch_saxpy(gpu, blocks, y.view_mut(), &offsets, x.view(), a))
            }),
        }
    }
}

/// The launch in either place. The compiler compares it with the kernel's signature.
fn launch_saxpy<'a, E: Executor>(
    executor: &E,
    blocks: u32,
    y: <E::Space as Space>::Mut<'a, f32>,
    offsets: <E::Space as Space>::Offsets<'a>,
    x: <E::Space as Space>::Ref<'a, f32>,
    a: f32,
) -> Result<(), E::Error> {
    saxpy::launch(executor, blocks, saxpy::Args { y: Segments { data: y, offsets }, x, a })
}

/// The caller's segments, or equal ones.
fn segments(offsets: Option<Vec<u32>>, len: usize) -> PyResult<Offsets> {
    let equal = || (0..len).step_by(SEGMENT).chain([len]).map(u32::try_from).collect::<Result<Vec<_>, _>>();
    let offsets = offsets.map_or_else(equal, Ok).map_err(|_| PyValueError::new_err("y has 2**32 elements or more"))?;
    Offsets::new(offsets).map_err(|error| PyValueError::new_err(error.to_string()))
}
