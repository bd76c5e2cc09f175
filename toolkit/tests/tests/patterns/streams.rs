//! Streams that overlap, and events that order and measure.

use crate::gpu;
use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets, Event, PinnedBuffer, Timeline};
use cuda_std::prelude::*;
use test_kernels::spin;

/// Steps that keep a device busy for some hundredths of a second.
const SLOW: u32 = 2_000_000;

/// Buffers of a slow kernel.
struct Slow {
    input: DeviceBuffer<u32>,
    out: DeviceBuffer<u32>,
    at: DeviceOffsets,
}

impl Slow {
    fn new(gpu: &CudaExecutor) -> Self {
        let stream = gpu.stream();
        Self {
            input: DeviceBuffer::from_slice(stream, &[1u32; 64]).unwrap(),
            out: DeviceBuffer::zeroed(stream, 64).unwrap(),
            at: DeviceOffsets::new(stream, &Offsets::new(vec![0, 64]).unwrap()).unwrap(),
        }
    }

    fn launch(&mut self, gpu: &CudaExecutor, rounds: u32) {
        let out = Segments { data: self.out.view_mut(), offsets: &self.at };
        spin::launch(gpu, 1, spin::Args { out, input: self.input.view(), rounds }).unwrap();
    }
}

#[test]
fn streams_overlap() {
    let Some(gpu) = gpu() else { return };
    let other = gpu.context().stream().unwrap();
    let (mut slow, len) = (Slow::new(&gpu), 16 << 20);
    let upload = PinnedBuffer::<u8>::zeroed(gpu.context(), len).unwrap();
    let mut to = DeviceBuffer::<u8>::zeroed(&other, len).unwrap();
    slow.launch(&gpu, 1);
    gpu.synchronize().unwrap();
    other.synchronize().unwrap();
    // ANCHOR: streams_overlap
    let timeline = Timeline::new(gpu.stream()).unwrap();
    let kernel = timeline.begin(gpu.stream()).unwrap();
    slow.launch(&gpu, SLOW);
    let kernel = kernel.end().unwrap();
    let copy = timeline.begin(&other).unwrap();
    upload.upload(&other, to.view_mut()).unwrap();
    let copy = copy.end().unwrap();
    let (kernel_ms, copy_ms) = (kernel.milliseconds().unwrap(), copy.milliseconds().unwrap());
    println!("kernel {kernel_ms:?} ms, copy {copy_ms:?} ms, in common {}", kernel.overlap_ms(&copy).unwrap());
    // ANCHOR_END: streams_overlap
    assert!(kernel_ms.start < copy_ms.end && copy_ms.end < kernel_ms.end, "the copy runs while the kernel does");
    assert!(kernel.overlap_ms(&copy).unwrap() > 0.5 * (copy_ms.end - copy_ms.start));
}

#[test]
fn events_order_and_time() {
    let Some(gpu) = gpu() else { return };
    let mut slow = Slow::new(&gpu);
    slow.launch(&gpu, 1);
    gpu.synchronize().unwrap();
    // ANCHOR: events
    let (start, end) = (Event::new(gpu.context()).unwrap(), Event::new(gpu.context()).unwrap());
    start.record(gpu.stream()).unwrap();
    slow.launch(&gpu, SLOW);
    end.record(gpu.stream()).unwrap();
    // Another stream continues after the event, which alone orders work that shares no buffer.
    let other = gpu.context().stream().unwrap();
    other.wait(&end).unwrap();
    let after = Event::new(gpu.context()).unwrap();
    after.record(&other).unwrap();
    let kernel_ms = end.elapsed_ms(&start).unwrap();
    // ANCHOR_END: events
    let waited_ms = after.elapsed_ms(&start).unwrap();
    println!("kernel {kernel_ms} ms; the other stream came there after {waited_ms} ms");
    assert!(kernel_ms > 1.0, "two million steps: {kernel_ms} ms");
    assert!(waited_ms > kernel_ms - 0.01 && after.is_done().unwrap());
    // Without the event it does not wait.
    slow.launch(&gpu, SLOW);
    end.record(gpu.stream()).unwrap();
    after.record(&other).unwrap();
    after.synchronize().unwrap();
    assert!(!end.is_done().unwrap(), "the kernel still runs");
    gpu.synchronize().unwrap();
    // The sign says which came first.
    assert!(start.elapsed_ms(&end).unwrap() < 0.0);
}
