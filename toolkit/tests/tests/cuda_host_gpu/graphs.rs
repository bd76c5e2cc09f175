//! Graphs: recorded once, launched many times, in order with all other work.

use crate::{gpu, launch_fail, offsets, ragged, slow, spun, try_spin};
use cuda_host::{
    Context, CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, Event, GpuBufferPool, Graph, Module, PinnedBuffer,
    PinnedPool, Recorder, Staged,
};
use cuda_std::launch::Segments;
use std::sync::atomic::{AtomicBool, Ordering};
use test_kernels::{fail, turn};

fn turn_in(
    executor: &CudaExecutor,
    out: &mut DeviceBuffer<u32>,
    at: &DeviceOffsets,
    input: &DeviceBuffer<u32>,
) -> Result<(), CudaError> {
    let segments = Segments { data: out.view_mut(), offsets: at };
    turn::launch(executor, at.segments() as u32, turn::Args { out: segments, input: input.view() })
}

/// Uploads, computes in two kernels, and downloads; the graph owns all of its memory.
fn pipeline(gpu: &CudaExecutor, rounds: u32) -> (Graph, Staged<u32>, Staged<u32>) {
    let memory = GpuBufferPool::new(gpu.context());
    let up = PinnedBuffer::<u32>::zeroed(gpu.context(), 64).unwrap();
    let down = PinnedBuffer::<u32>::zeroed(gpu.context(), 64).unwrap();
    let at = DeviceOffsets::leased(&memory, gpu.stream(), &offsets(&[0, 64])).unwrap();
    let mut input = memory.lease::<u32>(gpu.stream(), 64).unwrap();
    let mut middle = memory.lease::<u32>(gpu.stream(), 64).unwrap();
    let mut out = memory.lease::<u32>(gpu.stream(), 64).unwrap();
    let recorded = Graph::record::<_, CudaError>(gpu, |recorder| {
        let (up, down) = (recorder.own(up), recorder.own(down));
        recorder.upload(&up, input.view_mut())?;
        try_spin(recorder.executor(), &mut middle, &at, &input, rounds)?;
        turn_in(recorder.executor(), &mut out, &at, &middle)?;
        recorder.download(out.view(), &down)?;
        Ok((up, down))
    });
    let (graph, (up, down)) = recorded.unwrap();
    (graph, up, down)
}

#[test]
fn a_graph_is_launched_many_times_with_other_contents() {
    let Some(gpu) = gpu() else { return };
    let (mut graph, up, down) = pipeline(&gpu, 5);
    assert_eq!(graph.nodes(), 4);
    let other = gpu.context().stream().unwrap();
    for round in 0..20u32 {
        let start: Vec<u32> = (0..64).map(|i| 100 * round + i).collect();
        graph.pinned_mut(&up).unwrap().copy_from_slice(&start);
        graph.launch(if round % 3 == 0 { &other } else { gpu.stream() }).unwrap();
        let expected: Vec<u32> = start.iter().rev().map(|x| spun(*x, 5)).collect();
        assert_eq!(graph.pinned(&down).unwrap(), expected);
        assert_eq!(graph.pinned(&up).unwrap(), start);
    }
}

#[test]
fn a_graph_keeps_what_it_uses() {
    let Some(gpu) = gpu() else { return };
    // The pool, the buffers, the offsets, and the executor with its modules are dropped.
    let (mut graph, up, down) = {
        let own = CudaExecutor::open(0, "test kernels", test_kernels::IMAGE).unwrap();
        pipeline(&own, 7)
    };
    // Later allocations must not reuse this memory.
    let _others: Vec<_> = (0..16).map(|_| DeviceBuffer::from_slice(gpu.stream(), &[u32::MAX; 64]).unwrap()).collect();
    graph.pinned_mut(&up).unwrap().fill(3);
    graph.launch(gpu.stream()).unwrap();
    assert_eq!(graph.pinned(&down).unwrap(), [spun(3, 7); 64]);
    // Dropped while it runs.
    let (mut graph, ..) = pipeline(&gpu, slow());
    graph.launch(gpu.stream()).unwrap();
    drop(graph);
    gpu.synchronize().unwrap();
}

#[test]
fn a_graph_keeps_the_modules_of_every_executor_that_was_recorded() {
    let Some(gpu) = gpu() else { return };
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[3u32; 64]).unwrap();
    let (mut graph, ()) = Graph::record::<_, CudaError>(&gpu, |recorder| {
        // With a separate module that has no other users.
        let module = Module::load(gpu.context(), "another", test_kernels::IMAGE)?;
        let other = CudaExecutor::new(recorder.stream(), [module])?;
        try_spin(&other, &mut out, &at, &input, 5)
    })
    .unwrap();
    for _ in 0..3 {
        out.view_mut().zero(gpu.stream()).unwrap();
        graph.launch(gpu.stream()).unwrap();
        assert_eq!(out.download(gpu.stream()).unwrap(), [spun(3, 5); 64]);
    }
}

