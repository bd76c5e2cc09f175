//! NVIDIA's assembler: the registers, stack, spills and shared memory of a kernel on a chip.
//!
//! It needs neither a GPU nor the rest of the CUDA toolkit; PyPI's `nvidia-cuda-nvcc` has it.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::arch::NvvmArch;
use crate::file::{FileError, read_text};
use crate::ptx::bounds::for_arch;

/// The environment variable that names a `ptxas`.
pub const PTXAS_VARIABLE: &str = "CUDA_BUILDER_PTXAS";

/// The resources of a kernel on a chip, from `ptxas -v`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// The kernel's name.
    pub kernel: String,
    /// Registers per thread.
    pub registers: u32,
    /// Stack per thread in bytes, including the functions that the kernel calls.
    pub stack: u32,
    /// Bytes of registers stored to the stack for lack of room, including the functions that the kernel calls.
    pub spill_stores: u32,
    /// Bytes of such registers that are loaded again.
    pub spill_loads: u32,
    /// Static shared memory per block in bytes.
    pub shared: u32,
    /// Whether the assembler makes products of Hopper's warpgroups wait for each other, because something else uses their registers
    /// meanwhile. Such products take several times as long.
    pub serialized: bool,
}

/// Why ptxas cannot be used, or refuses a module.
///
/// ```
/// use cuda_builder::{Ptxas, ptxas::PtxasError};
/// use std::path::Path;
///
/// assert!(matches!(Ptxas::at(Path::new("no/such/ptxas")), Err(PtxasError::File(_))));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum PtxasError {
    /// It was not found.
    #[error(
        "no ptxas; looked at {PTXAS_VARIABLE}, {looked}. Install one with `python3 -m venv DIR && DIR/bin/pip install \
         nvidia-cuda-nvcc`, and name its nvidia/cu13/bin/ptxas in {PTXAS_VARIABLE}"
    )]
    NotFound {
        /// Where it was searched.
        looked: String,
    },
    /// It cannot be started, or its output cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It refuses the module.
    #[error("{} refuses {} for {arch}:\n{messages}", ptxas.display(), ptx.display())]
    Refused {
        /// The program.
        ptxas: PathBuf,
        /// The module.
        ptx: PathBuf,
        /// The chip.
        arch: NvvmArch,
        /// Its output.
        messages: String,
    },
    /// Its report lacks a line.
    #[error("the report of {} for {arch} cannot be read; it was:\n{messages}", ptxas.display())]
    Report {
        /// The program.
        ptxas: PathBuf,
        /// The chip.
        arch: NvvmArch,
        /// Its output.
        messages: String,
    },
}

/// An assembler.
///
/// ```no_run
/// use cuda_builder::{NvvmArch, Ptxas};
/// use std::path::Path;
///
/// // `cuda_builder/tests/ptxas.rs` does this if there is an assembler.
/// let ptxas = Ptxas::find(&[])?;
/// for kernel in ptxas.resources(Path::new("kernels.ptx"), NvvmArch::Compute90)? {
///     println!("{}: {} registers, by ptxas {}", kernel.kernel, kernel.registers, ptxas.version);
/// }
/// # Ok::<(), cuda_builder::ptxas::PtxasError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptxas {
    /// The program.
    pub path: PathBuf,
    /// Its version: `13.5.37`.
    pub version: String,
}

impl Ptxas {
    /// Finds an assembler: the one in [`PTXAS_VARIABLE`], one in a directory of `extra` or below (Python environments nest
    /// it deeply), one on `PATH`, or one of a CUDA toolkit.
    ///
    /// # Errors
    /// If there is none, or the one in the variable does not run.
    pub fn find(extra: &[PathBuf]) -> Result<Self, PtxasError> {
        if let Some(named) = env::var_os(PTXAS_VARIABLE).filter(|named| !named.is_empty()) {
            return Ptxas::at(Path::new(&named));
        }
        let exe = program();
        let mut candidates: Vec<PathBuf> = extra.iter().filter_map(|directory| installed_below(directory)).collect();
        let path = env::var_os("PATH").unwrap_or_default();
        candidates.extend(env::split_paths(&path).map(|directory| directory.join(&exe)));
        for variable in ["CUDA_HOME", "CUDA_PATH"] {
            candidates.extend(env::var_os(variable).map(|home| Path::new(&home).join("bin").join(&exe)));
        }
        candidates.push(Path::new("/usr/local/cuda/bin").join(&exe));
        let found = candidates.into_iter().filter(|path| path.is_file()).find_map(|path| Ptxas::at(&path).ok());
        found.ok_or_else(|| {
            let extra = extra.iter().map(|directory| format!("{}, ", directory.display())).collect::<String>();
            PtxasError::NotFound { looked: format!("{extra}PATH, CUDA_HOME, CUDA_PATH and /usr/local/cuda/bin") }
        })
    }

