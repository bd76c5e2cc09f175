//! Why a launch failed.

use crate::Grid;
use crate::panic::KernelPanic;

/// Why a kernel was not run, or not to its end.
///
/// ```
/// # use cuda_std::launch::LaunchError;
/// # use cuda_std::prelude::*;
/// /// One over each element; `x` is as long as `out`.
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
/// // A panic of a kernel is an error too.
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
        /// How many segments there are.
        segments: usize,
        /// How many blocks were asked for.
        blocks: u32,
    },
    /// A ragged buffer is shorter than its offsets say.
    #[error("kernel `{kernel}`: the segments of `{argument}` end at element {end}, but its buffer has {len}")]
    BufferTooShort {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// Where the last segment ends.
        end: u32,
        /// The buffer's length.
        len: usize,
    },
    /// More blocks than a device takes.
    #[error("kernel `{kernel}`: a grid of {grid} blocks is beyond 2147483647 x 65535 x 65535, or its {} blocks beyond 4294967295; launch parts", number(*grid))]
    GridTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The requested value.
        grid: Grid,
    },
    /// More dimensions than the kernel counts blocks in.
    #[error("kernel `{kernel}` has a grid of {dimensions} dimension(s), and {grid} blocks were to run; write #[kernel(grid = {})]", if grid.z == 1 { 2 } else { 3 })]
    GridDimensions {
        /// The kernel.
        kernel: &'static str,
        /// The requested value.
        grid: Grid,
        /// What the kernel's attribute says.
        dimensions: u32,
    },
    /// Not as many blocks as a buffer has chunks.
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
        /// Elements of a chunk.
        per_block: usize,
        /// Blocks that would do.
        needed: usize,
        /// How many blocks were asked for.
        blocks: u32,
    },
    /// Not the grid that a matrix's tiles take.
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
        /// The grid's x and y that would do.
        needed: (usize, usize),
        /// The requested value.
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
    /// A buffer that is written and has more elements than a 32-bit index reaches.
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
        /// Elements asked for.
        length: u32,
        /// Size of each.
        element_bytes: usize,
        /// The most there is.
        limit: usize,
    },
    /// The arguments do not fulfil the kernel's contract.
    #[error("kernel `{kernel}` requires `{expression}`")]
    Requirement {
        /// The kernel.
        kernel: &'static str,
        /// What does not hold.
        expression: &'static str,
    },
    /// The kernel's contract could not be computed: a number overflowed, say.
    #[error("kernel `{kernel}`: what it requires cannot be computed: {reason}")]
    RequirementFailed {
        /// The kernel.
        kernel: &'static str,
        /// Why.
        reason: String,
    },
    /// The launch took longer than it may.
    #[error("kernel `{kernel}` did not end within {limit:?}; its blocks may wait for each other, or loop for ever")]
    TimeLimit {
        /// The kernel.
        kernel: &'static str,
        /// How long it may take.
        limit: std::time::Duration,
    },
    /// A thread panicked.
    #[error(transparent)]
    Panic(#[from] KernelPanic),
}

fn number(grid: Grid) -> u128 {
    u128::from(grid.x) * u128::from(grid.y) * u128::from(grid.z)
}
