//! The number of blocks of a kernel that fit on a multiprocessor.

use crate::CudaError;
use crate::module::LoadedKernel;
use std::ptr;

/// A block size with the best occupancy of a device.
///
/// ```no_run
/// use cuda_host::{CudaError, LoadedKernel};
///
/// /// Blocks and threads of a raw kernel over `n` elements.
/// fn shape(kernel: &LoadedKernel, n: u32) -> Result<(u32, u32), CudaError> {
///     let best = kernel.best_block_size(0)?;
///     Ok((n.div_ceil(best.threads).min(best.blocks), best.threads))
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSize {
    /// Threads in a block.
    pub threads: u32,
    /// The smallest number of blocks that fills the device.
    pub blocks: u32,
}

impl LoadedKernel {
    /// The number of blocks of `threads` threads that run on a multiprocessor at once, if each has the given dynamic shared
    /// memory. 0 if such a block cannot run.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn blocks_per_multiprocessor(&self, threads: u32, dynamic_shared_bytes: u32) -> Result<u32, CudaError> {
        let context = self.module().context();
        context.bind()?;
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        let mut blocks = 0;
        let shared = dynamic_shared_bytes as usize;
        // SAFETY: writes a number; the function belongs to its module.
        unsafe { context.driver().occupancy_max_active_blocks(&raw mut blocks, self.function, threads, shared) }
            .check(context.driver(), || format!("asking how many blocks of {threads} threads run at once"))?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// The block size with the most concurrent threads, for a kernel without a fixed block size: a raw one without
    /// `threads`.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn best_block_size(&self, dynamic_shared_bytes: u32) -> Result<BlockSize, CudaError> {
        let context = self.module().context();
        context.bind()?;
        let (mut blocks, mut threads) = (0, 0);
        // SAFETY: writes two numbers; the function belongs to its module; every size has the same shared memory, without a
        // limit.
        unsafe {
            context.driver().occupancy_max_potential_block_size(
                &raw mut blocks,
                &raw mut threads,
                self.function,
                ptr::null(),
                dynamic_shared_bytes as usize,
                0,
            )
        }
        .check(context.driver(), || "asking for the best size of blocks".to_owned())?;
        let positive = |value: i32| u32::try_from(value).unwrap_or(0);
        Ok(BlockSize { threads: positive(threads), blocks: positive(blocks) })
    }
}
