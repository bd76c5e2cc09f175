//! Sort, reduce, scan, count and select, on a GPU or on CPU cores with the same results.
//!
//! ```
//! use cuda_algorithms::{Sum, reduce, sort_by_key};
//! use cuda_host::{CudaError, Machine};
//!
//! # fn main() -> Result<(), CudaError> {
//! // `Machine::best("algorithms", cuda_algorithms::IMAGE)` is a GPU if there is one.
//! let machine = Machine::cpu();
//! let mut keys = machine.buffer(&[3i16, -1, 2])?;
//! let mut values = machine.buffer(&[0.5f32, 1.5, 2.5])?;
//! sort_by_key(&machine, keys.view_mut(), values.view_mut())?;
//! assert_eq!((keys.download()?, values.download()?), (vec![-1, 2, 3], vec![1.5, 2.5, 0.5]));
//! assert_eq!(reduce(&machine, Sum, values.view())?, 4.5);
//! # Ok(())
//! # }
//! ```
//!
//! Functions such as [`sort()`] allocate the memory that they need. Structs such as [`Sort`] keep it for several calls.
//!
//! A program with kernels of its own has one machine for both:
//!
//! ```
//! # use cuda_host::{CudaError, Machine};
//! # let machine = Machine::cpu();
//! let with_algorithms = machine.with("algorithms", cuda_algorithms::IMAGE)?;
//! # Ok::<(), CudaError>(())
//! ```
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
#![deny(unsafe_code)]

pub mod by_key;
mod chained;
pub mod histogram;
mod operation;
mod parts;
pub mod reduce;
pub mod scan;
pub mod select;
pub mod sort;

#[cfg(not(target_arch = "nvptx64"))]
pub use by_key::{ReduceByKey, RunsOf, reduce_by_key};
#[cfg(not(target_arch = "nvptx64"))]
pub use chained::Count;
#[cfg(not(target_arch = "nvptx64"))]
pub use histogram::{Counted, histogram};
pub use operation::{Associative, Largest, Operation, Smallest, Sum};
#[cfg(not(target_arch = "nvptx64"))]
pub use reduce::{Reduce, reduce};
#[cfg(not(target_arch = "nvptx64"))]
pub use scan::{Scan, Scanned, scan};
#[cfg(not(target_arch = "nvptx64"))]
pub use select::{InRuns, Select, Selected, runs, select, unique};
#[cfg(not(target_arch = "nvptx64"))]
pub use sort::{Keys, KeysWith, PairSort, Sort, SortKey, SortValue, sort, sort_by_key};

/// The kernels as PTX, built by build.rs; or the reason why they could not be built.
#[cfg(not(target_arch = "nvptx64"))]
pub const IMAGE: Result<cuda_std::launch::Image<'_>, &str> = cuda_std::built_image!();
