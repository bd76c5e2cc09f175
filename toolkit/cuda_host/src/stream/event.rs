//! Events: points in a stream.

use super::Stream;
use crate::context::Context;
use crate::driver::{CUevent, Code};
use crate::error::CudaError;
use crate::slot::lock;
use crate::usage::Queue;
use std::fmt;
use std::ptr;
use std::sync::Mutex;

const BLOCKING_SYNC: u32 = 1;
const DISABLE_TIMING: u32 = 2;

/// A point in a stream, with its time.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer, Event};
///
/// let context = Context::new(0)?;
/// let (first, second) = (context.stream()?, context.stream()?);
/// let (start, end) = (Event::new(&context)?, Event::new(&context)?);
/// start.record(&first)?;
/// let x = DeviceBuffer::<f32>::zeroed(&first, 1 << 20)?;
/// end.record(&first)?;
/// // Work queued on the second stream from here on comes after that point.
/// second.wait(&end)?;
/// end.synchronize()?;
/// assert!(end.is_done()?);
/// println!("{} ms", end.elapsed_ms(&start)?);
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/order.rs` runs such code if there is one.
pub struct Event {
    context: Context,
    raw: CUevent,
    /// The stream, and its newest work when the event was recorded.
    recorded: Mutex<Option<(Stream, u64)>>,
}

// SAFETY: events may be used by several threads; the handle is only a name.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// An event that is not recorded yet.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(context: &Context) -> Result<Self, CudaError> {
        Self::with_flags(context, 0)
    }

    /// An event for which a thread waits asleep (`CU_EVENT_BLOCKING_SYNC`). Other threads get its core meanwhile. For other events,
    /// a thread asks again and again; it then goes on sooner after the event, by some ten microseconds.
    ///
    /// # Errors
    /// Those of the driver.
    ///
    /// ```no_run
    /// use cuda_host::{Context, Event};
    ///
    /// let context = Context::new(0)?;
    /// let (stream, done) = (context.stream()?, Event::blocking(&context)?);
    /// // ... launches that take milliseconds ...
    /// done.record(&stream)?;
    /// done.synchronize()?;
    /// # Ok::<(), cuda_host::CudaError>(())
    /// ```
    ///
    /// This needs a GPU: `tests/tests/cuda_host_gpu/order.rs` runs such code if there is one.
    pub fn blocking(context: &Context) -> Result<Self, CudaError> {
        Self::with_flags(context, BLOCKING_SYNC)
    }

    /// A cheaper event without a time.
    pub(crate) fn without_time(context: &Context) -> Result<Self, CudaError> {
        Self::with_flags(context, DISABLE_TIMING)
    }

    /// As [`blocking`](Self::blocking), without a time.
    pub(crate) fn blocking_without_time(context: &Context) -> Result<Self, CudaError> {
        Self::with_flags(context, DISABLE_TIMING | BLOCKING_SYNC)
    }

    fn with_flags(context: &Context, flags: u32) -> Result<Self, CudaError> {
        context.bind()?;
        let driver = context.driver();
        let mut raw = ptr::null_mut();
        // SAFETY: writes a handle.
        unsafe { driver.event_create(&raw mut raw, flags) }
            .check(driver, || format!("creating an event on device {}", context.ordinal()))?;
        Ok(Self { context: context.clone(), raw, recorded: Mutex::new(None) })
    }

    /// Puts the event after everything queued on `stream` so far.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], and those of the driver.
    pub fn record(&self, stream: &Stream) -> Result<(), CudaError> {
        const OPERATION: &str = "recording an event";
        stream.check_runs(OPERATION)?;
        stream.check_device(&self.context, OPERATION)?;
        self.context.bind()?;
        let mut recorded = lock(&self.recorded);
        let work = stream.newest();
        // SAFETY: both handles are alive.
        let code = unsafe { self.context.driver().event_record(self.raw, stream.raw()) };
        stream.check(code, || OPERATION.to_owned())?;
        *recorded = Some((stream.clone(), work));
        Ok(())
    }

    /// Waits until the stream has reached the event; returns at once if it was never recorded. Does not report panics.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.context.bind()?;
        // SAFETY: the handle is alive.
        let code = unsafe { self.context.driver().event_synchronize(self.raw) };
        self.check(code, "waiting for an event")
    }

    /// Whether the stream has reached the event, or it was never recorded.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn is_done(&self) -> Result<bool, CudaError> {
        self.context.bind()?;
        // SAFETY: the handle is alive.
        match unsafe { self.context.driver().event_query(self.raw) } {
            Code::NOT_READY => Ok(false),
            code => self.check(code, "asking for an event").map(|()| true),
        }
    }

    /// An error that refers to the stream where it was recorded.
    fn check(&self, code: Code, operation: &str) -> Result<(), CudaError> {
        let recorded = if code == Code::SUCCESS { None } else { self.recorded_on() };
        match recorded {
            Some((stream, _)) => stream.check(code, || operation.to_owned()),
            None => code.check(self.context.driver(), || operation.to_owned()),
        }
    }

    /// Milliseconds from `start` to this event, with a resolution of about half a microsecond. Waits for both.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], since devices have clocks of their own; those of the driver; `CUDA_ERROR_INVALID_HANDLE` if
    /// one of them was never recorded.
    pub fn elapsed_ms(&self, start: &Self) -> Result<f32, CudaError> {
        start.check_device(&self.context, "measuring the time between two events")?;
        start.synchronize()?;
        self.synchronize()?;
        let driver = self.context.driver();
        let mut milliseconds = 0.0;
        // SAFETY: writes a number; both handles are alive.
        unsafe { driver.event_elapsed_time(&raw mut milliseconds, start.raw, self.raw) }
            .check(driver, || "measuring the time between two events".to_owned())?;
        Ok(milliseconds)
    }

    /// An error unless the event belongs to the device of `other`.
    pub(crate) fn check_device(&self, other: &Context, operation: &'static str) -> Result<(), CudaError> {
        if self.context.is(other) {
            return Ok(());
        }
        Err(CudaError::OtherDevice { operation, found: self.context.ordinal(), expected: other.ordinal() })
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn raw(&self) -> CUevent {
        self.raw
    }

    pub(crate) fn recorded_on(&self) -> Option<(Stream, u64)> {
        lock(&self.recorded).clone()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("device", &self.context.ordinal()).finish_non_exhaustive()
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            let driver = self.context.driver();
            // SAFETY: made once; queued waits keep what they need.
            unsafe { driver.event_destroy(self.raw) }.warn(driver, "destroying an event");
        }
    }
}
