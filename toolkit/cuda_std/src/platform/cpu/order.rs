//! The order in which a core runs work that a GPU would run at the same time.
//!
//! Indices increase. For tests, with the feature `shuffled`, a seed can determine the order. Then each loop over lanes chooses
//! its order at run time. The compiler does not process several lanes of such a loop at a time, and kernels take up to twice as
//! long. So production code is compiled without the feature.

#[cfg(not(feature = "shuffled"))]
mod rising;
#[cfg(feature = "shuffled")]
mod shuffled;

#[cfg(not(feature = "shuffled"))]
pub(super) use rising::Numbers;
#[cfg(not(feature = "shuffled"))]
pub use rising::Order;
#[cfg(feature = "shuffled")]
pub(super) use shuffled::Numbers;
#[cfg(feature = "shuffled")]
pub use shuffled::Order;
