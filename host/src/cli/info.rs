//! `prism info`.

use super::Failure;
use super::args::FormatArg;
use prism_host::engine::{Engine, cpu_description, cuda_inventory, kernels, ptx_module};
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
    let cuda = cuda_inventory();
    match &cuda.driver {
        Ok(version) => writeln!(out, "driver: CUDA {version}")?,
        Err(error) => writeln!(out, "driver: {error}")?,
    }
    for (device, usable) in &cuda.devices {
        let unusable = if *usable { "" } else { " (too old for the kernels)" };
        writeln!(out, "device {device}{unusable}")?;
    }
    if let Some(error) = &cuda.error {
        writeln!(out, "devices: {error}")?;
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
    let cuda = cuda_inventory();
    let devices = cuda.devices.iter().map(|(name, usable)| json!({ "name": name, "usable": usable }));
    let kernel = |kernel: &prism_host::engine::KernelInfo| {
        let fingerprint = kernel.fingerprint();
        json!({
            "name": kernel.name,
            "threads": kernel.threads,
            "fingerprint": format!("{fingerprint:016x}"),
            "ptx_is_current": kernel.ptx_fingerprint() == Some(fingerprint),
        })
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "backend": engine.backend_description().to_string(),
        "cpu": cpu_description(),
        "driver": cuda.driver.as_ref().ok(),
        "driver_error": cuda.driver.as_ref().err().map(ToString::to_string),
        "devices": devices.collect::<Vec<_>>(),
        "ptx": { "module": module, "bytes": bytes },
        "kernels": kernels().iter().map(kernel).collect::<Vec<_>>(),
    })
}
