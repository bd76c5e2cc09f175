//! Compiles this crate's kernels to PTX, which src/lib.rs takes into the program.

use cuda_builder::{CudaBuilder, CudaBuilderError};
use std::error::Error;
use std::path::Path;
use std::process::exit;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "nvptx64") {
        // This run belongs to the compilation that was started below.
        return;
    }
    let directory = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let directory = Path::new(&directory);
    let builder = CudaBuilder::new(".").copy_to(directory.join("kernels.ptx")).emit_cargo_lines(true);
    let ptx = match builder.build() {
        Ok(output) => {
            warn(&output.files[0].warnings);
            "Ok(include_str!(\"kernels.ptx\"))".to_owned()
        }
        // Kernels run on CPU cores without it. Whoever asks for the PTX gets the message.
        Err(CudaBuilderError::NoCompiler(none)) => {
            warn(&format!("this build has no PTX: {none}"));
            // No such file: the next build looks for a compiler again.
            println!("cargo:rerun-if-changed=no device compiler");
            format!("Err({:?})", none.to_string())
        }
        Err(error) => {
            // Plainly: the compiler's messages are in it.
            let mut cause: Option<&dyn Error> = Some(&error);
            while let Some(error) = cause {
                eprintln!("{error}");
                cause = error.source();
            }
            exit(1);
        }
    };
    fs::write(directory.join("ptx.rs"), ptx).expect("cargo has made OUT_DIR");
}

fn warn(text: &str) {
    for line in text.lines() {
        println!("cargo:warning={line}");
    }
}
