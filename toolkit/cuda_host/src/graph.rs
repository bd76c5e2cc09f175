//! Graphs: work that is recorded once and launched many times.

mod recorder;

pub use recorder::{Recorder, Staged};

use crate::driver::{CUgraph, CUgraphExec, CUstreamCaptureMode, Code};
use crate::slot::Watch;
use crate::stream::{Kept, Kernels, Recording, Use};
use crate::usage::{Begun, Queue};
use crate::{Context, CudaError, CudaExecutor, Event, Stream};
use cuda_layout::DeviceLayout;
use recorder::Staging;
use std::fmt;
use std::ptr;

/// Work that is launched as one: kernels, copies and zeroing on one stream, with fixed arguments.
///
/// It keeps alive everything that it uses: kernels and their modules, the memory of buffers, and page-locked memory, which it
/// owns. The buffers may be dropped, and other work may use them between launches. Launches are in order with all other work
/// on those buffers, on any stream. The work is checked when it is recorded, and not again.
///
/// ```
/// use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, Graph, PinnedBuffer};
///
/// # if cuda_host::Device::count().is_err() { return Ok(()); }
/// # let executor = CudaExecutor::new(&cuda_host::Context::new(0)?.stream()?, [])?;
/// let (context, stream) = (executor.context(), executor.stream());
/// let (up, down) = (PinnedBuffer::<f32>::zeroed(context, 1000)?, PinnedBuffer::<f32>::zeroed(context, 1000)?);
/// let mut memory = DeviceBuffer::<f32>::zeroed(stream, 1000)?;
/// let (mut graph, (up, down)) = Graph::record::<_, CudaError>(&executor, |recorder| {
///     let (up, down) = (recorder.own(up), recorder.own(down));
///     recorder.upload(&up, memory.view_mut())?;
///     // Launch kernels here, with `recorder.executor()`.
///     recorder.download(memory.view(), &down)?;
///     Ok((up, down))
/// })?;
/// for batch in 0..10 {
///     graph.pinned_mut(&up)?.fill(batch as f32);
///     graph.launch(stream)?;
///     assert_eq!(graph.pinned(&down)?[0], batch as f32);
/// }
/// # Ok::<(), CudaError>(())
/// ```
pub struct Graph {
    id: u64,
    /// On the stream on which it was recorded, which has the panic record of its kernels. Keeps the modules.
    executor: CudaExecutor,
    raw: CUgraph,
    executable: CUgraphExec,
    nodes: usize,
    uses: Vec<Use<Stream>>,
    begun: Vec<Begun>,
    staging: Vec<Staging>,
    /// Recorded after the newest launch.
    launched: Event,
    /// The newest launch's stream, if the event could not be recorded after it, and the stream could not be waited for.
    unmarked: Option<Stream>,
    /// Its kernels. Their modules outlive the graph, because fields are dropped after `drop`.
    kernels: Vec<Kernels<Stream>>,
}

// SAFETY: graphs may be launched and destroyed by any thread, one at a time.
unsafe impl Send for Graph {}
// SAFETY: shared access does not call the driver, except to wait for an event.
unsafe impl Sync for Graph {}

const OPERATION: &str = "launching a graph";

impl Graph {
    /// Records the work that `work` queues with its [`Recorder`]. Nothing runs before the graph is launched.
    ///
    /// # Errors
    /// Those of `work`, and of the driver.
    pub fn record<O, E: From<CudaError>>(
        executor: &CudaExecutor,
        work: impl FnOnce(&Recorder) -> Result<O, E>,
    ) -> Result<(Self, O), E> {
        let context = executor.context();
        let stream = Stream::to_record(context)?;
        let launched = Event::without_time(context)?;
        let recorder = Recorder::new(executor.on(&stream)?);
        let capture = Capture::begin(&stream)?;
        let output = work(&recorder)?;
        let (raw, (uses, kernels)) = capture.end()?;
        let (id, executor, staging) = recorder.into_parts();
        let begun = Vec::with_capacity(uses.len());
        // Owns the raw graph from here on, also if an error occurs.
        let mut graph = Self {
            id,
            executor,
            raw,
            executable: ptr::null_mut(),
            nodes: 0,
            uses,
            begun,
            staging,
            launched,
            unmarked: None,
            kernels,
        };
        graph.instantiate()?;
        Ok((graph, output))
    }

