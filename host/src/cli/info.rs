//! `prism info`.

use super::Failure;
use cuda_host::{Device, driver_version};
use prism_host::engine::{Engine, cpu_description, kernels, ptx_module};
use std::io::Write;

/// Prints what there is to compute with.
pub fn print() -> Result<(), Failure> {
    let engine = Engine::builder().build()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "prism {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "backend: {}", engine.backend_description())?;
    writeln!(out, "CPU: {}", cpu_description())?;
    match driver_version() {
        Ok(version) => writeln!(out, "driver: CUDA {version}")?,
        Err(error) => writeln!(out, "driver: {error}")?,
    }
    match Device::list() {
        Ok(devices) => {
            for device in devices {
                let unusable = if device.is_supported() { "" } else { " (too old for the kernels)" };
                writeln!(out, "device {device}{unusable}")?;
            }
        }
        // The driver's line has said it.
        Err(error) if error.is_unavailable() => {}
        Err(error) => writeln!(out, "devices: {error}")?,
    }
    let (module, bytes) = ptx_module();
    writeln!(out, "PTX module {module}: {bytes} bytes")?;
    for kernel in kernels() {
        let (name, threads, fingerprint) = (kernel.name, kernel.threads, kernel.fingerprint());
        let built = match kernel.ptx_fingerprint() {
            Some(ptx) if ptx == fingerprint => String::new(),
            Some(ptx) => format!("; the PTX has {ptx:016x}: build it again"),
            None => "; the PTX has no such kernel: build it again".to_owned(),
        };
        writeln!(out, "  kernel {name}: {threads} threads a block, fingerprint {fingerprint:016x}{built}")?;
    }
    Ok(out.flush()?)
}
