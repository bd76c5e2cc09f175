//! Streams: order by use, and time.

use crate::{SLOW, gpu, launch_spin, ragged, spun};
use cuda_host::{CudaExecutor, DeviceBuffer, Event, PinnedBuffer};
use cuda_std::launch::Segments;
use test_kernels::{spin, turn};

#[test]
fn what_one_stream_writes_another_reads_afterwards() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let start: Vec<u32> = (0..64).collect();
    let input = DeviceBuffer::from_slice(a.stream(), &start).unwrap();
    let (mut middle, at) = ragged::<u32>(&a, &[0, 64]);
    let mut out = DeviceBuffer::<u32>::zeroed(b.stream(), 64).unwrap();
    b.synchronize().unwrap();
    launch_spin(&a, &mut middle, &at, &input, SLOW);
    let segments = Segments { data: out.view_mut(), offsets: &at };
    turn::launch(&b, 1, turn::Args { out: segments, input: middle.view() }).unwrap();
    let expected: Vec<u32> = start.iter().rev().map(|x| spun(*x, SLOW)).collect();
    assert_eq!(out.download(b.stream()).unwrap(), expected);
}

#[test]
fn what_one_stream_reads_another_writes_afterwards() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let start: Vec<u32> = (100..164).collect();
    let mut input = DeviceBuffer::from_slice(a.stream(), &start).unwrap();
    let (mut first, at) = ragged::<u32>(&a, &[0, 64]);
    let mut second = DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap();
    // Keeps the stream busy, so that `input` has not been read yet when the other stream writes it.
    launch_spin(&a, &mut first, &at, &input, SLOW);
    launch_spin(&a, &mut second, &at, &input, 1);
    input.view_mut().zero(b.stream()).unwrap();
    assert_eq!(input.download(b.stream()).unwrap(), [0; 64]);
    let expected: Vec<u32> = start.iter().map(|x| spun(*x, 1)).collect();
    assert_eq!(second.download(a.stream()).unwrap(), expected);
}

#[test]
fn order_goes_through_any_number_of_streams_and_copies() {
    let Some(gpu) = gpu() else { return };
    let streams: Vec<_> = (0..4).map(|_| gpu.on(&gpu.context().stream().unwrap()).unwrap()).collect();
    let start: Vec<u32> = (0..64).map(|i| i * i).collect();
    let mut current = DeviceBuffer::from_slice(gpu.stream(), &start).unwrap();
    let (mut next, at) = ragged::<u32>(&gpu, &[0, 64]);
    for round in 0..12 {
        launch_spin(&streams[round % 4], &mut next, &at, &current, SLOW / 10);
        std::mem::swap(&mut current, &mut next);
    }
    let mut copy = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64).unwrap();
    copy.view_mut().copy_from_device(streams[1].stream(), current.view()).unwrap();
    let mut pinned = PinnedBuffer::<u32>::zeroed(gpu.context(), 64).unwrap();
    pinned.download(streams[2].stream(), copy.view()).unwrap();
    let expected: Vec<u32> = start.iter().map(|x| spun(*x, SLOW / 10 * 12)).collect();
    assert_eq!(pinned.as_slice().unwrap(), expected);
}

#[test]
fn events_order_streams_and_tell_the_time() {
    let Some(a) = gpu() else { return };
    let b = a.context().stream().unwrap();
    let input = DeviceBuffer::from_slice(a.stream(), &[1u32; 64]).unwrap();
    let (mut out, at) = ragged::<u32>(&a, &[0, 64]);
    // Loads the kernel and wakes the device before it is timed.
    launch_spin(&a, &mut out, &at, &input, SLOW);
    a.synchronize().unwrap();

    let event = || Event::new(a.context()).unwrap();
    let (begin, short, other) = (event(), event(), event());
    let long = Event::blocking(a.context()).unwrap();
    assert!(begin.is_done().unwrap(), "nothing to wait for");
    assert!(long.elapsed_ms(&begin).is_err(), "events that were never recorded have no time");
    begin.record(a.stream()).unwrap();
    launch_spin(&a, &mut out, &at, &input, SLOW / 10);
    short.record(a.stream()).unwrap();
    launch_spin(&a, &mut out, &at, &input, SLOW);
    long.record(a.stream()).unwrap();
    b.wait(&long).unwrap();
    other.record(&b).unwrap();
    assert!(!long.is_done().unwrap(), "the program does not wait");
    long.synchronize().unwrap();
    assert!(long.is_done().unwrap(), "now it has waited");
    let (first, second) = (short.elapsed_ms(&begin).unwrap(), long.elapsed_ms(&short).unwrap());
    println!("{} steps: {first} ms, {SLOW} steps: {second} ms", SLOW / 10);
    assert!(first > 0.0 && (5.0..20.0).contains(&(second / first)), "{first} ms and {second} ms");
    assert!(other.elapsed_ms(&long).unwrap() >= 0.0, "the other stream went on after the event");
}

