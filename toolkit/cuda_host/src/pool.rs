//! Reused memory: size classes, leases, statistics.
//!
//! A pool leases memory, which returns when its buffer is dropped, with a record of the pending work on it. The next user's
//! work is ordered after that work on the device.

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
