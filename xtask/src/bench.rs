//! `bench`: the benchmarks, on this machine's GPU.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::workspace;

/// Run the GPU benchmarks; with nvcc beside their twins in CUDA C++
#[derive(clap::Args)]
pub struct Arguments {
    /// Write the results here, too
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Compare with no twin, even if nvcc is here
    #[arg(long)]
    no_twins: bool,

    /// What the benchmark itself takes; see `cargo bench -p tests --bench fused -- --help`
    #[arg(last = true)]
    rest: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let mut bench = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    bench.current_dir(&root).args(["bench", "--package", "tests", "--bench", "fused", "--"]);
    if let Some(csv) = &arguments.csv {
        let csv = std::path::absolute(csv).with_context(|| format!("{} is no path", csv.display()))?;
        bench.arg("--csv").arg(csv);
    }
    if !arguments.no_twins
        && let Some(cubin) = twins(&root)?
    {
        bench.arg("--twins").arg(cubin);
    }
    let status = bench.args(&arguments.rest).status().with_context(|| format!("cannot start {bench:?}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The twins, compiled for this machine's GPU; nothing where there is no nvcc.
fn twins(root: &std::path::Path) -> Result<Option<PathBuf>> {
    let cubin = root.join("target/contact.cubin");
    std::fs::create_dir_all(root.join("target")).context("cannot make the folder target")?;
    let mut nvcc = Command::new("nvcc");
    nvcc.args(["-O3", "-arch=native", "-cubin", "-o"]).arg(&cubin).arg(root.join("tests/twins/contact.cu"));
    match nvcc.status() {
        Err(_) => {
            println!("no nvcc: nothing is compared with CUDA C++");
            Ok(None)
        }
        Ok(status) => {
            ensure!(status.success(), "the twins do not compile: {nvcc:?} gave {status}");
            Ok(Some(cubin))
        }
    }
}
