//! Launches kernels.

use crate::args::{Addresses, RawArgs};
use crate::dynamic;
use crate::image::Image;
use crate::meeting::{Meeting, most_blocks};
use crate::module::LoadedKernel;
use crate::prepared::{Prepared, Use, Used, Uses};
use crate::slot::Watch;
use crate::usage::Access;
use crate::{Context, CudaError, Device, DeviceOffsets, DeviceView, DeviceViewMut, Module, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::Grid;
use cuda_std::launch::{Executor, Kernel, Space, check_and_visit};
use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

impl Space for Device {
    type Ref<'a, T: DeviceLayout> = DeviceView<'a, T>;
    type Mut<'a, T: DeviceLayout> = DeviceViewMut<'a, T>;
    type Offsets<'a> = &'a DeviceOffsets;

    fn len<T: DeviceLayout>(buffer: &DeviceView<'_, T>) -> usize {
        buffer.len()
    }

    fn len_mut<T: DeviceLayout>(buffer: &DeviceViewMut<'_, T>) -> usize {
        buffer.len()
    }

    fn extent(offsets: &&DeviceOffsets) -> (usize, u32) {
        (offsets.segments(), offsets.end())
    }

    fn shorter<'short, 'long: 'short, T: DeviceLayout>(buffer: DeviceView<'long, T>) -> DeviceView<'short, T> {
        buffer
    }
}

impl Addresses for Device {
    fn address<T: DeviceLayout>(buffer: &DeviceView<'_, T>) -> u64 {
        buffer.address()
    }

    fn address_mut<T: DeviceLayout>(buffer: &DeviceViewMut<'_, T>) -> u64 {
        buffer.address()
    }

    fn offsets_address(offsets: &&DeviceOffsets) -> u64 {
        offsets.view().address()
    }
}

const OPERATION: &str = "launching a kernel";

