//! `build-ptx`: the kernels' PTX, and the machine code beside it, made or checked.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use cargo_cuda::build;
use cargo_cuda::ptxas::{PACKAGE, default_directory};
use cuda_builder::machine_code::{self, CheckedCode, Made};
use cuda_builder::{CudaBuilder, DebugInfo, NvvmArch, Ptxas};

use crate::workspace::{self, KernelCrate, Place};

/// The chips whose machine code is beside the product's PTX. Devices of other kinds get the PTX.
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
/// Machine code takes the assembler, which `cargo xtask ptxas --install` gets. Where it is not, code of older PTX is
/// taken out of the file, and devices get the PTX.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; fail where a committed file is not what the sources give. Byte for byte where the compiler (or the
    /// assembler) that its header names is here, by digest otherwise
    #[arg(long)]
    check: bool,

    /// Build with line information for profilers, into target/line-info (of this workspace, or of a crate elsewhere); the
    /// committed files stay
    #[arg(long, conflicts_with = "check")]
    line_info: bool,

    /// Only this crate (repeatable)
    #[arg(long = "crate", value_name = "CRATE")]
    crates: Vec<KernelCrate>,

    /// The kernel crate in DIR, which may be anybody's (repeatable)
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
    for place in Place::chosen(&root, &arguments.crates, &arguments.directories) {
        let mut builder = CudaBuilder::new(&place.directory).archs(arguments.arch.iter().copied());
        if arguments.line_info {
            let folder = if place.is_ours { &root } else { &place.directory };
            builder = builder.debug(DebugInfo::LineTables).ptx_directory(folder.join("target/line-info"));
        }
        // Line information is for profilers, which the driver's own code serves.
        let with_code = place.is_ours && place.has_machine_code && !arguments.line_info;
        let result = if arguments.check { build::check(&builder) } else { build::ptx(&builder) };
        let result = result.and_then(|()| if with_code { code_of(&root, &builder, arguments.check) } else { Ok(()) });
        if let Err(error) = result {
            eprintln!("error: {}: {error:#}", place.name(&root));
            failed += 1;
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Makes or checks the machine code beside PTX.
fn code_of(root: &Path, builder: &CudaBuilder, check: bool) -> Result<()> {
    let pinned = PACKAGE.rsplit("==").next().unwrap_or_default();
    let found = Ptxas::find(&[default_directory(root)]).ok();
    // Another version makes other code.
    let assembler = found.as_ref().filter(|ptxas| ptxas.version == pinned);
    const INSTALL: &str = "`cargo xtask ptxas --install` gets the assembler; then `cargo xtask build-ptx` again";
    for ptx in builder.paths()? {
        let path = machine_code::beside(&ptx);
        if check {
            match machine_code::check(&ptx, assembler, &CHIPS).context(INSTALL)? {
                CheckedCode::SameBytes => println!("{}: the same bytes again", path.display()),
                CheckedCode::SameDigests { made_by } => {
                    println!("{}: of this PTX; {made_by} is not here, so bytes were not compared", path.display());
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
