//! Warps: 32 consecutive threads of a block that exchange values without shared memory.
//!
//! All functions except the first two are collective. `mask` has a bit for each participating lane.
//!
//! # Safety of the collective functions
//! All lanes of `mask` that have not ended call the function at the same place with the same mask, and the caller is one of
//! them. A lane that has ended, for example by a panic, contributes no value.
//!
//! # Example
//! It compiles anywhere and runs on GPUs only. `tests/tests/compat_gpu.rs` runs kernels of these functions.
//!
//! ```
//! use cuda_std::compat::prelude::*;
//! use cuda_std::compat::warp::WarpReductionOp;
//!
//! /// # Safety
//! /// Blocks have whole warps; `x` has an element for every thread, and `out` four for every warp of the one block.
//! #[kernel]
//! pub unsafe fn about_warps(x: &[u32], out: *mut u32) {
//!     // SAFETY: the kernel's contract; all 32 lanes come to each function.
//!     unsafe {
//!         let (lane, value) = (warp::lane_id(), x.at(thread::index_1d()));
//!         let sum = warp::warp_reduce(u32::MAX, value, WarpReductionOp::Add);
//!         let even = warp::warp_vote_ballot(u32::MAX, value % 2 == 0);
//!         let (next, is_there) = warp::warp_shuffle_down(u32::MAX, value, 1, 32);
//!         let rising = warp::warp_vote_all(u32::MAX, !is_there || next >= value);
//!         let alike = warp::warp_match_any(u32::MAX, value);
//!         if lane == 0 {
//!             let out = out.add(thread::thread_idx_x() as usize / 32 * 4);
//!             for (i, found) in [sum, even, u32::from(rising), alike].into_iter().enumerate() {
//!                 out.add(i).write(found);
//!             }
//!         }
//!     }
//! }
//! # fn main() {}
//! ```
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_variables))]

use super::on_device;

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    // By their LLVM names, so that they stay convergent.
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
    fn read_lane_id() -> u32;
    #[link_name = "llvm.nvvm.activemask"]
    fn read_active_mask() -> u32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn bar_warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn shfl_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn shfl_xor(mask: u32, value: u32, lane_mask: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.all.sync"]
    fn vote_all(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    fn vote_any(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.match.any.sync.i32"]
    fn match_any_32(mask: u32, value: u32) -> u32;
    #[link_name = "llvm.nvvm.match.any.sync.i64"]
    fn match_any_64(mask: u32, value: u64) -> u32;
}

/// Index of the thread in its warp.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn lane_id() -> u32 {
    on_device!("lane_id", read_lane_id())
}

/// The lanes that run this instruction together. This is a hint that guarantees nothing about the next instruction.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn activemask() -> u32 {
    on_device!("activemask", read_active_mask())
}

/// Waits for the lanes of `mask`. Afterwards every lane sees what all of them wrote before.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions).
#[inline(always)]
pub unsafe fn sync_warp(mask: u32) {
    on_device!("sync_warp", bar_warp_sync(mask));
}

/// A value that shuffles can exchange, as words of 32 bits.
pub trait WarpShuffleValue: Copy {
    /// This value with `f` applied to each of its words.
    #[must_use]
    fn map_words(self, f: impl FnMut(u32) -> u32) -> Self;
}

/// A value whose bits lanes can compare.
pub trait WarpMatchValue: Copy {
    /// The lanes of `mask` whose value has these bits.
    ///
    /// # Safety
    /// That of [collective functions](self#safety-of-the-collective-functions).
    #[must_use]
    unsafe fn match_any(self, mask: u32) -> u32;
}

macro_rules! values {
    ($($ty:ty: |$value:ident, $f:ident| $words:expr;)*) => {$(
        impl WarpShuffleValue for $ty {
            #[inline(always)]
            #[allow(unused_mut)]
            fn map_words(self, mut $f: impl FnMut(u32) -> u32) -> Self {
                let $value = self;
                $words
            }
        }
    )*};
}

