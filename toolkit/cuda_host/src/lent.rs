//! Memory of a device that other libraries of the process read.

use crate::{Context, CudaError, DeviceBuffer, DeviceView, Stream};
use cuda_layout::DeviceLayout;
use std::fmt;

/// A buffer whose address is given to other libraries, which read it on their own streams, for example as a tensor.
///
/// Every kernel that wrote it has ended without a panic, and nothing here writes it any more. So a library may read it on any
/// stream without waiting. Dropping it waits for all work on the device, because any of it may read the buffer. Then the
/// memory returns to its source. If waiting fails, for example because a thread records a graph, the memory is leaked.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer, LentBuffer};
///
/// let stream = Context::new(0)?.stream()?;
/// let lent = LentBuffer::new(DeviceBuffer::from_slice(&stream, &[1.5f32, 2.5])?, &stream)?;
/// println!("{} elements at {:#x} of device {}", lent.len(), lent.address(), lent.context().ordinal());
/// assert_eq!(lent.view().download(&stream)?, [1.5, 2.5]);
/// # Ok::<(), CudaError>(())
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/lent.rs` runs such code if there is one.
pub struct LentBuffer<T: DeviceLayout> {
    /// `Some` until this is dropped.
    buffer: Option<DeviceBuffer<T>>,
}

impl<T: DeviceLayout> LentBuffer<T> {
    /// Waits for the work that uses the buffer, on `stream` and on others.
    ///
    /// # Errors
    /// [`CudaError::Panic`] and [`CudaError::Poisoned`] if a kernel that wrote it has panicked; [`CudaError::InGraph`] if a graph
    /// uses it; [`CudaError::OtherDevice`]; and those of the driver.
    pub fn new(buffer: DeviceBuffer<T>, stream: &Stream) -> Result<Self, CudaError> {
        const OPERATION: &str = "lending a buffer";
        stream.check_device(buffer.context(), OPERATION)?;
        // The graph's next launch may write the buffer while others read it.
        if buffer.is_in_graph() {
            return Err(CudaError::InGraph { operation: OPERATION });
        }
        stream.synchronize()?;
        buffer.wait_unused()?;
        buffer.memory().check_written(&buffer.view().bytes(), OPERATION)?;
        Ok(Self { buffer: Some(buffer) })
    }

    fn buffer(&self) -> &DeviceBuffer<T> {
        self.buffer.as_ref().expect("it is there until this is dropped")
    }

    /// The address of the first element, in the device's primary context.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.buffer().view().address()
    }

    counted!(self => self.buffer().len());

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.buffer().context()
    }

    /// All elements, for reading.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        self.buffer().view()
    }
}

impl<T: DeviceLayout> fmt::Debug for LentBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LentBuffer").field(self.buffer()).finish()
    }
}

impl<T: DeviceLayout> Drop for LentBuffer<T> {
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        let _callers = CallersContext::keep();
        if let Err(error) = buffer.context().wait_for_all() {
            tracing::warn!("memory of device {} is not used again: {error}", buffer.context().ordinal());
            std::mem::forget(buffer);
        }
    }
}

/// Restores the calling thread's current context when it is dropped. Calls of this library make their own context current,
/// but other libraries of the process rely on theirs.
///
/// ```
/// use cuda_host::{CallersContext, Context};
///
/// let callers = CallersContext::keep();
/// if let Ok(context) = Context::new(0) {
///     context.memory()?;
/// }
/// drop(callers);
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
#[must_use = "the context is given back when this is dropped"]
pub struct CallersContext(Option<crate::context::Current>);

impl CallersContext {
    /// Remembers the current context. Does nothing without a driver.
    pub fn keep() -> Self {
        Self(crate::context::Current::of_thread())
    }
}

impl fmt::Debug for CallersContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallersContext").finish_non_exhaustive()
    }
}

impl Drop for CallersContext {
    fn drop(&mut self) {
        if let Some(current) = self.0.take() {
            current.restore();
        }
    }
}
