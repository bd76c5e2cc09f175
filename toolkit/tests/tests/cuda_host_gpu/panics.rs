//! Panics of kernels are reported once, and their results are never returned.

use crate::{gpu, offsets, ragged};
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, PinnedBuffer};
use cuda_std::launch::{CpuExecutor, LaunchError, Segments};
use cuda_std::panic::KernelPanic;
use test_kernels::{fail, turn};

const NOBODY: u32 = 1000;

struct Setup {
    input: DeviceBuffer<u32>,
    out: DeviceBuffer<u32>,
    at: DeviceOffsets,
}

impl Setup {
    fn new(gpu: &CudaExecutor) -> Self {
        let (out, at) = ragged(gpu, &ENDS);
        Self { input: DeviceBuffer::from_slice(gpu.stream(), &data()).unwrap(), out, at }
    }

    fn launch(&mut self, gpu: &CudaExecutor, block_to_fail: u32, index: u32) {
        let segments = Segments { data: self.out.view_mut(), offsets: &self.at };
        let args = fail::Args { out: segments, input: self.input.view(), block_to_fail, index };
        fail::launch(gpu, 3, args).unwrap();
    }
}

const ENDS: [u32; 4] = [0, 50, 150, 200];

fn data() -> Vec<u32> {
    (0..200).map(|i| 3 * i).collect()
}

/// The panic as CPU cores report it.
fn on_cpu(block_to_fail: u32, index: u32) -> KernelPanic {
    let (mut out, at) = (vec![0; 200], offsets(&ENDS));
    let segments = Segments { data: &mut out[..], offsets: &at };
    let args = fail::Args { out: segments, input: &data()[..], block_to_fail, index };
    match fail::launch(&CpuExecutor::new(), 3, args) {
        Err(LaunchError::Panic(panic)) => panic,
        other => panic!("{other:?}"),
    }
}

fn assert_panicked<T: std::fmt::Debug>(result: Result<T, CudaError>) -> KernelPanic {
    match result {
        Err(CudaError::Panic(panic)) => *panic,
        other => panic!("expected the kernel's panic: {other:?}"),
    }
}

fn assert_poisoned<T: std::fmt::Debug>(result: Result<T, CudaError>) {
    assert!(matches!(result, Err(CudaError::Poisoned { .. })), "expected a refusal: {result:?}");
}

#[test]
fn a_panic_names_its_place_and_the_context_lives_on() {
    let Some(gpu) = gpu() else { return };
    let mut setup = Setup::new(&gpu);
    for (block, index) in [(1, 200), (2, u32::MAX), (0, 7000)] {
        setup.launch(&gpu, block, index);
        let found = assert_panicked(gpu.synchronize());
        println!("{found}");
        let expected = on_cpu(block, index);
        assert!(found.file.ends_with("src/launch.rs"), "{}", found.file);
        assert_eq!((found.line, found.column), (expected.line, expected.column));
        assert_eq!((found.block, found.thread), (expected.block, expected.thread));
        assert_eq!((found.kernel, found.message), (expected.kernel, expected.message));

        gpu.synchronize().expect("a panic is reported once");
        assert_poisoned(setup.out.download(gpu.stream()));
        setup.launch(&gpu, NOBODY, 0);
        assert_eq!(setup.out.download(gpu.stream()).expect("written again"), data());
    }
}

#[test]
fn a_download_reports_the_panic_of_what_it_waits_for() {
    let Some(gpu) = gpu() else { return };
    let mut setup = Setup::new(&gpu);
    setup.launch(&gpu, 1, 200);
    let mut to = vec![9; 200];
    assert_panicked(setup.out.download_into(gpu.stream(), &mut to));
    assert_poisoned(setup.out.download_into(gpu.stream(), &mut to));
    assert_poisoned(setup.out.slice(0..1).unwrap().download(gpu.stream()));
    assert_eq!(setup.input.download(gpu.stream()).expect("only read by the kernel"), data());
    setup.out.upload(gpu.stream(), &data()).unwrap();
    assert_eq!(setup.out.download(gpu.stream()).expect("written by the host"), data());
}

#[test]
fn results_of_results_are_not_handed_out() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let c = a.context().stream().unwrap();
    let mut setup = Setup::new(&a);
    let (mut next, _) = ragged::<u32>(&a, &ENDS);
    let mut copy = DeviceBuffer::<u32>::zeroed(a.stream(), 200).unwrap();
    a.synchronize().unwrap();

    setup.launch(&a, 1, 200);
    let segments = Segments { data: next.view_mut(), offsets: &setup.at };
    turn::launch(&b, 3, turn::Args { out: segments, input: setup.out.view() }).unwrap();
    copy.view_mut().copy_from_device(&c, next.view()).unwrap();
    // Only the last result is requested, on the last stream.
    let panic = assert_panicked(copy.download(&c));
    assert_eq!(panic.kernel, "fail");
    assert_poisoned(copy.download(&c));
    assert_panicked(b.synchronize());
    assert_panicked(a.synchronize());
    assert_poisoned(next.download(b.stream()));
    assert_poisoned(setup.out.download(a.stream()));

    // A launch that would read them is refused before it is queued.
    let segments = Segments { data: copy.view_mut(), offsets: &setup.at };
    assert_poisoned(turn::launch(&b, 3, turn::Args { out: segments, input: next.view() }));

    setup.launch(&a, NOBODY, 0);
    let segments = Segments { data: next.view_mut(), offsets: &setup.at };
    turn::launch(&b, 3, turn::Args { out: segments, input: setup.out.view() }).unwrap();
    copy.view_mut().copy_from_device(&c, next.view()).unwrap();
    let found = copy.download(&c).expect("all written again");
    assert_eq!((found[0], found[50]), (3 * 49, 3 * 149));
}

