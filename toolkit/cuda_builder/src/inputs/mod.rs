//! The inputs of a kernel crate's PTX: its packages, their sources, the locked versions, and one digest of them.
//!
//! They are read without cargo, so an unchanged crate is recognised in milliseconds.

pub mod cfg_expr;
pub mod digest;
pub mod graph;
pub mod lockfile;
pub mod sources;
