//! Shared code of the tests and benchmarks across packages.

pub mod copies;
pub mod data;
pub mod same;
pub mod slots;
pub mod synthetic;
pub mod vector;
pub use toolkit_tests::{bench, cited, device, dice, simulated};
