//! Each call of the driver fails once, and several times in a row. No copy uses host memory after the program has it back,
//! nothing that the device uses is freed, and the device works afterwards.
//!
//! The simulated driver does nothing before it must. So a copy that nobody waits for is done when the test has written its
//! memory anew, and work on freed memory ends the context.

use crate::lifetimes::running;
use crate::{gpu, launch_spin, offsets, ragged, spun, try_spin};
use cuda_host::{
    CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, GpuBufferPool, Graph, LentBuffer, Parcel, PinnedBuffer,
    PinnedPool, VisibleBuffer,
};
use cuda_std::launch::Segments;
use libloading::{Library, Symbol};
use std::any::Any;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use test_kernels::spin;
use toolkit_tests::simulated::with_driver;

type Things = Vec<(&'static str, Box<dyn Any + Send>)>;

/// Lets calls of the simulated driver fail.
struct Failures(ManuallyDrop<Library>);

impl Failures {
    fn new() -> Self {
        // SAFETY: the library is loaded already, and has no initialiser that runs again.
        Self(ManuallyDrop::new(unsafe { Library::new("libcuda.so") }.expect("the simulated driver")))
    }

    /// `count` calls fail with CUDA's error `code` after `after` others. Returns the number of calls so far.
    fn plan(&self, after: usize, count: usize, code: u32) -> usize {
        // SAFETY: the driver's source declares the function so.
        unsafe {
            let fail: Symbol<'_, unsafe extern "C" fn(usize, usize, u32) -> usize> =
                self.0.get(b"simulated_fail\0").expect("a function of the simulated driver");
            fail(after, count, code)
        }
    }

    fn none(&self) -> usize {
        self.plan(0, 0, 0)
    }
}

/// CUDA_ERROR_UNKNOWN, which does not say that the context is lost, and CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.
const CODES: [u32; 2] = [999, 900];
/// How many calls in a row fail.
const IN_A_ROW: [usize; 3] = [1, 2, 5];

/// Runs `attempt` once for each call that it makes, with this call failing, and checks the device after each. Of these calls,
/// most have to be noticed.
fn with_each_call_failing(name: &str, attempt: impl Fn(&CudaExecutor) -> Result<(), CudaError>) {
    if let Some((calls, refused)) = with_calls_failing(name, |_| (), |gpu, ()| attempt(gpu)) {
        assert!(refused >= calls, "calls whose errors nobody saw: {refused} errors of {calls} calls");
    }
}

/// The numbers of calls and of errors. No call of `prepare` fails.
fn with_calls_failing<P>(
    name: &str,
    prepare: impl Fn(&CudaExecutor) -> P,
    attempt: impl Fn(&CudaExecutor, P) -> Result<(), CudaError>,
) -> Option<(usize, usize)> {
    if !with_driver(name, &[]) {
        return None;
    }
    let gpu = gpu().expect("a simulated device");
    let failures = Failures::new();
    let prepared = prepare(&gpu);
    let before = failures.none();
    attempt(&gpu, prepared).unwrap();
    let calls = failures.none() - before;
    assert!(calls > 1, "{calls} calls");
    let mut refused = 0;
    for code in CODES {
        for count in IN_A_ROW {
            for after in 0..calls {
                let prepared = prepare(&gpu);
                failures.plan(after, count, code);
                refused += usize::from(attempt(&gpu, prepared).is_err());
                failures.none();
                // All work that is still queued runs now.
                gpu.stream()
                    .wait_for_others()
                    .unwrap_or_else(|error| panic!("call {after}, {count} of {code}: {error}"));
                let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
                let input = DeviceBuffer::from_slice(gpu.stream(), &[9u32; 64]).unwrap();
                launch_spin(&gpu, &mut out, &at, &input, 3);
                assert_eq!(out.download(gpu.stream()).unwrap(), [spun(9, 3); 64], "call {after}, {count} of {code}");
            }
        }
    }
    println!("{calls} calls, {refused} errors");
    Some((calls, refused))
}

/// As [`ragged`] with one segment.
fn segment(gpu: &CudaExecutor) -> Result<(DeviceBuffer<u32>, DeviceOffsets), CudaError> {
    Ok((DeviceBuffer::zeroed(gpu.stream(), 64)?, DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64]))?))
}

