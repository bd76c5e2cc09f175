//! What was computed for a batch, in memory that is used again.

use super::EngineError;
use bytemuck::Zeroable;
use shared_types::{FeatureRow, StructureSummary};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What was computed for a batch.
///
/// The example of [`BatchWork`](super::BatchWork) gets one.
#[derive(Clone, Debug)]
pub struct Computed {
    /// Per residue, its features.
    pub rows: Reused<FeatureRow>,
    /// Per residue, the site that it is part of, counted from 0 in its structure, or -1.
    pub site_ids: Reused<i32>,
    /// One a structure.
    pub summaries: Reused<StructureSummary>,
}

/// Where what is computed for a part of a batch goes: as many elements as [`Computed`] has for it.
///
/// The example of [`BatchWork`](super::BatchWork) makes one.
#[derive(Debug)]
pub struct ComputedMut<'a> {
    /// Per residue, its features.
    pub rows: &'a mut [FeatureRow],
    /// Per residue, its site.
    pub site_ids: &'a mut [i32],
    /// One a structure.
    pub summaries: &'a mut [StructureSummary],
}

impl Computed {
    /// All of it, to write.
    pub(super) fn as_mut(&mut self) -> ComputedMut<'_> {
        ComputedMut { rows: &mut self.rows, site_ids: &mut self.site_ids, summaries: &mut self.summaries }
    }
}

impl<'a> ComputedMut<'a> {
    /// What is for so many residues and structures, and the rest.
    pub(super) fn split_at(self, residues: usize, structures: usize) -> (Self, Self) {
        let (rows, other_rows) = self.rows.split_at_mut(residues);
        let (site_ids, other_site_ids) = self.site_ids.split_at_mut(residues);
        let (summaries, other_summaries) = self.summaries.split_at_mut(structures);
        let rest = Self { rows: other_rows, site_ids: other_site_ids, summaries: other_summaries };
        (Self { rows, site_ids, summaries }, rest)
    }
}

/// Room for results. What was dropped is used again: to have the system give memory and take it back for each batch would
/// take as long as to compute half of it. Cheap to clone; clones share the memory.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultPool {
    rows: Arc<Shelf<FeatureRow>>,
    site_ids: Arc<Shelf<i32>>,
    summaries: Arc<Shelf<StructureSummary>>,
}

impl ResultPool {
    /// Room for what is computed of so many residues and structures, with anything in it.
    ///
    /// # Errors
    /// [`EngineError::OutOfHostMemory`].
    pub(super) fn room(&self, residues: usize, structures: usize) -> Result<Computed, EngineError> {
        Ok(Computed {
            rows: Shelf::take(&self.rows, residues)?,
            site_ids: Shelf::take(&self.site_ids, residues)?,
            summaries: Shelf::take(&self.summaries, structures)?,
        })
    }

    /// How often memory was asked of the system so far.
    pub(super) fn allocations(&self) -> u64 {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        of(&self.rows.allocations) + of(&self.site_ids.allocations) + of(&self.summaries.allocations)
    }

    /// Gives memory back that nobody uses now.
    pub(super) fn trim(&self) {
        self.rows.free().clear();
        self.site_ids.free().clear();
        self.summaries.free().clear();
    }
}

/// Memory of one kind that nobody uses now.
#[derive(Debug)]
struct Shelf<T> {
    free: Mutex<Vec<Vec<T>>>,
    allocations: AtomicU64,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { free: Mutex::default(), allocations: AtomicU64::new(0) }
    }
}

/// As many as batches are computed, waited for and written at a time on a few devices. What is dropped beyond that, by who
/// has kept the results of many, goes back to the system.
const MOST_FREE: usize = 8;

impl<T> Shelf<T> {
    fn free(&self) -> std::sync::MutexGuard<'_, Vec<Vec<T>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Zeroable> Shelf<T> {
    /// The smallest that is long enough; else a new one, an eighth longer than was asked for, for batches that differ a
    /// little.
    fn take(shelf: &Arc<Self>, len: usize) -> Result<Reused<T>, EngineError> {
        let home = Some(Arc::clone(shelf));
        if len == 0 {
            return Ok(Reused { elements: Vec::new(), len, home });
        }
        let mut free = shelf.free();
        let fitting = free.iter().enumerate().filter(|(_, one)| one.len() >= len).min_by_key(|(_, one)| one.len());
        if let Some((index, _)) = fitting {
            let elements = free.swap_remove(index);
            return Ok(Reused { elements, len, home });
        }
        // All are too short; the longest is the least likely to be missed.
        let longest = free.iter().enumerate().max_by_key(|(_, one)| one.len()).map(|(index, _)| index);
        let short = longest.map(|index| free.swap_remove(index));
        drop(free);
        drop(short);
        shelf.allocations.fetch_add(1, Ordering::Relaxed);
        // Its pages are first touched by whoever writes them.
        let wanted = len + len / 8;
        let elements = bytemuck::allocation::try_zeroed_vec(wanted)
            .map_err(|()| EngineError::OutOfHostMemory { bytes: wanted.saturating_mul(size_of::<T>()) })?;
        Ok(Reused { elements, len, home })
    }
}

