//! What safe code may do with things that the device still uses: forget them, drop them elsewhere, panic around them.

use crate::lifetimes::running;
use crate::pools::address;
use crate::{gpu, launch_spin, offsets, slow, spun, try_spin};
use cuda_host::{
    CallersContext, Context, CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, Event, GpuBufferPool, Graph,
    Machine, Module, Parcel, PinnedBuffer, PinnedPool, Stream, Timeline, VisibleBuffer,
};
use cuda_std::launch::Segments;
use std::panic::{AssertUnwindSafe, catch_unwind};
use test_kernels::spin;

/// Checks that the device works, and that memory left by other threads is valid.
fn works(gpu: &CudaExecutor) {
    let at = DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64])).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64).unwrap();
    let input = DeviceBuffer::from_slice(gpu.stream(), &[9u32; 64]).unwrap();
    launch_spin(gpu, &mut out, &at, &input, 3);
    assert_eq!(out.download(gpu.stream()).unwrap(), [spun(9, 3); 64]);
}

#[test]
fn whatever_is_forgotten_the_rest_is_dropped_in_order() {
    let Some(gpu) = gpu() else { return };
    let count = running(1).len();
    for forgotten in 0..count {
        for mut things in [running(slow() / 20), running(slow() / 20).into_iter().rev().collect()] {
            std::mem::forget(things.remove(forgotten));
        }
    }
    // Forgets everything while a kernel runs.
    std::mem::forget(running(slow() / 20));
    works(&gpu);
}

#[test]
fn things_are_dropped_in_other_threads_while_a_kernel_runs() {
    let Some(gpu) = gpu() else { return };
    for turn in 0..4 {
        let mut things = running(slow() / 20);
        things.rotate_left(2 * turn);
        std::thread::scope(|scope| {
            for thing in things {
                scope.spawn(move || drop(thing));
            }
        });
    }
    works(&gpu);
}

#[test]
fn a_panic_drops_what_a_kernel_uses() {
    let Some(gpu) = gpu() else { return };
    for _ in 0..3 {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _things = running(slow() / 20);
            panic!("with a kernel under way");
        }));
        assert!(panicked.is_err());
    }
    works(&gpu);
}

/// Forgotten memory of pools is not leased again.
#[test]
fn leases_that_are_forgotten_stay_taken() {
    let Some(gpu) = gpu() else { return };
    let (memory, pinned) = (GpuBufferPool::new(gpu.context()), PinnedPool::new(gpu.context()));
    let forgotten = memory.lease_from(gpu.stream(), &[7u32; 64]).unwrap();
    let own = address(&forgotten);
    std::mem::forget(forgotten);
    std::mem::forget(pinned.lease_from(&[7u32; 64]).unwrap());
    let others: Vec<_> = (0..8).map(|_| memory.lease::<u32>(gpu.stream(), 64).unwrap()).collect();
    assert!(others.iter().all(|other| address(other) != own));
    drop((memory, pinned, others));
    works(&gpu);
}

#[test]
fn page_locked_memory_may_go_while_it_is_copied() {
    let Some(gpu) = gpu() else { return };
    let at = DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64])).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64).unwrap();
    let input = DeviceBuffer::from_slice(gpu.stream(), &[5u32; 64]).unwrap();
    let mut under_way = || {
        launch_spin(&gpu, &mut out, &at, &input, slow());
        let mut pinned = PinnedBuffer::<u32>::zeroed(gpu.context(), 64).unwrap();
        pinned.download(gpu.stream(), out.view()).unwrap();
        pinned
    };
    let expected = [spun(5, slow()); 64];
    // Read in another thread, which waits; dropped in another thread; forgotten.
    let pinned = under_way();
    std::thread::scope(|scope| {
        scope.spawn(move || assert_eq!(pinned.as_slice().unwrap(), expected));
    });
    let pinned = under_way();
    std::thread::spawn(move || drop(pinned)).join().unwrap();
    std::mem::forget(under_way());
    works(&gpu);
}

