//! PTX of the kernels in `tensor-kernels`. A package of its own makes it, so that the kernels need nothing to be built with.

/// The kernels for chips from 7.5, 8.0 and 9.0 on, by their names; or why they could not be made.
pub const PTX: Result<&[(&str, &str)], &str> = include!(concat!(env!("OUT_DIR"), "/ptx.rs"));