#[test]
fn nothing_is_allocated_when_a_graph_is_launched() {
    let Some(gpu) = gpu() else { return };
    let (mut graph, ..) = pipeline(&gpu, 1);
    let mut launches = || {
        for _ in 0..100 {
            graph.launch(gpu.stream()).unwrap();
        }
        gpu.synchronize().unwrap();
        gpu.context().memory().unwrap()
    };
    // The driver's own memory for launches grows at first, and other processes may use the device, too.
    assert!((0..10).any(|_| launches() == launches()), "each hundred launches takes memory");
}

#[test]
fn what_a_graph_uses_goes_back_to_its_pools() {
    let Some(gpu) = gpu() else { return };
    let (memory, staging) = (GpuBufferPool::new(gpu.context()), PinnedPool::new(gpu.context()));
    let buffer = memory.lease::<u32>(gpu.stream(), 64).unwrap();
    let upload = staging.lease_from(&[8u32; 64]).unwrap();
    let mut target = buffer;
    let (mut graph, ()) = Graph::record::<_, CudaError>(&gpu, |recorder| {
        let upload = recorder.own(upload);
        recorder.upload(&upload, target.view_mut())
    })
    .unwrap();
    assert!(target.is_in_graph());
    graph.launch(gpu.stream()).unwrap();
    assert_eq!(target.download(gpu.stream()).unwrap(), [8; 64]);
    drop(target);
    assert_eq!((memory.statistics().blocks_in_use, staging.statistics().blocks_in_use), (1, 1));
    drop(graph);
    assert_eq!((memory.statistics().blocks_free, staging.statistics().blocks_free), (1, 1));
}

#[test]
fn launches_are_in_order_with_other_work_on_the_buffers() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let (mut input, at) = ragged::<u32>(&a, &[0, 64]);
    let (mut middle, _) = ragged::<u32>(&a, &[0, 64]);
    let mut out = DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap();
    let (mut graph, ()) = Graph::record::<_, CudaError>(&a, |recorder| {
        try_spin(recorder.executor(), &mut middle, &at, &input, slow() / 10)?;
        middle.slice_mut(..32)?.zero(recorder.stream())?;
        out.view_mut().copy_from_device(recorder.stream(), middle.view())
    })
    .unwrap();
    assert_eq!(graph.nodes(), 3);
    let mut before = DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap();
    for round in 1..4u32 {
        // Another stream writes the graph's input, a third reads its results: neither waits on the host.
        before.upload(a.stream(), &[round; 64]).unwrap();
        try_spin(&b, &mut input, &at, &before, slow()).unwrap();
        graph.launch(a.stream()).unwrap();
        let reader = a.context().stream().unwrap();
        let found = out.download(&reader).unwrap();
        let expected = spun(spun(round, slow()), slow() / 10);
        assert_eq!((found[31], found[32], found[63]), (0, expected, expected), "round {round}");
        // Again, on an unused stream, and the next round writes the input of a running graph.
        graph.launch(&reader).unwrap();
    }
    graph.wait().unwrap();
    b.synchronize().unwrap();
}

