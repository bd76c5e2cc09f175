//! Threads, blocks and the grid: indices, barriers and fences.
//!
//! ```
//! use cuda_std::compat::prelude::*;
//!
//! /// The threads of the grid share the elements in a grid-stride loop; then each block counts those above 0.
//! ///
//! /// # Safety
//! /// `x` has `n` elements and `counts` one for each block, which nothing else uses.
//! #[kernel]
//! pub unsafe fn halve(x: *mut f32, n: u32, counts: *mut u32) {
//!     // SAFETY: the kernel's contract; all threads of the block come to the barrier.
//!     unsafe {
//!         let (mut i, mut positive) = (thread::index_1d(), 0);
//!         while i < n {
//!             let value = 0.5 * x.add(i as usize).read();
//!             x.add(i as usize).write(value);
//!             positive += u32::from(value > 0.0);
//!             i += thread::grid_dim_x() * thread::block_dim_x();
//!         }
//!         let threads = thread::sync_threads_count(positive);
//!         if thread::thread_idx_x() == 0 {
//!             counts.add(thread::block_idx_x() as usize).write(threads);
//!             thread::device_fence();
//!         }
//!     }
//! }
//! # fn main() {}
//! ```
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_variables, clippy::missing_safety_doc))]

use super::on_device;
#[cfg(target_arch = "nvptx64")]
use core::arch::nvptx;

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    // By their LLVM names, so that they stay convergent.
    #[link_name = "llvm.nvvm.barrier.cta.red.popc.aligned.all"]
    fn barrier_count(barrier: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.barrier.cta.red.and.aligned.all"]
    fn barrier_and(barrier: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.barrier.cta.red.or.aligned.all"]
    fn barrier_or(barrier: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.membar.gl"]
    fn membar_gl();
    #[link_name = "llvm.nvvm.membar.sys"]
    fn membar_sys();
    #[link_name = "llvm.nvvm.nanosleep"]
    fn sleep(nanos: u32);
}

/// Two indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UVec2 {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
}

/// Three indices, or the extent in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UVec3 {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

macro_rules! registers {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name() -> u32 {
            on_device!("thread", nvptx::$intrinsic() as u32)
        }
    )*};
}

macro_rules! unequal_registers {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Threads that take different branches by its value still meet at every barrier.
        #[inline(always)]
        #[must_use]
        pub unsafe fn $name() -> u32 {
            on_device!("thread", nvptx::$intrinsic() as u32)
        }
    )*};
}

// Blocks of a `WholeGrid` meet at barriers, too, so their index is like a thread's.
unequal_registers! {
    /// Index of the thread in its block along x.
    thread_idx_x = _thread_idx_x;
    /// Index of the thread in its block along y.
    thread_idx_y = _thread_idx_y;
    /// Index of the thread in its block along z.
    thread_idx_z = _thread_idx_z;
    /// Index of the block in the grid along x.
    block_idx_x = _block_idx_x;
    /// Index of the block in the grid along y.
    block_idx_y = _block_idx_y;
    /// Index of the block in the grid along z.
    block_idx_z = _block_idx_z;
}

// The same for all threads of the grid.
registers! {
    /// Threads of a block along x.
    block_dim_x = _block_dim_x;
    /// Threads of a block along y.
    block_dim_y = _block_dim_y;
    /// Threads of a block along z.
    block_dim_z = _block_dim_z;
    /// Blocks of the grid along x.
    grid_dim_x = _grid_dim_x;
    /// Blocks of the grid along y.
    grid_dim_y = _grid_dim_y;
    /// Blocks of the grid along z.
    grid_dim_z = _grid_dim_z;
}

/// Index of the thread in its block.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn thread_idx() -> UVec3 {
    // SAFETY: ensured by the caller.
    unsafe { UVec3 { x: thread_idx_x(), y: thread_idx_y(), z: thread_idx_z() } }
}

/// Index of the block in the grid.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn block_idx() -> UVec3 {
    // SAFETY: ensured by the caller.
    unsafe { UVec3 { x: block_idx_x(), y: block_idx_y(), z: block_idx_z() } }
}

/// Threads of a block.
#[inline(always)]
#[must_use]
pub fn block_dim() -> UVec3 {
    UVec3 { x: block_dim_x(), y: block_dim_y(), z: block_dim_z() }
}

/// Blocks of the grid.
#[inline(always)]
#[must_use]
pub fn grid_dim() -> UVec3 {
    UVec3 { x: grid_dim_x(), y: grid_dim_y(), z: grid_dim_z() }
}

