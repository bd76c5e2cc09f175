//! Keeps the internals of public traits private.
//!
//! Code can call the methods of a trait that it cannot name: `fn f<M: BlockMemory>(memory: &M)` may call every method of
//! `BlockMemory`'s hidden supertrait. So methods that only phases may use take an [`Inside`].

/// The argument of methods that only this crate calls. Other crates cannot name its type, and no function returns one.
#[derive(Clone, Copy)]
pub struct Inside(());

/// The only value.
pub(crate) const INSIDE: Inside = Inside(());
