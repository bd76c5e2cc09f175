//! Shared memory whose size the launch sets.

use crate::CudaError;
use crate::device::shared_memory_with_asking;
use crate::driver::CUfunction_attribute;
use crate::module::LoadedKernel;

/// Bytes that a block has by default.
const WITHOUT_ASKING: u32 = 48 << 10;

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
