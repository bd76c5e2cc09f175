//! `build-ptx`: builds or checks the kernels' PTX and the machine code beside it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use cargo_kernel::build;
use cargo_kernel::ptxas::{PACKAGE, default_directory};
use cuda_builder::machine_code::{self, CheckedCode, Made};
use cuda_builder::{CudaBuilder, DebugInfo, NvvmArch, Ptxas};

use crate::workspace::{self, KernelCrate, KernelPackage};

/// The chips with machine code beside the product's PTX. Other devices get the PTX.
const CHIPS: [NvvmArch; 6] = [
    NvvmArch::Compute80,
    NvvmArch::Compute86,
    NvvmArch::Compute89,
    NvvmArch::Compute90,
    NvvmArch::Compute100,
    NvvmArch::Compute120,
];

/// Build the kernels' PTX and the machine code beside it, or check that what is committed is up to date
///
/// Machine code needs the assembler, which `cargo xtask ptxas --install` installs. Without it, code of older PTX is removed
/// from the file, and devices get the PTX.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; fail if a committed file differs from what the sources give. Compares bytes if the compiler (or
    /// assembler) named in the file is installed, and digests otherwise
    #[arg(long)]
    check: bool,

    /// The chips whose machine code is assembled again and compared, separated by commas (all of them if this is left out)
    #[arg(long, value_name = "ARCH", value_delimiter = ',', requires = "check", default_values_t = CHIPS)]
    code: Vec<NvvmArch>,

    /// Build with line information for profilers, into target/line-info (of this workspace, or of another crate); the
    /// committed files stay unchanged
    #[arg(long, conflicts_with = "check")]
    line_info: bool,

    /// Only this crate (repeatable)
    #[arg(long = "crate", value_name = "CRATE")]
    crates: Vec<KernelCrate>,

    /// The kernel crate in DIR, inside or outside of this workspace (repeatable)
    #[arg(long = "directory", value_name = "DIR")]
    directories: Vec<PathBuf>,

    /// The GPU architecture (repeatable)
    #[arg(long, value_name = "ARCH", default_value = "sm_75")]
    arch: Vec<NvvmArch>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let mut failed = 0;
    for package in KernelPackage::chosen(&root, &arguments.crates, &arguments.directories) {
        let mut builder = CudaBuilder::new(&package.directory).archs(arguments.arch.iter().copied());
        if arguments.line_info {
            let folder = if package.is_ours { &root } else { &package.directory };
            builder = builder.debug(DebugInfo::LineTables).ptx_directory(folder.join("target/line-info"));
        }
        // Profilers use line information with the driver's own code.
        let with_code = package.is_ours && package.has_machine_code && !arguments.line_info;
        let result = if arguments.check { build::check(&builder) } else { build::ptx(&builder) };
        let result = result.and_then(|()| if with_code { code_of(&root, &builder, arguments) } else { Ok(()) });
        if let Err(error) = result {
            eprintln!("error: {}: {error:#}", package.name(&root));
            failed += 1;
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds or checks the machine code beside PTX.
fn code_of(root: &Path, builder: &CudaBuilder, arguments: &Arguments) -> Result<()> {
    let pinned = PACKAGE.rsplit("==").next().unwrap_or_default();
    let found = Ptxas::find(&[default_directory(root)]).ok();
    // Another version makes different code.
    let assembler = found.as_ref().filter(|ptxas| ptxas.version == pinned);
    const INSTALL: &str = "run `cargo xtask ptxas --install`, then `cargo xtask build-ptx` again";
    for ptx in builder.paths()? {
        let path = machine_code::beside(&ptx);
        if arguments.check {
            match machine_code::check(&ptx, assembler, &CHIPS, &arguments.code).context(INSTALL)? {
                CheckedCode::SameBytes => {
                    let chips: Vec<_> = arguments.code.iter().map(NvvmArch::to_string).collect();
                    println!("{}: the same bytes on {}", path.display(), chips.join(", "));
                }
                CheckedCode::SameDigests { made_by } => {
                    println!(
                        "{}: matches this PTX; {made_by} is not installed, so bytes were not compared",
                        path.display()
                    );
                }
            }
            continue;
        }
        let start = Instant::now();
        match machine_code::make(&ptx, assembler, &CHIPS)? {
            Made::UpToDate => println!("{}: up to date", path.display()),
            Made::Written(bytes) => {
                let seconds = start.elapsed().as_secs_f32();
                println!("{}: written, {} chips, {bytes} bytes, {seconds:.1} s", path.display(), CHIPS.len());
            }
            Made::Emptied => println!("{}: no machine code of this PTX; {INSTALL}", path.display()),
        }
    }
    Ok(())
}
