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

use anyhow::{Context as _, Result};
use clap::Parser;
use cuda_host::{CudaExecutor, Device, Image, driver_version};
use prism_host::PackedBatch;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tests::bench::{median, today};
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

    /// Write the results here, too
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Date in the CSV [default: today, by the system's clock]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,

    /// Machine in the CSV [default: the GPU's name]
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,

    /// What `cargo bench` passes
    #[arg(long, hide = true)]
    bench: bool,
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
        let executor = CudaExecutor::open(0, "kernels", Image::new(&ptx, &code))?;
        println!("\n{}", path.display());
        print(&stages::alone(&executor, &batch, &arguments)?, &batch, "", arguments.points)?;
    }
    if !arguments.kernels.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let image = Image::new(kernels_gpu::PTX, kernels_gpu::MACHINE_CODE);
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
    let machine = arguments.machine.clone().map_or_else(|| Device::info(0).map(|device| device.name), Ok)?;
    print(&lines, &batch, &machine, arguments.points)?;
    if let Some(path) = &arguments.csv {
        write_csv(path, &lines, &batch, &machine, &arguments)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(lines: &[Line], batch: &PackedBatch, machine: &str, points: u32) -> Result<()> {
    let (structures, residues, atoms) = (batch.n_structures(), batch.n_residues(), batch.n_atoms());
    println!(
        "\n{machine}, CUDA {}: {structures} structures, {residues} residues, {atoms} atoms, {points} points",
        driver_version()?
    );
    println!("{:36} {:>10} {:>10} {:>12}", "stage", "median ms", "min ms", "Matom/s");
    for line in lines {
        let milliseconds = median(&line.milliseconds);
        let least = line.milliseconds.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{:36} {milliseconds:>10.3} {least:>10.3} {:>12.1}", line.stage, atoms as f64 / milliseconds / 1e3);
    }
    Ok(())
}

fn write_csv(path: &Path, lines: &[Line], batch: &PackedBatch, machine: &str, arguments: &Arguments) -> Result<()> {
    let mut csv = csv::Writer::from_path(path)?;
    csv.write_record([
        "date",
        "machine",
        "cuda",
        "stage",
        "structures",
        "residues",
        "atoms",
        "points",
        "repetitions",
        "median_ms",
        "min_ms",
    ])?;
    for line in lines {
        csv.write_record([
            arguments.date.clone().unwrap_or_else(today),
            machine.to_owned(),
            driver_version()?.to_string(),
            line.stage.to_owned(),
            batch.n_structures().to_string(),
            batch.n_residues().to_string(),
            batch.n_atoms().to_string(),
            arguments.points.to_string(),
            line.milliseconds.len().to_string(),
            format!("{:.4}", median(&line.milliseconds)),
            format!("{:.4}", line.milliseconds.iter().copied().fold(f64::INFINITY, f64::min)),
        ])?;
    }
    Ok(csv.flush()?)
}
