//! New crates from `cargo xtask new-kernel` build, and pass their tests and lints, without changes.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_builder::ptx::header::Header;
use cuda_builder::{CudaBuilder, Discovery};

/// Builds share directories that are kept between runs, so a second run takes seconds; one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A copy of this workspace and an empty folder beside it, for one test at a time.
struct Project {
    workspace: PathBuf,
    beside: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

fn project() -> Project {
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-kernel");
    let (workspace, beside) = (project.join("workspace"), project.join("beside"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // Builds need only packages, the toolkit, and files at the top.
    mirror(root, &workspace, &|path| !path.is_dir() || path.ends_with("toolkit") || path.join("Cargo.toml").is_file());
    let _ = fs::remove_dir_all(&beside);
    fs::create_dir_all(&beside).unwrap();
    Project { workspace: workspace.canonicalize().unwrap(), beside: beside.canonicalize().unwrap(), _alone: alone }
}

/// Makes a folder equal to another one. Equal files stay untouched, because cargo compares modification times.
fn mirror(from: &Path, to: &Path, taken: &dyn Fn(&Path) -> bool) {
    fs::create_dir_all(to).unwrap();
    let hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    let built = |path: &Path| path.ends_with("target") || path.join("CACHEDIR.TAG").is_file();
    for entry in to.read_dir().unwrap().map(Result::unwrap) {
        let (path, origin) = (entry.path(), from.join(entry.file_name()));
        if path.is_dir() && !(origin.is_dir() && taken(&origin)) {
            fs::remove_dir_all(&path).unwrap();
        } else if path.is_file() && !origin.is_file() {
            fs::remove_file(&path).unwrap();
        }
    }
    for entry in from.read_dir().unwrap().map(Result::unwrap) {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if hidden(&entry.file_name()) || built(&path) || !taken(&path) {
            continue;
        }
        if path.is_dir() {
            mirror(&path, &copy, &|_| true);
        } else {
            let bytes = fs::read(&path).unwrap();
            if fs::read(&copy).ok().as_ref() != Some(&bytes) {
                fs::write(&copy, bytes).unwrap();
            }
        }
    }
}

/// Runs the command as cargo would, for the workspace in `root`.
fn new_kernel(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.env("CARGO_MANIFEST_DIR", root.join("xtask")).current_dir(root);
    command.arg("new-kernel").args(arguments).output().unwrap()
}

/// Makes a crate outside of the workspace.
fn crate_beside(project: &Project, path: &str, more: &[&str]) -> PathBuf {
    let directory = project.beside.join(path);
    let name = directory.file_name().unwrap().to_str().unwrap();
    let made = new_kernel(&project.workspace, &[&[name, "--dir", directory.to_str().unwrap()], more].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(text(&made.stdout).contains("cargo test"), "it says what to do next");
    directory
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where crates outside of a workspace are built: with the packages from outside that this workspace is built of.
fn build_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the build directory").to_owned()
}

/// Runs cargo in a crate's folder as a user would, and returns its output.
fn cargo(directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO"));
    // These builds need no debug information, and are faster without it.
    command.env("CARGO_TARGET_DIR", build_directory()).env("CARGO_PROFILE_DEV_DEBUG", "0");
    command.args(arguments).current_dir(directory).env_remove("CUDA_REQUIRE_GPU");
    let output = command.output().unwrap();
    let written = text(&output.stdout) + &text(&output.stderr);
    if output.status.success() { Ok(written) } else { Err(format!("{command:?}: {}\n{written}", output.status)) }
}

/// Whether cargo has this command; a toolchain without rustup may lack the component.
fn has(command: &str) -> bool {
    let there = cargo(Path::new("."), &[command, "--version"]).is_ok();
    if !there {
        skipped(&format!("`cargo {command}` of a new crate; it is not installed"));
    }
    there
}

fn skipped(what: &str) {
    // Not through `eprintln!`, which a passing test captures.
    let _ = std::io::stderr().write_all(format!("skipped: {what}\n").as_bytes());
}

#[test]
fn a_crate_elsewhere_is_complete() {
    let project = project();
    let directory = crate_beside(&project, "deep/waves", &[]);

    if has("fmt") {
        cargo(&directory, &["fmt", "--check"]).unwrap();
    }
    if has("clippy") {
        cargo(&directory, &["clippy", "--offline", "--all-targets", "--", "-D", "warnings"]).unwrap();
    }
    let written = cargo(&directory, &["test", "--offline"]).unwrap();
    assert!(written.contains("test cpu_cores_compute_what_plain_rust_does ... ok"), "{written}");
    assert!(written.contains("test a_gpu_computes_the_same_bits ... ok"), "{written}");

    match Discovery::new(&directory).find() {
        Ok(compiler) => {
            assert!(!written.contains("this build has no PTX"), "{written}");
            let ptx = project.beside.join("again.ptx");
            let output = CudaBuilder::new(&directory)
                .target_directory(build_directory().join("cuda-builder"))
                .copy_to(&ptx)
                .build()
                .unwrap();
            assert_eq!(output.files[0].entries, ["saxpy"]);
            let text = fs::read_to_string(&ptx).unwrap();
            let (header, _) = Header::read(&text).unwrap();
            assert_eq!((header.package.as_str(), header.compiler), ("waves", compiler.version));
        }
        Err(none) => {
            let required = std::env::var_os("CUDA_REQUIRE_DEVICE_COMPILER").is_some_and(|value| value == "1");
            assert!(!required, "CUDA_REQUIRE_DEVICE_COMPILER=1, and there is {none}");
            // The build reports it with the command that helps, and the GPU test is left out.
            assert!(written.contains("warning: waves@0.1.0: this build has no PTX: no device compiler"), "{written}");
            assert!(written.contains("skipped: no device compiler"), "{written}");
            // Not through `eprintln!`, which a passing test captures.
            let told =
                "skipped: the PTX of a new crate; no device compiler (`cargo xtask doctor` tells how to install one)";
            let _ = writeln!(std::io::stderr(), "{told}");
        }
    }

    // Existing files stay.
    let source = directory.join("src/lib.rs");
    fs::write(&source, "// mine\n").unwrap();
    let again = new_kernel(&project.workspace, &["waves", "--dir", directory.to_str().unwrap()]);
    assert!(!again.status.success());
    let told = text(&again.stderr);
    assert!(told.contains("deep/waves is not empty") && told.contains("--dir"), "{told}");
    assert_eq!(fs::read_to_string(&source).unwrap(), "// mine\n");
}

#[test]
fn a_build_without_a_compiler_for_gpus_says_so_and_runs_on_cpu_cores() {
    let project = project();
    let directory = crate_beside(&project, "ripples", &[]);
    // There is no compiler at the configured path, and no other one is used.
    let configuration = "[env]\nCUDA_BUILDER_RUSTC = \"no/such/rustc\"\n";
    fs::create_dir(directory.join(".cargo")).unwrap();
    fs::write(directory.join(".cargo/config.toml"), configuration).unwrap();
    let written = cargo(&directory, &["test", "--offline"]).unwrap();
    for line in [
        "this build has no PTX: no device compiler",
        "chosen explicitly: no/such/rustc does not run",
        "skipped: no device compiler",
        "test cpu_cores_compute_what_plain_rust_does ... ok",
    ] {
        assert!(written.contains(line), "`{line}` is missing:\n{written}");
    }
}

#[test]
fn a_new_member_of_the_workspace_is_built_as_the_others_are() {
    let project = project();
    let root = &project.workspace;
    let made = new_kernel(root, &["ponds"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(root.join("kernels/ponds/src/lib.rs").is_file());
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("    \"kernels/ponds\",\n"), "{manifest}");

    if has("fmt") {
        cargo(root, &["fmt", "--check", "-p", "ponds"]).unwrap();
    }
    // With another version, since cargo would take the packages of the copied workspace for those of this one. Neither is it built for cores,
    // nor are its tests run, because those of a crate elsewhere are the same; CUDA_WIDE=1 compiles it with all that it takes.
    let version = format!("version = \"{}\"\nedition", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&version), "{manifest}");
    let changed = manifest.replace(&version, "version = \"0.1.999\"\nedition");
    fs::write(root.join("Cargo.toml"), &changed).unwrap();
    let is_wide = std::env::var("CUDA_WIDE").as_deref() == Ok("1");
    let resolve: &[&str] =
        if is_wide { &["check", "--offline", "-p", "ponds"] } else { &["tree", "--offline", "-p", "ponds"] };
    cargo(root, resolve).unwrap();
    if Discovery::new(root).find().is_ok() {
        let kernels = CudaBuilder::new(root.join("kernels/ponds"));
        let kernels = kernels.target_directory(build_directory().join("cuda-builder"));
        let output = kernels.copy_to(project.beside.join("ponds.ptx")).build().unwrap();
        assert_eq!(output.files[0].entries, ["saxpy"]);
    } else {
        skipped("the PTX of a new member; there is no device compiler");
    }

    // Names of the workspace's packages are refused, and nothing is left behind.
    for (name, why) in [("ponds", "`ponds`"), ("shared_types", "`shared-types`"), ("rayon", "`rayon`")] {
        let refused = new_kernel(root, &[name, "--dir", "kernels/other"]);
        assert!(!refused.status.success(), "{name}");
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
    let refused = new_kernel(root, &["rivers", "--git", "https://example.org/x.git", "--dir", "kernels/other"]);
    assert!(text(&refused.stderr).contains("--git has no effect"), "{}", text(&refused.stderr));
    assert!(!root.join("kernels/other").exists());
    assert_eq!(fs::read_to_string(root.join("Cargo.toml")).unwrap(), changed);
}

#[test]
fn a_module_of_python_computes_the_same_bits() {
    let project = project();
    let directory = crate_beside(&project, "tides", &["--python"]);
    if has("fmt") {
        cargo(&directory, &["fmt", "--check", "--all"]).unwrap();
    }
    if has("clippy") {
        cargo(&directory, &["clippy", "--offline", "--workspace", "--", "-D", "warnings"]).unwrap();
    }
    // As maturin sets it: an extension does not link to Python's library.
    let build = ["build", "--offline", "--workspace", "--config", "env.PYO3_BUILD_EXTENSION_MODULE='1'"];
    cargo(&directory, &build).unwrap();
    if !cfg!(target_os = "linux") {
        return skipped("the module in Python; the test knows what it is called on Linux");
    }
    let site = project.beside.join("site");
    fs::create_dir(&site).unwrap();
    fs::copy(build_directory().join("debug/libtides_python.so"), site.join("tides.abi3.so")).unwrap();
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !Command::new(&python).args(["-c", "import numpy"]).output().is_ok_and(|output| output.status.success()) {
        return skipped(&format!("the module in Python; {python} has no NumPy (PYTHON names another one)"));
    }
    let test = directory.join("python/test_saxpy.py");
    let output = Command::new(&python).arg(test).env("PYTHONPATH", &site).output().unwrap();
    let written = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{written}");
    for line in ["NumPy: same bits", "what does not fit is refused"] {
        assert!(written.contains(line), "`{line}` is missing:\n{written}");
    }
}

#[test]
fn a_crate_can_take_the_toolkit_from_a_repository() {
    let project = project();
    let url = "https://example.org/toolkit.git";
    let directory = crate_beside(&project, "rivers", &["--git", url]);
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap();
    for package in ["cuda_std", "cuda_builder", "cuda_host"] {
        assert!(manifest.contains(&format!("{package} = {{ git = \"{url}\" }}\n")), "{manifest}");
    }
}
