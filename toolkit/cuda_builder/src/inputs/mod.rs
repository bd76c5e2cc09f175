//! What goes into a kernel crate's PTX: its packages, their sources, the locked versions, and one digest over them.
//!
//! All of it is read without cargo, so that an unchanged crate is known as such in milliseconds.

pub mod cfg_expr;
pub mod digest;
pub mod graph;
pub mod lockfile;
pub mod sources;
