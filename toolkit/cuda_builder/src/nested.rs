//! Runs cargo for the device from a program that cargo may have started itself.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler::{self, DeviceCompiler};
use crate::file::FileError;
use crate::flags::{DebugInfo, PROFILE, profile};
use crate::inputs::cfg_expr::DEVICE_TARGET;

/// A cargo call that compiles a kernel crate to PTX.
///
/// ```no_run
/// use cuda_builder::nested::{DeviceBuild, Lint};
/// use cuda_builder::{DebugInfo, Discovery, NvvmArch, flags};
///
/// // As `CudaBuilder::build` does, but without checking the result. `cuda_builder/tests/device.rs` builds crates.
/// let compiler = Discovery::new("kernels").find()?;
/// let build = DeviceBuild {
///     compiler: &compiler,
///     directory: "kernels".as_ref(),
///     package: "kernels",
///     features: &[],
///     flags: &flags::code_generation(NvvmArch::Compute75),
///     last_flags: &[],
///     settings: &[],
///     debug: DebugInfo::None,
///     target: "target/device".as_ref(),
///     output: "kernels.ptx".as_ref(),
/// };
/// build.lint(Lint::Clippy)?;
/// println!("{}", build.run()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeviceBuild<'a> {
    /// The compiler.
    pub compiler: &'a DeviceCompiler,
    /// The kernel crate's directory.
    pub directory: &'a Path,
    /// The package's name.
    pub package: &'a str,
    /// Cargo features of the kernel crate.
    pub features: &'a [String],
    /// Flags for every crate.
    pub flags: &'a [String],
    /// Flags for the kernel crate only.
    pub last_flags: &'a [String],
    /// Settings of the device's profile besides [`profile`]'s, as `KEY=VALUE` in TOML.
    pub settings: &'a [String],
    /// Line information.
    pub debug: DebugInfo,
    /// Cargo's target directory.
    pub target: &'a Path,
    /// The PTX file.
    pub output: &'a Path,
}

/// Why a build failed. Both methods of [`DeviceBuild`] return it.
#[derive(Debug, thiserror::Error)]
pub enum NestedError {
    /// Cargo or one of its tools could not be started, or a file in the target directory is in the way.
    #[error(transparent)]
    File(#[from] FileError),
    /// Cargo or the compiler reported errors.
    #[error("`{package}` does not compile for the device with {compiler}:\n{messages}")]
    Failed {
        /// The kernel crate.
        package: String,
        /// The compiler's version.
        compiler: String,
        /// The output of cargo and the compiler.
        messages: String,
    },
    /// Cargo reported success but wrote no PTX.
    #[error("the build of `{package}` wrote no {}", output.display())]
    NoOutput {
        /// The kernel crate.
        package: String,
        /// The missing file.
        output: PathBuf,
    },
}

/// A lint for a kernel crate as the device compiles it, without making PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lint {
    /// clippy; warnings are errors.
    Clippy,
    /// rustdoc; warnings are errors.
    Rustdoc,
}

impl DeviceBuild<'_> {
    /// Makes the PTX. Returns the output of cargo and the compiler, including warnings.
    ///
    /// # Errors
    /// If cargo cannot be run, the crate does not compile, or no PTX is written.
    pub fn run(&self) -> Result<String, NestedError> {
        let llvm = self.llvm();
        if !self.output.is_file() || !llvm.is_file() {
            self.forget_last_build()?;
        }
        let mut command = Command::new(&self.compiler.cargo);
        command.arg("rustc");
        self.prepare(&mut command);
        // Not an rlib, which the host links: it holds no finished code. A cdylib would need a linker.
        command.args(["--crate-type", "staticlib"]);
        // An explicit path gives the file one name; otherwise old files with other hashes remain beside it.
        let mut emit = OsString::from("--emit=asm=");
        emit.push(self.output);
        // LLVM's text of the same module shows which variables may change.
        emit.push(",llvm-ir=");
        emit.push(&llvm);
        command.arg("--").arg(emit).args(self.last_flags);
        let messages = self.finish(command)?;
        if !self.output.is_file() {
            return Err(NestedError::NoOutput { package: self.package.to_owned(), output: self.output.to_owned() });
        }
        Ok(messages)
    }

    /// LLVM's text of the module, beside the PTX.
    pub fn llvm(&self) -> PathBuf {
        self.output.with_extension("ll")
    }

    /// Runs a lint on the crate and the workspace's packages that it uses.
    ///
    /// # Errors
    /// If the tool cannot be run, or finds something.
    pub fn lint(&self, lint: Lint) -> Result<(), NestedError> {
        let mut command = match lint {
            // By its own path: `cargo clippy` would use the first `cargo-clippy` on `PATH`.
            Lint::Clippy => {
                let exe = env::consts::EXE_SUFFIX;
                let mut command = Command::new(self.compiler.cargo.with_file_name(format!("cargo-clippy{exe}")));
                command.arg("clippy");
                command
            }
            Lint::Rustdoc => {
                let mut command = Command::new(&self.compiler.cargo);
                command.args(["doc", "--no-deps"]);
                command
            }
        };
        self.prepare(&mut command);
        // Documentation for another chip than that of the crates that it uses is refused.
        let chip = self.flags.iter().map(String::as_str).filter(|flag| flag.starts_with("-Ctarget"));
        let rustdoc: Vec<_> = chip.chain(["-Dwarnings"]).collect();
        command.env("CARGO", &self.compiler.cargo).env("CARGO_ENCODED_RUSTDOCFLAGS", rustdoc.join("\u{1f}"));
        if lint == Lint::Clippy {
            command.args(["--", "-Dwarnings"]);
        }
        self.finish(command).map(drop)
    }

    /// Sets the environment and the options that all calls share.
    fn prepare(&self, command: &mut Command) {
        for (name, _) in env::vars_os().filter(|(name, _)| is_of_outer_build(name)) {
            command.env_remove(name);
        }
        if let Some(path) = compiler::library_path() {
            command.env("LD_LIBRARY_PATH", path);
        }
        command
            .current_dir(self.directory)
            .env("RUSTC", &self.compiler.rustc)
            .env("RUSTDOC", self.compiler.rustc.with_file_name(format!("rustdoc{}", env::consts::EXE_SUFFIX)))
            // Enables unstable flags of a released compiler, as the kernel's own build does.
            .env("RUSTC_BOOTSTRAP", "1")
            // An empty wrapper also disables one from a configuration file.
            .env("RUSTC_WRAPPER", "")
            .env("RUSTC_WORKSPACE_WRAPPER", "")
            .env("CARGO_ENCODED_RUSTFLAGS", self.flags.join("\u{1f}"))
            .args(["--locked", "--lib", "--package", self.package])
            .args(["--target", DEVICE_TARGET, "--profile", PROFILE, "-Zbuild-std=core", "-Zprofile-rustflags"])
            .arg("--target-dir")
            .arg(self.target);
        for setting in profile(self.debug).iter().chain(self.settings) {
            command.args(["--config", setting]);
        }
        if !self.features.is_empty() {
            command.args(["--features", &self.features.join(",")]);
        }
        if io::stderr().is_terminal() {
            command.args(["--color", "always"]);
        }
    }

    fn finish(&self, mut command: Command) -> Result<String, NestedError> {
        let program = PathBuf::from(command.get_program());
        let output = command.output().map_err(FileError::run(&program))?;
        let mut messages = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        if output.status.success() {
            return Ok(messages);
        }
        if let Some(meaning) = meaning(&messages) {
            messages.push_str(&format!("\n\n{meaning}"));
        }
        let compiler = self.compiler.version.clone();
        Err(NestedError::Failed { package: self.package.to_owned(), compiler, messages })
    }

    /// Makes cargo compile the crate again: it does not notice that the PTX is gone.
    fn forget_last_build(&self) -> Result<(), FileError> {
        let fingerprints = self.target.join(DEVICE_TARGET).join(PROFILE).join(".fingerprint");
        for entry in fingerprints.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_own = name.to_str().and_then(|name| name.rsplit_once('-')).is_some_and(|(n, _)| n == self.package);
            if is_own {
                let path = entry.path();
                fs::remove_dir_all(&path).map_err(FileError::write(&path))?;
            }
        }
        let Some(directory) = self.output.parent() else { return Ok(()) };
        fs::create_dir_all(directory).map_err(FileError::write(directory))
    }
}

