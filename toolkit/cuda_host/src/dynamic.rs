//! Shared memory whose size the launch sets.

use crate::CudaError;
use crate::device::shared_memory_with_asking;
use crate::driver::CUfunction_attribute;
use crate::module::LoadedKernel;
use cuda_layout::DeviceLayout;
use cuda_std::launch::{ArgVisitor, DynamicLength, Kernel, Matrix, Segments, Space};

/// Bytes that a block has by default.
const WITHOUT_ASKING: u32 = 48 << 10;

/// The bytes of dynamic shared memory that a launch's arguments request, and the parameter's name. The number was checked
/// before.
pub(crate) fn bytes<K: Kernel, S: Space>(args: &mut K::Args<'_, S>) -> (u32, &'static str) {
    struct Bytes(u32, &'static str);
    impl<S: Space> ArgVisitor<S> for Bytes {
        fn slice<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Ref<'_, T>) {}
        fn segments<T: DeviceLayout>(&mut self, _: &'static str, _: &mut Segments<'_, S, T>) {}
        fn chunks<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Mut<'_, T>, _: usize) {}
        fn matrix<T: DeviceLayout>(&mut self, _: &'static str, _: &mut Matrix<'_, S, T>, _: [usize; 2]) {}
        fn atomics<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Mut<'_, T>) {}
        fn dynamic_shared<T: DeviceLayout>(&mut self, name: &'static str, DynamicLength(length): DynamicLength) {
            *self = Self(length.saturating_mul(size_of::<T>() as u32), name);
        }
        fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
    }
    let mut bytes = Bytes(0, "");
    K::visit(args, &mut bytes);
    (bytes.0, bytes.1)
}

/// Reserves `dynamic` bytes, beyond a block's default if necessary.
pub(crate) fn reserve(
    kernel: &LoadedKernel,
    name: &'static str,
    dynamic: u32,
    argument: &'static str,
) -> Result<(), CudaError> {
    let fixed = kernel.attributes().shared_bytes;
    if dynamic.saturating_add(fixed) <= WITHOUT_ASKING {
        return Ok(());
    }
    let context = kernel.module().context();
    let limit = shared_memory_with_asking(context.ordinal())?;
    if dynamic.saturating_add(fixed) > limit {
        return Err(CudaError::SharedMemory { kernel: name, argument, dynamic, fixed, limit });
    }
    context.bind()?;
    let driver = context.driver();
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // Always the most that the device has, so that threads that launch the kernel with different sizes request the same.
    let most = i32::try_from(limit - fixed).unwrap_or(i32::MAX);
    // SAFETY: the function belongs to its module.
    unsafe { driver.func_set_attribute(kernel.function, attribute, most) }
        .check(driver, || format!("asking for {most} bytes of dynamic shared memory for kernel `{name}`"))
}
