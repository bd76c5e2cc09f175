//! What a pool does, whatever its memory is.

use super::classes::{PoolOptions, least_bytes};
use super::source::MemorySource;
use super::sync::{Mutex, MutexGuard, lock};
use crate::CudaError;
use std::collections::{BTreeMap, VecDeque};

/// Memory that may be handed out again. Dropping it waits for the work that uses it and frees it.
pub(crate) trait PoolBlock: Send {
    /// Whom it may be for: the stream of the work that will use it first.
    type User;
    /// Bytes that it has.
    fn bytes(&self) -> usize;
    /// Whether all work on it is done, or in order before that of `user` anyway.
    fn is_quiet(&self, user: &Self::User) -> bool;
    /// Notes the moment on each stream until which its work uses the block. Nobody has the block any more.
    ///
    /// # Errors
    /// Where that cannot be noted. The block is freed then, which waits for that work.
    fn retire(&mut self) -> Result<(), CudaError>;
    /// Forgets what whoever had it before has left in it.
    fn renew(&mut self);
}

/// What a pool has done so far, and what it holds.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, GpuBufferPool};
///
/// let context = Context::new(0)?;
/// let (stream, pool) = (context.stream()?, GpuBufferPool::new(&context));
/// for _ in 0..100 {
///     pool.lease::<f32>(&stream, 5000)?;
/// }
/// println!("{:?}", pool.statistics()); // one block from the driver, which 99 leases had again
/// # Ok::<(), CudaError>(())
/// ```
///
/// It needs a GPU: `tests/tests/cuda_host_gpu/pools.rs` runs such code where there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// Blocks taken from the driver. In a steady state this does not grow.
    pub allocations: u64,
    /// Requests that were served from the pool.
    pub reuses: u64,
    /// Those of them whose memory had work under way: their first use waits for it, on the device or, for memory that
    /// the host writes, on the host.
    pub waits: u64,
    /// Blocks given back to the driver.
    pub frees: u64,
    /// Times that memory ran out, and the pool freed what it kept and tried once more.
    pub trims: u64,
    /// Bytes taken from the driver and not given back.
    pub bytes_held: usize,
    /// Those of them that buffers have.
    pub bytes_in_use: usize,
    /// The most bytes held at a time.
    pub peak_held: usize,
    /// The most bytes in use at a time.
    pub peak_in_use: usize,
    /// Blocks that buffers have.
    pub blocks_in_use: usize,
    /// Blocks kept for later.
    pub blocks_free: usize,
}

impl std::ops::AddAssign for PoolStatistics {
    /// Of two pools together; their peaks need not have been at one time.
    fn add_assign(&mut self, other: Self) {
        self.allocations += other.allocations;
        self.reuses += other.reuses;
        self.waits += other.waits;
        self.frees += other.frees;
        self.trims += other.trims;
        self.bytes_held += other.bytes_held;
        self.bytes_in_use += other.bytes_in_use;
        self.peak_held += other.peak_held;
        self.peak_in_use += other.peak_in_use;
        self.blocks_in_use += other.blocks_in_use;
        self.blocks_free += other.blocks_free;
    }
}

/// The blocks that nobody has, and the counts.
struct State<B> {
    /// By size; of one size, the one that was given back first is first.
    free: BTreeMap<usize, VecDeque<B>>,
    /// Bytes held, and those about to be.
    reserved: usize,
    statistics: PoolStatistics,
}

/// The state of a pool. Blocks come from [`take`](Self::take) and go back by [`give`](Self::give).
pub(crate) struct Core<B> {
    source: Box<dyn MemorySource<B>>,
    options: PoolOptions,
    state: Mutex<State<B>>,
    /// Held by whoever frees blocks to make room: others who lack memory wait for what that gains.
    making_room: Mutex<()>,
}

impl<B: PoolBlock> Core<B> {
    pub(crate) fn new(source: Box<dyn MemorySource<B>>, options: PoolOptions) -> Self {
        let state = State { free: BTreeMap::new(), reserved: 0, statistics: PoolStatistics::default() };
        Self { source, options, state: Mutex::new(state), making_room: Mutex::new(()) }
    }

