//! Memory of other libraries, lent for a call.

use crate::slot::lock;
use crate::{Context, CudaError, DeviceBuffer, DeviceView, DeviceViewMut};
use cuda_layout::DeviceLayout;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

/// Lends memory of other libraries to kernels until a closure ends.
///
/// A library that calls a function uses its memory again when the function returns. No kernel may use the memory by then. So
/// [`lent`](Self::lent) waits at its end for all work of the device, also after a panic, and only then drops the owners of
/// the memory. Its buffers live for `'scope`, so they cannot leave the closure, and forgetting one has no effect. Graphs
/// cannot use such memory, because they could be launched later.
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
/// A buffer cannot leave the closure:
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
    /// The owners of the memory.
    owners: Mutex<Vec<Box<dyn Any + Send>>>,
    /// Neither longer nor shorter.
    scope: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<'scope> ForeignScope<'scope> {
    /// Runs `body`, and then waits for all work on the device of `context`. `how_to_wait` must call the function that it gets. It
    /// can first release locks that work on the device needs.
    ///
    /// # Errors
    /// Those of the driver if it cannot wait. Then the owners are leaked, because kernels may still use the memory.
    pub fn lent<R>(
        context: &Context,
        how_to_wait: impl FnOnce(&(dyn Fn() + Sync)),
        body: impl for<'fresh> FnOnce(&ForeignScope<'fresh>) -> R,
    ) -> Result<R, CudaError> {
        let scope = ForeignScope { context: context.clone(), owners: Mutex::default(), scope: PhantomData };
        let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
        let waited = Mutex::new(None);
        let wait = || *lock(&waited) = Some(context.wait_for_all());
        let answer = catch_unwind(AssertUnwindSafe(|| how_to_wait(&wait)));
        // Waits even if `how_to_wait` did not.
        let end = lock(&waited).take().unwrap_or_else(|| context.wait_for_all());
        let owners = std::mem::take(&mut *lock(&scope.owners));
        if end.is_err() {
            std::mem::forget(owners);
        } else {
            drop(owners);
        }
        match (result, answer) {
            (Ok(result), Ok(())) => end.map(|()| result),
            (Err(panic), _) | (_, Err(panic)) => resume_unwind(panic),
        }
    }

    /// The context of the memory.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Waits for all work on the device, including that of other libraries, which may write memory that is lent next.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn wait_for_others(&self) -> Result<(), CudaError> {
        self.context.wait_for_all()
    }

    /// Elements in memory of another library. `owner` keeps the memory and is dropped after the scope's end.
    ///
    /// # Safety
    /// Until `owner` is dropped, there are `len` elements at `address`, which is aligned for them, in memory that kernels on the
    /// device of the scope's context can access. Other work that writes them has ended before this call. No other code uses them
    /// before the scope has ended, and no other buffer of the scope has the same elements if either is written.
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

/// A buffer in lent memory of another library. See [`ForeignScope`].
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

    /// A mutable view of all elements.
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.buffer.view_mut()
    }
}
