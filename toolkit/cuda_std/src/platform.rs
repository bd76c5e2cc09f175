//! The few parts that differ between a GPU and CPU cores. Everything else is one source.

#[cfg(not(target_arch = "nvptx64"))]
mod cpu;
#[cfg(target_arch = "nvptx64")]
mod device;

#[cfg(not(target_arch = "nvptx64"))]
pub use cpu::*;
#[cfg(target_arch = "nvptx64")]
pub use device::*;

/// The number of running values that [`Block::reduce`](crate::Block::reduce) keeps.
pub(crate) const REDUCE_SLOTS: u32 = 1024;

/// What a scan does with its values.
pub(crate) struct Scan<T> {
    /// Whether an element's result includes its own value.
    pub(crate) inclusive: bool,
    /// The value before all others.
    pub(crate) initial: T,
    /// The neutral value.
    pub(crate) identity: T,
}
