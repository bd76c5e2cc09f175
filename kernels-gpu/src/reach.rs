//! Which groups of a structure's residues come near the rows of a block. A core passes over the others. On a device, which has many
//! threads for each residue, this would not pay.

use cuda_std::math::{fma, larger};

/// Residues of a group.
pub const GROUP: u32 = 32;
/// Words of bits, for the groups of 65,536 residues. Groups behind these count as near.
const WORDS: usize = 32;

/// The groups that have a residue near those of a block.
#[derive(Clone, Copy)]
pub struct WithinReach([u64; WORDS]);

impl WithinReach {
    /// The groups of `n` residues that have one within `reach` of the box around `count` of them, from `first` on. Missing positions are
    /// NaN.
    #[inline(always)]
    pub fn new(first: u32, count: u32, n: u32, reach: f32, position: impl Fn(u32) -> [f32; 3]) -> Self {
        // A little more, so that rounding cannot hide a residue.
        let reach = 1.001 * reach;
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for k in 0..count {
            let own = position(first + k);
            for axis in 0..3 {
                // Comparisons leave out NaN.
                low[axis] = if own[axis] < low[axis] { own[axis] } else { low[axis] };
                high[axis] = if own[axis] > high[axis] { own[axis] } else { high[axis] };
            }
        }
        let mut near = Self([0; WORDS]);
        for group in 0..n.div_ceil(GROUP).min(64 * WORDS as u32) {
            let mut any = false;
            for k in 0..GROUP {
                let at = position((GROUP * group + k).min(n - 1));
                let outside = |axis: usize| larger(larger(low[axis] - at[axis], at[axis] - high[axis]), 0.0);
                let (x, y, z) = (outside(0), outside(1), outside(2));
                any |= fma(x, x, fma(y, y, z * z)) <= reach * reach;
            }
            near.0[group as usize / 64] |= u64::from(any) << (group % 64);
        }
        near
    }

    /// Whether a group may have a residue near those of the block.
    #[inline(always)]
    pub fn has(&self, group: u32) -> bool {
        self.0.get(group as usize / 64).is_none_or(|word| word >> (group % 64) & 1 == 1)
    }
}
