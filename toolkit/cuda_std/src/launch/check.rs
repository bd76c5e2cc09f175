//! What is checked before a launch.

use super::{ArgVisitor, DynamicLength, Kernel, LaunchError, Matrix, Segments, Space};
use crate::Grid;
use crate::panic::cpu::catch;
use cuda_layout::DeviceLayout;

/// The most dynamic shared memory of a block that any device has, in bytes. The device at hand may have less, which its
/// executor checks.
pub const MAX_SHARED_BYTES: usize = 232_448;

/// Checks what a launch's types cannot: a device supports the grid, the blocks' parts cover every output exactly, and the
/// arguments fulfil the kernel's contract. Returns the number of blocks.
///
/// # Errors
/// The first [`LaunchError`] of the grid, of the arguments in the signature's order, or of `requires(..)`. Never
/// [`LaunchError::Panic`].
///
/// An executor calls it, or [`check_and_visit`], before anything else. See [`Executor`](super::Executor) for an example.
pub fn check_arguments<K: Kernel, S: Space>(grid: Grid, args: &K::Args<'_, S>) -> Result<u32, LaunchError> {
    check_and_visit::<K, S, ()>(grid, args, &mut ())
}

/// As [`check_arguments`], and shows the arguments to `visitor` in the same visit. After an error the visitor may have seen all,
/// some or none of them.
///
/// # Errors
/// The same.
pub fn check_and_visit<'v, K: Kernel, S: Space, V: ArgVisitor<'v, S>>(
    grid: Grid,
    args: &'v K::Args<'_, S>,
    visitor: &mut V,
) -> Result<u32, LaunchError> {
    let check = Check { kernel: K::NAME, grid, blocks: check_grid(K::NAME, K::DIMENSIONS, grid)?, found: Ok(()) };
    let mut both = CheckAnd(check, visitor);
    K::visit(args, &mut both);
    let CheckAnd(check, _) = both;
    check.found?;
    check_requirements(K::NAME, &mut || K::unmet_requirement(args, grid))?;
    Ok(check.blocks)
}

// Code without type parameters is compiled here, once for all kernels.

fn check_grid(kernel: &'static str, dimensions: u32, grid: Grid) -> Result<u32, LaunchError> {
    let within = [grid.x, grid.y, grid.z].iter().zip(Grid::LIMITS).all(|(size, limit)| *size <= limit);
    let blocks = match grid.blocks() {
        Some(blocks) if within => blocks,
        _ => return Err(LaunchError::GridTooLarge { kernel, grid }),
    };
    if (dimensions < 2 && grid.y != 1) || (dimensions < 3 && grid.z != 1) {
        return Err(LaunchError::GridDimensions { kernel, grid, dimensions });
    }
    Ok(blocks)
}

