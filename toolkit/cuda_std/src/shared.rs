//! Shared memory.

use crate::access::Readable;
use crate::bounds::{check_index, check_length, countable};
use crate::elements::Elements;
use crate::platform::{self, DynamicStorage, Place, SharedPointer, SharedStorage};
use crate::seal::{INSIDE, Inside};
use crate::{Block, BlockMemory, DoubleBuffer, PerThread, Team, Thread, WarpList};
use bytemuck::Pod;
use core::marker::PhantomData;

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
pub struct Shared<T, const N: usize> {
    storage: SharedStorage<T, N>,
    /// Whether a tile of it was given out, which threads may still be reading.
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
                let mut tile = Tile { data: self.storage.at(), len: n, used: self.claim(), owner: PhantomData };
                tile.write(block, 0, state, value);
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
                Tile { data: self.storage.at(), len: n, used: self.claim(), owner: PhantomData }
            }

            /// Whether other threads may still be reading or writing the array. From now on they may.
            #[inline(always)]
            pub(crate) fn claim(&mut self) -> bool {
                core::mem::replace(&mut self.used, true)
            }

            /// Its address.
            #[inline(always)]
            pub(crate) fn place(&mut self) -> SharedPointer<T> {
                self.storage.at()
            }
        }
    };
}

arrays!([const N: usize] Shared<T, N>, |_storage| N as u32);
arrays!([] DynamicShared<T>, |storage| storage.len());

impl<T: Pod, const N: usize> Shared<T, N> {
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

    /// The array as two halves, so that one can be written while the other may still be read.
    ///
    /// The build stops if `N` is odd or a half is not a multiple of 16 bytes. [`DoubleBuffer`] has an example.
    #[inline(always)]
    pub fn halves(&mut self, block: &mut Block) -> DoubleBuffer<'_, T> {
        const { assert!(N.is_multiple_of(2) && (N / 2 * size_of::<T>()).is_multiple_of(16), "halves of whole 16 bytes") };
        block.open(self.claim());
        let half = N as u32 / 2;
        // SAFETY: the array stays borrowed, and its readers were waited for.
        unsafe { DoubleBuffer::new(self.storage.at(), half) }
    }

    /// The array in equal parts, one for each warp.
    #[inline(always)]
    pub(crate) fn by_warp(&mut self, warps: u32) -> WarpParts<T> {
        WarpParts { data: self.storage.at(), each: N as u32 / warps }
    }
}

/// A shared array, divided among the warps of a block.
#[doc(hidden)]
pub struct WarpParts<T> {
    data: SharedPointer<T>,
    each: u32,
}

impl<T: Pod> WarpParts<T> {
    /// # Safety
    /// The array stays borrowed while the list lives. Part `warp` is used through one list at a time, and its lanes have finished
    /// reading the old contents.
    #[inline(always)]
    pub(crate) unsafe fn list<'a>(&self, warp: u32) -> WarpList<'a, T> {
        // SAFETY: parts of different warps do not overlap; the caller ensures the rest.
        unsafe { WarpList::new(self.data.offset(warp.wrapping_mul(self.each)), self.each) }
    }
}

// SAFETY: this is only an address; the constructor of a list states how it is used.
unsafe impl<T: Pod> Sync for WarpParts<T> {}

