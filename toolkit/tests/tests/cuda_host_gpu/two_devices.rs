//! Objects of one device in the operations of another: each is an error that names both devices, or right. `tests/entrances.rs`
//! compares the names here with the public functions of `cuda_host`.

use crate::{launch_fail, launch_spin, offsets, ragged, slow, spun, try_spin};
use cuda_host::raw::Word;
use cuda_host::{
    CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, DeviceSource, Event, ForeignScope, GpuBufferPool, Graph,
    LentBuffer, Machine, Module, Parcel, PinnedBuffer, PoolOptions, Recorder, Stream, Timeline, VisibleBuffer,
};
use cuda_std::launch::Segments;
use std::sync::Arc;
use test_kernels::{curve, nibble_counts, spin};
use toolkit_tests::device::{Alone, are_two};

/// The test kernels on two devices. `None` if there is only one; see [`are_two`].
pub(crate) fn two() -> Option<(Alone, CudaExecutor)> {
    if !are_two() {
        return None;
    }
    let first = crate::gpu()?;
    Some((first, CudaExecutor::open(1, "test kernels", test_kernels::IMAGE).expect("a device that opens")))
}

/// Calls `check` with each device as the one whose operation is tried, and the other.
pub(crate) fn in_both_directions(check: impl Fn(&CudaExecutor, &CudaExecutor)) {
    let Some((first, second)) = two() else { return };
    for (own, other) in [(&*first, &second), (&second, &*first)] {
        check(own, other);
        works(own);
        works(other);
    }
}

/// Checks that a device computes.
fn works(gpu: &CudaExecutor) {
    let (mut out, at) = ragged::<u32>(gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[9u32; 64]).unwrap();
    launch_spin(gpu, &mut out, &at, &input, 3);
    assert_eq!(out.download(gpu.stream()).unwrap(), [spun(9, 3); 64]);
}

fn words(gpu: &CudaExecutor, word: u32) -> DeviceBuffer<u32> {
    DeviceBuffer::from_slice(gpu.stream(), &[word; 64]).unwrap()
}

/// Asserts that `entrance` refused the other device's object.
#[track_caller]
fn refused<T>(entrance: &str, result: Result<T, CudaError>) {
    match result {
        Err(CudaError::OtherDevice { found, expected, .. }) => assert_ne!(found, expected, "{entrance}"),
        Err(error) => panic!("{entrance}: {error}"),
        Ok(_) => panic!("{entrance} takes another device's object"),
    }
}

#[test]
fn a_machines_buffer_gets_what_one_of_the_other_device_has() {
    in_both_directions(|own, other| {
        let (own, other) = (Machine::from(own.clone()), Machine::from(other.clone()));
        let (from, mut to) = (other.buffer(&[7u32; 64]).unwrap(), own.zeroed(64).unwrap());
        let copied = to.view_mut().copy_from(from.view());
        assert!(copied.is_ok(), "{}: {copied:?}", "BufferViewMut::copy_from");
        assert_eq!(to.download().unwrap(), [7; 64]);
    });
}

#[test]
fn memory_is_not_used_on_the_other_devices_streams() {
    in_both_directions(|own, other| {
        let (stream, theirs) = (own.stream(), other.stream());
        let mut buffer = words(own, 7);
        refused("DeviceBuffer::upload", buffer.upload(theirs, &[1; 64]));
        refused("DeviceBuffer::download", buffer.download(theirs));
        refused("DeviceBuffer::download_into", buffer.download_into(theirs, &mut [0; 64]));
        refused("DeviceBuffer::into_vec", words(own, 7).into_vec(theirs));
        refused("DeviceView::download", buffer.view().download(theirs));
        refused("DeviceView::download_into", buffer.view().download_into(theirs, &mut [0; 64]));
        refused("DeviceViewMut::upload", buffer.view_mut().upload(theirs, &[1; 64]));
        refused("DeviceViewMut::zero", buffer.view_mut().zero(theirs));
        refused("DeviceViewMut::copy_from_device", buffer.view_mut().copy_from_device(theirs, words(own, 1).view()));
        // Nor parts of no length.
        refused("DeviceBuffer::download", buffer.slice(..0).unwrap().download(theirs));
        refused("DeviceBuffer::upload", buffer.slice_mut(64..).unwrap().upload(theirs, &[]));
        // With room, and without.
        for (room, len) in [(64, 60), (60, 6000)] {
            let mut grown = words(own, 7);
            grown.truncate(room - 10);
            refused("DeviceBuffer::grow", grown.grow(theirs, len));
            assert_eq!(grown.download(stream).unwrap(), vec![7; room - 10]);
        }
        assert_eq!(buffer.download(stream).unwrap(), [7; 64]);
    });
}

