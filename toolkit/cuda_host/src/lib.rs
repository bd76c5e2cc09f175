//! The CUDA side of typed launch: devices, memory, streams, and kernels whose signature is checked on both sides.
//!
//! Kernels are written with [`cuda_std`]; this crate runs them, and is independent of what they compute.
//!
//! ```no_run
//! use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets, Image};
//! use cuda_std::prelude::*;
//!
//! #[kernel(threads = 128)]
//! pub fn double(block: &mut Block, out: &mut Segment<f32>, input: &[f32]) {
//!     let (n, first) = (out.len(), out.start());
//!     out.fill(block, n, |i| 2.0 * input.at(first + i));
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ptx = std::fs::read_to_string("kernels.sm_75.ptx")?;
//! // SAFETY: `cargo kernel build` made it from this crate. (`cuda_std::built_image!` needs no such claim.)
//! let image = unsafe { Image::from_files("kernels.sm_75.ptx", &ptx, &[]) };
//! let executor = CudaExecutor::open(0, "kernels", image)?;
//! let stream = executor.stream();
//! let input = DeviceBuffer::from_slice(stream, &[1.0f32, 2.0, 3.0])?;
//! let mut out = DeviceBuffer::<f32>::zeroed(stream, 3)?;
//! let offsets = DeviceOffsets::new(stream, &Offsets::new(vec![0, 2, 3])?)?;
//! let segments = Segments { data: out.view_mut(), offsets: &offsets };
//! double::launch(&executor, 2, double::Args { out: segments, input: input.view() })?;
//! assert_eq!(out.download(stream)?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is guaranteed, and how
//!
//! The guide's chapter *What is guaranteed, and how* (`guide/src/guarantees.md`) lists what the compiler enforces, what is
//! checked before a launch or in the kernel, and what is not enforced.
//!
//! # Memory for many batches
//!
//! [`GpuBufferPool`] and [`PinnedPool`] lease memory and reuse it without waiting. A [`Parcel`] is many small buffers that one
//! copy fills. A [`Graph`] is work that is recorded once and launched many times, with everything it uses. [`Timeline`]
//! shows what overlaps. A [`VisibleBuffer`] needs no copies: host and device access it in turn.
//!
//! # Panics of kernels
//!
//! A kernel that panics ends; the context and other streams survive. [`Stream::synchronize`] and downloads return
//! [`CudaError::Panic`], once on the kernel's stream and once on every stream that used its results. All memory that those
//! streams wrote since their last synchronisation is refused to readers with [`CudaError::Poisoned`] until it is written
//! again. That is more than the kernel wrote, because the launches of a stream are not distinguished.
#![deny(missing_docs)]

#[macro_use]
mod counted;

mod allocation;
mod args;
mod buffer;
pub mod compat;
mod context;
mod description;
mod device;
mod device_pool;
mod driver;
mod dynamic;
mod error;
mod executor;
mod foreign;
mod future;
mod graph;
mod host_memory;
pub mod image;
mod lent;
mod machine;
mod meeting;
mod module;
#[cfg(feature = "nvtx")]
pub mod nvtx;
mod occupancy;
mod offsets;
mod parcel;
mod part;
mod pinned;
mod pinned_block;
mod pinned_pool;
mod pinned_slice;
mod pool;
mod prepared;
mod schedule;
mod slot;
mod stream;
mod timeline;
mod usage;
mod view;
mod visible;
mod written;

pub use allocation::DeviceBlock;
pub use buffer::DeviceBuffer;
pub use context::{Context, DeviceMemory, MIN_COMPUTE_CAPABILITY};
pub use description::{Difference, SignaturePart};
pub use device::{CudaVersion, Device, DeviceInfo, driver_version};
pub use device_pool::{DeviceSource, GpuBufferPool};
pub use error::CudaError;
pub use executor::CudaExecutor;
pub use foreign::{ForeignBuffer, ForeignScope};
pub use future::Finished;
pub use graph::{Graph, Recorder, Staged};
pub use image::{Chip, Image};
pub use lent::{CallersContext, LentBuffer};
pub use machine::{Buffer, BufferOffsets, BufferView, BufferViewMut, Machine, Split};
pub use module::raw;
pub use module::{KernelAttributes, LoadedKernel, Module};
pub use occupancy::BlockSize;
pub use offsets::DeviceOffsets;
pub use parcel::Parcel;
pub use pinned::PinnedBuffer;
pub use pinned_block::PinnedBlock;
pub use pinned_pool::{PinnedPool, PinnedSource};
pub use pinned_slice::PinnedSlice;
pub use pool::{MemorySource, PoolOptions, PoolStatistics};
pub use stream::{Event, Stream};
pub use timeline::{OpenSpan, Span, Timeline};
pub use view::{DeviceView, DeviceViewMut};
pub use visible::VisibleBuffer;
