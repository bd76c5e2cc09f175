//! Attention timed by events: a line `program,heads,length,columns,causal,milliseconds,TFLOP/s` for each shape.
//! `baselines/attention.py` prints the same lines for PyTorch.
//!
//! ```sh
//! cargo bench -p tensor-tests --bench attention >attention-rust.csv
//! ```

use anyhow::Result;
use cuda_host::{CudaExecutor, DeviceBuffer};
use cuda_std::prelude::*;
use tensor_kernels::{HeadsArgs, attend, attend_together};
use toolkit_examples::host::word;
use toolkit_tests::bench::{Watch, median};

const REPETITIONS: u16 = 25;

/// Queries of all heads together.
const ROWS: u32 = 1 << 18;

fn main() -> Result<()> {
    if !toolkit_tests::device::is_there() {
        return Ok(());
    }
    let newest = tensor_tests::newest().map_err(anyhow::Error::msg)?;
    let gpu = CudaExecutor::open(0, "tensor kernels", newest)?;
    let watch = Watch::new(gpu.stream())?;
    for columns in [64, 128] {
        let number = |i: u32| (word(i) >> 8) as f32 / (1 << 23) as f32 - 1.0;
        let rows = |first: u32| -> Vec<bf16x8> {
            let part = |i: u32| bf16x8::from_f32([0, 1, 2, 3, 4, 5, 6, 7].map(|k| number(8 * i + k + first)));
            (0..ROWS * columns / 8).map(part).collect()
        };
        let buffer = |first| DeviceBuffer::from_slice(gpu.stream(), &rows(first));
        let (queries, keys, values) = (buffer(0)?, buffer(11)?, buffer(77)?);
        let mut out = DeviceBuffer::<bf16>::zeroed(gpu.stream(), (ROWS * columns) as usize)?;
        for length in [1024, 4096, 16384] {
            for causal in [0, 1] {
                let print = |program: &str, milliseconds: &[f64]| {
                    let milliseconds = median(milliseconds);
                    let products = 4.0 * f64::from(ROWS) * f64::from(length) * f64::from(columns);
                    let rate = if causal == 1 { products / 2.0 } else { products } / milliseconds / 1e9;
                    println!("{program},{},{length},{columns},{causal},{milliseconds:.5},{rate:.1}", ROWS / length);
                };
                let scale = 1.0 / (columns as f32).sqrt();
                macro_rules! time {
                    ($program:literal, $kernel:ident, <$rows:literal, $keys:literal, $columns:literal, $stages:literal>, $($number:literal)*) => {
                        if columns == $columns {
                            let times = watch.repeated(REPETITIONS, || {
                                let (data, queries) = (out.view_mut(), queries.view());
                                let tiles = DynamicLength(2 * $stages * $keys * $columns / 8);
                                let (keys, values) = (keys.view(), values.view());
                                let heads = HeadsArgs { keys, values, length, used: length, scale, causal };
                                let args = $kernel::Args { out: Matrix { data, columns }, queries, heads, tiles };
                                $kernel::launch::<bf16x8, bf16, $rows, $keys, $columns, $($number,)* _>(&gpu, (1, ROWS / $rows), args)
                            })?;
                            print($program, &times);
                        }
                    };
                }
                time!("Rust warpgroups", attend_together, <128, 128, 64, 2>, 16 4 8 2);
                time!("Rust warpgroups", attend_together, <128, 128, 128, 2>, 16 8 16 2);
                time!("Rust warps", attend, <128, 32, 64, 3>, 2 4 8 3 1024);
                time!("Rust warps", attend, <128, 32, 128, 3>, 2 4 16 3 2048);
            }
        }
    }
    Ok(())
}
