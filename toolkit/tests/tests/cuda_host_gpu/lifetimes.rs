//! Dropping things in any order while work runs.

use crate::{gpu, launch_spin, offsets, slow, spun};
use cuda_host::{
    Context, CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, Event, Graph, LentBuffer, Module, PinnedBuffer,
    Stream,
};
use std::any::Any;
use std::sync::Arc;
use toolkit_tests::simulated::with_driver;

/// Everything that a running kernel uses, and things that refer to it.
pub(crate) fn running(rounds: u32) -> Vec<(&'static str, Box<dyn Any + Send>)> {
    let context = Context::new(0).unwrap();
    let module = Module::load(&context, "test kernels", test_kernels::IMAGE).unwrap();
    let (stream, other) = (Stream::new(&context).unwrap(), Stream::new(&context).unwrap());
    let executor = CudaExecutor::new(&stream, [module.clone()]).unwrap();
    let input = DeviceBuffer::from_slice(&stream, &[1u32; 64]).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 64).unwrap();
    let at = DeviceOffsets::new(&stream, &offsets(&[0, 64])).unwrap();
    let event = Event::new(&context).unwrap();
    launch_spin(&executor, &mut out, &at, &input, rounds);
    event.record(&stream).unwrap();
    let mut pinned = PinnedBuffer::<u32>::zeroed(&context, 64).unwrap();
    pinned.download(&other, out.view()).unwrap();
    vec![
        ("context", Box::new(context)),
        ("module", Box::new(module)),
        ("executor", Box::new(executor)),
        ("stream", Box::new((stream, other))),
        ("input", Box::new(input)),
        ("output", Box::new(out)),
        ("offsets", Box::new(at)),
        ("event", Box::new(event)),
        ("pinned", Box::new(pinned)),
    ]
}

#[test]
fn things_are_dropped_in_any_order_while_a_kernel_runs() {
    let Some(gpu) = gpu() else { return };
    let count = running(1).len();
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for first in 0..count {
        // Each thing first, then the others in order from there, in both directions.
        orders.push((0..count).map(|i| (first + i) % count).collect());
        orders.push((0..count).map(|i| (first + count - i) % count).collect());
    }
    for order in orders {
        let mut things: Vec<Option<(&str, Box<dyn Any + Send>)>> = running(slow() / 20).into_iter().map(Some).collect();
        for index in order {
            drop(things[index].take());
        }
    }
    // The device works, and so does what is left of it.
    let buffer = DeviceBuffer::from_slice(gpu.stream(), &[1u8, 2, 3]).unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(buffer.download(gpu.stream()).unwrap(), [1, 2, 3]);
}

#[test]
fn what_cannot_be_waited_for_is_left_where_it_is() {
    const NAME: &str = "lifetimes::what_cannot_be_waited_for_is_left_where_it_is";
    if !with_driver(NAME, &["-DCAPTURE_FORBIDS_WAITS"]) {
        return;
    }
    let gpu = gpu().expect("a simulated device");
    let stream = gpu.stream();
    let owner = Arc::new(LentBuffer::new(DeviceBuffer::<u32>::zeroed(stream, 64).unwrap(), stream).unwrap());
    // SAFETY: the owner keeps as many elements there, and nobody else uses them meanwhile.
    let foreign = unsafe { DeviceBuffer::from_foreign(gpu.context(), owner.address(), 64, Arc::clone(&owner)) };
    let (mut foreign, mut staged) = (foreign.unwrap(), PinnedBuffer::<u32>::zeroed(gpu.context(), 64).unwrap());
    staged.as_mut_slice().unwrap().fill(7);
    let mut copied = DeviceBuffer::<u32>::zeroed(stream, 64).unwrap();
    staged.upload(stream, copied.view_mut()).unwrap();
    foreign.view_mut().copy_from_device(stream, copied.view()).unwrap();
    let mut things = Some((running(1000), foreign, staged));
    let recorded = Graph::record::<_, CudaError>(&gpu, |_| {
        drop(things.take());
        Ok(())
    });
    recorded.unwrap();
    assert_eq!(Arc::strong_count(&owner), 2, "its memory may be in use: nobody gets it");
    // All memory that the work needs still exists.
    stream.wait_for_others().unwrap();
    assert_eq!(copied.download(stream).unwrap(), [7; 64]);
    assert_eq!(owner.view().download(stream).unwrap(), [7; 64]);
}

#[test]
fn memory_is_not_reused_while_a_kernel_uses_it() {
    let Some(gpu) = gpu() else { return };
    let other = gpu.context().stream().unwrap();
    let at = DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64])).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64).unwrap();
    let mut second = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64).unwrap();
    let input = DeviceBuffer::from_slice(gpu.stream(), &[9u32; 64]).unwrap();
    launch_spin(&gpu, &mut out, &at, &input, slow());
    launch_spin(&gpu, &mut second, &at, &input, 3);
    // The second launch still has to read it. Reuse of this memory on any stream must not be visible.
    drop(input);
    let _next: Vec<_> = (0..16).map(|_| DeviceBuffer::from_slice(&other, &[0xffff_ffffu32; 64]).unwrap()).collect();
    assert_eq!(second.download(gpu.stream()).unwrap(), [spun(9, 3); 64]);
}

#[test]
fn memory_comes_back() {
    let Some(gpu) = gpu() else { return };
    let before = gpu.context().memory().unwrap();
    let bytes = before.free / 3;
    // This would not fit if the earlier buffers still existed.
    for _ in 0..8 {
        let buffer = DeviceBuffer::<u8>::zeroed(gpu.stream(), bytes).unwrap();
        drop(buffer);
    }
}

#[test]
fn handles_go_between_threads() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Context>();
    is_send_and_sync::<Stream>();
    is_send_and_sync::<Event>();
    is_send_and_sync::<Module>();
    is_send_and_sync::<CudaExecutor>();
    is_send_and_sync::<DeviceBuffer<f32>>();
    is_send_and_sync::<DeviceOffsets>();
    is_send_and_sync::<PinnedBuffer<f32>>();
}
