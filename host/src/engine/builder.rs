//! Choosing a backend and a configuration.

use super::work::Computed;
use super::{Engine, EngineError, cpu, cpu::CpuRunner, cuda, cuda::CudaRunner};
use crate::pack::PackedBatch;
use cuda_host::CudaError;
use shared_types::{MAX_POINTS, MIN_POINTS, MegaFusedConfig};

/// Where features are computed. The results have the same bits everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// CUDA where a usable device is, else the CPU.
    #[default]
    Auto,
    /// CUDA, or an error.
    Cuda,
    /// The CPU's cores.
    Cpu,
}

/// Makes an [`Engine`].
#[derive(Clone, Debug, Default)]
pub struct EngineBuilder {
    backend: Backend,
    devices: Vec<usize>,
    config: MegaFusedConfig,
    batch_atoms: Option<usize>,
}

/// What computes a batch.
#[derive(Debug)]
pub(super) enum Runner {
    Cpu(CpuRunner),
    Cuda(CudaRunner),
}

impl Runner {
    pub(super) fn lanes(&self) -> usize {
        match self {
            Self::Cpu(_) => CPU_LANES,
            Self::Cuda(runner) => runner.lanes(),
        }
    }

    pub(super) fn run(&self, batch: &PackedBatch, config: MegaFusedConfig) -> Result<Computed, EngineError> {
        match self {
            Self::Cpu(runner) => runner.run(batch, config),
            Self::Cuda(runner) => runner.run(batch, config),
        }
    }
}

/// Batches at once on the CPU: while the largest structure of one keeps a core, the others have work for the rest.
const CPU_LANES: usize = 4;
/// Atoms of a CPU batch: some hundred structures, so that all cores find work, in some 70 MB of rows and
/// scratch.
const CPU_BATCH_ATOMS: usize = 1 << 19;
/// Atoms of a CUDA batch: some hundred structures, which are on the device two batches at a time, in some 250 MB of
/// its memory each.
const CUDA_BATCH_ATOMS: usize = 1 << 21;

impl EngineBuilder {
    /// Which backend; [`Backend::Auto`] when not called.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Ordinals of the CUDA devices to use; the first device when none is named.
    #[must_use]
    pub fn devices(mut self, ordinals: impl IntoIterator<Item = usize>) -> Self {
        self.devices = ordinals.into_iter().collect();
        self
    }

    /// What to compute with; the default when not called.
    #[must_use]
    pub fn config(mut self, config: MegaFusedConfig) -> Self {
        self.config = config;
        self
    }

    /// Atoms at which batches are cut; the backend's own choice when not called.
    #[must_use]
    pub fn batch_atoms(mut self, atoms: usize) -> Self {
        self.batch_atoms = Some(atoms);
        self
    }

    /// Makes the engine.
    ///
    /// # Errors
    /// [`EngineError::Config`] for a configuration that makes no sense, [`EngineError::NoCuda`] where CUDA was asked
    /// for and cannot be used, [`EngineError::DevicesWithoutCuda`].
    pub fn build(self) -> Result<Engine, EngineError> {
        check(self.config)?;
        if self.backend == Backend::Cpu && !self.devices.is_empty() {
            return Err(EngineError::DevicesWithoutCuda);
        }
        let (runner, backend, no_cuda) = self.runner()?;
        let batch_atoms = self.batch_atoms.unwrap_or(match runner {
            Runner::Cpu(_) => CPU_BATCH_ATOMS,
            Runner::Cuda(_) => CUDA_BATCH_ATOMS,
        });
        let description = match no_cuda {
            Some(error) => format!("{backend}, because: {error}"),
            None => backend.clone(),
        };
        tracing::info!(backend = %description, batch_atoms, "engine ready");
        Ok(Engine { runner, config: self.config, batch_atoms: batch_atoms.max(1), backend, description })
    }

    /// The runner, its name, and why it is not CUDA where that was the first choice.
    fn runner(&self) -> Result<(Runner, String, Option<CudaError>), EngineError> {
        let on_cpu = |no_cuda| {
            (Runner::Cpu(CpuRunner::new(self.config.points)), format!("CPU ({})", cpu::cpu_description()), no_cuda)
        };
        if self.backend == Backend::Cpu {
            return Ok(on_cpu(None));
        }
        match cuda::open(&self.devices) {
            Ok(opened) => {
                let names = opened.devices.iter().map(|device| format!("{} (device {})", device.name, device.ordinal));
                let name = format!("CUDA on {}", names.collect::<Vec<_>>().join(", "));
                Ok((Runner::Cuda(opened.runner), name, None))
            }
            Err(error) if self.backend == Backend::Auto && self.devices.is_empty() => {
                if !error.is_unavailable() {
                    // There is a device, and it should have worked.
                    tracing::warn!("computing on the CPU: {error}");
                }
                Ok(on_cpu(Some(error)))
            }
            Err(error) => Err(EngineError::NoCuda(error)),
        }
    }
}

fn check(config: MegaFusedConfig) -> Result<(), EngineError> {
    let MegaFusedConfig { contact_threshold, min_feature_value, points, site_threshold } = config;
    let refuse = |field, value: String, needed: String| Err(EngineError::Config { field, value, needed });
    if !(contact_threshold.is_finite() && contact_threshold > 0.0) {
        let needed = "a finite distance in Å above 0".to_owned();
        return refuse("contact_threshold", contact_threshold.to_string(), needed);
    }
    if !(min_feature_value.is_finite() && min_feature_value >= 0.0) {
        let needed = "finite and not below 0".to_owned();
        return refuse("min_feature_value", min_feature_value.to_string(), needed);
    }
    if !(MIN_POINTS..=MAX_POINTS).contains(&points) {
        return refuse("points", points.to_string(), format!("from {MIN_POINTS} to {MAX_POINTS}"));
    }
    if !(site_threshold > 0.0 && site_threshold <= 1.0) {
        return refuse("site_threshold", site_threshold.to_string(), "above 0 and at most 1".to_owned());
    }
    Ok(())
}