#[test]
fn pools_lease_for_streams_of_their_device() {
    in_both_directions(|own, other| {
        let (stream, theirs) = (own.stream(), other.stream());
        let pool = GpuBufferPool::new(own.context());
        refused("GpuBufferPool::lease", pool.lease::<u32>(theirs, 64));
        refused("GpuBufferPool::lease_zeroed", pool.lease_zeroed::<u32>(theirs, 64));
        refused("GpuBufferPool::lease_from", pool.lease_from(theirs, &[1u32; 64]));
        refused("DeviceOffsets::leased", DeviceOffsets::leased(&pool, theirs, &offsets(&[0, 64])));
        let mut leased = pool.lease_from(stream, &[3u32; 64]).unwrap();
        refused("DeviceBuffer::grow", leased.grow(theirs, 6000));
        assert_eq!(leased.download(stream).unwrap(), [3; 64]);
        let mut at = DeviceOffsets::new(stream, &offsets(&[0, 64])).unwrap();
        refused("DeviceOffsets::set", at.set(theirs, &offsets(&[0, 1])));
        assert_eq!((at.segments(), at.end()), (0, 0), "offsets that are half replaced are none");
        // The pool's source gives memory of another device, and page-locked memory of another context.
        let odd = GpuBufferPool::with_source(own.context(), PoolOptions::default(), DeviceSource::new(other.context()));
        refused("GpuBufferPool::with_source", odd.lease_zeroed::<u32>(stream, 64));
        refused("GpuBufferPool::with_source", odd.lease_from(stream, &[1u32; 64]));
        assert_eq!((pool.statistics().blocks_in_use, odd.statistics().blocks_in_use), (1, 0));
    });
}

#[test]
fn launches_refuse_each_argument_of_the_other_device() {
    in_both_directions(|own, other| {
        let at = |gpu: &CudaExecutor| DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64])).unwrap();
        let (own_at, other_at) = (at(own), at(other));
        let (own_input, other_input) = (words(own, 1), words(other, 2));
        let (mut own_out, mut other_out) = (words(own, 3), words(other, 4));
        refused("Executor::launch", try_spin(own, &mut other_out, &own_at, &own_input, 1));
        refused("Executor::launch", try_spin(own, &mut own_out, &other_at, &own_input, 1));
        refused("Executor::launch", try_spin(own, &mut own_out, &own_at, &other_input, 1));
        // Of no blocks, too.
        let none = DeviceOffsets::new(own.stream(), &offsets(&[0])).unwrap();
        let out = Segments { data: own_out.slice_mut(..0).unwrap(), offsets: &none };
        refused("Executor::launch", spin::launch(own, 0, spin::Args { out, input: other_input.view(), rounds: 1 }));
        // Chunks, generic kernels, and mapped memory.
        let args = nibble_counts::Args { out: other_out.view_mut(), words: own_input.view() };
        refused("Executor::launch", nibble_counts::launch(own, 1, args));
        let args = nibble_counts::Args { out: own_out.view_mut(), words: other_input.view() };
        refused("Executor::launch", nibble_counts::launch(own, 1, args));
        let x = DeviceBuffer::<f32>::zeroed(other.stream(), 64).unwrap();
        let mut y = DeviceBuffer::<f32>::zeroed(own.stream(), 64).unwrap();
        let f = test_kernels::Line { slope: 1.0, begin: 0.0 };
        refused("Executor::launch", curve::launch(own, 1, curve::Args { out: y.view_mut(), x: x.view(), f }));
        let mapped = VisibleBuffer::<u32>::mapped(other.context(), 64).unwrap();
        let out = Segments { data: own_out.view_mut(), offsets: &own_at };
        refused("Executor::launch", spin::launch(own, 1, spin::Args { out, input: mapped.view(), rounds: 1 }));
        // A machine is one device.
        let (machine, elsewhere) = (Machine::from(own.clone()), Machine::from(other.clone()));
        let (mut out, input) = (machine.zeroed::<u32>(64).unwrap(), elsewhere.buffer(&[1u32; 64]).unwrap());
        let at = machine.offsets(&offsets(&[0, 64])).unwrap();
        let segments = Segments { data: out.view_mut(), offsets: &at };
        refused(
            "Executor::launch",
            spin::launch(&machine, 1, spin::Args { out: segments, input: input.view(), rounds: 1 }),
        );
        assert_eq!(own_out.download(own.stream()).unwrap(), [3; 64]);
        assert_eq!(other_out.download(other.stream()).unwrap(), [4; 64]);
    });
}

