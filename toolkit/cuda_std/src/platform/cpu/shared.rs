//! Shared memory: a block's own arrays.

use bytemuck::{Pod, Zeroable};
use std::cell::RefCell;
use std::marker::PhantomData;

/// Bytes after an array that may be read with it. The lanes of a warp read 32 words of a list of [`Pick`](crate::lists::Pick)s at
/// once, even if the list has only the first of them.
const SPARE: usize = 31 * size_of::<u32>();

/// Memory of arrays, of a size that no element's alignment exceeds.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// The most arrays whose memory a thread keeps.
const KEPT: usize = 32;

thread_local! {
    /// The memory of arrays of blocks that have ended. A kernel's next block takes it as it is: to fill all arrays with zeros
    /// would take a core as long as some phases, and would fill its cache with memory that only other warps would use.
    static POOL: RefCell<Vec<Box<[Line]>>> = const { RefCell::new(Vec::new()) };
}

/// Room for an array, and the spare room after it: zeros, or what an earlier block left.
struct Room(Box<[Line]>);

impl Room {
    #[inline(never)]
    fn new(bytes: usize) -> Self {
        let lines = (bytes + SPARE).div_ceil(size_of::<Line>());
        let kept = POOL.try_with(|pool| {
            let pool = &mut *pool.borrow_mut();
            let at = pool.iter().rposition(|room| room.len() == lines)?;
            Some(pool.swap_remove(at))
        });
        Self(kept.ok().flatten().unwrap_or_else(|| vec![Line::zeroed(); lines].into_boxed_slice()))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let room = std::mem::take(&mut self.0);
        // A thread that ends has no pool any more.
        let _ = POOL.try_with(|pool| {
            let pool = &mut *pool.borrow_mut();
            if pool.len() == KEPT {
                pool.swap_remove(0);
            }
            pool.push(room);
        });
    }
}

/// Stops the build if elements need more alignment than memory of arrays has.
const fn is_aligned<T>() {
    assert!(align_of::<T>() <= align_of::<Line>(), "elements of shared memory are aligned to at most 64 bytes");
}

/// The bytes of `n` elements.
const fn bytes<T>(n: usize) -> usize {
    match n.checked_mul(size_of::<T>()) {
        Some(bytes) => bytes,
        None => panic!("no address space has room for so many elements"),
    }
}

/// The memory of a shared array. It lives as long as the block, as on the device.
#[repr(transparent)]
pub struct SharedStorage<T, const N: usize>(Room, PhantomData<T>);

impl<T: Pod, const N: usize> SharedStorage<T, N> {
    /// An array with unspecified contents.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        const { is_aligned::<T>() };
        Self(Room::new(const { bytes::<T>(N) }), PhantomData)
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer(self.0.0.as_mut_ptr().cast())
    }
}

/// The memory of a shared array whose length is given at launch.
pub struct DynamicStorage<T> {
    room: Room,
    len: u32,
    element: PhantomData<T>,
}

impl<T: Pod> DynamicStorage<T> {
    /// An array of `len` elements with unspecified contents.
    #[must_use]
    pub fn new(len: u32) -> Self {
        const { is_aligned::<T>() };
        Self { room: Room::new(bytes::<T>(len as usize)), len, element: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer(self.room.0.as_mut_ptr().cast())
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
