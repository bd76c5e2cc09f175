//! How many blocks a launch has.

mod look_back;
mod wait;

pub use wait::Wait;

/// The number of blocks along x, y and z.
///
/// A launch takes `blocks`, `(x, y)` or `(x, y, z)`. A kernel declares its number of dimensions, as in `#[kernel(grid = 2)]`,
/// so that one with a single dimension does not pay for three. Blocks are numbered with x fastest: block (x, y, z) is number
/// `x + grid.x * (y + grid.y * z)`. [`Block::index`](crate::Block::index) returns that number, and it selects the block's
/// segment of a ragged buffer.
///
/// ```
/// use cuda_std::Grid;
///
/// assert_eq!(Grid::from(7), Grid { x: 7, y: 1, z: 1 });
/// assert_eq!(Grid::from((4, 3)).blocks(), Some(12));
/// assert_eq!(Grid { x: u32::MAX, y: 2, z: 1 }.blocks(), None);
/// assert_eq!(Grid::to_cover(1000, 256), 4); // 1000 elements, 256 per block
/// assert_eq!(Grid::from((2, 3, 4)).to_string(), "2 x 3 x 4");
/// assert_eq!(Grid::LIMITS[1], 65535);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Blocks along x: at most 2^31 - 1.
    pub x: u32,
    /// Blocks along y: at most 65535.
    pub y: u32,
    /// Blocks along z: at most 65535.
    pub z: u32,
}

impl Grid {
    /// The most blocks along x, y and z. A grid has at most `u32::MAX` blocks in all, so that each has a number.
    pub const LIMITS: [u32; 3] = [i32::MAX as u32, 65535, 65535];

    /// The number of blocks, if it fits a `u32`.
    #[inline]
    #[must_use]
    pub const fn blocks(self) -> Option<u32> {
        // A product of three 32-bit numbers may need 96 bits.
        let blocks = self.x as u128 * self.y as u128 * self.z as u128;
        if blocks <= u32::MAX as u128 { Some(blocks as u32) } else { None }
    }

    /// The number of blocks needed for `n` elements when each takes `per_block`; 0 if `per_block` is 0.
    #[inline]
    #[must_use]
    pub const fn to_cover(n: usize, per_block: usize) -> usize {
        if per_block == 0 { 0 } else { n.div_ceil(per_block) }
    }

    /// The position of the block with this number.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) fn index_3d(self, index: u32) -> [u32; 3] {
        let row = index.checked_div(self.x).unwrap_or(0);
        [
            index.checked_rem(self.x).unwrap_or(0),
            row.checked_rem(self.y).unwrap_or(0),
            row.checked_div(self.y).unwrap_or(0),
        ]
    }
}

impl From<u32> for Grid {
    fn from(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Grid {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Grid {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self { x, y, z }
    }
}

impl core::fmt::Display for Grid {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { x, y, z } = self;
        write!(f, "{x} x {y} x {z}")
    }
}

/// The first of block `block`'s elements, and their number, when `blocks` blocks divide `n` elements evenly.
#[inline(always)]
pub(crate) fn part_of_block(n: u32, blocks: u32, block: u32) -> (u32, u32) {
    let each = n.div_ceil(blocks);
    let first = (u64::from(block) * u64::from(each)).min(u64::from(n)) as u32;
    (first, each.min(n.wrapping_sub(first)))
}