#[test]
fn modules_run_on_their_device() {
    in_both_directions(|own, other| {
        let module: Module = other.modules()[0].clone();
        refused("CudaExecutor::new", CudaExecutor::new(own.stream(), [module.clone()]));
        refused("CudaExecutor::on", own.on(other.stream()));
        let kernel = module.raw_kernel("spin").unwrap();
        let mut out = words(own, 1);
        let word = Word::address_mut(&mut out.view_mut());
        // SAFETY: it is refused.
        refused("RawKernel::launch", unsafe { kernel.launch(own.stream(), 1, 64, &[word; 7]) });
        assert_eq!(out.download(own.stream()).unwrap(), [1; 64]);
    });
}

#[test]
fn graphs_have_one_device() {
    in_both_directions(|own, other| {
        let (mut buffer, mut theirs, their_at) =
            (words(own, 1), words(other, 2), DeviceOffsets::new(other.stream(), &offsets(&[0, 64])).unwrap());
        let at = DeviceOffsets::new(own.stream(), &offsets(&[0, 64])).unwrap();
        // Page-locked memory is every device's.
        let mut up = PinnedBuffer::<u32>::zeroed(other.context(), 64).unwrap();
        up.as_mut_slice().unwrap().fill(5);
        let down = PinnedBuffer::<u32>::zeroed(other.context(), 64).unwrap();
        let record = |recorder: &Recorder| {
            let (up, down) = (recorder.own(up), recorder.own(down));
            refused("Recorder::upload", recorder.upload(&up, theirs.view_mut()));
            refused("Recorder::download", recorder.download(theirs.view(), &down));
            refused("DeviceViewMut::zero", theirs.view_mut().zero(recorder.stream()));
            refused("Executor::launch", try_spin(recorder.executor(), &mut buffer, &at, &theirs, 1));
            refused("Executor::launch", try_spin(recorder.executor(), &mut buffer, &their_at, &theirs, 1));
            refused("CudaExecutor::on", recorder.executor().on(other.stream()));
            for copied in [
                buffer.view_mut().copy_from_device(recorder.stream(), theirs.view()),
                theirs.view_mut().copy_from_device(recorder.stream(), buffer.view()),
            ] {
                assert!(matches!(copied, Err(CudaError::Recorded { .. })), "{copied:?}");
            }
            recorder.upload(&up, buffer.view_mut())?;
            recorder.download(buffer.view(), &down)?;
            Ok::<_, CudaError>((up, down))
        };
        let (mut graph, (up, down)) = Graph::record(own, record).unwrap();
        refused("Graph::launch", graph.launch(other.stream()));
        for round in [6, 7] {
            graph.pinned_mut(&up).unwrap().fill(round);
            graph.launch(own.stream()).unwrap();
            assert_eq!(graph.pinned(&down).unwrap(), [round; 64]);
        }
        assert_eq!(theirs.download(other.stream()).unwrap(), [2; 64]);
        // A recording is one graph's, whatever its device.
        let foreign = Graph::record::<_, CudaError>(other, |recorder| {
            let upload = recorder.upload(&up, theirs.view_mut());
            assert!(matches!(upload, Err(CudaError::OtherGraph { .. })), "{upload:?}");
            Ok(recorder.own(PinnedBuffer::<u32>::zeroed(own.context(), 64)?))
        });
        let staged = foreign.unwrap().1;
        assert!(matches!(graph.pinned(&staged), Err(CudaError::OtherGraph { .. })), "Graph::pinned");
        assert!(matches!(graph.pinned_mut(&staged), Err(CudaError::OtherGraph { .. })), "Graph::pinned_mut");
    });
}

