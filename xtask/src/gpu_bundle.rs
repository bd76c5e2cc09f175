//! `gpu-bundle`: gathers what a GPU machine without Rust needs to run the tests and benchmarks.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use lzma_rust2::{XzOptions, XzWriter};

use crate::workspace;
use cargo_kernel::bundle;

/// Gather tests, the files they read, `prism`, and a run.sh in one folder; with --benches also benchmarks
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder; its content is replaced [default: target/gpu-bundle below the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also build benchmarks, and `prism`, like a release, which takes longer than all tests
    #[arg(long)]
    benches: bool,
}

/// Largest size of a bundle.
const LIMIT_MIB: f64 = 60.0;

/// How far back the packed executables refer. They share kernels and much code, so it is more than all of them take.
const WINDOW: u32 = 256 << 20;

/// Packages whose test programs use a GPU if there is one. Those of `cuda_std` run kernels only on CPU cores.
const PACKAGES: [&str; 6] =
    ["cuda_algorithms", "prism-host", "tensor-tests", "tests", "toolkit-examples", "toolkit-tests"];

/// Targets of those packages that are left out, and why.
const LEFT_OUT: [(&str, &str); 17] = [
    ("cuda_host_compile_fail", "compiles its cases with cargo"),
    ("packages", "packs crates with cargo"),
    ("guide", "reads the sources"),
    ("entrances", "reads the sources"),
    ("chapter", "computes on CPU cores"),
    ("memory_model", "reads the sources"),
    ("tidy", "reads the sources"),
    ("kernel_lines", "reads the sources"),
    ("readme", "reads the sources"),
    ("schedules", "checks text"),
    ("cli", "runs the `prism` command where cargo built it"),
    ("backbone", "computes on CPU cores"),
    ("oracle", "computes on CPU cores"),
    ("reference", "computes on CPU cores"),
    ("layouts", "computes nothing"),
    ("cuda_host_without_gpu", "is about machines without one"),
    ("zero_cost_forms", "compares bits that the benchmark compares too"),
];

/// Files that tests and benchmarks read at run time, relative to the workspace's root.
const FILES: [&str; 5] = ["data", "fuzz/corpus/confidences", "fuzz/corpus/dataset", "host/tests/data", "tests/data"];

/// The kind of the `prism` command, an executable without tests.
const PROGRAM: &str = "program";

/// An executable that was built.
struct Built {
    /// Its package's folder, relative to the workspace's root.
    package: String,
    target: String,
    kind: String,
    path: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let out = arguments.out.clone().unwrap_or_else(|| root.join("target/gpu-bundle"));
    let built = build(&root, arguments.benches)?;
    bundle::begin(&out)?;
    let mut packed = packed(&out.join("bin.tar.xz"))?;
    let (mut tests, mut benches) = (Vec::new(), Vec::new());
    for built in &built {
        let name = match built.kind.as_str() {
            PROGRAM => built.target.clone(),
            _ => name(&built.package, &built.target),
        };
        let mut from = fs::File::open(&built.path).with_context(|| format!("cannot read {}", built.path.display()))?;
        packed.append_file(&name, &mut from).with_context(|| format!("cannot pack {}", built.path.display()))?;
        match built.kind.as_str() {
            // For manual use, and for comparisons with other programs.
            PROGRAM => {}
            "bench" => benches.push((name, built.package.clone())),
            _ => tests.push((name, built.package.clone())),
        }
    }
    packed
        .into_inner()
        .and_then(XzWriter::finish)
        .and_then(|file| file.sync_all())
        .context("cannot pack the executables")?;
    println!("left out: tests of libraries and of documentation, and of cuda_builder and xtask, which need a compiler");
    for folder in FILES {
        copy_folder(&root.join(folder), &out.join(folder))?;
    }
    for folder in ["tests/peers", "tests/baselines", "toolkit/tests/baselines"] {
        copy_folder(&root.join(folder), &out.join(folder))?;
    }
    for package in tests.iter().chain(&benches).map(|(_, package)| package) {
        fs::create_dir_all(out.join(package))?;
    }
    for (path, text) in [(out.join("tests.list"), list(&tests)), (out.join("benches.list"), list(&benches))] {
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    bundle::finish(&out, SCRIPT)?;

    let mib = size(&out)? as f64 / f64::from(1 << 20);
    println!("{}: {} tests, {} benchmarks, {mib:.1} MiB", out.display(), tests.len(), benches.len());
    ensure!(
        mib <= LIMIT_MIB,
        "the bundle has {mib:.1} MiB, more than the limit of {LIMIT_MIB} MiB; leave something out"
    );
    Ok(ExitCode::SUCCESS)
}

/// The name of an executable in the bundle.
fn name(package: &str, target: &str) -> String {
    format!("{}-{target}", package.replace('/', "-"))
}

/// Why a target is left out.
fn left_out(target: &str) -> Option<&'static str> {
    LEFT_OUT.iter().find(|(name, _)| *name == target).map(|(_, why)| *why)
}

