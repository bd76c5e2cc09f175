//! `run`, `sanitize`, `profile` and `debug` with shell scripts in place of NVIDIA's programs, which need a GPU.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A folder with a bundle whose executables are scripts, and a folder of tools.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bundle/bin", "tools"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let machine = Self { folder };
        machine.script("bundle/bin/sums", "echo \"sums in $PWD with $* and $RUST_TEST_THREADS thread\"");
        machine
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn script(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        cargo_kernel::bundle::make_executable(&path).unwrap();
    }

    /// A tool that prints its arguments, one a line, and then does this.
    fn tool(&self, name: &str, text: &str) {
        self.script(&format!("tools/{name}"), &format!("for a in \"$@\"; do echo \"[$a]\"; done\n{text}"));
    }

    /// Runs a command as cargo would, where only these tools are.
    fn cargo_kernel(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-kernel"));
        command.current_dir(self.path()).arg("kernel").args(arguments);
        let path = format!("{}:/usr/bin:/bin", self.path().join("tools").display());
        // No GPU is seen, if the machine has one.
        command.env("PATH", path).env("CUDA_HOME", self.path()).env("CUDA_VISIBLE_DEVICES", "-1");
        command.env_remove("CUDA_PATH").env_remove("RUST_TEST_THREADS");
        command.output().expect("the program starts")
    }

    /// The same for a command that must succeed or fail.
    fn text(&self, succeeds: bool, arguments: &[&str]) -> String {
        let output = self.cargo_kernel(arguments);
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.success(), succeeds, "{arguments:?}: {text}");
        text
    }
}

fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

/// A sanitizer that writes a log as the tool of this name does, and then runs the executable.
const SANITIZER: &str = "
for a in \"$@\"; do case $a in --log-file=*) log=${a#*=};; --tool=*) tool=${a#*=};; esac; done
while case $1 in --*) true;; *) false;; esac; do shift; done
\"$@\" || exit $?
case $(basename $1)-$tool in
    *-racecheck) echo '========= RACECHECK SUMMARY: 1 hazard displayed' > $log; exit 86;;
    cores-*) echo '========= Target application terminated before first instrumented API call' > $log;;
    *) echo '========= ERROR SUMMARY: 0 errors' > $log;;
esac";

#[test]
fn a_finding_of_any_check_fails_and_is_shown() {
    let machine = Machine::new();
    machine.tool("compute-sanitizer", SANITIZER);
    machine.script("bundle/bin/broken", "exit 101");
    let all = [
        "sanitize",
        "--bundle",
        "bundle",
        "--pass=--kernel-name=regex:sum",
        "--",
        "--test",
        "sums",
        "--",
        "--exact",
        "a b",
    ];
    let text = machine.text(false, &all);
    let folder = machine.path().join("bundle").canonicalize().unwrap();
    assert_contains(
        &text,
        &[
            "[--tool=memcheck]\n[--error-exitcode=86]\n[--log-file=",
            "[--require-cuda-init=no]\n[--kernel-name=regex:sum]\n",
            &format!("sums in {} with --exact a b and 1 thread", folder.display()),
            "RACECHECK SUMMARY: 1 hazard",
            "sums  memcheck  no errors\nsums  racecheck  ERRORS, see above\nsums  initcheck  no errors\nsums  synccheck  no errors\n",
        ],
    );
    // Another executable is not run, and the output of clean checks is not shown.
    assert!(!text.contains("broken") && !text.contains("ERROR SUMMARY"), "{text}");

    machine.text(true, &["sanitize", "--bundle", "bundle", "--check", "memcheck,synccheck", "--", "--test=sums"]);
    let text = machine.text(false, &["sanitize", "--bundle", "bundle", "--check", "memcheck"]);
    assert_contains(&text, &["broken  memcheck  FAILED: exit status 101", "sums    memcheck  no errors"]);
}

#[test]
fn a_check_of_nothing_is_no_success() {
    let machine = Machine::new();
    machine.tool("compute-sanitizer", SANITIZER);
    machine.script("bundle/bin/cores", "exit 0");
    let memcheck = ["sanitize", "--bundle", "bundle", "--check", "memcheck"];
    // Tests that need no GPU may stand beside others.
    let text = machine.text(true, &memcheck);
    assert_contains(&text, &["cores  memcheck  no call of CUDA", "sums   memcheck  no errors"]);
    let text = machine.text(false, &[&memcheck[..], &["--", "--test", "cores"]].concat());
    assert_contains(&text, &["nothing was checked: no executable has used a GPU"]);
    let text = machine.text(false, &["sanitize", "--bundle", "bundle", "--", "--test", "sum"]);
    assert_contains(&text, &["bundle has no `sum`, only cores, sums"]);
    let text = machine.text(false, &["sanitize", "--bundle", "bundle", "--", "--release"]);
    assert_contains(&text, &["`--release` has no effect on a bundle"]);
    let text = machine.text(false, &["sanitize", "--bundle", "tools"]);
    assert_contains(&text, &["tools is not a bundle"]);
}

