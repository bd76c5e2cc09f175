//! The device's side: the panic handler.

use super::{PANIC_CLAIMED, PANIC_NONE, PANIC_RECORDED, PanicRecord, TEXT_BYTES};
use crate::platform::{AtomicNumber, GridState, Location};
use crate::scope::Level;
use core::arch::{asm, global_asm, nvptx};

// What the handler cannot get as a parameter: the addresses of the launch's record and of the grid's state, the kernel's id, and
// whether a thread of this block has panicked.
global_asm!(".shared .align 16 .b8 __cuda_std_launch[24];");

/// In the count of arrivals of a grid whose blocks meet: a thread has panicked. The count itself is smaller.
pub(crate) const GRID_HAS_PANICKED: u64 = 1 << 63;

/// Stores where a panic of this launch is reported. Every thread of the block calls it first.
///
/// # Safety
/// `record` is null or points to a record that outlives the launch. `grid` is null if the grid's blocks do not meet, and is
/// otherwise their state, which outlives the launch.
#[inline(always)]
pub unsafe fn enter(record: *mut PanicRecord, grid: *mut GridState, kernel: u32) {
    if crate::platform::thread_index() == 0 {
        // SAFETY: writes the 24 bytes declared above, by one thread, before the barrier.
        unsafe {
            asm!(
                "st.shared.v2.b64 [__cuda_std_launch], {{{0}, {1}}};",
                "st.shared.v2.b32 [__cuda_std_launch+16], {{{2}, {3}}};",
                in(reg64) record, in(reg64) grid, in(reg32) kernel, in(reg32) 0u32,
                options(nostack, preserves_flags)
            );
        }
    }
    // SAFETY: the kernel's first statement, reached by all its threads.
    unsafe { nvptx::_syncthreads() };
}

/// Ends this thread if another one of its block has panicked.
#[inline(always)]
pub(crate) fn leave_if_poisoned() {
    if poison() != 0 {
        exit();
    }
}

/// Not 0 if a thread of this block has panicked.
#[inline(always)]
pub(crate) fn poison() -> u32 {
    let poison: u32;
    // SAFETY: reads what `enter` initialised. Not `pure`: another thread may have changed it.
    unsafe {
        asm!("ld.volatile.shared.b32 {0}, [__cuda_std_launch+20];", out(reg32) poison, options(nostack, readonly, preserves_flags));
    }
    poison
}

/// Lets all threads of this block end at the next barrier that publishes data.
#[inline(always)]
pub(crate) fn poison_block() {
    // SAFETY: poisons the block.
    unsafe {
        asm!("st.volatile.shared.b32 [__cuda_std_launch+20], {0};", in(reg32) 1u32, options(nostack, preserves_flags));
    }
}

/// Ends this thread. Not `trap`, which would destroy the context.
#[inline(always)]
pub(crate) fn exit() -> ! {
    // SAFETY: the thread ends here; the block's other threads see it as arrived at every barrier.
    unsafe { asm!("exit;", options(noreturn, nostack)) }
}

#[panic_handler]
fn on_panic(info: &core::panic::PanicInfo<'_>) -> ! {
    let (record, grid, kernel): (*mut PanicRecord, *mut GridState, u32);
    poison_block();
    // SAFETY: reads what `enter` wrote.
    unsafe {
        asm!(
            "ld.shared.v2.b64 {{{0}, {1}}}, [__cuda_std_launch];",
            "ld.shared.b32 {2}, [__cuda_std_launch+16];",
            out(reg64) record, out(reg64) grid, out(reg32) kernel,
            options(nostack, readonly, preserves_flags)
        );
    }
    if !grid.is_null() {
        // SAFETY: `enter`'s caller vouched for the state. This block does not arrive any more, so others must not wait for it. They
        // cannot learn it from the record, which the host may clear at any time.
        unsafe {
            asm!("red.relaxed.gpu.or.b64 [{0}], {1};", in(reg64) grid, in(reg64) GRID_HAS_PANICKED, options(nostack, preserves_flags));
        }
    }
    if !record.is_null() {
        // SAFETY: `enter`'s caller vouched for the record; its state lets one thread write the rest.
        unsafe {
            let state = &raw mut (*record).state;
            // The host may just have read and cleared the record of an earlier launch. What is written here comes after that,
            // because this load acquires the host's last store.
            let seen: u32;
            asm!("ld.acquire.sys.b32 {0}, [{1}];", out(reg32) seen, in(reg64) state, options(nostack, preserves_flags));
            // The device's scope is enough for the launch's threads. Memory of the host may not support a wider one.
            if seen == PANIC_NONE
                && u32::compare_exchange(Location::global(state, Level::Device), PANIC_NONE, PANIC_CLAIMED)
                    == PANIC_NONE
            {
                write(record, kernel, info);
                // Not by core's atomics: builds refuse those whose memory the compiler does not know.
                asm!("st.release.sys.b32 [{0}], {1};", in(reg64) state, in(reg32) PANIC_RECORDED, options(nostack, preserves_flags));
            }
        }
    }
    exit();
}

/// # Safety
/// Only this thread may write the record.
unsafe fn write(record: *mut PanicRecord, kernel: u32, info: &core::panic::PanicInfo<'_>) {
    // SAFETY: the caller's; special registers.
    unsafe {
        (*record).kernel = kernel;
        (*record).block = [nvptx::_block_idx_x() as u32, nvptx::_block_idx_y() as u32, nvptx::_block_idx_z() as u32];
        (*record).thread =
            [nvptx::_thread_idx_x() as u32, nvptx::_thread_idx_y() as u32, nvptx::_thread_idx_z() as u32];
        if let Some(location) = info.location() {
            (*record).line = location.line();
            (*record).column = location.column();
            (*record).file_len = copy(&raw mut (*record).file, location.file());
        }
        if let Some(message) = info.message().as_str() {
            (*record).message_len = copy(&raw mut (*record).message, message);
        }
    }
}

/// # Safety
/// Only this thread may write `to`.
unsafe fn copy(to: *mut [u8; TEXT_BYTES], text: &str) -> u32 {
    let len = text.len().min(TEXT_BYTES);
    for (i, byte) in text.bytes().take(len).enumerate() {
        // SAFETY: `i` is within the array.
        unsafe { to.cast::<u8>().add(i).write_volatile(byte) };
    }
    len as u32
}
