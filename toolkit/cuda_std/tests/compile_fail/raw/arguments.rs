//! A raw kernel's launch has its arguments by name, too, and takes addresses of the device.
use cuda_std::compat::launch::{DevicePointerMut, LaunchShape};
use cuda_std::compat::prelude::*;
use cuda_std::launch::CpuExecutor;

#[kernel]
pub unsafe fn fill(_out: *mut f32, _n: u32) {}

fn main() {
    let (executor, shape) = (CpuExecutor::new(), LaunchShape::linear(1, 32));
    let _out = DevicePointerMut::from_address(0);
    let mut host = [0.0f32];
    // SAFETY: none of these compiles.
    let _ = unsafe { fill::launch(&executor, shape, fill::Args { _out: &mut host[..], _n: 1 }) };
    let _ = unsafe { fill::launch(&executor, shape, fill::Args { _out }) };
    let _ = unsafe { fill::launch(&executor, shape, fill::Args { _out, _n: 1, more: 2 }) };
    let _ = unsafe { fill::launch(&executor, shape, fill::Args { _out: DevicePointerMut::<u32>::null(), _n: 1 }) };
}
