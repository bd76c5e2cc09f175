//! What is checked before a launch.

use super::{ArgVisitor, Kernel, Segments, Space};
use crate::Grid;
use crate::panic::KernelPanic;
use cuda_layout::DeviceLayout;

/// Why a kernel was not run, or not to its end.
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
        /// What was asked for.
        grid: Grid,
    },
    /// More dimensions than the kernel counts blocks in.
    #[error("kernel `{kernel}` has a grid of {dimensions} dimension(s), and {grid} blocks were to run; write #[kernel(grid = {})]", if grid.z == 1 { 2 } else { 3 })]
    GridDimensions {
        /// The kernel.
        kernel: &'static str,
        /// What was asked for.
        grid: Grid,
        /// What the kernel's attribute says.
        dimensions: u32,
    },
    /// A thread panicked.
    #[error(transparent)]
    Panic(#[from] KernelPanic),
}

fn number(grid: Grid) -> u128 {
    u128::from(grid.x) * u128::from(grid.y) * u128::from(grid.z)
}

/// Checks what a launch's types cannot: that a device takes the grid, that every block has its segment, and every
/// segment its memory. Returns the number of blocks.
///
/// # Errors
/// [`LaunchError`] for the first thing that does not fit.
pub fn check_arguments<K: Kernel, S: Space>(grid: Grid, args: &mut K::Args<'_, S>) -> Result<u32, LaunchError> {
    struct Check {
        kernel: &'static str,
        blocks: u32,
        found: Result<(), LaunchError>,
    }
    impl<S: Space> ArgVisitor<S> for Check {
        fn slice<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Ref<'_, T>) {}

        fn segments<T: DeviceLayout>(&mut self, argument: &'static str, argument_value: &mut Segments<'_, S, T>) {
            let Self { kernel, blocks, .. } = *self;
            let (segments, end) = S::extent(&argument_value.offsets);
            let len = S::len_mut(&argument_value.data);
            if self.found.is_ok() {
                self.found = if segments < blocks as usize {
                    Err(LaunchError::TooFewSegments { kernel, argument, segments, blocks })
                } else if len < end as usize {
                    Err(LaunchError::BufferTooShort { kernel, argument, end, len })
                } else {
                    Ok(())
                };
            }
        }

        fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
    }
    let within = [grid.x, grid.y, grid.z].iter().zip(Grid::LIMITS).all(|(size, limit)| *size <= limit);
    let blocks = match grid.blocks() {
        Some(blocks) if within => blocks,
        _ => return Err(LaunchError::GridTooLarge { kernel: K::NAME, grid }),
    };
    if (K::DIMENSIONS < 2 && grid.y != 1) || (K::DIMENSIONS < 3 && grid.z != 1) {
        return Err(LaunchError::GridDimensions { kernel: K::NAME, grid, dimensions: K::DIMENSIONS });
    }
    let mut check = Check { kernel: K::NAME, blocks, found: Ok(()) };
    K::visit(args, &mut check);
    check.found.map(|()| blocks)
}
