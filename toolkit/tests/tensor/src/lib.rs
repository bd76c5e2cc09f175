//! PTX of the kernels in `tensor-kernels`. A separate package builds it, so that the kernels have no build dependencies.

/// The kernels for chips from 7.5, 8.0 and 9.0 on, by name; or why they could not be built.
pub const PTX: Result<&[(&str, &str)], &str> = include!(concat!(env!("OUT_DIR"), "/ptx.rs"));
