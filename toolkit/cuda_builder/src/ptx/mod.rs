//! PTX as text: its functions and data, the header that a build adds, and reasons for refusal.

pub mod bounds;
mod butterfly;
pub mod checks;
pub mod convergent;
mod dependence;
pub mod divergence;
mod flow;
pub mod header;
mod local;
pub(crate) mod minima;
pub mod module;
pub mod needs;
mod ssa;
pub mod statics;
pub mod verify;