/// Elements in memory that goes back to where it came from when this is dropped. Else a slice.
///
/// ```
/// use prism_host::engine::Reused;
///
/// let sites: Reused<i32> = vec![-1, 0, 0].into();
/// assert_eq!((sites.len(), sites[1]), (3, 0));
/// assert_eq!(sites.into_vec(), [-1, 0, 0]);
/// ```
///
/// An engine has its results lie where those lay that were dropped:
///
/// ```
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine, PackedBatch};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let (engine, batch) = (Engine::builder().backend(Backend::Cpu).build()?, PackedBatch::from_inputs([&rbd])?);
/// let first = engine.run_batch(&batch)?.rows.as_ptr();
/// let second = engine.run_batch(&batch)?;
/// assert_eq!(second.rows.as_ptr(), first);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reused<T> {
    elements: Vec<T>,
    /// How many of the elements there are for others.
    len: usize,
    home: Option<Arc<Shelf<T>>>,
}

impl<T> Reused<T> {
    /// The elements, in memory that does not go back.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<T> {
        self.home = None;
        let mut elements = std::mem::take(&mut self.elements);
        elements.truncate(self.len);
        elements
    }
}

impl<T> From<Vec<T>> for Reused<T> {
    fn from(elements: Vec<T>) -> Self {
        Self { len: elements.len(), elements, home: None }
    }
}

impl<T> Deref for Reused<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements[..self.len]
    }
}

impl<T> DerefMut for Reused<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements[..self.len]
    }
}

impl<T: Clone> Clone for Reused<T> {
    /// In memory of its own.
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Reused<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Reused<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'a, T> IntoIterator for &'a Reused<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Drop for Reused<T> {
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
        let pool = ResultPool::default();
        let mut first = pool.room(100, 2).unwrap();
        first.site_ids.fill(7);
        assert_eq!((first.rows.len(), first.site_ids.len(), first.summaries.len()), (100, 100, 2));
        let second = pool.room(50, 1).unwrap();
        assert_eq!(pool.allocations(), 6);
        drop((first, second));
        for residues in [100, 112, 40, 0] {
            let (a, b) = (pool.room(residues, 2).unwrap(), pool.room(residues.min(50), 1).unwrap());
            assert_eq!((a.rows.len(), b.rows.len()), (residues, residues.min(50)));
        }
        assert_eq!(pool.allocations(), 6, "an eighth more was there");
        drop(pool.room(1000, 2).unwrap());
        assert_eq!(pool.allocations(), 8, "rows and sites are longer");
        pool.trim();
        drop(pool.room(10, 1).unwrap());
        assert_eq!(pool.allocations(), 11);
    }

    #[test]
    fn what_is_kept_for_long_is_not_kept_for_ever() {
        let pool = ResultPool::default();
        let many: Vec<_> = (0..50).map(|_| pool.room(10, 1).unwrap()).collect();
        drop(many);
        assert_eq!(pool.rows.free().len(), MOST_FREE);
    }

    #[test]
    fn a_clone_and_a_vec_are_the_callers_own() {
        let pool = ResultPool::default();
        let mut computed = pool.room(3, 1).unwrap();
        computed.site_ids.copy_from_slice(&[1, 2, 3]);
        let clone = computed.clone();
        assert_eq!(computed.site_ids.into_vec(), [1, 2, 3]);
        drop((computed.rows, computed.summaries));
        assert_eq!(pool.site_ids.free().len(), 0);
        assert_eq!(clone.site_ids, vec![1, 2, 3].into());
        drop(clone);
        assert_eq!((pool.site_ids.free().len(), pool.rows.free().len()), (0, 1));
    }

    #[test]
    fn too_much_is_an_error() {
        let error = ResultPool::default().room(usize::MAX / 256, 1).unwrap_err();
        assert!(error.is_out_of_memory(), "{error}");
    }
}
