//! The commands of `cargo cuda`, for this program and for the tools of a workspace.
#![deny(unsafe_op_in_unsafe_fn)]

pub mod build;
pub mod bundle;
pub mod doctor;
pub mod new;
pub mod ptxas;
