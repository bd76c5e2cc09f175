//! NVIDIA's programs for developers: where they are, and how to get them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::programs::Executable;

/// A program of NVIDIA's.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// What it is called.
    pub program: &'static str,
    /// The beginning of its package's name in NVIDIA's repositories for Debian, Ubuntu and others; the toolkit's version follows.
    package: &'static str,
    /// A folder whose folders may have it, one for each version.
    versions: Option<&'static str>,
}

/// Finds accesses out of bounds, races and the like.
pub const SANITIZER: Tool = Tool { program: "compute-sanitizer", package: "cuda-sanitizer", versions: None };
/// Measures kernels.
pub const PROFILER: Tool =
    Tool { program: "ncu", package: "cuda-nsight-compute", versions: Some("/opt/nvidia/nsight-compute") };
/// Records when kernels, copies and calls run.
pub const TIMELINE: Tool =
    Tool { program: "nsys", package: "cuda-nsight-systems", versions: Some("/opt/nvidia/nsight-systems") };
/// Stops in kernels.
pub const DEBUGGER: Tool = Tool { program: "cuda-gdb", package: "cuda-gdb", versions: None };

impl Tool {
    /// Finds it: on `PATH`, in a CUDA toolkit, or in a folder of its own, of which the last version counts.
    pub fn find(self) -> Result<PathBuf> {
        let file = format!("{}{}", self.program, env::consts::EXE_SUFFIX);
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
        for variable in ["CUDA_HOME", "CUDA_PATH"] {
            folders.extend(env::var_os(variable).map(|home| Path::new(&home).join("bin")));
        }
        folders.push("/usr/local/cuda/bin".into());
        if let Some(entries) = self.versions.and_then(|folder| Path::new(folder).read_dir().ok()) {
            let mut versions: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            versions.sort();
            folders.extend(versions.into_iter().rev().flat_map(|version| [version.join("bin"), version]));
        }
        match folders.into_iter().map(|folder| folder.join(&file)).find(|path| path.is_file()) {
            Some(path) => Ok(path),
            None => bail!("{}", self.missing()),
        }
    }

    /// What to do if it is not there.
    pub fn missing(self) -> String {
        let Tool { program, package, .. } = self;
        format!(
            "there is no {program} on PATH, in CUDA_HOME, CUDA_PATH or /usr/local/cuda; install NVIDIA's CUDA toolkit \
             (https://developer.nvidia.com/cuda-downloads), or of its repository for your system the package {package}-VERSION, such as \
             {package}-13-0. The tests can also be taken to a machine that has it: `cargo kernel bundle`"
        )
    }
}

/// A command for an executable, or for a tool with its options that runs the executable.
pub fn command(tool: Option<(&Path, &[String])>, executable: &Executable, arguments: &[String]) -> Command {
    let mut command = match tool {
        Some((tool, options)) => {
            let mut command = Command::new(tool);
            command.args(options).arg(&executable.path);
            command
        }
        None => Command::new(&executable.path),
    };
    command.args(arguments).current_dir(&executable.folder).env("CUDA_REQUIRE_GPU", "1");
    // Tests share a GPU, and tools wait for the whole device.
    if env::var_os("RUST_TEST_THREADS").is_none() {
        command.env("RUST_TEST_THREADS", "1");
    }
    command
}

/// Runs a command to its end. Returns its exit code; `None` if a signal ended it.
pub fn code(command: &mut Command) -> Result<Option<i32>> {
    let program = command.get_program().to_owned();
    let status = command.status().with_context(|| format!("{} does not start", Path::new(&program).display()))?;
    Ok(status.code())
}

/// How a program ended, in words.
pub fn ended(code: Option<i32>) -> String {
    code.map_or_else(|| "ended by a signal".to_owned(), |code| format!("exit status {code}"))
}