#[test]
fn a_profile_is_written_and_shown() {
    let machine = Machine::new();
    let csv = r#""ID","Kernel Name","gpu__time_duration.sum"
"","","us"
"0","sums","13.25""#;
    machine.tool("ncu", &format!("case $* in *--csv*) echo '{csv}';; esac"));
    machine.tool("nsys", "");
    let profile = ["profile", "--bundle", "bundle"];
    let text = machine.text(true, &[&profile[..], &["--kernel", "^sum", "--launches", "3", "--", "--", "x"]].concat());
    let report = machine.path().canonicalize().unwrap().join("sums.ncu-rep");
    let executable = machine.path().canonicalize().unwrap().join("bundle/bin/sums");
    assert_contains(
        &text,
        &[
            &format!("[--export={}]\n[--set=full]\n[--import-source=yes]\n", report.display()),
            &format!("[--source-folders={}/bundle]\n", machine.path().canonicalize().unwrap().display()),
            "[--launch-skip=0]\n[--launch-count=3]\n[--kernel-name=regex:^sum]\n",
            &format!("[{}]\n[x]\n", executable.display()),
            "kernel      time\nsums    13.25 us\n",
            "`ncu-ui` shows it",
        ],
    );
    let text = machine.text(true, &[&profile[..], &["--details"]].concat());
    assert_contains(&text, &[&format!("[--import]\n[{}]\n[--page]\n[details]\n", report.display())]);
    let text = machine.text(true, &[&profile[..], &["--timeline", "--out", "waves"]].concat());
    assert_contains(&text, &["[profile]\n", "/waves]\n[--trace=cuda,nvtx]\n", "`nsys-ui` shows it"]);

    // Two executables have no common report.
    machine.script("bundle/bin/waves", "exit 0");
    assert_contains(&machine.text(false, &profile), &["there are sums, waves: choose one", "-- --test sums"]);
    machine.tool("ncu", "exit 9");
    let text = machine.text(false, &[&profile[..], &["--", "--bin", "waves"]].concat());
    assert_contains(&text, &["ncu of waves: exit status 9"]);
}

#[test]
fn the_debugger_stops_at_kernels() {
    let machine = Machine::new();
    machine.tool("cuda-gdb", "exit 3");
    let arguments = [
        "debug",
        "--bundle",
        "bundle",
        "--command",
        "info cuda devices",
        "--kernel",
        "scan",
        "--batch",
        "--",
        "--",
        "x",
    ];
    let text = machine.text(false, &arguments);
    let executable = machine.path().canonicalize().unwrap().join("bundle/bin/sums");
    let expected = format!(
        "[-batch]\n[-ex]\n[info cuda devices]\n[-ex]\n[set breakpoint pending on]\n[-ex]\n[break scan]\n[-ex]\n[run]\n[--args]\n[{}]\n[x]\n",
        executable.display()
    );
    assert_eq!(text, expected);
}

