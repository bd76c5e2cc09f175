//! Pools of device memory.

use crate::{gpu, launch_fail, launch_spin, offsets, slow, spun};
use cuda_host::{
    CudaError, CudaExecutor, DeviceBlock, DeviceBuffer, DeviceOffsets, DeviceSource, Event, GpuBufferPool,
    MemorySource, PoolOptions,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The address of a buffer.
pub(crate) fn address<T: cuda_layout::DeviceLayout>(buffer: &DeviceBuffer<T>) -> u64 {
    buffer.view().pointer().address()
}

/// Offsets of one segment of 64.
fn one(gpu: &CudaExecutor) -> DeviceOffsets {
    DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64])).unwrap()
}

#[test]
fn pool_reuse() {
    let Some(gpu) = gpu() else { return };
    let (pool, at) = (GpuBufferPool::new(gpu.context()), one(&gpu));
    let mut free = None;
    for round in 0..50u32 {
        // Lengths that vary by less than the headroom.
        let len = 10_000 + 37 * (round as usize % 20);
        let input = pool.lease_from(gpu.stream(), &vec![round; len]).unwrap();
        let mut out = pool.lease::<u32>(gpu.stream(), len).unwrap();
        let scratch = pool.lease_zeroed::<u8>(gpu.stream(), 300).unwrap();
        launch_spin(&gpu, &mut out, &at, &input, round);
        assert_eq!(out.slice(..64).unwrap().download(gpu.stream()).unwrap(), [spun(round, round); 64]);
        assert_eq!(scratch.download(gpu.stream()).unwrap(), [0; 300]);
        let now = gpu.context().memory().unwrap().free;
        assert_eq!(*free.get_or_insert(now), now, "the driver is asked for nothing after the first round");
    }
    let found = pool.statistics();
    assert_eq!((found.allocations, found.reuses, found.waits, found.frees), (3, 147, 0, 0));
    assert_eq!((found.bytes_in_use, found.blocks_in_use, found.blocks_free), (0, 0, 3));
    assert!(found.bytes_held >= 2 * 40_000 + 300 && found.peak_in_use == found.bytes_held);
    assert_eq!(pool.trim(), found.bytes_held);
    assert_eq!(pool.statistics().bytes_held, 0);
}

#[test]
fn aligned_buffers() {
    let Some(gpu) = gpu() else { return };
    let pool = GpuBufferPool::new(gpu.context());
    let mut all = Vec::new();
    for len in [0, 1, 3, 255, 256, 257, 1000, 4097, 100_003] {
        let mut buffer = pool.lease::<u8>(gpu.stream(), len).unwrap();
        assert_eq!((buffer.len(), address(&buffer) % 256), (len, 0));
        assert!(buffer.capacity() >= len);
        buffer.grow(gpu.stream(), 3 * len + 1).unwrap();
        assert_eq!((buffer.len(), address(&buffer) % 256), (3 * len + 1, 0));
        all.push(buffer);
    }
    // Buffers in use at the same time do not overlap.
    let mut ranges: Vec<_> = all.iter().map(|buffer| (address(buffer), buffer.capacity() as u64)).collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{ranges:?}");
}

#[test]
fn memory_that_is_handed_on_is_not_used_before_its_last_use_is_over() {
    let Some(a) = gpu() else { return };
    let b = a.context().stream().unwrap();
    let (pool, at) = (GpuBufferPool::new(a.context()), one(&a));
    let mut busy = DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap();
    let mut result = DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap();
    for round in 0..4 {
        let input = pool.lease_from(a.stream(), &[9 + round; 64]).unwrap();
        let place = address(&input);
        launch_spin(&a, &mut busy, &at, &input, slow());
        // Still pending when the memory is reused.
        launch_spin(&a, &mut result, &at, &input, 3);
        let last_use = Event::new(a.context()).unwrap();
        last_use.record(a.stream()).unwrap();
        drop(input);
        let mut next = pool.lease::<u32>(&b, 64).unwrap();
        assert_eq!(address(&next), place, "the same memory");
        next.view_mut().zero(&b).unwrap();
        assert!(!last_use.is_done().unwrap(), "the host waits for nothing");
        // Requested first: the other stream has to wait by itself.
        assert_eq!(next.download(&b).unwrap(), [0; 64]);
        assert!(last_use.is_done().unwrap());
        assert_eq!(result.download(a.stream()).unwrap(), [spun(9 + round, 3); 64]);
    }
    let found = pool.statistics();
    assert_eq!((found.allocations, found.waits), (1, 4), "{found:?}");
}