#[test]
fn lent_and_foreign_memory_stays_on_its_device() {
    in_both_directions(|own, other| {
        refused("LentBuffer::new", LentBuffer::new(words(own, 1), other.stream()));
        let lent = Arc::new(LentBuffer::new(words(own, 8), own.stream()).unwrap());
        refused("DeviceView::download", lent.view().download(other.stream()));
        // SAFETY: the owner keeps as many elements there, and nothing writes them in the meantime.
        let foreign =
            unsafe { DeviceBuffer::<u32>::from_foreign(own.context(), lent.address(), 64, Arc::clone(&lent)) };
        refused("DeviceBuffer::download", foreign.unwrap().download(other.stream()));
        let mut copy = words(other, 0);
        ForeignScope::lent(
            own.context(),
            |wait| wait(),
            |scope| {
                // SAFETY: as above.
                let buffer = unsafe { scope.buffer::<u32>(lent.address(), 64, Arc::clone(&lent)) }.unwrap();
                refused("DeviceView::download", buffer.view().download(other.stream()));
                // The scope waits for its device, and not for the other's streams.
                let copied = copy.view_mut().copy_from_device(other.stream(), buffer.view());
                refused("DeviceViewMut::copy_from_device", copied);
                copy.view_mut().copy_from_device(own.stream(), buffer.view()).unwrap();
            },
        )
        .unwrap();
        assert_eq!(copy.download(other.stream()).unwrap(), [8; 64]);
        assert_eq!(Arc::strong_count(&lent), 1);
    });
}

#[test]
fn page_locked_memory_is_every_devices() {
    in_both_directions(|own, other| {
        let (mut buffer, mut theirs) = (words(own, 0), words(other, 0));
        let mut pinned = PinnedBuffer::<u32>::zeroed(own.context(), 64).unwrap();
        refused("PinnedBuffer::upload", pinned.upload(other.stream(), buffer.view_mut()));
        refused("PinnedBuffer::download", pinned.download(other.stream(), buffer.view()));
        refused("PinnedBuffer::upload", pinned.upload(own.stream(), theirs.view_mut()));
        let at = ragged::<u32>(other, &[0, 64]).1;
        for round in 0..4 {
            pinned.as_mut_slice().unwrap().fill(round);
            pinned.upload(other.stream(), theirs.view_mut()).unwrap();
            pinned.upload(own.stream(), buffer.view_mut()).unwrap();
            // Copies to it wait for those from it, and the other way round, between devices as well.
            let mut slow_out = DeviceBuffer::<u32>::zeroed(other.stream(), 64).unwrap();
            launch_spin(other, &mut slow_out, &at, &theirs, slow());
            pinned.download(other.stream(), slow_out.view()).unwrap();
            pinned.upload(own.stream(), buffer.view_mut()).unwrap();
            assert_eq!(buffer.download(own.stream()).unwrap(), [spun(round, slow()); 64]);
        }
        // As a slice.
        pinned.as_mut_slice().unwrap().fill(5);
        let shared = pinned.into_slice().unwrap();
        refused("PinnedSlice::upload", shared.upload(other.stream(), 0..64, buffer.view_mut()));
        refused("PinnedSlice::upload", shared.upload(own.stream(), 0..64, theirs.view_mut()));
        shared.upload(other.stream(), 0..64, theirs.view_mut()).unwrap();
        shared.upload(own.stream(), 0..64, buffer.view_mut()).unwrap();
        drop(shared);
        assert_eq!(
            (theirs.download(other.stream()), buffer.download(own.stream())),
            (Ok(vec![5; 64]), Ok(vec![5; 64]))
        );
        // Dropped during the copies.
        let mut pinned = PinnedBuffer::<u32>::zeroed(own.context(), 64).unwrap();
        pinned.as_mut_slice().unwrap().fill(77);
        pinned.upload(other.stream(), theirs.view_mut()).unwrap();
        pinned.upload(own.stream(), buffer.view_mut()).unwrap();
        drop(pinned);
        assert_eq!(
            (theirs.download(other.stream()), buffer.download(own.stream())),
            (Ok(vec![77; 64]), Ok(vec![77; 64]))
        );
    });
}

