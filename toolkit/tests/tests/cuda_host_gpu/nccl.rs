//! NVIDIA's NCCL on our streams and memory of two devices. If the library is not found, the test prints a line and passes.

use crate::two_devices::two;
use cuda_host::{CallersContext, DeviceBuffer, LentBuffer};
use libloading::Library;
use std::ffi::c_void;
use std::ptr;
use toolkit_tests::simulated::is_simulated;

/// `ncclFloat32`.
const FLOAT: i32 = 7;
/// `ncclSum`.
const SUM: i32 = 0;

type Communicator = *mut c_void;
type InitAll = unsafe extern "C" fn(*mut Communicator, i32, *const i32) -> i32;
type Group = unsafe extern "C" fn() -> i32;
type Destroy = unsafe extern "C" fn(Communicator) -> i32;
#[rustfmt::skip]
type AllReduce = unsafe extern "C" fn(
    *const c_void, *mut c_void, usize, i32, i32, Communicator, *mut c_void,
) -> i32;

#[test]
fn another_library_adds_up_what_two_devices_have() {
    const N: usize = 1 << 20;
    let Some((first, second)) = two() else { return };
    if is_simulated() {
        return println!("skipped: a driver that is made up has no NCCL");
    }
    // SAFETY: NVIDIA's library by its name.
    let Ok(library) = (unsafe { Library::new("libnccl.so.2") }) else {
        return println!("skipped: no NCCL (libnccl.so.2)");
    };
    let devices = [&*first, &second];
    let numbers = |most: usize| -> Vec<f32> { (0..N).map(|i| (i * 7 % most) as f32).collect() };
    let values = [numbers(11), numbers(13)];
    let buffers = [0, 1].map(|at| {
        let stream = devices[at].stream();
        LentBuffer::new(DeviceBuffer::from_slice(stream, &values[at]).unwrap(), stream).unwrap()
    });
    // NCCL makes each device current in turn.
    let callers = CallersContext::keep();
    // SAFETY: the types are those of its manual; both buffers have N elements, and stay until the work is waited for.
    unsafe {
        let init_all = library.get::<InitAll>(b"ncclCommInitAll\0").unwrap();
        let [start, end] =
            [&b"ncclGroupStart\0"[..], b"ncclGroupEnd\0"].map(|name| library.get::<Group>(name).unwrap());
        let all_reduce = library.get::<AllReduce>(b"ncclAllReduce\0").unwrap();
        let destroy = library.get::<Destroy>(b"ncclCommDestroy\0").unwrap();
        let mut communicators = [ptr::null_mut(); 2];
        let ordinals = devices.map(|device| device.context().ordinal() as i32);
        assert_eq!(init_all(communicators.as_mut_ptr(), 2, ordinals.as_ptr()), 0);
        assert_eq!(start(), 0);
        for ((device, buffer), communicator) in devices.iter().zip(&buffers).zip(communicators) {
            let data = ptr::with_exposed_provenance_mut(buffer.address() as usize);
            let stream = ptr::with_exposed_provenance_mut(device.stream().handle() as usize);
            assert_eq!(all_reduce(data, data, N, FLOAT, SUM, communicator, stream), 0);
        }
        assert_eq!(end(), 0);
        devices.iter().for_each(|device| device.stream().wait_for_others().unwrap());
        communicators.iter().for_each(|communicator| assert_eq!(destroy(*communicator), 0));
    }
    drop(callers);
    let expected: Vec<f32> = values[0].iter().zip(&values[1]).map(|(a, b)| a + b).collect();
    for (device, buffer) in devices.iter().zip(&buffers) {
        assert!(buffer.view().download(device.stream()).unwrap() == expected, "whole numbers, which are exact");
    }
}
