/// An instruction that this chip does not have.
///
/// # Safety
/// None is needed.
#[allow(unsafe_code)]
#[kernel]
pub unsafe fn copies(out: *mut u32) {
    // SAFETY: waits for nothing; the memory is the caller's.
    unsafe {
        core::arch::asm!("cp.async.commit_group;");
        *out = 1;
    }
}
