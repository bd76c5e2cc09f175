//! Reused memory: size classes, leases, statistics.
//!
//! A pool leases memory, which returns when its buffer is dropped, with a record of the pending work on it. The next user's
//! work is ordered after that work on the device.

mod classes;
mod core;
mod lease;
mod source;
mod sync;

pub use self::classes::PoolOptions;
pub use self::core::PoolStatistics;
pub use self::source::MemorySource;

pub(crate) use self::core::{Core, PoolBlock};
pub(crate) use self::lease::Lease;
