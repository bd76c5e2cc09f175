//! Streams: queues of work on a device.

use crate::driver::{CUevent, CUstream};
use crate::slot::{Slot, Watch, lock};
use crate::usage::Lane;
use crate::{Context, CudaError, Event};
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;

/// A queue of work on a device: pieces of one stream run in order, those of several may run at once.
///
/// Buffers keep the order between streams: work that reads what another stream writes waits for it on the
/// device, without the program saying so. Cheap to clone; a clone is the same stream.
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

struct Inner {
    context: Context,
    raw: CUstream,
    /// Recorded anew for each wait of another stream, under its lock.
    join: Mutex<CUevent>,
    slot: Arc<Slot>,
    watched: Mutex<Watched>,
    queued: AtomicU64,
    done: AtomicU64,
}

/// Whose panics concern the work on this stream.
struct Watched {
    own: Watch,
    followed: Vec<Followed>,
}

struct Followed {
    /// The address of the other stream's slot, which is the other stream's name.
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
        let watched = Mutex::new(Watched { own: Watch::new(&slot), followed: Vec::new() });
        let (queued, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let context = context.clone();
        Ok(Self(Arc::new(Inner { context, raw, join: Mutex::new(join), slot, watched, queued, done })))
    }

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Waits until everything queued on the stream is done.
    ///
    /// # Errors
    /// [`CudaError::Panic`] when a kernel on it has panicked since the last time, or one on another stream whose
    /// results it uses; the driver's when the device has failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.wait_idle()?;
        self.report()
    }

    /// Makes what is queued on this stream from now on wait for `event`, if it was recorded.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], and those of the driver.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        self.check_device(event.context(), "waiting for an event")?;
        self.context().bind()?;
        let recorded = event.recorded_on();
        let driver = self.context().driver();
        // SAFETY: both handles live.
        unsafe { driver.stream_wait_event(self.0.raw, event.raw(), 0) }
            .check(driver, || "making a stream wait for an event".to_owned())?;
        if let Some((stream, work)) = recorded
            && !stream.is(self)
        {
            self.adopt(&stream, work);
        }
        self.note_queued();
        Ok(())
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.0.raw
    }

    pub(crate) fn slot(&self) -> &Arc<Slot> {
        &self.0.slot
    }

    /// Counts a piece of work that was queued.
    pub(crate) fn note_queued(&self) -> u64 {
        self.0.queued.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// An error unless the memory of `context` is on this stream's device.
    pub(crate) fn check_device(&self, context: &Context, operation: &'static str) -> Result<(), CudaError> {
        if self.context().is(context) {
            return Ok(());
        }
        Err(CudaError::OtherDevice { operation, memory: context.ordinal(), stream: self.context().ordinal() })
    }

    /// The panics since the last report that concern work which is done.
    pub(crate) fn report(&self) -> Result<(), CudaError> {
        self.settle(0);
        match lock(&self.0.watched).own.take_panic() {
            Some(panic) => Err(CudaError::Panic(Box::new(panic))),
            None => Ok(()),
        }
    }

    /// Makes panics until now known, those of streams that this one waited for as its own; and forgets streams that were waited for by work
    /// up to number `until`, which is done.
    fn settle(&self, until: u64) {
        let mut watched = lock(&self.0.watched);
        for followed in &mut watched.followed {
            if let Some(panic) = followed.watch.take_panic() {
                // What this stream has written meanwhile depends on that kernel.
                self.0.slot.taint(panic);
            }
        }
        self.0.slot.look();
        watched.followed.retain(|followed| followed.since > until);
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
            // No work: this stream follows that one's panics, and does not wait for it by itself.
            watched.add(Followed { slot, work: 0, since, watch });
        }
    }

    fn name(&self) -> usize {
        Arc::as_ptr(&self.0.slot) as usize
    }
}

impl Watched {
    fn add(&mut self, new: Followed) {
        match self.followed.iter_mut().find(|old| old.slot == new.slot) {
            // The older watch sees more.
            Some(old) => (old.work, old.since) = (old.work.max(new.work), new.since),
            None => self.followed.push(new),
        }
    }
}

impl Lane for Stream {
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
        // Read first: the event is recorded after all of this.
        let until = other.newest();
        self.context().bind()?;
        let driver = self.context().driver();
        {
            let join = lock(&other.0.join);
            // SAFETY: the handles live; a wait takes the event as it is now, so that it can be recorded again.
            unsafe { driver.event_record(*join, other.0.raw) }
                .check(driver, || "recording an event between two streams".to_owned())?;
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
        let until = self.newest();
        self.context().bind()?;
        let driver = self.context().driver();
        // SAFETY: the handle lives.
        unsafe { driver.stream_synchronize(self.0.raw) }
            .check(driver, || format!("waiting for a stream of device {}", self.context().ordinal()))?;
        // Before others may know that it is done: they do not look at the streams behind it then.
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
            // Kernels write into the slot, and buffers are freed by their own owners: wait before anything goes.
            // SAFETY: the handles were made with this stream, and are used here last.
            unsafe {
                driver.stream_synchronize(self.raw).warn(driver, "waiting for a stream that is dropped");
                driver.stream_destroy(self.raw).warn(driver, "destroying a stream");
                driver.event_destroy(*lock(&self.join)).warn(driver, "destroying an event");
            }
        }
    }
}
