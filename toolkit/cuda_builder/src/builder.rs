//! The builder that build scripts and workspace tools use.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::arch::NvvmArch;
use crate::canary::Canary;
use crate::compiler::{DeviceCompiler, Discovery};
use crate::error::CudaBuilderError;
use crate::file::{FileError, read_text};
use crate::flags::{self, DebugInfo, Remapped};
use crate::inputs::cfg_expr::DEVICE_TARGET;
use crate::inputs::digest::{input_digest, short_text_digest};
use crate::inputs::graph::PackageGraph;
use crate::inputs::sources::{Source, source_roots, sources};
use crate::nested::{DeviceBuild, Lint};
use crate::outside::inputs_outside;
use crate::ptx::divergence::divergent;
use crate::ptx::header::Header;
use crate::ptx::module::PtxModule;
use crate::ptx::statics;
use crate::ptx::verify::{Refusal, refusals, warnings};
use crate::ptx::{bounds, convergent, minima};
use crate::seal::sealed;

/// Compiles a kernel crate to PTX, one file per architecture; see [`CudaBuilder::build`].
///
/// ```no_run
/// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
/// use cuda_builder::{CudaBuilder, NvvmArch};
///
/// let output = CudaBuilder::new("../kernels").arch(NvvmArch::Compute75).copy_to("kernels.ptx").build()?;
/// println!("{} has {:?}", output.files[0].path.display(), output.files[0].entries);
/// # Ok(()) }
/// ```
///
/// (This needs a device compiler; `cuda_builder/tests/device.rs` builds crates if there is one.) In a build script:
///
/// ```no_run
/// use cuda_builder::{CudaBuilder, DebugInfo};
///
/// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
/// let output = CudaBuilder::new(env!("CARGO_MANIFEST_DIR"))
///     .archs(["sm_75", "sm_90"].map(|arch| arch.parse().unwrap()))
///     .ptx_directory(std::env::var("OUT_DIR").unwrap())
///     .debug(DebugInfo::LineTables)
///     .features(["double"])
///     .extra_input("tables/points.bin")
///     .emit_cargo_lines(true)
///     .build()?;
/// assert!(output.files.iter().all(|file| file.warnings.is_empty()), "built by {}", output.compiler.version);
/// # Ok(()) }
/// ```
///
/// Some methods work without a compiler:
///
/// ```
/// use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
///
/// let builder = CudaBuilder::new("../tests/kernels");
/// assert!(builder.paths()?[0].ends_with("ptx/test_kernels.sm_75.ptx"));
/// let [old, new] = [NvvmArch::Compute75, NvvmArch::Compute90].map(|arch| builder.input_digest(arch));
/// assert_ne!(old?, new?);
/// let nowhere = CudaBuilder::new("nowhere").build();
/// assert!(matches!(nowhere, Err(CudaBuilderError::CratePathDoesntExist(_))));
/// # Ok::<(), CudaBuilderError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CudaBuilder {
    path_to_crate: PathBuf,
    pub(crate) archs: Vec<NvvmArch>,
    copy_to: Option<PathBuf>,
    ptx_directory: Option<PathBuf>,
    debug: DebugInfo,
    pub(crate) check_writes: bool,
    features: Vec<String>,
    extra_inputs: Vec<PathBuf>,
    rustc: Option<PathBuf>,
    target: Option<PathBuf>,
    emit_cargo_lines: bool,
}

/// A PTX file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its architecture.
    pub arch: NvvmArch,
    /// Its kernels, sorted.
    pub entries: Vec<String>,
    /// Whether this call wrote it; otherwise it was up to date.
    pub written: bool,
    /// The compiler's warnings about the kernels; empty if there are none or the compiler was not run.
    pub warnings: String,
}

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildOutput {
    /// One file per architecture, in the requested order.
    pub files: Vec<PtxFile>,
    /// The compiler.
    pub compiler: DeviceCompiler,
}

/// Data about a crate that do not depend on the architecture or the compiler.
pub(crate) struct Prepared {
    graph: PackageGraph,
    sources: Vec<Source>,
    target: PathBuf,
}

/// A PTX module that passed all checks.
pub(crate) struct Compiled {
    pub(crate) text: String,
    entries: Vec<String>,
    warnings: String,
}

impl CudaBuilder {
    /// A build of the crate in this directory for [`NvvmArch::default`]. The PTX goes into its directory `ptx` unless
    /// [`copy_to`](Self::copy_to) or [`ptx_directory`](Self::ptx_directory) changes that.
    pub fn new(path_to_crate: impl AsRef<Path>) -> Self {
        CudaBuilder {
            path_to_crate: path_to_crate.as_ref().to_owned(),
            archs: vec![NvvmArch::default()],
            copy_to: None,
            ptx_directory: None,
            debug: DebugInfo::None,
            check_writes: false,
            features: Vec::new(),
            extra_inputs: Vec::new(),
            rustc: None,
            target: None,
            emit_cargo_lines: false,
        }
    }

