//! Scopes of atomic operations: a block, a device, or the whole system.

/// The threads for which an operation is atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Level {
    Block,
    Device,
    System,
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Block {}
    impl Sealed for super::Device {}
    impl Sealed for super::System {}
}

/// A scope of atomic operations: [`Block`], [`Device`] or [`System`].
pub trait Scope: sealed::Sealed + 'static {
    #[doc(hidden)]
    const LEVEL: Level;
}

/// A scope that contains all blocks of a launch.
///
/// ```compile_fail,E0277
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn too_narrow(block: &mut Block, x: &Atomics<u32, scope::Block>) {}
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "atomics that all blocks update need a scope that holds all blocks",
    note = "write `&Atomics<T>` or `&Atomics<T, scope::System>`"
)]
pub trait AllBlocks: Scope {}

/// The threads of one block: the scope of a block's own memory, [`Cells`](crate::Cells). [`Atomics`](crate::Atomics) need
/// one that contains [all blocks](AllBlocks).
#[derive(Clone, Copy, Debug)]
pub enum Block {}

/// All threads of one device: the scope of `&Atomics<T>`.
#[derive(Clone, Copy, Debug)]
pub enum Device {}

/// All threads of all devices, and the host: `&Atomics<T, scope::System>`, in memory that they share.
#[derive(Clone, Copy, Debug)]
pub enum System {}

impl Scope for Block {
    const LEVEL: Level = Level::Block;
}
impl Scope for Device {
    const LEVEL: Level = Level::Device;
}
impl Scope for System {
    const LEVEL: Level = Level::System;
}
impl AllBlocks for Device {}
impl AllBlocks for System {}