#[test]
fn a_tool_that_is_missing_is_named_with_its_package() {
    let machine = Machine::new();
    for (command, tool, package) in [
        (&["sanitize"][..], "compute-sanitizer", "cuda-sanitizer-13-0"),
        (&["profile"], "ncu", "cuda-nsight-compute-13-0"),
        (&["profile", "--timeline"], "nsys", "cuda-nsight-systems-13-0"),
        (&["debug"], "cuda-gdb", "cuda-gdb-13-0"),
    ] {
        // Some machines have it in a folder that is always looked in.
        let output = machine.cargo_kernel(&[command, &["--bundle", "bundle", "--", "--test", "none"]].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_there = text.contains("has no `none`");
        assert!(
            !output.status.success() && (is_there || text.contains(&format!("there is no {tool} on PATH"))),
            "{text}"
        );
        assert!(is_there || text.contains(package), "{text}");
        // A toolkit's folder is looked in.
        fs::create_dir_all(machine.path().join("bin")).unwrap();
        machine.script(&format!("bin/{tool}"), "exit 0");
        let text = machine.text(false, &[command, &["--bundle", "bundle", "--", "--test", "none"]].concat());
        assert_contains(&text, &["has no `none`"]);
    }
}

#[test]
fn a_program_runs_on_cores_only_on_request() {
    let machine = Machine::new();
    let text = machine.text(false, &["run", "--bundle", "bundle"]);
    assert_contains(&text, &["no GPU can be used; `--cpu` runs kernels on CPU cores"]);
    machine.script("bundle/bin/waves", "echo \"[$CUDA_VISIBLE_DEVICES] [$CUDA_REQUIRE_GPU] [$*]\"; exit 4");
    let text = machine.text(false, &["run", "--cpu", "--bundle", "bundle", "--", "--", "7"]);
    assert_contains(&text, &["sums in", "with 7", "[-1] [] [7]\n", "error: waves: exit status 4"]);
    machine.text(true, &["run", "--cpu", "--bundle", "bundle", "--", "--bin", "sums"]);
}

/// A crate without dependencies, whose build script leaves what it was asked for.
fn small_crate(folder: &Path) {
    for (file, text) in [
        ("Cargo.toml", "[package]\nname = \"ponds\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n"),
        (
            "build.rs",
            "fn main() {\n    println!(\"cargo:rerun-if-env-changed=CUDA_LINE_INFO\");\n    \
             println!(\"cargo:rustc-env=LINES={}\", std::env::var(\"CUDA_LINE_INFO\").unwrap_or_default());\n}\n",
        ),
        ("src/lib.rs", ""),
        ("src/main.rs", "fn main() {\n    println!(\"program: lines {:?}\", env!(\"LINES\"));\n}\n"),
        ("tests/depth.rs", "#[test]\nfn deep() {\n    println!(\"test: lines {:?}\", env!(\"LINES\"));\n}\n"),
    ] {
        let path = folder.join("ponds").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn what_cargos_options_choose_is_built_with_lines_for_tools_alone() {
    let machine = Machine::new();
    small_crate(machine.path());
    // The scripts pass on what is not theirs.
    machine.tool("compute-sanitizer", SANITIZER);
    let cargo = std::env::var("CARGO").expect("cargo runs tests");
    let run = |succeeds, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-kernel"));
        let tools = machine.path().join("tools");
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
        command.current_dir(machine.path()).args(arguments).env("PATH", path).env("CARGO", &cargo);
        command.env("CARGO_TARGET_DIR", machine.path().join("target")).env("CUDA_VISIBLE_DEVICES", "-1");
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.success(), succeeds, "{arguments:?}: {text}");
        text
    };
    let text = run(true, &["run", "--cpu", "ponds"]);
    assert_contains(&text, &["program: lines \"\""]);
    let text = run(true, &["run", "--cpu", "ponds", "--", "--test", "depth", "--", "--nocapture"]);
    assert!(text.contains("test: lines \"\"") && !text.contains("program:"), "{text}");
    let memcheck = ["sanitize", "--check", "memcheck", "ponds", "--"];
    let text = run(true, &[&memcheck[..], &["--test", "depth", "--", "--nocapture"]].concat());
    assert_contains(&text, &["test: lines \"1\"", "depth  memcheck  no errors"]);
    let text = run(true, &[&memcheck[..], &["--bin", "ponds"]].concat());
    assert_contains(&text, &["program: lines \"1\""]);
    assert_contains(&run(false, &["run", "--cpu", "ponds", "--", "--test", "none"]), &["failed"]);

    // A bundle has the same words, and a library, its program and its tests may share a name.
    let text = run(true, &["bundle", "ponds", "--line-info", "--out", "bundled", "--", "--lib", "--tests", "--bins"]);
    assert_contains(&text, &["bundled: 4 executables; copy it and call run.sh"]);
    let script = |arguments: &[&str]| {
        let mut command = Command::new(machine.path().join("bundled/run.sh"));
        let tools = machine.path().join("tools");
        command.args(arguments).current_dir("/").env("PATH", format!("{}:/usr/bin:/bin", tools.display()));
        let output = command.env("CUDA_VISIBLE_DEVICES", "-1").output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (succeeds, text) = script(&[]);
    assert!(!succeeds && text.contains("no GPU can be used"), "{text}");
    let (succeeds, text) = script(&["run", "--cpu", "--", "--test", "depth", "--", "--nocapture"]);
    assert!(succeeds && text.contains("test: lines \"1\"") && !text.contains("program"), "{text}");
    let (succeeds, text) = script(&["sanitize", "--check", "memcheck"]);
    assert!(succeeds && text.matches("memcheck  no errors").count() == 4, "{text}");
    let (succeeds, text) = script(&["fuzz", "--seeds", "2", "--", "--test", "depth"]);
    assert!(succeeds && text.contains("2 of 2 runs of 1 executables"), "{text}");
}