    /// Sets the architecture, replacing earlier ones.
    pub fn arch(self, arch: NvvmArch) -> Self {
        self.archs([arch])
    }

    /// Sets several architectures, each with its own file, replacing earlier ones.
    pub fn archs(mut self, archs: impl IntoIterator<Item = NvvmArch>) -> Self {
        self.archs = archs.into_iter().collect();
        self
    }

    /// Sets the PTX file. Only for one architecture.
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.copy_to = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the directory of the PTX files, which are named like `my_kernels.sm_75.ptx`.
    pub fn ptx_directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.ptx_directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Sets the line information for profilers.
    pub fn debug(mut self, debug: DebugInfo) -> Self {
        self.debug = debug;
        self
    }

    /// Sets whether a second write to an element of a `Scatter` panics, as on CPU cores. Otherwise one of the writes remains.
    /// With the check, a launch of a kernel with a `Scatter` waits for its end, and cannot be recorded in a graph.
    pub fn check_writes(mut self, check: bool) -> Self {
        self.check_writes = check;
        self
    }

    /// Adds cargo features of the kernel crate to its default ones.
    pub fn features<S: Into<String>>(mut self, features: impl IntoIterator<Item = S>) -> Self {
        self.features = features.into_iter().map(Into::into).collect();
        self.features.sort();
        self.features.dedup();
        self
    }

    /// Adds a file or directory outside of the packages' sources that the kernels include.
    pub fn extra_input(mut self, path: impl AsRef<Path>) -> Self {
        self.extra_inputs.push(path.as_ref().to_owned());
        self
    }

    /// Sets the device compiler instead of searching for one; takes precedence over
    /// [`RUSTC_VARIABLE`](crate::compiler::RUSTC_VARIABLE).
    pub fn rustc(mut self, rustc: impl AsRef<Path>) -> Self {
        self.rustc = Some(rustc.as_ref().to_owned());
        self
    }