/// Runs kernels on a CUDA device, on one stream.
///
/// A launch returns when it is queued. [`synchronize`](Self::synchronize) waits, and reports a kernel's panic.
/// Cheap to clone; clones share stream and modules.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, CudaExecutor, Image, Module};
///
/// // In a crate with a build script: `cuda_std::built_image!()`.
/// const IMAGE: Result<Image, &str> = Err("no compiler for GPUs");
/// let context = Context::new(0)?;
/// let module = Module::load(&context, "kernels", IMAGE.unwrap())?;
/// let executor = CudaExecutor::new(&context.stream()?, [module])?;
/// // Another stream with the same modules, without compiling kernels again.
/// let other = executor.on(&context.stream()?)?;
/// assert_eq!(other.module("kernels")?.entries(), executor.modules()[0].entries());
/// executor.synchronize()?;
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/modules.rs` runs such code if there is one. The crate's documentation has
/// an example of a launch.
#[derive(Clone)]
pub struct CudaExecutor {
    stream: Stream,
    modules: Arc<Modules>,
    limit: Option<Duration>,
    meeting: Arc<Mutex<Meeting>>,
}

struct Modules {
    list: Vec<Module>,
    kernels: RwLock<HashMap<TypeId, Arc<LoadedKernel>>>,
}

impl CudaExecutor {
    /// An executor of the kernels of `modules`, on a stream of the same context.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`].
    pub fn new(stream: &Stream, modules: impl IntoIterator<Item = Module>) -> Result<Self, CudaError> {
        let list: Vec<_> = modules.into_iter().collect();
        for module in &list {
            stream.check_device(module.context(), "using a module")?;
        }
        let modules = Arc::new(Modules { list, kernels: RwLock::default() });
        Ok(Self { stream: stream.clone(), modules, limit: None, meeting: Arc::default() })
    }

    /// Opens a device, makes a stream and loads one [`Image`]: enough for a program with one stream.
    ///
    /// # Errors
    /// Those of [`Context::new`], [`Stream::new`] and [`Module::load`].
    pub fn open(ordinal: usize, name: &str, image: Image<'_>) -> Result<Self, CudaError> {
        let context = Context::new(ordinal)?;
        let module = Module::load(&context, name, image)?;
        Self::new(&context.stream()?, [module])
    }

    /// The same stream and limit with other modules.
    pub(crate) fn with_modules(&self, modules: impl IntoIterator<Item = Module>) -> Result<Self, CudaError> {
        Ok(Self { limit: self.limit, ..Self::new(&self.stream, modules)? })
    }

    /// The same modules on another stream.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`].
    pub fn on(&self, stream: &Stream) -> Result<Self, CudaError> {
        stream.check_device(self.context(), "using modules on another stream")?;
        Ok(Self { stream: stream.clone(), modules: self.modules.clone(), limit: self.limit, meeting: Arc::default() })
    }

    /// The same executor with a time limit for launches, for kernels that may not end. Each launch waits for its end and
    /// for earlier work, as [`Stream::synchronize_within`] does.
    ///
    /// ```no_run
    /// use cuda_host::{CudaError, CudaExecutor, Image};
    /// use std::time::Duration;
    ///
    /// // In a crate with a build script: `cuda_std::built_image!()`.
    /// const IMAGE: Result<Image, &str> = Err("no compiler for GPUs");
    /// let executor = CudaExecutor::open(0, "kernels", IMAGE.unwrap())?;
    /// let limited = executor.within(Duration::from_secs(10));
    /// # Ok::<(), CudaError>(())
    /// ```
    ///
    /// This needs a GPU: `tests/tests/book/machine.rs` has such a launch.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        Self { limit: Some(limit), ..self.clone() }
    }

    /// Its stream.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The context of its stream.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.stream.context()
    }

    /// Its modules.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules.list
    }

    /// The first of its modules that was loaded under a name.
    ///
    /// # Errors
    /// [`CudaError::UnknownModule`] lists the existing names.
    pub fn module(&self, name: &str) -> Result<&Module, CudaError> {
        let modules = self.modules();
        modules.iter().find(|module| module.name() == name).ok_or_else(|| CudaError::UnknownModule {
            module: name.to_owned(),
            modules: modules.iter().map(|module| module.name().to_owned()).collect(),
        })
    }

    /// As [`Stream::synchronize`].
    ///
    /// # Errors
    /// The same.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.stream.synchronize()
    }

    /// Finds and checks a kernel; otherwise the first launch does this.
    ///
    /// # Errors
    /// Those of [`Module::kernel`]; [`CudaError::UnknownKernel`] lists the kernels of all modules.
    pub fn kernel<K: Kernel>(&self) -> Result<Arc<LoadedKernel>, CudaError> {
        self.find(TypeId::of::<K>(), K::NAME, Module::kernel::<K>)
    }

    /// The number of blocks that the device runs at the same time: the most for a kernel of a [`WholeGrid`](cuda_std::WholeGrid).
    ///
    /// ```no_run
    /// use cuda_host::{CudaError, CudaExecutor};
    /// use cuda_std::launch::Kernel;
    ///
    /// /// Blocks for `n` elements; a thread may take several.
    /// fn grid<K: Kernel>(gpu: &CudaExecutor, n: u32) -> Result<u32, CudaError> {
    ///     Ok(n.div_ceil(K::THREADS).min(gpu.most_blocks_that_meet::<K>()?))
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of [`kernel`](Self::kernel) and of the driver.
    pub fn most_blocks_that_meet<K: Kernel>(&self) -> Result<u32, CudaError> {
        most_blocks(&*self.kernel::<K>()?, K::THREADS)
    }

    /// The kernel that `load` finds in its module. `load` is called once.
    pub(crate) fn find(
        &self,
        key: TypeId,
        kernel: &'static str,
        load: fn(&Module) -> Result<LoadedKernel, CudaError>,
    ) -> Result<Arc<LoadedKernel>, CudaError> {
        let known = self.modules.kernels.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(found) = known {
            return Ok(found);
        }
        let modules = &self.modules.list;
        let Some(module) = modules.iter().find(|module| module.entries().iter().any(|entry| entry == kernel)) else {
            return Err(CudaError::UnknownKernel {
                kernel,
                modules: modules.iter().map(|module| module.name().to_owned()).collect(),
                entries: modules.iter().flat_map(|module| module.entries().iter().cloned()).collect(),
            });
        };
        let found = Arc::new(load(module)?);
        self.modules.kernels.write().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        Ok(found)
    }
}

impl Executor for CudaExecutor {
    type Space = Device;
    type Error = CudaError;

    /// Queues the launch without waiting, unless it has a [limit](Self::within). A launch with no blocks does nothing.
    ///
    /// # Errors
    /// [`CudaError::Launch`] if the arguments are unsuitable, those of [`kernel`](Self::kernel), [`CudaError::Poisoned`] if
    /// it would read results of a kernel that panicked, and those of the driver.
    fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Device>) -> Result<(), CudaError> {
        let kernel = self.kernel::<K>();
        let checks = kernel.as_ref().is_ok_and(|kernel| kernel.checks_writes());
        let mut prepared = Prepared::new(checks.then_some(&self.stream));
        let blocks = check_and_visit::<K, Device, _>(grid, &args, &mut prepared)?;
        if self.limit.is_some() {
            self.stream.check_runs("a launch with a time limit")?;
        }
        let kernel = kernel?;
        let Prepared { mut raw, mut uses, shared: (shared_bytes, shared), mut marks, failed, .. } = prepared;
        dynamic::reserve(&kernel, K::NAME, shared_bytes, shared)?;
        failed?;
        // Only launches whose blocks meet share memory.
        let meets = K::MEETS && blocks > 0;
        let mut meeting = meets.then(|| self.meeting.lock().unwrap_or_else(PoisonError::into_inner));
        let state = match &mut meeting {
            Some(meeting) => {
                let most = most_blocks(&kernel, K::THREADS)?;
                if blocks > most {
                    return Err(CudaError::TooManyBlocksToMeet { kernel: K::NAME, blocks, most });
                }
                Some(meeting.begin(&self.stream, blocks)?)
            }
            None => None,
        };
        if let Some(state) = &state {
            uses.write(state);
        }
        for marks in &mut marks {
            uses.write(&marks.view_mut());
        }
        let state = state.as_ref().map(DeviceViewMut::address);
        let launch = Launch { kernel: &kernel, name: K::NAME, threads: K::THREADS, grid, blocks, shared_bytes, state };
        self.queue(&launch, &mut raw, &mut uses)
    }

    fn most_blocks_that_meet<K: Kernel>(&self) -> Result<u32, CudaError> {
        Self::most_blocks_that_meet::<K>(self)
    }
}

