//! The compiler's flags and the device's profile, which are defined only here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::arch::NvvmArch;
use crate::compiler::DeviceCompiler;
use crate::inputs::graph::{LocalPackage, PackageGraph};

/// Line information for profilers and debuggers, for [`CudaBuilder::debug`](crate::CudaBuilder::debug). See [`profile`] for
/// an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugInfo {
    /// None; for normal builds.
    #[default]
    None,
    /// `.loc` lines, so that profilers show Rust lines. The code stays the same.
    LineTables,
}

/// Keeps the compiler from duplicating a barrier into both arms of a branch (rust-lang/rust#137086). It must apply to every
/// crate, so it is one of the code generation flags: after cargo's `--` it would apply only to the last crate.
pub const KEEP_BARRIERS: &str = "-Zmir-enable-passes=-JumpThreading";

/// Inlines closures, however long they are. A call would move all of a thread's registers through memory. By default, the
/// compiler does not inline a closure with some hundred instructions of inline assembly, such as a tensor core product.
pub const INLINE_CLOSURES: &str = "-Cllvm-args=-inline-threshold=4000";

/// With line information: PTX of at least this version has the lines of callers beside those of functions that were inlined.
pub const LINES_OF_CALLERS: &str = "-Ctarget-feature=+ptx78";

/// Generates code for a crate's functions where other crates call them, and so only for those that are called. This saves half of the time
/// of `core`, and kernels have the same code but for the order of operands. For crates that macros use it would cost time: each of them
/// would generate that code. `libm` is shorter by 3 s, but its functions then have checks that are not needed.
pub const MOSTLY_UNUSED: &str = "-Zhint-mostly-unused";

/// Compiles `cuda_std` so that a second write to an element of a `Scatter` panics. For
/// [`CudaBuilder::check_writes`](crate::CudaBuilder::check_writes).
pub const CHECK_WRITES: &str = "--cfg=cuda_check_writes";

/// The package that kernels are written with.
const TOOLKIT: &str = "cuda_std";

/// The name of the device's profile, which is passed on cargo's command line instead of a manifest.
pub const PROFILE: &str = "device";

/// The device's profile as `KEY=VALUE` in TOML.
///
/// Whole-program optimisation in one unit gives one module without calls between crates; overflow checks stay on, as in the
/// host's builds of the same kernels.
///
/// ```
/// use cuda_builder::flags::{self, DebugInfo, PROFILE};
///
/// let profile = flags::profile(DebugInfo::None);
/// assert!(profile.contains(&format!("profile.{PROFILE}.overflow-checks=true")));
/// assert_ne!(profile, flags::profile(DebugInfo::LineTables));
/// ```
pub fn profile(debug: DebugInfo) -> Vec<String> {
    let debug: &[_] = match debug {
        DebugInfo::None => &["debug=false"],
        // Not for `core`, so that it is the same with and without lines. Kernels have lines for what they inline of it.
        DebugInfo::LineTables => {
            &["debug=\"line-directives-only\"", "package.core.debug=false", "package.compiler_builtins.debug=false"]
        }
    };
    let of_core = format!("package.core.rustflags=[{MOSTLY_UNUSED:?}]");
    let fixed = [
        "inherits=\"release\"",
        "opt-level=3",
        "lto=\"fat\"",
        "codegen-units=1",
        "panic=\"abort\"",
        "overflow-checks=true",
        "debug-assertions=false",
        "incremental=false",
        "strip=false",
    ];
    let settings = fixed.into_iter().chain(debug.iter().copied()).chain([of_core.as_str()]);
    settings.map(|setting| format!("profile.{PROFILE}.{setting}")).collect()
}

/// The flags for every crate that do not depend on this machine.
///
/// ```
/// use cuda_builder::{NvvmArch, flags};
///
/// let flags = flags::code_generation(NvvmArch::Compute90);
/// assert_eq!(flags, ["-Ctarget-cpu=sm_90", flags::KEEP_BARRIERS, flags::INLINE_CLOSURES]);
/// ```
pub fn code_generation(arch: NvvmArch) -> Vec<String> {
    vec![format!("-Ctarget-cpu={}", arch.sm()), KEEP_BARRIERS.to_owned(), INLINE_CLOSURES.to_owned()]
}

