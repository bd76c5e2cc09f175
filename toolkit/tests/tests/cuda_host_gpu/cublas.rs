//! NVIDIA's cuBLAS on our stream and memory. If the library is not found, the test prints a line and passes.

use crate::{gpu, is_simulated};
use cuda_host::{CallersContext, DeviceBuffer, LentBuffer};
use libloading::Library;
use std::ffi::c_void;
use std::ptr;

const NAMES: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> i32;
type Destroy = unsafe extern "C" fn(Handle) -> i32;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> i32;
#[rustfmt::skip]
type Sgemm = unsafe extern "C" fn(
    Handle, i32, i32, i32, i32, i32, *const f32, *const f32, i32, *const f32, i32, *const f32, *mut f32, i32,
) -> i32;

#[test]
fn another_library_works_on_our_stream_and_memory() {
    const N: usize = 64;
    let Some(gpu) = gpu() else { return };
    if is_simulated() {
        return println!("skipped: a driver that is made up has no cuBLAS");
    }
    // SAFETY: NVIDIA's library by its name.
    let Some(library) = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok()) else {
        return println!("skipped: no cuBLAS ({})", NAMES.join(", "));
    };
    let stream = gpu.stream();
    let numbers = |most: usize| -> Vec<f32> { (0..N * N).map(|i| (i * 7 % most) as f32).collect() };
    let lend = |values: &[f32]| LentBuffer::new(DeviceBuffer::from_slice(stream, values).unwrap(), stream).unwrap();
    let (a, b) = (numbers(11), numbers(13));
    let (on_gpu_a, on_gpu_b, out) = (lend(&a), lend(&b), lend(&vec![9.0; N * N]));
    // The calls above have made our context current, in which cuBLAS works as well.
    let callers = CallersContext::keep();
    // SAFETY: the types are those of its manual; all matrices have N x N elements and stay until the work is waited for.
    unsafe {
        let create = library.get::<Create>(b"cublasCreate_v2\0").unwrap();
        let destroy = library.get::<Destroy>(b"cublasDestroy_v2\0").unwrap();
        let set_stream = library.get::<SetStream>(b"cublasSetStream_v2\0").unwrap();
        let sgemm = library.get::<Sgemm>(b"cublasSgemm_v2\0").unwrap();
        let mut handle = ptr::null_mut();
        assert_eq!(create(&raw mut handle), 0);
        assert_eq!(set_stream(handle, ptr::with_exposed_provenance_mut(stream.handle() as usize)), 0);
        let [x, y] = [&on_gpu_b, &on_gpu_a].map(|buffer| ptr::with_exposed_provenance(buffer.address() as usize));
        let (n, into) = (N as i32, ptr::with_exposed_provenance_mut(out.address() as usize));
        // Column-major: B A of its matrices is A B of ours.
        assert_eq!(sgemm(handle, 0, 0, n, n, n, &1.0, x, n, y, n, &0.0, into, n), 0);
        stream.wait_for_others().unwrap();
        assert_eq!(destroy(handle), 0);
    }
    drop(callers);
    let expected = (0..N * N).map(|i| (0..N).map(|k| a[i / N * N + k] * b[k * N + i % N]).sum::<f32>());
    assert!(out.view().download(stream).unwrap().into_iter().eq(expected), "whole numbers, which are exact");
}
