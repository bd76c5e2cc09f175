//! Launching kernels.

use crate::args::{Addresses, RawArgs};
use crate::dynamic;
use crate::image::Image;
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

/// Buffers that a launch can have: offsets are one, too.
const MAX_BUFFERS: usize = 64;
const OPERATION: &str = "launching a kernel";

/// Runs kernels on a CUDA device, on one stream.
///
/// A launch returns when it is queued. [`synchronize`](Self::synchronize) waits, and reports a kernel's panic.
/// Cheap to clone; clones share stream and modules.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, CudaExecutor, Module};
///
/// let context = Context::new(0)?;
/// let module = Module::load(&context, "kernels", &std::fs::read_to_string("kernels.ptx").unwrap())?;
/// let executor = CudaExecutor::new(&context.stream()?, [module])?;
/// // Another stream, with the same modules and no kernel compiled again.
/// let other = executor.on(&context.stream()?)?;
/// assert_eq!(other.module("kernels")?.entries(), executor.modules()[0].entries());
/// executor.synchronize()?;
/// # Ok::<(), CudaError>(())
/// ```
///
/// It needs a GPU: `tests/tests/cuda_host_gpu/modules.rs` runs such code where there is one.
///
/// A launch is in the example at the top of this documentation.
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

    /// Opens a device, makes a stream and loads one module, PTX or an [`Image`]: what a program with one stream needs.
    ///
    /// # Errors
    /// Those of [`Context::new`], [`Stream::new`] and [`Module::load`].
    pub fn open<'a>(ordinal: usize, name: &str, image: impl Into<Image<'a>>) -> Result<Self, CudaError> {
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

    /// The same executor for launches that take at most `limit`, for kernels that may not end. Each launch waits for its end,
    /// and for what was queued before, as [`Stream::synchronize_within`] does.
    ///
    /// ```no_run
    /// use cuda_host::{CudaError, CudaExecutor};
    /// use std::time::Duration;
    ///
    /// let executor = CudaExecutor::open(0, "kernels", &std::fs::read_to_string("kernels.ptx").unwrap())?;
    /// let limited = executor.within(Duration::from_secs(10));
    /// # Ok::<(), CudaError>(())
    /// ```
    ///
    /// It needs a GPU: `tests/tests/book/machine.rs` has such a launch.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        Self { limit: Some(limit), ..self.clone() }
    }

    /// The stream that it launches on.
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
    /// [`CudaError::UnknownModule`] lists the names that there are.
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

    /// Finds and checks a kernel. The first launch does it otherwise.
    ///
    /// # Errors
    /// Those of [`Module::kernel`]; [`CudaError::UnknownKernel`] lists the kernels of all modules.
    pub fn kernel<K: Kernel>(&self) -> Result<Arc<LoadedKernel>, CudaError> {
        self.find(TypeId::of::<K>(), K::NAME, Module::kernel::<K>)
    }

    /// How many blocks of a kernel of a [`WholeGrid`](cuda_std::WholeGrid) the device runs at the same time: the most that a launch takes.
    ///
    /// ```no_run
    /// use cuda_host::{CudaError, CudaExecutor};
    /// use cuda_std::launch::Kernel;
    ///
    /// /// Blocks for `n` elements, of which a thread may take several.
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

    /// The kernel that `load` finds in its module, which is asked once.
    pub(crate) fn find(
        &self,
        key: TypeId,
        kernel: &'static str,
        load: impl FnOnce(&Module) -> Result<LoadedKernel, CudaError>,
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

    /// Queues the launch, and does not wait, unless it has a [limit](Self::within). No block is a launch too, which does nothing.
    ///
    /// # Errors
    /// [`CudaError::Launch`] when the arguments do not fit the launch, those of [`kernel`](Self::kernel),
    /// [`CudaError::Poisoned`] when it would read what a panicked kernel wrote, and those of the driver.
    fn launch<K: Kernel>(&self, grid: Grid, mut args: K::Args<'_, Device>) -> Result<(), CudaError> {
        let blocks = check_arguments::<K, Device>(grid, &mut args)?;
        if self.limit.is_some() {
            self.stream.check_runs("a launch with a time limit")?;
        }
        let kernel = self.kernel::<K>()?;
        let (shared_bytes, shared) = dynamic::bytes::<K, Device>(&mut args);
        dynamic::reserve(&kernel, K::NAME, shared_bytes, shared)?;
        let mut raw = RawArgs::new();
        K::visit::<Device, _>(&mut args, &mut raw);
        raw.push("panic record", &self.stream.slot().device_address());
        raw.push("kernel id", &kernel.id);
        let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = None;
        if K::MEETS && blocks > 0 {
            self.stream.check_runs("a launch whose blocks meet")?;
            let most = most_blocks(&kernel, K::THREADS)?;
            if blocks > most {
                return Err(CudaError::TooManyBlocksToMeet { kernel: K::NAME, blocks, most });
            }
            let view = meeting.begin(&self.stream, blocks)?;
            raw.push("state of the grid", &view.address());
            state = Some(view);
        }
        raw.check_room(K::NAME)?;
        if let Some(parameters) = &kernel.parameters {
            raw.check_parameters(K::NAME, parameters)?;
        }

        let turn = self.stream.enter(OPERATION)?;
        // Before the launch: a panic that is reported meanwhile may be this one's.
        let watch = Watch::new(self.stream.slot());
        let mut begin = Begin { stream: &self.stream, begun: [None; MAX_BUFFERS], count: 0, result: Ok(()) };
        K::visit::<Device, _>(&mut args, &mut begin);
        if let Some(state) = &state {
            begin.write(state);
        }
        begin.result?;
        if blocks == 0 {
            return Ok(());
        }
        self.context().bind()?;
        if let Some(recording) = self.stream.recording() {
            recording.keep(kernel.module());
        }
        let driver = self.context().driver();
        let queued = raw.with_pointers(|parameters| {
            // SAFETY: the entry has these parameters, as its description and the driver say, and its pointers
            // lead to memory that the checks above found long enough, and that uses keep until the kernel ends.
            unsafe {
                if K::MEETS {
                    // All blocks run at the same time: more have been refused.
                    return driver.launch_cooperative_kernel(
                        kernel.function,
                        grid.x,
                        1,
                        1,
                        K::THREADS,
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
                    K::THREADS,
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
        let mut end = End { stream: &self.stream, watch, begun: begin.begun, count: 0 };
        K::visit::<Device, _>(&mut args, &mut end);
        if let Some(state) = &state {
            end.write(state);
        }
        self.stream
            .check(queued, || format!("launching {grid} blocks of {} threads of kernel `{}`", K::THREADS, K::NAME))?;
        drop(turn);
        self.limit.map_or(Ok(()), |limit| self.stream.synchronize_within(limit))
    }
}

impl fmt::Debug for CudaExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaExecutor").field("stream", &self.stream).field("modules", &self.modules.list).finish()
    }
}

/// Orders the launch after the work that it conflicts with.
struct Begin<'s> {
    stream: &'s Stream,
    begun: [Option<Begun>; MAX_BUFFERS],
    count: usize,
    result: Result<(), CudaError>,
}

impl Begin<'_> {
    fn add(&mut self, begin: impl FnOnce(&Stream) -> Result<Begun, CudaError>) {
        if self.result.is_err() {
            return;
        }
        match begin(self.stream) {
            // Fewer buffers than raw parameters, whose number was checked.
            Ok(begun) => self.begun[self.count] = Some(begun),
            Err(error) => self.result = Err(error),
        }
        self.count += 1;
    }

    fn read<T: DeviceLayout>(&mut self, view: &DeviceView<'_, T>) {
        self.add(|stream| {
            let begun = view.memory().begin(stream, Access::Read, view.bytes(), OPERATION)?;
            view.check_readable(OPERATION)?;
            Ok(begun)
        });
    }

    fn write<T: DeviceLayout>(&mut self, view: &DeviceViewMut<'_, T>) {
        self.add(|stream| view.memory().begin(stream, Access::Write, view.bytes(), OPERATION));
    }

    /// A buffer that keeps what the launch does not write: it must be fit to read, too.
    fn update<T: DeviceLayout>(&mut self, view: &DeviceViewMut<'_, T>) {
        self.add(|stream| {
            if let Some(recording) = stream.recording() {
                recording.note(view.memory(), Access::Read, view.bytes());
            }
            let begun = view.memory().begin(stream, Access::Write, view.bytes(), OPERATION)?;
            view.as_view().check_readable(OPERATION)?;
            Ok(begun)
        });
    }
}

impl ArgVisitor<Device> for Begin<'_> {
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
        self.update(buffer);
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, _: &'static str, _: DynamicLength) {}

    fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
}