values! {
    i8: |x, f| f(x as u8 as u32) as i8;
    u8: |x, f| f(u32::from(x)) as u8;
    i16: |x, f| f(x as u16 as u32) as i16;
    u16: |x, f| f(u32::from(x)) as u16;
    i32: |x, f| f(x as u32) as i32;
    u32: |x, f| f(x);
    f32: |x, f| f32::from_bits(f(x.to_bits()));
    u64: |x, f| {
        let (low, high) = (f(x as u32), f((x >> 32) as u32));
        u64::from(low) | u64::from(high) << 32
    };
    i64: |x, f| (x as u64).map_words(f) as i64;
    f64: |x, f| f64::from_bits(x.to_bits().map_words(f));
    u128: |x, f| {
        let low = (x as u64).map_words(&mut f);
        let high = ((x >> 64) as u64).map_words(f);
        u128::from(low) | u128::from(high) << 64
    };
    i128: |x, f| (x as u128).map_words(f) as i128;
}

macro_rules! matched {
    ($($ty:ty: |$value:ident| $function:ident($bits:expr);)*) => {$(
        impl WarpMatchValue for $ty {
            #[inline(always)]
            unsafe fn match_any(self, mask: u32) -> u32 {
                let $value = self;
                on_device!("warp_match_any", $function(mask, $bits))
            }
        }
    )*};
}

matched! {
    u32: |x| match_any_32(x);
    i32: |x| match_any_32(x as u32);
    f32: |x| match_any_32(x.to_bits());
    u64: |x| match_any_64(x);
    i64: |x| match_any_64(x as u64);
    f64: |x| match_any_64(x.to_bits());
}

/// Whether a lane's partner is in the lane's own group of `width` lanes.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
fn same_group(lane: u32, partner: u32, width: u32) -> bool {
    // Beyond lane 31, or below lane 0 by wrapping, is another group.
    lane / width == partner / width
}

/// The third operand of a shuffle within groups of `width` lanes, a power of two.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
fn clamp(width: u32, last: u32) -> u32 {
    (32u32.wrapping_sub(width) << 8) | last
}

/// The value of the lane `delta` above, and true; where that is beyond the group of `width` lanes, the lane's own value
/// and false.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions); `width` is 1, 2, 4, 8, 16 or 32.
#[inline(always)]
#[must_use]
pub unsafe fn warp_shuffle_down<T: WarpShuffleValue>(mask: u32, value: T, delta: u32, width: u32) -> (T, bool) {
    on_device!("warp_shuffle_down", {
        let got = value.map_words(|word| shfl_down(mask, word, delta, clamp(width, 31)));
        let lane = lane_id();
        (got, same_group(lane, lane.wrapping_add(delta), width))
    })
}

/// The value of the lane `delta` below, and true; where that is beyond the group of `width` lanes, the lane's own value
/// and false.
///
/// # Safety
/// That of [`warp_shuffle_down`].
#[inline(always)]
#[must_use]
pub unsafe fn warp_shuffle_up<T: WarpShuffleValue>(mask: u32, value: T, delta: u32, width: u32) -> (T, bool) {
    on_device!("warp_shuffle_up", {
        let got = value.map_words(|word| shfl_up(mask, word, delta, clamp(width, 0)));
        let lane = lane_id();
        (got, same_group(lane, lane.wrapping_sub(delta), width))
    })
}

/// The value of lane `idx` of the group of `width` lanes (modulo `width`), and true.
///
/// # Safety
/// That of [`warp_shuffle_down`].
#[inline(always)]
#[must_use]
pub unsafe fn warp_shuffle_idx<T: WarpShuffleValue>(mask: u32, value: T, idx: u32, width: u32) -> (T, bool) {
    on_device!("warp_shuffle_idx", (value.map_words(|word| shfl_idx(mask, word, idx, clamp(width, 31))), true))
}

