//! Values that the lanes of a warp exchange.

use super::{FULL, WARP, thread_index};
use crate::bounds::crosses_lanes;
use bytemuck::Pod;

unsafe extern "C" {
    // Declared by their LLVM names, because LLVM knows these functions as convergent. Inline assembly would not be.
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_sync_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_sync_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn shfl_sync_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn shfl_sync_bfly(mask: u32, value: u32, lanes: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.match.any.sync.i32"]
    pub(super) fn match_any_sync(mask: u32, value: u32) -> u32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    pub(super) fn bar_warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    pub(super) fn vote_ballot_sync(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    pub(super) fn vote_any_sync(mask: u32, predicate: bool) -> bool;
}

/// The third operand of a shuffle within segments of `L` lanes.
const fn segment<const L: u32>() -> u32 {
    ((WARP - L) << 8) | (WARP - 1)
}

/// Applies a 32-bit shuffle to a value of any size.
#[inline(always)]
pub(super) fn shuffle_words<T: Pod>(value: T, shuffle: impl Fn(u32) -> u32) -> T {
    crosses_lanes::<T>();
    let mut result = value;
    let from = (&raw const value).cast::<u32>();
    let to = (&raw mut result).cast::<u32>();
    if const { size_of::<T>() == 2 } {
        // SAFETY: the value consists of two bytes, and all bit patterns are valid.
        unsafe {
            let word = shuffle(u32::from(from.cast::<u16>().read_unaligned()));
            to.cast::<u16>().write_unaligned(word as u16);
        }
        return result;
    }
    // This is unrolled, because a loop would keep the value in memory.
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

/// The lanes that shuffle with this one. They are only its team, because another team of the warp may be elsewhere.
#[inline(always)]
pub(super) fn team<const L: u32>() -> u32 {
    if L == WARP { FULL } else { (FULL >> (WARP - L)) << (thread_index() % WARP / L * L) }
}

/// Combines the values of every `L` neighbouring lanes with halving strides. The first lane gets the result.
///
/// Lanes without a partner combine nothing: their sums are not needed, and a checked sum might overflow.
#[inline(always)]
pub(super) fn halve_lanes<const L: u32, T: Pod>(mut value: T, combine: &impl Fn(T, T) -> T) -> T {
    let (mask, lane) = (team::<L>(), thread_index() % L);
    let mut stride = L / 2;
    while stride > 0 {
        // SAFETY: all lanes of the team reach this together: see `each_team`, `block_reduce`.
        let other = shuffle_words(value, |word| unsafe { shfl_sync_down(mask, word, stride, segment::<L>()) });
        if lane < stride {
            value = combine(value, other);
        }
        stride /= 2;
    }
    value
}

/// As [`halve_lanes`], but all lanes get the result.
#[inline(always)]
pub(super) fn combine_lanes<const L: u32, T: Pod>(value: T, combine: &impl Fn(T, T) -> T) -> T {
    let value = halve_lanes::<L, T>(value, combine);
    // SAFETY: as above.
    shuffle_words(value, |word| unsafe { shfl_sync_idx(team::<L>(), word, 0, segment::<L>()) })
}

/// The value of lane `lane`, counted modulo 32.
#[inline(always)]
pub(super) fn from_lane<T: Pod>(value: T, lane: u32) -> T {
    // SAFETY: for all functions below: all lanes of the warp reach this together.
    shuffle_words(value, |word| unsafe { shfl_sync_idx(FULL, word, lane, segment::<WARP>()) })
}

/// The first lane's value, which the assembler keeps once for the warp, in a uniform register. As in [`from_lane`], all lanes of the warp
/// reach this together.
#[cfg(target_feature = "sm_90a")]
#[inline(always)]
pub(crate) fn of_first_lane(value: u32) -> u32 {
    from_lane(value, 0)
}

/// The value of the lane `delta` below. The first `delta` lanes keep their own. `delta` is below 32.
#[inline(always)]
pub(super) fn up_lanes<T: Pod>(value: T, delta: u32) -> T {
    // SAFETY: as above. The clamp of this one is the lowest lane.
    shuffle_words(value, |word| unsafe { shfl_sync_up(FULL, word, delta, 0) })
}

/// The value of the lane `delta` above. The last `delta` lanes keep their own. `delta` is below 32.
#[inline(always)]
pub(super) fn down_lanes<T: Pod>(value: T, delta: u32) -> T {
    // SAFETY: as above.
    shuffle_words(value, |word| unsafe { shfl_sync_down(FULL, word, delta, segment::<WARP>()) })
}

/// The value of the lane whose index differs in the bits of `mask`, which is below 32.
#[inline(always)]
pub(super) fn xor_lanes<T: Pod>(value: T, mask: u32) -> T {
    // SAFETY: as above.
    shuffle_words(value, |word| unsafe { shfl_sync_bfly(FULL, word, mask, segment::<WARP>()) })
}

/// Combines each lane's value with those of the lanes below it, with strides 1, 2, 4, 8, 16.
#[inline(always)]
pub(super) fn scan_lanes<T: Pod>(mut value: T, lane: u32, combine: &impl Fn(T, T) -> T) -> T {
    let mut stride = 1;
    while stride < WARP {
        let below = up_lanes(value, stride);
        if lane >= stride {
            value = combine(below, value);
        }
        stride *= 2;
    }
    value
}
