//! Compiles the kernels for three kinds of chips, which have different instructions for 16-bit floats and tensor cores. Without a GPU
//! here, only those for Hopper, whose PTX tests look at: each kind takes a minute.

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs, process};

/// Asks for every kind, for a machine with a GPU that is not this one.
const EVERY_CHIP: &str = "CUDA_EVERY_CHIP";

/// Whether programs can use a GPU here: its driver comes with this command on every system.
fn is_driver_here() -> bool {
    Command::new("nvidia-smi").arg("-L").output().is_ok_and(|output| output.status.success())
}

fn main() {
    println!("cargo:rerun-if-env-changed={EVERY_CHIP}");
    println!("cargo:rerun-if-changed=build.rs");
    let directory = env::var_os("OUT_DIR").expect("OUT_DIR, which cargo sets for build scripts");
    let directory = Path::new(&directory);
    let every = env::var_os(EVERY_CHIP).is_some_and(|value| value == "1") || is_driver_here();
    let chips = [NvvmArch::Compute75, NvvmArch::Compute80, NvvmArch::Compute90a];
    let builder = CudaBuilder::new("kernels")
        .archs(chips.into_iter().filter(|chip| every || *chip == NvvmArch::Compute90a))
        .ptx_directory(directory)
        .check_writes(true)
        .emit_cargo_lines(true);
    let expression = match builder.build() {
        Ok(output) => {
            let mut list = String::from("Ok(&[");
            for file in &output.files {
                file.warnings.lines().for_each(|line| println!("cargo:warning={line}"));
                write!(list, "({:?}, include_str!({:?})), ", file.arch.sm(), file.path).expect("a String has room");
            }
            list + "])"
        }
        Err(CudaBuilderError::NoCompiler(none)) => {
            println!("cargo:warning=this build has no PTX: {none}");
            // A file that does not exist makes the next build look for a compiler again.
            println!("cargo:rerun-if-changed=no device compiler");
            format!("Err({:?})", none.to_string())
        }
        Err(error) => {
            let mut cause: Option<&dyn Error> = Some(&error);
            while let Some(error) = cause {
                eprintln!("{error}");
                cause = error.source();
            }
            process::exit(1);
        }
    };
    fs::write(directory.join("ptx.rs"), expression).expect("a file in OUT_DIR");
}
