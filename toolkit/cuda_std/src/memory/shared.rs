//! Shared memory.

use crate::block::Block;
use crate::block::team::Team;
use crate::block::thread::{PerThread, Thread};
use crate::bounds::check_length;
use crate::buffers::elements::Elements;
use crate::buffers::scatter::Slots;
use crate::memory::BlockMemory;
use crate::memory::tile::Tile;
use crate::platform::{self, DynamicStorage, SharedPointer, SharedStorage};
use crate::seal::INSIDE;
use bytemuck::Pod;

/// A static array in shared memory: a parameter of the kernel, `tile: &mut Shared<Atom, 256>`. The entry declares it; a launch
/// does not pass it.
///
/// It has no contents until a phase fills it and returns a [`Tile`] of the filled elements.
///
/// Enforced by the compiler: the array belongs only to this block, and only what was filled last can be read. It is read through
/// a [`Tile`], which ends where the array is filled again. Checked at run time: lengths.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Reads each input once into shared memory, and uses it there three times.
/// #[kernel(threads = 64)]
/// fn blur(block: &mut Block, out: &mut Chunk<f32, 64>, x: &[f32], tile: &mut Shared<f32, 66>) {
///     assert!(tile.capacity() == 66);
///     let first = out.start();
///     let tile = tile.fill_all(block, |i| x.at(first + i));
///     let n = out.len();
///     out.fill(block, n, |i| (tile.get(i) + tile.get(i + 1) + tile.get(i + 2)) / 3.0);
/// }
/// # fn main() {
/// let x: Vec<f32> = (0..130).map(|i| 3.0 * i as f32).collect();
/// let mut out = [0.0; 128];
/// blur::launch(&CpuExecutor::new(), 2, blur::Args { out: &mut out, x: &x }).unwrap();
/// assert_eq!([out[0], out[64], out[127]], [3.0, 195.0, 384.0]);
/// # }
/// ```
#[repr(C)]
pub struct Shared<T, const N: usize> {
    storage: SharedStorage<T, N>,
    /// Whether there has been a tile of it, which threads may still be reading.
    used: bool,
}

