//! Memory that other libraries read.

use crate::{gpu, launch_fail, launch_spin, ragged, slow, spun};
use cuda_host::{CudaError, DeviceBuffer, ForeignScope, GpuBufferPool, Graph, LentBuffer};
use cuda_std::launch::Segments;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use test_kernels::spin;

#[test]
fn what_is_lent_is_there_and_stays_until_it_is_given_back() {
    let Some(gpu) = gpu() else { return };
    let (stream, other) = (gpu.stream(), gpu.context().stream().unwrap());
    let pool = GpuBufferPool::new(gpu.context());
    let at = ragged::<u32>(&gpu, &[0, 1000]).1;
    let input = DeviceBuffer::from_slice(stream, &[5u32; 1000]).unwrap();
    let mut out = pool.lease::<u32>(stream, 1000).unwrap();
    let rounds = slow();
    launch_spin(&gpu, &mut out, &at, &input, rounds);
    // On a stream that does not wait for the kernel by itself.
    let lent = LentBuffer::new(out, &other).unwrap();
    assert_eq!((lent.len(), lent.is_empty(), lent.context().ordinal()), (1000, false, gpu.context().ordinal()));
    assert_eq!(lent.view().download(&other).unwrap(), [spun(5, rounds); 1000]);
    // Others take memory from the pool in the meantime, and none gets this memory.
    for word in 0..20 {
        let mut another = pool.lease::<u32>(stream, 1000).unwrap();
        another.upload(stream, &[word; 1000]).unwrap();
    }
    assert_eq!(lent.view().download(stream).unwrap(), [spun(5, rounds); 1000]);
    let used = pool.statistics().blocks_in_use;
    std::thread::scope(|scope| scope.spawn(|| drop(lent)).join()).unwrap();
    assert_eq!(pool.statistics().blocks_in_use, used - 1, "it goes back to the pool, from any thread");
    let again = pool.lease::<u32>(stream, 1000).unwrap();
    assert_eq!(pool.statistics().blocks_in_use, used);
    drop(again);
}

#[test]
fn memory_of_others_is_used_in_place() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let (_, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(stream, &[5u32; 64]).unwrap();
    // Memory of another library for code that has only the address.
    let owner = Arc::new(LentBuffer::new(DeviceBuffer::<u32>::zeroed(stream, 64).unwrap(), stream).unwrap());
    stream.wait_for_others().unwrap();
    // SAFETY: the owner keeps that many elements there, and nothing else uses them in the meantime.
    let foreign = unsafe { DeviceBuffer::from_foreign(gpu.context(), owner.address(), 64, Arc::clone(&owner)) };
    let mut out = foreign.unwrap();
    launch_spin(&gpu, &mut out, &at, &input, 3);
    assert_eq!(Arc::strong_count(&owner), 2);
    drop(out);
    assert_eq!(Arc::strong_count(&owner), 1, "the work is waited for, and then the owner is let go");
    assert_eq!(owner.view().download(stream).unwrap(), [spun(5, 3); 64]);
}

#[test]
fn memory_of_others_is_theirs_again_whatever_became_of_the_buffer() {
    let Some(gpu) = gpu() else { return };
    let (stream, other) = (gpu.stream(), gpu.context().stream().unwrap());
    let (_, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(stream, &[5u32; 64]).unwrap();
    let theirs = Arc::new(LentBuffer::new(DeviceBuffer::<u32>::zeroed(stream, 64).unwrap(), stream).unwrap());
    for (panics, waits) in [(false, true), (false, false), (true, true)] {
        let rounds = slow() + u32::from(panics) + 2 * u32::from(waits);
        let body = |scope: &ForeignScope<'_>| {
            // SAFETY: the owner keeps that many elements there, and nothing else uses them in the meantime.
            let mut buffer = unsafe { scope.buffer::<u32>(theirs.address(), 64, Arc::clone(&theirs)) }.unwrap();
            let out = Segments { data: buffer.view_mut(), offsets: &at };
            spin::launch(&*gpu, 1, spin::Args { out, input: input.view(), rounds }).unwrap();
            std::mem::forget(buffer);
            assert!(!panics, "while a kernel runs");
        };
        let how_to_wait = |wait: &(dyn Fn() + Sync)| {
            if waits {
                wait()
            }
        };
        let lent = catch_unwind(AssertUnwindSafe(|| ForeignScope::lent(gpu.context(), how_to_wait, body)));
        assert_eq!(lent.is_err(), panics);
        assert_eq!(Arc::strong_count(&theirs), 1);
        // On a stream that knows nothing of that kernel, as another library's does.
        assert_eq!(theirs.view().download(&other).unwrap(), [spun(5, rounds); 64]);
    }
}

#[test]
fn memory_of_others_is_in_no_graph() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let (_, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(stream, &[5u32; 64]).unwrap();
    let theirs = Arc::new(LentBuffer::new(DeviceBuffer::<u32>::zeroed(stream, 64).unwrap(), stream).unwrap());
    let body = |scope: &ForeignScope<'_>| {
        // SAFETY: the owner keeps that many elements there, and nothing else uses them in the meantime.
        let mut buffer = unsafe { scope.buffer::<u32>(theirs.address(), 64, Arc::clone(&theirs)) }.unwrap();
        let recorded = Graph::record::<_, CudaError>(&gpu, |recorder| {
            let zeroed = buffer.view_mut().zero(recorder.stream());
            assert!(matches!(zeroed, Err(CudaError::Recorded { .. })), "{zeroed:?}");
            let out = Segments { data: buffer.view_mut(), offsets: &at };
            let launched = spin::launch(recorder.executor(), 1, spin::Args { out, input: input.view(), rounds: 3 });
            assert_eq!(launched, Err(CudaError::Recorded { operation: "launching a kernel" }));
            Ok(())
        });
        recorded.map(drop)
    };
    ForeignScope::lent(gpu.context(), |wait| wait(), body).unwrap().unwrap();
    assert_eq!(theirs.view().download(stream).unwrap(), [0; 64]);
}

#[test]
fn what_a_panicked_kernel_wrote_is_not_lent() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(stream, &[5u32; 64]).unwrap();
    launch_fail(&gpu, &mut out, &at, &input);
    let error = LentBuffer::new(out, &gpu.context().stream().unwrap()).unwrap_err();
    assert!(matches!(error, CudaError::Panic(_) | CudaError::Poisoned { .. }), "{error}");
}

#[test]
fn what_a_graph_may_write_is_not_lent() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 64).unwrap();
    let recorded = Graph::record::<_, CudaError>(&gpu, |recorder| out.view_mut().zero(recorder.stream()));
    let (mut graph, ()) = recorded.unwrap();
    let error = LentBuffer::new(out, stream).unwrap_err();
    assert_eq!(error, CudaError::InGraph { operation: "lending a buffer" });
    graph.launch(stream).unwrap();
    graph.wait().unwrap();
}

#[test]
fn memory_that_cannot_be_waited_for_is_not_used_again() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let pool = GpuBufferPool::new(gpu.context());
    let lent = LentBuffer::new(pool.lease_zeroed::<u32>(stream, 64).unwrap(), stream).unwrap();
    let mut lent = Some(lent);
    // During a recording, for example another library's, nothing on the device can be waited for.
    let recorded = Graph::record::<_, CudaError>(&gpu, |_| {
        drop(lent.take());
        Ok(())
    });
    drop(recorded);
    assert_eq!(pool.statistics().blocks_in_use, 1);
}
