//! Memory that is reused after it is dropped.

use super::EngineError;
use super::zeroed::Zeroed;
use bytemuck::Pod;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Memory of one kind. Cheap to clone; clones share it.
#[derive(Debug)]
pub(super) struct Pooled<T>(Arc<Shelf<T>>);

impl<T> Default for Pooled<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Pooled<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Pod> Pooled<T> {
    /// Memory for `len` elements with unspecified contents.
    ///
    /// # Errors
    /// [`EngineError::OutOfHostMemory`].
    pub(super) fn take(&self, len: usize) -> Result<PooledVec<T>, EngineError> {
        Shelf::take(&self.0, len)
    }
}

impl<T> Pooled<T> {
    /// The number of allocations from the system so far.
    pub(super) fn allocations(&self) -> u64 {
        self.0.allocations.load(Ordering::Relaxed)
    }

    /// Frees unused memory.
    pub(super) fn trim(&self) {
        self.0.free().clear();
    }
}

/// Unused memory of one kind.
#[derive(Debug)]
struct Shelf<T> {
    free: Mutex<Vec<Zeroed<T>>>,
    allocations: AtomicU64,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { free: Mutex::default(), allocations: AtomicU64::new(0) }
    }
}

/// The most pieces that are kept: enough for the batches that are computed, waited for and written at a time on a few devices. A
/// caller that keeps many results and then drops them returns the rest to the system.
const MOST_FREE: usize = 8;

impl<T> Shelf<T> {
    fn free(&self) -> std::sync::MutexGuard<'_, Vec<Zeroed<T>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Pod> Shelf<T> {
    /// The smallest piece that is long enough. Otherwise a new one, an eighth longer than requested, for batches whose sizes
    /// differ a little.
    fn take(shelf: &Arc<Self>, len: usize) -> Result<PooledVec<T>, EngineError> {
        let home = Some(Arc::clone(shelf));
        if len == 0 {
            return Ok(PooledVec { elements: Zeroed::default(), len, home });
        }
        let mut free = shelf.free();
        let fitting = free.iter().enumerate().filter(|(_, one)| one.len() >= len).min_by_key(|(_, one)| one.len());
        if let Some((index, _)) = fitting {
            let elements = free.swap_remove(index);
            return Ok(PooledVec { elements, len, home });
        }
        // All pieces are too short. The longest one is freed, because it is the least useful.
        let longest = free.iter().enumerate().max_by_key(|(_, one)| one.len()).map(|(index, _)| index);
        let short = longest.map(|index| free.swap_remove(index));
        drop(free);
        drop(short);
        shelf.allocations.fetch_add(1, Ordering::Relaxed);
        let elements = Zeroed::new(len + len / 8)?;
        Ok(PooledVec { elements, len, home })
    }
}

/// Elements in memory that returns to its pool when this is dropped. Otherwise it behaves like a slice.
///
/// The results of an engine reuse the memory of dropped results.
pub(super) struct PooledVec<T: Pod> {
    elements: Zeroed<T>,
    /// The number of elements that are visible.
    len: usize,
    home: Option<Arc<Shelf<T>>>,
}

impl<T: Pod> From<Vec<T>> for PooledVec<T> {
    fn from(elements: Vec<T>) -> Self {
        Self { len: elements.len(), elements: Zeroed::Allocated(elements), home: None }
    }
}

impl<T: Pod> Deref for PooledVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements[..self.len]
    }
}

impl<T: Pod> DerefMut for PooledVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements[..self.len]
    }
}

impl<T: Pod> Clone for PooledVec<T> {
    /// The clone has its own memory.
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<T: Pod + std::fmt::Debug> std::fmt::Debug for PooledVec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Pod + PartialEq> PartialEq for PooledVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'a, T: Pod> IntoIterator for &'a PooledVec<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Pod> Drop for PooledVec<T> {
    fn drop(&mut self) {
        let Some(home) = &self.home else { return };
        let elements = std::mem::take(&mut self.elements);
        let mut free = home.free();
        if !elements.is_empty() && free.len() < MOST_FREE {
            free.push(elements);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_is_used_again() {
        let pool = Pooled::<i32>::default();
        let mut first = pool.take(100).unwrap();
        first.fill(7);
        assert_eq!(first.len(), 100);
        let second = pool.take(50).unwrap();
        assert_eq!(pool.allocations(), 2);
        drop((first, second));
        for len in [100, 112, 40, 0] {
            let (a, b) = (pool.take(len).unwrap(), pool.take(len.min(50)).unwrap());
            assert_eq!((a.len(), b.len()), (len, len.min(50)));
        }
        assert_eq!(pool.allocations(), 2, "an eighth more was there");
        drop(pool.take(1000).unwrap());
        assert_eq!(pool.allocations(), 3);
        pool.trim();
        drop(pool.take(10).unwrap());
        assert_eq!(pool.allocations(), 4);
    }

    #[test]
    fn what_is_kept_for_long_is_not_kept_for_ever() {
        let pool = Pooled::<i32>::default();
        let many: Vec<_> = (0..50).map(|_| pool.take(10).unwrap()).collect();
        drop(many);
        assert_eq!(pool.0.free().len(), MOST_FREE);
    }

    #[test]
    fn a_clone_is_the_callers_own() {
        let pool = Pooled::<i32>::default();
        let mut elements = pool.take(3).unwrap();
        elements.copy_from_slice(&[1, 2, 3]);
        let clone = elements.clone();
        drop(elements);
        assert_eq!(pool.0.free().len(), 1);
        assert_eq!(*clone, [1, 2, 3]);
        drop(clone);
        assert_eq!(pool.0.free().len(), 1);
    }

    #[test]
    fn too_much_is_an_error() {
        let error = Pooled::<u64>::default().take(usize::MAX / 16).unwrap_err();
        assert!(error.is_out_of_memory(), "{error}");
    }
}