/// A launch whose types were checked.
struct Launch<'a> {
    kernel: &'a LoadedKernel,
    name: &'static str,
    threads: u32,
    grid: Grid,
    blocks: u32,
    shared_bytes: u32,
    /// The memory that blocks share to meet.
    state: Option<u64>,
}

impl CudaExecutor {
    /// Queues a launch. It is compiled here, once for all kernels.
    fn queue(&self, launch: &Launch<'_>, raw: &mut RawArgs, uses: &mut Uses<'_>) -> Result<(), CudaError> {
        let &Launch { kernel, name, threads, grid, blocks, shared_bytes, state } = launch;
        raw.push("panic record", &self.stream.slot().device_address());
        raw.push("kernel id", &kernel.id);
        if let Some(state) = state {
            raw.push("state of the grid", &state);
        }
        raw.check_room(name)?;
        if let Some(parameters) = &kernel.parameters {
            raw.check_parameters(name, parameters)?;
        }

        let turn = self.stream.enter(OPERATION)?;
        // Before the launch: a panic reported in the meantime may be this launch's.
        let watch = Watch::new(self.stream.slot());
        uses.each().try_for_each(|used| self.begin(used))?;
        if blocks == 0 {
            return Ok(());
        }
        self.context().bind()?;
        let driver = self.context().driver();
        let queued = raw.with_pointers(|parameters| {
            // SAFETY: the entry has these parameters, according to its description and the driver. Its pointers lead to
            // memory that the checks above found long enough, and that stays alive until the kernel ends.
            let mut launch = || unsafe {
                if state.is_some() {
                    // All blocks run at the same time: more have been refused.
                    return driver.launch_cooperative_kernel(
                        kernel.function,
                        grid.x,
                        1,
                        1,
                        threads,
                        1,
                        1,
                        shared_bytes,
                        self.stream.raw(),
                        parameters,
                    );
                }
                driver.launch_kernel(
                    kernel.function,
                    grid.x,
                    grid.y,
                    grid.z,
                    threads,
                    1,
                    1,
                    shared_bytes,
                    self.stream.raw(),
                    parameters,
                    ptr::null_mut(),
                )
            };
            match (self.stream.recording(), kernel.module().delays()) {
                (Some(recording), _) => recording.note_launch(kernel.module().kept(), name),
                (None, None) => {}
                (None, Some(delays)) => {
                    // A kernel that may not end is not waited for.
                    if self.limit.is_none() {
                        delays.repeat(name, &self.stream, &uses.outputs(), &mut launch)?;
                    }
                    delays.before(&[name], &self.stream)?;
                }
            }
            Ok::<_, CudaError>(launch())
        })?;
        self.stream.note_launch(kernel.id);
        for used in uses.each() {
            if let Some(begun) = used.begun {
                used.memory.end(&self.stream, used.how.access(), begun);
                if !matches!(used.how, Use::Read) {
                    used.memory.written_by_launch(&self.stream, used.bytes.clone(), watch.clone());
                }
            }
        }
        self.stream.check(queued, || format!("launching {grid} blocks of {threads} threads of kernel `{name}`"))?;
        drop(turn);
        self.limit.map_or(Ok(()), |limit| self.stream.synchronize_within(limit))
    }

    /// Orders the launch after the work that it conflicts with in a buffer.
    fn begin(&self, used: &mut Used<'_>) -> Result<(), CudaError> {
        let &mut Used { memory, ref bytes, how, ref mut begun } = used;
        memory.check_stream(&self.stream, OPERATION)?;
        if let (Use::Update, Some(recording)) = (how, self.stream.recording()) {
            recording.note(memory.recorded(), Access::Read, bytes.clone());
        }
        *begun = Some(memory.begin(&self.stream, how.access(), bytes.clone(), OPERATION)?);
        if !matches!(how, Use::Write) {
            memory.check_readable(bytes, OPERATION)?;
        }
        Ok(())
    }
}

impl fmt::Debug for CudaExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaExecutor").field("stream", &self.stream).field("modules", &self.modules.list).finish()
    }
}
