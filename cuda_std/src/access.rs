//! Whether a kernel reads an output that it writes, and what follows for barriers.

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ReadWrite {}
    impl Sealed for super::WriteOnly {}
}

/// What a kernel does with an output: [`ReadWrite`], which is meant where nothing is said, or [`WriteOnly`].
pub trait Access: sealed::Sealed {
    /// Nobody has touched the memory yet.
    #[doc(hidden)]
    const UNTOUCHED: Self;
    /// Whether the kernel can read the memory.
    #[doc(hidden)]
    const READABLE: bool;
    /// Whether other threads may still be at work on the memory when a phase begins to write it; asked by that phase.
    #[doc(hidden)]
    fn claim(&mut self) -> bool;
}

/// The kernel may read the output. Reading needs no block, so that nobody knows when it was, and a phase that writes has a
/// barrier before it and one after it.
#[derive(Debug)]
pub struct ReadWrite(());

/// The kernel writes the output and never reads it: `&mut Chunk<f32, 4096, WriteOnly>`.
///
/// Then there is nobody to wait for: phases that write have no barrier, but for one before each phase after the first,
/// which may give an element to another thread.
#[derive(Debug)]
pub struct WriteOnly {
    written: bool,
}

impl Access for ReadWrite {
    const UNTOUCHED: Self = Self(());
    const READABLE: bool = true;

    #[inline(always)]
    fn claim(&mut self) -> bool {
        true
    }
}

impl Access for WriteOnly {
    const UNTOUCHED: Self = Self { written: false };
    const READABLE: bool = false;

    #[inline(always)]
    fn claim(&mut self) -> bool {
        core::mem::replace(&mut self.written, true)
    }
}

/// Memory that a kernel may read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read",
    note = "a `WriteOnly` output is for writing; without that word it can be read, and its phases have barriers"
)]
pub trait Readable {}
