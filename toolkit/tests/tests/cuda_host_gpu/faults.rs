//! Errors that end the context, each in a separate process.

use crate::{gpu, launch_nowhere, launch_spin, ragged, slow};
use cuda_host::{CudaError, DeviceBuffer, Event};
use toolkit_tests::simulated::in_a_process_of_its_own;

#[test]
fn an_illegal_access_is_told_of_the_kernel_that_was_launched_last() {
    const NAME: &str = "faults::an_illegal_access_is_told_of_the_kernel_that_was_launched_last";
    // Held, so that no other test measures at the same time.
    let Some(gpu) = gpu() else { return };
    if !in_a_process_of_its_own(NAME, &[]) {
        return;
    }
    let event = Event::new(gpu.context()).unwrap();
    let buffer = DeviceBuffer::from_slice(gpu.stream(), &[1u32; 64]).unwrap();
    // Keeps the stream busy until everything is queued: after the fault the driver would refuse it.
    let (mut out, at) = ragged::<u32>(&gpu, &[0, 64]);
    gpu.synchronize().unwrap();
    launch_spin(&gpu, &mut out, &at, &buffer, slow());
    // SAFETY: this process exists for the fault.
    unsafe { launch_nowhere(&gpu) };
    event.record(gpu.stream()).unwrap();
    let check = |error: CudaError, operation: &str| {
        let text = error.to_string();
        println!("{text}");
        let CudaError::EarlierWork { operation: found, name, code, kernel, launches, .. } = &error else {
            panic!("{error:?}")
        };
        assert!(error.is_context_lost() && found.contains(operation), "{found}");
        assert_eq!((name.as_str(), *code), ("CUDA_ERROR_ILLEGAL_ADDRESS", 700));
        assert_eq!((kernel.as_deref(), *launches), (Some("spin"), 2));
        for part in ["2 kernels", "`spin`", "CUDA_LAUNCH_BLOCKING", "start the program again"] {
            assert!(text.contains(part), "`{part}` is missing in: {text}");
        }
    };
    check(gpu.synchronize().unwrap_err(), "waiting for a stream");
    check(event.synchronize().unwrap_err(), "waiting for an event");
    check(buffer.download(gpu.stream()).unwrap_err(), "copying 256 bytes");
    // Everything can be dropped without a panic.
}
