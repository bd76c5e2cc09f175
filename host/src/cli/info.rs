//! `prism info`.

use super::Failure;
use prism_host::engine::{Engine, kernels};
use std::io::Write;

/// Prints what there is to compute with.
pub fn print() -> Result<(), Failure> {
    let engine = Engine::builder().build()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "prism {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "backend: {}", engine.backend_description())?;
    writeln!(out, "kernels:")?;
    for kernel in kernels() {
        let (name, threads, fingerprint) = (kernel.name, kernel.threads, kernel.fingerprint());
        writeln!(out, "  {name}: {threads} threads a block, fingerprint {fingerprint:016x}")?;
    }
    Ok(out.flush()?)
}