#[test]
fn parcels_are_sent_on_their_device() {
    in_both_directions(|own, other| {
        let pool = GpuBufferPool::new(own.context());
        let staged = |gpu: &CudaExecutor| PinnedBuffer::zeroed(gpu.context(), 1024).unwrap();
        refused("Parcel::new", Parcel::new(&pool, other.stream(), staged(own), 1024));
        let mut lost = Parcel::new(&pool, own.stream(), staged(own), 1024).unwrap();
        let at = lost.add_offsets(&offsets(&[0, 64])).unwrap().unwrap();
        let input = lost.add(&[1u32; 64]).unwrap().unwrap();
        refused("Parcel::send", lost.send(other.stream()));
        assert_eq!((at.segments(), at.end()), (0, 0));
        refused("DeviceBuffer::download", input.download(other.stream()));
        let mut sent = Parcel::new(&pool, own.stream(), staged(other), 1024).unwrap();
        let input = sent.add(&[5u32; 64]).unwrap().unwrap();
        sent.send(own.stream()).unwrap();
        refused("DeviceBuffer::download", input.download(other.stream()));
        assert_eq!(input.download(own.stream()).unwrap(), [5; 64]);
    });
}

#[test]
fn events_are_recorded_and_compared_on_one_device() {
    in_both_directions(|own, other| {
        let (event, theirs) = (Event::new(own.context()).unwrap(), Event::new(other.context()).unwrap());
        refused("Event::record", event.record(other.stream()));
        event.record(own.stream()).unwrap();
        theirs.record(other.stream()).unwrap();
        refused("Event::elapsed_ms", event.elapsed_ms(&theirs));
        let timeline = Timeline::new(own.stream()).unwrap();
        refused("Timeline::begin", timeline.begin(other.stream()));
        // Spans of two devices share no time.
        let span =
            |gpu: &CudaExecutor| Timeline::new(gpu.stream()).unwrap().begin(gpu.stream()).unwrap().end().unwrap();
        assert!(span(own).overlap_ms(&span(other)).unwrap() >= 0.0, "Span::overlap_ms");
    });
}

#[test]
fn streams_wait_for_events_of_other_devices() {
    in_both_directions(|own, other| {
        let input = words(own, 1);
        let (mut out, at) = ragged::<u32>(own, &[0, 64]);
        type Wait = fn(&Stream, &Event) -> Result<(), CudaError>;
        let waits: [(&str, Wait); 2] = [("Stream::wait", Stream::wait), ("Stream::queue_behind", Stream::queue_behind)];
        for (entrance, wait) in waits {
            let (first, second) = (Event::new(own.context()).unwrap(), Event::new(other.context()).unwrap());
            launch_spin(own, &mut out, &at, &input, slow());
            first.record(own.stream()).unwrap();
            assert!(!first.is_done().unwrap(), "the kernel runs");
            wait(other.stream(), &first).unwrap();
            second.record(other.stream()).unwrap();
            second.synchronize().unwrap();
            assert!(first.is_done().unwrap(), "{entrance}");
        }
        other.synchronize().unwrap();
        // Panics concern the streams that wait for results, and those alone.
        let panicked = Event::new(own.context()).unwrap();
        launch_fail(own, &mut out, &at, &input);
        panicked.record(own.stream()).unwrap();
        other.stream().queue_behind(&panicked).unwrap();
        other.synchronize().unwrap();
        launch_fail(own, &mut out, &at, &input);
        panicked.record(own.stream()).unwrap();
        other.stream().wait(&panicked).unwrap();
        let error = other.synchronize().unwrap_err();
        assert!(matches!(error, CudaError::Panic(_)), "{error}");
        assert!(own.synchronize().is_err());
    });
}
