//! What the tests and benchmarks across packages share.

pub mod bench;
pub mod copies;
pub mod data;
pub mod device;
pub mod dice;
pub mod synthetic;
