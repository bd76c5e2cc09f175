//! Raw access to the elements of a memory.

use crate::platform::Place;
use crate::seal::Inside;
use bytemuck::Pod;

/// Raw access to a memory's elements: what phases are made of, which alone call it.
pub trait Elements: Sized {
    /// What it holds.
    type Item: Pod;
    /// The same elements, when it is known where they lie.
    type Resolved: Elements<Item = Self::Item>;
    /// Finds out where the elements lie: once for a phase.
    fn resolved(&self, _: Inside) -> Self::Resolved;
    /// How many.
    fn count(&self) -> u32;
    /// Whether the kernel can read them, so that a phase that writes them ends with a barrier.
    const READABLE: bool;
    /// Whether other threads may still read or write them, so that a phase that writes them begins with a barrier. Each
    /// such phase asks once, before it begins, and from then on they may.
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
    /// Where element `i` lies, for atomic operations.
    fn place(&self, i: u32, _: Inside) -> Place<Self::Item>;
}
