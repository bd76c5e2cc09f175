//! The owner of a block, and where the block returns to.

use super::core::{Core, PoolBlock};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

/// A block with one owner; it returns to its pool if it has one.
pub(crate) struct Lease<B: PoolBlock> {
    /// `Some` until this is dropped.
    block: Option<B>,
    home: Option<Weak<Core<B>>>,
}

impl<B: PoolBlock> Lease<B> {
    /// A block that is freed when it is dropped.
    pub(crate) fn owned(block: B) -> Self {
        Self { block: Some(block), home: None }
    }

    /// A block of a pool.
    pub(crate) fn of(home: &Arc<Core<B>>, block: B) -> Self {
        Self { block: Some(block), home: Some(Arc::downgrade(home)) }
    }

    /// The pool that it returns to, unless that is gone.
    pub(crate) fn home(&self) -> Option<Arc<Core<B>>> {
        self.home.as_ref()?.upgrade()
    }
}

impl<B: PoolBlock> Deref for Lease<B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.block.as_ref().expect("a lease has its block until it is dropped")
    }
}

impl<B: PoolBlock> DerefMut for Lease<B> {
    fn deref_mut(&mut self) -> &mut B {
        self.block.as_mut().expect("a lease has its block until it is dropped")
    }
}

impl<B: PoolBlock> Drop for Lease<B> {
    /// Without a pool, the block frees itself after the work that uses it.
    fn drop(&mut self) {
        if let (Some(block), Some(home)) = (self.block.take(), self.home()) {
            home.give(block);
        }
    }
}
