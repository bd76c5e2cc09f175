//! Attention as a function of Python: on tensors of PyTorch and CuPy on a GPU, and on arrays of NumPy and PyTorch in host memory.

use cuda_host::CudaExecutor;
use cuda_python::{Array, ArrayMut, Element, Executors, MemorySpace, memory_space, of_launch};
use cuda_std::launch::{CpuExecutor, DynamicLength, Executor, Matrix, Space};
use cuda_std::{bf16, bf16x8, f16, f16x8};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use tensor_kernels::{HeadsArgs, attend_together};

static EXECUTORS: Executors = Executors::new("attention");

/// Rows of a tile.
const TILE: usize = 128;

#[pymodule]
mod attention {
    use super::*;

    /// Writes the attention of `queries`, `keys` and `values` to `out`: for each query the mean of the values, weighted by the
    /// exponentials of `scale` times its products with the keys.
    ///
    /// All four have the shape (..., length, columns): bfloat16 with 64 or 128 columns, or float16 with 64. The length is a multiple
    /// of 128. If only the first `used` rows of each head count, the others are finite numbers, whose results have no meaning. With
    /// `causal`, a query sees the keys up to its own row. `scale` is one over the root of the columns by default.
    #[pyfunction]
    #[pyo3(signature = (out, queries, keys, values, *, causal = false, scale = None, used = None))]
    fn attend(
        out: &Bound<'_, PyAny>,
        queries: &Bound<'_, PyAny>,
        keys: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        causal: bool,
        scale: Option<f32>,
        used: Option<usize>,
    ) -> PyResult<()> {
        let options = Options { causal, scale, used };
        let inputs = [queries, keys, values];
        match out.extract() {
            Ok(out) => attend_to::<f16x8, f16>(out, inputs, options),
            Err(error) if error.is_instance_of::<PyTypeError>(out.py()) => {
                attend_to::<bf16x8, bf16>(out.extract()?, inputs, options)
            }
            Err(error) => Err(error),
        }
    }
}

struct Options {
    causal: bool,
    scale: Option<f32>,
    used: Option<usize>,
}

/// The heads of a call.
#[derive(Clone, Copy)]
struct Shape {
    rows: u32,
    length: u32,
    columns: u32,
    used: u32,
    scale: f32,
    causal: u32,
}

impl Shape {
    fn of(lengths: &[usize], options: &Options) -> Result<Self, String> {
        let &[.., length, columns] = lengths else { return Err("the tensors have fewer than two axes".to_owned()) };
        if length == 0 || !length.is_multiple_of(TILE) {
            let message = "pad them with zeros, and give the rows that count as `used`";
            return Err(format!("heads have {length} rows, and no multiple of {TILE}; {message}"));
        }
        let used = options.used.unwrap_or(length);
        if used == 0 || used > length {
            return Err(format!("`used` is {used}; it is from 1 to {length}, the rows of a head"));
        }
        let rows: usize = lengths[..lengths.len() - 1].iter().product();
        let in_words =
            |number: usize| u32::try_from(number).map_err(|_| format!("there are {rows} rows; call it for parts"));
        Ok(Self {
            rows: in_words(rows)?,
            length: in_words(length)?,
            columns: in_words(columns)?,
            used: in_words(used)?,
            scale: options.scale.unwrap_or(1.0 / (columns as f32).sqrt()),
            causal: u32::from(options.causal),
        })
    }
}

/// Queries, keys and values in an executor's memory.
type Inputs<'a, E, V> = [<<E as Executor>::Space as Space>::Ref<'a, V>; 3];
/// The result there.
type Out<'a, E, N> = <<E as Executor>::Space as Space>::Mut<'a, N>;

/// 16-bit floats and their vectors, for which there are kernels.
trait Kernels<N: Element>: Element {
    /// The numbers of columns that have a kernel.
    const COLUMNS: &'static [u32];

    /// Launches the kernel for the columns of the shape.
    fn launch<'a, E: Executor>(
        on: &E,
        shape: Shape,
        out: Out<'a, E, N>,
        inputs: Inputs<'a, E, Self>,
    ) -> Result<(), E::Error>;
}