    /// The assembler at a path.
    ///
    /// # Errors
    /// If it does not run.
    pub fn at(path: &Path) -> Result<Self, PtxasError> {
        let start = FileError::run(path);
        let output = Command::new(path).arg("--version").output().map_err(&start)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split_whitespace().filter_map(|word| word.strip_prefix('V')).next_back();
        let version = version.ok_or_else(|| start(io::Error::other("`--version` names no version")))?;
        Ok(Ptxas { path: path.to_owned(), version: version.to_owned() })
    }

    /// Assembles a module for a chip, and returns the machine code.
    ///
    /// # Errors
    /// If the assembler refuses the module, or its output cannot be read.
    pub fn machine_code(&self, ptx: &Path, arch: NvvmArch) -> Result<Vec<u8>, PtxasError> {
        let to = env::temp_dir().join(format!("cuda-builder-{}-{arch}.cubin", std::process::id()));
        let output = self.run(&["-o".as_ref(), to.as_ref()], ptx, arch)?;
        if !output.status.success() {
            let messages = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            let (ptxas, ptx, messages) = (self.path.clone(), ptx.to_owned(), messages.concat());
            return Err(PtxasError::Refused { ptxas, ptx, arch, messages });
        }
        let code = fs::read(&to).map_err(FileError::read(&to))?;
        fs::remove_file(&to).map_err(FileError::write(&to))?;
        Ok(code)
    }

    /// Assembles a module for a chip without keeping the code, and returns the resources of its kernels, sorted by name.
    ///
    /// # Errors
    /// If the assembler refuses the module, or its report cannot be read.
    pub fn resources(&self, ptx: &Path, arch: NvvmArch) -> Result<Vec<KernelResources>, PtxasError> {
        let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let Output { status, stdout, stderr } = self.run(&["-v", "-o", nowhere].map(OsStr::new), ptx, arch)?;
        let messages = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        let ptxas = self.path.clone();
        if !status.success() {
            return Err(PtxasError::Refused { ptxas, ptx: ptx.to_owned(), arch, messages });
        }
        parse_report(&messages).ok_or(PtxasError::Report { ptxas, arch, messages })
    }

    /// Runs it on a module, with the module's bounds for a chip.
    fn run(&self, arguments: &[&OsStr], ptx: &Path, arch: NvvmArch) -> Result<Output, PtxasError> {
        let module = for_arch(&read_text(ptx)?, arch);
        let failed = FileError::run(&self.path);
        let mut command = Command::new(&self.path);
        command.arg(format!("-arch={arch}")).args(arguments).arg("-");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(&failed)?;
        let input = child.stdin.take();
        thread::scope(|scope| {
            // An assembler that refuses the chip does not read the module. Its message says more than the broken pipe.
            scope.spawn(|| input.map(|mut input| input.write_all(module.as_bytes())));
            child.wait_with_output().map_err(&failed)
        })
        .map_err(PtxasError::from)
    }
}

impl fmt::Display for Ptxas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ptxas {}", self.version)
    }
}