#[test]
fn a_panic_in_a_graph_is_reported_and_its_results_are_refused() {
    let Some(a) = gpu() else { return };
    let b = a.context().stream().unwrap();
    let (mut out, at) = ragged::<u32>(&a, &[0, 50, 64]);
    let (mut copy, _) = ragged::<u32>(&a, &[0, 50, 64]);
    let mut length = DeviceBuffer::from_slice(a.stream(), &[1u32; 64]).unwrap();
    let failing = |recorder: &Recorder, out: &mut DeviceBuffer<u32>| {
        let segments = Segments { data: out.view_mut(), offsets: &at };
        let args = fail::Args { out: segments, input: length.view(), block_to_fail: 1, index: 64 };
        fail::launch(recorder.executor(), 2, args)
    };
    let (mut graph, ()) = Graph::record::<_, CudaError>(&a, |recorder| failing(recorder, &mut out)).unwrap();
    let (mut reader, ()) =
        Graph::record::<_, CudaError>(&a, |recorder| copy.view_mut().copy_from_device(recorder.stream(), out.view()))
            .unwrap();
    a.synchronize().unwrap();
    for round in 0..3 {
        graph.launch(a.stream()).unwrap();
        let error = if round == 0 { a.synchronize().unwrap_err() } else { out.download(&b).unwrap_err() };
        let panic = error.kernel_panic().expect("an index out of bounds").clone();
        assert_eq!((panic.kernel.as_str(), panic.block), ("fail", [1, 0, 0]), "round {round}");
        assert!(matches!(out.download(&b), Err(CudaError::Poisoned { .. })));
        let refused = reader.launch(&b);
        assert!(matches!(refused, Err(CudaError::Poisoned { .. })), "{refused:?}");
        // Memory that it does not access is valid, and so is the stream after it has reported the panic.
        let _reported = (a.synchronize(), b.synchronize());
        a.synchronize().unwrap();
        assert_eq!(length.download(a.stream()).unwrap(), [1; 64]);
    }
    // The panic also affects a graph that reads the results, if it was unknown at that launch.
    graph.launch(a.stream()).unwrap();
    reader.launch(&b).unwrap();
    assert!(copy.download(&b).unwrap_err().kernel_panic().is_some());
    let _reported = (a.synchronize(), b.synchronize());
    // After they are written again, they can be read again.
    out.view_mut().zero(a.stream()).unwrap();
    reader.launch(&b).unwrap();
    assert_eq!(copy.download(&b).unwrap(), [0; 64]);
    length.view_mut().zero(a.stream()).unwrap();
    a.synchronize().unwrap();
}

#[test]
fn page_locked_results_of_a_panicked_graph_are_refused() {
    let Some(gpu) = gpu() else { return };
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[1u32; 64]).unwrap();
    let down = PinnedBuffer::<u32>::zeroed(gpu.context(), 64).unwrap();
    let (mut graph, down) = Graph::record::<_, CudaError>(&gpu, |recorder| {
        let down = recorder.own(down);
        launch_fail(recorder.executor(), &mut out, &at, &input);
        recorder.download(out.view(), &down)?;
        Ok(down)
    })
    .unwrap();
    for _ in 0..2 {
        graph.launch(gpu.stream()).unwrap();
        let error = graph.pinned(&down).unwrap_err();
        assert_eq!(error.kernel_panic().expect("it panicked").kernel, "fail");
        assert!(matches!(graph.pinned(&down), Err(CudaError::Poisoned { .. })));
    }
}

#[test]
fn what_a_graph_cannot_hold_is_refused() {
    let Some(gpu) = gpu() else { return };
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[1u32; 64]).unwrap();
    let (event, mut pinned) = (Event::new(gpu.context()).unwrap(), PinnedBuffer::zeroed(gpu.context(), 64).unwrap());
    let is_refused =
        |result: Result<(), CudaError>| assert!(matches!(result, Err(CudaError::Recorded { .. })), "{result:?}");
    let (mut graph, leaked) = Graph::record::<_, CudaError>(&gpu, |recorder| {
        let stream = recorder.stream().clone();
        is_refused(stream.synchronize());
        is_refused(out.upload(&stream, &[0; 64]));
        is_refused(out.download(&stream).map(|_| ()));
        is_refused(pinned.upload(&stream, out.view_mut()));
        is_refused(pinned.download(&stream, out.view()));
        is_refused(out.grow(&stream, 100));
        is_refused(event.record(&stream));
        is_refused(stream.wait(&event));
        // None of this has broken it. Memory and modules can be requested in the meantime.
        let _buffer = DeviceBuffer::from_slice(gpu.stream(), &[1u8])?;
        try_spin(recorder.executor(), &mut out, &at, &input, 9)?;
        Ok(recorder.executor().clone())
    })
    .unwrap();
    // Nothing runs on its stream afterwards either.
    is_refused(try_spin(&leaked, &mut out, &at, &input, 1));
    is_refused(out.view_mut().zero(leaked.stream()));
    is_refused(leaked.synchronize());
    is_refused(graph.launch(leaked.stream()));
    graph.launch(gpu.stream()).unwrap();
    assert_eq!(out.download(gpu.stream()).unwrap(), [spun(1, 9); 64]);
}

