//! Shared memory: a block's own arrays.

use bytemuck::Pod;

/// Bytes after an array that may be read with it. The lanes of a warp read 32 words of a list of [`Pick`](crate::Pick)s at
/// once, even if the list has only the first of them.
const SPARE: usize = 31 * size_of::<u32>();

/// `len` zeros, and the spare room after them.
fn zeroed<T: Pod>(len: usize) -> Box<[T]> {
    vec![T::zeroed(); len + SPARE.div_ceil(size_of::<T>().max(1))].into_boxed_slice()
}

/// The memory of a shared array. It lives as long as the block, as on the device.
pub struct SharedStorage<T, const N: usize>(Box<[T]>);

impl<T: Pod, const N: usize> SharedStorage<T, N> {
    /// A zeroed array.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(zeroed(N))
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer(self.0.as_mut_ptr())
    }
}

/// The memory of a shared array whose length is given at launch.
pub struct DynamicStorage<T> {
    room: Box<[T]>,
    len: u32,
}

impl<T: Pod> DynamicStorage<T> {
    /// A zeroed array of `len` elements.
    #[must_use]
    pub fn new(len: u32) -> Self {
        Self { room: zeroed(len as usize), len }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer(self.room.as_mut_ptr())
    }
}

/// The address of a shared array.
pub(crate) struct SharedPointer<T>(*mut T);

impl<T> Clone for SharedPointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedPointer<T> {}

impl<T> SharedPointer<T> {
    /// The address of element `i`.
    #[inline(always)]
    pub(super) fn address(self, i: u32) -> *mut T {
        self.0.wrapping_add(i as usize)
    }
}

impl<T: Pod> SharedPointer<T> {
    /// The same address, for elements that are arrays.
    #[inline(always)]
    pub(crate) fn arrays<const M: usize>(self) -> SharedPointer<[T; M]> {
        SharedPointer(self.0.cast())
    }

    /// The same address, for elements of another type, whose alignment is not larger.
    #[inline(always)]
    pub(crate) fn recast<U: Pod>(self) -> SharedPointer<U> {
        SharedPointer(self.0.cast())
    }

    /// Unchanged: only the device has a use for it.
    #[inline(always)]
    pub(crate) fn settled(self) -> Self {
        self
    }

    /// The array from element `i` on.
    #[inline(always)]
    pub(crate) fn offset(self, i: u32) -> Self {
        Self(self.address(i))
    }

    /// # Safety
    /// `i` lies within the array, and no thread writes it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn load(self, i: u32) -> T {
        // SAFETY: the caller's.
        unsafe { self.0.add(i as usize).read() }
    }

    /// The word that begins with element `i`.
    ///
    /// # Safety
    /// It lies within the array, and no thread writes it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn load_word(self, i: u32) -> u32 {
        // SAFETY: the caller's. The array may begin anywhere.
        unsafe { self.0.add(i as usize).cast::<u32>().read_unaligned() }
    }

    /// # Safety
    /// `i` lies within the array, and no other thread touches it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn store(self, i: u32, value: T) {
        // SAFETY: the caller's.
        unsafe { self.0.add(i as usize).write(value) }
    }

    /// Copies an element.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    #[inline(always)]
    pub(crate) unsafe fn copy(self, i: u32, from: &T) {
        // SAFETY: the caller's.
        unsafe { self.store(i, *from) };
    }
}

/// There is nothing to wait for: [`SharedPointer::copy`] copies immediately.
#[inline(always)]
pub(crate) fn finish_copies() {}

/// As [`finish_copies`].
#[inline(always)]
pub(crate) fn end_turn_of_copies() {}

/// As [`finish_copies`].
#[inline(always)]
pub(crate) fn finish_older_copies<const STAGES: usize, const FREE: usize>() {}
