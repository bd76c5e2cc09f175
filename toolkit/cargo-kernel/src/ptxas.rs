//! `ptxas`: compares the resources of kernels on each chip with their budgets.

use std::collections::BTreeMap;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

use crate::finish;
use anyhow::{Context as _, Result};
use cuda_builder::budget::{Budget, Measured};
use cuda_builder::ptx::checks::check_sites;
use cuda_builder::ptx::header::Header;
use cuda_builder::ptx::module::PtxModule;
use cuda_builder::ptxas::installed_below;
use cuda_builder::{CudaBuilder, NvvmArch, Ptxas};

/// The package of the Python index with the assembler. The version is fixed because versions allocate registers
/// differently.
pub const PACKAGE: &str = "nvidia-cuda-nvcc==13.5.37";

/// Build a crate's kernels, assemble them, and show registers, stack, spills, shared memory, barriers and checks
///
/// Compares them with the crate's budget.toml, if it has one. A spill is a failure unless the budget has it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's folder
    #[arg(default_value = ".")]
    directory: PathBuf,

    /// The chips, separated by commas
    #[arg(long, value_name = "ARCH", value_delimiter = ',', default_value = "sm_75,sm_86,sm_90,sm_120")]
    arch: Vec<NvvmArch>,

    /// Write what is measured as the new budget. A spill stays a failure
    #[arg(long)]
    write_budget: bool,

    /// Write spills into the new budget, too, so that they are no failures
    #[arg(long, requires = "write_budget")]
    allow_spills: bool,

    /// Install the assembler from the Python index into DIR first (the crate's target/ptxas if DIR is left out)
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    install: Option<Option<PathBuf>>,
}

/// Where `--install` puts the assembler below a crate or a workspace.
#[must_use]
pub fn default_directory(root: &Path) -> PathBuf {
    root.join("target/ptxas")
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let directory = &arguments.directory;
    let ptxas = find(directory, arguments.install.as_ref().map(Option::as_deref), "cargo kernel")?;
    let full = directory.canonicalize().with_context(|| format!("there is no folder {}", directory.display()))?;
    let name = full.file_name().unwrap_or(full.as_os_str()).to_string_lossy().into_owned();
    let kernels = Kernels { name: &name, directory, is_built: false, needs_budget: false };
    let failures =
        measure(&kernels, &ptxas, &arguments.arch, Judged::by(arguments.write_budget, arguments.allow_spills))?;
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Finds the assembler, and installs it first on request; `program` is the command for that.
///
/// # Errors
/// If there is none, or it cannot be installed.
pub fn find(root: &Path, install_in: Option<Option<&Path>>, program: &str) -> Result<Ptxas> {
    let mut places = vec![default_directory(root)];
    if let Some(directory) = install_in {
        let directory = directory.map_or_else(|| default_directory(root), Path::to_owned);
        install(&directory)?;
        places.insert(0, directory);
    }
    let ptxas = Ptxas::find(&places).with_context(|| format!("`{program} ptxas --install` installs it"))?;
    println!("ptxas {} ({})", ptxas.version, ptxas.path.display());
    Ok(ptxas)
}

/// A crate whose kernels are measured.
#[derive(Clone, Copy, Debug)]
pub struct Kernels<'a> {
    /// Its name in messages.
    pub name: &'a str,
    /// Its folder.
    pub directory: &'a Path,
    /// Whether its PTX exists; otherwise it is built in another place.
    pub is_built: bool,
    /// Whether it must have a budget.
    pub needs_budget: bool,
}

/// Installs the assembler into its own Python environment, unless it is there.
fn install(directory: &Path) -> Result<()> {
    if installed_below(directory).is_some() {
        return Ok(());
    }
    let scripts = directory.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = if cfg!(windows) { "python" } else { "python3" };
    let mut environment = Command::new(python);
    environment.args(["-m", "venv"]).arg(directory);
    finish(&mut environment, "make a Python environment (on Debian it takes the package python3-venv)")?;
    let mut pip = Command::new(scripts.join("python"));
    // Only the assembler is needed, not the compiler's headers and libraries on which the package depends.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", PACKAGE]);
    finish(&mut pip, "install the assembler from the Python index")
}

/// What becomes of the measured values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// They are compared with budget.toml.
    ByBudget,
    /// They are the new budget; spills are failures.
    Written,
    /// They are the new budget, spills included.
    WrittenWithSpills,
}

impl Judged {
    /// By the options of the command.
    #[must_use]
    pub fn by(write_budget: bool, allow_spills: bool) -> Self {
        match (write_budget, allow_spills) {
            (true, true) => Judged::WrittenWithSpills,
            (true, false) => Judged::Written,
            (false, _) => Judged::ByBudget,
        }
    }
}

