//! The CPU's side: a panic unwinds to the executor, which gets its location from here.

use super::KernelPanic;
use crate::platform::FloatMode;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

#[derive(Default)]
struct Site {
    file: String,
    line: u32,
    column: u32,
    message: Option<String>,
    thread: Option<u32>,
    /// The block, if the kernel's blocks meet.
    block: Option<u32>,
}

thread_local! {
    /// `Some` while this core runs a kernel's block. It is gone when another thread-local value's destructor launches a kernel at the
    /// end of a thread: a panic is then without its place.
    static SITE: RefCell<Option<Site>> = const { RefCell::new(None) };
}

fn replace_site(site: Option<Site>) -> Option<Site> {
    SITE.try_with(|own| own.replace(site)).unwrap_or_default()
}

/// Changes the site, if there is one.
fn with_site(change: impl FnOnce(&mut Site)) {
    // Without a site there is nothing to record.
    let _ = SITE.try_with(|site| site.borrow_mut().as_mut().map(change));
}

/// Runs one block, or a part of a phase, and turns a panic in it into an error. Nothing unwinds out of it. It is compiled once for
/// all kernels.
#[inline(never)]
pub(crate) fn catch(kernel: &str, block: [u32; 3], run: &mut dyn FnMut()) -> Result<(), KernelPanic> {
    install_hook();
    let _rounding = FloatMode::set_default();
    let outer = replace_site(Some(Site::default()));
    let result = catch_unwind(AssertUnwindSafe(run));
    let site = replace_site(outer).unwrap_or_default();
    result.map_err(|payload| match payload.downcast::<Caught>() {
        Ok(caught) => caught.0,
        Err(payload) => {
            let panic = site.into_panic(kernel, block, &*payload);
            // Others may wait for this call to return, so it does, even if the payload panics when it is dropped.
            if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
                std::mem::forget(another);
            }
            panic
        }
    })
}

/// A panic that another call of [`catch`] has turned into an error.
struct Caught(KernelPanic);

/// Unwinds to the next [`catch`], which returns this error.
#[cold]
pub(crate) fn continue_panic(panic: KernelPanic) -> ! {
    resume_unwind(Box::new(Caught(panic)))
}

impl Site {
    fn into_panic(self, kernel: &str, block: [u32; 3], payload: &(dyn Any + Send)) -> KernelPanic {
        // If the application has replaced our hook, the hook has not seen this panic. It is still the kernel's, because
        // nothing else runs on this core until the block has ended.
        let unseen = self.line == 0;
        let message =
            || payload.downcast_ref::<String>().cloned().or(payload.downcast_ref().map(|&m: &&str| m.to_owned()));
        KernelPanic {
            kernel: kernel.to_owned(),
            file: if unseen { "(unknown: the panic hook was replaced)".to_owned() } else { self.file },
            line: self.line,
            column: self.column,
            block: self.block.map_or(block, |block| [block, 0, 0]),
            thread: [self.thread.unwrap_or(0), 0, 0],
            message: if unseen { message() } else { self.message },
        }
    }
}

/// Only the panic hook knows where a panic happened. Ours records it for a core that runs a kernel, and passes every
/// other panic to the previous hook.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    // A thread that panics cannot install it. A panic that it does not see is turned into an error nevertheless.
    if std::thread::panicking() && !INSTALLED.is_completed() {
        return;
    }
    INSTALLED.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            let recorded = SITE.try_with(|site| {
                let Ok(mut site) = site.try_borrow_mut() else { return false };
                let Some(site) = site.as_mut() else { return false };
                if let Some(location) = info.location() {
                    site.file = location.file().to_owned();
                    site.line = location.line();
                    site.column = location.column();
                }
                site.message = info.payload_as_str().map(str::to_owned);
                true
            });
            if !recorded.unwrap_or(false) {
                previous(info);
            }
        }));
    });
}

/// The thread of the block that a loop has reached, recorded if the loop unwinds.
#[derive(Default)]
pub(crate) struct ThreadGuard {
    pub(crate) thread: u32,
}

impl ThreadGuard {
    /// The loop has ended, so there is nothing to record.
    #[inline(always)]
    pub(crate) fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for ThreadGuard {
    #[inline]
    fn drop(&mut self) {
        if std::thread::panicking() {
            record(self.thread);
        }
    }
}

/// The block of a whole grid that a loop has reached, recorded if the loop unwinds.
#[derive(Default)]
pub(crate) struct BlockGuard {
    pub(crate) block: u32,
}

impl Drop for BlockGuard {
    #[inline]
    fn drop(&mut self) {
        if std::thread::panicking() {
            with_site(|site| {
                site.block.get_or_insert(self.block);
            });
        }
    }
}

#[cold]
fn record(thread: u32) {
    with_site(|site| {
        site.thread.get_or_insert(thread);
    });
}
