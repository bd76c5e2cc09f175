//! The arguments of a launch: buffers that a kernel reads, and each block's parts of those that it writes.

pub mod access;
pub(crate) mod atomic;
pub(crate) mod chunk;
pub(crate) mod elements;
pub(crate) mod input;
pub(crate) mod scatter;
pub(crate) mod segment;
pub(crate) mod table;
pub(crate) mod tile_2d;

pub use atomic::{Atomic, AtomicBits, AtomicItem, AtomicMemory, Atomics, Cells};
pub use chunk::Chunk;
pub use input::Input;
pub use scatter::{Scatter, Slots};
pub use segment::{Clamped, Part, Segment, View};
pub use table::{Column, Table, Window, Windows};
pub use tile_2d::Tile2d;