#[test]
fn results_are_refused_though_the_host_knows_that_their_streams_are_done() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let c = a.on(&a.context().stream().unwrap()).unwrap();
    let mut setup = Setup::new(&a);
    let (mut next, _) = ragged::<u32>(&a, &ENDS);
    let (mut last, _) = ragged::<u32>(&a, &ENDS);
    a.synchronize().unwrap();

    setup.launch(&a, 1, 200);
    // Waits for the stream without checking for panics.
    setup.out.wait_unused().unwrap();
    let segments = Segments { data: last.view_mut(), offsets: &setup.at };
    assert_poisoned(turn::launch(&c, 3, turn::Args { out: segments, input: setup.out.view() }));
    assert_panicked(a.synchronize());

    setup.launch(&a, 1, 200);
    let segments = Segments { data: next.view_mut(), offsets: &setup.at };
    turn::launch(&b, 3, turn::Args { out: segments, input: setup.out.view() }).unwrap();
    // Waits for both streams without checking for panics.
    next.wait_unused().unwrap();
    setup.out.wait_unused().unwrap();
    for input in [next.view(), setup.out.view()] {
        let segments = Segments { data: last.view_mut(), offsets: &setup.at };
        assert_poisoned(turn::launch(&c, 3, turn::Args { out: segments, input }));
    }
    assert_poisoned(next.download(c.stream()));
    c.synchronize().expect("nothing was queued");
    assert_panicked(b.synchronize());
    assert_panicked(a.synchronize());
}

#[test]
fn other_streams_go_on() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let (mut bad, mut good) = (Setup::new(&a), Setup::new(&b));
    bad.launch(&a, 2, 200);
    good.launch(&b, NOBODY, 0);
    assert_eq!(good.out.download(b.stream()).unwrap(), data());
    b.synchronize().expect("nothing of the other stream was used");
    assert_panicked(a.synchronize());
}

#[test]
fn each_stream_has_its_own_error_and_a_third_goes_on() {
    let Some(a) = gpu() else { return };
    let b = a.on(&a.context().stream().unwrap()).unwrap();
    let c = a.on(&a.context().stream().unwrap()).unwrap();
    let (mut first, mut second, mut good) = (Setup::new(&a), Setup::new(&b), Setup::new(&c));
    for round in 0..10 {
        first.launch(&a, 1, 200);
        second.launch(&b, 2, u32::MAX);
        good.launch(&c, NOBODY, 0);
        // Requested in alternating order.
        let (of_a, of_b) = if round % 2 == 0 {
            let of_a = assert_panicked(a.synchronize());
            (of_a, assert_panicked(b.synchronize()))
        } else {
            let of_b = assert_panicked(b.synchronize());
            (assert_panicked(a.synchronize()), of_b)
        };
        for (found, expected) in [(of_a, on_cpu(1, 200)), (of_b, on_cpu(2, u32::MAX))] {
            assert_eq!((found.block, found.thread), (expected.block, expected.thread));
            assert_eq!((found.line, found.message), (expected.line, expected.message));
        }
        assert_eq!(good.out.download(c.stream()).expect("nothing of the others was used"), data());
        for executor in [&*a, &b, &c] {
            executor.synchronize().expect("each is reported once");
        }
        assert_poisoned(first.out.download(a.stream()));
        assert_poisoned(second.out.download(b.stream()));
    }
}

#[test]
fn page_locked_memory_does_not_show_a_panicked_kernels_results() {
    let Some(a) = gpu() else { return };
    let other = a.context().stream().unwrap();
    let mut setup = Setup::new(&a);
    let mut pinned = PinnedBuffer::<u32>::zeroed(a.context(), 200).unwrap();
    setup.launch(&a, 0, 200);
    pinned.download(&other, setup.out.view()).unwrap();
    assert_panicked(pinned.as_slice().map(<[u32]>::len));
    assert_poisoned(pinned.as_slice().map(<[u32]>::len));
    // The host may overwrite it.
    pinned.as_mut_slice().unwrap().copy_from_slice(&data());
    assert_eq!(pinned.as_slice().unwrap(), data());
    assert_panicked(a.synchronize());

    setup.launch(&a, NOBODY, 0);
    pinned.download(&other, setup.out.view()).unwrap();
    assert_eq!(pinned.as_slice().unwrap(), data());
}

#[test]
fn the_first_of_many_panics_is_reported() {
    let Some(gpu) = gpu() else { return };
    let mut setup = Setup::new(&gpu);
    for _ in 0..50 {
        setup.launch(&gpu, 1, 200);
        setup.launch(&gpu, 2, u32::MAX);
    }
    let panic = assert_panicked(gpu.synchronize());
    assert_eq!(panic.block, [1, 0, 0]);
    setup.launch(&gpu, 2, u32::MAX);
    assert_eq!(assert_panicked(gpu.synchronize()).block, [2, 0, 0]);
}