    fn instantiate(&mut self) -> Result<(), CudaError> {
        let context = self.executor.context();
        context.bind()?;
        let driver = context.driver();
        // SAFETY: the graph lives; with a null list the driver writes only the number.
        unsafe { driver.graph_get_nodes(self.raw, ptr::null_mut(), &raw mut self.nodes) }
            .check(driver, || "counting the nodes of a graph".to_owned())?;
        // SAFETY: the graph lives; writes a handle.
        let code = unsafe { driver.graph_instantiate(&raw mut self.executable, self.raw, 0) };
        context.memory_result(code, 0, || format!("making a graph of {} nodes ready", self.nodes))
    }

    /// Queues all of its work on a stream without waiting. Each launch runs after the previous one.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], [`CudaError::Poisoned`] if it would read results of a panicked kernel, and those of the
    /// driver.
    pub fn launch(&mut self, stream: &Stream) -> Result<(), CudaError> {
        stream.check_runs(OPERATION)?;
        stream.check_device(self.context(), OPERATION)?;
        if let Some(before) = &self.unmarked {
            before.wait_idle()?;
            self.unmarked = None;
        }
        let recorded = self.executor.stream();
        let context = self.executor.context();
        let _alone = context.queue_alone();
        // Before the launch, because a panic reported in the meantime may be this launch's.
        let (own, of_stream) = (Watch::new(recorded.slot()), Watch::new(stream.slot()));
        self.begun.clear();
        for used in &self.uses {
            self.begun.push(used.memory.begin(stream, used.access(), OPERATION)?);
            for bytes in &used.reads {
                used.memory.check_readable(bytes, OPERATION)?;
            }
        }
        for staging in &self.staging {
            staging.before_launch(stream, OPERATION)?;
        }
        stream.context().bind()?;
        for kernels in &self.kernels {
            kernels.module.before_launch(&kernels.names, stream)?;
        }
        // SAFETY: both handles live; the graph keeps the memory and the functions that it uses.
        let code = unsafe { stream.driver().graph_launch(self.executable, stream.raw()) };
        stream.adopt_graph(recorded, own.clone());
        stream.note_launches_of(recorded);
        for (used, begun) in self.uses.iter().zip(&self.begun) {
            used.memory.end(stream, used.access(), *begun);
            for bytes in &used.writes {
                used.memory.written(bytes.clone(), [own.clone(), of_stream.clone()]);
            }
        }
        let mut noted = Ok(());
        for staging in &self.staging {
            noted = noted.and(staging.after_launch(stream, &of_stream));
        }
        // Without the event, later work could not wait for the launch.
        let recorded = self.launched.record(stream).or_else(|error| {
            let waited = stream.wait_idle();
            self.unmarked = waited.is_err().then(|| stream.clone());
            waited.and(Err(error))
        });
        stream.check(code, || format!("launching a graph of {} nodes", self.nodes))?;
        noted.and(recorded)
    }