#[test]
fn visible_memory_may_go_while_a_kernel_writes_it() {
    let Some(gpu) = gpu() else { return };
    let at = DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64])).unwrap();
    let input = DeviceBuffer::from_slice(gpu.stream(), &[5u32; 64]).unwrap();
    let under_way = |mut memory: VisibleBuffer<u32>| {
        let segments = Segments { data: memory.view_mut(), offsets: &at };
        spin::launch(&gpu, 1, spin::Args { out: segments, input: input.view(), rounds: slow() }).unwrap();
        memory
    };
    for make in [VisibleBuffer::<u32>::mapped, VisibleBuffer::unified] {
        // Not every device has both.
        let Ok(memory) = make(gpu.context(), 64) else { continue };
        let memory = under_way(memory);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(memory.as_slice().unwrap(), [spun(5, slow()); 64]));
        });
        drop(under_way(memory));
        std::mem::forget(under_way(make(gpu.context(), 64).unwrap()));
    }
    works(&gpu);
}

#[test]
fn graphs_and_what_they_were_made_of_may_go_in_any_order() {
    let Some(gpu) = gpu() else { return };
    for order in 0..6 {
        let context = Context::new(0).unwrap();
        let module = Module::load(&context, "test kernels", test_kernels::IMAGE).unwrap();
        let stream = Stream::new(&context).unwrap();
        let own = CudaExecutor::new(&stream, [module.clone()]).unwrap();
        let at = DeviceOffsets::new(&stream, &offsets(&[0, 64])).unwrap();
        let mut out = DeviceBuffer::<u32>::zeroed(&stream, 64).unwrap();
        let input = DeviceBuffer::from_slice(&stream, &[2u32; 64]).unwrap();
        let down = PinnedBuffer::<u32>::zeroed(&context, 64).unwrap();
        let (mut graph, down) = Graph::record::<_, CudaError>(&own, |recorder| {
            let down = recorder.own(down);
            try_spin(recorder.executor(), &mut out, &at, &input, slow())?;
            recorder.download(out.view(), &down)?;
            Ok(down)
        })
        .unwrap();
        graph.launch(&stream).unwrap();
        match order {
            0 => drop((graph, out, input, at, own, stream, module, context)),
            1 => drop((context, module, stream, own, at, input, out, graph)),
            2 => {
                std::mem::forget(graph);
                drop((out, input, at, own, stream, module, context));
            }
            3 => {
                std::mem::forget((out, input, at));
                drop((own, stream, module, context));
                assert_eq!(graph.pinned(&down).unwrap(), [spun(2, slow()); 64]);
            }
            4 => {
                drop((out, input, at, own, stream, module, context));
                // In another thread again, on its own stream.
                std::thread::spawn(move || {
                    let stream = graph.context().stream().unwrap();
                    graph.launch(&stream).unwrap();
                    drop(stream);
                    assert_eq!(graph.pinned(&down).unwrap(), [spun(2, slow()); 64]);
                })
                .join()
                .unwrap();
            }
            _ => {
                let panicked = catch_unwind(AssertUnwindSafe(move || {
                    let _all = (graph, out, input, at, own, stream, module, context);
                    panic!("with a graph under way");
                }));
                assert!(panicked.is_err());
            }
        }
    }
    works(&gpu);
}

