//! Page-locked memory from a pool, and copies that run beside other work.

use crate::{gpu, launch_spin, ragged, slow, spun};
use cuda_host::{DeviceBuffer, GpuBufferPool, PinnedBuffer, PinnedPool, PoolOptions, Timeline};
use toolkit_tests::simulated::is_simulated;

#[test]
fn staging_memory_is_written_again_when_its_copy_is_done() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let (memory, staging) = (GpuBufferPool::new(gpu.context()), PinnedPool::new(gpu.context()));
    let len = 100_000;
    let mut uploaded = Vec::new();
    for round in 0..20u32 {
        let mut upload = staging.lease::<u32>(len - round as usize).unwrap();
        upload.as_mut_slice().unwrap().fill(round);
        let mut buffer = memory.lease::<u32>(stream, upload.len()).unwrap();
        upload.upload(stream, buffer.view_mut()).unwrap();
        // Dropped during the copy.
        drop(upload);
        uploaded.push(buffer);
    }
    for (round, buffer) in uploaded.iter().enumerate() {
        let found = buffer.download(stream).unwrap();
        assert!(found.iter().all(|element| *element == round as u32), "round {round}: {}", found[0]);
    }
    let found = staging.statistics();
    assert!(found.allocations <= 3, "two on their way and one that is filled: {found:?}");
    assert_eq!((found.allocations + found.reuses, found.blocks_in_use), (20, 0));
}

#[test]
fn parts_of_a_slice_are_copied_from_where_they_lie() {
    let Some(gpu) = gpu() else { return };
    let (stream, other) = (gpu.stream(), gpu.context().stream().unwrap());
    let staging = PinnedPool::with_options(gpu.context(), PoolOptions::default());
    let mut buffer = staging.lease::<u32>(1000).unwrap();
    buffer.as_mut_slice().unwrap().iter_mut().zip(0..).for_each(|(element, index)| *element = index);
    let slice = buffer.into_slice().unwrap();
    let (mut first, mut last) = (DeviceBuffer::zeroed(stream, 400).unwrap(), DeviceBuffer::zeroed(&other, 5).unwrap());
    slice.upload(stream, 100..500, first.view_mut()).unwrap();
    slice.upload(&other, 995..1000, last.view_mut()).unwrap();
    assert!(slice.len() == 1000 && slice[999] == 999, "it is read meanwhile");
    for range in [0..6, 996..1001] {
        assert!(slice.upload(&other, range, last.view_mut()).is_err());
    }
    // Who has the memory next waits for both copies.
    drop(slice);
    let mut next = staging.lease::<u32>(1000).unwrap();
    next.as_mut_slice().unwrap().fill(7);
    assert_eq!(first.download(stream).unwrap(), (100..500).collect::<Vec<u32>>());
    assert_eq!(last.download(&other).unwrap(), [995, 996, 997, 998, 999]);
    assert_eq!(staging.statistics().allocations, 1);
}

#[test]
fn a_steady_state_locks_no_pages() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let staging = PinnedPool::with_options(gpu.context(), PoolOptions::default());
    let mut device = DeviceBuffer::<f32>::zeroed(stream, 5000).unwrap();
    for round in 0..30 {
        let upload = staging.lease_from(&vec![round as f32; 5000]).unwrap();
        let mut download = staging.lease::<f32>(5000).unwrap();
        upload.upload(stream, device.view_mut()).unwrap();
        download.download(stream, device.view()).unwrap();
        assert!(download.as_slice().unwrap().iter().all(|element| *element == round as f32));
        assert!(upload.is_idle().unwrap() && download.is_idle().unwrap(), "the stream was waited for");
    }
    let found = staging.statistics();
    assert_eq!((found.allocations, found.reuses, found.waits), (2, 58, 0));
    assert_eq!(staging.trim(), found.bytes_held);
}

