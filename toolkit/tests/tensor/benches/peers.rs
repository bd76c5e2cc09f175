//! The kernels of the comparison with other ways to program GPUs, timed by events. Each prints a line
//! `program,kernel,size,milliseconds`. `baselines/peers.cu` prints the same lines for CUDA C++, CUB and cuBLASLt.
//!
//! ```sh
//! cargo bench -p tensor-tests --bench peers >peers-rust.csv
//! ```

use anyhow::{Context as _, Result, ensure};
use bytemuck::cast_slice;
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, Module};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use tensor_kernels::staged;
use test_kernels::{Quad, safe_histogram, safe_matmul, safe_saxpy, safe_transpose};
use toolkit_examples::host::word;
use toolkit_examples::{FourFloats, FourWords, layer_norm, look_back, nbody, radix_sort, softmax, spmv};
use toolkit_tests::bench::{Watch, median};

const REPETITIONS: u16 = 25;

/// Elements of memory-bound kernels.
const N: u32 = 1 << 26;

fn number(i: u32) -> f32 {
    (word(i) >> 8) as f32 / (1 << 23) as f32 - 1.0
}

fn list<T>(n: u32, element: impl Fn(u32) -> T) -> Vec<T> {
    (0..n).map(element).collect()
}

struct Gpu(CudaExecutor);

impl Gpu {
    fn buffer<T: DeviceLayout>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::from_slice(self.0.stream(), values)?)
    }

    fn zeroed<T: DeviceLayout>(&self, n: u32) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::zeroed(self.0.stream(), n as usize)?)
    }

    fn download<T: DeviceLayout>(&self, buffer: &DeviceBuffer<T>) -> Result<Vec<T>> {
        Ok(buffer.download(self.0.stream())?)
    }

    /// Times what `launch` queues, and prints the line.
    fn time(
        &self,
        kernel: &str,
        size: &str,
        mut launch: impl FnMut(&CudaExecutor) -> Result<(), CudaError>,
    ) -> Result<()> {
        let watch = Watch::new(self.0.stream())?;
        let milliseconds = watch.repeated(REPETITIONS, || launch(&self.0));
        let milliseconds = milliseconds.with_context(|| format!("{kernel} {size}"))?;
        println!("Rust,{kernel},{size},{:.5}", median(&milliseconds));
        Ok(())
    }
}

fn main() -> Result<()> {
    if !toolkit_tests::device::is_there() {
        return Ok(());
    }
    let newest = tensor_tests::newest().map_err(anyhow::Error::msg)?;
    let first = CudaExecutor::open(0, "tensor kernels", newest)?;
    let load = |name, image| Module::load(first.context(), name, image);
    let examples = load("examples", toolkit_examples::IMAGE.map_err(anyhow::Error::msg)?)?;
    let modules = [first.modules()[0].clone(), examples, load("test kernels", test_kernels::IMAGE)?];
    let gpu = Gpu(CudaExecutor::new(first.stream(), modules)?);
    of_floats(&gpu)?;
    of_words(&gpu)?;
    sort(&gpu)?;
    for n in [1024, 2048, 4096] {
        product_of_f32(&gpu, n)?;
    }
    products_of_bf16(&gpu, 4096)?;
    bodies(&gpu, 1 << 17)?;
    compressed_rows(&gpu, 1 << 20)
}

fn of_floats(gpu: &Gpu) -> Result<()> {
    let (x, y) = (gpu.buffer(&list(N, number))?, gpu.buffer(&list(N, number))?);
    let mut out = gpu.zeroed::<f32>(N)?;
    gpu.time("saxpy", "67108864", |gpu| {
        let args = safe_saxpy::Args { out: out.view_mut(), x: x.view(), y: y.view(), a: 1.25 };
        safe_saxpy::launch(gpu, N / 4096, args)
    })?;
    gpu.time("transpose", "16384 x 4096", |gpu| {
        let matrix = Matrix { data: out.view_mut(), columns: 16384 };
        safe_transpose::launch(gpu, (512, 128), safe_transpose::Args { out: matrix, input: x.view(), columns: 4096 })
    })?;
    let mut out = gpu.zeroed::<FourFloats>(N / 4)?;
    gpu.time("softmax", "16384 x 4096", |gpu| {
        let args = softmax::softmax::Args { out: out.view_mut(), x: x.view(), columns: 4096 };
        softmax::softmax::launch(gpu, 16384, args)
    })?;
    let (weight, bias) = (gpu.buffer(&list(4096, number))?, gpu.buffer(&list(4096, number))?);
    let mut stats = gpu.zeroed(16384)?;
    gpu.time("layer norm", "16384 x 4096", |gpu| {
        let (weight, bias) = (weight.view(), bias.view());
        let (out, stats) = (out.view_mut(), stats.view_mut());
        let args = layer_norm::layernorm::Args {
            out,
            stats,
            x: x.view(),
            learned: layer_norm::LearnedArgs { weight, bias },
            epsilon: 1e-5,
        };
        layer_norm::layernorm::launch(gpu, 16384, args)
    })
}

