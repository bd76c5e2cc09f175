//! Times the kernels on a GPU: `cargo bench -p tests --bench fused`, or as an executable on a GPU machine.
//!
//! Times come from events around one launch, and are medians over the repetitions. The batch is larger than the L2 cache
//! (its rows alone take half a gigabyte), so no repetition finds cached inputs of the one before.
//!
//! The fused kernel is timed as a whole. The pass over pairs is timed alone against baselines in CUDA C++. Every repetition
//! runs all of them in turn, so a change of clock rates affects all alike; ratios are taken within a repetition.

mod contact;
mod features;
mod report;

use anyhow::{Context as _, Error, Result};
use clap::Parser;
use cuda_host::Device;
use report::Report;
use std::path::PathBuf;
use std::process::ExitCode;
use tests::bench::Record;
use tests::synthetic::{Annotation, many_chains};

/// Time the kernels on the first GPU
#[derive(Parser)]
struct Arguments {
    /// Chains of 150 to 450 residues in the batch
    #[arg(long, value_name = "N", default_value_t = 14_917)]
    structures: usize,

    /// Repetitions after the warm-up
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,

    /// tests/baselines/fused.cu compiled by nvcc, cubin or PTX: times the baselines beside the kernel
    #[arg(long, value_name = "FILE")]
    baselines: Option<PathBuf>,

    #[command(flatten)]
    record: Record,

    /// Peak of the GPU's f32 arithmetic, for the roofline [default: known for some GPUs]
    #[arg(long, value_name = "TFLOP/S")]
    peak_tflops: Option<f64>,

    /// Peak of the GPU's memory, for the roofline [default: known for some GPUs]
    #[arg(long, value_name = "GB/S")]
    peak_gbs: Option<f64>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if !tests::device::is_there() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::new(&arguments, &Device::info(0)?.name);
    for annotation in [Annotation::None, Annotation::Whole] {
        let structures = many_chains(arguments.structures, annotation);
        if annotation == Annotation::None {
            contact::time(&structures, &arguments, &mut report).context("the pass over pairs alone")?;
        }
        features::time(&structures, annotation, &arguments, &mut report).context("the fused kernel")?;
    }
    let mut table = arguments.record.table_of_gpu()?;
    report.fill(&mut table);
    table.print();
    arguments.record.write(&table).map_err(Error::msg)?;
    Ok(if report.all_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
