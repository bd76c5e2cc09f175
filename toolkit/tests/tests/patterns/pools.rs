//! Pools of device memory.

use crate::{gpu, rising};
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, GpuBufferPool};
use test_kernels::add;

// ANCHOR: pool_views_borrow
/// A user-defined pool: each call borrows the buffers that it needs as fields. A method that returned a view would borrow
/// the whole pool for as long as the view lives.
struct BatchBuffers {
    atoms: DeviceBuffer<f32>,
    weights: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
}

impl BatchBuffers {
    fn launch(&mut self, executor: &CudaExecutor, n: usize) -> Result<(), CudaError> {
        let out = self.output.slice_mut(..n)?;
        let (a, b) = (self.atoms.slice(..n)?, self.weights.slice(..n)?);
        add::launch(executor, n.div_ceil(512) as u32, add::Args { out, a, b, scale: 2.0 })
    }
}
// ANCHOR_END: pool_views_borrow

/// Its wrong form is `compile_fail/cuda_host/pool_views_borrow.rs`.
#[test]
fn pool_views_borrow() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let pool = GpuBufferPool::new(gpu.context());
    let mut buffers = BatchBuffers {
        atoms: pool.lease_from(stream, &rising(2000, 1.0)).unwrap(),
        weights: pool.lease_from(stream, &rising(2000, 10.0)).unwrap(),
        output: pool.lease_zeroed(stream, 2000).unwrap(),
    };
    buffers.launch(&gpu, 1500).unwrap();
    let found = buffers.output.download(stream).unwrap();
    assert_eq!(found[..1500], rising(1500, 21.0));
    assert_eq!(found[1500..], [0.0; 500]);
    // Two disjoint mutable views of one buffer at once.
    let (mut low, high) = buffers.output.view_mut().split_at_mut(1000).unwrap();
    low.copy_from_device(stream, high.as_view()).unwrap();
    assert_eq!(buffers.output.slice(..500).unwrap().download(stream).unwrap(), found[1000..1500]);
    // Leases are separate buffers: none of them borrows the pool.
    assert_eq!(pool.statistics().blocks_in_use, 3);
}

#[test]
fn pool_reuse() {
    let Some(gpu) = gpu() else { return };
    let (stream, pool) = (gpu.stream(), GpuBufferPool::new(gpu.context()));
    for round in 0..100 {
        // Lengths that vary by less than the headroom.
        let n = 10_000 + 90 * (round % 20);
        let input = pool.lease_from(stream, &rising(n, 1.0)).unwrap();
        let mut out = pool.lease::<f32>(stream, n).unwrap();
        let args = add::Args { out: out.view_mut(), a: input.view(), b: input.view(), scale: 1.0 };
        add::launch(&gpu, n.div_ceil(512) as u32, args).unwrap();
        if round % 25 == 0 {
            assert_eq!(out.download(stream).unwrap(), rising(n, 2.0));
        }
    }
    let found = pool.statistics();
    assert_eq!((found.allocations, found.reuses, found.frees), (2, 198, 0), "{found:?}");
    assert!(found.bytes_held >= 2 * 4 * 12_500, "a quarter of headroom: {found:?}");
    // Growth beyond the headroom needs another block.
    drop(pool.lease::<f32>(stream, 100_000).unwrap());
    assert_eq!(pool.statistics().allocations, 3);
}

#[test]
fn aligned_buffers() {
    let Some(gpu) = gpu() else { return };
    let (stream, pool) = (gpu.stream(), GpuBufferPool::new(gpu.context()));
    let lengths = [1, 3, 255, 256, 257, 1000, 4097, 100_003];
    // All at once, and again after they have returned.
    for _ in 0..2 {
        let all: Vec<_> = lengths.iter().map(|len| pool.lease::<u8>(stream, *len).unwrap()).collect();
        for buffer in &all {
            assert_eq!(buffer.view().pointer().address() % 256, 0, "{buffer:?}");
        }
        let alone = DeviceBuffer::<u8>::zeroed(stream, 5).unwrap();
        assert_eq!(alone.view().pointer().address() % 256, 0);
    }
}
