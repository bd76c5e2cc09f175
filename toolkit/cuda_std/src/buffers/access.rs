//! Whether a kernel reads an output that it writes, and which barriers follow from that.

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ReadWrite {}
    impl Sealed for super::WriteOnly {}
}

/// How a kernel uses an output: [`ReadWrite`], the default, or [`WriteOnly`], which has an example.
pub trait Access: sealed::Sealed {
    /// Nobody has touched the memory yet.
    #[doc(hidden)]
    const UNTOUCHED: Self;
    /// Whether the kernel can read the memory.
    #[doc(hidden)]
    const READABLE: bool;
    /// Whether other threads may still use the memory when a phase begins to write it. That phase calls this.
    #[doc(hidden)]
    fn claim(&mut self) -> bool;
}

/// The kernel may read the output. Reading needs no block, so the library cannot know when it happens. Therefore a phase
/// that writes has a barrier before it and one after it.
///
/// A parameter such as `&mut Chunk<f32, 4096>` has this access; see [`Chunk`](crate::Chunk) for an example.
#[derive(Debug)]
pub struct ReadWrite(());

/// The kernel writes the output and never reads it: `&mut Chunk<f32, 4096, WriteOnly>`.
///
/// A phase that writes it has no barrier after it. Each such phase but the first has a barrier before it, because it may
/// give an element to another thread.
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn squares(block: &mut Block, out: &mut Chunk<u32, 100, WriteOnly>) {
///     let n = out.len();
///     out.fill(block, n, |i| i * i);
/// }
/// # fn main() {
/// let mut out = [0; 100];
/// squares::launch(&CpuExecutor::new(), 1, squares::Args { out: &mut out }).unwrap();
/// assert_eq!(out[99], 9801);
/// # }
/// ```
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
///
/// Code that is generic over memory uses it as a bound:
///
/// ```
/// use cuda_std::prelude::*;
///
/// fn sum_of_ends(memory: &(impl BlockMemory<Item = f32> + Readable)) -> f32 {
///     memory.get(0) + memory.get(memory.len() - 1)
/// }
/// # #[kernel(threads = 32)]
/// # fn ends(block: &mut Block, out: &mut Chunk<f32, 3>) {
/// #     let sum = sum_of_ends(out);
/// #     out.set(block, 1, sum);
/// # }
/// # fn main() {
/// # let mut out = [1.0, 0.0, 2.0];
/// # ends::launch(&CpuExecutor::new(), 1, ends::Args { out: &mut out }).unwrap();
/// # assert_eq!(out, [1.0, 3.0, 2.0]);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read",
    note = "a `WriteOnly` output is for writing; without that word it can be read, and its phases have barriers"
)]
pub trait Readable {}
