//! Writing to computed indices.

use crate::Thread;
use crate::bounds::{check_index, check_indices};
use crate::platform::{AllWritten, SharedPointer, WriteOnce, store_scattered};
use crate::unrolled::unrolled;
use bytemuck::Pod;
use core::marker::PhantomData;

/// A global buffer that threads of all blocks write: a parameter of the kernel, `&Scatter<T>`. Each thread computes its
/// indices, and no element is written twice. Elements that nobody writes keep their values from before the launch.
///
/// Enforced by the compiler: a kernel cannot read the buffer, and only phases write it. Checked at run time: indices. On CPU
/// cores, a second write to an element panics, whichever block does it. A device checks this only if the kernels were built with
/// `CudaBuilder::check_writes`, as in debug builds. Each launch then has one bit per element, waits for its own end, and cannot be
/// recorded in a graph. Without the check one of the written values remains, or a mixture of words from several if an element
/// has more than one word.
///
/// If each block writes its own elements, use [`Chunk`](crate::Chunk) and similar types, which need no such check. If
/// threads update what others have written, use [`Atomics`](crate::Atomics).
///
/// ```
/// # use cuda_std::launch::LaunchError;
/// # use cuda_std::prelude::*;
/// /// Moves every point to the index in `to`.
/// #[kernel(threads = 64, requires(to.len() == x.len()))]
/// fn moved(block: &mut Block, out: &Scatter<[f32; 2]>, x: &[[f32; 2]], to: &[u32]) {
///     block.for_each(x.len() as u32, |thread, i| out.put(thread, to.at(i), x.at(i)));
/// }
/// # fn main() {
/// let x = [[0.5, 1.5], [2.5, 3.5]];
/// let mut out = [[9.0; 2]; 3];
/// let cpu = CpuExecutor::new();
/// moved::launch(&cpu, 1, moved::Args { out: &mut out, x: &x, to: &[2, 0] }).unwrap();
/// assert_eq!(out, [x[1], [9.0; 2], x[0]]);
/// let twice = moved::launch(&cpu, 1, moved::Args { out: &mut out, x: &x, to: &[1, 1] });
/// assert!(matches!(twice, Err(LaunchError::Panic(panic)) if panic.message.as_deref() == Some("element written twice")));
/// # }
/// ```
pub struct Scatter<'a, T> {
    data: *mut T,
    len: u32,
    written: WriteOnce,
    owner: PhantomData<&'a mut [T]>,
}

impl<T: Pod> Scatter<'_, T> {
    /// # Safety
    /// `data` has `len` elements, and `written` marks as many. While this lives, others only write them, and only through this type.
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut T, len: u32, written: WriteOnce) -> Self {
        Self { data, len, written, owner: PhantomData }
    }

    crate::bounds::counted!("elements");

    /// Writes element `i`, which no thread of the launch has written yet.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len), and when the element was written before, if that is checked.
    #[inline(always)]
    #[track_caller]
    pub fn put(&self, _thread: Thread, i: u32, value: T) {
        check_index(i, self.len);
        // SAFETY: in bounds.
        unsafe { self.put_unchecked(i, value) };
    }

    /// # Safety
    /// `i < len()`.
    #[inline(always)]
    #[track_caller]
    unsafe fn put_unchecked(&self, i: u32, value: T) {
        // SAFETY: in bounds.
        if !unsafe { self.written.is_first(i) } {
            panic!("element written twice");
        }
        // SAFETY: as above. Nothing reads it, and on CPU cores nothing else writes it.
        unsafe { store_scattered(self.data.wrapping_add(i as usize), value) };
    }

    /// Writes `values[k]` to element `at[k]`, for every `k`. The indices are checked together, before anything is written, so the stores
    /// follow one another without a branch.
    ///
    /// # Panics
    /// As [`put`](Self::put).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Each thread moves two neighbours apart.
    /// #[kernel(threads = 32, requires(out.len() == 64, x.len() == 64))]
    /// fn apart(block: &mut Block, out: &Scatter<u32>, x: &[u32]) {
    ///     block.for_each(32, |thread, i| out.put_each(thread, [i, 32 + i], [x.at(2 * i), x.at(2 * i + 1)]));
    /// }
    /// # fn main() {
    /// let (x, mut out) = ((0..64).collect::<Vec<u32>>(), [0; 64]);
    /// apart::launch(&CpuExecutor::new(), 1, apart::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!([out[0], out[1], out[32], out[33]], [0, 2, 1, 3]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn put_each<const N: usize>(&self, _thread: Thread, at: [u32; N], values: [T; N]) {
        check_indices(at, self.len);
        // SAFETY: none of the indices is above the last one.
        unrolled::<N>(|k| unsafe { self.put_unchecked(at[k as usize], values[k as usize]) });
    }
}

