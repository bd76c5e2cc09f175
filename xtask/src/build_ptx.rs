//! `build-ptx`: the kernels' PTX, made or checked.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use cuda_builder::{Checked, CudaBuilder, DebugInfo, NvvmArch};

use crate::workspace::{self, KernelCrate, Place};

/// Build the kernels' PTX, or check that what is committed is up to date
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; fail where a committed file is not what the sources give. Byte for byte where the compiler that
    /// its header names is here, by digest of the sources otherwise
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
        let result = if arguments.check { check(&builder) } else { build(&builder) };
        if let Err(error) = result {
            eprintln!("error: {}: {error:#}", place.name(&root));
            failed += 1;
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(builder: &CudaBuilder) -> Result<()> {
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

fn check(builder: &CudaBuilder) -> Result<()> {
    for (path, checked) in builder.check()? {
        match checked {
            Checked::SameBytes => println!("{}: the same bytes again", path.display()),
            Checked::SameInputs { made_by, here } => {
                let here =
                    here.map_or_else(|| "no device compiler is here".to_owned(), |here| format!("here is {here}"));
                println!("{}: of these sources; made by {made_by}, {here}, so bytes were not compared", path.display());
            }
        }
    }
    Ok(())
}
