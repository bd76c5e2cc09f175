//! Choosing a backend and a configuration.

use super::cpu::CpuWorker;
use super::cuda::{self, Devices};
use super::scheduler::Scheduler;
use super::selection::{Request, Selection};
use super::worker::Worker;
use super::{DeviceError, Engine, EngineError};
use rayon::ThreadPool;
use shared_types::{MAX_POINTS, MIN_POINTS, MegaFusedConfig};
use std::sync::Arc;

/// Where features are computed. The results have the same bits everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The CPU's cores at once, and CUDA devices when there is enough work and they are ready. If work was announced, it is left
    /// to devices that are ready within half a second ([`Engine::announce`]).
    #[default]
    Auto,
    /// CUDA, or an error.
    Cuda,
    /// The CPU's cores.
    Cpu,
}

/// Makes an [`Engine`].
///
/// ```
/// use prism_engine::{Backend, Engine, EngineError};
/// use shared_types::MegaFusedConfig;
///
/// let config = MegaFusedConfig { contact_threshold: 10.0, ..MegaFusedConfig::default() };
/// let engine = Engine::builder().backend(Backend::Cpu).config(config).batch_atoms(100_000).build()?;
/// assert_eq!((engine.config().contact_threshold, engine.batch_atoms()), (10.0, 100_000));
///
/// let error = Engine::builder().backend(Backend::Cpu).devices([0, 1]).build().unwrap_err();
/// assert!(matches!(error, EngineError::DevicesWithoutCuda));
/// // All GPUs, or the CPU if there are none.
/// let engine = Engine::builder().backend(Backend::Auto).all_devices().build()?;
/// println!("{}, {} batches at once", engine.backend_name(), engine.slots());
/// # Ok::<(), EngineError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct EngineBuilder {
    backend: Backend,
    devices: Devices,
    config: MegaFusedConfig,
    selection: Selection,
    batch_atoms: Option<usize>,
    pool: Option<Arc<ThreadPool>>,
    workers: Vec<Arc<dyn Worker>>,
}

/// Atoms of a CPU batch for each computing thread: about twenty structures, so that all threads have work until the end. A batch
/// takes about 140 bytes per atom, and up to seven batches are in memory.
const CPU_ATOMS_PER_THREAD: usize = 1 << 15;
const LEAST_CPU_ATOMS: usize = 1 << 16;
const MOST_CPU_ATOMS: usize = 1 << 19;
/// Atoms of a CUDA batch: a few hundred structures. Four batches are on the device at a time, and each takes about 250 MB of its
/// memory.
const CUDA_BATCH_ATOMS: usize = 1 << 21;

impl EngineBuilder {
    /// Sets the backend. The default is [`Backend::Auto`].
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The backend that is set.
    #[must_use]
    pub fn chosen_backend(&self) -> Backend {
        self.backend
    }

    /// Sets the ordinals of the CUDA devices to use. A repeated one counts once. Without ordinals, the first device is used. All
    /// devices take batches from one queue, and results do not depend on which device computes a batch.
    pub fn devices(mut self, ordinals: impl IntoIterator<Item = usize>) -> Self {
        let mut named = Vec::new();
        for ordinal in ordinals {
            if !named.contains(&ordinal) {
                named.push(ordinal);
            }
        }
        self.devices = if named.is_empty() { Devices::First } else { Devices::Named(named) };
        self
    }

    /// Uses every CUDA device that the kernels run on.
    pub fn all_devices(mut self) -> Self {
        self.devices = Devices::All;
        self
    }

    /// Computes on these workers instead of a backend of this library. An empty list changes nothing.
    pub fn workers(mut self, workers: impl IntoIterator<Item = Arc<dyn Worker>>) -> Self {
        self.workers = workers.into_iter().collect();
        self
    }

    /// Sets the configuration.
    pub fn config(mut self, config: MegaFusedConfig) -> Self {
        self.config = config;
        self
    }

