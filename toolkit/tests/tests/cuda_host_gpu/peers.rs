//! Copies between two devices.

use crate::two_devices::{in_both_directions, two};
use crate::{launch_fail, launch_spin, ragged, slow, spun};
use cuda_host::{
    Context, CudaError, CudaExecutor, DeviceBuffer, GpuBufferPool, Graph, LentBuffer, Stream, Timeline, VisibleBuffer,
};
use toolkit_tests::simulated::is_simulated;

/// On a stream of either device, the copy comes after the kernel that writes its source, and before work that uses its
/// results or writes its source again.
#[test]
fn a_copy_is_in_order_with_work_on_both_devices() {
    in_both_directions(|own, other| {
        for (turn, stream) in [own.stream(), other.stream()].into_iter().enumerate() {
            let input = DeviceBuffer::from_slice(own.stream(), &[turn as u32; 64]).unwrap();
            let (mut first, at) = ragged::<u32>(own, &[0, 64]);
            let (mut second, there) = ragged::<u32>(other, &[0, 64]);
            let mut copy = DeviceBuffer::<u32>::zeroed(other.stream(), 64).unwrap();
            launch_spin(own, &mut first, &at, &input, slow());
            copy.view_mut().copy_from_device(stream, first.view()).unwrap();
            // The source and the copy are written again at once, each on its own device.
            first.view_mut().zero(own.stream()).unwrap();
            launch_spin(other, &mut second, &there, &copy, 3);
            copy.view_mut().zero(other.stream()).unwrap();
            let expected = spun(spun(turn as u32, slow()), 3);
            assert_eq!(second.download(other.stream()).unwrap(), [expected; 64]);
            assert_eq!(first.download(own.stream()).unwrap(), [0; 64]);
            assert_eq!(copy.download(other.stream()).unwrap(), [0; 64]);
        }
    });
}

#[test]
fn parts_and_large_buffers_arrive_whole() {
    in_both_directions(|own, other| {
        let n = if is_simulated() { 1 << 16 } else { 64 << 20 };
        let elements: Vec<u32> = (0..n).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
        let from = DeviceBuffer::from_slice(own.stream(), &elements).unwrap();
        let mut to = DeviceBuffer::<u32>::zeroed(other.stream(), n as usize).unwrap();
        for (stream, of) in [(own.stream(), "the source's"), (other.stream(), "the destination's")] {
            to.view_mut().zero(other.stream()).unwrap();
            for timed in [false, true] {
                let timeline = Timeline::new(stream).unwrap();
                let span = timeline.begin(stream).unwrap();
                to.view_mut().copy_from_device(stream, from.view()).unwrap();
                let span = span.end().unwrap().milliseconds().unwrap();
                if timed && !is_simulated() {
                    let (from, to) = (own.context().ordinal(), other.context().ordinal());
                    let rate = 4e-6 * f64::from(n) / f64::from(span.end - span.start);
                    println!("device {from} to {to} on {of} stream: {rate:.1} GB/s");
                }
            }
            assert_eq!(to.download(other.stream()).unwrap(), elements);
        }
        to.view_mut().zero(other.stream()).unwrap();
        to.slice_mut(10..13).unwrap().copy_from_device(own.stream(), from.slice(20..23).unwrap()).unwrap();
        to.slice_mut(..0).unwrap().copy_from_device(own.stream(), from.slice(..0).unwrap()).unwrap();
        let found = to.slice(8..15).unwrap().download(other.stream()).unwrap();
        assert_eq!(found, [0, 0, elements[20], elements[21], elements[22], 0, 0]);
        let error = to.slice_mut(..3).unwrap().copy_from_device(own.stream(), from.slice(..4).unwrap()).unwrap_err();
        assert!(matches!(error, CudaError::Length { from: 4, to: 3, .. }), "{error}");
    });
}

#[test]
fn memory_that_the_host_accesses_is_copied_between_devices() {
    in_both_directions(|own, other| {
        for make in [VisibleBuffer::<u32>::mapped, VisibleBuffer::unified] {
            let make = |context: &Context| make(context, 64);
            let (Ok(mut from), Ok(mut to)) = (make(own.context()), make(other.context())) else { continue };
            let mut device = DeviceBuffer::<u32>::zeroed(other.stream(), 64).unwrap();
            for round in 1..4 {
                from.as_mut_slice().unwrap().fill(round);
                device.view_mut().copy_from_device(own.stream(), from.view()).unwrap();
                to.view_mut().copy_from_device(other.stream(), from.view()).unwrap();
                assert_eq!(to.as_slice().unwrap(), [round; 64]);
                assert_eq!(device.download(other.stream()).unwrap(), [round; 64]);
                // The host waits for a stream of the other device.
                to.as_mut_slice().unwrap().fill(round + 10);
                from.view_mut().copy_from_device(other.stream(), to.view()).unwrap();
                assert_eq!(from.as_slice().unwrap(), [round + 10; 64]);
            }
        }
    });
}

