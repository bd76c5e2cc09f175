//! `prism info`.

use super::Failure;
use super::args::FormatArg;
use cuda_host::{Device, driver_version};
use prism_host::engine::{Engine, cpu_description, kernels, ptx_module};
use serde_json::{Value, json};
use std::io::Write;

/// Prints what there is to compute with.
pub fn print(format: FormatArg) -> Result<(), Failure> {
    let engine = Engine::builder().build()?;
    let mut out = std::io::stdout().lock();
    match format {
        FormatArg::Text => text(&engine, &mut out)?,
        FormatArg::Json => writeln!(out, "{:#}", json(&engine))?,
    }
    Ok(out.flush()?)
}

fn text(engine: &Engine, out: &mut impl Write) -> std::io::Result<()> {
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
    Ok(())
}

fn json(engine: &Engine) -> Value {
    let (module, bytes) = ptx_module();
    let devices = match Device::list() {
        Ok(devices) => devices
            .iter()
            .map(|device| json!({ "name": device.to_string(), "usable": device.is_supported() }))
            .collect::<Vec<_>>(),
        Err(_) => Vec::new(),
    };
    let kernel = |kernel: &prism_host::engine::KernelInfo| {
        let fingerprint = kernel.fingerprint();
        json!({
            "name": kernel.name,
            "threads": kernel.threads,
            "fingerprint": format!("{fingerprint:016x}"),
            "ptx_is_current": kernel.ptx_fingerprint() == Some(fingerprint),
        })
    };
    let (driver, driver_error) = match driver_version() {
        Ok(version) => (Some(version.to_string()), None),
        Err(error) => (None, Some(error.to_string())),
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "backend": engine.backend_description().to_string(),
        "cpu": cpu_description(),
        "driver": driver,
        "driver_error": driver_error,
        "devices": devices,
        "ptx": { "module": module, "bytes": bytes },
        "kernels": kernels().iter().map(kernel).collect::<Vec<_>>(),
    })
}
