//! The times of work on streams, to see what overlaps.

use crate::usage::Queue;
use crate::{CudaError, Event, Stream};
use std::ops::Range;
use std::sync::Arc;

/// The zero point of measured times.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer, PinnedBuffer, Timeline};
///
/// fn overlap(context: &Context, up: &PinnedBuffer<u8>, down: &mut PinnedBuffer<u8>) -> Result<f32, CudaError> {
///     let (first, second) = (context.stream()?, context.stream()?);
///     let mut to = DeviceBuffer::zeroed(&first, up.len())?;
///     let from = DeviceBuffer::zeroed(&first, down.len())?;
///     first.synchronize()?;
///     let timeline = Timeline::new(&first)?;
///     let upload = timeline.begin(&first)?;
///     up.upload(&first, to.view_mut())?;
///     let upload = upload.end()?;
///     let download = timeline.begin(&second)?;
///     down.download(&second, from.view())?;
///     let download = download.end()?;
///     // The time in milliseconds during which both copies ran.
///     upload.overlap_ms(&download)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    origin: Arc<Event>,
}

/// A span of work: what is queued on its stream until [`end`](Self::end).
#[derive(Debug)]
#[must_use = "the span ends with `end`"]
pub struct OpenSpan {
    origin: Arc<Event>,
    stream: Stream,
    begin: Event,
}

/// The time in which some work of a stream ran.
#[derive(Debug)]
pub struct Span {
    origin: Arc<Event>,
    begin: Event,
    end: Event,
}

impl Timeline {
    /// Begins when `stream` has done the work queued on it.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(stream: &Stream) -> Result<Self, CudaError> {
        let origin = Event::new(stream.context())?;
        origin.record(stream)?;
        Ok(Self { origin: Arc::new(origin) })
    }

    /// Begins a span with the next work queued on `stream`, which waits until the timeline has begun.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], and those of the driver.
    pub fn begin(&self, stream: &Stream) -> Result<OpenSpan, CudaError> {
        self.origin.check_device(stream.context(), "beginning a span")?;
        let begin = Event::new(stream.context())?;
        stream.come_after(&self.origin)?;
        begin.record(stream)?;
        Ok(OpenSpan { origin: self.origin.clone(), stream: stream.clone(), begin })
    }
}

impl OpenSpan {
    /// Ends the span with the last work queued on its stream. Does not wait.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn end(self) -> Result<Span, CudaError> {
        let end = Event::new(self.stream.context())?;
        end.record(&self.stream)?;
        Ok(Span { origin: self.origin, begin: self.begin, end })
    }
}

impl Span {
    /// Its begin and end in milliseconds of its timeline, with a resolution of about half a microsecond. Waits for its end.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn milliseconds(&self) -> Result<Range<f32>, CudaError> {
        Ok(self.begin.elapsed_ms(&self.origin)?..self.end.elapsed_ms(&self.origin)?)
    }

    /// The time in milliseconds during which this and another span of the same timeline both ran. Waits for both.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn overlap_ms(&self, other: &Self) -> Result<f32, CudaError> {
        Ok(common(&self.milliseconds()?, &other.milliseconds()?))
    }
}

fn common(a: &Range<f32>, b: &Range<f32>) -> f32 {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    (end - start).max(0.0)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn spans_share_what_both_cover() {
        assert_eq!(common(&(0.0..4.0), &(1.0..2.0)), 1.0);
        assert_eq!(common(&(1.0..2.0), &(0.0..4.0)), 1.0);
        assert_eq!(common(&(0.0..3.0), &(1.0..4.0)), 2.0);
        assert_eq!(common(&(0.0..1.0), &(2.0..4.0)), 0.0);
    }
}