#[test]
fn a_recording_that_fails_leaves_nothing_behind() {
    let Some(gpu) = gpu() else { return };
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[1u32; 64]).unwrap();
    let failed = Graph::record::<(), CudaError>(&gpu, |recorder| {
        try_spin(recorder.executor(), &mut out, &at, &input, 1)?;
        out.slice_mut(60..70)?.zero(recorder.stream())
    });
    assert_eq!(failed.unwrap_err(), CudaError::OutOfBounds { range: 60..70, len: 64 });
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Graph::record::<(), CudaError>(&gpu, |recorder| {
            out.view_mut().zero(recorder.stream())?;
            panic!("in the middle of it")
        })
    }));
    assert!(panicked.is_err());
    assert!(!out.is_in_graph());
    try_spin(&gpu, &mut out, &at, &input, 2).unwrap();
    assert_eq!(out.download(gpu.stream()).unwrap(), [spun(1, 2); 64]);
    // An empty graph is valid, too.
    let (mut graph, ()) = Graph::record::<_, CudaError>(&gpu, |_| Ok(())).unwrap();
    graph.launch(gpu.stream()).unwrap();
    assert_eq!(graph.nodes(), 0);
}

#[test]
fn a_graph_keeps_the_offsets_that_its_launches_were_checked_with() {
    let Some(gpu) = gpu() else { return };
    let (mut out, mut at) = ragged::<u32>(&gpu, &[0, 2, 4]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[1u32, 2, 3, 4]).unwrap();
    let (mut graph, ()) =
        Graph::record::<_, CudaError>(&gpu, |recorder| turn_in(recorder.executor(), &mut out, &at, &input)).unwrap();
    // As many segments, but longer ones than fit into the graph's output.
    at.set(gpu.stream(), &offsets(&[0, 4, 1000])).unwrap();
    graph.launch(gpu.stream()).unwrap();
    assert_eq!(out.download(gpu.stream()).unwrap(), [2, 1, 4, 3]);
    at.set(gpu.stream(), &offsets(&[0, 4])).unwrap();
    turn_in(&gpu, &mut out, &at, &input).unwrap();
    assert_eq!(out.download(gpu.stream()).unwrap(), [4, 3, 2, 1]);
    graph.launch(gpu.stream()).unwrap();
    assert_eq!(out.download(gpu.stream()).unwrap(), [2, 1, 4, 3]);
}

#[test]
fn page_locked_memory_of_another_graph_is_refused() {
    let Some(gpu) = gpu() else { return };
    let (mut first, up, down) = pipeline(&gpu, 1);
    let (mut second, ..) = pipeline(&gpu, 1);
    let is_refused =
        |result: Result<(), CudaError>| assert!(matches!(result, Err(CudaError::OtherGraph { .. })), "{result:?}");
    is_refused(second.pinned(&down).map(|_| ()));
    is_refused(second.pinned_mut(&up).map(|_| ()));
    let mut memory = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64).unwrap();
    let (_graph, ()) = Graph::record::<_, CudaError>(&gpu, |recorder| {
        is_refused(recorder.upload(&up, memory.view_mut()));
        is_refused(recorder.download(memory.view(), &down));
        let short = recorder.own(PinnedBuffer::<u32>::zeroed(gpu.context(), 63)?);
        let error = recorder.upload(&short, memory.view_mut()).unwrap_err();
        assert!(matches!(error, CudaError::Length { from: 63, to: 64, .. }), "{error}");
        assert!(matches!(recorder.download(memory.view(), &short), Err(CudaError::Length { from: 64, to: 63, .. })));
        Ok(())
    })
    .unwrap();
    assert!(first.pinned_mut(&up).is_ok());
}

#[test]
fn graphs_go_between_threads() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Graph>();
    is_send_and_sync::<Staged<std::marker::PhantomData<*const u8>>>();
    is_send_and_sync::<GpuBufferPool>();
    is_send_and_sync::<PinnedPool>();
    let Some(gpu) = gpu() else { return };
    let graphs = [1u32, 2, 3, 4].map(|rounds| (rounds, pipeline(&gpu, rounds)));
    std::thread::scope(|scope| {
        for (rounds, (mut graph, up, down)) in graphs {
            let gpu: &CudaExecutor = &gpu;
            scope.spawn(move || {
                for round in 0..20 {
                    graph.pinned_mut(&up).unwrap().fill(round);
                    graph.launch(gpu.stream()).unwrap();
                    assert_eq!(graph.pinned(&down).unwrap(), [spun(round, rounds); 64]);
                }
            });
        }
    });
}

