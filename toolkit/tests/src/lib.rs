//! What the tests and benchmarks across packages share.

pub mod bench;
pub mod cited;
pub mod device;
pub mod dice;
pub mod simulated;