/// Directories of this machine that could appear in panic messages, with their replacements. Later entries take precedence.
/// (`cuda_builder/tests/device.rs` builds one crate in two places and compares bytes.)
#[derive(Clone, Debug)]
pub struct Remapped {
    /// For every crate, including `core`, which is compiled again when these change.
    pub everywhere: Vec<(PathBuf, String)>,
    /// For each local package that is not in the workspace, with the package's name. The compiler gets absolute paths.
    pub of_outside: Vec<(PathBuf, String)>,
    /// For the workspace's crates. The compiler runs in the workspace's root and usually gets relative paths. This maps absolute
    /// paths to the same names.
    pub of_workspace: Vec<(PathBuf, String)>,
}

impl Remapped {
    /// The directories of a build in the directory `target`.
    pub fn of(graph: &PackageGraph, compiler: &DeviceCompiler, cargo_home: Option<&Path>, target: &Path) -> Self {
        let mut everywhere = Vec::new();
        if let Some(home) = cargo_home {
            add(&mut everywhere, home.to_owned(), "cargo");
            for registry in registries(home) {
                add(&mut everywhere, registry, "registry");
            }
        }
        let mut of_outside = Vec::new();
        for package in graph.outside() {
            add(&mut of_outside, package.directory.clone(), &package.name);
        }
        let mut of_workspace = Vec::new();
        add(&mut of_workspace, graph.root.clone(), "");
        // These directories may lie in the workspace.
        for pairs in [&mut everywhere, &mut of_workspace] {
            add(pairs, target.to_owned(), "target");
            add(pairs, compiler.library(), "rust/library");
        }
        Self { everywhere, of_outside, of_workspace }
    }

    /// The profile's settings that give packages their own flags, as `KEY=VALUE` in TOML. As flags for every crate they would
    /// compile `core` again for each workspace.
    pub fn settings(&self, graph: &PackageGraph, debug: DebugInfo, check_writes: bool) -> Vec<String> {
        let mut flags_of: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for LocalPackage { name, .. } in &graph.local {
            let outside = self.of_outside.iter().filter(|(_, other)| other == name);
            // With line tables, every crate's paths begin at the workspace's root, where the compiler runs.
            let with_lines = self.of_workspace.iter().filter(|_| debug == DebugInfo::LineTables);
            flags_of.entry(name).or_default().extend(outside.chain(with_lines).map(flag));
        }
        let mut names =
            graph.local.iter().map(|local| &local.name).chain(graph.locked.iter().map(|locked| &locked.name));
        if names.any(|name| name == TOOLKIT) {
            flags_of.entry(TOOLKIT).or_default().push(MOSTLY_UNUSED.to_owned());
        }
        flags_of.entry(TOOLKIT).or_default().extend(check_writes.then(|| CHECK_WRITES.to_owned()));
        flags_of.retain(|_, flags| !flags.is_empty());
        let setting = |(name, flags)| format!("profile.{PROFILE}.package.{name}.rustflags={flags:?}");
        flags_of.iter().map(setting).collect()
    }

    /// The compiler's flags for these directories.
    pub fn flags(pairs: &[(PathBuf, String)]) -> impl Iterator<Item = String> {
        pairs.iter().map(flag)
    }
}

fn flag((from, to): &(PathBuf, String)) -> String {
    format!("--remap-path-prefix={}={to}", from.display())
}

fn add(pairs: &mut Vec<(PathBuf, String)>, from: PathBuf, to: &str) {
    // The compiler sees a path as given, or with its links resolved.
    if let Ok(real) = from.canonicalize()
        && real != from
    {
        pairs.push((real, to.to_owned()));
    }
    pairs.push((from, to.to_owned()));
}

/// The directories of the registries' packages. crates.io's are included even if they do not exist yet, because this build
/// may fetch them.
fn registries(cargo_home: &Path) -> Vec<PathBuf> {
    let sources = cargo_home.join("registry/src");
    let mut found: Vec<_> = sources.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    for known in ["index.crates.io-1949cf8c6b5b557f", "index.crates.io-6f17d22bba15001f"] {
        found.push(sources.join(known));
    }
    found.sort();
    found.dedup();
    found
}

/// Cargo's home directory, determined like cargo does: `CARGO_HOME`, else `.cargo` in the user's home. `None` if there is
/// neither.
///
/// ```
/// if let Some(home) = cuda_builder::flags::cargo_home() {
///     println!("packages are in {}", home.join("registry").display());
/// }
/// ```
pub fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = named.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    fs::canonicalize(&home).ok().or(Some(home))
}
