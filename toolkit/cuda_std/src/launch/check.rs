//! What is checked before a launch.

use super::{ArgVisitor, DynamicLength, Kernel, LaunchError, Matrix, Segments, Space};
use crate::Grid;
use crate::panic::cpu::catch;
use cuda_layout::DeviceLayout;

/// The most dynamic shared memory of a block that any device has, in bytes. The device at hand may have less, which its
/// executor checks.
pub const MAX_SHARED_BYTES: usize = 232_448;

/// Checks what a launch's types cannot: that a device takes the grid, that every block has its part of every output and
/// every part its memory, and that the arguments fulfil the kernel's contract. Returns the number of blocks.
///
/// # Errors
/// The first [`LaunchError`] there is, in this order: of the grid, of the arguments as the signature has them, of
/// `requires(..)`. Never [`LaunchError::Panic`].
///
/// An executor calls it before anything else; the example at [`Executor`](super::Executor) is one.
pub fn check_arguments<K: Kernel, S: Space>(grid: Grid, args: &mut K::Args<'_, S>) -> Result<u32, LaunchError> {
    let kernel = K::NAME;
    let within = [grid.x, grid.y, grid.z].iter().zip(Grid::LIMITS).all(|(size, limit)| *size <= limit);
    let blocks = match grid.blocks() {
        Some(blocks) if within => blocks,
        _ => return Err(LaunchError::GridTooLarge { kernel, grid }),
    };
    if (K::DIMENSIONS < 2 && grid.y != 1) || (K::DIMENSIONS < 3 && grid.z != 1) {
        return Err(LaunchError::GridDimensions { kernel, grid, dimensions: K::DIMENSIONS });
    }
    let mut check = Check { kernel, grid, blocks, found: Ok(()) };
    K::visit(args, &mut check);
    check.found?;
    let mut unmet = None;
    // An expression may overflow or divide by zero, which a launch must survive.
    let computed = catch(kernel, [0; 3], || unmet = K::unmet_requirement(args, grid));
    computed.map_err(|panic| {
        let message = panic.message.as_deref().unwrap_or("it panicked");
        let reason = format!("{message} ({}:{}:{})", panic.file, panic.line, panic.column);
        LaunchError::RequirementFailed { kernel, reason }
    })?;
    match unmet {
        Some(expression) => Err(LaunchError::Requirement { kernel, expression }),
        None => Ok(blocks),
    }
}

struct Check {
    kernel: &'static str,
    grid: Grid,
    blocks: u32,
    found: Result<(), LaunchError>,
}

impl Check {
    /// Keeps the first error.
    fn note(&mut self, check: impl FnOnce(&Self) -> Result<(), LaunchError>) {
        if self.found.is_ok() {
            self.found = check(self);
        }
    }

    fn check_index(&self, argument: &'static str, len: usize) -> Result<(), LaunchError> {
        let kernel = self.kernel;
        if u32::try_from(len).is_ok() { Ok(()) } else { Err(LaunchError::TooLong { kernel, argument, len }) }
    }
}

impl<S: Space> ArgVisitor<S> for Check {
    fn slice<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Ref<'_, T>) {}

    fn segments<T: DeviceLayout>(&mut self, argument: &'static str, ragged: &mut Segments<'_, S, T>) {
        self.note(|&Self { kernel, blocks, .. }| {
            let (segments, end) = S::extent(&ragged.offsets);
            let len = S::len_mut(&ragged.data);
            if segments < blocks as usize {
                Err(LaunchError::TooFewSegments { kernel, argument, segments, blocks })
            } else if len < end as usize {
                Err(LaunchError::BufferTooShort { kernel, argument, end, len })
            } else {
                Ok(())
            }
        });
    }

    fn chunks<T: DeviceLayout>(&mut self, argument: &'static str, buffer: &mut S::Mut<'_, T>, per_block: usize) {
        self.note(|check| {
            let (len, kernel, blocks) = (S::len_mut(buffer), check.kernel, check.blocks);
            check.check_index(argument, len)?;
            let needed = Grid::to_cover(len, per_block);
            if needed == blocks as usize {
                Ok(())
            } else {
                Err(LaunchError::Chunks { kernel, argument, len, per_block, needed, blocks })
            }
        });
    }

    fn matrix<T: DeviceLayout>(&mut self, argument: &'static str, matrix: &mut Matrix<'_, S, T>, tile: [usize; 2]) {
        self.note(|check| {
            let (len, columns) = (S::len_mut(&matrix.data), matrix.columns);
            let (kernel, grid) = (check.kernel, check.grid);
            check.check_index(argument, len)?;
            let rows = len.checked_div(columns as usize).unwrap_or(0);
            if rows * columns as usize != len {
                return Err(LaunchError::Ragged { kernel, argument, len, columns });
            }
            let needed = (Grid::to_cover(columns as usize, tile[1]), Grid::to_cover(rows, tile[0]));
            if needed == (grid.x as usize, grid.y as usize) && grid.z == 1 {
                Ok(())
            } else {
                Err(LaunchError::Tiles { kernel, argument, rows, columns, tile, needed, grid })
            }
        });
    }

    fn atomics<T: DeviceLayout>(&mut self, argument: &'static str, buffer: &mut S::Mut<'_, T>) {
        self.note(|check| check.check_index(argument, S::len_mut(buffer)));
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, argument: &'static str, DynamicLength(length): DynamicLength) {
        self.note(|&Self { kernel, .. }| {
            let (element_bytes, limit) = (size_of::<T>(), MAX_SHARED_BYTES);
            if element_bytes.saturating_mul(length as usize) <= limit {
                Ok(())
            } else {
                Err(LaunchError::SharedMemory { kernel, argument, length, element_bytes, limit })
            }
        });
    }

    fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
}
