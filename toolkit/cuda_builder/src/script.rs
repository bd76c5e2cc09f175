//! For build scripts: PTX that a program takes in.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use crate::CudaBuilder;
use crate::error::CudaBuilderError;

/// The name of the file that [`CudaBuilder::build_for_include`] writes.
const EXPRESSION: &str = "ptx.rs";

impl CudaBuilder {
    /// In a build script: builds, and writes `ptx.rs` in `OUT_DIR`, an expression of type `Result<&str, &str>` that the
    /// crate includes:
    ///
    /// ```ignore
    /// /// These kernels for GPUs; or why they could not be made.
    /// #[cfg(not(target_arch = "nvptx64"))]
    /// pub const PTX: Result<&str, &str> = include!(concat!(env!("OUT_DIR"), "/ptx.rs"));
    /// ```
    ///
    /// Without a compiler for GPUs it is an `Err`, and cargo shows a warning: kernels run on CPU cores. Where the kernels
    /// do not compile, or may not be delivered, the expression is the compiler's error: the script itself ends well, so that
    /// cargo goes on to the host's half, whose compiler reports errors of both halves in their place.
    ///
    /// Does nothing when it is called for the device, by its own build.
    ///
    /// # Panics
    /// Outside of a build script, or where `OUT_DIR` cannot be written.
    pub fn build_for_include(&self) {
        println!("cargo:rerun-if-changed=build.rs");
        if env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "nvptx64") {
            return;
        }
        let directory = env::var_os("OUT_DIR").expect("OUT_DIR, which cargo sets for build scripts");
        let directory = Path::new(&directory);
        let built = self.clone().copy_to(directory.join("kernels.ptx")).emit_cargo_lines(true).build();
        let (expression, warnings) = match built {
            Ok(output) => ("Ok(include_str!(\"kernels.ptx\"))".to_owned(), output.files[0].warnings.clone()),
            Err(error) => {
                if matches!(error, CudaBuilderError::NoCompiler(_)) {
                    // No such file: the next build looks for a compiler again.
                    println!("cargo:rerun-if-changed=no device compiler");
                }
                unbuilt(&error)
            }
        };
        for line in warnings.lines() {
            println!("cargo:warning={line}");
        }
        fs::write(directory.join(EXPRESSION), expression).expect("a file in OUT_DIR");
    }
}

/// The expression and the warnings of a build that failed.
fn unbuilt(error: &CudaBuilderError) -> (String, String) {
    if let CudaBuilderError::NoCompiler(none) = error {
        return (format!("Err({:?})", none.to_string()), format!("this build has no PTX: {none}"));
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // A transparent error is its cause.
        if !text.ends_with(&more) {
            text.push_str(&format!("\n{more}"));
        }
        cause = error.source();
    }
    (format!("compile_error!({:?})", without_progress(&text)), String::new())
}

/// The text without the lines that tell how far cargo is.
fn without_progress(text: &str) -> String {
    const WORDS: [&str; 6] = ["Compiling", "Downloading", "Downloaded", "Locking", "Updating", "Blocking"];
    let is_progress =
        |line: &&str| WORDS.iter().any(|word| line.trim_start().starts_with(word) && line.starts_with(' '));
    text.lines().filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nested::NestedError;

    #[test]
    fn what_the_compiler_says_becomes_an_error_of_the_program() {
        let failed = NestedError::Failed {
            package: "waves".to_owned(),
            compiler: "rustc 1.95.0".to_owned(),
            messages:
                "   Compiling waves v0.1.0 (/home/me)\nerror[E0277]: cannot add \"u32\" to `f32`\n --> src/lib.rs:3:5"
                    .to_owned(),
        };
        let (expression, warnings) = unbuilt(&failed.into());
        assert_eq!(
            expression,
            "compile_error!(\"`waves` does not compile for the device with rustc 1.95.0:\\nerror[E0277]: cannot add \\\"u32\\\" \
             to `f32`\\n --> src/lib.rs:3:5\")"
        );
        assert_eq!(warnings, "");
    }

    #[test]
    fn without_a_compiler_the_program_runs_on_cpu_cores() {
        let mut nowhere = crate::Discovery::new(".");
        nowhere.explicit = Some("/nowhere/rustc".into());
        let none = nowhere.find().unwrap_err();
        let (expression, warnings) = unbuilt(&none.into());
        assert!(expression.starts_with("Err(\"no device compiler"), "{expression}");
        assert!(warnings.starts_with("this build has no PTX: no device compiler"), "{warnings}");
    }
}
