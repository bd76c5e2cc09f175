//! Large memory that is zero at first and is not touched until it is written.

use super::EngineError;
use crate::huge_pages;
use bytemuck::Pod;
use memmap2::MmapMut;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// From so many bytes on, the memory comes from the system itself.
const LEAST_MAPPED: usize = 1 << 20;

/// Elements that are zero at first. The thread that writes a page is the first to touch it: several threads write the results of a
/// batch. From an allocator, one thread would fill them with zeros first, wherever it uses freed memory again.
#[derive(Debug)]
pub(super) enum Zeroed<T> {
    Allocated(Vec<T>),
    Mapped(MmapMut, PhantomData<T>),
}

impl<T: Pod> Zeroed<T> {
    /// # Errors
    /// [`EngineError::OutOfHostMemory`].
    pub(super) fn new(len: usize) -> Result<Self, EngineError> {
        let bytes = len.saturating_mul(size_of::<T>());
        let elements = if bytes < LEAST_MAPPED {
            bytemuck::allocation::try_zeroed_vec(len).ok().map(Self::Allocated)
        } else {
            MmapMut::map_anon(bytes).ok().map(|pages| Self::Mapped(pages, PhantomData))
        };
        let elements = elements.ok_or(EngineError::OutOfHostMemory { bytes })?;
        huge_pages::under(&elements);
        Ok(elements)
    }
}

impl<T> Default for Zeroed<T> {
    /// No elements.
    fn default() -> Self {
        Self::Allocated(Vec::new())
    }
}

impl<T: Pod> Deref for Zeroed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Allocated(elements) => elements,
            // Pages are aligned for every element.
            Self::Mapped(pages, _) => bytemuck::cast_slice(pages),
        }
    }
}

impl<T: Pod> DerefMut for Zeroed<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Allocated(elements) => elements,
            Self::Mapped(pages, _) => bytemuck::cast_slice_mut(pages),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_zero_and_may_be_written() {
        const OF_A_MAPPING: usize = LEAST_MAPPED / size_of::<f64>();
        for len in [0, 1, OF_A_MAPPING - 1, OF_A_MAPPING, 5 * OF_A_MAPPING + 3] {
            let mut elements = Zeroed::<f64>::new(len).unwrap();
            assert_eq!(matches!(elements, Zeroed::Mapped(..)), len >= OF_A_MAPPING);
            assert_eq!(elements.len(), len);
            assert!(elements.iter().all(|element| *element == 0.0));
            elements.fill(1.5);
            assert!(elements.iter().all(|element| *element == 1.5));
        }
    }

    #[test]
    fn too_much_is_an_error() {
        for len in [usize::MAX / 16, usize::MAX] {
            assert!(Zeroed::<u64>::new(len).unwrap_err().is_out_of_memory());
        }
    }
}
