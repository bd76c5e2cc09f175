//! A panic in a kernel becomes an error on the host.
//!
//! On the device, the thread that panics writes a [`PanicRecord`] into its launch's slot, unless another thread was first.
//! Then it poisons its block and exits. The other threads of the block exit after the next barrier that follows a write;
//! other blocks, kernels and streams continue. The host reads the slot after its next synchronisation. On CPU cores the
//! panic unwinds to the executor, which returns the same error.

#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod cpu;
#[cfg(target_arch = "nvptx64")]
pub(crate) mod device;

use bytemuck::{Pod, Zeroable};
use core::mem::size_of;

/// The most bytes that are kept of a file's name and of a message.
const TEXT_BYTES: usize = 160;

/// [`PanicRecord::state`]: no thread has panicked.
pub const PANIC_NONE: u32 = 0;
/// [`PanicRecord::state`]: a thread is writing the record.
pub const PANIC_CLAIMED: u32 = 1;
/// [`PanicRecord::state`]: the record is complete.
pub const PANIC_RECORDED: u32 = 2;

/// The first panic of a launch. The device writes it to memory that both host and device can access.
#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C)]
pub struct PanicRecord {
    /// [`PANIC_NONE`], [`PANIC_CLAIMED`] or [`PANIC_RECORDED`].
    pub state: u32,
    /// The id that the host gave the kernel at launch.
    pub kernel: u32,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
    /// Line in the file, from 1.
    pub line: u32,
    /// Column in the line, from 1.
    pub column: u32,
    file_len: u32,
    message_len: u32,
    file: [u8; TEXT_BYTES],
    message: [u8; TEXT_BYTES],
}

const _: () = assert!(size_of::<PanicRecord>() == 48 + 2 * TEXT_BYTES);

/// A kernel's panic, as reported on the host.
///
/// An executor on CPU cores returns it in [`LaunchError::Panic`](crate::launch::LaunchError::Panic), which has an example.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel `{kernel}` panicked at {file}:{line}:{column} in block {block:?}, thread {thread:?}{}", .message.as_ref().map(|m| format!(": {m}")).unwrap_or_default())]
pub struct KernelPanic {
    /// The kernel's name.
    pub kernel: String,
    /// Source file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
    /// The message. A device records it only if it is a literal.
    pub message: Option<String>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl PanicRecord {
    /// The content of the record, if a thread of the kernel called `name` has panicked.
    ///
    /// `name` maps the id of a launch to its kernel's name.
    ///
    /// ```
    /// use cuda_std::panic::{PANIC_NONE, PANIC_RECORDED, PanicRecord};
    ///
    /// let mut record: PanicRecord = bytemuck::Zeroable::zeroed();
    /// assert_eq!(record.state, PANIC_NONE);
    /// assert_eq!(record.read(|_| unreachable!("nobody has panicked")), None);
    /// (record.state, record.kernel, record.block, record.line) = (PANIC_RECORDED, 7, [3, 0, 0], 42);
    /// let panic = record.read(|id| format!("kernel {id}")).unwrap();
    /// assert_eq!((panic.kernel.as_str(), panic.block, panic.line), ("kernel 7", [3, 0, 0], 42));
    /// ```
    #[must_use]
    pub fn read(&self, name: impl FnOnce(u32) -> String) -> Option<KernelPanic> {
        let text = |bytes: &[u8], len: u32| {
            let len = (len as usize).min(bytes.len());
            String::from_utf8_lossy(&bytes[..len]).into_owned()
        };
        (self.state == PANIC_RECORDED).then(|| KernelPanic {
            kernel: name(self.kernel),
            file: text(&self.file, self.file_len),
            line: self.line,
            column: self.column,
            block: self.block,
            thread: self.thread,
            message: (self.message_len > 0).then(|| text(&self.message, self.message_len)),
        })
    }
}
