//! Attention timed by events: a line `program,heads,length,columns,causal,milliseconds,TFLOP/s` for each shape.
//! `baselines/attention.py` prints the same lines for PyTorch.
//!
//! ```sh
//! cargo bench -p tensor-tests --bench attention >attention-rust.csv
//! ```

use anyhow::Result;
use cuda_host::{CudaExecutor, DeviceBuffer};
use cuda_std::prelude::*;
use tensor_kernels::{HeadsArgs, attend};
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
                macro_rules! time {
                    ($(<$rows:literal, $keys:literal, $columns:literal, $r:literal, $c:literal, $n:literal, $stages:literal, $parts:literal>;)*) => {$(
                        if columns == $columns {
                            let milliseconds = watch.repeated(REPETITIONS, || {
                                let args = attend::Args {
                                    out: Matrix { data: out.view_mut(), columns },
                                    queries: queries.view(),
                                    heads: HeadsArgs {
                                        keys: keys.view(),
                                        values: values.view(),
                                        length,
                                        scale: 1.0 / (columns as f32).sqrt(),
                                        causal,
                                    },
                                    tiles: DynamicLength(2 * $stages * $keys * $columns / 8),
                                };
                                attend::launch::<bf16x8, bf16, $rows, $keys, $columns, $r, $c, $n, $stages, $parts, _>(&gpu, (1, ROWS / $rows), args)
                            })?;
                            let milliseconds = median(&milliseconds);
                            let products = 4.0 * f64::from(ROWS) * f64::from(length) * f64::from(columns);
                            let products = if causal == 1 { products / 2.0 } else { products };
                            let rate = products / milliseconds / 1e9;
                            println!("Rust,{},{length},{columns},{causal},{milliseconds:.5},{rate:.1}", ROWS / length);
                        }
                    )*};
                }
                time! {
                    <128, 32, 64, 2, 4, 8, 3, 1024>;
                    <128, 32, 128, 2, 4, 16, 3, 2048>;
                }
            }
        }
    }
    Ok(())
}