    /// Waits for the newest launch. Does not report panics.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn wait(&self) -> Result<(), CudaError> {
        if let Some(stream) = &self.unmarked {
            stream.wait_idle()?;
        }
        self.launched.synchronize()
    }

    /// Page-locked elements of the graph, after pending launches and copies.
    ///
    /// # Errors
    /// As [`PinnedBuffer::as_slice`](crate::PinnedBuffer::as_slice), and [`CudaError::OtherGraph`].
    pub fn pinned<T: DeviceLayout>(&self, staged: &Staged<T>) -> Result<&[T], CudaError> {
        let staging = staged.of(self.id, &self.staging, "reading a graph's page-locked memory")?;
        let bytes = staging.buffer.as_slice()?;
        // SAFETY: the bytes are this many elements of this type, which is plain data, and begin at a page.
        Ok(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), staged.len()) })
    }

    /// As [`pinned`](Self::pinned), to write what the next launch copies to the device.
    ///
    /// # Errors
    /// As [`PinnedBuffer::as_mut_slice`](crate::PinnedBuffer::as_mut_slice), and [`CudaError::OtherGraph`].
    pub fn pinned_mut<T: DeviceLayout>(&mut self, staged: &Staged<T>) -> Result<&mut [T], CudaError> {
        const WRITING: &str = "writing a graph's page-locked memory";
        let staging = staged.of_mut(self.id, &mut self.staging, WRITING)?;
        let bytes = staging.buffer.as_mut_slice()?;
        // SAFETY: as above; borrowed from the graph by this call alone.
        Ok(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), staged.len()) })
    }

    /// Number of kernels, copies and zeroings in it.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.executor.context()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("nodes", &self.nodes)
            .field("buffers", &self.uses.len())
            .field("staging", &self.staging.len())
            .finish_non_exhaustive()
    }
}

impl Drop for Graph {
    /// Waits for pending launches, whose kernels have their panic record here. If waiting fails, everything that they use is
    /// leaked; buffers and modules do the same.
    fn drop(&mut self) {
        let driver = self.context().driver();
        if let Err(error) = self.wait() {
            std::mem::forget(self.executor.clone());
            tracing::warn!("a graph is not destroyed: {error}");
            return;
        }
        if self.context().bind().is_ok() {
            // SAFETY: made once, used here last, and no launch is under way.
            unsafe {
                if !self.executable.is_null() {
                    driver.graph_exec_destroy(self.executable).warn(driver, "destroying a graph");
                }
                driver.graph_destroy(self.raw).warn(driver, "destroying a recorded graph");
            }
        }
    }
}

/// While this exists, a stream's work goes to a graph.
struct Capture<'s> {
    stream: &'s Stream,
    ended: bool,
}

impl<'s> Capture<'s> {
    fn begin(stream: &'s Stream) -> Result<Self, CudaError> {
        stream.context().bind()?;
        // Relaxed: this thread may load modules and allocate in the meantime, and other threads may do anything. No other
        // stream takes part.
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the handle lives.
        let code = unsafe { stream.driver().stream_begin_capture(stream.raw(), mode) };
        stream.check(code, || "beginning to record a graph".to_owned())?;
        Ok(Self { stream, ended: false })
    }

    fn end(mut self) -> Result<(CUgraph, Kept<Stream>), CudaError> {
        self.ended = true;
        let (code, graph, kept) = self.stop();
        self.stream.check(code, || "ending the record of a graph".to_owned())?;
        Ok((graph, kept))
    }

    fn stop(&self) -> (Code, CUgraph, Kept<Stream>) {
        let kept = self.stream.recording().map(Recording::close).unwrap_or_default();
        let mut graph = ptr::null_mut();
        // SAFETY: the handle lives; writes a handle, null where the capture has failed.
        let code = unsafe { self.stream.driver().stream_end_capture(self.stream.raw(), &raw mut graph) };
        (code, graph, kept)
    }
}

impl Drop for Capture<'_> {
    /// Ends a recording that failed.
    fn drop(&mut self) {
        if self.ended || self.stream.context().bind().is_err() {
            return;
        }
        let (code, graph, _) = self.stop();
        let driver = self.stream.driver();
        code.warn(driver, "ending the record of a graph");
        if !graph.is_null() {
            // SAFETY: just made; there is no other reference.
            unsafe { driver.graph_destroy(graph) }.warn(driver, "destroying a recorded graph");
        }
    }
}
