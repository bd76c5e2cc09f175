//! Why a launch failed.

use crate::Grid;
use crate::panic::KernelPanic;

/// Why a kernel did not run, or not to its end.
///
/// ```
/// # use cuda_std::launch::LaunchError;
/// # use cuda_std::prelude::*;
/// /// The reciprocal of each element; `x` is as long as `out`.
/// #[kernel(threads = 32, requires(x.len() == out.len()))]
/// fn reciprocals(block: &mut Block, out: &mut Chunk<u32, 32>, x: &[u32]) {
///     let (n, first) = (out.len(), out.start());
///     out.fill(block, n, |i| 1000 / x.at(first + i));
/// }
/// # fn main() {
/// let run = |blocks: u32, x: &[u32]| {
///     let mut out = [0; 40];
///     reciprocals::launch(&CpuExecutor::new(), blocks, reciprocals::Args { out: &mut out, x })
/// };
/// assert_eq!(run(2, &[8; 40]), Ok(()));
/// assert!(matches!(run(1, &[8; 40]), Err(LaunchError::Chunks { needed: 2, blocks: 1, .. })));
/// let short = run(2, &[8; 39]).unwrap_err();
/// assert!(matches!(short, LaunchError::Requirement { .. }));
/// assert!(short.to_string().contains("x.len() == out.len()"));
/// // A panic of a kernel is also an error.
/// let Err(LaunchError::Panic(panic)) = run(2, &[0; 40]) else { panic!("nothing can be divided by 0") };
/// assert_eq!((panic.kernel.as_str(), panic.message.as_deref()), ("reciprocals", Some("attempt to divide by zero")));
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A ragged buffer has fewer segments than there are blocks.
    #[error("kernel `{kernel}`: `{argument}` has {segments} segments, but {blocks} blocks were to run")]
    TooFewSegments {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The number of segments.
        segments: usize,
        /// The number of requested blocks.
        blocks: u32,
    },
    /// A ragged buffer is shorter than its offsets require.
    #[error("kernel `{kernel}`: the segments of `{argument}` end at element {end}, but its buffer has {len}")]
    BufferTooShort {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The end of the last segment.
        end: u32,
        /// The buffer's length.
        len: usize,
    },
    /// More blocks than a device supports.
    #[error("kernel `{kernel}`: a grid of {grid} blocks is beyond 2147483647 x 65535 x 65535, or its {} blocks beyond 4294967295; launch parts", number(*grid))]
    GridTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The requested grid.
        grid: Grid,
    },
    /// More dimensions than the kernel's grid has.
    #[error("kernel `{kernel}` has a grid of {dimensions} dimension(s), and {grid} blocks were to run; write #[kernel(grid = {})]", if grid.z == 1 { 2 } else { 3 })]
    GridDimensions {
        /// The kernel.
        kernel: &'static str,
        /// The requested grid.
        grid: Grid,
        /// The number of dimensions in the kernel's attribute.
        dimensions: u32,
    },
    /// The number of blocks differs from the number of the buffer's chunks.
    #[error(
        "kernel `{kernel}`: the {len} elements of `{argument}`, {per_block} a block, take {needed} blocks, but {blocks} were to run"
    )]
    Chunks {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The buffer's length.
        len: usize,
        /// Elements in a chunk.
        per_block: usize,
        /// The correct number of blocks.
        needed: usize,
        /// The number of requested blocks.
        blocks: u32,
    },
    /// The grid differs from the one that the matrix's tiles need.
    #[error(
        "kernel `{kernel}`: the {rows} x {columns} elements of `{argument}`, in tiles of {} x {}, take a grid of {} x {} x 1 blocks, but {grid} were to run",
        tile[0], tile[1], needed.0, needed.1
    )]
    Tiles {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: u32,
        /// Rows and columns of a tile.
        tile: [usize; 2],
        /// The correct x and y of the grid.
        needed: (usize, usize),
        /// The requested grid.
        grid: Grid,
    },
    /// A matrix's buffer does not hold whole rows.
    #[error("kernel `{kernel}`: `{argument}` has {len} elements, which are no whole rows of {columns} columns")]
    Ragged {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The buffer's length.
        len: usize,
        /// Columns of the matrix.
        columns: u32,
    },
    /// A buffer is written, and has more elements than a 32-bit index can address.
    #[error("kernel `{kernel}`: `{argument}` has {len} elements, and an output has at most 4294967295; launch parts")]
    TooLong {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The buffer's length.
        len: usize,
    },
    /// More dynamic shared memory than any device has.
    #[error(
        "kernel `{kernel}`: the {length} elements of {element_bytes} bytes of `{argument}` are more shared memory than the {limit} bytes of any device"
    )]
    SharedMemory {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The number of elements.
        length: u32,
        /// The size of an element.
        element_bytes: usize,
        /// The largest possible size.
        limit: usize,
    },
    /// The arguments violate the kernel's contract.
    #[error("kernel `{kernel}` requires `{expression}`")]
    Requirement {
        /// The kernel.
        kernel: &'static str,
        /// The condition that does not hold.
        expression: &'static str,
    },
    /// The kernel's contract could not be evaluated, for example because a number overflowed.
    #[error("kernel `{kernel}`: what it requires cannot be computed: {reason}")]
    RequirementFailed {
        /// The kernel.
        kernel: &'static str,
        /// The reason.
        reason: String,
    },
    /// The launch took longer than its limit.
    #[error("kernel `{kernel}` did not end within {limit:?}; its blocks may wait for each other, or loop for ever")]
    TimeLimit {
        /// The kernel.
        kernel: &'static str,
        /// The time limit.
        limit: std::time::Duration,
    },
    /// The environment asks for another schedule by something else than a number.
    #[error(
        "the variable CUDA_SCHEDULE_SEED is `{value}`, and a seed is a number from 0 to 18446744073709551615; unset it, or give a number"
    )]
    ScheduleSeed {
        /// The variable's value.
        value: String,
    },
    /// A thread panicked.
    #[error(transparent)]
    Panic(#[from] KernelPanic),
}

fn number(grid: Grid) -> u128 {
    u128::from(grid.x) * u128::from(grid.y) * u128::from(grid.z)
}
