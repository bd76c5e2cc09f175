//! Finds a compiler for the device: a rustc with its cargo and the sources of its library.
//!
//! `core` is compiled for the GPU with the kernels, so a compiler without its library's sources is not usable.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that chooses the device compiler: the path of a `rustc`.
pub const RUSTC_VARIABLE: &str = "CUDA_BUILDER_RUSTC";

/// The oldest Rust version that makes sound PTX: since then functions for GPUs are marked as convergent, so that barriers in them
/// are not copied into branches. Crates for the host build with older ones.
pub const OLDEST: (u32, u32) = (1, 96);

/// Installs Debian's set of compiler, cargo and library sources (bookworm-security and later).
pub const DEBIAN_COMMAND: &str =
    "apt-get update && apt-get install -y --no-install-recommends rustc-web cargo-web rust-web-src";

/// The origin of a device compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Named by the caller or by [`RUSTC_VARIABLE`].
    Explicit,
    /// The toolchain that the workspace pins (`rust-toolchain.toml`), or the `rustc` on `PATH` if none is pinned.
    Pinned,
    /// Debian's packages under `/usr`.
    Debian,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Explicit => "chosen explicitly",
            Origin::Pinned => "the workspace's toolchain",
            Origin::Debian => "Debian's packages",
        })
    }
}

/// A compiler that can build kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceCompiler {
    /// Where it was found.
    pub origin: Origin,
    /// The compiler itself, and not a rustup proxy if possible.
    pub rustc: PathBuf,
    /// The cargo that belongs to it.
    pub cargo: PathBuf,
    /// `rustc --print sysroot`.
    pub sysroot: PathBuf,
    /// The first line of `rustc -vV`: `rustc 1.99.1 (58cf8f9c3 2026-10-13)`.
    pub version: String,
    /// The LLVM version of `rustc -vV`: `23.1.1`.
    pub llvm: String,
}

impl DeviceCompiler {
    /// The directory that holds the library's sources, `library` in the compiler's repository.
    pub fn library(&self) -> PathBuf {
        library_of(&self.sysroot)
    }
}

/// Why a candidate is not usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The program does not exist, or does not start.
    #[error("{} does not run: {reason}", rustc.display())]
    DoesNotRun {
        /// The program.
        rustc: PathBuf,
        /// The message of the system or the program.
        reason: String,
    },
    /// The compiler exists, but not its library's sources.
    #[error("{} has no library sources at {}", rustc.display(), library.display())]
    NoLibrarySources {
        /// The program.
        rustc: PathBuf,
        /// Where they were expected.
        library: PathBuf,
    },
    /// The compiler copies barriers into branches.
    #[error(
        "{} is {version}, which copies barriers into branches, so kernels hang; PTX takes Rust {}.{} or newer",
        rustc.display(), OLDEST.0, OLDEST.1
    )]
    TooOld {
        /// The program.
        rustc: PathBuf,
        /// Its version.
        version: String,
    },
    /// The compiler exists, but not its cargo.
    #[error("{} has no cargo ({})", rustc.display(), cargo.display())]
    NoCargo {
        /// The program.
        rustc: PathBuf,
        /// Where cargo was expected.
        cargo: PathBuf,
    },
}

/// No candidate is usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCompiler {
    /// Each candidate's origin, and why it is not usable.
    pub tried: Vec<(Origin, Unusable)>,
    /// The channel that the workspace pins, if any.
    pub channel: Option<String>,
}

impl std::error::Error for NoCompiler {}

impl fmt::Display for NoCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "no device compiler (a rustc with cargo and the sources of its library):")?;
        for (origin, unusable) in &self.tried {
            writeln!(f, "  {origin}: {unusable}")?;
        }
        if self.tried.iter().any(|(origin, _)| *origin == Origin::Explicit) {
            return write!(f, "Choose another with {RUSTC_VARIABLE}, or unset it to let one be found.");
        }
        writeln!(f, "Install one with either of")?;
        writeln!(f, "  {}", rustup_command(self.channel.as_deref()))?;
        writeln!(f, "  {DEBIAN_COMMAND}")?;
        write!(f, "or name a rustc that has its sources in {RUSTC_VARIABLE}.")
    }
}