/// Explains errors that the compiler reports without a source position, or in obscure terms.
fn meaning(messages: &str) -> Option<String> {
    if messages.contains("LLVM ERROR: unsupported library call operation") {
        return Some(
            "help: a kernel converts between a float and a number of 128 bits (`u128`, `i128`), which no device does; convert \
             64 bits at a time"
                .to_owned(),
        );
    }
    let (_, rest) = messages.split_once("symbol `")?;
    let (name, rest) = rest.split_once('`')?;
    rest.trim_start().starts_with("is already defined").then(|| {
        let name = name.strip_prefix("__cuda_std_description_").unwrap_or(name);
        format!(
            "help: two kernels are called `{name}`: a PTX module has one entry of a name, whatever Rust module it stands in; \
             give one of them another name"
        )
    })
}

/// Whether a variable belongs to the build that runs this program (cargo's, rustup's, a build script's) and would affect
/// the nested build. Cargo's home, network and registry settings belong to the user and stay.
fn is_of_outer_build(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    const KEPT: &[&str] = &["CARGO_HOME", "CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_"];
    const REMOVED: &[&str] = &[
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "RUSTUP_TOOLCHAIN",
        "RUST_RECURSION_COUNT",
        "RUST_TARGET_PATH",
        "CLIPPY_ARGS",
        "TARGET",
        "HOST",
        "OUT_DIR",
        "OPT_LEVEL",
        "PROFILE",
        "DEBUG",
        "NUM_JOBS",
        "MAKEFLAGS",
        "MFLAGS",
    ];
    if KEPT.iter().any(|kept| name.starts_with(kept)) {
        return false;
    }
    let is_family = ["CARGO", "__CARGO", "RUSTC", "RUSTDOC", "DEP_"].iter().any(|family| name.starts_with(family));
    is_family || REMOVED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_leaves_open_is_told() {
        let explained = |messages| meaning(messages).unwrap_or_default();
        assert!(explained("rustc-LLVM ERROR: unsupported library call operation").contains("128 bits"));
        assert!(
            explained("error: symbol `__cuda_std_description_k` is already defined")
                .contains("two kernels are called `k`")
        );
        for other in ["error: symbol `k` is not defined", "error: symbol `k", "error[E0308]: mismatched types"] {
            assert_eq!(meaning(other), None);
        }
    }

    #[test]
    fn only_the_outer_build_is_forgotten() {
        for name in ["CARGO", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR", "RUSTC_WRAPPER"] {
            assert!(is_of_outer_build(OsStr::new(name)), "{name}");
        }
        for name in ["RUSTUP_TOOLCHAIN", "RUSTFLAGS", "TARGET", "OUT_DIR", "CARGO_MAKEFLAGS", "CARGO_PROFILE_DEV_LTO"] {
            assert!(is_of_outer_build(OsStr::new(name)), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_HTTP_PROXY", "PATH", "HOME", "RUSTUP_HOME", "RUST_LOG"] {
            assert!(!is_of_outer_build(OsStr::new(name)), "{name}");
        }
    }
}
