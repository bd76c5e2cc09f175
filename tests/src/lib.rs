//! Shared code of the tests and benchmarks across packages.

pub mod copies;
pub mod data;
pub mod synthetic;
pub use toolkit_tests::{bench, cited, device, dice, simulated};
