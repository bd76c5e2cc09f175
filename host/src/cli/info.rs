//! `prism info`.

use super::Failure;
use super::args::FormatArg;
use cuda_host::{Context, CudaError, Device, DeviceInfo, driver_version};
use prism_host::Backend;
use prism_host::engine::{Engine, cpu_description, kernels, machine_code, machine_code_for, ptx_module};
use serde_json::{Value, json};
use std::io::Write;

/// Prints what there is to compute with.
pub fn print(format: FormatArg) -> Result<(), Failure> {
    // Devices first: without one, the backend's description says why it is not CUDA.
    let devices = devices();
    let backend = backend(&devices)?;
    let mut out = std::io::stdout().lock();
    match format {
        FormatArg::Text => text(&backend, &devices, &mut out)?,
        FormatArg::Json => writeln!(out, "{:#}", json(&backend, &devices))?,
    }
    Ok(out.flush()?)
}

/// The devices, opened, so that they tell how much of their memory is free.
fn devices() -> Result<Vec<DeviceInfo>, CudaError> {
    let opened: Vec<_> = (0..Device::count()?).map(Context::new).collect();
    let devices = Device::list();
    drop(opened);
    devices
}

/// What prism would compute with.
fn backend(devices: &Result<Vec<DeviceInfo>, CudaError>) -> Result<String, Failure> {
    let of = |backend| Ok::<_, Failure>(Engine::builder().backend(backend).build()?.backend_description().to_owned());
    let reason = match devices {
        Err(error) => error.to_string(),
        Ok(devices) if !devices.iter().any(DeviceInfo::is_supported) => match devices.first() {
            Some(device) => format!("device {device} is too old for the kernels"),
            None => "the driver has no device".to_owned(),
        },
        Ok(_) => return of(Backend::Auto),
    };
    Ok(format!("{}, because: {reason}", of(Backend::Cpu)?))
}

/// What a device is given of the kernels.
fn code(device: &DeviceInfo) -> String {
    match machine_code_for(device.compute_capability) {
        _ if !device.is_supported() => "none: too old for the kernels".to_owned(),
        Ok(Some(chip)) => format!("machine code for {chip}"),
        Ok(None) => "PTX, which the driver compiles the first time, for some seconds".to_owned(),
        Err(error) => format!("none: {error}"),
    }
}

fn text(backend: &str, devices: &Result<Vec<DeviceInfo>, CudaError>, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "prism {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "backend: {backend}")?;
    writeln!(out, "CPU: {}", cpu_description())?;
    match driver_version() {
        Ok(version) => writeln!(out, "driver: CUDA {version}")?,
        Err(error) => writeln!(out, "driver: {error}")?,
    }
    match devices {
        Ok(devices) => {
            for device in devices {
                writeln!(out, "device {device}; kernels: {}", code(device))?;
            }
        }
        // The lines of backend and driver have said it.
        Err(error) if error.is_unavailable() => {}
        Err(error) => writeln!(out, "devices: {error}")?,
    }
    let (module, bytes) = ptx_module();
    writeln!(out, "PTX module {module}: {bytes} bytes")?;
    match machine_code() {
        Ok(chips) if chips.is_empty() => writeln!(out, "machine code: none; drivers compile the PTX the first time")?,
        Ok(chips) => {
            let names: Vec<String> = chips.iter().map(ToString::to_string).collect();
            writeln!(out, "machine code: {}", names.join(", "))?;
        }
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

fn json(backend: &str, devices: &Result<Vec<DeviceInfo>, CudaError>) -> Value {
    let (module, bytes) = ptx_module();
    let device = |device: &DeviceInfo| json!({ "name": device.to_string(), "usable": device.is_supported(), "kernels": code(device) });
    let devices: Vec<Value> = devices.iter().flatten().map(device).collect();
    let (chips, unusable) = match machine_code() {
        Ok(chips) => (chips.iter().map(ToString::to_string).collect(), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
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
        "backend": backend,
        "cpu": cpu_description(),
        "driver": driver,
        "driver_error": driver_error,
        "devices": devices,
        "ptx": { "module": module, "bytes": bytes },
        "machine_code": chips,
        "machine_code_error": unusable,
        "kernels": kernels().iter().map(kernel).collect::<Vec<_>>(),
    })
}