/// The host's memory after a failed copy is the program's: it writes it, and finds what it wrote.
#[test]
fn a_failed_download_leaves_host_memory_alone() {
    with_each_call_failing("failing_calls::a_failed_download_leaves_host_memory_alone", |gpu| {
        let (mut out, at) = segment(gpu)?;
        let input = DeviceBuffer::from_slice(gpu.stream(), &[2u32; 64])?;
        try_spin(gpu, &mut out, &at, &input, 3)?;
        let mut host = [0u32; 64];
        let result = out.download_into(gpu.stream(), &mut host);
        if result.is_ok() {
            assert_eq!(host, [spun(2, 3); 64]);
        }
        host = [77; 64];
        let late = gpu.context().stream().and_then(|other| other.wait_for_others());
        assert_eq!(host, [77; 64], "the copy came after its end ({result:?}, {late:?})");
        result
    });
}

#[test]
fn a_failed_upload_reads_no_memory_later() {
    with_each_call_failing("failing_calls::a_failed_upload_reads_no_memory_later", |gpu| {
        let mut buffer = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64)?;
        let mut host = [5u32; 64];
        let result = buffer.upload(gpu.stream(), &host);
        host = [77; 64];
        let found = buffer.download(gpu.stream());
        if let Ok(found) = &found {
            assert!(
                found == &[5; 64] || (result.is_err() && found == &[0; 64]),
                "{found:?} after {result:?}, {host:?}"
            );
        }
        result.and(found.map(drop))
    });
}

/// Page-locked memory of a failed copy is written and dropped when the copy has ended.
#[test]
fn failed_copies_of_page_locked_memory_are_waited_for() {
    with_each_call_failing("failing_calls::failed_copies_of_page_locked_memory_are_waited_for", |gpu| {
        let other = gpu.context().stream()?;
        let pool = PinnedPool::new(gpu.context());
        let (mut out, at) = segment(gpu)?;
        for pooled in [false, true] {
            let make = || if pooled { pool.lease::<u32>(64) } else { PinnedBuffer::zeroed(gpu.context(), 64) };
            let mut up = make()?;
            up.as_mut_slice()?.fill(5);
            let mut device = DeviceBuffer::<u32>::zeroed(gpu.stream(), 64)?;
            let uploaded = up.upload(gpu.stream(), device.view_mut());
            // Waits for the copy, or refuses.
            if let Ok(elements) = up.as_mut_slice() {
                elements.fill(77);
            }
            drop(up);
            let found = device.download(&other)?;
            assert!(found == [5; 64] || (uploaded.is_err() && found == [0; 64]), "{found:?} after {uploaded:?}");
            uploaded?;
            try_spin(gpu, &mut out, &at, &device, 3)?;
            let mut down = make()?;
            let downloaded = down.download(gpu.stream(), out.view());
            let read = down.as_slice().map(<[u32]>::to_vec);
            if downloaded.is_ok()
                && let Ok(read) = &read
            {
                assert_eq!(read, &[spun(5, 3); 64]);
            }
            if let Ok(elements) = down.as_mut_slice() {
                elements.fill(77);
                let waited = gpu.stream().wait_for_others();
                if waited.is_ok() {
                    assert_eq!(down.as_slice().map_or(vec![77; 64], <[u32]>::to_vec), [77; 64]);
                }
            }
            downloaded?;
            read?;
        }
        Ok(())
    });
}