/// The filled elements of a [`Shared`] or [`DynamicShared`] array.
///
/// Enforced by the compiler: all elements were written, and waited for, before the tile exists, because only phases make tiles. A
/// phase that writes gives each element to one thread, and holds the tile by `&mut`, so that nobody reads it at the same time.
/// Checked at run time: indices.
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn tiles(block: &mut Block, out: &mut Chunk<u32, 4>, a: &mut Shared<u32, 32>, b: &mut Shared<u32, 32>) {
///     let own = block.per_thread(|thread| thread.index() + 1);
///     let a = a.write(block, 8, &own, |_, value| *value); // 1 to 8, of the first eight threads
///     let sums = b.fill_by_team(block, 2, |team: &mut Team<4>, i| {
///         let half = a.part(4 * i, 4);
///         team.reduce(half.len(), 0, |sum, k| sum + half.get(k), |a, b| a + b)
///     });
///     let (low, high) = (sums.get(0), sums.get(1));
///     // The same eight as two arrays of four.
///     let fours = a.arrays::<4>();
///     out.fill(block, 4, |i| [fours.len(), fours.get(1)[0], low, high][i as usize]);
/// }
/// # fn main() {
/// let mut out = [0; 4];
/// tiles::launch(&CpuExecutor::new(), 1, tiles::Args { out: &mut out }).unwrap();
/// assert_eq!(out, [2, 5, 10, 26]);
/// # }
/// ```
pub struct Tile<'a, T> {
    data: SharedPointer<T>,
    len: u32,
    /// Whether other threads may still be reading or writing it.
    used: bool,
    owner: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod> Tile<'a, T> {
    /// # Safety
    /// `data` points to the first of `len` elements that were written and belong only to this tile while it lives.
    #[inline(always)]
    pub(crate) unsafe fn new(data: SharedPointer<T>, len: u32) -> Self {
        Self { data, len, used: true, owner: PhantomData }
    }

    /// Its address and its number of elements.
    #[inline(always)]
    pub(crate) fn raw(&self) -> (SharedPointer<T>, u32) {
        (self.data, self.len)
    }

    /// The same memory as arrays of `M` elements. An array of 8 or 16 bytes is read by one instruction. The remainder at the end
    /// is left out.
    #[inline(always)]
    #[must_use]
    pub fn arrays<const M: usize>(self) -> Tile<'a, [T; M]>
    where
        [T; M]: Pod,
    {
        countable::<M>();
        Tile { data: self.data.arrays(), len: self.len / M as u32, used: self.used, owner: PhantomData }
    }

    /// The `n` elements from `first` on, for reading.
    ///
    /// # Panics
    /// When some of them do not exist.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn part(&self, first: u32, n: u32) -> TilePart<'_, T> {
        check_length(first, self.len);
        check_length(n, self.len.wrapping_sub(first));
        TilePart { data: self.data.offset(first), len: n, owner: PhantomData }
    }
}

/// Some elements of a [`Tile`], for reading. The tile stays borrowed, so no phase writes it. Reading an element checks its index.
///
/// If the compiler knows `first`, it becomes part of the instruction that reads. Several parts of a tile with the same index then
/// need one address computation.
///
/// [`Tile`] has an example.
#[derive(Clone, Copy)]
pub struct TilePart<'a, T> {
    data: SharedPointer<T>,
    len: u32,
    owner: PhantomData<&'a [T]>,
}

impl<T: Pod> TilePart<'_, T> {
    crate::bounds::counted!("elements");

    /// Element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds; the tile is borrowed, so no phase writes it.
        unsafe { self.data.load(i) }
    }
}

// SAFETY: reading plain data.
unsafe impl<T: Pod> Sync for TilePart<'_, T> {}

impl<T: Pod> Readable for Tile<'_, T> {}

impl<'a, T: Pod> Elements for Tile<'a, T> {
    type Item = T;
    type Resolved = Tile<'a, T>;

    #[inline(always)]
    fn resolved(&self, _: Inside) -> Tile<'a, T> {
        Self { data: self.data, len: self.len, used: self.used, owner: PhantomData }
    }

    const READABLE: bool = true;

    #[inline(always)]
    fn claim(&mut self, _: Inside) -> bool {
        core::mem::replace(&mut self.used, true)
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    unsafe fn load(&self, i: u32) -> T {
        // SAFETY: ensured by the caller.
        unsafe { self.data.load(i) }
    }

    #[inline(always)]
    unsafe fn store(&self, i: u32, value: T) {
        // SAFETY: ensured by the caller.
        unsafe { self.data.store(i, value) }
    }

    #[inline(always)]
    unsafe fn change(&self, i: u32, change: impl FnOnce(&mut T)) {
        // SAFETY: ensured by the caller. Shared memory has no Rust address on the device, so the element is copied.
        unsafe {
            let mut item = self.data.load(i);
            change(&mut item);
            self.data.store(i, item);
        }
    }

    #[inline(always)]
    fn place(&self, i: u32, _: Inside) -> Place<T> {
        Place::shared(self.data, i)
    }
}

// SAFETY: phases read from several threads; writing needs `&mut` and gives each element to one thread.
unsafe impl<T: Pod> Sync for Tile<'_, T> {}