/// The value of the lane whose index differs in the bits of `lane_mask`, and true; where that is in a later group of
/// `width` lanes, the lane's own value and false.
///
/// # Safety
/// That of [`warp_shuffle_down`].
#[inline(always)]
#[must_use]
pub unsafe fn warp_shuffle_xor<T: WarpShuffleValue>(mask: u32, value: T, lane_mask: u32, width: u32) -> (T, bool) {
    on_device!("warp_shuffle_xor", {
        let got = value.map_words(|word| shfl_xor(mask, word, lane_mask, clamp(width, 31)));
        let lane = lane_id();
        (got, (lane ^ lane_mask) / width <= lane / width)
    })
}

/// Whether `predicate` holds in all lanes of `mask`.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions).
#[inline(always)]
#[must_use]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    on_device!("warp_vote_all", vote_all(mask, predicate))
}

/// Whether `predicate` holds in any lane of `mask`.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions).
#[inline(always)]
#[must_use]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    on_device!("warp_vote_any", vote_any(mask, predicate))
}

/// The lanes of `mask` in which `predicate` holds.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions).
#[inline(always)]
#[must_use]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    on_device!("warp_vote_ballot", vote_ballot(mask, predicate))
}

/// The lanes of `mask` whose value has the same bits as this lane's.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions).
#[inline(always)]
#[must_use]
pub unsafe fn warp_match_any<T: WarpMatchValue>(mask: u32, value: T) -> u32 {
    // SAFETY: ensured by the caller.
    unsafe { value.match_any(mask) }
}

/// `mask` and true if the values of all its lanes have the same bits, else 0 and false.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions).
#[inline(always)]
#[must_use]
pub unsafe fn warp_match_all<T: WarpMatchValue>(mask: u32, value: T) -> (u32, bool) {
    // SAFETY: ensured by the caller.
    let all = unsafe { value.match_any(mask) } == mask;
    (if all { mask } else { 0 }, all)
}

/// How [`warp_reduce`] combines two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpReductionOp {
    /// The sum, which wraps.
    Add,
    /// The smaller value.
    Min,
    /// The larger value.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// A value that [`warp_reduce`] takes.
pub trait WarpReduceValue: WarpShuffleValue {
    /// Combines two values.
    #[must_use]
    fn combine(self, other: Self, op: WarpReductionOp) -> Self;
}

macro_rules! reduced {
    ($($ty:ty)*) => {$(
        impl WarpReduceValue for $ty {
            #[inline(always)]
            fn combine(self, other: Self, op: WarpReductionOp) -> Self {
                match op {
                    WarpReductionOp::Add => self.wrapping_add(other),
                    WarpReductionOp::Min => Ord::min(self, other),
                    WarpReductionOp::Max => Ord::max(self, other),
                    WarpReductionOp::And => self & other,
                    WarpReductionOp::Or => self | other,
                    WarpReductionOp::Xor => self ^ other,
                }
            }
        }
    )*};
}

reduced!(i32 u32);

/// Reduces the values of all lanes of `mask`. Each of these lanes receives the result.
///
/// It uses shuffles, so that it runs on every device: five for a whole warp, and one for each lane of a smaller mask.
///
/// # Safety
/// That of [collective functions](self#safety-of-the-collective-functions).
#[inline(always)]
#[must_use]
pub unsafe fn warp_reduce<T: WarpReduceValue>(mask: u32, value: T, op: WarpReductionOp) -> T {
    // SAFETY: ensured by the caller; `mask` is the same in all lanes, so they take the same turns.
    unsafe {
        if mask == u32::MAX {
            let mut sum = value;
            for bit in 0..5 {
                sum = sum.combine(warp_shuffle_xor(mask, sum, 1 << bit, 32).0, op);
            }
            return sum;
        }
        let mut rest = mask & mask.wrapping_sub(1);
        let mut sum = warp_shuffle_idx(mask, value, mask.trailing_zeros(), 32).0;
        while rest != 0 {
            sum = sum.combine(warp_shuffle_idx(mask, value, rest.trailing_zeros(), 32).0, op);
            rest &= rest.wrapping_sub(1);
        }
        sum
    }
}
