//! `ptxas`: what the committed kernels take on each chip, held against their budgets.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};
use cuda_builder::budget::{Budget, Measured};
use cuda_builder::ptx::header::Header;
use cuda_builder::ptx::module::PtxModule;
use cuda_builder::ptxas::installed_below;
use cuda_builder::{CudaBuilder, NvvmArch, Ptxas};

use crate::workspace::{self, KernelCrate, Place};

/// The package of the Python index that has the assembler. The version is fixed because each allots registers its own
/// way.
pub const PACKAGE: &str = "nvidia-cuda-nvcc==13.5.37";

/// Assemble the committed PTX and hold registers, stack, spills, shared memory and barriers against budget.toml
#[derive(clap::Args)]
pub struct Arguments {
    /// The chips, separated by commas
    #[arg(long, value_name = "ARCH", value_delimiter = ',', default_value = "sm_75,sm_86,sm_90,sm_120")]
    arch: Vec<NvvmArch>,

    /// Only this crate (repeatable)
    #[arg(long = "crate", value_name = "CRATE")]
    crates: Vec<KernelCrate>,

    /// The kernel crate in DIR, which may be anybody's (repeatable): it is built, and held against its budget.toml if it
    /// has one
    #[arg(long = "directory", value_name = "DIR")]
    directories: Vec<PathBuf>,

    /// Write what is measured as the new budget. A spill stays a failure
    #[arg(long)]
    write_budget: bool,

    /// Install the assembler from the Python index into DIR first (the workspace's target/ptxas if DIR is left out)
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    install: Option<Option<PathBuf>>,
}

/// Where `--install` puts the assembler by default.
pub fn install_directory(root: &Path) -> PathBuf {
    root.join("target/ptxas")
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let mut places = vec![install_directory(&root)];
    if let Some(directory) = &arguments.install {
        let directory = directory.clone().unwrap_or_else(|| install_directory(&root));
        install(&directory)?;
        places.insert(0, directory);
    }
    let ptxas = Ptxas::find(&places).context("`cargo xtask ptxas --install` installs it")?;
    println!("ptxas {} ({})", ptxas.version, ptxas.path.display());

    let mut failures = 0;
    for place in Place::chosen(&root, &arguments.crates, &arguments.directories) {
        match look(&root, &place, &ptxas, arguments) {
            Ok(found) => failures += found,
            Err(error) => {
                eprintln!("error: {}: {error:#}", place.name(&root));
                failures += 1;
            }
        }
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Installs the assembler into a Python environment of its own, unless it is there.
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
    // The assembler stands alone; the compiler's headers and libraries, on which the package depends, are not needed.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", PACKAGE]);
    finish(&mut pip, "install the assembler from the Python index")
}

/// Runs a command that must succeed.
pub fn finish(command: &mut Command, what: &str) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot {what}: {command:?} does not start"))?;
    if !status.success() {
        bail!("cannot {what}: {command:?} gave {status}");
    }
    Ok(())
}

/// Looks at one crate's kernels; gives the number of failures, which are told on standard error.
fn look(root: &Path, place: &Place, ptxas: &Ptxas, arguments: &Arguments) -> Result<usize> {
    let directory = &place.directory;
    let mut measured = Measured::default();
    let mut builder = CudaBuilder::new(directory);
    if !place.is_ours {
        builder = builder.ptx_directory(directory.join("target/ptxas-ptx"));
        builder.build()?;
    }
    let ptx = builder.paths()?.remove(0);
    let text = fs::read_to_string(&ptx)
        .with_context(|| format!("cannot read {}; `cargo xtask build-ptx` makes it", ptx.display()))?;
    let (_, body) = Header::read(&text).with_context(|| format!("{} is not usable", ptx.display()))?;
    let module = PtxModule::parse(body);
    measured.barriers = module.barrier_sites().into_iter().map(|(name, sites)| (name.to_owned(), sites)).collect();
    for &arch in &arguments.arch {
        measured.resources.insert(arch, ptxas.resources(&ptx, arch)?);
    }
    print_table(&place.name(root).to_string(), &measured);

    let mut failures = Vec::new();
    for (arch, resources) in &measured.resources {
        for used in resources.iter().filter(|used| used.spill_stores + used.spill_loads > 0) {
            let (stores, loads) = (used.spill_stores, used.spill_loads);
            failures.push(format!("{} on {arch} spills: {stores} bytes stored, {loads} loaded", used.kernel));
        }
    }
    let path = directory.join("budget.toml");
    if arguments.write_budget {
        let older = fs::read_to_string(&path).ok().and_then(|text| Budget::parse(&text).ok()).unwrap_or_default();
        let budget = Budget::of(&measured, &ptxas.version).with_other_chips_of(&older);
        fs::write(&path, budget.to_string()).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}: written", path.display());
    } else if place.is_ours || path.is_file() {
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}; `cargo xtask ptxas --write-budget` makes it", path.display()))?;
        let budget = Budget::parse(&text).with_context(|| format!("cannot use {}", path.display()))?;
        failures.extend(budget.violations(&measured).iter().map(ToString::to_string));
        if !failures.is_empty() && budget.ptxas != ptxas.version {
            eprintln!("note: the budget is of ptxas {}, this is {}", budget.ptxas, ptxas.version);
        }
    }
    for failure in &failures {
        eprintln!("error: {}: {failure}", place.name(root));
    }
    Ok(failures.len())
}

fn print_table(name: &str, measured: &Measured) {
    let names = measured.barriers.keys();
    let width = names.map(String::len).max().unwrap_or(0).max(name.len());
    println!(
        "{:width$}  {:>6} {:>9} {:>6} {:>13} {:>12} {:>7} {:>8}",
        name, "chip", "registers", "stack", "spills stored", "spills read", "shared", "barriers"
    );
    // By kernel, then by chip: what a kernel's author compares.
    let mut rows = BTreeMap::new();
    for (arch, resources) in &measured.resources {
        for used in resources {
            rows.insert((&used.kernel, arch), used);
        }
    }
    for ((kernel, arch), used) in rows {
        let barriers = measured.barriers.get(kernel).copied().unwrap_or(0);
        println!(
            "{kernel:width$}  {:>6} {:>9} {:>6} {:>13} {:>12} {:>7} {barriers:>8}",
            arch.to_string(),
            used.registers,
            used.stack,
            used.spill_stores,
            used.spill_loads,
            used.shared
        );
    }
}