/// Index of the thread along one dimension: a block index times the block's extent, and the thread's index.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
fn along(block: u32, extent: u32, thread: u32) -> u32 {
    block.wrapping_mul(extent).wrapping_add(thread)
}

/// Index of the thread in the grid, with all dimensions in one number: blocks in order, x fastest, and threads likewise
/// within each block. It wraps beyond 2^32 threads.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn index() -> u32 {
    let (blocks, extent) = (grid_dim(), block_dim());
    // SAFETY: ensured by the caller.
    let (block, thread) = unsafe { (block_idx(), thread_idx()) };
    let block = along(along(block.z, blocks.y, block.y), blocks.x, block.x);
    let thread = along(along(thread.z, extent.y, thread.y), extent.x, thread.x);
    along(block, extent.x.wrapping_mul(extent.y).wrapping_mul(extent.z), thread)
}

/// Index of the thread in the grid along x.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn index_1d() -> u32 {
    // SAFETY: ensured by the caller.
    unsafe { along(block_idx_x(), block_dim_x(), thread_idx_x()) }
}

/// Index of the thread in the grid along x and y.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn index_2d() -> UVec2 {
    // SAFETY: ensured by the caller.
    unsafe { UVec2 { x: index_1d(), y: along(block_idx_y(), block_dim_y(), thread_idx_y()) } }
}

/// Index of the thread in the grid along x, y and z.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn index_3d() -> UVec3 {
    // SAFETY: ensured by the caller.
    let (UVec2 { x, y }, z) = unsafe { (index_2d(), along(block_idx_z(), block_dim_z(), thread_idx_z())) };
    UVec3 { x, y, z }
}

/// Whether this is the first thread of the grid.
///
/// # Safety
/// Threads that take different branches by its value still meet at every barrier.
#[inline(always)]
#[must_use]
pub unsafe fn first() -> bool {
    let zero = UVec3 { x: 0, y: 0, z: 0 };
    // SAFETY: ensured by the caller.
    unsafe { block_idx() == zero && thread_idx() == zero }
}

/// Threads in a warp.
#[inline(always)]
#[must_use]
pub fn warp_size() -> u32 {
    32
}

/// Waits for all threads of the block. Afterwards every thread sees what all of them wrote before.
///
/// # Safety
/// All threads of the block that have not ended call it here.
#[inline(always)]
pub unsafe fn sync_threads() {
    on_device!("sync_threads", nvptx::_syncthreads());
}

/// Like [`sync_threads`]; returns the number of threads whose `predicate` is not 0.
///
/// # Safety
/// That of [`sync_threads`].
#[inline(always)]
#[must_use]
pub unsafe fn sync_threads_count(predicate: u32) -> u32 {
    on_device!("sync_threads_count", barrier_count(0, predicate != 0))
}

/// Like [`sync_threads`]; returns 1 if `predicate` is not 0 for any thread, else 0.
///
/// # Safety
/// That of [`sync_threads`].
#[inline(always)]
#[must_use]
pub unsafe fn sync_threads_or(predicate: u32) -> u32 {
    on_device!("sync_threads_or", u32::from(barrier_or(0, predicate != 0)))
}

/// Like [`sync_threads`]; returns 1 if `predicate` is not 0 for all threads, else 0.
///
/// # Safety
/// That of [`sync_threads`].
#[inline(always)]
#[must_use]
pub unsafe fn sync_threads_and(predicate: u32) -> u32 {
    on_device!("sync_threads_and", u32::from(barrier_and(0, predicate != 0)))
}

/// Orders this thread's accesses before and after the fence, for all threads of the grid. It is not a barrier.
#[inline(always)]
pub fn grid_fence() {
    on_device!("grid_fence", membar_gl());
}

/// Orders this thread's accesses before and after the fence, for all threads of the device. It is not a barrier.
#[inline(always)]
pub fn device_fence() {
    on_device!("device_fence", membar_gl());
}

/// Orders this thread's accesses before and after the fence, also for the host and other devices. It is not a barrier.
#[inline(always)]
pub fn system_fence() {
    on_device!("system_fence", membar_sys());
}

/// Suspends the thread for about `nanos` nanoseconds, at most for twice as long.
#[inline(always)]
pub fn nanosleep(nanos: u32) {
    on_device!("nanosleep", sleep(nanos));
}