#[test]
fn independent_work_on_two_streams_overlaps() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let input = DeviceBuffer::from_slice(a.stream(), &[1u32; 64]).unwrap();
    let (mut x, at) = ragged::<u32>(&a, &[0, 64]);
    let mut y = DeviceBuffer::<u32>::zeroed(a.stream(), 64).unwrap();
    launch_spin(&a, &mut x, &at, &input, 1);
    launch_spin(&b, &mut y, &at, &input, 1);
    a.synchronize().unwrap();
    b.synchronize().unwrap();
    let event = || Event::new(a.context()).unwrap();
    let (begin, end_a, end_b) = (event(), event(), event());
    begin.record(a.stream()).unwrap();
    launch_spin(&a, &mut x, &at, &input, SLOW);
    end_a.record(a.stream()).unwrap();
    // Reads what the other stream reads, which needs no waiting.
    launch_spin(&b, &mut y, &at, &input, SLOW);
    end_b.record(b.stream()).unwrap();
    let (one, both) = (end_a.elapsed_ms(&begin).unwrap(), end_b.elapsed_ms(&begin).unwrap());
    assert!(both < 1.5 * one, "one {one} ms, both {both} ms");
    assert_eq!(x.download(a.stream()).unwrap(), y.download(b.stream()).unwrap());
}

#[test]
fn one_executor_serves_many_threads() {
    let Some(gpu) = gpu() else { return };
    let input = DeviceBuffer::from_slice(gpu.stream(), &(0..64).collect::<Vec<u32>>()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let (gpu, input): (&CudaExecutor, _) = (&gpu, &input);
            scope.spawn(move || {
                let own = gpu.on(&gpu.context().stream().unwrap()).unwrap();
                for round in 0..20u32 {
                    let executor = if (round + thread) % 2 == 0 { gpu } else { &own };
                    let (mut out, at) = ragged::<u32>(executor, &[0, 64]);
                    let rounds = 1000 * thread + round;
                    launch_spin(executor, &mut out, &at, input, rounds);
                    let found = out.download(executor.stream()).unwrap();
                    assert!(found.iter().enumerate().all(|(i, x)| *x == spun(i as u32, rounds)));
                }
            });
        }
    });
}

#[test]
fn threads_share_the_halves_of_a_buffer() {
    let Some(gpu) = gpu() else { return };
    let other = gpu.on(&gpu.context().stream().unwrap()).unwrap();
    let input = DeviceBuffer::from_slice(gpu.stream(), &(0..64).collect::<Vec<u32>>()).unwrap();
    let (mut whole, _) = ragged::<u32>(&gpu, &[0, 128]);
    let (_, at) = ragged::<u32>(&gpu, &[0, 64]);
    for round in 1..20u32 {
        let (low, high) = whole.view_mut().split_at_mut(64).unwrap();
        std::thread::scope(|scope| {
            for (executor, data, rounds) in [(&*gpu, low, round), (&other, high, 1000 * round)] {
                let (at, input) = (&at, &input);
                scope.spawn(move || {
                    let segments = Segments { data, offsets: at };
                    spin::launch(executor, 1, spin::Args { out: segments, input: input.view(), rounds }).unwrap();
                });
            }
        });
        let reader = gpu.context().stream().unwrap();
        let found = whole.download(&reader).unwrap();
        assert!(found[..64].iter().enumerate().all(|(i, x)| *x == spun(i as u32, round)));
        assert!(found[64..].iter().enumerate().all(|(i, x)| *x == spun(i as u32, 1000 * round)));
    }
}