/// Builds everything in a separate folder, because the flags differ from those of ordinary builds. Tests are built as `cargo test` builds
/// them, where kernels are optimised and little else; benchmarks and the command like a release.
fn build(root: &Path, benches: bool) -> Result<Vec<Built>> {
    let tests = tests(root)?;
    // A test that was renamed would otherwise travel along.
    let stale = LEFT_OUT.iter().find(|(name, _)| tests.iter().all(|test| test != name));
    ensure!(stale.is_none(), "LEFT_OUT names a target that is not there: {stale:?}");
    let mut arguments = vec!["test", "--no-run"];
    for test in &tests {
        match left_out(test) {
            Some(why) => println!("left out: {test}, which {why}"),
            None => arguments.extend(["--test", test]),
        }
    }
    let mut built = cargo(root, "dev", &arguments)?;
    // The command as a release, if there is one.
    built.retain(|built| built.kind != PROGRAM || !benches);
    if benches {
        let measured = ["files", "fused", "surface", "teaching", "zero_cost"].map(|name| ["--bench", name]).concat();
        built.extend(cargo(root, "release", &[&["build", "--bins"], &measured[..]].concat())?);
    }
    built.sort_by(|a, b| (&a.package, &a.target).cmp(&(&b.package, &b.target)));
    Ok(built)
}

/// The names of the packages' test programs, each once.
fn tests(root: &Path) -> Result<Vec<String>> {
    let mut command = cargo_kernel::cargo();
    command.current_dir(root).args(["metadata", "--offline", "--no-deps", "--format-version", "1"]);
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cannot read cargo's metadata")?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&metadata["packages"]).into_iter();
    let packages = packages.filter(|package| PACKAGES.iter().any(|name| package["name"] == *name));
    let targets = packages.flat_map(|package| list(&package["targets"]));
    let tests = targets.filter(|target| target["kind"][0] == "test");
    let names: BTreeSet<String> = tests.filter_map(|test| test["name"].as_str().map(str::to_owned)).collect();
    Ok(names.into_iter().collect())
}

/// Runs cargo for the packages, in a profile without debug information and symbols. Returns the executables.
fn cargo(root: &Path, profile: &str, arguments: &[&str]) -> Result<Vec<Built>> {
    let mut command = cargo_kernel::cargo();
    command.current_dir(root).args(arguments).args(["--profile", profile, "--message-format=json-render-diagnostics"]);
    for setting in ["debug=false", "strip=\"symbols\""] {
        command.args(["--config", &format!("profile.{profile}.{setting}")]);
    }
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    command.env("CARGO_TARGET_DIR", target.join("bundle")).stdout(Stdio::piped());
    // The tests' kernels are built for the machine that the bundle goes to.
    command.env("CUDA_EVERY_CHIP", "1");
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let mut built = Vec::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            built.extend(executable(&line.context("cannot read cargo's messages")?, root)?);
        }
    }
    let status = child.wait().context("cannot wait for cargo")?;
    ensure!(status.success(), "{command:?} gave {status}");
    ensure!(!built.is_empty(), "cargo reports no executable");
    Ok(built)
}