fn of_words(gpu: &Gpu) -> Result<()> {
    let words = list(N, word);
    let (x, mut bins) = (gpu.buffer(&words)?, gpu.zeroed(256)?);
    gpu.time("histogram", "268435456", |gpu| {
        let args = safe_histogram::Args { bins: bins.view_mut(), words: x.view(), chunk: 16384 };
        safe_histogram::launch(gpu, N / 16384, args)
    })?;
    drop(x);
    let fours: Vec<_> = words.as_chunks().0.iter().map(|four| FourWords { all: *four }).collect();
    let (x, mut out) = (gpu.buffer(&fours)?, gpu.zeroed::<FourWords>(N / 4)?);
    let parts = N.div_ceil(look_back::PART as u32);
    let mut states = gpu.zeroed::<u64>(parts + 1)?;
    gpu.time("scan", "67108864", |gpu| {
        states.view_mut().zero(gpu.stream())?;
        let args = look_back::look_back::Args { out: out.view_mut(), states: states.view_mut(), x: x.view() };
        look_back::look_back::launch(gpu, parts, args)
    })?;
    let found = gpu.download(&out)?;
    let sums = words.iter().scan(0u32, |sum, word| {
        *sum = sum.wrapping_add(*word);
        Some(*sum)
    });
    ensure!(sums.eq(cast_slice::<_, u32>(&found).iter().copied()), "the scan is wrong");
    Ok(())
}

fn sort(gpu: &Gpu) -> Result<()> {
    use radix_sort::{DIGITS, MovedArgs, PART, PairsArgs, begins, count_digits, move_by_digit};

    let (keys, grid) = (list(N, word), N.div_ceil(PART as u32));
    let input = [gpu.buffer(&keys)?, gpu.buffer(&list(N, |i| i))?];
    let mut from = [gpu.zeroed::<u32>(N)?, gpu.zeroed(N)?];
    let mut to = [gpu.zeroed::<u32>(N)?, gpu.zeroed(N)?];
    let mut counts = gpu.zeroed(DIGITS as u32 * grid)?;
    let whole = Offsets::new(vec![0, DIGITS as u32 * grid])?;
    let whole = DeviceOffsets::new(gpu.0.stream(), &whole)?;
    gpu.time("radix sort", "67108864", |gpu| {
        for (pass, shift) in (0..32).step_by(4).enumerate() {
            let source = if pass == 0 { &input } else { &from };
            let [keys, values] = [source[0].view(), source[1].view()];
            count_digits::launch(gpu, grid, count_digits::Args { counts: counts.view_mut(), keys, shift })?;
            begins::launch(gpu, 1, begins::Args { counts: Segments { data: counts.view_mut(), offsets: &whole } })?;
            let [keys_out, values_out] = to.each_mut().map(DeviceBuffer::view_mut);
            let args = move_by_digit::Args {
                moved: MovedArgs { keys: keys_out, values: values_out },
                pairs: PairsArgs { keys, values },
                begins: counts.view(),
                shift,
            };
            move_by_digit::launch(gpu, grid, args)?;
            std::mem::swap(&mut from, &mut to);
        }
        Ok(())
    })?;
    let (sorted, places) = (gpu.download(&from[0])?, gpu.download(&from[1])?);
    ensure!(sorted.is_sorted(), "the keys are not sorted");
    ensure!(sorted.iter().zip(places).all(|(key, place)| keys[place as usize] == *key), "values left their keys");
    Ok(())
}

fn product_of_f32(gpu: &Gpu, n: u32) -> Result<()> {
    let all: Vec<Quad> = cast_slice(&list(n * n, number)).iter().map(|elements| Quad { elements: *elements }).collect();
    let (a, b, mut c) = (gpu.buffer(&all)?, gpu.buffer(&all)?, gpu.zeroed(n * n / 4)?);
    gpu.time("product of f32", &n.to_string(), |gpu| {
        let c = Matrix { data: c.view_mut(), columns: n / 4 };
        safe_matmul::launch(gpu, (n / 128, n / 128), safe_matmul::Args { c, a: a.view(), b: b.view(), n })
    })
}

