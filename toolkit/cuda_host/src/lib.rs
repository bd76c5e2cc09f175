//! The CUDA side of typed launch: devices, memory, streams, and kernels whose signature is checked on both sides.
//!
//! Kernels are written with [`cuda_std`]; this crate runs them. It knows nothing of what they compute.
//!
//! ```no_run
//! use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets};
//! use cuda_std::prelude::*;
//!
//! #[kernel(threads = 128)]
//! pub fn double(block: &mut Block, out: &mut Segment<f32>, input: &[f32]) {
//!     let (n, first) = (out.len(), out.start());
//!     out.fill(block, n, |i| 2.0 * input.at(first + i));
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ptx = std::fs::read_to_string("kernels.ptx")?;
//! let executor = CudaExecutor::open(0, "kernels", &ptx)?;
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
//! | guarantee | how |
//! |---|---|
//! | arguments have the kernel's number, order, types and mutability | compiler: [`Args`](cuda_std::launch::Kernel::Args) are made from its signature |
//! | a buffer that a launch writes is no other argument of it | compiler: [`DeviceViewMut`] borrows it mutably |
//! | the PTX was compiled from the same signature and layouts | a check when a kernel is first used: [`Module::kernel`] |
//! | every block has its part of every output, and every part its memory | a check before each launch |
//! | the grid and the shared memory are what the device has | a check before each launch |
//! | the arguments fulfil the kernel's `requires(..)` | a check before each launch |
//! | work on one buffer is in order on any number of streams | a note of each use with the buffer; waits on the device |
//! | memory is not freed or read while a copy or a kernel uses it | whoever drops or looks waits first |
//! | the host does not look at memory that it shares with the device while work uses it | looking waits, and borrows it; a graph's memory is refused: [`VisibleBuffer`] |
//! | no two buffers of a pool have the same memory while work uses it | a lease owns it; its uses go with it, and the next user waits on the device |
//! | a graph's memory lives as long as the graph, and its launches are in order with other work | the graph has it too, and notes its uses |
//! | results of a kernel that panicked are not handed out | downloads look at the panic records of all streams behind them |
//! | no call panics without CUDA or with an old driver | functions of the driver are looked up; [`CudaError`] says what is missing |
//!
//! # Memory for many batches
//!
//! [`GpuBufferPool`] and [`PinnedPool`] lease memory that is used again, without waiting; a [`Graph`] is work that is
//! recorded once and launched many times, with all that it uses; [`Timeline`] shows what overlaps. A [`VisibleBuffer`]
//! needs no copies: host and device take turns in it.
//!
//! # Panics of kernels
//!
//! A kernel that panics ends; the context and other streams live on. [`Stream::synchronize`] and downloads return
//! [`CudaError::Panic`], once on the kernel's stream and once on every stream that used its results. What those
//! streams have written since their last synchronisation is refused to every reader with [`CudaError::Poisoned`]
//! until it is written again. That is more than the kernel wrote: which launch of a stream it was is not looked into.
#![deny(missing_docs)]

mod allocation;
mod args;
mod buffer;
pub mod compat;
mod context;
mod description;
mod device;
mod driver;
mod dynamic;
mod error;
mod event;
mod executor;
mod graph;
mod host_memory;
mod module;
mod occupancy;
mod offsets;
mod pinned;
mod pinned_block;
mod pool;
mod slot;
mod stream;
mod timeline;
mod usage;
mod view;
mod visible;
mod written;

pub use allocation::DeviceBlock;
pub use buffer::DeviceBuffer;
pub use context::{Context, DeviceMemory};
pub use description::{Difference, Place};
pub use device::{CudaVersion, Device, DeviceInfo, MIN_COMPUTE_CAPABILITY, driver_version};
pub use error::CudaError;
pub use event::Event;
pub use executor::CudaExecutor;
pub use graph::{Graph, Recorder, Staged};
pub use module::raw;
pub use module::{KernelAttributes, LoadedKernel, Module};
pub use occupancy::BlockSize;
pub use offsets::DeviceOffsets;
pub use pinned::PinnedBuffer;
pub use pinned_block::PinnedBlock;
pub use pool::{DeviceSource, GpuBufferPool, MemorySource, PinnedPool, PinnedSource, PoolOptions, PoolStatistics};
pub use stream::Stream;
pub use timeline::{OpenSpan, Span, Timeline};
pub use view::{DeviceView, DeviceViewMut};
pub use visible::VisibleBuffer;
