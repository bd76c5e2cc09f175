//! The logic of a pool, for any kind of memory.

use super::classes::{PoolOptions, least_bytes};
use super::source::MemorySource;
use super::sync::{Held, Mutex, MutexGuard, hold, lock};
use crate::CudaError;
use std::collections::{BTreeMap, VecDeque};

/// Memory that can be leased again. Dropping it waits for the work that uses it and frees it.
pub(crate) trait PoolBlock: Send {
    /// The first user: the stream of the work that will use it first.
    type User;
    /// Its size in bytes.
    fn bytes(&self) -> usize;
    /// Whether all work on it is done, or ordered before that of `user` anyway.
    fn is_quiet(&self, user: &Self::User) -> bool;
    /// Records on each stream the point until which its work uses the block. The block has no owner any more.
    ///
    /// # Errors
    /// If that cannot be recorded. The block is then freed, which waits for that work.
    fn retire(&mut self) -> Result<(), CudaError>;
    /// Clears the state of its previous user.
    fn renew(&mut self);
}

/// Counters of a pool, and its current size.
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
/// This needs a GPU: `tests/tests/cuda_host_gpu/pools.rs` runs such code if there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// Blocks allocated from the driver. In a steady state this does not grow.
    pub allocations: u64,
    /// Requests that were served from the pool.
    pub reuses: u64,
    /// Reuses of memory with pending work. Its first use waits for that work: on the device, or on the host for memory that
    /// the host writes.
    pub waits: u64,
    /// Blocks returned to the driver.
    pub frees: u64,
    /// How often memory ran out, and the pool freed unused blocks and tried again.
    pub trims: u64,
    /// Bytes allocated from the driver and not returned.
    pub bytes_held: usize,
    /// Bytes in use by buffers.
    pub bytes_in_use: usize,
    /// The most bytes held at a time.
    pub peak_held: usize,
    /// The most bytes in use at a time.
    pub peak_in_use: usize,
    /// Blocks in use by buffers.
    pub blocks_in_use: usize,
    /// Blocks kept for later.
    pub blocks_free: usize,
}

impl std::ops::AddAssign for PoolStatistics {
    /// Sums for two pools; their peaks need not have occurred at the same time.
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

/// The unused blocks, and the counters.
struct State<B> {
    /// By size; within a size, in the order of their return.
    free: BTreeMap<usize, VecDeque<B>>,
    /// Bytes held or about to be allocated.
    reserved: usize,
    statistics: PoolStatistics,
}

/// The state of a pool. Blocks come from [`take`](Self::take) and return by [`give`](Self::give).
pub(crate) struct Core<B> {
    source: Box<dyn MemorySource<B>>,
    options: PoolOptions,
    state: Mutex<State<B>>,
    /// Held while blocks are freed to make room: other threads without memory wait for the result.
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
            Err(error) if error.is_out_of_memory() => match hold(&self.making_room) {
                Some(alone) => self.take_where_memory_is_short(least, user, alone),
                // The source asks its own pool, which has found no memory.
                None => Err(error),
            },
            result => result,
        }
    }

    /// Returns a block to the pool.
    pub(crate) fn give(&self, mut block: B) {
        let bytes = block.bytes();
        let retired = block.retire();
        // A block whose end of use is unknown is freed outside of the lock, because freeing waits.
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

    /// Returns all unused blocks to the driver after pending work on them. The result is their size in bytes.
    pub(crate) fn trim(&self) -> usize {
        // A source may trim its own pool, whose thread holds the lock already.
        let _alone = hold(&self.making_room);
        self.free_all()
    }

    /// A new block of `wanted` bytes, or of `least` if the limit allows no more.
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
    fn take_where_memory_is_short(&self, least: usize, user: &B::User, _alone: Held<'_>) -> Result<B, CudaError> {
        // However large it is, and whatever uses it.
        if let Some(block) = self.state().reuse(least, usize::MAX, 0, user) {
            return Ok(block);
        }
        self.free_all();
        self.state().statistics.trims += 1;
        // Another thread may have returned a block in the meantime.
        self.allocate(least, least).or_else(|error| self.state().reuse(least, usize::MAX, 0, user).ok_or(error))
    }

    /// Must be called under the lock for making room.
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

    /// Reserves bytes of a block that is about to be allocated, so that several threads together stay within the limit.
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
    /// A free block of `least` to `most` bytes, the smallest one without pending work. Takes one with pending work if there
    /// are more than `most_busy` of those.
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

/// Bytes that no other thread can take.
struct Reserved<'c, B: PoolBlock> {
    core: &'c Core<B>,
    bytes: usize,
}

impl<B: PoolBlock> Reserved<'_, B> {
    /// The block was allocated, and may be larger than requested.
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
