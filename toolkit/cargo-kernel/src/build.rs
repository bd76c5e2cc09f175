//! `build`: the PTX of a crate's kernels, and machine code beside it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use cuda_builder::machine_code::{self, Made};
use cuda_builder::{Checked, CudaBuilder, DebugInfo, NvvmArch, Ptxas};

use crate::ptxas;

/// Build the PTX of a crate's kernels into DIRECTORY/ptx, with machine code for the given chips
#[derive(clap::Args)]
pub struct Arguments {
    /// The crate's folder
    #[arg(default_value = ".")]
    directory: PathBuf,

    /// The folder for the PTX, instead of the crate's folder `ptx`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// The GPU architecture of the PTX (repeatable)
    #[arg(long, value_name = "ARCH", default_value = "sm_75")]
    arch: Vec<NvvmArch>,

    /// Also make machine code for this chip (repeatable). It needs the assembler, which `cargo kernel ptxas --install`
    /// installs
    #[arg(long, value_name = "ARCH")]
    chip: Vec<NvvmArch>,

    /// Include line information for profilers
    #[arg(long)]
    line_info: bool,

    /// Write nothing; fail if the existing PTX differs from what the sources give
    #[arg(long, conflicts_with_all = ["line_info", "chip"])]
    check: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut builder = CudaBuilder::new(&arguments.directory).archs(arguments.arch.iter().copied());
    if let Some(out) = &arguments.out {
        builder = builder.ptx_directory(out);
    }
    if arguments.line_info {
        builder = builder.debug(DebugInfo::LineTables);
    }
    if arguments.check {
        check(&builder)?;
        return Ok(ExitCode::SUCCESS);
    }
    crate::lock(&arguments.directory)?;
    ptx(&builder)?;
    if !arguments.chip.is_empty() {
        machine_code_of(&builder, &arguments.directory, &arguments.chip)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds PTX, and prints where it is.
pub fn ptx(builder: &CudaBuilder) -> Result<()> {
    let start = Instant::now();
    let output = builder.build()?;
    for file in &output.files {
        if !file.warnings.is_empty() {
            eprintln!("{}", file.warnings);
        }
        let state = if file.written { "written" } else { "up to date" };
        println!(
            "{}: {state}, kernels: {}, {} ({}), {:.1} s",
            file.path.display(),
            file.entries.len(),
            output.compiler.version,
            output.compiler.origin,
            start.elapsed().as_secs_f32()
        );
    }
    Ok(())
}

/// Compares the existing PTX with what the sources give: its bytes if its compiler is installed, otherwise its digest.
///
/// # Errors
/// If it does not exist, or comes from other sources.
pub fn check(builder: &CudaBuilder) -> Result<()> {
    for (path, checked) in builder.check()? {
        match checked {
            Checked::SameBytes => println!("{}: the same bytes", path.display()),
            Checked::SameInputs { made_by, here } => {
                let here = here.map_or_else(
                    || "no device compiler is installed".to_owned(),
                    |here| format!("installed is {here}"),
                );
                println!(
                    "{}: matches these sources; made by {made_by}, {here}, so bytes were not compared",
                    path.display()
                );
            }
        }
    }
    Ok(())
}

fn machine_code_of(builder: &CudaBuilder, directory: &Path, chips: &[NvvmArch]) -> Result<()> {
    let assembler = Ptxas::find(&[ptxas::default_directory(directory)]);
    let assembler = assembler.context("`cargo kernel ptxas --install` installs it")?;
    for ptx in builder.paths()? {
        let made = machine_code::make(&ptx, Some(&assembler), chips)?;
        ensure!(!matches!(made, Made::Emptied), "{}: no machine code could be made", ptx.display());
        let state = if made == Made::UpToDate { "up to date" } else { "written" };
        println!("{}: {state}, {} chips", machine_code::beside(&ptx).display(), chips.len());
    }
    Ok(())
}
