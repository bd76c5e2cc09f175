//! The peak resident memory of a process for few and for many files.

use crate::run::{self, Output};
use crate::set::FileSet;
use crate::{Arguments, BackendArgument};
use anyhow::{Context as _, Error, Result, ensure};
use prism_host::Backend;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Most files of the smaller run.
pub const FEW: usize = 10_000;
/// Ratio of the files of the larger run to those of the smaller one.
const TIMES: usize = 10;

/// Measures both runs and prints the result.
pub fn compare(arguments: &Arguments, set: &FileSet) -> Result<()> {
    let repeated = set.repeated(TIMES)?;
    let mut peaks = Vec::new();
    for (folder, count) in [(set.folder.as_path(), set.len), (repeated.path(), set.len * TIMES)] {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--measured").arg(folder);
        command.args(["--points", &arguments.points.to_string()]);
        if let Some(atoms) = arguments.batch_atoms {
            command.args(["--batch-atoms", &atoms.to_string()]);
        }
        match arguments.backend {
            BackendArgument::Auto => {}
            BackendArgument::Cuda => drop(command.args(["--backend", "cuda"])),
            BackendArgument::Cpu => drop(command.args(["--backend", "cpu"])),
        }
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{count} files: {}", String::from_utf8_lossy(&output.stderr));
        let numbers: Vec<u64> = text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [structures, kibibytes] = numbers[..] else { anyhow::bail!("{count} files: the process said {text:?}") };
        ensure!(structures == count as u64, "{structures} of {count} files gave features");
        println!("{count} structures to Parquet: at most {:.1} MiB resident", kibibytes as f64 / 1024.0);
        peaks.push((count, kibibytes));
    }
    let ratio = peaks[1].1 as f64 / peaks[0].1 as f64;
    println!("{TIMES} times as many structures take {ratio:.3} times the memory");
    let mut table = arguments.table();
    for (count, kibibytes) in &peaks {
        table.add([
            ("structures", count.to_string()),
            ("peak_kib", kibibytes.to_string()),
            ("over_fewest", format!("{:.4}", *kibibytes as f64 / peaks[0].1 as f64)),
        ]);
    }
    arguments.record.write(&table).map_err(Error::msg)?;
    Ok(())
}

/// The measured process: converts the files below `folder` to Parquet, and prints their number and its peak resident memory
/// in KiB.
pub fn measured(arguments: &Arguments, folder: &Path) -> Result<()> {
    let backend = match arguments.backend {
        BackendArgument::Auto => Backend::Auto,
        BackendArgument::Cuda => Backend::Cuda,
        BackendArgument::Cpu => Backend::Cpu,
    };
    let engine = arguments.engine(backend)?;
    let run = run::once(&engine, folder, Output::Parquet, arguments.batch_atoms(&engine))?;
    let status = fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")).context("/proc/self/status has no VmHWM")?;
    println!("{} {kibibytes}", run.structures);
    Ok(())
}
