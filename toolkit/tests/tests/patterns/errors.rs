//! Every error that a program can get, provoked on purpose.

use crate::gpu;
use cuda_host::{CudaError, CudaExecutor, Device, DeviceBuffer, DeviceOffsets};
use cuda_std::compat::launch::{DevicePointerMut, LaunchShape};
use cuda_std::prelude::*;
use test_kernels::{add, my_kernel, sums_of_parts, vecadd};

/// Set in a process that provokes errors that end the context.
const ALONE: &str = "SEED_PATTERNS_ALONE";

/// A view that outlives its buffer, and two mutable views of one buffer, do not compile:
/// `compile_fail/cuda_host/view_outlives_buffer.rs` and `buffer_written_twice.rs`.
#[test]
fn errors_explained() {
    // A violated contract is the same error everywhere.
    let args = add::Args { out: &mut [0.0; 10][..], a: &[1.0; 64][..], b: &[1.0; 64][..], scale: 1.0 };
    let broken = add::launch(&CpuExecutor::new(), 1, args).unwrap_err();
    assert!(broken.to_string().contains("`a.len() == out.len()`"), "{broken}");

    let Some(gpu) = gpu() else { return };
    if std::env::var_os(ALONE).is_some() {
        return a_launch_fails(&gpu);
    }
    let stream = gpu.stream();
    let x = DeviceBuffer::from_slice(stream, &[1.0f32; 64]).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(stream, 64).unwrap();
    let mut explained = Vec::new();

    // A value that the driver refuses: a block without threads.
    let (a, b) = (x.view().raw_slice(), x.view().raw_slice());
    let args = vecadd::Args { a, b, c: out.view_mut().pointer_mut() };
    // SAFETY: all have 64 elements, and nothing is launched.
    let error = unsafe { vecadd::launch(&*gpu, LaunchShape::linear(1, 0), args) }.unwrap_err();
    assert!(
        matches!(&error, CudaError::Driver { code: 1, name, .. } if name == "CUDA_ERROR_INVALID_VALUE"),
        "{error:?}"
    );
    explained.push((error, "an argument is not valid for the driver"));

    // Errors that are found before the driver is called.
    let args = add::Args { out: out.slice_mut(..10).unwrap(), a: x.view(), b: x.view(), scale: 1.0 };
    let error = add::launch(&gpu, 1, args).unwrap_err();
    assert_eq!(error, CudaError::Launch(Box::new(broken)));
    explained.push((error, "a.len() == out.len()"));

    // Too many threads, and too much shared memory.
    let args = vecadd::Args { a, b, c: out.view_mut().pointer_mut() };
    // SAFETY: as above.
    let error = unsafe { vecadd::launch(&*gpu, LaunchShape::linear(1, 2048), args) }.unwrap_err();
    assert!(matches!(error, CudaError::BlockTooLarge { threads: 2048, .. }), "{error:?}");
    explained.push((error, "use fewer threads"));
    let at = DeviceOffsets::new(stream, &Offsets::new(vec![0, 1]).unwrap()).unwrap();
    let segments = Segments { data: out.view_mut(), offsets: &at };
    // All that the device has; with the block's own it is too much.
    let limit = Device::info(0).unwrap().shared_memory_per_block_with_asking;
    let scratch = DynamicLength(limit / 4);
    let args = sums_of_parts::Args { out: segments, input: x.view(), per_block: 64, scratch };
    let error = sums_of_parts::launch(&gpu, 1, args).unwrap_err();
    assert!(matches!(error, CudaError::SharedMemory { .. }), "{error:?}");
    explained.push((error, "ask for fewer elements"));

    // ANCHOR: out_of_memory
    // More memory than the device has.
    let total = gpu.context().memory().unwrap().total;
    let error = DeviceBuffer::<u8>::zeroed(stream, 2 * total).unwrap_err();
    assert!(error.is_out_of_memory() && !error.is_context_lost(), "{error:?}");
    // ANCHOR_END: out_of_memory
    explained.push((error, "use smaller batches"));

    for (error, advice) in explained {
        println!("{error}");
        assert!(error.to_string().contains(advice), "`{advice}` is missing in: {error}");
    }
    // After all of these errors the context still works.
    let args = add::Args { out: out.view_mut(), a: x.view(), b: x.view(), scale: 1.0 };
    add::launch(&gpu, 1, args).unwrap();
    assert_eq!(out.download(stream).unwrap(), [2.0; 64]);

    // A launch that fails while it runs ends the context, so this is a separate process.
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "errors::errors_explained", "--nocapture"])
        .env(ALONE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

/// The launch itself returns no error; waiting does.
fn a_launch_fails(gpu: &CudaExecutor) {
    // ANCHOR: found_later
    let args = my_kernel::Args { output: DevicePointerMut::null(), output_len: 1 };
    // SAFETY: deliberately unsafe; this process exists for the fault.
    unsafe { my_kernel::launch(gpu, LaunchShape::linear(1, 1024), args) }.unwrap();
    let error = gpu.synchronize().unwrap_err();
    println!("{error}");
    assert!(error.is_context_lost(), "{error:?}");
    // ANCHOR_END: found_later
    for part in ["waiting for a stream", "CUDA_ERROR_ILLEGAL_ADDRESS", "`my_kernel`", "start the program again"] {
        assert!(error.to_string().contains(part), "`{part}` is missing in: {error}");
    }
}