fn check_requirements(
    kernel: &'static str,
    find_unmet: &mut dyn FnMut() -> Option<&'static str>,
) -> Result<(), LaunchError> {
    let mut unmet = None;
    // An expression may overflow or divide by zero, which a launch must survive.
    let computed = catch(kernel, [0; 3], &mut || unmet = find_unmet());
    computed.map_err(|panic| {
        let message = panic.message.as_deref().unwrap_or("it panicked");
        let reason = format!("{message} ({}:{}:{})", panic.file, panic.line, panic.column);
        LaunchError::RequirementFailed { kernel, reason }
    })?;
    match unmet {
        Some(expression) => Err(LaunchError::Requirement { kernel, expression }),
        None => Ok(()),
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

    fn note_segments(&mut self, argument: &'static str, (segments, end): (usize, u32), len: usize) {
        self.note(|&Self { kernel, blocks, .. }| {
            if segments < blocks as usize {
                Err(LaunchError::TooFewSegments { kernel, argument, segments, blocks })
            } else if len < end as usize {
                Err(LaunchError::BufferTooShort { kernel, argument, end, len })
            } else {
                Ok(())
            }
        });
    }

    fn note_chunks(&mut self, argument: &'static str, len: usize, per_block: usize) {
        self.note(|check| {
            let (kernel, blocks) = (check.kernel, check.blocks);
            check.check_index(argument, len)?;
            let needed = Grid::to_cover(len, per_block);
            if needed == blocks as usize {
                Ok(())
            } else {
                Err(LaunchError::Chunks { kernel, argument, len, per_block, needed, blocks })
            }
        });
    }

    fn note_matrix(&mut self, argument: &'static str, len: usize, columns: u32, tile: [usize; 2]) {
        self.note(|check| {
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

    fn note_atomics(&mut self, argument: &'static str, len: usize) {
        self.note(|check| check.check_index(argument, len));
    }

    fn note_shared(&mut self, argument: &'static str, length: u32, element_bytes: usize) {
        self.note(|&Self { kernel, .. }| {
            let limit = MAX_SHARED_BYTES;
            if element_bytes.saturating_mul(length as usize) <= limit {
                Ok(())
            } else {
                Err(LaunchError::SharedMemory { kernel, argument, length, element_bytes, limit })
            }
        });
    }
}

/// Checks arguments and passes them on.
struct CheckAnd<'c, V>(Check, &'c mut V);

impl<'v, S: Space, V: ArgVisitor<'v, S>> ArgVisitor<'v, S> for CheckAnd<'_, V> {
    fn slice<T: DeviceLayout>(&mut self, argument: &'static str, buffer: &'v S::Ref<'_, T>) {
        self.1.slice(argument, buffer);
    }

    fn segments<T: DeviceLayout>(&mut self, argument: &'static str, ragged: &'v Segments<'_, S, T>) {
        self.0.note_segments(argument, S::extent(&ragged.offsets), S::len_mut(&ragged.data));
        self.1.segments(argument, ragged);
    }

    fn chunks<T: DeviceLayout>(&mut self, argument: &'static str, buffer: &'v S::Mut<'_, T>, per_block: usize) {
        self.0.note_chunks(argument, S::len_mut(buffer), per_block);
        self.1.chunks(argument, buffer, per_block);
    }

    fn matrix<T: DeviceLayout>(&mut self, argument: &'static str, matrix: &'v Matrix<'_, S, T>, tile: [usize; 2]) {
        self.0.note_matrix(argument, S::len_mut(&matrix.data), matrix.columns, tile);
        self.1.matrix(argument, matrix, tile);
    }

    fn atomics<T: DeviceLayout>(&mut self, argument: &'static str, buffer: &'v S::Mut<'_, T>) {
        self.0.note_atomics(argument, S::len_mut(buffer));
        self.1.atomics(argument, buffer);
    }

    fn scatter<T: DeviceLayout>(&mut self, argument: &'static str, buffer: &'v S::Mut<'_, T>) {
        self.0.note_atomics(argument, S::len_mut(buffer));
        self.1.scatter(argument, buffer);
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, argument: &'static str, length: DynamicLength) {
        self.0.note_shared(argument, length.0, size_of::<T>());
        self.1.dynamic_shared::<T>(argument, length);
    }

    fn value<T: DeviceLayout>(&mut self, argument: &'static str, value: &'v T) {
        self.1.value(argument, value);
    }
}

/// Looks at nothing.
impl<'v, S: Space> ArgVisitor<'v, S> for () {
    fn slice<T: DeviceLayout>(&mut self, _: &'static str, _: &'v S::Ref<'_, T>) {}
    fn segments<T: DeviceLayout>(&mut self, _: &'static str, _: &'v Segments<'_, S, T>) {}
    fn chunks<T: DeviceLayout>(&mut self, _: &'static str, _: &'v S::Mut<'_, T>, _: usize) {}
    fn matrix<T: DeviceLayout>(&mut self, _: &'static str, _: &'v Matrix<'_, S, T>, _: [usize; 2]) {}
    fn atomics<T: DeviceLayout>(&mut self, _: &'static str, _: &'v S::Mut<'_, T>) {}
    fn dynamic_shared<T: DeviceLayout>(&mut self, _: &'static str, _: DynamicLength) {}
    fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &'v T) {}
}
