//! Launches kernels.

use crate::allocation::Memory;
use crate::args::{Addresses, RawArgs};
use crate::dynamic;
use crate::image::Image;
use crate::marks::marks;
use crate::meeting::{Meeting, most_blocks};
use crate::module::LoadedKernel;
use crate::slot::Watch;
use crate::usage::{Access, Begun};
use crate::{Context, CudaError, Device, DeviceOffsets, DeviceView, DeviceViewMut, Module, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::Grid;
use cuda_std::launch::{ArgVisitor, DynamicLength, Executor, Kernel, Matrix, Segments, Space, check_arguments};
use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
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

/// Most buffers of a launch; offsets count as one, too.
const MAX_BUFFERS: usize = 64;
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
    fn launch<K: Kernel>(&self, grid: Grid, mut args: K::Args<'_, Device>) -> Result<(), CudaError> {
        let blocks = check_arguments::<K, Device>(grid, &mut args)?;
        if self.limit.is_some() {
            self.stream.check_runs("a launch with a time limit")?;
        }
        let kernel = self.kernel::<K>()?;
        let (shared_bytes, shared) = dynamic::bytes::<K, Device>(&mut args);
        dynamic::reserve(&kernel, K::NAME, shared_bytes, shared)?;
        let mut marks = marks::<K, Device>(&kernel, &self.stream, &mut args)?;
        let mut raw = RawArgs::new(marks.iter().map(|marks| marks.view().address()).collect());
        K::visit::<Device, _>(&mut args, &mut raw);
        let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        let state = if K::MEETS && blocks > 0 {
            let most = most_blocks(&kernel, K::THREADS)?;
            if blocks > most {
                return Err(CudaError::TooManyBlocksToMeet { kernel: K::NAME, blocks, most });
            }
            Some(meeting.begin(&self.stream, blocks)?)
        } else {
            None
        };
        let address = state.as_ref().map(DeviceViewMut::address);
        let launch =
            Launch { kernel: &kernel, name: K::NAME, threads: K::THREADS, grid, blocks, shared_bytes, state: address };
        self.queue(&launch, &mut raw, &mut |uses| {
            K::visit::<Device, _>(&mut args, uses);
            if let Some(state) = &state {
                uses.write(state);
            }
            for marks in &mut marks {
                uses.write(&marks.view_mut());
            }
        })
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
    /// Queues a launch. `show_uses` shows its buffers, in the same order each time. It is compiled here, once for all kernels.
    fn queue(
        &self,
        launch: &Launch<'_>,
        raw: &mut RawArgs,
        show_uses: &mut dyn FnMut(&mut Uses<'_>),
    ) -> Result<(), CudaError> {
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
        let (mut begun, mut count, mut result) = ([None; MAX_BUFFERS], 0, Ok(()));
        show_uses(&mut Uses(&mut |memory, bytes, used| {
            if result.is_err() {
                return;
            }
            match self.begin(memory, bytes, used) {
                // There are fewer buffers than raw parameters, whose number was checked.
                Ok(this) => begun[count] = Some(this),
                Err(error) => result = Err(error),
            }
            count += 1;
        }));
        result?;
        if blocks == 0 {
            return Ok(());
        }
        self.context().bind()?;
        match self.stream.recording() {
            Some(recording) => recording.note_launch(kernel.module().kept(), name),
            None => kernel.module().before_launch(name, &self.stream)?,
        }
        let driver = self.context().driver();
        let queued = raw.with_pointers(|parameters| {
            // SAFETY: the entry has these parameters, according to its description and the driver. Its pointers lead to
            // memory that the checks above found long enough, and that stays alive until the kernel ends.
            unsafe {
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
            }
        });
        self.stream.note_launch(kernel.id);
        let mut begun = begun.into_iter();
        show_uses(&mut Uses(&mut |memory, bytes, used| {
            if let Some(begun) = begun.next().flatten() {
                memory.end(&self.stream, used.access(), begun);
                if !matches!(used, Use::Read) {
                    memory.written_by_launch(&self.stream, bytes, watch.clone());
                }
            }
        }));
        self.stream.check(queued, || format!("launching {grid} blocks of {threads} threads of kernel `{name}`"))?;
        drop(turn);
        self.limit.map_or(Ok(()), |limit| self.stream.synchronize_within(limit))
    }

    /// Orders the launch after the work that it conflicts with in a buffer.
    fn begin(&self, memory: &Memory, bytes: Range<usize>, used: Use) -> Result<Begun, CudaError> {
        memory.check_stream(&self.stream, OPERATION)?;
        if let (Use::Update, Some(recording)) = (used, self.stream.recording()) {
            recording.note(memory.recorded(), Access::Read, bytes.clone());
        }
        let begun = memory.begin(&self.stream, used.access(), bytes.clone(), OPERATION)?;
        if !matches!(used, Use::Write) {
            memory.check_readable(&bytes, OPERATION)?;
        }
        Ok(begun)
    }
}

impl fmt::Debug for CudaExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaExecutor").field("stream", &self.stream).field("modules", &self.modules.list).finish()
    }
}

/// How a launch uses a buffer.
#[derive(Clone, Copy)]
enum Use {
    Read,
    Write,
    /// A buffer that keeps what the launch does not write must be readable, too.
    Update,
}

impl Use {
    fn access(self) -> Access {
        match self {
            Self::Read => Access::Read,
            Self::Write | Self::Update => Access::Write,
        }
    }
}

/// Receives a launch's buffers one by one, without the types of their elements.
struct Uses<'f>(&'f mut dyn FnMut(&Memory, Range<usize>, Use));

impl Uses<'_> {
    fn read<T: DeviceLayout>(&mut self, view: &DeviceView<'_, T>) {
        (self.0)(view.memory(), view.bytes(), Use::Read);
    }

    fn write<T: DeviceLayout>(&mut self, view: &DeviceViewMut<'_, T>) {
        (self.0)(view.memory(), view.bytes(), Use::Write);
    }
}

impl ArgVisitor<Device> for Uses<'_> {
    fn slice<T: DeviceLayout>(&mut self, _: &'static str, buffer: &mut DeviceView<'_, T>) {
        self.read(buffer);
    }

    fn segments<T: DeviceLayout>(&mut self, _: &'static str, segments: &mut Segments<'_, Device, T>) {
        self.write(&segments.data);
        self.read(&segments.offsets.view());
    }

    fn chunks<T: DeviceLayout>(&mut self, _: &'static str, buffer: &mut DeviceViewMut<'_, T>, _: usize) {
        self.write(buffer);
    }

    fn matrix<T: DeviceLayout>(&mut self, _: &'static str, matrix: &mut Matrix<'_, Device, T>, _: [usize; 2]) {
        self.write(&matrix.data);
    }

    fn atomics<T: DeviceLayout>(&mut self, _: &'static str, buffer: &mut DeviceViewMut<'_, T>) {
        (self.0)(buffer.memory(), buffer.bytes(), Use::Update);
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, _: &'static str, _: DynamicLength) {}

    fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
}
