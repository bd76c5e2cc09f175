//! What lanes of a warp tell each other.

use super::{FULL, WARP};
use bytemuck::Pod;

unsafe extern "C" {
    // Declared by their LLVM names because rustc marks those convergent; inline assembly would not be.
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_sync_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_sync_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    pub(super) fn vote_ballot_sync(mask: u32, predicate: bool) -> u32;
}

/// The third operand of a shuffle within segments of `L` lanes.
const fn segment<const L: u32>() -> u32 {
    ((WARP - L) << 8) | (WARP - 1)
}

/// Applies a 32-bit shuffle to a value of any size.
#[inline(always)]
pub(super) fn shuffle_words<T: Pod>(value: T, shuffle: impl Fn(u32) -> u32) -> T {
    const {
        assert!(
            size_of::<T>().is_multiple_of(4) && size_of::<T>() <= 128,
            "a value that crosses lanes is made of at most 32 words of 32 bits"
        );
    }
    let mut result = value;
    let from = (&raw const value).cast::<u32>();
    let to = (&raw mut result).cast::<u32>();
    // Written out: a loop would keep the value in memory.
    macro_rules! words {
        ($($word:literal)*) => {$(
            if const { size_of::<T>() > 4 * $word } {
                // SAFETY: within the value, any bits are a valid `T: Pod`; unaligned, since T may be bytes.
                unsafe { to.add($word).write_unaligned(shuffle(from.add($word).read_unaligned())) };
            }
        )*};
    }
    words!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    result
}

/// Combines the values of every `L` neighbouring lanes by halving strides; all of them get the first one's result.
#[inline(always)]
pub(super) fn halve_lanes<const L: u32, T: Pod>(mut value: T, combine: &impl Fn(T, T) -> T) -> T {
    let mut stride = L / 2;
    while stride > 0 {
        // SAFETY: all lanes of the warp get here together: see `each_team`, `block_reduce`.
        let other = shuffle_words(value, |word| unsafe { shfl_sync_down(FULL, word, stride, segment::<L>()) });
        value = combine(value, other);
        stride /= 2;
    }
    // SAFETY: as above.
    shuffle_words(value, |word| unsafe { shfl_sync_idx(FULL, word, 0, segment::<L>()) })
}