/// Parses the output of `ptxas -v`. A kernel's lines come first, then those of the functions it calls. Remarks on products of
/// warpgroups name their kernel. `None` if a kernel lacks one of its lines.
///
/// ```
/// use cuda_builder::ptxas::parse_report;
///
/// let report = "\
/// ptxas info    : Compiling entry function 'scale' for 'sm_90'
/// ptxas info    : Function properties for scale
///     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
/// ptxas info    : Used 10 registers, used 1 barriers, 4096 bytes smem
/// ";
/// let scale = &parse_report(report).unwrap()[0];
/// assert_eq!((scale.kernel.as_str(), scale.registers, scale.shared), ("scale", 10, 4096));
/// assert_eq!((scale.stack, scale.spill_stores, scale.spill_loads), (16, 4, 8));
/// // A truncated report must not look like a kernel without resources.
/// assert_eq!(parse_report("Compiling entry function 'scale' for 'sm_90'"), None);
/// ```
pub fn parse_report(text: &str) -> Option<Vec<KernelResources>> {
    let mut kernels: Vec<KernelResources> = Vec::new();
    let mut complete = Vec::new();
    let mut serialized = Vec::new();
    for line in text.lines() {
        // "Potential Performance Loss: wgmma.mma_async instructions are serialized due to .. in function 'k'", and "wgmma.wait_group is
        // injected .. in function 'k'".
        if line.contains("wgmma")
            && let Some((_, name)) = line.split_once("function '")
        {
            serialized.extend(name.split_once('\'').map(|(name, _)| name));
        }
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernels.push(KernelResources { kernel: rest.split_once('\'')?.0.to_owned(), ..Default::default() });
            complete.push((false, false));
            continue;
        }
        let (Some(kernel), Some(seen)) = (kernels.last_mut(), complete.last_mut()) else { continue };
        if line.contains("bytes stack frame") {
            kernel.stack = kernel.stack.max(number_before(line, " bytes stack frame")?);
            kernel.spill_stores += number_before(line, " bytes spill stores")?;
            kernel.spill_loads += number_before(line, " bytes spill loads")?;
            seen.0 = true;
        } else if line.contains("Used ") {
            kernel.registers = number_before(line, " registers")?;
            kernel.shared = number_before(line, " bytes smem").unwrap_or(0);
            kernel.stack = kernel.stack.max(number_before(line, " bytes cumulative stack size").unwrap_or(0));
            seen.1 = true;
        }
    }
    for kernel in &mut kernels {
        kernel.serialized = serialized.contains(&kernel.kernel.as_str());
    }
    kernels.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    complete.into_iter().all(|seen| seen == (true, true)).then_some(kernels)
}

fn number_before(line: &str, unit: &str) -> Option<u32> {
    let before = &line[..line.find(unit)?];
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The assembler in a directory or below, as in a Python environment. It may not run.
///
/// ```
/// use cuda_builder::ptxas::installed_below;
///
/// assert_eq!(installed_below("no/such/environment".as_ref()), None);
/// ```
pub fn installed_below(directory: &Path) -> Option<PathBuf> {
    let files = walkdir::WalkDir::new(directory).max_depth(8).into_iter().flatten();
    let mut files = files.filter(|entry| entry.file_type().is_file());
    files.find(|entry| entry.file_name() == program().as_str()).map(walkdir::DirEntry::into_path)
}

fn program() -> String {
    format!("ptxas{}", env::consts::EXE_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From ptxas 13.5: a kernel that calls a function, then one with spills.
    const REPORT: &str = "\
ptxas info    : Overriding maximum register limit 256 for 'spilling' with  32 of maxrregcount option
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'tiled' for 'sm_90'
ptxas info    : Function properties for tiled
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 4096 bytes smem
ptxas info    : Compile time = 2.294 ms
ptxas info    : Function properties for _RNvNtCsl3zjjZ8wCbR_4core9panicking9panic_fmt
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Compiling entry function 'spilling' for 'sm_75'
ptxas info    : Function properties for spilling
    216 bytes stack frame, 216 bytes spill stores, 212 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 224 bytes cumulative stack size, 2048 bytes smem, 360 bytes cmem[0]
ptxas info    : Compile time = 4.174 ms
";

    #[test]
    fn a_report_is_read_kernel_by_kernel() {
        let tiled = KernelResources {
            kernel: "tiled".to_owned(),
            registers: 10,
            stack: 16,
            spill_stores: 4,
            spill_loads: 8,
            shared: 4096,
            serialized: false,
        };
        let spilling = KernelResources {
            kernel: "spilling".to_owned(),
            registers: 32,
            stack: 224,
            spill_stores: 216,
            spill_loads: 212,
            shared: 2048,
            serialized: false,
        };
        assert_eq!(parse_report(REPORT), Some(vec![spilling, tiled]));
    }

    #[test]
    fn remarks_on_products_that_wait_belong_to_their_kernel() {
        // From ptxas 13.5.
        let remark = "ptxas info    : (C7517) wgmma.wait_group is injected in around line 3171 by compiler to allow use of \
                      registers defined by GMMA in function 'tiled'\n";
        let found = parse_report(&[remark, REPORT].concat()).unwrap();
        assert_eq!(found.iter().map(|kernel| kernel.serialized).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn a_report_cut_short_is_not_read_as_zero() {
        let cut = REPORT.find("ptxas info    : Used 32").unwrap();
        assert_eq!(parse_report(&REPORT[..cut]), None);
        assert_eq!(parse_report(""), Some(vec![]));
    }
}