/// The executable in one of cargo's messages.
fn executable(message: &str, root: &Path) -> Result<Option<Built>> {
    let message: serde_json::Value = match serde_json::from_str(message) {
        Ok(message) => message,
        // Output of build scripts and the like is mixed with the messages.
        Err(_) => return Ok(None),
    };
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let Some(path) = text(&message["executable"]) else { return Ok(None) };
    let (target, kind) = (text(&message["target"]["name"]), text(&message["target"]["kind"][0]));
    let manifest = text(&message["manifest_path"]);
    let (Some(target), Some(kind), Some(manifest)) = (target, kind, manifest) else {
        bail!("a message of cargo's is not as expected: {message}");
    };
    // A program itself is built beside its tests.
    let kind = if kind == "bin" && message["profile"]["test"] != true { PROGRAM.to_owned() } else { kind };
    let directory = Path::new(&manifest).parent().unwrap_or(Path::new(""));
    let package = directory.strip_prefix(root).with_context(|| format!("{manifest} is not in this workspace"))?;
    Ok(Some(Built { package: package.display().to_string(), target, kind, path: path.into() }))
}

/// An archive for executables.
fn packed(path: &Path) -> Result<tar::Builder<XzWriter<fs::File>>> {
    let file = fs::File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    let mut options = XzOptions::with_preset(3);
    options.lzma_options.dict_size = WINDOW;
    Ok(tar::Builder::new(XzWriter::new(file, options)?))
}

/// Copies the files of a folder recursively. A missing folder counts as empty.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    if !from.exists() {
        return Ok(());
    }
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        if path.is_dir() {
            copy_folder(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// Size of all files below a folder in bytes.
pub fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

/// The script that runs the bundle.
const SCRIPT: &str = include_str!("../bundle/run.sh");

/// A benchmark's kernels in CUDA C++, below its package's folder; not every benchmark has them.
pub fn baselines(package: &Path, bench: &str) -> PathBuf {
    package.join("baselines").join(bench).with_extension("cu")
}

/// One line per executable: its name and its package's folder.
fn list(executables: &[(String, String)]) -> String {
    executables.iter().fold(String::new(), |mut lines, (name, package)| {
        let _ = writeln!(lines, "{name} {package}");
        lines
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executable_is_read_from_a_message() {
        let root = Path::new("/w");
        let message = r#"{"reason":"compiler-artifact","manifest_path":"/w/host/Cargo.toml","target":{"kind":["test"],"name":"engine"},"profile":{"test":true},"executable":"/w/target/release/deps/engine-1"}"#;
        let built = executable(message, root).unwrap().unwrap();
        assert_eq!((built.package.as_str(), built.target.as_str(), built.kind.as_str()), ("host", "engine", "test"));
        assert!(executable(&message.replace("\"/w/target/release/deps/engine-1\"", "null"), root).unwrap().is_none());
        let program =
            message.replace("\"kind\":[\"test\"]", "\"kind\":[\"bin\"]").replace("\"test\":true", "\"test\":false");
        assert_eq!(executable(&program, root).unwrap().unwrap().kind, PROGRAM);
        assert!(executable("warning: something else", root).unwrap().is_none());
        assert!(executable(message, Path::new("/elsewhere")).is_err());
    }

    #[test]
    fn a_list_has_a_line_for_each_executable() {
        let tests =
            [("a-x", "a"), ("toolkit-tests-y", "toolkit/tests")].map(|(name, package)| (name.into(), package.into()));
        assert_eq!(list(&tests), "a-x a\ntoolkit-tests-y toolkit/tests\n");
    }

    #[test]
    fn what_the_script_names_is_there() {
        let root = workspace::root().unwrap();
        for (package, target) in [("tests", "fused_gpu"), ("toolkit/tests", "model"), ("toolkit/tests", "compat_gpu")] {
            assert!(SCRIPT.contains(&format!("{package} \"${{checked[@]}}\" \"$here/bin/{}\"", name(package, target))));
            let tests = root.join(package).join("tests").join(target);
            assert!(tests.with_extension("rs").is_file() || tests.join("main.rs").is_file(), "{package} {target}");
        }
    }

    #[test]
    fn what_needs_a_compiler_stays_here() {
        assert!(left_out("cuda_host_compile_fail").is_some());
        assert!(left_out("fused_gpu").is_none());
    }
}