#[test]
fn who_gets_memory_does_not_wait_for_what_its_last_user_does_later() {
    let Some(a) = gpu() else { return };
    let b = a.context().stream().unwrap();
    let (pool, at) = (GpuBufferPool::new(a.context()), one(&a));
    let input = DeviceBuffer::from_slice(a.stream(), &[1u32; 64]).unwrap();
    let mut busy = DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap();
    // Loads the kernel, which would wait for the device.
    launch_spin(&a, &mut busy, &at, &input, 1);
    a.synchronize().unwrap();
    let mut short = pool.lease::<u32>(a.stream(), 64).unwrap();
    short.view_mut().zero(a.stream()).unwrap();
    drop(short);
    launch_spin(&a, &mut busy, &at, &input, slow());
    let later = Event::new(a.context()).unwrap();
    later.record(a.stream()).unwrap();
    let mut next = pool.lease::<u32>(&b, 64).unwrap();
    next.view_mut().zero(&b).unwrap();
    b.synchronize().unwrap();
    assert!(!later.is_done().unwrap(), "only the last use of the memory was waited for");
    assert_eq!(pool.statistics().allocations, 1);
}

#[test]
fn streams_keep_memory_of_their_own() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let (pool, at) = (GpuBufferPool::new(a.context()), one(&a));
    let mut held = [a.stream(), b.stream()].map(|stream| Some(pool.lease_from(stream, &[5u32; 64]).unwrap()));
    let mut results = [0, 1].map(|_| DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap());
    let places = held.each_ref().map(|buffer| address(buffer.as_ref().unwrap()));
    a.synchronize().unwrap();
    for _ in 0..10 {
        for (i, executor) in [&*a, &b].into_iter().enumerate() {
            let buffer = held[i].take().unwrap();
            launch_spin(executor, &mut results[i], &at, &buffer, slow() / 10);
        }
        for (i, stream) in [a.stream(), b.stream()].into_iter().enumerate() {
            let buffer = pool.lease::<u32>(stream, 64).unwrap();
            assert_eq!(address(&buffer), places[i], "that of its own stream, since the other's is in use");
            held[i] = Some(buffer);
        }
    }
    let found = pool.statistics();
    assert_eq!((found.allocations, found.waits), (2, 0), "{found:?}");
}

#[test]
fn growing_loses_nothing_that_is_in_use() {
    let Some(a) = gpu() else { return };
    let other = a.context().stream().unwrap();
    let (pool, at) = (GpuBufferPool::new(a.context()), one(&a));
    let input = pool.lease_from(a.stream(), &(0..64).collect::<Vec<u32>>()).unwrap();
    for mut out in [pool.lease::<u32>(a.stream(), 64).unwrap(), DeviceBuffer::zeroed(a.stream(), 64).unwrap()] {
        launch_spin(&a, &mut out, &at, &input, slow());
        // The kernel still runs when the buffer grows, on another stream.
        let mut expected: Vec<u32> = (0..64).map(|i| spun(i, slow())).collect();
        for len in [65, 1000, 100_000] {
            out.grow(&other, len).unwrap();
            expected.resize(len, 0);
            assert_eq!(out.len(), len);
        }
        out.grow(&other, 10).unwrap();
        assert_eq!(out.download(a.stream()).unwrap(), expected);
        out.truncate(70);
        out.grow(a.stream(), 80).unwrap();
        expected.truncate(70);
        expected.resize(80, 0);
        assert_eq!(out.download(&other).unwrap(), expected, "new elements are zero, whatever was there");
    }
    // Views of another buffer keep their contents, although the memory was reused.
    assert_eq!(input.download(a.stream()).unwrap(), (0..64).collect::<Vec<u32>>());
}

/// A source that fails on request.
#[derive(Clone)]
struct Failing {
    device: DeviceSource,
    calls: Arc<AtomicUsize>,
    failures: Arc<AtomicUsize>,
}

impl MemorySource<DeviceBlock> for Failing {
    fn allocate(&self, bytes: usize) -> Result<DeviceBlock, CudaError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let fails = self.failures.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if fails.is_ok() {
            let operation = "allocating, in a test,".to_owned();
            return Err(CudaError::OutOfMemory { operation, bytes, free: 11, total: 22 });
        }
        self.device.allocate(bytes)
    }
}

#[test]
fn memory_that_runs_out_is_asked_for_once_more_and_no_oftener() {
    let Some(gpu) = gpu() else { return };
    let source = Failing { device: DeviceSource::new(gpu.context()), calls: Arc::default(), failures: Arc::default() };
    let pool = GpuBufferPool::with_source(gpu.context(), PoolOptions::default(), source.clone());
    let kept = pool.lease_from(gpu.stream(), &[7u8; 1000]).unwrap();
    drop(pool.lease::<u8>(gpu.stream(), 100_000).unwrap());
    source.failures.store(1, Ordering::Relaxed);
    let buffer = pool.lease::<u8>(gpu.stream(), 1_000_000).unwrap();
    let found = pool.statistics();
    assert_eq!((found.trims, found.frees, found.allocations), (1, 1, 3));
    assert_eq!(source.calls.load(Ordering::Relaxed), 4);

    source.failures.store(2, Ordering::Relaxed);
    let error = pool.lease::<u64>(gpu.stream(), 1 << 20).unwrap_err();
    assert!(error.is_out_of_memory());
    for part in ["8388608 bytes", "11 of", "22 free", "in a test"] {
        assert!(error.to_string().contains(part), "`{part}` is missing in: {error}");
    }
    assert_eq!(source.calls.load(Ordering::Relaxed), 6);
    // Other users are not affected.
    assert_eq!(kept.download(gpu.stream()).unwrap(), [7; 1000]);
    drop(buffer);
    assert!(pool.lease::<u64>(gpu.stream(), 1 << 20).is_ok());
}