    /// Sets cargo's target directory for the device; the default is `cuda-builder` in the workspace's own.
    pub fn target_directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.target = Some(directory.as_ref().to_owned());
        self
    }

    /// For build scripts: prints `cargo:rerun-if-changed` for all inputs of the PTX.
    pub fn emit_cargo_lines(mut self, emit: bool) -> Self {
        self.emit_cargo_lines = emit;
        self
    }

    /// The search for this builder's device compiler.
    pub fn discovery(&self) -> Discovery {
        let mut discovery = Discovery::new(&self.path_to_crate);
        if let Some(rustc) = &self.rustc {
            discovery.explicit = Some(rustc.clone());
        }
        discovery
    }

    /// Makes the PTX files. A file that matches the sources, settings and compiler stays untouched, which takes
    /// milliseconds. Others are compiled, verified, and replaced atomically.
    ///
    /// # Errors
    /// If there is no device compiler, the crate does not compile, the compiler fails the barrier canaries, or the PTX is
    /// refused.
    pub fn build(&self) -> Result<BuildOutput, CudaBuilderError> {
        let paths = self.paths()?;
        let prepared = self.prepare()?;
        if self.emit_cargo_lines {
            self.print_cargo_lines(&prepared);
        }
        let compiler = self.discovery().find()?;
        let mut files = Vec::new();
        for (&arch, path) in self.archs.iter().zip(paths) {
            let digest = self.digest(&prepared, arch);
            let old = fs::read_to_string(&path).ok();
            let old = old.as_deref().and_then(|old| Header::read(old).ok());
            if let Some((old, _)) = old
                && old.inputs == digest
                && (&old.compiler, &old.llvm) == (&compiler.version, &compiler.llvm)
            {
                files.push(PtxFile { path, arch, entries: old.entries, written: false, warnings: String::new() });
                continue;
            }
            let compiled = self.compile(&prepared, &compiler, arch, digest.clone())?;
            if self.input_digest(arch)? != digest {
                return Err(CudaBuilderError::ChangedMeanwhile(prepared.graph.kernels.name));
            }
            write_whole(&path, &compiled.text)?;
            let Compiled { entries, warnings, .. } = compiled;
            files.push(PtxFile { path, arch, entries, written: true, warnings });
        }
        Ok(BuildOutput { files, compiler })
    }

    /// Runs clippy and rustdoc on the crate and the workspace's packages that it uses, as the device compiles them; runs
    /// for the host do not see that code. Warnings are errors. Uses the first architecture.
    ///
    /// # Errors
    /// If there is no device compiler, it has no clippy, or a lint finds something.
    pub fn lint(&self) -> Result<(), CudaBuilderError> {
        let prepared = self.prepare()?;
        let compiler = self.discovery().find()?;
        let arch = self.archs.first().copied().unwrap_or_default();
        // One folder for all chips: macros are built once, and what is only checked again is checked soon.
        let target = &prepared.target.join("lint");
        let build = DeviceBuild {
            compiler: &compiler,
            directory: &prepared.graph.kernels.directory,
            package: &prepared.graph.kernels.name,
            features: &self.features,
            flags: &flags::code_generation(arch),
            last_flags: &[],
            // Cargo compiles `core`, although nothing runs; to optimise it would take most of the time.
            settings: &[format!("profile.{}.opt-level=0", flags::PROFILE)],
            debug: DebugInfo::None,
            target,
            output: target,
        };
        for lint in [Lint::Clippy, Lint::Rustdoc] {
            build.lint(lint)?;
        }
        Ok(())
    }

    /// The digest of all inputs of the PTX for an architecture, except the compiler: sources, the locked packages that they
    /// use, and settings. The header of an up-to-date file has this digest.
    ///
    /// # Errors
    /// If a manifest, the lock file or a source cannot be read.
    pub fn input_digest(&self, arch: NvvmArch) -> Result<String, CudaBuilderError> {
        Ok(self.digest(&self.prepare()?, arch))
    }

    /// The files that this builder writes or checks, one per architecture.
    ///
    /// # Errors
    /// If the crate's directory does not exist, or one file was given for several architectures.
    pub fn paths(&self) -> Result<Vec<PathBuf>, CudaBuilderError> {
        if !self.path_to_crate.join("Cargo.toml").is_file() {
            return Err(CudaBuilderError::CratePathDoesntExist(self.path_to_crate.clone()));
        }
        match &self.copy_to {
            Some(path) if self.archs.len() == 1 => Ok(vec![path.clone()]),
            Some(path) => Err(CudaBuilderError::OneFileForSeveral { path: path.clone(), archs: self.archs.len() }),
            None => {
                let name = PackageGraph::load(&self.path_to_crate)?.kernels.crate_name;
                let directory = self.ptx_directory.clone().unwrap_or_else(|| self.path_to_crate.join("ptx"));
                Ok(self.archs.iter().map(|arch| directory.join(format!("{name}.{arch}.ptx"))).collect())
            }
        }
    }

    pub(crate) fn prepare(&self) -> Result<Prepared, CudaBuilderError> {
        let graph = PackageGraph::load(&self.path_to_crate)?;
        let sources = sources(&graph, &self.extra_inputs)?;
        // A relative path starts where the outer cargo was called, which is unknown here.
        let outer = || env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).filter(|directory| directory.is_absolute());
        let target = match &self.target {
            Some(target) => target.clone(),
            None => outer().unwrap_or_else(|| graph.root.join("target")).join("cuda-builder"),
        };
        // Cargo runs in the crate's directory.
        let target = std::path::absolute(&target).map_err(FileError::read(&target))?;
        Ok(Prepared { graph, sources, target })
    }

    /// The digest in the header of this architecture's file.
    pub(crate) fn digest(&self, prepared: &Prepared, arch: NvvmArch) -> String {
        let mut settings = self.code_generation(arch);
        settings.extend(flags::profile(self.debug));
        settings.extend(self.check_writes.then(|| flags::CHECK_WRITES.to_owned()));
        settings.extend(self.features.iter().map(|feature| format!("feature {feature}")));
        input_digest(&prepared.graph, &prepared.sources, &settings)
    }

    /// The flags for every crate that do not depend on this machine.
    fn code_generation(&self, arch: NvvmArch) -> Vec<String> {
        let mut flags = flags::code_generation(arch);
        flags.extend((self.debug == DebugInfo::LineTables).then(|| flags::LINES_OF_CALLERS.to_owned()));
        flags
    }

    /// Compiles and verifies.
    pub(crate) fn compile(
        &self,
        prepared: &Prepared,
        compiler: &DeviceCompiler,
        arch: NvvmArch,
        inputs: String,
    ) -> Result<Compiled, CudaBuilderError> {
        let graph = &prepared.graph;
        // Builds in one directory use the same flags for every crate: cargo keeps one copy of `core` per directory, whatever the
        // flags, and would compile it again at each change.
        let target = &prepared.target.join(arch.to_string());
        let alone = only_builder_in(target)?;
        let remapped = Remapped::of(graph, compiler, flags::cargo_home().as_deref(), target);
        let settings = remapped.settings(graph, self.debug, self.check_writes);
        let Remapped { everywhere, of_outside, of_workspace } = remapped;
        let mut all_flags = self.code_generation(arch);
        all_flags.extend(Remapped::flags(&everywhere));
        let last_flags: Vec<String> = Remapped::flags(&of_workspace).collect();

        Canary { compiler, flags: &all_flags, last_flags: &[], debug: self.debug, target }.check()?;

        let package = &graph.kernels.name;
        // Each variant gets its own name. Otherwise cargo would not rebuild a crate that was built with other flags.
        let way = [
            &compiler.version,
            &compiler.llvm,
            &all_flags.join("\n"),
            &last_flags.join("\n"),
            &settings.join("\n"),
            &self.features.join("\n"),
        ];
        let key = short_text_digest(&format!("{}\n{way:?}\n{:?}", graph.root.display(), self.debug));
        let output = target.join("ptx").join(format!("{package}.{arch}.{key}.ptx"));
        let build = DeviceBuild {
            compiler,
            directory: &graph.kernels.directory,
            package,
            features: &self.features,
            flags: &all_flags,
            last_flags: &last_flags,
            settings: &settings,
            debug: self.debug,
            target,
            output: &output,
        };
        let messages = build.run()?;
        if let Some(path) = inputs_outside(target, graph, &prepared.sources)? {
            return Err(CudaBuilderError::InputOutside { package: package.clone(), path });
        }
        let (body, llvm) = (read_text(&output)?, read_text(&build.llvm())?);
        // The canaries have shown that the compiler marks functions; this looks at those of this module.
        let unmarked = convergent::unmarked(&llvm);
        let body = minima::spelled_out(&body);
        let of_phases = bounds::kernels_of_phases(&body);
        let body = bounds::apply(&body, arch)
            .map_err(|mark| CudaBuilderError::LaunchBounds { package: package.clone(), mark })?;
        let module = PtxModule::parse(&body);
        let named = everywhere.into_iter().chain(of_outside).chain(of_workspace).map(|(from, _)| from);
        let prefixes: Vec<PathBuf> = named.chain(env::home_dir()).collect();
        let mut refusals = refusals(&module, &prefixes);
        let changed = statics::seen(&module, &statics::mutable(&llvm), &of_phases);
        refusals.extend(changed.into_iter().map(Refusal::MutableStatic));
        refusals.extend(unmarked.into_iter().map(Refusal::NotConvergent));
        refusals.extend(divergent(&body, &of_phases).into_iter().map(Refusal::Divergent));
        if self.debug == DebugInfo::None && refusals.iter().any(|refusal| matches!(refusal, Refusal::Divergent(_))) {
            // Once more with lines, to name the places.
            drop(alone);
            let with_lines =
                self.clone().debug(DebugInfo::LineTables).compile(prepared, compiler, arch, inputs.clone());
            if let Err(error @ CudaBuilderError::Refused { .. }) = with_lines {
                return Err(error);
            }
        }
        if !refusals.is_empty() {
            return Err(CudaBuilderError::Refused { package: package.clone(), refusals });
        }
        let entries: Vec<String> = module.entries().into_iter().map(str::to_owned).collect();
        let header = Header {
            package: package.clone(),
            target: format!("{DEVICE_TARGET} {arch}"),
            compiler: compiler.version.clone(),
            llvm: compiler.llvm.clone(),
            inputs,
            body: String::new(),
            entries: entries.clone(),
        };
        let compilers = Some(messages).filter(|messages| messages.contains("warning"));
        let warnings = compilers.into_iter().chain(warnings(&module)).collect::<Vec<_>>().join("\n");
        let body = sealed(&header, &body);
        Ok(Compiled { text: header.stamp(&body), entries, warnings })
    }

    fn print_cargo_lines(&self, prepared: &Prepared) {
        println!("cargo:rerun-if-env-changed={}", crate::compiler::RUSTC_VARIABLE);
        for file in ["Cargo.lock", "Cargo.toml"] {
            println!("cargo:rerun-if-changed={}", prepared.graph.root.join(file).display());
        }
        for package in &prepared.graph.local {
            println!("cargo:rerun-if-changed={}", package.directory.join("Cargo.toml").display());
            for root in source_roots(package) {
                println!("cargo:rerun-if-changed={}", root.display());
            }
        }
        for extra in &self.extra_inputs {
            println!("cargo:rerun-if-changed={}", extra.display());
        }
    }
}

/// Waits until no other builder uses this directory: build scripts of several kernel crates run at once and share the
/// canaries. The lock ends with the file.
fn only_builder_in(target: &Path) -> Result<fs::File, FileError> {
    let path = target.join("builder.lock");
    let locked = fs::create_dir_all(target).and_then(|()| fs::File::create(&path)).and_then(|file| {
        file.lock()?;
        Ok(file)
    });
    locked.map_err(FileError::write(&path))
}

/// Writes to a temporary file and renames it, so that readers see the old file or the new one.
fn write_whole(path: &Path, text: &str) -> Result<(), FileError> {
    let fail = FileError::write(path);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(&fail)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(|error| {
        let _ = fs::remove_file(&beside);
        fail(error)
    })
}
