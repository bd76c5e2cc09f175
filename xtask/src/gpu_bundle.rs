//! `gpu-bundle`: what a GPU machine without Rust needs to run the tests and benchmarks.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::workspace;

/// Gather the release tests and benchmarks, and what they read, in one folder with a run.sh
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder; what is in it is replaced [default: target/gpu-bundle below the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The most that a bundle may take.
const LIMIT_MIB: f64 = 60.0;

/// Packages whose tests use a GPU where there is one. Those of `cuda_std` run kernels on CPU cores alone.
const PACKAGES: [&str; 3] = ["cuda_host", "prism-host", "tests"];

/// Targets of those packages that stay here, and why.
const LEFT_OUT: [(&str, &str); 14] = [
    ("compile_fail", "compiles its cases with cargo"),
    ("kernel_macro", "compiles its cases with cargo"),
    ("tidy", "reads the sources"),
    ("readme", "reads the sources"),
    ("cli", "runs the `prism` command where cargo built it"),
    ("read_", "reads files, which is the same on any machine"),
    ("output", "writes files, which is the same on any machine"),
    ("pack", "computes nothing"),
    ("oracle", "compares CPU cores with what is computed in another way"),
    ("layouts", "computes nothing"),
    ("unit", "no device takes part in"),
    ("prism", "has no tests of its own"),
    ("without_gpu", "is about machines without one"),
    ("zero_cost_forms", "compares bits that the benchmark compares too"),
];

/// Files that tests and benchmarks read while they run, below the workspace's root.
const FILES: [&str; 3] = ["data", "host/tests/data", "tests/data"];

/// What an executable is that tests nothing: the `prism` command.
const PROGRAM: &str = "program";

/// An executable that was built.
struct Built {
    /// Folder below the workspace's root of the package that it is of.
    package: String,
    target: String,
    kind: String,
    path: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let out = arguments.out.clone().unwrap_or_else(|| root.join("target/gpu-bundle"));
    let built = build(&root)?;
    if out.exists() {
        // Only a folder that this command made is deleted.
        ensure!(out.join(SCRIPT_NAME).is_file(), "{} is not a bundle; name another folder", out.display());
        fs::remove_dir_all(&out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    fs::create_dir_all(out.join("bin")).with_context(|| format!("cannot make {}", out.display()))?;

    let (mut tests, mut benches) = (Vec::new(), Vec::new());
    for built in &built {
        let is_program = built.kind == PROGRAM;
        if let Some(why) = left_out(&built.target).filter(|_| !is_program) {
            println!("left out: {} of {}, which {why}", built.target, built.package);
            continue;
        }
        let name = match is_program {
            true => built.target.clone(),
            false => format!("{}-{}", built.package.replace('/', "-"), built.target),
        };
        let to = out.join("bin").join(format!("{name}.gz"));
        compress(&built.path, &to)
            .with_context(|| format!("cannot pack {} into {}", built.path.display(), to.display()))?;
        match built.kind.as_str() {
            // For people, and for what compares it with other programs.
            PROGRAM => {}
            "bench" => benches.push((name, built.package.clone())),
            _ => tests.push((name, built.package.clone())),
        }
    }
    println!("left out: documentation tests, and the tests of cuda_builder and xtask, which need a compiler");
    for folder in FILES {
        copy_folder(&root.join(folder), &out.join(folder))?;
    }
    for folder in ["tests/peers", "tests/twins"] {
        copy_folder(&root.join(folder), &out.join(folder))?;
    }
    for package in tests.iter().chain(&benches).map(|(_, package)| package) {
        fs::create_dir_all(out.join(package))?;
    }
    let path = out.join(SCRIPT_NAME);
    fs::write(&path, script(&tests, &benches)).with_context(|| format!("cannot write {}", path.display()))?;
    make_executable(&path)?;

    let mib = size(&out)? as f64 / f64::from(1 << 20);
    println!("{}: {} tests, {} benchmarks, {mib:.1} MiB", out.display(), tests.len(), benches.len());
    ensure!(mib <= LIMIT_MIB, "the bundle has {mib:.1} MiB, and may have {LIMIT_MIB}; leave something out");
    Ok(ExitCode::SUCCESS)
}

const SCRIPT_NAME: &str = "run.sh";

/// Why a target stays here.
fn left_out(target: &str) -> Option<&'static str> {
    LEFT_OUT.iter().find(|(part, _)| target.contains(part)).map(|(_, why)| *why)
}

/// Builds tests and benchmarks, without debug information and symbols, in a folder of its own: other flags than those of the
/// ordinary release build would have each of them built again in turn.
fn build(root: &Path) -> Result<Vec<Built>> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(["test", "--release", "--no-run", "--message-format=json-render-diagnostics"]);
    command.args(["--config", "profile.release.debug=false", "--config", "profile.release.strip=\"symbols\""]);
    // Optimisation across packages takes minutes for each executable, and most of what is measured runs on the GPU.
    command.args(["--config", "profile.release.lto=\"off\"", "--config", "profile.release.codegen-units=4"]);
    command.args(["--lib", "--bins", "--tests", "--bench", "files", "--bench", "fused", "--bench", "surface"]);
    command.args(["--bench", "teaching", "--bench", "zero_cost"]);
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    command.env("CARGO_TARGET_DIR", target.join("bundle")).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let mut built = Vec::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            built.extend(executable(&line.context("cannot read cargo's messages")?, root)?);
        }
    }
    let status = child.wait().context("cannot wait for cargo")?;
    if !status.success() {
        bail!("the tests do not build ({status})");
    }
    ensure!(!built.is_empty(), "cargo names no executable");
    built.sort_by(|a, b| (&a.package, &a.target).cmp(&(&b.package, &b.target)));
    Ok(built)
}