/// Memory that streams of two devices have used is dropped, leased again and lent like other memory.
#[test]
fn memory_may_go_while_it_is_copied_between_devices() {
    in_both_directions(|own, other| {
        let (here, there) = (GpuBufferPool::new(own.context()), GpuBufferPool::new(other.context()));
        let at = ragged::<u32>(own, &[0, 64]).1;
        for round in 0..6u32 {
            let stream = [own.stream(), other.stream()][round as usize % 2];
            let input = here.lease_from(own.stream(), &[round; 64]).unwrap();
            let mut from = here.lease::<u32>(own.stream(), 64).unwrap();
            let mut to = there.lease::<u32>(other.stream(), 64).unwrap();
            launch_spin(own, &mut from, &at, &input, slow() / 4);
            to.view_mut().copy_from_device(stream, from.view()).unwrap();
            drop((from, input));
            // The next owners of the source's memory write it.
            let next: Vec<_> = (0..4).map(|_| here.lease_zeroed::<u32>(own.stream(), 64).unwrap()).collect();
            assert_eq!(to.download(other.stream()).unwrap(), [spun(round, slow() / 4); 64]);
            assert!(next.iter().all(|buffer| buffer.download(own.stream()).unwrap() == [0; 64]));
            // So are destinations that are dropped, and memory that is not a pool's.
            let from = DeviceBuffer::from_slice(own.stream(), &[round; 64]).unwrap();
            to.view_mut().copy_from_device(stream, from.view()).unwrap();
            drop(to);
            let mut to = DeviceBuffer::<u32>::zeroed(other.stream(), 64).unwrap();
            to.view_mut().copy_from_device(stream, from.view()).unwrap();
            let lent = LentBuffer::new(to, other.stream()).unwrap();
            drop(from);
            assert_eq!(lent.view().download(other.stream()).unwrap(), [round; 64]);
            let mut back = DeviceBuffer::<u32>::zeroed(own.stream(), 64).unwrap();
            back.view_mut().copy_from_device(stream, lent.view()).unwrap();
            drop(lent);
            assert_eq!(back.download(own.stream()).unwrap(), [round; 64]);
        }
        let found = [here.statistics(), there.statistics()];
        assert!(found.iter().all(|pool| pool.blocks_in_use == 0 && pool.frees == 0), "all memory goes back: {found:?}");
    });
}

#[test]
fn a_panic_on_one_device_is_reported_by_readers_on_the_other() {
    in_both_directions(|own, other| {
        for stream in [own.stream(), other.stream()] {
            let input = DeviceBuffer::from_slice(own.stream(), &[1u32; 64]).unwrap();
            let (mut failed, at) = ragged::<u32>(own, &[0, 64]);
            let mut copy = DeviceBuffer::<u32>::zeroed(other.stream(), 64).unwrap();
            launch_fail(own, &mut failed, &at, &input);
            copy.view_mut().copy_from_device(stream, failed.view()).unwrap();
            let error = copy.download(other.stream()).unwrap_err();
            assert!(matches!(error, CudaError::Panic(_) | CudaError::Poisoned { .. }), "{error}");
            let again = copy.download(other.stream()).unwrap_err();
            assert!(matches!(again, CudaError::Poisoned { .. }), "{again}");
            assert!(own.synchronize().is_err());
            // Known by now.
            let refused = copy.view_mut().copy_from_device(stream, failed.view()).unwrap_err();
            assert!(matches!(refused, CudaError::Poisoned { .. }), "{refused}");
            copy.view_mut().zero(other.stream()).unwrap();
            assert_eq!(copy.download(other.stream()).unwrap(), [0; 64]);
            let _ = (own.synchronize(), other.synchronize());
        }
    });
}

/// Two threads copy between the devices, one in each direction, while two others launch graphs on each.
#[test]
fn threads_copy_both_ways_while_graphs_are_launched() {
    let Some((first, second)) = two() else { return };
    let graph = |gpu: &CudaExecutor| {
        let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64).unwrap();
        Graph::record::<_, CudaError>(gpu, |recorder| out.view_mut().zero(recorder.stream())).unwrap().0
    };
    let rounds = 200;
    let copy = |from: &CudaExecutor, to: &CudaExecutor| {
        let streams: [Stream; 2] = [from.context().stream().unwrap(), to.context().stream().unwrap()];
        let mut target = DeviceBuffer::<u32>::zeroed(&streams[1], 64).unwrap();
        for round in 0..rounds {
            let source = DeviceBuffer::from_slice(&streams[0], &[round; 64]).unwrap();
            target.view_mut().copy_from_device(&streams[round as usize % 2], source.view()).unwrap();
            assert_eq!(target.download(&streams[1]).unwrap(), [round; 64]);
        }
    };
    let launch = |gpu: &CudaExecutor| {
        let (mut graph, stream) = (graph(gpu), gpu.context().stream().unwrap());
        for _ in 0..rounds {
            graph.launch(&stream).unwrap();
            graph.wait().unwrap();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| copy(&first, &second));
        scope.spawn(|| copy(&second, &first));
        scope.spawn(|| launch(&first));
        scope.spawn(|| launch(&second));
    });
}
