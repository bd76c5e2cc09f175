//! The canaries: kernels that show whether this compiler, with these flags, duplicates a barrier into both arms of a branch.
//!
//! If the threads of a block wait at different copies of one barrier, this is undefined behaviour on the device. Counting
//! barriers in the user's kernels proves nothing (an inlined helper and an unrolled loop legitimately have several), so
//! each build first compiles kernels that have exactly one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::compiler::DeviceCompiler;
use crate::file::{FileError, read_text};
use crate::flags::DebugInfo;
use crate::inputs::digest::short_text_digest;
use crate::nested::{DeviceBuild, NestedError};
use crate::ptx::convergent::unmarked;
use crate::ptx::divergence::divergent;
use crate::ptx::module::PtxModule;

const KERNELS: &str = include_str!("kernels.rs");
const DEPENDENCY: &str = include_str!("dependency.rs");

const KERNELS_MANIFEST: &str = r#"[package]
name = "canary-kernels"
version = "0.0.0"
edition = "2024"

[lib]
path = "lib.rs"

[dependencies]
canary-dependency = { path = "dependency" }

[workspace]
members = ["dependency"]
"#;

const DEPENDENCY_MANIFEST: &str = r#"[package]
name = "canary-dependency"
version = "0.0.0"
edition = "2024"

[lib]
path = "lib.rs"
"#;

const LOCK: &str = r#"version = 4

[[package]]
name = "canary-dependency"
version = "0.0.0"

[[package]]
name = "canary-kernels"
version = "0.0.0"
dependencies = [
 "canary-dependency",
]
"#;

/// Why the canaries fail. Both methods of [`Canary`] return it.
#[derive(Debug, thiserror::Error)]
pub enum CanaryError {
    /// A canary has more barriers than its source, or none.
    #[error(
        "{compiler} compiles the one barrier of the test kernel `{kernel}` to {barriers}: kernels with barriers would \
         be undefined on the device, so nothing is delivered; use the pinned compiler"
    )]
    BarrierCount {
        /// The compiler's version.
        compiler: String,
        /// The canary.
        kernel: String,
        /// The barriers in its PTX.
        barriers: usize,
    },
    /// A canary's barrier, or the call of its function, stands in an arm of a branch.
    #[error(
        "{compiler} puts the barrier of the test kernel `{kernel}` where only some threads get: kernels with barriers would hang on the \
         device, so nothing is delivered; use the pinned compiler"
    )]
    Divergent {
        /// The compiler's version.
        compiler: String,
        /// The canary.
        kernel: String,
    },
    /// The compiler does not mark a function with a barrier as convergent.
    #[error(
        "{compiler} does not mark `{function}` of the test kernels as convergent, so it may copy barriers into branches, and nothing is \
         delivered; use the pinned compiler"
    )]
    NotConvergent {
        /// The compiler's version.
        compiler: String,
        /// The function.
        function: String,
    },
    /// A canary is missing in the PTX.
    #[error("{compiler} omits the test kernel `{kernel}` from the PTX; use the pinned compiler")]
    Missing {
        /// The compiler's version.
        compiler: String,
        /// The canary.
        kernel: String,
    },
    /// They do not compile.
    #[error(transparent)]
    Build(#[from] NestedError),
    /// Their files cannot be written or read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The names of the canaries.
pub const CANARIES: [&str; 5] = [
    "barrier_in_crate",
    "barrier_in_dependency",
    "barrier_in_inlined_function",
    "barrier_in_called_function",
    "barrier_in_function",
];

/// The compiler and flags for the canaries.
///
/// ```no_run
/// use cuda_builder::canary::{CANARIES, Canary};
/// use cuda_builder::{DebugInfo, Discovery, NvvmArch, flags};
///
/// // `cuda_builder/tests/device.rs` does this, with and without the flag that keeps barriers.
/// let compiler = Discovery::new(".").find()?;
/// let flags = flags::code_generation(NvvmArch::Compute75);
/// let target = "target/device".as_ref();
/// let canary = Canary { compiler: &compiler, flags: &flags, last_flags: &[], debug: DebugInfo::None, target };
/// canary.check()?;
/// assert!(canary.barriers()?.iter().all(|(name, barriers)| CANARIES.contains(&name.as_str()) && *barriers == 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Canary<'a> {
    /// The compiler.
    pub compiler: &'a DeviceCompiler,
    /// Flags for every crate, as for the kernels.
    pub flags: &'a [String],
    /// Flags for the last crate only.
    pub last_flags: &'a [String],
    /// Line information, as for the kernels.
    pub debug: DebugInfo,
    /// Cargo's target directory; the canaries use a directory in it.
    pub target: &'a Path,
}

