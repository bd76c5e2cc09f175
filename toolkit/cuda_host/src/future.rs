//! Waiting for a stream without blocking, in asynchronous programs.

use crate::slot::lock;
use crate::{CudaError, Event, Stream};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll, Waker};

/// Ends when a stream has done what was queued on it until [`Stream::finished`] was called.
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finished {
    stream: Stream,
    wait: Arc<Wait>,
}

/// What the future has in common with the thread that waits for it.
struct Wait {
    event: Event,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whom to wake.
    waker: Option<Waker>,
    /// Whether a thread waits, or has waited.
    has_thread: bool,
    /// What the thread's waiting came to.
    ended: Option<Result<(), CudaError>>,
}

impl Stream {
    /// A future that ends when what is queued on the stream now is done. It belongs to no runtime: whatever executor polls it is woken by
    /// a thread, which begins when the future is first polled before the device is ready, and waits in the driver without computing.
    /// (The driver calls nobody back after an error that ends the context, so that a callback could leave a task asleep.)
    ///
    /// Memory needs no future: buffers that are dropped wait for the device, and downloads for what they read. So a future may be
    /// dropped or forgotten at any time; the work goes on.
    ///
    /// # Errors
    /// Those of [`Event::record`]; the future's as for [`synchronize`](Self::synchronize), for work that is done.
    ///
    /// ```no_run
    /// use cuda_host::{Context, CudaError, DeviceBuffer};
    ///
    /// async fn ones(context: &Context) -> Result<Vec<f32>, CudaError> {
    ///     let stream = context.stream()?;
    ///     let x = DeviceBuffer::from_slice(&stream, &[1.0f32; 1000])?;
    ///     // Launches, and then other tasks, until the device is ready.
    ///     stream.finished()?.await?;
    ///     // Nothing is left to wait for.
    ///     x.download(&stream)
    /// }
    /// ```
    ///
    /// It needs a GPU: `tests/tests/cuda_host_gpu/futures.rs` runs such code where there is one.
    pub fn finished(&self) -> Result<Finished, CudaError> {
        let event = Event::to_sleep_for(self.context())?;
        event.record(self)?;
        Ok(Finished { stream: self.clone(), wait: Arc::new(Wait { event, state: Mutex::default() }) })
    }
}

impl Future for Finished {
    type Output = Result<(), CudaError>;

    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.wait.state);
        let ended = match (&state.ended, state.has_thread) {
            (Some(ended), _) => Some(ended.clone()),
            (None, true) => None,
            (None, false) => match self.wait.event.is_done() {
                Ok(false) => None,
                Ok(true) => Some(Ok(())),
                Err(error) => Some(Err(error)),
            },
        };
        if let Some(ended) = ended {
            drop(state);
            return Poll::Ready(ended.and_then(|()| self.stream.report()));
        }
        // The last one that polled is woken. The one before is dropped outside of the lock: that may run a program's own code.
        let before = state.waker.replace(task.waker().clone());
        let is_first = !std::mem::replace(&mut state.has_thread, true);
        drop(state);
        drop(before);
        if is_first {
            let wait = Arc::clone(&self.wait);
            if std::thread::Builder::new().name("cuda-finished".into()).spawn(move || wait.run()).is_err() {
                // No thread can be had: this one waits.
                self.wait.run();
            }
        }
        Poll::Pending
    }
}

impl Wait {
    fn run(&self) {
        let ended = self.event.synchronize();
        let waker = {
            let mut state = lock(&self.state);
            state.ended = Some(ended);
            state.waker.take()
        };
        // Outside of the lock, since an executor may poll at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Finished {
    fn drop(&mut self) {
        // A task that is gone is not kept by a thread that still waits.
        let waker = lock(&self.wait.state).waker.take();
        drop(waker);
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished").field("stream", &self.stream).finish_non_exhaustive()
    }
}