/// The command that adds the library's sources to the pinned toolchain.
///
/// ```
/// use cuda_builder::compiler::rustup_command;
///
/// assert_eq!(rustup_command(Some("1.99.1")), "rustup component add rust-src --toolchain 1.99.1");
/// ```
pub fn rustup_command(channel: Option<&str>) -> String {
    match channel {
        Some(channel) => format!("rustup component add rust-src --toolchain {channel}"),
        None => "rustup component add rust-src".to_owned(),
    }
}

/// The search for a device compiler. [`Discovery::new`] searches this machine; the fields allow other locations.
///
/// ```
/// use cuda_builder::{Discovery, compiler::Origin};
///
/// // An explicit choice that does not exist.
/// let discovery = Discovery { explicit: Some("no/such/rustc".into()), ..Discovery::new(".") };
/// let none = discovery.find().unwrap_err();
/// assert_eq!(none.tried[0].0, Origin::Explicit);
/// assert!(none.to_string().contains("no/such/rustc does not run"));
///
/// // The compilers of this machine.
/// for (origin, candidate) in Discovery::new(".").candidates() {
///     match candidate {
///         Ok(compiler) => println!("{origin}: {}, sources in {}", compiler.version, compiler.library().display()),
///         Err(unusable) => println!("{origin}: {unusable}"),
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Discovery {
    /// An explicit choice. If it is given, only it is tried: a choice that fails must not be replaced by another compiler.
    pub explicit: Option<PathBuf>,
    /// The `rustc` of the pinned toolchain: a name on `PATH`, or a path.
    pub pinned: PathBuf,
    /// Debian's `rustc`.
    pub debian: PathBuf,
    /// The directory that decides the pinned toolchain: the kernel crate's.
    pub directory: PathBuf,
}

