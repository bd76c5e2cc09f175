//! Products of matrices of every element that warpgroups multiply, timed by events. Each prints a line
//! `program,kernel,size,milliseconds`. `baselines/products.cu` prints the same lines for cuBLASLt.
//!
//! ```sh
//! cargo bench -p tensor-tests --bench products >products-rust.csv
//! ```

use anyhow::{Context as _, Result, ensure};
use cuda_host::{CudaExecutor, DeviceBuffer};
use cuda_std::ElementVector;
use cuda_std::prelude::*;
use tensor_kernels::{fast, staged};
use toolkit_examples::host::word;
use toolkit_tests::bench::{Watch, median};

const REPETITIONS: u16 = 25;

fn main() -> Result<()> {
    if !toolkit_tests::device::is_there() {
        return Ok(());
    }
    let newest = tensor_tests::newest().map_err(anyhow::Error::msg)?;
    let gpu = CudaExecutor::open(0, "tensor kernels", newest)?;
    for n in [4096, 8192] {
        for_size(&gpu, n)?;
    }
    Ok(())
}

/// A matrix of small whole numbers, whose products and sums are exact.
fn matrix<V: ElementVector>(n: u32, first: u32, element: impl Fn(f32) -> V::Element) -> Vec<V> {
    let number = |i: u32| element((word(i.wrapping_add(first)) % 9) as f32 - 4.0);
    let all: Vec<V::Element> = (0..n * n).map(number).collect();
    all.chunks_exact(V::COUNT as usize).map(|own| bytemuck::pod_read_unaligned(bytemuck::cast_slice(own))).collect()
}

fn for_size(gpu: &CudaExecutor, n: u32) -> Result<()> {
    macro_rules! product {
        ($kernel:ident, $name:literal, $vector:ident, $element:ident, $rows:literal $columns:literal $stages:literal $r:literal $c:literal) => {{
            let (left, right) =
                (matrix::<$vector>(n, 0, $element::from_f32), matrix::<$vector>(n, 77, $element::from_f32));
            let row = (n / $vector::COUNT) as usize;
            let numbers = |matrix: &[$vector], line: u32| -> Vec<f32> {
                matrix[line as usize * row..][..row].iter().flat_map(|x| x.to_f32()).collect()
            };
            let name = concat!("product of ", $name, ", ", $rows, " x ", $columns, " in ", $stages, " stages");
            let (a, b) =
                (DeviceBuffer::from_slice(gpu.stream(), &left)?, DeviceBuffer::from_slice(gpu.stream(), &right)?);
            let mut out = DeviceBuffer::<f32>::zeroed(gpu.stream(), (n * n) as usize)?;
            let milliseconds = Watch::new(gpu.stream())?.repeated(REPETITIONS, || {
                let tiles = DynamicLength($stages * 8 * ($rows + $columns));
                let data = Matrix { data: out.view_mut(), columns: n };
                let args = $kernel::Args { out: data, a: a.view(), b: b.view(), depth: n, tiles };
                $kernel::launch::<$vector, $rows, $columns, $stages, $r, $c, _>(gpu, (n / $columns, n / $rows), args)
            });
            println!("Rust,{name},{n},{:.5}", median(&milliseconds.with_context(|| format!("{name} {n}"))?));
            let found = out.download(gpu.stream())?;
            for (row, column) in [(0, 0), (1, n - 1), (n / 2 + 3, 77), (n - 1, n - 2)] {
                let [x, y] = [numbers(&left, row), numbers(&right, column)];
                let expected: f32 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
                ensure!(
                    found[(row * n + column) as usize] == expected,
                    "{name} is wrong at row {row}, column {column}"
                );
            }
        }};
    }
    product!(staged, "bf16", bf16x8, bf16, 128 256 4 1 32);
    product!(staged, "f16", f16x8, f16, 128 256 4 1 32);
    product!(staged, "tf32", tf32x4, tf32, 128 256 4 1 32);
    product!(staged, "tf32", tf32x4, tf32, 128 128 4 1 16);
    product!(staged, "tf32 by single warps", tf32x4, tf32, 128 128 4 4 8);
    product!(staged, "e4m3", e4m3x16, e4m3, 128 128 4 1 16);
    product!(staged, "e4m3", e4m3x16, e4m3, 128 128 6 1 16);
    product!(staged, "e5m2", e5m2x16, e5m2, 128 128 4 1 16);
    product!(fast, "e4m3 with fast accumulation", e4m3x16, e4m3, 128 256 4 1 32);
    product!(staged, "e4m3 by single warps", e4m3x16, e4m3, 128 128 4 4 8);
    Ok(())
}