    /// Selects what to compute. The default is everything. Steps that are neither requested nor needed for a requested one are
    /// not computed, and their results are not copied from a device.
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Computes on the threads of this pool instead of rayon's common ones.
    ///
    /// ```
    /// use prism_engine::{Backend, Engine};
    /// use rayon::ThreadPoolBuilder;
    ///
    /// let pool = ThreadPoolBuilder::new().num_threads(3).build()?;
    /// let engine = Engine::builder().backend(Backend::Cpu).pool(pool.into()).build()?;
    /// assert!(engine.backend_name().starts_with("CPU (3 cores"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pool(mut self, pool: Arc<ThreadPool>) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Sets the number of atoms at which batches are cut. The default depends on the backend.
    pub fn batch_atoms(mut self, atoms: usize) -> Self {
        self.batch_atoms = Some(atoms);
        self
    }

    /// Creates the engine.
    ///
    /// # Errors
    /// [`EngineError::Config`] for an invalid configuration, [`EngineError::NoCuda`] if CUDA was requested and cannot be used,
    /// and [`EngineError::DevicesWithoutCuda`].
    pub fn build(self) -> Result<Engine, EngineError> {
        check(self.config)?;
        if self.backend == Backend::Cpu && self.devices != Devices::First {
            return Err(EngineError::DevicesWithoutCuda);
        }
        let Chosen { workers, backend, batch_atoms, no_cuda } = within(self.pool.as_deref(), || self.choose())?;
        let description = match no_cuda {
            Some(error) => format!("{backend}, because: {error}"),
            None => backend.clone(),
        };
        let batch_atoms = self.batch_atoms.unwrap_or(batch_atoms).max(1);
        tracing::info!(backend = %description, batch_atoms, "engine ready");
        let request = Request { config: self.config, selection: self.selection };
        Ok(Engine { workers: Arc::new(workers), request, batch_atoms, backend, description })
    }

    fn choose(&self) -> Result<Chosen, EngineError> {
        let cpu = || Box::new(CpuWorker::new(self.config.points).with_pool(self.pool.clone())) as Box<dyn Worker>;
        let on_cpu = |no_cuda| {
            let workers = Scheduler::new(vec![cpu()], None);
            Chosen { backend: workers.names().concat(), workers, batch_atoms: cpu_batch_atoms(), no_cuda }
        };
        if !self.workers.is_empty() {
            let workers = Scheduler::new(self.workers.clone(), None);
            let backend = workers.chosen_names().join(", ");
            return Ok(Chosen { workers, backend, batch_atoms: MOST_CPU_ATOMS, no_cuda: None });
        }
        if self.backend == Backend::Cpu {
            return Ok(on_cpu(None));
        }
        if self.backend == Backend::Auto && !matches!(self.devices, Devices::Named(_)) {
            return Ok(match cuda::driver() {
                Err(error) => on_cpu(Some(error.into())),
                Ok(()) => {
                    let devices = self.devices.clone();
                    // How many devices there are takes the driver long to say.
                    let coming = cuda::BATCHES_PER_DEVICE * if devices == Devices::All { 2 } else { 1 };
                    let open = move || Ok(cuda::open(&devices)?.into_iter().map(boxed).collect());
                    let workers = Scheduler::with_devices_later(cpu(), coming, Box::new(open));
                    let backend = format!("{}, and CUDA when it is ready", workers.names().concat());
                    Chosen { workers, backend, batch_atoms: CUDA_BATCH_ATOMS, no_cuda: None }
                }
            });
        }
        match cuda::open(&self.devices) {
            Ok(opened) => {
                let workers = opened.into_iter().map(boxed).collect();
                // A caller that requests CUDA gets CUDA or an error.
                let workers = Scheduler::new(workers, (self.backend == Backend::Auto).then(cpu));
                let backend = format!("CUDA on {}", workers.chosen_names().join(", "));
                Ok(Chosen { workers, backend, batch_atoms: CUDA_BATCH_ATOMS, no_cuda: None })
            }
            Err(error) => Err(EngineError::NoCuda(error.into())),
        }
    }
}

/// Works in a pool, or where the caller is.
pub(super) fn within<T: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

fn cpu_batch_atoms() -> usize {
    rayon::current_num_threads().saturating_mul(CPU_ATOMS_PER_THREAD).clamp(LEAST_CPU_ATOMS, MOST_CPU_ATOMS)
}

fn boxed(worker: impl Worker + 'static) -> Box<dyn Worker> {
    Box::new(worker)
}

/// The chosen backend.
struct Chosen {
    workers: Scheduler,
    /// Its name.
    backend: String,
    batch_atoms: usize,
    /// Why it is not CUDA, if CUDA was the first choice.
    no_cuda: Option<DeviceError>,
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
