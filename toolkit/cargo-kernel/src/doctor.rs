//! `doctor`: what this machine can build and run, and how to install what is missing.

use std::ffi::{c_int, c_uint};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use cuda_builder::compiler::{
    DEBIAN_COMMAND, Discovery, Origin, RUSTC_VARIABLE, Unusable, pinned_channel, rustup_command,
};
use cuda_builder::{DeviceCompiler, Ptxas};

use crate::tool;

/// The result of one check.
struct Finding {
    name: &'static str,
    /// What was found, or the problem.
    result: Result<String, String>,
    /// The command that helps.
    help: Option<String>,
}

/// Checks the machine for the crate of kernels in a folder, and prints the results. Returns whether PTX can be built here.
///
/// `assembler` is where an assembler may be installed, and `program` the command that installs one.
pub fn run(directory: &Path, assembler: &Path, program: &str) -> Result<bool> {
    let discovery = Discovery::new(directory);
    let mut findings = compilers(directory, &discovery);
    let device = discovery.find();
    findings.push(Finding {
        name: "device compiler",
        result: match &device {
            Ok(compiler) => Ok(format!("{} ({})", description(compiler), compiler.origin)),
            Err(_) => Err("none of the above is usable".to_owned()),
        },
        help: None,
    });
    findings.push(assembler_at(assembler, program));
    findings.push(Finding { name: "CUDA driver", result: driver(), help: None });
    findings.push(Finding { name: "NVIDIA devices", result: device_nodes(Path::new("/dev")), help: None });
    findings.push(Finding { name: "Python", result: python(), help: None });
    findings.extend([tool::SANITIZER, tool::PROFILER, tool::TIMELINE, tool::DEBUGGER].map(|tool| {
        let found = tool.find().map(|path| path.display().to_string());
        Finding { name: tool.program, result: found.map_err(|error| error.to_string()), help: None }
    }));

    for Finding { name, result, help } in &findings {
        match result {
            Ok(there) => println!("  ok  {name}: {there}"),
            Err(wrong) => println!("  --  {name}: {wrong}"),
        }
        if let (Err(_), Some(help)) = (result, help) {
            println!("      {help}");
        }
    }
    println!("{}", if device.is_ok() { "PTX can be built here." } else { "PTX cannot be built here." });
    println!("Without all of this, kernels run on CPU cores, and PTX that was built elsewhere runs on a GPU.");
    Ok(device.is_ok())
}

fn description(compiler: &DeviceCompiler) -> String {
    format!("{}, LLVM {}, {}", compiler.version, compiler.llvm, compiler.rustc.display())
}

/// All candidates for the device compiler. An explicit choice comes first, and then only it counts.
fn compilers(directory: &Path, discovery: &Discovery) -> Vec<Finding> {
    let channel = pinned_channel(directory);
    let mut candidates = discovery.candidates();
    if discovery.explicit.is_some() {
        candidates.extend(Discovery { explicit: None, ..discovery.clone() }.candidates());
    }
    let finding = |(origin, candidate): (Origin, Result<DeviceCompiler, Unusable>)| {
        let (name, help) = match origin {
            Origin::Explicit => (RUSTC_VARIABLE, format!("unset {RUSTC_VARIABLE}")),
            Origin::Pinned => ("pinned toolchain with rust-src", rustup_command(channel.as_deref())),
            Origin::Debian => ("Debian's rustc-web, cargo-web, rust-web-src", DEBIAN_COMMAND.to_owned()),
        };
        let result = candidate.map(|compiler| description(&compiler)).map_err(|unusable| unusable.to_string());
        Finding { name, result, help: Some(help) }
    };
    candidates.into_iter().map(finding).collect()
}

fn assembler_at(directory: &Path, program: &str) -> Finding {
    let result = match Ptxas::find(&[directory.to_owned()]) {
        Ok(ptxas) => Ok(format!("{}, {}", ptxas.version, ptxas.path.display())),
        Err(_) => Err(format!("none; only for `{program} ptxas`")),
    };
    Finding { name: "ptxas", result, help: Some(format!("{program} ptxas --install")) }
}

/// The driver's library.
fn library() -> Result<(&'static str, libloading::Library), String> {
    let name = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
    // SAFETY: NVIDIA's driver library has no initialisers with requirements on the program.
    let library = unsafe { libloading::Library::new(name) };
    Ok((name, library.map_err(|_| format!("no {name}: kernels run on CPU cores"))?))
}

/// The number of GPUs that a program sees: at least one.
///
/// # Errors
/// In words, if there is no driver or no GPU.
pub fn gpus() -> Result<c_int, String> {
    let (name, library) = library()?;
    // SAFETY: these are the functions' signatures in cuda.h.
    let functions = unsafe {
        (
            library.get::<unsafe extern "C" fn(c_uint) -> c_int>(b"cuInit\0"),
            library.get::<unsafe extern "C" fn(*mut c_int) -> c_int>(b"cuDeviceGetCount\0"),
        )
    };
    let (Ok(init), Ok(count)) = functions else { return Err(format!("{name} is not NVIDIA's")) };
    let mut number = 0;
    // SAFETY: 0 is the only value that cuInit accepts; cuDeviceGetCount writes one int to the address it is given.
    let code = unsafe { if let code @ 1.. = init(0) { code } else { count(&mut number) } };
    match (code, number) {
        (0, 1..) => Ok(number),
        (0, _) => Err("the driver shows no GPU".to_owned()),
        (code, _) => Err(format!("the driver shows no GPU (CUDA error {code})")),
    }
}

/// The driver's library and the CUDA version that it supports.
fn driver() -> Result<String, String> {
    let (name, library) = library()?;
    // SAFETY: this is the function's signature in cuda.h, since CUDA 2.2.
    let version = unsafe { library.get::<unsafe extern "C" fn(*mut c_int) -> c_int>(b"cuDriverGetVersion\0") };
    let version = version.map_err(|_| format!("{name} has no cuDriverGetVersion: it is not NVIDIA's"))?;
    let mut number = 0;
    // SAFETY: the function writes one int to the address it is given, and needs no initialised driver.
    match unsafe { version(&mut number) } {
        0 => Ok(format!("{name}, for CUDA {}.{}", number / 1000, number % 1000 / 10)),
        code => Err(format!("{name} does not tell its version (CUDA error {code})")),
    }
}

/// The GPUs' device nodes.
fn device_nodes(directory: &Path) -> Result<String, String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_gpu = |name: &String| name.strip_prefix("nvidia").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let mut names: Vec<_> = names.filter(is_gpu).collect();
    names.sort();
    if names.is_empty() {
        return Err(format!("no nvidia0 in {}", directory.display()));
    }
    Ok(names.join(" "))
}

fn python() -> Result<String, String> {
    let output = Command::new(if cfg!(windows) { "python" } else { "python3" }).arg("--version").output();
    match output {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        _ => Err("no python3; only for installing the assembler".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gpus_count_as_devices() {
        let directory = std::env::temp_dir().join(format!("cargo-kernel-doctor-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        for name in ["nvidiactl", "nvidia-uvm", "null"] {
            fs::write(directory.join(name), "").unwrap();
        }
        assert!(device_nodes(&directory).is_err());
        for name in ["nvidia1", "nvidia0"] {
            fs::write(directory.join(name), "").unwrap();
        }
        let found = device_nodes(&directory);
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(found, Ok("nvidia0 nvidia1".to_owned()));
        assert!(device_nodes(&directory).is_err());
    }
}
