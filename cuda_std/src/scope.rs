//! Who sees an atomic operation as one: a block, a device, or the whole system.

/// How far an atomic operation reaches.
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

/// A scope of atomic operations.
pub trait Scope: sealed::Sealed + 'static {
    #[doc(hidden)]
    const LEVEL: Level;
}

/// A scope that holds all blocks of a launch.
#[diagnostic::on_unimplemented(
    message = "atomics that all blocks update need a scope that holds all blocks",
    note = "write `&Atomics<T>` or `&Atomics<T, scope::System>`"
)]
pub trait AllBlocks: Scope {}

/// The threads of one block.
#[derive(Clone, Copy, Debug)]
pub enum Block {}

/// All threads of one device.
#[derive(Clone, Copy, Debug)]
pub enum Device {}

/// All threads of all devices, and the host.
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
