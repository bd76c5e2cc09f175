//! For build scripts: PTX that a program embeds.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use crate::CudaBuilder;
use crate::error::CudaBuilderError;
use crate::flags::DebugInfo;

/// The environment variable that asks build scripts for line information: `CUDA_LINE_INFO=1`.
pub const LINE_INFO_VARIABLE: &str = "CUDA_LINE_INFO";

/// The files that [`CudaBuilder::build_for_include`] writes, which `cuda_std::built_image!` reads: the PTX, or an empty file; why there
/// is none; and an expression of type `()` that stops the crate's build if the kernels do not compile.
const FILES: [&str; 3] = ["kernels.ptx", "kernels_none.txt", "kernels_errors.rs"];

impl CudaBuilder {
    /// In a build script: builds the PTX, and writes it to `OUT_DIR`, where the crate takes it from:
    ///
    /// ```ignore
    /// /// These kernels for GPUs; or why they could not be built.
    /// #[cfg(not(target_arch = "nvptx64"))]
    /// pub const IMAGE: Result<cuda_std::launch::Image<'_>, &str> = cuda_std::built_image!();
    /// ```
    ///
    /// Without a compiler for GPUs it is an `Err`, and cargo shows a warning: kernels run on CPU cores. If the kernels do
    /// not compile, or the PTX is refused, the crate's build fails with the messages. The script itself succeeds,
    /// so that cargo continues with the host's half, whose compiler reports errors of both halves at their positions.
    ///
    /// In debug builds the kernels [check their writes](Self::check_writes). With the variable `CUDA_LINE_INFO=1` they have line
    /// information, which `cargo kernel profile` and `cargo kernel debug` ask for.
    ///
    /// Does nothing when called in the device's build.
    ///
    /// # Panics
    /// Outside of a build script, or if `OUT_DIR` is not writable.
    pub fn build_for_include(&self) {
        println!("cargo:rerun-if-changed=build.rs");
        println!("cargo:rerun-if-env-changed={LINE_INFO_VARIABLE}");
        if env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "nvptx64") {
            return;
        }
        let directory = env::var_os("OUT_DIR").expect("OUT_DIR, which cargo sets for build scripts");
        let directory = Path::new(&directory);
        let is_debug = env::var_os("PROFILE").is_some_and(|profile| profile == "debug");
        let mut builder = self.clone().check_writes(self.check_writes || is_debug);
        if env::var_os(LINE_INFO_VARIABLE).is_some_and(|value| value == "1") {
            builder = builder.debug(DebugInfo::LineTables);
        }
        let built = builder.copy_to(directory.join(FILES[0])).emit_cargo_lines(true).build();
        let (why_none, errors, warnings) = match built {
            Ok(output) => (String::new(), "()".to_owned(), output.files[0].warnings.clone()),
            Err(error) => {
                fs::write(directory.join(FILES[0]), "").expect("a file in OUT_DIR");
                if matches!(error, CudaBuilderError::NoCompiler(_)) {
                    // A file that does not exist makes the next build look for a compiler again.
                    println!("cargo:rerun-if-changed=no device compiler");
                }
                unbuilt(&error)
            }
        };
        for line in warnings.lines() {
            println!("cargo:warning={line}");
        }
        for (file, text) in FILES[1..].iter().zip([why_none, errors]) {
            fs::write(directory.join(file), text).expect("a file in OUT_DIR");
        }
    }
}

/// Why there is no PTX, the expression, and the warnings of a failed build.
fn unbuilt(error: &CudaBuilderError) -> (String, String, String) {
    if let CudaBuilderError::NoCompiler(none) = error {
        return (none.to_string(), "()".to_owned(), format!("this build has no PTX: {none}"));
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // A transparent error repeats its cause.
        if !text.ends_with(&more) {
            text.push_str(&format!("\n{more}"));
        }
        cause = error.source();
    }
    let why_none = "the kernels do not compile".to_owned();
    (why_none, format!("compile_error!({:?})", without_progress(&text)), String::new())
}

/// The text without cargo's progress lines.
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
        let (_, expression, warnings) = unbuilt(&failed.into());
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
        let (why_none, expression, warnings) = unbuilt(&none.into());
        assert!(why_none.starts_with("no device compiler"), "{why_none}");
        assert_eq!(expression, "()");
        assert!(warnings.starts_with("this build has no PTX: no device compiler"), "{warnings}");
    }
}
