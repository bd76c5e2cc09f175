//! What closures of phases may hold.

/// What nobody changes through a shared reference: all types but atomics and cells, and those that have one inside.
///
/// Closures of phases hold nothing else. By an atomic number a thread could tell the code between phases its index, and that
/// code would no longer be the same for all threads of the block. The compiler looks when kernels are built for a GPU; on
/// CPU cores, which run the threads one after another, every type counts as frozen.
///
/// It need not be written, but for trait objects, which do not say what is inside:
///
/// ```
/// use cuda_std::{Frozen, prelude::*};
///
/// trait Curve: Sync + Frozen {
///     fn at(&self, x: f32) -> f32;
/// }
///
/// struct Line(f32);
///
/// impl Curve for Line {
///     fn at(&self, x: f32) -> f32 {
///         self.0 * x
///     }
/// }
///
/// #[kernel(threads = 32)]
/// fn curve(block: &mut Block, out: &mut Chunk<f32, 32>, a: f32) {
///     let (n, line) = (out.len(), Line(a));
///     let curve: &dyn Curve = &line;
///     out.fill(block, n, |i| curve.at(i as f32));
/// }
/// # fn main() {
/// # let mut out = [0.0; 3];
/// # curve::launch(&CpuExecutor::new(), 1, curve::Args { out: &mut out, a: 2.0 }).unwrap();
/// # assert_eq!(out, [0.0, 2.0, 4.0]);
/// # }
/// ```
///
/// # Safety
/// Nothing that is reached through a shared reference to it changes.
pub unsafe trait Frozen {}

// SAFETY: here nothing relies on it.
unsafe impl<T: ?Sized> Frozen for T {}

/// The device's half asks here; this one has no way to.
#[inline(always)]
pub(crate) fn frozen<F: ?Sized>(_: &F) {}
