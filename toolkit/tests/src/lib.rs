//! Shared by the tests and benchmarks across packages.

pub mod bench;
pub mod cited;
pub mod device;
pub mod dice;
pub mod memory_model;
pub mod simulated;
