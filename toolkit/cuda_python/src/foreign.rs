//! Memory of other libraries on the host, which others may write at the same time: it is copied, word by word.

use cuda_layout::DeviceLayout;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// For each word of some elements, as wide as they are aligned: its atomic place there, and its place here.
macro_rules! each_word {
    ($elements:expr, $len:expr, $own:expr, |$there:ident, $here:ident| $do:expr) => {
        match align_of::<T>() {
            1 => each_word!(@ $elements, $len, $own, |$there, $here| $do, AtomicU8, u8),
            2 => each_word!(@ $elements, $len, $own, |$there, $here| $do, AtomicU16, u16),
            4 => each_word!(@ $elements, $len, $own, |$there, $here| $do, AtomicU32, u32),
            _ => each_word!(@ $elements, $len, $own, |$there, $here| $do, AtomicU64, u64),
        }
    };
    (@ $elements:expr, $len:expr, $own:expr, |$there:ident, $here:ident| $do:expr, $atomic:ty, $word:ty) => {{
        let (elements, own): (*mut T, *mut T) = ($elements, $own);
        for i in 0..$len * (size_of::<T>() / size_of::<$word>()) {
            let (there, here) = (elements.cast::<$word>().wrapping_add(i), own.cast::<$word>().wrapping_add(i));
            // SAFETY: the caller's: elements are whole words of their alignment, which are there on both sides.
            let $there = unsafe { <$atomic>::from_ptr(there) };
            // SAFETY: as above; nobody else has the copy.
            let $here = unsafe { &mut *here };
            $do;
        }
    }};
}

/// A copy of elements.
///
/// # Safety
/// There are `len` elements, aligned.
pub(crate) unsafe fn load<T: DeviceLayout>(from: *mut T, len: usize) -> Vec<T> {
    let mut own = vec![T::zeroed(); len];
    each_word!(from, len, own.as_mut_ptr(), |there, here| *here = there.load(Relaxed));
    own
}

/// # Safety
/// As of [`load`].
unsafe fn store<T: DeviceLayout>(to: *mut T, own: &mut [T]) {
    each_word!(to, own.len(), own.as_mut_ptr(), |there, here| there.store(*here, Relaxed));
}

/// A copy of an array's elements, which are written back when it is dropped. [`ArrayMut::host`](crate::ArrayMut::host) makes one.
pub struct HostMut<'a, T: DeviceLayout> {
    own: Vec<T>,
    there: *mut T,
    array: PhantomData<&'a mut [T]>,
}

impl<T: DeviceLayout> HostMut<'_, T> {
    /// # Safety
    /// As of [`load`], as long as this lives.
    pub(crate) unsafe fn new(there: *mut T, len: usize) -> Self {
        // SAFETY: the caller's.
        Self { own: unsafe { load(there, len) }, there, array: PhantomData }
    }
}

impl<T: DeviceLayout> Deref for HostMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.own
    }
}

impl<T: DeviceLayout> DerefMut for HostMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.own
    }
}

impl<T: DeviceLayout> Drop for HostMut<'_, T> {
    fn drop(&mut self) {
        // SAFETY: as said when it was made.
        unsafe { store(self.there, &mut self.own) };
    }
}
