//! Waiting for a stream without blocking, for asynchronous programs.

use crate::slot::lock;
use crate::{CudaError, Event, Stream};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll, Waker};

/// A future that ends when a stream has finished the work that was queued on it before [`Stream::finished`] was called.
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finished {
    stream: Stream,
    wait: Arc<Wait>,
}

/// The state that the future shares with the thread that waits for it.
struct Wait {
    event: Event,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The task to wake.
    waker: Option<Waker>,
    /// Whether a waiting thread was started.
    has_thread: bool,
    /// The result of the thread's wait.
    ended: Option<Result<(), CudaError>>,
}

impl Stream {
    /// A future that ends when the work that is queued on the stream now is done. It needs no particular runtime and works with
    /// every executor. If it is first polled before the device is ready, it starts a thread. The thread waits in the driver
    /// without using the CPU, and then wakes the task. (A callback of the driver would not do: after an error that ends the
    /// context, the driver does not call back, and the task would sleep forever.)
    ///
    /// Memory is safe without the future: dropped buffers wait for the device, and downloads wait for the data that they read. So
    /// a future may be dropped or forgotten at any time, and the work continues.
    ///
    /// # Errors
    /// Those of [`Event::record`]. The future itself fails as [`synchronize`](Self::synchronize) does, for the finished work.
    ///
    /// ```no_run
    /// use cuda_host::{Context, CudaError, DeviceBuffer};
    ///
    /// async fn ones(context: &Context) -> Result<Vec<f32>, CudaError> {
    ///     let stream = context.stream()?;
    ///     let x = DeviceBuffer::from_slice(&stream, &[1.0f32; 1000])?;
    ///     // Launches kernels, and lets other tasks run until the device is ready.
    ///     stream.finished()?.await?;
    ///     // Nothing is left to wait for.
    ///     x.download(&stream)
    /// }
    /// ```
    ///
    /// This needs a GPU: `tests/tests/cuda_host_gpu/futures.rs` runs such code if there is one.
    pub fn finished(&self) -> Result<Finished, CudaError> {
        let event = Event::blocking_without_time(self.context())?;
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
        // The task that polled last is woken. The previous waker is dropped outside of the lock, because that may run a program's
        // own code.
        let before = state.waker.replace(task.waker().clone());
        let is_first = !std::mem::replace(&mut state.has_thread, true);
        drop(state);
        drop(before);
        if is_first {
            let wait = Arc::clone(&self.wait);
            if std::thread::Builder::new().name("cuda-finished".into()).spawn(move || wait.run()).is_err() {
                // No thread could be started, so this one waits.
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
        // Outside of the lock, because an executor may poll at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Finished {
    fn drop(&mut self) {
        // A thread that still waits must not keep a dropped task alive.
        let waker = lock(&self.wait.state).waker.take();
        drop(waker);
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished").field("stream", &self.stream).finish_non_exhaustive()
    }
}
