//! Times the surface kernels on a GPU stage by stage: `cargo bench -p tests --bench surface`, or as an executable on a GPU
//! machine.
//!
//! The set has copies of one chain (6M0J's receptor-binding domain), each with its own jitter and rotation. Times come from
//! events around the launches of a stage, and are medians over the repetitions. The counting kernel also runs in turn with
//! its baseline in CUDA C++, which has the same algorithm and must give the same counts. Other lines give the wall time of
//! a whole batch, from packed host memory to features in host memory: in one or several chunks, with and without
//! page-locked memory; and the time of its copies alone. Finally, small batches are launched one after another, directly
//! and as a graph.

mod baseline;
mod overlap;
mod recorded;
mod stages;

use anyhow::{Context as _, Error, Result};
use clap::Parser;
use cuda_host::{CudaExecutor, Image};
use prism_host::PackedBatch;
use std::path::PathBuf;
use std::process::ExitCode;
use tests::bench::{Record, Table, least, median};
use tests::copies;

/// Time the surface on the first GPU
#[derive(Parser)]
struct Arguments {
    /// Copies in the set
    #[arg(long, value_name = "N", default_value_t = 14_917)]
    structures: usize,

    /// Test points on an atom's sphere
    #[arg(long, value_name = "N", default_value_t = 100)]
    points: u32,

    /// Repetitions after the warm-up
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,

    /// Kernels to time instead of the built-in ones: PTX of the same signatures, beside its machine code (repeatable).
    /// Times only the stages
    #[arg(long, value_name = "FILE")]
    kernels: Vec<PathBuf>,

    /// tests/baselines/surface.cu compiled by nvcc, cubin or PTX
    #[arg(long, value_name = "FILE")]
    baselines: Option<PathBuf>,

    #[command(flatten)]
    record: Record,
}

/// A stage, or the whole.
struct Line {
    stage: &'static str,
    /// One time per repetition.
    milliseconds: Vec<f64>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if !tests::device::is_there() {
        return Ok(ExitCode::SUCCESS);
    }
    let structures = copies::jittered(arguments.structures);
    let batch = PackedBatch::from_inputs(&structures)?;
    drop(structures);
    for path in &arguments.kernels {
        let ptx = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let code = std::fs::read(path.with_extension("cubins")).unwrap_or_default();
        let file = path.display().to_string();
        // SAFETY: whoever starts the benchmark says that these are kernels of the same signatures.
        let image = unsafe { Image::from_files(&file, &ptx, &code) };
        let executor = CudaExecutor::open(0, "kernels", image)?;
        println!("\n{}", path.display());
        let mut table = arguments.record.table_of_gpu()?;
        add(&stages::alone(&executor, &batch, &arguments)?, &batch, arguments.points, &mut table);
        table.print();
    }
    if !arguments.kernels.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let image = prism_host::engine::kernel_image();
    let executor = CudaExecutor::open(0, "kernels", image)?;
    let mut lines = stages::time(&executor, &batch, &arguments)?;
    stages::mixed(&executor, &arguments)?;
    recorded::time(&executor, &arguments)?;
    let mut same = true;
    if let Some(path) = &arguments.baselines {
        let compared = baseline::time(&executor, &batch, path, &arguments).context("the baseline")?;
        println!(
            "Rust takes {:.3} of the time of CUDA C++ ({})",
            compared.ratio,
            if compared.same { "same counts" } else { "OTHER COUNTS" }
        );
        same = compared.same;
        lines.extend(compared.lines);
    } else {
        println!("no baseline: --baselines FILE names tests/baselines/surface.cu as nvcc made it");
    }
    let mut table = arguments.record.table_of_gpu()?;
    add(&lines, &batch, arguments.points, &mut table);
    table.print();
    arguments.record.write(&table).map_err(Error::msg)?;
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Adds stages of a batch to the table.
fn add(lines: &[Line], batch: &PackedBatch, points: u32, table: &mut Table) {
    for line in lines {
        let milliseconds = median(&line.milliseconds);
        table.add([
            ("stage", line.stage.to_owned()),
            ("structures", batch.n_structures().to_string()),
            ("residues", batch.n_residues().to_string()),
            ("atoms", batch.n_atoms().to_string()),
            ("points", points.to_string()),
            ("repetitions", line.milliseconds.len().to_string()),
            ("median_ms", format!("{milliseconds:.4}")),
            ("min_ms", format!("{:.4}", least(&line.milliseconds))),
            ("matoms_per_s", format!("{:.1}", batch.n_atoms() as f64 / milliseconds / 1e3)),
        ]);
    }
}