#[test]
fn graphs_are_recorded_while_others_open_and_close_modules_and_streams() {
    let Some(gpu) = gpu() else { return };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let context = Context::new(0).unwrap();
                    let module = Module::load(&context, "test_kernels", test_kernels::IMAGE).unwrap();
                    let other = CudaExecutor::new(&context.stream().unwrap(), [module]).unwrap();
                    let at = DeviceOffsets::new(other.stream(), &offsets(&[0, 64])).unwrap();
                    let input = DeviceBuffer::<u32>::zeroed(other.stream(), 64).unwrap();
                    let mut out = DeviceBuffer::<u32>::zeroed(other.stream(), 64).unwrap();
                    try_spin(&other, &mut out, &at, &input, 100).unwrap();
                }
            });
        }
        for round in 1..=100 {
            let (mut graph, up, down) = pipeline(&gpu, 3);
            graph.pinned_mut(&up).unwrap().fill(round);
            graph.launch(gpu.stream()).unwrap();
            assert_eq!(graph.pinned(&down).unwrap(), [spun(round, 3); 64]);
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_graph_and_other_threads_use_a_buffer_in_turn() {
    let Some(gpu) = gpu() else { return };
    let len = 500_000;
    let up = PinnedBuffer::<u32>::zeroed(gpu.context(), len).unwrap();
    let mut shared = DeviceBuffer::<u32>::zeroed(gpu.stream(), len).unwrap();
    let (mut graph, up) = Graph::record::<_, CudaError>(&gpu, |recorder| {
        let up = recorder.own(up);
        recorder.upload(&up, shared.view_mut())?;
        Ok(up)
    })
    .unwrap();
    let shared = &shared;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let stream = gpu.context().stream().unwrap();
            scope.spawn(move || {
                let mut down = PinnedBuffer::<u32>::zeroed(stream.context(), len).unwrap();
                for _ in 0..30 {
                    // Borrowed for reading; the graph still writes it, before or after.
                    down.download(&stream, shared.view()).unwrap();
                    let found = down.as_slice().unwrap();
                    assert!(found.iter().all(|element| *element == found[0]), "never half of a launch");
                }
            });
        }
        for round in 1..=30 {
            graph.pinned_mut(&up).unwrap().fill(round);
            graph.launch(gpu.stream()).unwrap();
        }
    });
    assert_eq!(shared.download(gpu.stream()).unwrap(), vec![30; len]);
}

/// Until the graph is launched, it would have any contents.
#[test]
fn a_new_buffer_is_not_zeroed_by_a_graph() {
    let Some(gpu) = gpu() else { return };
    let pool = GpuBufferPool::new(gpu.context());
    let recorded = Graph::record::<_, CudaError>(&gpu, |recorder| {
        let stream = recorder.stream();
        for made in [DeviceBuffer::<u32>::zeroed(stream, 64), pool.lease_zeroed(stream, 64)] {
            let refused = CudaError::Recorded { operation: "zeroing a new buffer" };
            assert_eq!(made.map(|buffer| buffer.len()), Err(refused));
        }
        Ok(())
    });
    recorded.unwrap();
}

#[test]
fn two_threads_record_at_the_same_time_while_a_third_finds_a_kernel_first() {
    let Some(gpu) = gpu() else { return };
    for _ in 0..10 {
        let barrier = std::sync::Barrier::new(3);
        std::thread::scope(|scope| {
            let record = |rounds: u32| {
                let own = gpu.on(&gpu.context().stream().unwrap()).unwrap();
                barrier.wait();
                let (mut graph, up, down) = pipeline(&own, rounds);
                graph.pinned_mut(&up).unwrap().fill(rounds);
                graph.launch(own.stream()).unwrap();
                assert_eq!(graph.pinned(&down).unwrap(), [spun(rounds, rounds); 64]);
            };
            scope.spawn(move || record(3));
            scope.spawn(move || record(5));
            // The first use of a module's kernel, in the middle of the recordings.
            let module = Module::load(gpu.context(), "another", test_kernels::IMAGE).unwrap();
            let other = CudaExecutor::new(&gpu.context().stream().unwrap(), [module]).unwrap();
            barrier.wait();
            other.kernel::<turn::Kernel>().unwrap();
        });
    }
}

/// The graph of a launch under way, and all that it uses, are dropped or forgotten: the launch ends, and nobody gets its memory.
#[test]
fn a_graph_may_go_while_its_launches_are_under_way() {
    let Some(gpu) = gpu() else { return };
    for forgets in [false, true] {
        let (mut graph, up, down) = pipeline(&gpu, slow() / 10);
        graph.pinned_mut(&up).unwrap().fill(3);
        let other = gpu.context().stream().unwrap();
        graph.launch(gpu.stream()).unwrap();
        graph.launch(&other).unwrap();
        if forgets {
            std::mem::forget((graph, up, down));
        } else {
            drop((up, down, graph));
        }
        let later = DeviceBuffer::<u32>::zeroed(&other, 64).unwrap();
        assert_eq!(later.download(&other).unwrap(), [0; 64]);
    }
}