fn products_of_bf16(gpu: &Gpu, n: u32) -> Result<()> {
    let matrix = |first: u32| -> Vec<bf16x8> {
        let element = |i: u32| bf16::from_f32((word(i.wrapping_add(first)) % 9) as f32 - 4.0);
        list(n * n / 8, |i| bf16x8::from_array([0, 1, 2, 3, 4, 5, 6, 7].map(|k| element(8 * i + k))))
    };
    let (left, right) = (matrix(0), matrix(77));
    let (a, b, mut out) = (gpu.buffer(&left)?, gpu.buffer(&right)?, gpu.zeroed::<f32>(n * n)?);
    macro_rules! variants {
        ($($way:literal $rows:literal $columns:literal $stages:literal $r:literal $c:literal;)*) => {$(
            out.view_mut().zero(gpu.0.stream())?;
            let name = concat!("product of bf16 by ", $rows, " x ", $columns, " in ", $stages, " stages", $way);
            gpu.time(name, &n.to_string(), |gpu| {
                let tiles = DynamicLength($stages * 8 * ($rows + $columns));
                let data = Matrix { data: out.view_mut(), columns: n };
                let args = staged::Args { out: data, a: a.view(), b: b.view(), depth: n, tiles };
                staged::launch::<bf16x8, $rows, $columns, $stages, $r, $c, _>(gpu, (n / $columns, n / $rows), args)
            })?;
            // Small whole numbers: sums are exact.
            let found = gpu.download(&out)?;
            for (row, column) in [(0, 0), (1, n - 1), (n / 2 + 3, 77), (n - 1, n - 2)] {
                let [x, y] = [(&left, row), (&right, column)].map(|(matrix, line)| {
                    let line = &matrix[(line * n / 8) as usize..][..n as usize / 8];
                    line.iter().flat_map(|eight| eight.to_f32()).collect::<Vec<_>>()
                });
                let expected: f32 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
                ensure!(found[(row * n + column) as usize] == expected, "{name} is wrong at row {row}, column {column}");
            }
        )*};
    }
    variants! {
        "" 128 256 3 4 8;
        "" 128 256 4 4 8;
        "" 256 128 3 4 8;
        "" 128 128 3 4 8;
        "" 128 128 4 4 8;
        " by warpgroups" 128 256 3 1 32;
        " by warpgroups" 128 256 4 1 32;
        " by warpgroups" 128 128 3 1 16;
        " by warpgroups" 128 128 4 1 16;
    }
    Ok(())
}

fn bodies(gpu: &Gpu, n: u32) -> Result<()> {
    use nbody::{Body, TILE, accelerations};

    let body = |i: u32| Body { at: [0, 1, 2].map(|k| number(4 * i + k)), mass: number(4 * i + 3) + 2.0 };
    let (bodies, mut out) = (gpu.buffer(&list(n, body))?, gpu.zeroed(n)?);
    gpu.time("nbody", &n.to_string(), |gpu| {
        let args = accelerations::Args { out: out.view_mut(), bodies: bodies.view(), softening: 0.01 };
        accelerations::launch(gpu, n / TILE as u32, args)
    })
}

fn compressed_rows(gpu: &Gpu, rows: u32) -> Result<()> {
    use spmv::{ROWS, RowsArgs, csr_vector};

    let mut starts = vec![0];
    for i in 0..rows {
        starts.push(starts[i as usize] + if i % 7 == 0 { 0 } else { word(i) % 100 });
    }
    let entries = starts[rows as usize];
    let (starts, columns) = (gpu.buffer(&starts)?, gpu.buffer(&list(entries, |k| word(k + 77) % rows))?);
    let (values, x, mut y) = (gpu.buffer(&list(entries, number))?, gpu.buffer(&list(rows, number))?, gpu.zeroed(rows)?);
    gpu.time("csr", &format!("{rows} rows"), |gpu| {
        let a = RowsArgs { starts: starts.view(), columns: columns.view(), values: values.view() };
        csr_vector::launch(gpu, rows / ROWS as u32, csr_vector::Args { y: y.view_mut(), a, x: x.view() })
    })
}
