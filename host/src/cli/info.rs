//! `prism info`.

use super::Failure;
use super::args::FormatArg;
use prism_host::Backend;
use prism_host::engine::{CudaInventory, Engine, cpu_description, cuda_inventory, kernels, ptx_module};
use serde_json::{Value, json};
use std::io::Write;

/// Prints the devices and cores that can compute.
pub fn print(format: FormatArg) -> Result<(), Failure> {
    let cuda = cuda_inventory();
    let backend = backend(&cuda)?;
    let mut out = std::io::stdout().lock();
    match format {
        FormatArg::Text => text(&backend, &cuda, &mut out)?,
        FormatArg::Json => writeln!(out, "{:#}", json(&backend, &cuda))?,
    }
    Ok(out.flush()?)
}

/// The default backend. An engine with automatic choice looks for a device only when it needs one.
fn backend(cuda: &CudaInventory) -> Result<String, Failure> {
    let of = |backend| Ok::<_, Failure>(Engine::builder().backend(backend).build()?.backend_description().to_owned());
    let reason = match (&cuda.error, cuda.devices.first()) {
        (Some(error), _) => error.to_string(),
        (None, Some(device)) if !cuda.devices.iter().any(|device| device.is_usable) => {
            format!("device {} is too old for the kernels", device.name)
        }
        _ => return of(Backend::Auto),
    };
    Ok(format!("{}, because: {reason}", of(Backend::Cpu)?))
}

fn text(backend: &str, cuda: &CudaInventory, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "prism {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "backend: {backend}")?;
    for device in &cuda.devices {
        writeln!(out, "device {}; kernels: {}", device.name, device.kernels)?;
    }
    match (&cuda.error, cuda.devices.len()) {
        (Some(error), _) => writeln!(out, "devices: none; {error}")?,
        (None, 0) => writeln!(out, "devices: none")?,
        (None, _) => {}
    }
    match &cuda.driver {
        Ok(version) => writeln!(out, "driver: CUDA {version}")?,
        Err(error) => writeln!(out, "driver: {error}")?,
    }
    writeln!(out, "CPU: {}", cpu_description())?;
    let (module, bytes) = ptx_module();
    writeln!(out, "\nFor developers:\nPTX module {module}: {bytes} bytes")?;
    match &cuda.machine_code {
        Ok(chips) if chips.is_empty() => writeln!(out, "machine code: none; drivers compile the PTX the first time")?,
        Ok(chips) => writeln!(out, "machine code: {}", chips.join(", "))?,
        Err(error) => writeln!(out, "machine code: {error}")?,
    }
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

fn json(backend: &str, cuda: &CudaInventory) -> Value {
    let (module, bytes) = ptx_module();
    let devices = cuda
        .devices
        .iter()
        .map(|device| json!({ "name": device.name, "usable": device.is_usable, "kernels": device.kernels }));
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
        "backend": backend,
        "cpu": cpu_description(),
        "driver": cuda.driver.as_ref().ok(),
        "driver_error": cuda.driver.as_ref().err().map(ToString::to_string),
        "devices": devices.collect::<Vec<_>>(),
        "ptx": { "module": module, "bytes": bytes },
        "machine_code": cuda.machine_code.as_ref().ok(),
        "machine_code_error": cuda.machine_code.as_ref().err().map(ToString::to_string),
        "kernels": kernels().iter().map(kernel).collect::<Vec<_>>(),
    })
}