/// An array in shared memory whose length is given at launch by a [`DynamicLength`](crate::launch::DynamicLength): a parameter of
/// the kernel, `scratch: &mut DynamicShared<f32>`. A kernel can have one.
///
/// A device gives more than 48 KiB of shared memory only to kernels that request it. The launch does that. Like a [`Shared`]
/// array, it has no contents until a phase fills it.
///
/// The guarantees are those of a [`Shared`] array. In addition, a launch checks that the device has enough memory.
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn reverse(block: &mut Block, out: &mut Chunk<u32, 8>, tile: &mut DynamicShared<u32>) {
///     let n = tile.capacity();
///     let tile = tile.fill(block, n, |i| i * i);
///     out.fill(block, n, |i| tile.get(n - 1 - i));
/// }
/// # fn main() {
/// let mut out = [0; 8];
/// // Four elements in this launch.
/// reverse::launch(&CpuExecutor::new(), 1, reverse::Args { out: &mut out, tile: DynamicLength(4) }).unwrap();
/// assert_eq!(out, [9, 4, 1, 0, 0, 0, 0, 0]);
/// # }
/// ```
pub struct DynamicShared<T> {
    storage: DynamicStorage<T>,
    used: bool,
}

impl<T: Pod, const N: usize> Shared<T, N> {
    #[inline(always)]
    #[doc(hidden)]
    pub fn from_storage(storage: SharedStorage<T, N>) -> Self {
        Self { storage, used: false }
    }
}

impl<T: Pod> DynamicShared<T> {
    #[inline(always)]
    #[doc(hidden)]
    pub fn from_storage(storage: DynamicStorage<T>) -> Self {
        Self { storage, used: false }
    }
}

macro_rules! arrays {
    ([$($generics:tt)*] $array:ty, |$storage:ident| $capacity:expr) => {
        impl<T: Pod, $($generics)*> $array {
            /// Writes `value(i)` to every element `i` below `n`, and returns those elements.
            ///
            /// # Panics
            /// When `n` exceeds the array's length.
            #[inline(always)]
            #[track_caller]
            pub fn fill(&mut self, block: &mut Block, n: u32, value: impl Fn(u32) -> T + Sync) -> Tile<'_, T> {
                let mut tile = self.tile(n);
                tile.fill(block, n, value);
                tile
            }

            /// As [`fill`](Self::fill), but `value` also gets the thread, with which it can read [`Atomics`](crate::Atomics).
            ///
            /// # Panics
            /// When `n` exceeds the array's length.
            ///
            /// ```
            /// # use cuda_std::prelude::*;
            /// /// Reverses the elements of a buffer that every block reads and writes, 64 for each block.
            /// #[kernel(threads = 32, requires(x.len() == grid.x as usize * 64))]
            /// fn reversed(block: &mut Block, x: &Atomics<u32>, copy: &mut Shared<u32, 64>) {
            ///     let first = 64 * block.index();
            ///     let copy = copy.fill_by_thread(block, 64, |thread, i| x.load(thread, first + i));
            ///     block.for_each(64, |thread, i| x.store(thread, first + i, copy.get(63 - i)));
            /// }
            /// # fn main() {
            /// let mut x: Vec<u32> = (0..128).collect();
            /// reversed::launch(&CpuExecutor::new(), 2, reversed::Args { x: &mut x }).unwrap();
            /// assert!(x.into_iter().eq((0..64).rev().chain((64..128).rev())));
            /// # }
            /// ```
            #[inline(always)]
            #[track_caller]
            pub fn fill_by_thread(
                &mut self,
                block: &mut Block,
                n: u32,
                value: impl Fn(Thread, u32) -> T + Sync,
            ) -> Tile<'_, T> {
                let mut tile = self.tile(n);
                block.open(tile.claim(INSIDE));
                let crew = block.phase();
                platform::each_index(crew, n, |i| {
                    let item = value(Thread::of_index(crew, i), i);
                    // SAFETY: below the tile's length, which is `n`; index i belongs to one thread, and the closure cannot hold the
                    // array.
                    unsafe { tile.store(i, item) };
                });
                block.close(true);
                tile
            }

            /// As [`fill`](Self::fill), but a team of `L` threads computes each element.
            ///
            /// # Panics
            /// When `n` exceeds the array's length.
            #[inline(always)]
            #[track_caller]
            pub fn fill_by_team<const L: u32>(
                &mut self,
                block: &mut Block,
                n: u32,
                value: impl Fn(&mut Team<L>, u32) -> T + Sync,
            ) -> Tile<'_, T> {
                let mut tile = self.tile(n);
                tile.fill_by_team(block, n, value);
                tile
            }

            /// For every thread `t` below `n`, thread `t` writes element `t` from its own state. Returns those elements: at most
            /// one for each thread.
            ///
            /// # Panics
            /// When `n` exceeds the array's length or the number of threads.
            #[inline(always)]
            #[track_caller]
            pub fn write<S>(
                &mut self,
                block: &mut Block,
                n: u32,
                state: &PerThread<S>,
                value: impl Fn(Thread, &S) -> T + Sync,
            ) -> Tile<'_, T> {
                // One check for both conditions: it compares with a constant.
                check_length(n, self.capacity().min(block.threads()));
                let mut tile = self.first(n);
                tile.write(block, 0, state, value);
                tile
            }

            /// Runs `f(thread, state, slots)` in every thread, which writes elements at indices that it computes: each of the first
            /// `n` elements is written once, by any thread. Returns those elements.
            ///
            /// Not enforced on a device: that every element is written. One that is not has any value.
            ///
            /// # Panics
            /// When `n` exceeds the array's length. On CPU cores, unless every element is written once.
            ///
            /// ```
            /// # use cuda_std::prelude::*;
            /// /// Each thread has two elements of each block of 64, which are exchanged.
            /// #[kernel(threads = 32)]
            /// fn reversed(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32], turned: &mut Shared<u32, 64>) {
            ///     let (n, first) = (out.len(), out.start());
            ///     let own = block.per_thread(|thread| [0, 32].map(|k| x.at(first + k + thread.index())));
            ///     let turned = turned.scatter(block, 64, &own, |thread, own, slots| {
            ///         slots.put(thread, 63 - thread.index(), own[0]);
            ///         slots.put(thread, 31 - thread.index(), own[1]);
            ///     });
            ///     out.fill(block, n, |i| turned.get(i));
            /// }
            /// # fn main() {
            /// let (x, mut out) = ((0..64).collect::<Vec<u32>>(), [0; 64]);
            /// reversed::launch(&CpuExecutor::new(), 1, reversed::Args { out: &mut out, x: &x }).unwrap();
            /// assert!(out.into_iter().eq((0..64).rev()));
            /// # }
            /// ```
            #[inline(always)]
            #[track_caller]
            pub fn scatter<S>(
                &mut self,
                block: &mut Block,
                n: u32,
                state: &PerThread<S>,
                f: impl Fn(Thread, &S, &Slots<'_, T>) + Sync,
            ) -> Tile<'_, T> {
                let mut tile = self.tile(n);
                block.open(tile.claim(INSIDE));
                // SAFETY: the tile's elements, which nothing reads before the phase has ended.
                let slots = unsafe { Slots::new(tile.raw().0, n) };
                state.each_ref(block.phase(), |thread, own| f(thread, own, &slots));
                slots.check_all();
                block.close(true);
                tile
            }

            /// Number of elements.
            #[inline(always)]
            #[must_use]
            pub fn capacity(&self) -> u32 {
                let $storage = &self.storage;
                $capacity
            }

            #[inline(always)]
            #[track_caller]
            fn tile(&mut self, n: u32) -> Tile<'_, T> {
                check_length(n, self.capacity());
                self.first(n)
            }

            /// The first `n` elements, which exist.
            #[inline(always)]
            fn first(&mut self, n: u32) -> Tile<'_, T> {
                // SAFETY: the array stays borrowed. A phase writes the elements before it hands out the tile.
                unsafe { Tile::new(self.storage.at(), n, self.claim()) }
            }

            /// Whether other threads may still be reading or writing the array. From now on they may.
            #[inline(always)]
            pub(crate) fn claim(&mut self) -> bool {
                core::mem::replace(&mut self.used, true)
            }

            /// Its address.
            #[inline(always)]
            pub(crate) fn pointer(&mut self) -> SharedPointer<T> {
                self.storage.at()
            }
        }
    };
}