/// The memory of a recording that panicked or failed is free again, also for other threads.
#[test]
fn a_record_that_panics_leaves_its_memory_to_others() {
    let Some(gpu) = gpu() else { return };
    let memory = GpuBufferPool::new(gpu.context());
    for turn in 0..3u32 {
        let at = DeviceOffsets::leased(&memory, gpu.stream(), &offsets(&[0, 64])).unwrap();
        let mut out = memory.lease::<u32>(gpu.stream(), 64).unwrap();
        let input = memory.lease_from(gpu.stream(), &[turn; 64]).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            Graph::record::<(), CudaError>(&gpu, |recorder| {
                let down = recorder.own(PinnedBuffer::<u32>::zeroed(gpu.context(), 64)?);
                try_spin(recorder.executor(), &mut out, &at, &input, 1)?;
                recorder.download(out.view(), &down)?;
                panic!("in the middle of turn {turn}")
            })
        }));
        assert!(panicked.is_err());
        assert!(!out.is_in_graph() && !input.is_in_graph());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let other = gpu.on(&gpu.context().stream().unwrap()).unwrap();
                launch_spin(&other, &mut out, &at, &input, 4);
                assert_eq!(out.download(other.stream()).unwrap(), [spun(turn, 4); 64]);
            });
        });
    }
    works(&gpu);
}

/// Makes something of a buffer that a kernel writes, and forgets it.
type Forget = fn(&CudaExecutor, &mut DeviceBuffer<u32>, &GpuBufferPool);

/// What holds memory, events, modules or records keeps them. (Views hold nothing: forgetting one is dropping it.)
#[test]
fn handles_are_forgotten_while_a_kernel_runs() {
    let Some(gpu) = gpu() else { return };
    let (stream, context) = (gpu.stream(), gpu.context());
    let pool = GpuBufferPool::new(context);
    let forget: [(&str, Forget); 8] = [
        ("a span", |gpu, _, _| {
            let timeline = Timeline::new(gpu.stream()).unwrap();
            std::mem::forget(timeline.begin(gpu.stream()).unwrap().end().unwrap());
            std::mem::forget((timeline.begin(gpu.stream()).unwrap(), timeline));
        }),
        ("an event", |gpu, _, _| {
            let event = Event::new(gpu.context()).unwrap();
            event.record(gpu.stream()).unwrap();
            std::mem::forget(event);
        }),
        ("a parcel", |gpu, _, pool| {
            let staged = PinnedBuffer::zeroed(gpu.context(), 256).unwrap();
            let mut parcel = Parcel::new(pool, gpu.stream(), staged, 256).unwrap();
            std::mem::forget((parcel.add(&[1u32; 16]).unwrap(), parcel));
        }),
        ("a buffer that is copied", |gpu, out, pool| {
            let mut copy = pool.lease::<u32>(gpu.stream(), 64).unwrap();
            copy.view_mut().copy_from_device(gpu.stream(), out.view()).unwrap();
            std::mem::forget(copy);
        }),
        ("an executor and its kernel", |gpu, _, _| {
            let other = gpu.on(&gpu.context().stream().unwrap()).unwrap();
            std::mem::forget((other.kernel::<spin::Kernel>().unwrap(), other));
        }),
        ("a machine's buffer", |gpu, _, _| {
            let machine = Machine::from(gpu.clone());
            std::mem::forget((
                machine.buffer(&[1u32; 64]).unwrap(),
                machine.offsets(&offsets(&[0, 64])).unwrap(),
                machine,
            ));
        }),
        ("a future", |gpu, _, _| std::mem::forget(gpu.stream().finished().unwrap())),
        ("another library's context", |_, _, _| std::mem::forget(CallersContext::keep())),
    ];
    let at = DeviceOffsets::new(stream, &offsets(&[0, 64])).unwrap();
    for (name, forget) in forget {
        let mut out = pool.lease::<u32>(stream, 64).unwrap();
        let input = pool.lease_from(stream, &[6u32; 64]).unwrap();
        launch_spin(&gpu, &mut out, &at, &input, slow());
        forget(&gpu, &mut out, &pool);
        drop(input);
        // The next owner of the input's memory writes it.
        let next = pool.lease_zeroed::<u32>(stream, 64).unwrap();
        assert_eq!(out.download(stream).unwrap(), [spun(6, slow()); 64], "{name}");
        assert_eq!(next.download(stream).unwrap(), [0; 64], "{name}");
    }
    works(&gpu);
}
