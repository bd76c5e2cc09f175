//! A block's own part of a global buffer.

use crate::memory::{Elements, check_index, check_length};
use bytemuck::Pod;
use core::marker::PhantomData;

/// The part of a global buffer that belongs to this block alone, for reading and writing.
///
/// Which elements those are is said at launch, by checked offsets; no two blocks share one. What was in the
/// buffer before the launch is there until the kernel writes it.
pub struct Segment<'a, T> {
    data: *mut T,
    start: u32,
    len: u32,
    owner: PhantomData<&'a mut [T]>,
}

impl<T> Segment<'_, T> {
    /// # Safety
    /// `data` points to the first of `len` elements that this segment alone reads and writes while it lives.
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut T, start: u32, len: u32) -> Self {
        Self { data, start, len, owner: PhantomData }
    }

    /// Where this segment begins in the whole buffer, in elements.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> u32 {
        self.start
    }
}

impl<T: Pod> Segment<'_, T> {
    /// The first `n` elements, to read. What phases do with indices below `n` needs no check of every access.
    ///
    /// # Panics
    /// When `n` is beyond the segment's length.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn view(&self, n: u32) -> View<'_, T> {
        check_length(n, self.len);
        View { data: self.data, len: n, owner: PhantomData }
    }

    /// The first `mid` elements, and the others.
    ///
    /// # Panics
    /// When `mid` is beyond the segment's length.
    #[inline(always)]
    #[track_caller]
    pub fn split_at(&mut self, mid: u32) -> (Segment<'_, T>, Segment<'_, T>) {
        check_length(mid, self.len);
        let rest = self.len.wrapping_sub(mid);
        // SAFETY: two disjoint parts of what this segment owns, which stays borrowed while they live.
        unsafe {
            (Segment::new(self.data, self.start, mid), Segment::new(self.at(mid), self.start.wrapping_add(mid), rest))
        }
    }
}

impl<T: Pod, const N: usize> Segment<'_, [T; N]> {
    /// The same memory as single elements, `N` times as many.
    ///
    /// # Panics
    /// When those are more than `u32` counts.
    #[inline(always)]
    #[track_caller]
    pub fn flatten(&mut self) -> Segment<'_, T> {
        let (start, len) = (self.start.wrapping_mul(N as u32), self.len * N as u32);
        // SAFETY: an array is its elements; the segment stays borrowed while this view lives.
        unsafe { Segment::new(self.data.cast::<T>(), start, len) }
    }
}

impl<T: Pod> Segment<'_, T> {
    /// The same memory as arrays of `N` elements; what is left over at the end is out of sight.
    #[inline(always)]
    pub fn arrays<const N: usize>(&mut self) -> Segment<'_, [T; N]> {
        // SAFETY: an array is its elements; the segment stays borrowed while this view lives.
        unsafe { Segment::new(self.data.cast::<[T; N]>(), self.start / N as u32, self.len / N as u32) }
    }
}

impl<T: Pod> Elements for Segment<'_, T> {
    type Item = T;

    #[inline(always)]
    fn count(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    unsafe fn load(&self, i: u32) -> T {
        // SAFETY: the caller's.
        unsafe { self.data.add(i as usize).read() }
    }

    #[inline(always)]
    unsafe fn store(&self, i: u32, value: T) {
        // SAFETY: the caller's.
        unsafe { self.data.add(i as usize).write(value) }
    }

    #[inline(always)]
    unsafe fn change(&self, i: u32, change: impl FnOnce(&mut T)) {
        // SAFETY: the caller's.
        change(unsafe { &mut *self.data.add(i as usize) });
    }
}

// SAFETY: reading from several threads is what phases do; writing needs `&mut` and is given out by element.
unsafe impl<T: Pod> Sync for Segment<'_, T> {}
// SAFETY: a segment is unique access to plain data.
unsafe impl<T: Pod> Send for Segment<'_, T> {}

impl<T> Segment<'_, T> {
    /// Where element `i` lies.
    #[inline(always)]
    pub(crate) fn at(&self, i: u32) -> *mut T {
        self.data.wrapping_add(i as usize)
    }
}

/// Elements of a [`Segment`], to read.
#[derive(Clone, Copy)]
pub struct View<'a, T> {
    data: *const T,
    len: u32,
    owner: PhantomData<&'a [T]>,
}

impl<T: Pod> View<'_, T> {
    /// Number of elements.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is no element.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds; the segment is borrowed, so no phase writes it.
        unsafe { self.data.add(i as usize).read() }
    }
}

// SAFETY: reading plain data.
unsafe impl<T: Pod> Sync for View<'_, T> {}
// SAFETY: reading plain data.
unsafe impl<T: Pod> Send for View<'_, T> {}