arrays!([const N: usize] Shared<T, N>, |_storage| N as u32);
arrays!([] DynamicShared<T>, |storage| storage.len());

impl<T: Pod, const N: usize> Shared<T, N> {
    /// The same memory as an array of `M` elements of another type, for a use before or after that as this one. So a kernel takes less
    /// shared memory, and a device's first cache has more.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn squares(block: &mut Block, out: &mut Chunk<f32, 8>, memory: &mut Shared<f32, 8>) {
    ///     let numbers = memory.recast::<u32, 8>().fill(block, 8, |i| i * i);
    ///     out.fill(block, 8, |i| numbers.get(i) as f32);
    ///     let halves = memory.fill(block, 8, |i| i as f32 / 2.0);
    ///     out.update(block, 8, |i, square| *square += halves.get(i));
    /// }
    /// # fn main() {
    /// let mut out = [0.0; 8];
    /// squares::launch(&CpuExecutor::new(), 1, squares::Args { out: &mut out }).unwrap();
    /// assert_eq!(out, [0.0, 1.5, 5.0, 10.5, 18.0, 27.5, 39.0, 52.5]);
    /// # }
    /// ```
    ///
    /// Both arrays have the same number of bytes, because safe code can exchange two arrays of one type. Another number does not
    /// compile:
    ///
    /// ```compile_fail
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn shorter(block: &mut Block, out: &mut Chunk<u32, 4>, memory: &mut Shared<f32, 8>) {
    ///     let numbers = memory.recast::<u32, 4>().fill(block, 4, |i| i);
    ///     out.fill(block, 4, |i| numbers.get(i));
    /// }
    /// # fn main() {
    /// shorter::launch(&CpuExecutor::new(), 1, shorter::Args { out: &mut [0; 4] }).unwrap();
    /// # }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn recast<U: Pod, const M: usize>(&mut self) -> &mut Shared<U, M> {
        const {
            assert!(N * size_of::<T>() == M * size_of::<U>(), "both arrays have the same number of bytes");
            // What all arrays are aligned to on a device. On a CPU it is more.
            assert!(align_of::<U>() <= 16, "elements of shared memory are aligned to at most 16 bytes");
        }
        // SAFETY: an array of one type is laid out like that of another: it has an address, or owns memory, and a flag. Its memory has
        // the same size, is aligned, and has bytes that are values of every plain type. It stays borrowed. If safe code exchanges this
        // array for another one of its new type, that has the same size, too.
        unsafe { &mut *(&raw mut *self).cast::<Shared<U, M>>() }
    }

    /// Writes `value(i)` to every element of the array, and returns them.
    ///
    /// The number of elements is known at compile time. So the loop over a thread's elements is unrolled, and several of its
    /// loads are in flight at once.
    #[inline(always)]
    pub fn fill_all(&mut self, block: &mut Block, value: impl Fn(u32) -> T + Sync) -> Tile<'_, T> {
        let mut tile = self.tile(N as u32);
        block.open(tile.claim(INSIDE));
        platform::each_ahead(block.phase(), N as u32, value, |i, item| {
            // SAFETY: in bounds. Index i belongs to one thread, and the closure cannot hold this array.
            unsafe { tile.store(i, item) };
        });
        block.close(true);
        tile
    }
}
