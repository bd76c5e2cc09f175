//! Futures of streams, with an executor of a few lines: they need no runtime.

use crate::{gpu, launch_fail, launch_nowhere, launch_spin, ragged, slow, spun};
use cuda_host::{CudaError, DeviceBuffer, DeviceOffsets, Finished};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;
use toolkit_tests::simulated::{in_a_process_of_its_own, is_simulated};

/// Wakes a thread, and counts.
struct Caller(Thread, AtomicU32);

impl Wake for Caller {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::AcqRel);
        self.0.unpark();
    }
}

fn caller() -> Arc<Caller> {
    Arc::new(Caller(thread::current(), AtomicU32::new(0)))
}

/// The output of a future. This thread sleeps while it is pending, and fails if it is not woken within a minute.
fn wait_for<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let caller = caller();
    let waker = Waker::from(Arc::clone(&caller));
    let mut polled = 0;
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        polled += 1;
        while caller.1.load(Ordering::Acquire) < polled {
            let before = std::time::Instant::now();
            thread::park_timeout(Duration::from_secs(60));
            assert!(before.elapsed() < Duration::from_secs(60), "nobody was woken");
        }
    }
}

fn poll(future: &mut Finished, caller: &Arc<Caller>) -> Poll<Result<(), CudaError>> {
    let waker = Waker::from(Arc::clone(caller));
    std::pin::Pin::new(future).poll(&mut Context::from_waker(&waker))
}

struct Spinning {
    out: DeviceBuffer<u32>,
    at: DeviceOffsets,
    input: DeviceBuffer<u32>,
}

impl Spinning {
    fn new(gpu: &cuda_host::CudaExecutor) -> Self {
        let (out, at) = ragged::<u32>(gpu, &[0, 64]);
        let input = DeviceBuffer::from_slice(gpu.stream(), &[3u32; 64]).unwrap();
        gpu.synchronize().unwrap();
        Self { out, at, input }
    }

    fn launch(&mut self, gpu: &cuda_host::CudaExecutor) {
        launch_spin(gpu, &mut self.out, &self.at, &self.input, slow());
    }
}

#[test]
fn a_future_ends_when_the_work_is_done() {
    let Some(gpu) = gpu() else { return };
    let mut work = Spinning::new(&gpu);
    // Nobody needs to wait for finished work.
    wait_for(gpu.stream().finished().unwrap()).unwrap();
    let values = wait_for(async {
        work.launch(&gpu);
        gpu.stream().finished().unwrap().await.unwrap();
        work.launch(&gpu);
        let last = gpu.stream().finished().unwrap();
        let first = gpu.stream().finished().unwrap();
        first.await.unwrap();
        last.await.unwrap();
        work.out.download(gpu.stream()).unwrap()
    });
    assert_eq!(values, [spun(3, slow()); 64]);
}

#[test]
fn the_last_task_that_polled_is_woken_once() {
    let Some(gpu) = gpu() else { return };
    let mut work = Spinning::new(&gpu);
    work.launch(&gpu);
    let mut future = gpu.stream().finished().unwrap();
    let (first, second) = (caller(), caller());
    if poll(&mut future, &first).is_ready() {
        // A device that was this fast has nobody to wake.
        return;
    }
    // Both may come after the device was ready.
    while poll(&mut future, &second).is_pending() {
        thread::park_timeout(Duration::from_millis(1));
    }
    let woken = [&first, &second].map(|caller| caller.1.load(Ordering::Acquire));
    assert!(woken[0] + woken[1] <= 1, "{woken:?}");
    // Finished work stays finished.
    assert!(matches!(poll(&mut future, &second), Poll::Ready(Ok(()))));
}

#[test]
fn futures_that_are_dropped_or_forgotten_leave_the_work_alone() {
    let Some(gpu) = gpu() else { return };
    let mut work = Spinning::new(&gpu);
    let caller = caller();
    work.launch(&gpu);
    drop(gpu.stream().finished().unwrap());
    std::mem::forget(gpu.stream().finished().unwrap());
    let (mut dropped, mut forgotten) = (gpu.stream().finished().unwrap(), gpu.stream().finished().unwrap());
    let polled = [poll(&mut dropped, &caller), poll(&mut forgotten, &caller)];
    assert!(polled.iter().all(|polled| !matches!(polled, Poll::Ready(Err(_)))), "{polled:?}");
    drop(dropped);
    std::mem::forget(forgotten);
    assert_eq!(work.out.download(gpu.stream()).unwrap(), [spun(3, slow()); 64]);
    // A stream that is dropped before its future is awaited: its work is done, because dropping a stream waits.
    let other = gpu.context().stream().unwrap();
    let future = other.finished().unwrap();
    drop(other);
    wait_for(future).unwrap();
}

#[test]
fn a_future_tells_of_a_panic() {
    let Some(gpu) = gpu() else { return };
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[5u32; 64]).unwrap();
    launch_fail(&gpu, &mut out, &at, &input);
    let told = wait_for(gpu.stream().finished().unwrap());
    assert!(matches!(told, Err(CudaError::Panic(_))), "{told:?}");
    // Once, as by `synchronize`.
    wait_for(gpu.stream().finished().unwrap()).unwrap();
    gpu.synchronize().unwrap();
}

#[test]
fn a_future_ends_where_the_context_does() {
    const NAME: &str = "futures::a_future_ends_where_the_context_does";
    let Some(gpu) = gpu() else { return };
    if !in_a_process_of_its_own(NAME, &[]) {
        return;
    }
    let mut work = Spinning::new(&gpu);
    work.launch(&gpu);
    // SAFETY: this process exists for the fault.
    unsafe { launch_nowhere(&gpu) };
    let error = wait_for(gpu.stream().finished().unwrap()).unwrap_err();
    assert!(error.is_context_lost(), "{error}");
    assert!(gpu.stream().finished().is_err() || is_simulated());
}
