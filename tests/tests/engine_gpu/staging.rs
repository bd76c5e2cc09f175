//! Copies between slices and the device through page-locked memory.

use crate::gpu;
use cuda_host::{CudaError, DeviceBuffer, GpuBufferPool};
use prism_host::engine::Staging;

/// The engine's way to copy batches: piece by piece, with several threads.
#[test]
fn slices_go_through_page_locked_memory_in_pieces() {
    let Some(gpu) = gpu() else { return };
    let staging = Staging::with_threads(gpu.context(), 2, 4).unwrap();
    let few = staging.statistics();
    assert!(few.allocations == 4 && few.blocks_in_use == 0, "for a thread of each copy: {few:?}");
    let pool = GpuBufferPool::new(gpu.context());
    let mut large = pool.lease::<u32>(gpu.stream(), 6_000_000).unwrap();
    staging.upload(gpu.stream(), large.view_mut(), &vec![7; 6_000_000]).unwrap();
    drop(large);
    let before = staging.statistics();
    assert!(before.allocations == 4 + 16 && before.blocks_in_use == 0, "{before:?}");
    // Empty, less than a piece, some pieces and a rest, and enough for several threads.
    for len in [0, 1, 1000, 1_500_001, 6_000_007] {
        let numbers: Vec<u32> = (0..len).map(|index| index as u32 ^ len as u32).collect();
        let mut buffer = pool.lease::<u32>(gpu.stream(), len + 10).unwrap();
        for round in 0..2 {
            let to = buffer.slice_mut(round..len + round).unwrap();
            // As a whole, and from where it lies in parts.
            match round {
                0 => staging.upload(gpu.stream(), to, &numbers),
                _ => staging.gather(gpu.stream(), to, &numbers.chunks(777_777).collect::<Vec<_>>()),
            }
            .unwrap();
            let mut found = vec![0; len];
            staging.download(gpu.stream(), buffer.slice(round..len + round).unwrap(), &mut found).unwrap();
            assert!(found == numbers, "{len} elements, round {round}");
        }
    }
    let after = staging.statistics();
    assert_eq!((after.allocations, after.frees, after.blocks_in_use), (before.allocations, 0, 0), "{after:?}");
    assert!(after.reuses > before.reuses);
}

#[test]
fn slices_that_do_not_fit_are_refused() {
    let Some(gpu) = gpu() else { return };
    let staging = Staging::new(gpu.context(), 1).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(gpu.stream(), 5).unwrap();
    let error = staging.upload(gpu.stream(), buffer.view_mut(), &[1; 6]).unwrap_err();
    assert!(matches!(error, CudaError::OutOfBounds { .. }), "{error}");
    let error = staging.download(gpu.stream(), buffer.view(), &mut [0; 6]).unwrap_err();
    assert!(matches!(error, CudaError::OutOfBounds { .. }), "{error}");
}