#[test]
fn results_that_come_late_do_not_reach_who_has_the_memory_next() {
    let Some(gpu) = gpu() else { return };
    let staging = PinnedPool::with_options(gpu.context(), PoolOptions::default());
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[1u32; 64]).unwrap();
    launch_spin(&gpu, &mut out, &at, &input, slow());
    let mut download = staging.lease::<u32>(64).unwrap();
    download.download(gpu.stream(), out.view()).unwrap();
    assert!(!download.is_idle().unwrap(), "the kernel runs");
    // The results are no longer needed.
    drop(download);
    let mut next = staging.lease::<u32>(64).unwrap();
    next.as_mut_slice().unwrap().fill(77);
    gpu.synchronize().unwrap();
    assert_eq!(next.as_slice().unwrap(), [77; 64]);
    let found = staging.statistics();
    assert_eq!((found.allocations, found.waits), (1, 1));
}

#[test]
fn copies_overlap_with_kernels_and_with_each_other() {
    let Some(gpu) = gpu() else { return };
    if is_simulated() {
        println!("skipped: the simulated driver does one thing after another");
        return;
    }
    let context = gpu.context();
    let (up, down) = (context.stream().unwrap(), context.stream().unwrap());
    let bytes = 64 << 20;
    let (memory, staging) = (GpuBufferPool::new(context), PinnedPool::new(context));
    let upload = staging.lease::<u8>(bytes).unwrap();
    let mut download: PinnedBuffer<u8> = staging.lease(bytes).unwrap();
    let mut to = memory.lease_zeroed::<u8>(&up, bytes).unwrap();
    let from = memory.lease_zeroed::<u8>(&down, bytes).unwrap();
    let input = DeviceBuffer::from_slice(gpu.stream(), &[1u32; 64]).unwrap();
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    // Long enough that the copies finish before it ends.
    let rounds = 8 * slow();
    for timed in [false, true] {
        let timeline = Timeline::new(gpu.stream()).unwrap();
        let kernel = timeline.begin(gpu.stream()).unwrap();
        launch_spin(&gpu, &mut out, &at, &input, rounds);
        let kernel = kernel.end().unwrap();
        let there = timeline.begin(&up).unwrap();
        upload.upload(&up, to.view_mut()).unwrap();
        let there = there.end().unwrap();
        let back = timeline.begin(&down).unwrap();
        download.download(&down, from.view()).unwrap();
        let back = back.end().unwrap();
        if !timed {
            // Loads the kernel and wakes the device.
            gpu.synchronize().unwrap();
            continue;
        }
        let [kernel_ms, there_ms, back_ms] = [&kernel, &there, &back].map(|span| span.milliseconds().unwrap());
        println!("kernel {kernel_ms:?}, upload {there_ms:?}, download {back_ms:?} ms, of 64 MiB each");
        assert!(there_ms.end < kernel_ms.end && back_ms.end < kernel_ms.end, "copies do not wait for the kernel");
        assert!(there.overlap_ms(&back).unwrap() > 0.0, "there and back at once");
    }
    assert_eq!(out.download(gpu.stream()).unwrap(), [spun(1, rounds); 64]);
}

#[test]
fn a_timeline_tells_what_came_after_what() {
    let Some(gpu) = gpu() else { return };
    let other = gpu.context().stream().unwrap();
    let mut buffer = DeviceBuffer::<u8>::zeroed(gpu.stream(), 1 << 20).unwrap();
    let timeline = Timeline::new(gpu.stream()).unwrap();
    let mut span = |stream: &cuda_host::Stream| {
        let open = timeline.begin(stream).unwrap();
        buffer.view_mut().zero(stream).unwrap();
        open.end().unwrap()
    };
    // Both write the buffer, so they run in sequence although they are on two streams.
    let (first, second) = (span(gpu.stream()), span(&other));
    let (first_ms, second_ms) = (first.milliseconds().unwrap(), second.milliseconds().unwrap());
    assert!(0.0 <= first_ms.start && first_ms.start <= first_ms.end, "{first_ms:?}");
    assert!(first_ms.end <= second_ms.end && second_ms.start <= second_ms.end, "{first_ms:?} {second_ms:?}");
    assert!(first.overlap_ms(&second).unwrap() <= first_ms.end - first_ms.start);
}