// SAFETY: threads only write, by stores that may collide.
unsafe impl<T: Pod> Sync for Scatter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Send for Scatter<'_, T> {}

/// The elements of a shared array, while the threads of its block write them: see [`Shared::scatter`](crate::Shared::scatter).
///
/// The rules of a [`Scatter`] hold: each thread computes its indices, and no element is written twice. Also, every element is written.
/// Checked at run time: indices; on CPU cores, that every element is written once.
///
/// What the array had before cannot be read meanwhile:
///
/// ```compile_fail,E0499
/// # use cuda_std::prelude::*;
/// fn reads(block: &mut Block, array: &mut Shared<u32, 64>) {
///     let old = array.fill(block, 64, |i| i);
///     let own = block.per_thread(|thread| thread.index());
///     array.scatter(block, 64, &own, |thread, own, slots| slots.put(thread, *own, old.get(0)));
/// }
/// ```
///
/// ```
/// # use cuda_std::launch::LaunchError;
/// # use cuda_std::prelude::*;
/// /// `by` shifts where threads write.
/// #[kernel(threads = 64)]
/// fn shifted(block: &mut Block, out: &mut Chunk<u32, 64>, by: u32, array: &mut Shared<u32, 64>) {
///     let own = block.per_thread(|thread| thread.index());
///     let array = array.scatter(block, 64, &own, |thread, own, slots| slots.put(thread, *own / by, *own));
///     out.fill(block, 64, |i| array.get(i));
/// }
/// # fn main() {
/// let mut out = [0; 64];
/// shifted::launch(&CpuExecutor::new(), 1, shifted::Args { out: &mut out, by: 1 }).unwrap();
/// assert_eq!(out[63], 63);
/// let twice = shifted::launch(&CpuExecutor::new(), 1, shifted::Args { out: &mut out, by: 2 });
/// assert!(matches!(twice, Err(LaunchError::Panic(panic)) if panic.message.as_deref() == Some("element written twice")));
/// # }
/// ```
pub struct Slots<'p, T> {
    data: SharedPointer<T>,
    len: u32,
    written: AllWritten,
    phase: PhantomData<&'p ()>,
}

impl<T: Pod> Slots<'_, T> {
    /// # Safety
    /// `data` points to the first of `len` elements, which are only written while this lives, through this value.
    #[inline(always)]
    pub(crate) unsafe fn new(data: SharedPointer<T>, len: u32) -> Self {
        Self { data, len, written: AllWritten::new(len), phase: PhantomData }
    }

    crate::bounds::counted!("elements");

    /// Writes element `i`, which no thread has written in this phase.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len), and on CPU cores when the element was written before.
    #[inline(always)]
    #[track_caller]
    pub fn put(&self, _thread: Thread, i: u32, value: T) {
        check_index(i, self.len);
        if !self.written.is_first(i) {
            panic!("element written twice");
        }
        // SAFETY: in bounds. Nothing reads it, and on CPU cores nothing else writes it.
        unsafe { self.data.store_scattered(i, value) };
    }

    /// On CPU cores, panics unless every element was written.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn check_all(&self) {
        if !self.written.are_all(self.len) {
            panic!("element not written, which only `Tile::scatter` allows");
        }
    }
}

// SAFETY: threads only write, by stores that may collide.
unsafe impl<T: Pod> Sync for Slots<'_, T> {}
