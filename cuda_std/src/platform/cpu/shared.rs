//! Shared memory: a block's own arrays.

use bytemuck::Pod;

/// The memory of a shared array: as on the device, it lives as long as the block.
pub struct SharedStorage<T, const N: usize>(Box<[T]>);

impl<T: Pod, const N: usize> SharedStorage<T, N> {
    /// A zeroed array.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(vec![T::zeroed(); N].into_boxed_slice())
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer(self.0.as_mut_ptr())
    }
}

/// Where a shared array lies.
pub(crate) struct SharedPointer<T>(*mut T);

impl<T> Clone for SharedPointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedPointer<T> {}

impl<T: Pod> SharedPointer<T> {
    /// # Safety
    /// `i` lies within the array, and no thread writes it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn load(self, i: u32) -> T {
        // SAFETY: the caller's.
        unsafe { self.0.add(i as usize).read() }
    }

    /// # Safety
    /// `i` lies within the array, and no other thread touches it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn store(self, i: u32, value: T) {
        // SAFETY: the caller's.
        unsafe { self.0.add(i as usize).write(value) }
    }
}