/// Checks one crate's kernels. Returns the number of failures, which are printed on standard error.
pub fn measure(kernels: &Kernels<'_>, ptxas: &Ptxas, chips: &[NvvmArch], judged: Judged) -> Result<usize> {
    let (name, directory) = (kernels.name, kernels.directory);
    let mut measured = Measured::default();
    let mut builder = CudaBuilder::new(directory);
    if !kernels.is_built {
        crate::lock(directory)?;
        builder = builder.ptx_directory(directory.join("target/ptxas-ptx"));
        builder.build()?;
    }
    let ptx = builder.paths()?.remove(0);
    let text = fs::read_to_string(&ptx).with_context(|| {
        format!("cannot read {}; in this workspace `cargo xtask build-ptx` makes it", ptx.display())
    })?;
    let (_, body) = Header::read(&text).with_context(|| format!("{} is not usable", ptx.display()))?;
    let module = PtxModule::parse(body);
    measured.checks = check_sites(body);
    measured.barriers = module.barrier_sites().into_iter().map(|(name, sites)| (name.to_owned(), sites)).collect();
    // Side by side: the assembler takes one core.
    let found: Vec<_> = thread::scope(|scope| {
        let ptx = &ptx;
        let threads: Vec<_> =
            chips.iter().map(|&arch| (arch, scope.spawn(move || ptxas.resources(ptx, arch)))).collect();
        let joined = threads.into_iter().map(|(arch, thread)| (arch, thread.join()));
        joined.map(|(arch, found)| (arch, found.unwrap_or_else(|panic| resume_unwind(panic)))).collect()
    });
    for (arch, found) in found {
        measured.resources.insert(arch, found?);
    }
    print_table(name, &measured);

    let path = directory.join("budget.toml");
    let mut failures = Vec::new();
    for (arch, resources) in &measured.resources {
        // A budget has the spills that are accepted.
        let accepted = judged == Judged::WrittenWithSpills || (judged == Judged::ByBudget && path.is_file());
        for used in resources.iter().filter(|used| !accepted && used.spill_stores + used.spill_loads > 0) {
            let (stores, loads) = (used.spill_stores, used.spill_loads);
            failures.push(format!("{} on {arch} spills: {stores} bytes stored, {loads} loaded", used.kernel));
        }
        for used in resources.iter().filter(|used| used.serialized) {
            failures.push(format!("{} on {arch} makes products of warpgroups wait for each other", used.kernel));
        }
    }
    if judged != Judged::ByBudget {
        let older = fs::read_to_string(&path).ok().and_then(|text| Budget::parse(&text).ok()).unwrap_or_default();
        let budget = Budget::of(&measured, &ptxas.version).with_other_chips_of(&older);
        fs::write(&path, budget.to_string()).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}: written", path.display());
    } else if kernels.needs_budget || path.is_file() {
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}; make it with --write-budget", path.display()))?;
        let budget = Budget::parse(&text).with_context(|| format!("cannot use {}", path.display()))?;
        failures.extend(budget.violations(&measured).iter().map(ToString::to_string));
        if !failures.is_empty() && budget.ptxas != ptxas.version {
            eprintln!("note: the budget was measured with ptxas {}, this is {}", budget.ptxas, ptxas.version);
        }
    }
    for failure in &failures {
        eprintln!("error: {name}: {failure}");
    }
    Ok(failures.len())
}

fn print_table(name: &str, measured: &Measured) {
    let names = measured.barriers.keys();
    let width = names.map(String::len).max().unwrap_or(0).max(name.len());
    println!(
        "{:width$}  {:>6} {:>9} {:>6} {:>13} {:>12} {:>7} {:>8} {:>6}",
        name, "chip", "registers", "stack", "spills stored", "spills read", "shared", "barriers", "checks"
    );
    // Sorted by kernel, then by chip, for comparison by a kernel's author.
    let mut rows = BTreeMap::new();
    for (arch, resources) in &measured.resources {
        for used in resources {
            rows.insert((&used.kernel, arch), used);
        }
    }
    for ((kernel, arch), used) in rows {
        let of = |sites: &BTreeMap<String, usize>| sites.get(kernel).copied().unwrap_or(0);
        let (barriers, checks) = (of(&measured.barriers), of(&measured.checks));
        println!(
            "{kernel:width$}  {:>6} {:>9} {:>6} {:>13} {:>12} {:>7} {barriers:>8} {checks:>6}",
            arch.to_string(),
            used.registers,
            used.stack,
            used.spill_stores,
            used.spill_loads,
            used.shared
        );
    }
}