impl Discovery {
    /// The search for the kernel crate in `directory` on this machine; [`RUSTC_VARIABLE`] is the explicit choice.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Discovery {
            explicit: env::var_os(RUSTC_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from),
            pinned: PathBuf::from("rustc"),
            debian: PathBuf::from("/usr/bin/rustc"),
            directory: directory.into(),
        }
    }

    /// The first usable compiler.
    ///
    /// # Errors
    /// Lists every candidate, what it lacks, and commands that install one.
    pub fn find(&self) -> Result<DeviceCompiler, NoCompiler> {
        self.find_where(|_| true)
    }

    /// The usable compiler with this version and LLVM, or else the first usable one.
    ///
    /// # Errors
    /// As [`Discovery::find`].
    pub fn find_preferring(&self, version: &str, llvm: &str) -> Result<DeviceCompiler, NoCompiler> {
        self.find_where(|compiler| compiler.version == version && compiler.llvm == llvm).or_else(|_| self.find())
    }

    /// All candidates in order, usable or not, as `doctor` shows them.
    pub fn candidates(&self) -> Vec<(Origin, Result<DeviceCompiler, Unusable>)> {
        let places = match &self.explicit {
            Some(path) => vec![(Origin::Explicit, path)],
            None => vec![(Origin::Pinned, &self.pinned), (Origin::Debian, &self.debian)],
        };
        let mut found: Vec<_> = places.into_iter().map(|(origin, rustc)| (origin, self.probe(origin, rustc))).collect();
        // Without rustup the `rustc` on `PATH` can be Debian's: then there is one compiler, and it is not pinned.
        if let [(_, Ok(pinned)), (_, Ok(debian))] = &found[..]
            && pinned.rustc == debian.rustc
        {
            drop(found.remove(0));
        }
        found
    }

    fn find_where(&self, wanted: impl Fn(&DeviceCompiler) -> bool) -> Result<DeviceCompiler, NoCompiler> {
        let mut tried = Vec::new();
        for (origin, candidate) in self.candidates() {
            match candidate {
                Ok(compiler) if wanted(&compiler) => return Ok(compiler),
                Ok(_) => {}
                Err(unusable) => tried.push((origin, unusable)),
            }
        }
        Err(NoCompiler { tried, channel: pinned_channel(&self.directory) })
    }

    fn probe(&self, origin: Origin, rustc: &Path) -> Result<DeviceCompiler, Unusable> {
        let sysroot = PathBuf::from(self.ask(rustc, &["--print", "sysroot"])?.trim_end());
        let library = library_of(&sysroot);
        // Both are needed: cargo resolves the library with its lock file.
        if !library.join("core/src/lib.rs").is_file() || !library.join("Cargo.lock").is_file() {
            return Err(Unusable::NoLibrarySources { rustc: rustc.to_owned(), library });
        }
        // The sysroot's own programs, since a rustup proxy would choose again by its environment.
        let exe = env::consts::EXE_SUFFIX;
        let own = sysroot.join(format!("bin/rustc{exe}"));
        let rustc = if own.is_file() { own } else { rustc.to_owned() };
        let cargo = rustc.with_file_name(format!("cargo{exe}"));
        if !cargo.is_file() {
            return Err(Unusable::NoCargo { rustc, cargo });
        }
        let output = self.ask(&rustc, &["-vV"])?;
        let field = |name: &str| output.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let (Some(version), Some(llvm)) = (output.lines().next(), field("LLVM version:")) else {
            let reason = format!("`-vV` gave no version: {}", output.trim());
            return Err(Unusable::DoesNotRun { rustc, reason });
        };
        let (version, llvm) = (version.to_owned(), llvm.to_owned());
        if number_of(&version).is_none_or(|number| number < OLDEST) {
            return Err(Unusable::TooOld { rustc, version });
        }
        Ok(DeviceCompiler { origin, rustc, cargo, sysroot, version, llvm })
    }

    fn ask(&self, rustc: &Path, arguments: &[&str]) -> Result<String, Unusable> {
        let fail = |reason: String| Unusable::DoesNotRun { rustc: rustc.to_owned(), reason };
        let mut command = Command::new(rustc);
        // Under `cargo run` rustup's choice for the host is in the environment.
        command.args(arguments).current_dir(&self.directory).env_remove("RUSTUP_TOOLCHAIN");
        if let Some(path) = library_path() {
            command.env("LD_LIBRARY_PATH", path);
        }
        let output = command.output().map_err(|error| fail(error.to_string()))?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            return Err(fail(format!("{} {}", output.status, messages.trim()).trim_end().to_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The number in the first line of `rustc -vV`.
fn number_of(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix("rustc ")?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn library_of(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib/src/rust/library")
}

/// `LD_LIBRARY_PATH` without the directories of a compiler's own libraries, which cargo adds for the programs it runs:
/// another compiler must not load them. `None` if the variable is not set.
pub(crate) fn library_path() -> Option<OsString> {
    let path = env::var_os("LD_LIBRARY_PATH")?;
    let kept = env::split_paths(&path).filter(|directory| !holds_compiler_driver(directory));
    env::join_paths(kept).ok()
}

fn holds_compiler_driver(directory: &Path) -> bool {
    let Ok(entries) = directory.read_dir() else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("librustc_driver"))
}

/// The channel in the nearest `rust-toolchain.toml` at or above `directory`; `None` if there is none with a channel.
///
/// ```
/// // `directory` is not made absolute: its parents are those in its text.
/// let here = std::env::current_dir()?;
/// println!("pinned: {:?}", cuda_builder::compiler::pinned_channel(&here));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn pinned_channel(directory: &Path) -> Option<String> {
    let file = directory.ancestors().map(|above| above.join("rust-toolchain.toml")).find(|file| file.is_file())?;
    let table: toml::Table = std::fs::read_to_string(file).ok()?.parse().ok()?;
    Some(table.get("toolchain")?.get("channel")?.as_str()?.to_owned())
}
