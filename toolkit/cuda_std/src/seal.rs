//! What keeps the insides of public traits inside.
//!
//! A trait that nobody can name still lends its methods: `fn f<M: BlockMemory>(memory: &M)` may call every method of
//! `BlockMemory`'s hidden supertrait. So methods that hand out what a phase alone may have take an [`Inside`].

/// Taken by methods that only this crate calls. Its type cannot be named elsewhere, and no function gives one.
#[derive(Clone, Copy)]
pub struct Inside(());

/// The one there is.
pub(crate) const INSIDE: Inside = Inside(());