/// The executable that a message of cargo's tells of.
fn executable(message: &str, root: &Path) -> Result<Option<Built>> {
    let message: serde_json::Value = match serde_json::from_str(message) {
        Ok(message) => message,
        // What build scripts and the like print stands between the messages.
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
    let target = if kind.ends_with("lib") { "unit".to_owned() } else { target };
    Ok(Some(Built { package: package.display().to_string(), target, kind, path: path.into() }))
}

/// Every executable has the kernels and much of the same code, so that a third of its bytes is left.
fn compress(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut packed = GzEncoder::new(fs::File::create(to)?, Compression::default());
    std::io::copy(&mut fs::File::open(from)?, &mut packed)?;
    packed.finish()?.sync_all()
}

/// Copies the files of a folder, and those of folders in it. A folder that is not there has no files.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
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

/// Bytes of all files below a folder.
fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot mark {}", path.display()))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

const SCRIPT_HEAD: &str = r#"#!/bin/bash
# Runs the tests, then the benchmarks, on this machine's first GPU; fails if anything fails. Needs NVIDIA's driver; with
# nvcc the benchmarks compare with CUDA C++, and with compute-sanitizer its tools look at one
# batch and at the kernels of the model, and memcheck at all tests.
#
#     ./run.sh [unpack|tests|sanitizer|memcheck|benches]...     all of them if none is named; `unpack` only gets bin/ ready
#
# Logs and CSV go to $PRISM_RESULTS, or the folder `results` here. PRISM_WIDE=1, PRISM_CORPUS=DIR and
# PRISM_REFERENCE=DIR make the tests wider.
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${PRISM_RESULTS:=$here/results}" || exit 2
results=$(cd "$PRISM_RESULTS" && pwd)
# Tests run in folders of their own.
for name in PRISM_CORPUS PRISM_REFERENCE; do
    if [ -n "${!name:-}" ]; then
        export "$name=$(realpath -e "${!name}")" || exit 2
    fi
done
export PRISM_TEST_ROOT=$here PRISM_REQUIRE_GPU=1
parts=" $* "
[ $# -gt 0 ] || parts=" tests sanitizer memcheck benches "
failed=()
run() { # log's name, package's folder, then what to run there
    local name=$1 folder=$2 begin=$SECONDS
    shift 2
    if (cd "$here/$folder" && "$@") >"$results/$name.log" 2>&1; then
        echo "ok      $name ($((SECONDS - begin)) s) $(grep '^test result' "$results/$name.log" | tail -1)"
        grep '^skipped' "$results/$name.log" | sort | uniq -c
    else
        echo "FAILED  $name ($((SECONDS - begin)) s), the end of $results/$name.log:"
        tail -40 "$results/$name.log"
        failed+=("$name")
    fi
}
wanted() { [[ $parts == *" $1 "* ]]; }
for packed in "$here"/bin/*.gz; do
    [ ! -e "$packed" ] || gunzip -f "$packed" || exit 2
done
chmod +x "$here"/bin/*
"#;

const SCRIPT_SANITIZER: &str = r#"if wanted sanitizer; then
    if command -v compute-sanitizer >/dev/null; then
        for tool in memcheck racecheck synccheck initcheck; do
            checked=(compute-sanitizer --tool $tool --error-exitcode 9)
            run "sanitizer-$tool-batch" tests "${checked[@]}" "$here/bin/tests-fused_gpu" --exact mixed_batch
            # Not the test that provokes a panic: other threads look at the flag that it sets, whenever that is.
            run "sanitizer-$tool-model" tests "${checked[@]}" "$here/bin/tests-model_gpu" \
                --skip a_warp_does_not_wait_for_a_dead_lane
            run "sanitizer-$tool-compat" tests "${checked[@]}" "$here/bin/tests-compat_gpu"
        done
    else
        echo "no compute-sanitizer: nothing is looked at with it"
    fi
fi
"#;

/// Over all tests, before them.
const SCRIPT_MEMCHECK: &str = r#"if wanted memcheck; then
    if command -v compute-sanitizer >/dev/null; then
        # Calls that fail are tested, too; some executables call nothing unless PRISM_WIDE=1.
        checked=(compute-sanitizer --tool memcheck --error-exitcode 9 --report-api-errors no --require-cuda-init no)
        # Not the tests whose kernels do on purpose what it would report, nor those that leave it no memory of the device.
        # One at a time: the tool waits for the device, which makes the record of a graph in another thread fail.
        skipped=(--skip an_illegal_access_is_told --skip errors_explained --skip full:: --skip a_run_allocates_nothing
            --test-threads=1)
"#;

const SCRIPT_MEMCHECK_END: &str = r#"    else
        echo "no compute-sanitizer: the tests are not looked at with memcheck"
    fi
fi
"#;

const SCRIPT_TWINS: &str = r#"    if command -v nvcc >/dev/null; then
        for twins in "$here"/tests/twins/*.cu; do
            name=$(basename "$twins" .cu)
            if ! nvcc -O3 -arch=native -cubin -Xptxas -v -o "$results/$name.cubin" "$twins" \
                >"$results/$name.twins.log" 2>&1; then
                rm -f "$results/$name.cubin"
                echo "FAILED  the twins do not compile:"
                cat "$results/$name.twins.log"
                failed+=("twins-$name")
            fi
        done
    else
        echo "no nvcc: nothing is compared with CUDA C++"
    fi
"#;

/// The twins that a benchmark compares with: a file in tests/twins, without its ending.
const TWINS: [(&str, &str); 3] =
    [("tests-fused", "contact"), ("tests-surface", "surface"), ("tests-zero_cost", "zero_cost")];

const SCRIPT_TAIL: &str = r#"if ((${#failed[@]})); then
    echo "failed: ${failed[*]}"
    exit 1
fi
echo "all passed"
"#;

/// The twins of the benchmark `PACKAGE-NAME`.
pub fn twins_of(bench: &str) -> Option<&'static str> {
    TWINS.iter().find(|(name, _)| *name == bench).map(|(_, twins)| *twins)
}

/// Runs each test in its package's folder, as cargo does.
fn script(tests: &[(String, String)], benches: &[(String, String)]) -> String {
    let mut script = SCRIPT_HEAD.to_owned();
    script.push_str("if wanted tests; then\n");
    for (name, package) in tests {
        // What a passing test prints shows which were skipped.
        let _ = writeln!(script, "    run {name} {package} \"$here/bin/{name}\" --show-output");
    }
    script.push_str("fi\n");
    script.push_str(SCRIPT_SANITIZER);
    script.push_str(SCRIPT_MEMCHECK);
    for (name, package) in tests {
        let _ = writeln!(
            script,
            "        run memcheck-{name} {package} \"${{checked[@]}}\" \"$here/bin/{name}\" \"${{skipped[@]}}\""
        );
    }
    script.push_str(SCRIPT_MEMCHECK_END);
    script.push_str("if wanted benches; then\n");
    script.push_str(SCRIPT_TWINS);
    for (name, package) in benches {
        script.push_str("    twins=()\n");
        if let Some((_, twins)) = TWINS.iter().find(|(bench, _)| bench == name) {
            let cubin = format!("\"$results/{twins}.cubin\"");
            let _ = writeln!(script, "    if [ -f {cubin} ]; then twins=(--twins {cubin}); fi");
        }
        let arguments = format!("--csv \"$results/{name}.csv\" \"${{twins[@]}}\"");
        let _ = writeln!(script, "    run {name} {package} \"$here/bin/{name}\" {arguments}");
        let _ = writeln!(script, "    cat \"$results/{name}.log\"");
    }
    script.push_str("fi\n");
    script.push_str(SCRIPT_TAIL);
    script
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
    fn the_script_runs_everything_once() {
        let names =
            |list: &[&str]| list.iter().map(|name| ((*name).to_owned(), "tests".to_owned())).collect::<Vec<_>>();
        let script = script(&names(&["tests-a", "tests-b"]), &names(&["tests-fused"]));
        let bench = "run tests-fused tests \"$here/bin/tests-fused\" --csv";
        for line in ["run tests-a tests ", "run tests-b tests ", bench] {
            assert_eq!(script.matches(line).count(), 1, "{line}");
        }
    }

    #[test]
    fn what_needs_a_compiler_stays_here() {
        assert!(left_out("cuda_host_compile_fail").is_some());
        assert!(left_out("fused_gpu").is_none());
    }
}