/// A parcel, a graph with page-locked memory, a lease of a pool, lent and visible memory, in one program.
#[test]
fn whatever_fails_nothing_is_freed_that_work_uses() {
    with_each_call_failing("failing_calls::whatever_fails_nothing_is_freed_that_work_uses", |gpu| {
        let pool = GpuBufferPool::new(gpu.context());
        let mut parcel = Parcel::new(&pool, gpu.stream(), PinnedBuffer::zeroed(gpu.context(), 1024)?, 1024)?;
        let input = parcel.add(&[3u32; 64])?.expect("room");
        let at = parcel.add_offsets(&offsets(&[0, 64]))?.expect("room");
        parcel.send(gpu.stream())?;
        let mut out = pool.lease::<u32>(gpu.stream(), 64)?;
        try_spin(gpu, &mut out, &at, &input, 3)?;
        assert_eq!(out.download(gpu.stream())?, [spun(3, 3); 64]);

        let down = PinnedBuffer::<u32>::zeroed(gpu.context(), 64)?;
        let at = DeviceOffsets::leased(&pool, gpu.stream(), &offsets(&[0, 64]))?;
        let (mut graph, down) = Graph::record::<_, CudaError>(gpu, |recorder| {
            let down = recorder.own(down);
            try_spin(recorder.executor(), &mut out, &at, &input, 5)?;
            recorder.download(out.view(), &down)?;
            Ok(down)
        })?;
        drop((input, at));
        let stream = gpu.context().stream()?;
        graph.launch(&stream)?;
        assert_eq!(graph.pinned(&down)?, [spun(3, 5); 64]);
        graph.launch(&stream)?;
        drop((graph, out));

        let input = pool.lease_from(gpu.stream(), &[4u32; 64])?;
        let at = DeviceOffsets::new(gpu.stream(), &offsets(&[0, 64]))?;
        let mut visible = VisibleBuffer::<u32>::mapped(gpu.context(), 64)?;
        let segments = Segments { data: visible.view_mut(), offsets: &at };
        spin::launch(gpu, 1, spin::Args { out: segments, input: input.view(), rounds: 2 })?;
        let lent = LentBuffer::new(input, gpu.stream())?;
        assert_eq!(visible.as_slice()?, [spun(4, 2); 64]);
        drop(lent);
        Ok(())
    });
}

#[test]
fn whatever_fails_things_are_dropped_in_any_order() {
    const NAME: &str = "failing_calls::whatever_fails_things_are_dropped_in_any_order";
    let drop_them = |_: &CudaExecutor, (turn, mut things): (usize, Things)| {
        let count = things.len();
        things.rotate_left(turn % count);
        things.into_iter().for_each(|(_, thing)| drop(thing));
        Ok(())
    };
    let turn = Cell::new(0);
    with_calls_failing(NAME, |_| (turn.replace(turn.get() + 1), running(3)), drop_them);
}

/// As while another library records a graph in CUDA's global mode: such a copy could not be waited for, so none is queued.
#[test]
fn no_copy_of_borrowed_memory_is_queued_that_cannot_be_waited_for() {
    const NAME: &str = "failing_calls::no_copy_of_borrowed_memory_is_queued_that_cannot_be_waited_for";
    if !with_driver(NAME, &["-DCAPTURE_FORBIDS_WAITS"]) {
        return;
    }
    let gpu = gpu().expect("a simulated device");
    let stream = gpu.stream();
    let mut buffer = DeviceBuffer::from_slice(stream, &[3u32; 64]).unwrap();
    let mut host = [7u32; 64];
    let recorded = Graph::record::<_, CudaError>(&gpu, |_| {
        let copies = [buffer.download_into(stream, &mut host), buffer.upload(stream, &[9; 64])];
        assert!(copies.iter().all(|copy| matches!(copy, Err(CudaError::Driver { code: 900, .. }))), "{copies:?}");
        Ok(())
    });
    recorded.unwrap();
    stream.wait_for_others().unwrap();
    assert_eq!(host, [7; 64]);
    assert_eq!(buffer.download(stream).unwrap(), [3; 64]);
}
