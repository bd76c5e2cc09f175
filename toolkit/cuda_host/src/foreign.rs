//! Memory of other libraries, for as long as a function of theirs runs.

use crate::slot::lock;
use crate::{Context, CudaError, DeviceBuffer, DeviceView, DeviceViewMut};
use cuda_layout::DeviceLayout;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

/// Lends kernels memory of other libraries until a closure ends, whatever becomes of the buffers.
///
/// A library that calls a function goes on with its memory when the function returns. So no kernel may use the memory any
/// more by then: [`lent`](Self::lent) waits for all work of the device at its end, also after a panic, and only then lets go
/// of what keeps the memory. Its buffers live for `'scope`, so they cannot leave the closure, and to forget one changes
/// nothing. No graph is recorded with such memory, since it could be launched later.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, DeviceBuffer, ForeignScope, LentBuffer};
///
/// let context = Context::new(0)?;
/// let stream = context.stream()?;
/// let theirs = std::sync::Arc::new(LentBuffer::new(DeviceBuffer::from_slice(&stream, &[1u32, 2])?, &stream)?);
/// ForeignScope::lent(&context, |wait| wait(), |scope| {
///     // SAFETY: there are two elements as long as the last clone lives, and nobody uses them meanwhile.
///     let mut buffer = unsafe { scope.buffer::<u32>(theirs.address(), 2, theirs.clone()) }?;
///     buffer.view_mut().upload(&stream, &[3, 4])
/// })??;
/// assert_eq!(theirs.view().download(&stream)?, [3, 4]);
/// # Ok::<(), CudaError>(())
/// ```
///
/// A buffer stays inside:
///
/// ```compile_fail,E0521
/// # use cuda_host::{Context, ForeignScope};
/// fn kept(context: &Context, address: u64) {
///     let mut last = None;
///     let _ = ForeignScope::lent(context, |wait| wait(), |scope| {
///         last = Some(unsafe { scope.buffer::<u32>(address, 2, ()) });
///     });
/// }
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/lent.rs` runs such code if there is one.
pub struct ForeignScope<'scope> {
    context: Context,
    /// What keeps the memory.
    owners: Mutex<Vec<Box<dyn Any + Send>>>,
    /// Neither longer nor shorter.
    scope: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<'scope> ForeignScope<'scope> {
    /// Runs `body`, and then waits for all work on the device of `context`. `how_to_wait` is to call the function that it is
    /// given: without a lock that somebody may need for whom the device waits.
    ///
    /// # Errors
    /// Those of the driver when it cannot wait. The memory is then kept for ever, since kernels may use it.
    pub fn lent<R>(
        context: &Context,
        how_to_wait: impl FnOnce(&(dyn Fn() + Sync)),
        body: impl for<'fresh> FnOnce(&ForeignScope<'fresh>) -> R,
    ) -> Result<R, CudaError> {
        let scope = ForeignScope { context: context.clone(), owners: Mutex::default(), scope: PhantomData };
        let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
        let waited = Mutex::new(None);
        let wait = || *lock(&waited) = Some(context.wait_for_all());
        let told = catch_unwind(AssertUnwindSafe(|| how_to_wait(&wait)));
        // Whatever became of that.
        let end = lock(&waited).take().unwrap_or_else(|| context.wait_for_all());
        let owners = std::mem::take(&mut *lock(&scope.owners));
        if end.is_err() {
            std::mem::forget(owners);
        } else {
            drop(owners);
        }
        match (result, told) {
            (Ok(result), Ok(())) => end.map(|()| result),
            (Err(panic), _) | (_, Err(panic)) => resume_unwind(panic),
        }
    }

    /// The context of the memory.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Waits for all work on the device, of this library and of others: such may write the memory that comes next.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn wait_for_others(&self) -> Result<(), CudaError> {
        self.context.wait_for_all()
    }

    /// Elements in memory of another library. `owner` keeps the memory, and is dropped after the scope's end.
    ///
    /// # Safety
    /// Until `owner` is dropped, there are `len` elements at `address`, which is aligned for them, in memory that kernels
    /// on the device of the scope's context can access. Other work that writes them has ended before this call, and no other
    /// code uses them before the scope has ended; nor does another buffer here, where either writes.
    ///
    /// # Errors
    /// [`CudaError::TooLarge`].
    pub unsafe fn buffer<T: DeviceLayout>(
        &self,
        address: u64,
        len: usize,
        owner: impl Send + 'static,
    ) -> Result<ForeignBuffer<'scope, T>, CudaError> {
        lock(&self.owners).push(Box::new(owner));
        // SAFETY: the caller's. The owner outlives all work, for which this waits, and no view outlives `'scope`.
        let buffer = unsafe { DeviceBuffer::in_scope(&self.context, address, len) }?;
        Ok(ForeignBuffer { buffer, scope: PhantomData })
    }
}

impl fmt::Debug for ForeignScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignScope").field("device", &self.context.ordinal()).finish_non_exhaustive()
    }
}

/// A buffer in memory of another library, as long as that lends it. See [`ForeignScope`].
#[derive(Debug)]
pub struct ForeignBuffer<'scope, T: DeviceLayout> {
    buffer: DeviceBuffer<T>,
    scope: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<T: DeviceLayout> ForeignBuffer<'_, T> {
    counted!(self => self.buffer.len());

    /// All elements.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        self.buffer.view()
    }

    /// All elements, to be written.
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.buffer.view_mut()
    }
}