/// Launches an instance: its types; its keys at a time, columns and stages; and the numbers behind its columns, as the kernel has them.
macro_rules! launch {
    ($on:ident, $shape:ident, $out:ident, $inputs:ident, <$vector:ty, $number:ty, $keys:literal, $columns:literal, $stages:literal>, $($more:literal)*) => {{
        let (shape, [queries, keys, values]): (Shape, Inputs<'_, E, $vector>) = ($shape, $inputs);
        let Shape { rows, length, columns, used, scale, causal } = shape;
        let args = attend_together::Args {
            out: Matrix { data: $out, columns },
            queries,
            heads: HeadsArgs { keys, values, length, used, scale, causal },
            tiles: DynamicLength(2 * $stages * $keys * $columns / 8),
        };
        let grid = (1, rows / TILE as u32);
        attend_together::launch::<$vector, $number, TILE, $keys, $columns, $($more,)* $stages, E>($on, grid, args)
    }};
}

impl Kernels<bf16> for bf16x8 {
    const COLUMNS: &'static [u32] = &[64, 128];

    fn launch<'a, E: Executor>(
        on: &E,
        shape: Shape,
        out: Out<'a, E, bf16>,
        inputs: Inputs<'a, E, Self>,
    ) -> Result<(), E::Error> {
        match shape.columns {
            64 => launch!(on, shape, out, inputs, <bf16x8, bf16, 128, 64, 2>, 16 4 8),
            _ => launch!(on, shape, out, inputs, <bf16x8, bf16, 128, 128, 2>, 16 8 16),
        }
    }
}

impl Kernels<f16> for f16x8 {
    const COLUMNS: &'static [u32] = &[64];

    fn launch<'a, E: Executor>(
        on: &E,
        shape: Shape,
        out: Out<'a, E, f16>,
        inputs: Inputs<'a, E, Self>,
    ) -> Result<(), E::Error> {
        launch!(on, shape, out, inputs, <f16x8, f16, 64, 64, 3>, 8 4 8)
    }
}

/// Checks the shapes, and computes where the tensors are.
fn attend_to<V: Kernels<N>, N: Element>(
    mut out: ArrayMut<N>,
    inputs: [&Bound<'_, PyAny>; 3],
    options: Options,
) -> PyResult<()> {
    let [queries, keys, values]: [Array<V>; 3] = [inputs[0].extract()?, inputs[1].extract()?, inputs[2].extract()?];
    let lengths = out.shape();
    for (name, other) in [("queries", &queries), ("keys", &keys), ("values", &values)] {
        if other.shape() != lengths {
            let message = format!("{name} has the shape {:?}, and out {lengths:?}; all have the same", other.shape());
            return Err(PyValueError::new_err(message));
        }
    }
    let shape = Shape::of(&lengths, &options).map_err(PyValueError::new_err)?;
    if !V::COLUMNS.contains(&shape.columns) {
        let (name, columns) = (V::NAME, shape.columns);
        let message = format!("heads of {name} have {columns} columns; there are kernels for {:?}", V::COLUMNS);
        return Err(PyValueError::new_err(message));
    }
    match memory_space(&[&out], &[&queries, &keys, &values])? {
        MemorySpace::Host => {
            let (mut out, inputs) = (out.host(), [queries.host(), keys.host(), values.host()]);
            let inputs = inputs.each_ref().map(Vec::as_slice);
            of_launch(V::launch(&CpuExecutor::new(), shape, &mut out[..], inputs))
        }
        MemorySpace::Device(ordinal) => EXECUTORS.call(ordinal, tensor_tests::newest(), |gpu: &CudaExecutor, call| {
            let inputs = [queries.device(call)?, keys.device(call)?, values.device(call)?];
            let mut out = out.device(call)?;
            of_launch(V::launch(gpu, shape, out.view_mut(), inputs.each_ref().map(|input| input.view())))
        }),
    }
}
