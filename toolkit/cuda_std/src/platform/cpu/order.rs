//! The order in which a core runs work that a GPU would run at the same time.
//!
//! Indices increase. For tests, in debug builds and with the feature `shuffled`, a seed can determine the order. Then each loop
//! over lanes chooses its order at run time. The compiler does not process several lanes of such a loop at a time, and kernels
//! take up to twice as long. So production code is a release build without the feature.

#[cfg(not(any(debug_assertions, feature = "shuffled")))]
mod rising;
#[cfg(any(debug_assertions, feature = "shuffled"))]
mod shuffled;

#[cfg(not(any(debug_assertions, feature = "shuffled")))]
pub(super) use rising::Numbers;
#[cfg(not(any(debug_assertions, feature = "shuffled")))]
pub use rising::Order;
#[cfg(any(debug_assertions, feature = "shuffled"))]
pub(super) use shuffled::Numbers;
#[cfg(any(debug_assertions, feature = "shuffled"))]
pub use shuffled::Order;
