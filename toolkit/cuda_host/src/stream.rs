//! Streams: queues of work on a device.

mod event;
mod recording;

pub use event::Event;
pub(crate) use recording::{Kept, Kernels, Launched, Recorded, Recording, Turn, Use};

use crate::context::Context;
use crate::driver::{CUevent, CUstream, Code, Driver};
use crate::error::CudaError;
use crate::slot::{Slot, Watch, kernel_name, lock};
use crate::usage::Queue;
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLockReadGuard};
use std::time::{Duration, Instant};

const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;

/// A queue of work on a device. The work of one stream runs in order; the work of several streams may run at the same time.
///
/// Buffers keep the order between streams: work that reads what another stream writes waits for it on the device, without
/// further calls. Cheap to clone; a clone is the same stream.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer};
///
/// let context = Context::new(0)?;
/// let (first, second) = (context.stream()?, context.stream()?);
/// let x = DeviceBuffer::from_slice(&first, &[1.0f32, 2.0])?;
/// // Buffers keep the order between streams: no event is needed.
/// assert_eq!(x.download(&second)?, [1.0, 2.0]);
/// first.synchronize()?; // reports a kernel's panic
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/order.rs` runs such code if there is one.
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

struct Inner {
    context: Context,
    raw: CUstream,
    /// Recorded again for each wait of another stream, while locked.
    join: Mutex<CUevent>,
    slot: Arc<Slot>,
    watched: Mutex<Watched>,
    queued: AtomicU64,
    done: AtomicU64,
    /// The number of the last launched kernel; `u32::MAX` if there was none.
    last_kernel: AtomicU32,
    /// Launches since the last successful wait.
    launches: AtomicU64,
    /// Present if the stream records a graph.
    recording: Option<Recording<Stream>>,
}

/// The slots whose panics concern the work on this stream.
struct Watched {
    own: Watch,
    followed: Vec<Followed>,
    /// Other streams' slots whose panics were reported here, and until when. So no panic is reported twice, even if this
    /// stream follows another stream that follows those.
    reported: Vec<Watch>,
}

struct Followed {
    /// The address of the other stream's slot, which identifies the stream.
    slot: usize,
    /// The other stream's work that this one waits for.
    work: u64,
    /// This stream's newest work when it began to wait.
    since: u64,
    watch: Watch,
}

// SAFETY: streams and events may be used by several threads; the handles are only names.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Stream {
    /// A new stream, which does not wait for the default stream.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(context: &Context) -> Result<Self, CudaError> {
        Self::create(context, None)
    }

    /// A stream whose work is recorded for a graph and does not run.
    pub(crate) fn to_record(context: &Context) -> Result<Self, CudaError> {
        Self::create(context, Some(Recording::new()))
    }

    fn create(context: &Context, recording: Option<Recording<Self>>) -> Result<Self, CudaError> {
        let slot = Arc::new(Slot::new(context)?);
        context.bind()?;
        let driver = context.driver();
        let mut join = ptr::null_mut();
        // SAFETY: writes a handle.
        unsafe { driver.event_create(&raw mut join, DISABLE_TIMING) }
            .check(driver, || format!("creating a stream's event on device {}", context.ordinal()))?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes a handle.
        let created = unsafe { driver.stream_create(&raw mut raw, NON_BLOCKING) }
            .check(driver, || format!("creating a stream on device {}", context.ordinal()));
        if let Err(error) = created {
            // SAFETY: the event was made above, and nobody else has it.
            unsafe { driver.event_destroy(join) }.warn(driver, "destroying an event");
            return Err(error);
        }
        if recording.is_none() {
            context.opened(raw);
        }
        let watched = Mutex::new(Watched { own: Watch::new(&slot), followed: Vec::new(), reported: Vec::new() });
        Ok(Self(Arc::new(Inner {
            context: context.clone(),
            raw,
            join: Mutex::new(join),
            slot,
            watched,
            queued: AtomicU64::new(0),
            done: AtomicU64::new(0),
            last_kernel: AtomicU32::new(u32::MAX),
            launches: AtomicU64::new(0),
            recording,
        })))
    }

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Waits until everything queued on the stream is done.
    ///
    /// # Errors
    /// [`CudaError::Panic`] if a kernel has panicked since the last call, on this stream or on another one whose results it
    /// uses; those of the driver if the device has failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.wait_idle()?;
        self.report()
    }

    /// As [`synchronize`](Self::synchronize), but waits no longer than `limit`: for kernels that may not end.
    ///
    /// # Errors
    /// [`CudaError::TimeLimit`] names the last launched kernel. The work on the stream continues, and may be waited for again.
    /// Whatever frees or reads memory that it uses waits for its end. Others as for `synchronize`.
    ///
    /// ```no_run
    /// use cuda_host::{Context, CudaError};
    /// use std::time::Duration;
    ///
    /// let stream = Context::new(0)?.stream()?;
    /// if let Err(error @ CudaError::TimeLimit { .. }) = stream.synchronize_within(Duration::from_secs(10)) {
    ///     eprintln!("{error}");
    ///     std::process::exit(1);
    /// }
    /// # Ok::<(), CudaError>(())
    /// ```
    pub fn synchronize_within(&self, limit: Duration) -> Result<(), CudaError> {
        /// Between two checks.
        const LONGEST_PAUSE: Duration = Duration::from_millis(1);
        self.check_runs("waiting for a stream")?;
        let start = Instant::now();
        let end = self.moment(None)?;
        let mut pause = Duration::from_micros(10);
        while !end.is_done()? {
            let elapsed = start.elapsed();
            if elapsed >= limit {
                let last = self.0.last_kernel.load(Ordering::Acquire);
                let kernel = if last == u32::MAX { "(none)".into() } else { kernel_name(last).into() };
                return Err(CudaError::TimeLimit { kernel, limit });
            }
            std::thread::sleep(pause.min(limit - elapsed));
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
        self.synchronize()
    }

    /// Makes later work on this stream wait for `event`, if it was recorded. It may be another device's.
    ///
    /// # Errors
    /// [`CudaError::Recorded`] on the stream of a graph's recorder, and those of the driver.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        let recorded = event.recorded_on();
        self.queue_wait(event)?;
        if let Some((stream, work)) = recorded
            && !stream.is(self)
        {
            self.adopt(&stream, work);
        }
        self.note_queued();
        Ok(())
    }

    /// As [`wait`](Self::wait), but only orders work whose results this stream does not use: panics of that work are not
    /// reported here.
    ///
    /// # Errors
    /// The same.
    pub fn queue_behind(&self, event: &Event) -> Result<(), CudaError> {
        self.queue_wait(event)?;
        self.note_queued();
        Ok(())
    }

    /// The caller notes that it was queued.
    fn queue_wait(&self, event: &Event) -> Result<(), CudaError> {
        const OPERATION: &str = "making a stream wait for an event";
        self.check_runs(OPERATION)?;
        self.context().bind()?;
        // SAFETY: both handles live, on any devices; a wait takes the event as it is now, so that it can be recorded again.
        let code = unsafe { self.driver().stream_wait_event(self.0.raw, event.raw(), 0) };
        self.check(code, || OPERATION.to_owned())
    }

    /// The driver's handle of the stream (`CUstream`) as a number, for other libraries that queue work on it. It is valid as long
    /// as the stream. Their work runs after the work that was queued here before. This library does not know of it, so the memory
    /// that it uses must not move ([`LentBuffer`](crate::LentBuffer)), and the host calls
    /// [`wait_for_others`](Self::wait_for_others) before it reads results.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.0.raw.addr() as u64
    }

    /// Waits for all work on the stream's device, including that of other libraries, before their memory is used. Fails while any
    /// thread records a graph, and breaks that recording.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn wait_for_others(&self) -> Result<(), CudaError> {
        self.context().wait_for_all()
    }

    pub(crate) fn driver(&self) -> &'static Driver {
        self.context().driver()
    }

    /// The records of a stream that records a graph.
    pub(crate) fn recording(&self) -> Option<&Recording<Self>> {
        self.0.recording.as_ref()
    }

    /// Called before a use of memory is recorded and queued: no graph is launched and no recording ends in between. A thread must
    /// not wait while it holds the result, and must not hold two.
    pub(crate) fn enter(&self, operation: &'static str) -> Result<Turn<'_>, CudaError> {
        match self.recording() {
            Some(recording) => recording.enter(operation),
            None => Ok(Turn::Running { _no_graph: self.context().queue() }),
        }
    }

    /// As [`enter`](Self::enter), for work that also uses memory of another device, where no graph is launched in between either.
    pub(crate) fn enter_with<'s>(&'s self, other: &'s Context) -> [RwLockReadGuard<'s, ()>; 2] {
        // Always in this order: two threads that hold one each would wait for each other as soon as graphs wait for both.
        let [first, second] =
            if self.context().ordinal() < other.ordinal() { [self.context(), other] } else { [other, self.context()] };
        [first.queue(), second.queue()]
    }

    /// An error if waiting is not possible now, as while another library records a graph in CUDA's global mode. Asked before
    /// a copy from or to borrowed memory is queued, which must not outlive the borrow.
    pub(crate) fn check_waits(
        &self,
        operation: &'static str,
        described: impl FnOnce() -> String,
    ) -> Result<(), CudaError> {
        self.check_runs(operation)?;
        self.context().bind()?;
        let join = lock(&self.0.join);
        // SAFETY: the handle lives.
        match unsafe { self.driver().event_query(*join) } {
            Code::NOT_READY => Ok(()),
            code => self.check(code, described),
        }
    }

    /// Waits for copies from or to memory that the caller borrows. If the driver refuses to wait, this asks again, because the
    /// copies may still run.
    ///
    /// # Errors
    /// The first refusal, when the work has ended. A process whose device can neither be waited for nor has failed is aborted
    /// after ten seconds: a copy would use memory that belongs to others.
    pub(crate) fn wait_for_borrowed(&self) -> Result<(), CudaError> {
        const LONGEST: Duration = Duration::from_secs(10);
        let Err(refused) = self.wait_idle() else { return Ok(()) };
        let start = Instant::now();
        let mut last = refused.clone();
        // Nothing runs any more on a device that has failed, or after the driver has shut down (4) or the context was destroyed (709).
        while !last.is_context_lost() && !matches!(last, CudaError::Driver { code: 4 | 709, .. }) {
            if start.elapsed() > LONGEST {
                eprintln!(
                    "cuda_host: a copy from or to borrowed memory cannot be waited for, so the process ends: {refused}"
                );
                std::process::abort();
            }
            match self.wait_idle() {
                Ok(()) => break,
                Err(error) => last = error,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(refused)
    }

    /// An error if the stream records a graph, so that there is nothing to wait for.
    pub(crate) fn check_runs(&self, operation: &'static str) -> Result<(), CudaError> {
        if self.recording().is_some() { Err(CudaError::Recorded { operation }) } else { Ok(()) }
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.0.raw
    }

    pub(crate) fn slot(&self) -> &Arc<Slot> {
        &self.0.slot
    }

    /// Counts queued work.
    pub(crate) fn note_queued(&self) -> u64 {
        self.0.queued.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Counts a queued launch of a kernel.
    pub(crate) fn note_launch(&self, kernel: u32) {
        self.0.last_kernel.store(kernel, Ordering::Release);
        self.0.launches.fetch_add(1, Ordering::AcqRel);
        self.note_queued();
    }

    /// Counts the launches of a graph, which were recorded on `recorded`.
    pub(crate) fn note_launches_of(&self, recorded: &Self) {
        self.0.last_kernel.store(recorded.0.last_kernel.load(Ordering::Acquire), Ordering::Release);
        self.0.launches.fetch_add(recorded.0.launches.load(Ordering::Acquire), Ordering::AcqRel);
        self.note_queued();
    }

    /// An error that names the last launched kernel if an earlier launch may have caused it.
    pub(crate) fn check(&self, code: Code, operation: impl FnOnce() -> String) -> Result<(), CudaError> {
        if code == Code::SUCCESS { Ok(()) } else { Err(self.error(code, operation())) }
    }

    #[cold]
    fn error(&self, code: Code, operation: String) -> CudaError {
        let error = code.error(self.driver(), operation);
        if !code.is_of_earlier_work() {
            return error;
        }
        let last = self.0.last_kernel.load(Ordering::Acquire);
        let kernel = (last != u32::MAX).then(|| kernel_name(last).into());
        error.of_earlier_work(kernel, self.0.launches.load(Ordering::Acquire))
    }

    /// An error unless the memory of `context` is on this stream's device.
    pub(crate) fn check_device(&self, context: &Context, operation: &'static str) -> Result<(), CudaError> {
        if self.context().is(context) {
            return Ok(());
        }
        Err(CudaError::OtherDevice { operation, found: context.ordinal(), expected: self.context().ordinal() })
    }

    /// The panics since the last report that concern finished work.
    pub(crate) fn report(&self) -> Result<(), CudaError> {
        self.settle(0);
        match lock(&self.0.watched).own.take_panic() {
            Some(panic) => Err(CudaError::Panic(Box::new(panic))),
            None => Ok(()),
        }
    }

    /// Collects the panics so far; those of streams that this one waited for count as its own. Forgets the streams that work up to
    /// number `until`, which is done, waited for.
    fn settle(&self, until: u64) {
        let mut watched = lock(&self.0.watched);
        let Watched { followed, reported, .. } = &mut *watched;
        for followed in followed {
            if let Some(panic) = followed.watch.take_panic() {
                // This stream's results since then depend on that kernel.
                self.0.slot.taint(panic);
                reported.retain(|watch| !watch.is_of_slot(&followed.watch));
                reported.push(followed.watch.clone());
            }
        }
        self.0.slot.look();
        watched.followed.retain(|followed| followed.since > until);
    }

    /// From now on the panics of a graph concern this stream: those since `watch` began, in the slot of `recorded`.
    pub(crate) fn adopt_graph(&self, recorded: &Self, watch: Watch) {
        let since = self.0.queued.load(Ordering::Acquire) + 1;
        // No work, because nothing waits for the stream of a recorder.
        lock(&self.0.watched).add(Followed { slot: recorded.name(), work: 0, since, watch });
    }

    /// From now on the panics that concern `other` concern this stream.
    fn adopt(&self, other: &Self, work: u64) {
        let inherited: Vec<_> = {
            let theirs = lock(&other.0.watched);
            theirs.followed.iter().map(|followed| (followed.slot, followed.watch.clone())).collect()
        };
        let since = self.0.queued.load(Ordering::Acquire) + 1;
        let mut watched = lock(&self.0.watched);
        watched.add(Followed { slot: other.name(), work, since, watch: Watch::new(&other.0.slot) });
        for (slot, watch) in inherited.into_iter().filter(|(slot, _)| *slot != self.name()) {
            // No work, because this stream only follows that one's panics and does not wait for it.
            watched.add(Followed { slot, work: 0, since, watch });
        }
    }

    fn name(&self) -> usize {
        Arc::as_ptr(&self.0.slot) as usize
    }
}

impl Context {
    /// A new stream.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn stream(&self) -> Result<Stream, CudaError> {
        Stream::new(self)
    }
}

impl Watched {
    fn add(&mut self, mut new: Followed) {
        for reported in &self.reported {
            new.watch.skip_what_was_seen(reported);
        }
        match self.followed.iter_mut().find(|old| old.slot == new.slot) {
            // The older watch covers more.
            Some(old) => (old.work, old.since) = (old.work.max(new.work), new.since),
            None => self.followed.push(new),
        }
    }
}

impl Queue for Stream {
    type Moment = Event;

    fn moment(&self, old: Option<Event>) -> Result<Event, CudaError> {
        // Memory that was copied between devices has been used by streams of both.
        let own = old.filter(|event| event.context().is(self.context()));
        let event = own.map_or_else(|| Event::without_time(self.context()), Ok)?;
        event.record(self)?;
        Ok(event)
    }

    fn has_come(moment: &Event) -> bool {
        // The next wait reports failures.
        moment.is_done().unwrap_or(false)
    }

    fn come_after(&self, moment: &Event) -> Result<(), CudaError> {
        self.queue_wait(moment)?;
        self.note_queued();
        Ok(())
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn newest(&self) -> u64 {
        self.0.queued.load(Ordering::Acquire)
    }

    fn has_done(&self, work: u64) -> bool {
        self.0.done.load(Ordering::Acquire) >= work
    }

    fn follow(&self, other: &Self, work: u64) -> Result<(), CudaError> {
        let known = |followed: &Followed| followed.slot == other.name() && followed.work >= work;
        if lock(&self.0.watched).followed.iter().any(known) {
            return Ok(());
        }
        // Read first, because the event is recorded after all of this work.
        let until = other.newest();
        let driver = self.context().driver();
        {
            let join = lock(&other.0.join);
            other.context().bind()?;
            // SAFETY: the handles live; a wait takes the event as it is now, so that it can be recorded again.
            unsafe { driver.event_record(*join, other.0.raw) }
                .check(driver, || "recording an event between two streams".to_owned())?;
            self.context().bind()?;
            // SAFETY: as above.
            unsafe { driver.stream_wait_event(self.0.raw, *join, 0) }
                .check(driver, || "making a stream wait for another".to_owned())?;
        }
        self.adopt(other, until);
        self.note_queued();
        Ok(())
    }

    /// Leaves panics to the next report.
    fn wait_idle(&self) -> Result<(), CudaError> {
        self.check_runs("waiting for a stream")?;
        let until = self.newest();
        let launches = self.0.launches.load(Ordering::Acquire);
        self.context().bind()?;
        // SAFETY: the handle lives.
        let code = unsafe { self.driver().stream_synchronize(self.0.raw) };
        self.check(code, || format!("waiting for a stream of device {}", self.context().ordinal()))?;
        self.0.launches.fetch_sub(launches, Ordering::AcqRel);
        // Before others may see that it is done, because then they do not check the streams that it follows.
        self.settle(until);
        self.0.done.fetch_max(until, Ordering::AcqRel);
        Ok(())
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("device", &self.context().ordinal()).finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let driver = self.context.driver();
        if self.context.bind().is_ok() {
            // Kernels write to the slot, and buffers free their own memory: wait before anything is freed.
            // SAFETY: the handle was made with this stream.
            let waited = unsafe { driver.stream_synchronize(self.raw) };
            if waited != Code::SUCCESS {
                // A kernel may still write to the slot, so it is leaked.
                std::mem::forget(Arc::clone(&self.slot));
                waited.warn(driver, "waiting for a stream that is dropped");
            }
            // SAFETY: the handles were made with this stream, and are used here last.
            unsafe {
                self.context.closed(self.raw);
                driver.stream_destroy(self.raw).warn(driver, "destroying a stream");
                driver.event_destroy(*lock(&self.join)).warn(driver, "destroying an event");
            }
        }
    }
}