    fn state(&self) -> MutexGuard<'_, State<B>> {
        lock(&self.state)
    }

    pub(crate) fn statistics(&self) -> PoolStatistics {
        self.state().statistics
    }

    /// A block of at least `bytes` bytes, for work of `user`.
    ///
    /// # Errors
    /// [`CudaError::PoolLimit`], and those of the source.
    pub(crate) fn take(&self, bytes: usize, user: &B::User) -> Result<B, CudaError> {
        let (wanted, least) = (self.options.block_bytes(bytes), least_bytes(bytes));
        let fitting = self.state().reuse(least, wanted.saturating_mul(2), self.options.most_busy(), user);
        if let Some(block) = fitting {
            return Ok(block);
        }
        match self.allocate(wanted, least) {
            Err(error) if error.is_out_of_memory() => self.take_where_memory_is_short(least, user),
            result => result,
        }
    }

    /// Takes a block back.
    pub(crate) fn give(&self, mut block: B) {
        let bytes = block.bytes();
        let retired = block.retire();
        // A block of which nobody knows when its work ends is freed, outside of the lock: that waits.
        let (kept, lost) = match retired {
            Ok(()) => (Some(block), None),
            Err(error) => {
                tracing::warn!("giving memory back to its pool: {error}");
                (None, Some(block))
            }
        };
        let was_lost = lost.is_some();
        drop(lost);
        let mut state = self.state();
        state.statistics.bytes_in_use -= bytes;
        state.statistics.blocks_in_use -= 1;
        if was_lost {
            state.freed(bytes);
        }
        if let Some(block) = kept {
            state.free.entry(bytes).or_default().push_back(block);
            state.statistics.blocks_free += 1;
        }
    }

    /// Gives everything that nobody has back to the driver, and returns how many bytes that were. Waits for the work
    /// that still uses them.
    pub(crate) fn trim(&self) -> usize {
        let _alone = lock(&self.making_room);
        self.free_all()
    }

    /// A new block of `wanted` bytes, or of `least` where the limit leaves no more.
    fn allocate(&self, wanted: usize, least: usize) -> Result<B, CudaError> {
        let reserved = self.reserve(wanted, least)?;
        let block = self.source.allocate(reserved.bytes)?;
        if block.bytes() < reserved.bytes {
            let (bytes, given) = (reserved.bytes, block.bytes());
            return Err(CudaError::ShortBlock { bytes, given });
        }
        Ok(reserved.become_block(block))
    }

    /// The limit was reached, or the source has no memory.
    fn take_where_memory_is_short(&self, least: usize, user: &B::User) -> Result<B, CudaError> {
        let _alone = lock(&self.making_room);
        // However large it is, and whatever uses it.
        if let Some(block) = self.state().reuse(least, usize::MAX, 0, user) {
            return Ok(block);
        }
        self.free_all();
        self.state().statistics.trims += 1;
        // Another thread may have given back meanwhile what there is no memory for.
        self.allocate(least, least).or_else(|error| self.state().reuse(least, usize::MAX, 0, user).ok_or(error))
    }

    /// Under the lock for making room.
    fn free_all(&self) -> usize {
        let mut bytes = 0;
        let free = std::mem::take(&mut self.state().free);
        for block in free.into_values().flatten() {
            let size = block.bytes();
            drop(block);
            let mut state = self.state();
            state.statistics.blocks_free -= 1;
            state.freed(size);
            bytes += size;
        }
        bytes
    }

    /// Counts bytes of a block that is about to be allocated, so that no number of threads goes beyond the limit.
    fn reserve(&self, wanted: usize, least: usize) -> Result<Reserved<'_, B>, CudaError> {
        let limit = self.options.most_bytes();
        let mut state = self.state();
        let sizes = [wanted, least];
        let fits = |bytes: &usize| state.reserved.checked_add(*bytes).is_some_and(|sum| sum <= limit);
        match sizes.into_iter().find(fits) {
            Some(bytes) => {
                state.reserved += bytes;
                Ok(Reserved { core: self, bytes })
            }
            None => Err(CudaError::PoolLimit { bytes: least, in_use: state.statistics.bytes_in_use, limit }),
        }
    }
}

impl<B: PoolBlock> State<B> {
    /// A free block of `least` to `most` bytes, the smallest on which no work is under way; one with work if there are
    /// more than `most_busy` of those.
    fn reuse(&mut self, least: usize, most: usize, most_busy: usize, user: &B::User) -> Option<B> {
        let (mut busy, mut smallest_busy, mut quiet) = (0, None, None);
        for (size, blocks) in self.free.range(least..=most.max(least)) {
            if let Some(at) = blocks.iter().position(|block| block.is_quiet(user)) {
                quiet = Some((*size, at));
                break;
            }
            if !blocks.is_empty() {
                busy += blocks.len();
                smallest_busy.get_or_insert((*size, 0));
            }
        }
        let (size, at) = quiet.or(smallest_busy.filter(|_| busy > most_busy))?;
        let mut block = self.free.get_mut(&size)?.remove(at)?;
        block.renew();
        let statistics = &mut self.statistics;
        statistics.reuses += 1;
        statistics.waits += u64::from(quiet.is_none());
        statistics.blocks_free -= 1;
        self.handed_out(size);
        Some(block)
    }

    fn handed_out(&mut self, bytes: usize) {
        let statistics = &mut self.statistics;
        statistics.blocks_in_use += 1;
        statistics.bytes_in_use += bytes;
        statistics.peak_in_use = statistics.peak_in_use.max(statistics.bytes_in_use);
    }

    fn freed(&mut self, bytes: usize) {
        self.reserved -= bytes;
        self.statistics.frees += 1;
        self.statistics.bytes_held -= bytes;
    }
}

/// Bytes that nobody else may take meanwhile.
struct Reserved<'c, B: PoolBlock> {
    core: &'c Core<B>,
    bytes: usize,
}

impl<B: PoolBlock> Reserved<'_, B> {
    /// The block is there, and may be larger than was asked for.
    fn become_block(mut self, block: B) -> B {
        let mut state = self.core.state();
        let bytes = block.bytes();
        state.reserved += bytes - std::mem::take(&mut self.bytes);
        state.statistics.allocations += 1;
        state.statistics.bytes_held += bytes;
        state.statistics.peak_held = state.statistics.peak_held.max(state.statistics.bytes_held);
        state.handed_out(bytes);
        block
    }
}

impl<B: PoolBlock> Drop for Reserved<'_, B> {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.core.state().reserved -= self.bytes;
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
