/// An instruction that this chip does not have.
///
/// # Safety
/// None is needed.
#[allow(unsafe_code)]
#[kernel]
pub unsafe fn redux(out: *mut u32) {
    let all: u32;
    // SAFETY: reads registers; the warp is whole.
    unsafe {
        core::arch::asm!("redux.sync.add.u32 {0}, {1}, 0xffffffff;", out(reg32) all, in(reg32) 1u32);
        *out = all;
    }
}