#[test]
fn what_a_pool_keeps_is_freed_for_what_has_no_room_beside_it() {
    let Some(gpu) = gpu() else { return };
    let pool = GpuBufferPool::with_options(gpu.context(), PoolOptions::default().headroom_percent(0));
    let free = gpu.context().memory().unwrap().free;
    let first = pool.lease_zeroed::<u8>(gpu.stream(), free / 8 * 3).unwrap();
    let second = pool.lease_zeroed::<u8>(gpu.stream(), free / 8 * 3).unwrap();
    drop((first, second));
    assert_eq!(pool.statistics().frees, 0);
    let large = pool.lease_zeroed::<u8>(gpu.stream(), free / 8 * 6).unwrap();
    let found = pool.statistics();
    assert_eq!((found.trims, found.frees, found.blocks_in_use), (1, 2, 1), "{found:?}");
    let error = pool.lease::<u8>(gpu.stream(), free / 2).unwrap_err();
    assert!(
        matches!(error, CudaError::OutOfMemory { bytes, free: left, total, .. }
        if bytes >= free / 2 && left < free / 2 && total >= free),
        "{error}"
    );
    drop(large);
    pool.trim();
    assert!(gpu.context().memory().unwrap().free > free / 10 * 9);
}

#[test]
fn many_threads_share_a_pool_and_never_memory() {
    let Some(gpu) = gpu() else { return };
    let pool = GpuBufferPool::with_options(gpu.context(), PoolOptions::default().limit(1 << 20));
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let (gpu, pool, done): (&CudaExecutor, _, _) = (&gpu, &pool, &done);
            scope.spawn(move || {
                let own = gpu.on(&gpu.context().stream().unwrap()).unwrap();
                let at = one(&own);
                let mut last: Option<(DeviceBuffer<u32>, u32)> = None;
                for round in 0..50u32 {
                    let seed = 1000 * thread + round;
                    let len = 64 + (round as usize * 97 + thread as usize) % 2000;
                    let input = pool.lease_from(own.stream(), &vec![seed; len]).unwrap();
                    let mut out = pool.lease::<u32>(own.stream(), len).unwrap();
                    launch_spin(&own, &mut out, &at, &input, 100 + round);
                    drop(input);
                    // Checked a round later, so that the others have run in the meantime.
                    if let Some((out, expected)) = last.replace((out, spun(seed, 100 + round))) {
                        let found = out.slice(..64).unwrap().download(own.stream()).unwrap();
                        assert_eq!(found, [expected; 64], "thread {thread}, round {round}");
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 8 * 49);
    let found = pool.statistics();
    assert_eq!((found.blocks_in_use, found.bytes_in_use), (0, 0));
    assert!(found.peak_held <= 1 << 20 && found.reuses > found.allocations, "{found:?}");
}

#[test]
fn leases_outlive_their_pool() {
    let Some(gpu) = gpu() else { return };
    let at = one(&gpu);
    let (mut out, input) = {
        let pool = GpuBufferPool::new(gpu.context());
        let other = pool.lease::<u32>(gpu.stream(), 64).unwrap();
        drop(other);
        (pool.lease::<u32>(gpu.stream(), 64).unwrap(), pool.lease_from(gpu.stream(), &[3u32; 64]).unwrap())
    };
    launch_spin(&gpu, &mut out, &at, &input, slow());
    // Without a pool it is freed at once, after the kernel.
    drop(input);
    out.grow(gpu.stream(), 100).unwrap();
    assert_eq!(out.slice(..64).unwrap().download(gpu.stream()).unwrap(), [spun(3, slow()); 64]);
}

#[test]
fn a_panic_does_not_follow_memory_to_its_next_user() {
    let Some(a) = gpu() else { return };
    let b = a.context().stream().unwrap();
    let pool = GpuBufferPool::new(a.context());
    let input = pool.lease_from(a.stream(), &[1u32; 64]).unwrap();
    let at = one(&a);
    let mut out = pool.lease::<u32>(a.stream(), 64).unwrap();
    let place = address(&out);
    launch_fail(&a, &mut out, &at, &input);
    drop(out);
    let mut next = pool.lease::<u32>(&b, 64).unwrap();
    assert_eq!(address(&next), place);
    next.view_mut().zero(&b).unwrap();
    assert_eq!(next.download(&b).expect("nothing of the kernel's is in it"), [0; 64]);
    b.synchronize().expect("the other stream's panic is no concern of this one");
    assert!(a.synchronize().unwrap_err().kernel_panic().is_some());

    // A buffer that grows keeps its results, and whether they may be read.
    launch_fail(&a, &mut next, &at, &input);
    let grown = next.grow(&b, 10_000).and_then(|()| next.download(&b).map(|_| ()));
    assert!(grown.unwrap_err().kernel_panic().is_some());
    assert!(a.synchronize().is_err());
}
