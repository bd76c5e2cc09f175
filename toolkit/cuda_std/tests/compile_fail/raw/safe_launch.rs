//! Launching a raw kernel is unsafe.
use cuda_std::compat::launch::{DevicePointerMut, LaunchShape};
use cuda_std::compat::prelude::*;
use cuda_std::launch::CpuExecutor;

#[kernel]
pub unsafe fn fill(_out: *mut f32, _n: u32) {}

fn main() {
    let (executor, shape) = (CpuExecutor::new(), LaunchShape::linear(1, 32));
    let _out = DevicePointerMut::from_address(0);
    let _ = fill::launch(&executor, shape, fill::Args { _out, _n: 1 });
}
