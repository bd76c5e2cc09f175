//! Raw access to the elements of a memory.

use crate::platform::Location;
use crate::seal::Inside;
use bytemuck::Pod;

/// Raw access to a memory's elements. Only phases call it.
pub trait Elements: Sized {
    /// The type of its elements.
    type Item: Pod;
    /// The same elements at a known address.
    type Resolved: Elements<Item = Self::Item>;
    /// Looks up the address of the elements, once for a phase.
    fn resolved(&self, _: Inside) -> Self::Resolved;
    /// The number of elements.
    fn count(&self) -> u32;
    /// Whether the kernel can read them. If so, a phase that writes them ends with a barrier.
    const READABLE: bool;
    /// Whether other threads may still read or write them. If so, a phase that writes them begins with a barrier. Each such
    /// phase calls this once before it begins; afterwards other threads may use them.
    fn claim(&mut self, _: Inside) -> bool;
    /// # Safety
    /// `i < count()`, and no thread writes that element at the same time.
    unsafe fn load(&self, i: u32) -> Self::Item;
    /// # Safety
    /// `i < count()`, and no other thread touches that element at the same time.
    unsafe fn store(&self, i: u32, value: Self::Item);
    /// # Safety
    /// As for [`store`](Self::store).
    unsafe fn change(&self, i: u32, change: impl FnOnce(&mut Self::Item));
    /// The address of element `i`, for atomic operations.
    fn location(&self, i: u32, _: Inside) -> Location<Self::Item>;
}

/// The methods of [`Elements`] for memory whose address must be looked up.
macro_rules! by_resolved {
    () => {
        #[inline(always)]
        fn count(&self) -> u32 {
            self.resolved(INSIDE).count()
        }

        #[inline(always)]
        unsafe fn load(&self, i: u32) -> T {
            // SAFETY: ensured by the caller.
            unsafe { self.resolved(INSIDE).load(i) }
        }

        #[inline(always)]
        unsafe fn store(&self, i: u32, value: T) {
            // SAFETY: ensured by the caller.
            unsafe { self.resolved(INSIDE).store(i, value) }
        }

        #[inline(always)]
        unsafe fn change(&self, i: u32, change: impl FnOnce(&mut T)) {
            // SAFETY: ensured by the caller.
            unsafe { self.resolved(INSIDE).change(i, change) }
        }

        #[inline(always)]
        fn location(&self, i: u32, _: Inside) -> Location<T> {
            self.resolved(INSIDE).location(i, INSIDE)
        }
    };
}

pub(crate) use by_resolved;