impl Canary<'_> {
    /// Checks that the canaries have one barrier each, which all threads get to. Success is remembered for this compiler and these flags.
    ///
    /// # Errors
    /// If a canary has another number of barriers, or cannot be compiled.
    pub fn check(&self) -> Result<(), CanaryError> {
        let mark = self.directory().join(format!("passed-{}", self.key()));
        if mark.is_file() {
            return Ok(());
        }
        let (text, llvm) = self.compile()?;
        let (module, compiler) = (PtxModule::parse(&text), || self.compiler.version.clone());
        let barriers = module.barrier_sites();
        for kernel in CANARIES {
            let compiler = compiler();
            match barriers.get(kernel) {
                Some(1) => {}
                Some(&barriers) => {
                    return Err(CanaryError::BarrierCount { compiler, kernel: kernel.to_owned(), barriers });
                }
                None => return Err(CanaryError::Missing { compiler, kernel: kernel.to_owned() }),
            }
        }
        let all = CANARIES.map(str::to_owned);
        if let Some(found) = divergent(&text, &all).into_iter().next() {
            return Err(CanaryError::Divergent { compiler: compiler(), kernel: found.function });
        }
        if let Some(function) = unmarked(&llvm).into_iter().next() {
            return Err(CanaryError::NotConvergent { compiler: compiler(), function });
        }
        Ok(write(&mark, "")?)
    }

    /// Compiles the canaries and counts their barriers.
    ///
    /// # Errors
    /// If they cannot be compiled.
    pub fn barriers(&self) -> Result<BTreeMap<String, usize>, CanaryError> {
        let (text, _) = self.compile()?;
        let module = PtxModule::parse(&text);
        Ok(module.barrier_sites().into_iter().map(|(name, sites)| (name.to_owned(), sites)).collect())
    }

    /// The PTX of the canaries, and LLVM's text.
    fn compile(&self) -> Result<(String, String), CanaryError> {
        let directory = self.directory();
        write(&directory.join("Cargo.toml"), KERNELS_MANIFEST)?;
        write(&directory.join("Cargo.lock"), LOCK)?;
        write(&directory.join("lib.rs"), KERNELS)?;
        write(&directory.join("dependency/Cargo.toml"), DEPENDENCY_MANIFEST)?;
        write(&directory.join("dependency/lib.rs"), DEPENDENCY)?;
        let output = directory.join(format!("{}.ptx", self.key()));
        let build = DeviceBuild {
            compiler: self.compiler,
            directory: &directory,
            package: "canary-kernels",
            features: &[],
            flags: self.flags,
            last_flags: self.last_flags,
            settings: &[],
            debug: self.debug,
            target: self.target,
            output: &output,
        };
        build.run()?;
        Ok((read_text(&output)?, read_text(&build.llvm())?))
    }

    fn directory(&self) -> PathBuf {
        self.target.join("canary")
    }

    /// Identifies the compiler, the flags and the canaries' own text.
    fn key(&self) -> String {
        let compiler = self.compiler;
        let parts = [&compiler.version, &compiler.llvm, &compiler.sysroot.display().to_string(), KERNELS, DEPENDENCY];
        let parts = parts.iter().copied().chain(self.flags.iter().map(String::as_str));
        let parts = parts.chain(["--"]).chain(self.last_flags.iter().map(String::as_str));
        let text = format!("{}\n{:?}", parts.collect::<Vec<_>>().join("\n"), self.debug);
        short_text_digest(&text)
    }
}

/// Writes a file unless it exists with the same text, because cargo compares modification times.
fn write(path: &Path, text: &str) -> Result<(), FileError> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(FileError::write(path))?;
    }
    fs::write(path, text).map_err(FileError::write(path))
}
