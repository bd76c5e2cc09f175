//! The types that closures of phases may hold.

/// Types that cannot change through a shared reference: all except atomics, cells, and types that contain one.
///
/// Closures of phases hold nothing else. Otherwise a thread could pass its index through an atomic number to the code between
/// phases. That code would then differ between the threads of a block. The compiler checks this when it builds kernels for
/// a GPU. On CPU cores, which run the threads one after another, every type counts as frozen.
///
/// You need to write the bound only for trait objects, whose content is unknown:
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
/// Nothing changes through a shared reference to it.
pub unsafe trait Frozen {}

// SAFETY: nothing relies on it on this side.
unsafe impl<T: ?Sized> Frozen for T {}

/// The device's version checks the type here. The host's compiler has no way to do that.
#[inline(always)]
pub(crate) fn frozen<F: ?Sized>(_: &F) {}
