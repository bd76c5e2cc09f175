//! The engine on a device: slots, staging, recorded batches, full memory. Without a GPU each test uses a simulated driver,
//! or prints a line and passes, unless CUDA_REQUIRE_GPU=1 requires a GPU.

mod batches;
mod described;
mod devices;
mod frames;
mod full;
mod lent;
mod recorded;
mod slots;
mod staging;

use tests::device::Alone;

/// The kernels on the first device, which this test has for itself.
fn gpu() -> Option<Alone> {
    tests::device::alone("kernels", tests::ptx())
}
