//! Memory that is used again: size classes, leases, statistics.
//!
//! A pool hands memory out and takes it back when the buffer that has it is dropped, with a note of the work on it
//! that is still under way. The next user's work is ordered behind that work on the device.

mod classes;
mod core;
mod device;
mod lease;
mod pinned;
mod source;
mod sync;

pub use self::classes::PoolOptions;
pub use self::core::PoolStatistics;
pub use self::device::GpuBufferPool;
pub use self::pinned::PinnedPool;
pub use self::source::{DeviceSource, MemorySource, PinnedSource};

pub(crate) use self::core::PoolBlock;
pub(crate) use self::lease::Lease;
