//! Batches on a device in chunks.

use cuda_host::{CudaExecutor, PoolStatistics};
use prism_host::engine::{SlotOptions, SlotStatistics};
use prism_host::{PackedBatch, StructureInput};

/// The kernels on the first device.
pub fn executor() -> CudaExecutor {
    CudaExecutor::open(0, "kernels", crate::ptx()).expect("a device that opens")
}

/// A batch of structures that fit together.
pub fn packed(structures: &[StructureInput]) -> PackedBatch {
    PackedBatch::from_inputs(structures).expect("structures that fit together")
}

/// Uses many small chunks even for small batches.
pub fn cut(chunks: usize) -> SlotOptions {
    SlotOptions { chunks, chunk_atoms: 1, ..SlotOptions::default() }
}

/// Values that grow when memory is allocated.
pub fn allocated(statistics: SlotStatistics) -> Vec<(u64, u64, u64, usize)> {
    let of = |pool: PoolStatistics| (pool.allocations, pool.frees, pool.trims, pool.bytes_held);
    std::iter::once(statistics.device).chain(statistics.page_locked).map(of).collect()
}
