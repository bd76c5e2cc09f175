//! `bench`: the kernels' benchmarks on this machine's GPU.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{gpu_bundle, workspace};

/// Run all benchmarks of the kernels; with nvcc also their baselines in CUDA C++
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only this benchmark (repeatable) [default: all]
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Also write the results of each benchmark to NAME.csv in this folder
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,

    /// Compare with no baseline, even if nvcc is installed
    #[arg(long)]
    no_baselines: bool,

    /// Arguments for the benchmarks; see `cargo bench --bench NAME -- --help`
    #[arg(last = true)]
    rest: Vec<String>,
}

/// A benchmark: a target of a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bench {
    package: String,
    name: String,
    /// The package's folder.
    folder: PathBuf,
}

impl Bench {
    /// Its kernels in CUDA C++, if it has any.
    fn baselines(&self) -> Option<PathBuf> {
        let source = gpu_bundle::baselines(&self.folder, &self.name);
        source.is_file().then_some(source)
    }
}

/// Runs the command. If a benchmark fails, the others still run.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let benches = chosen(all(&root)?, &arguments.only)?;
    let csv = match &arguments.csv {
        None => None,
        Some(folder) => {
            let folder = std::path::absolute(folder).with_context(|| format!("{} is not a path", folder.display()))?;
            std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            Some(folder)
        }
    };
    let nvcc = !arguments.no_baselines && has_nvcc();
    let mut failed = Vec::new();
    for bench in &benches {
        println!("\n==> {} of {}", bench.name, bench.package);
        let mut command = cargo(&root);
        command.args(["bench", "--package", &bench.package, "--bench", &bench.name, "--"]);
        if let Some(folder) = &csv {
            command.arg("--csv").arg(folder.join(format!("{}.csv", bench.name)));
        }
        if nvcc && let Some(source) = bench.baselines() {
            command.arg("--baselines").arg(compile_baselines(&root, &source)?);
        }
        let status = command.args(&arguments.rest).status().with_context(|| format!("cannot start {command:?}"))?;
        if !status.success() {
            failed.push(bench.name.as_str());
        }
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nfailed: {}", failed.join(", "));
    Ok(ExitCode::FAILURE)
}

fn cargo(root: &Path) -> Command {
    let mut cargo = cargo_kernel::cargo();
    cargo.current_dir(root);
    cargo
}

/// The packages with benchmarks of kernels, which share their options.
const PACKAGES: [&str; 2] = ["tests", "toolkit-tests"];

/// All benchmarks of the kernels, from cargo's metadata.
fn all(root: &Path) -> Result<Vec<Bench>> {
    let mut command = cargo(root);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    let mut benches = listed(&output.stdout)?;
    benches.retain(|bench| PACKAGES.contains(&bench.package.as_str()));
    Ok(benches)
}

/// The benchmarks in the output of `cargo metadata`.
fn listed(metadata: &[u8]) -> Result<Vec<Bench>> {
    let metadata: serde_json::Value = serde_json::from_slice(metadata).context("cargo's metadata are not JSON")?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let mut benches = Vec::new();
    for package in list(&metadata["packages"]) {
        for target in list(&package["targets"]) {
            let manifest = package["manifest_path"].as_str().and_then(|path| Path::new(path).parent());
            if list(&target["kind"]).iter().any(|kind| kind == "bench")
                && let (Some(package), Some(name), Some(folder)) =
                    (package["name"].as_str(), target["name"].as_str(), manifest)
            {
                benches.push(Bench { package: package.to_owned(), name: name.to_owned(), folder: folder.to_owned() });
            }
        }
    }
    benches.sort();
    Ok(benches)
}

/// The named benchmarks, or all if none is named.
fn chosen(benches: Vec<Bench>, only: &[String]) -> Result<Vec<Bench>> {
    if let Some(unknown) = only.iter().find(|name| !benches.iter().any(|bench| bench.name == **name)) {
        let names: Vec<_> = benches.iter().map(|bench| bench.name.as_str()).collect();
        bail!("there is no benchmark `{unknown}`; choose from {}", names.join(", "));
    }
    Ok(benches.into_iter().filter(|bench| only.is_empty() || only.contains(&bench.name)).collect())
}

fn has_nvcc() -> bool {
    let found = Command::new("nvcc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("nvcc is not installed: nothing is compared with CUDA C++");
    }
    found
}

/// Compiles kernels in CUDA C++ for this machine's GPU.
fn compile_baselines(root: &Path, source: &Path) -> Result<PathBuf> {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let cubin = std::path::absolute(folder.join(source.file_stem().unwrap_or_default()).with_extension("cubin"))?;
    let mut nvcc = Command::new("nvcc");
    nvcc.args(["-O3", "-arch=native", "-cubin", "-o"]).arg(&cubin);
    let status = nvcc.arg(source).status();
    let status = status.with_context(|| format!("cannot start {nvcc:?}"))?;
    ensure!(status.success(), "the baselines do not compile: {nvcc:?} gave {status}");
    Ok(cubin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_of_the_kernels_is_found() {
        let root = workspace::root().unwrap();
        let benches = all(&root).unwrap();
        let named = |package: &str| {
            let manifest = std::fs::read_to_string(root.join(package).join("Cargo.toml")).unwrap();
            manifest.matches("[[bench]]").count()
        };
        assert_eq!(benches.len(), named("tests") + named("toolkit/tests"));
        let with_baselines: Vec<_> = benches.iter().filter(|bench| bench.baselines().is_some()).collect();
        assert!(with_baselines.iter().map(|bench| &bench.name).eq(["fused", "surface", "zero_cost"]));
    }

    #[test]
    fn other_targets_are_no_benchmarks() {
        let metadata = r#"{"packages":[
            {"name":"b","manifest_path":"/w/b/Cargo.toml","targets":[{"kind":["lib"],"name":"b"},{"kind":["bench"],"name":"two"}]},
            {"name":"a","manifest_path":"/w/a/Cargo.toml","targets":[{"kind":["test"],"name":"t"},{"kind":["bench"],"name":"one"}]}]}"#;
        let bench = |package: &str, name: &str| Bench {
            package: package.to_owned(),
            name: name.to_owned(),
            folder: Path::new("/w").join(package),
        };
        assert_eq!(listed(metadata.as_bytes()).unwrap(), [bench("a", "one"), bench("b", "two")]);
        assert!(listed(b"no JSON").is_err());
    }

    #[test]
    fn some_are_chosen_by_name() {
        let benches = ["one", "two"]
            .map(|name| Bench { package: "p".to_owned(), name: name.to_owned(), folder: PathBuf::new() })
            .to_vec();
        assert_eq!(chosen(benches.clone(), &[]).unwrap(), benches);
        assert_eq!(chosen(benches.clone(), &["two".to_owned()]).unwrap(), benches[1..]);
        let error = chosen(benches, &["three".to_owned()]).unwrap_err().to_string();
        assert_eq!(error, "there is no benchmark `three`; choose from one, two");
    }
}