/// Notes the launch with its buffers.
struct End<'s> {
    stream: &'s Stream,
    watch: Watch,
    begun: [Option<Begun>; MAX_BUFFERS],
    count: usize,
}

impl End<'_> {
    fn next(&mut self) -> Option<Begun> {
        self.count += 1;
        self.begun[self.count - 1]
    }

    fn write<T: DeviceLayout>(&mut self, view: &DeviceViewMut<'_, T>) {
        if let Some(begun) = self.next() {
            view.memory().end(self.stream, Access::Write, begun);
            view.memory().written_by_launch(self.stream, view.bytes(), self.watch.clone());
        }
    }
}

impl ArgVisitor<Device> for End<'_> {
    fn slice<T: DeviceLayout>(&mut self, _: &'static str, buffer: &mut DeviceView<'_, T>) {
        if let Some(begun) = self.next() {
            buffer.memory().end(self.stream, Access::Read, begun);
        }
    }

    fn segments<T: DeviceLayout>(&mut self, _: &'static str, segments: &mut Segments<'_, Device, T>) {
        self.write(&segments.data);
        if let Some(begun) = self.next() {
            segments.offsets.view().memory().end(self.stream, Access::Read, begun);
        }
    }

    fn chunks<T: DeviceLayout>(&mut self, _: &'static str, buffer: &mut DeviceViewMut<'_, T>, _: usize) {
        self.write(buffer);
    }

    fn matrix<T: DeviceLayout>(&mut self, _: &'static str, matrix: &mut Matrix<'_, Device, T>, _: [usize; 2]) {
        self.write(&matrix.data);
    }

    fn atomics<T: DeviceLayout>(&mut self, _: &'static str, buffer: &mut DeviceViewMut<'_, T>) {
        self.write(buffer);
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, _: &'static str, _: DynamicLength) {}

    fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
}
