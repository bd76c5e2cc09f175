//! What the code that `#[kernel]` writes calls.

use crate::Block;

/// What the static shared arrays of a kernel may take: 48 KiB on every device, of which 16 bytes are for its panics. (A
/// module in which one kernel takes more does not load. What reductions take besides is seen when PTX is built.)
pub const STATIC_SHARED_BYTES: usize = 48 * 1024 - 16;

/// The threads of a block, where a name stands for their number.
///
/// # Panics
/// Where no block has so many; in constant evaluation that stops the build.
#[must_use]
pub const fn threads_in_block(n: u128) -> u32 {
    assert!(n > 0 && n.is_multiple_of(32) && n <= 1024, "a block has a multiple of 32 threads, at most 1024");
    n as u32
}

/// An element of a shared array.
pub struct Element<T>(core::marker::PhantomData<T>);

/// What elements take on a device, where that is what they take here: of all types but those of [`Element`]'s own methods.
pub trait InSharedMemory {
    /// Bytes of an element.
    const BYTES: usize;
}

impl<T> InSharedMemory for Element<T> {
    const BYTES: usize = size_of::<T>();
}

impl Element<crate::Pick> {
    /// A device keeps an index; a CPU's core keeps copies.
    pub const BYTES: usize = size_of::<u32>();
}

/// What a shared array of `n` elements takes, up to where the next one may begin.
#[must_use]
pub const fn array_bytes(element_bytes: usize, n: usize) -> usize {
    (element_bytes * n).next_multiple_of(16)
}
pub use crate::platform::{DynamicStorage, SharedStorage};

#[cfg(target_arch = "nvptx64")]
pub use device::*;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::*;

#[cfg(target_arch = "nvptx64")]
mod device {
    use super::Block;
    use crate::access::Access;
    pub use crate::panic::{PanicRecord, device::enter};
    use crate::platform;
    pub use crate::platform::{block_index, block_index_3d};
    use crate::scope::AllBlocks;
    use crate::{AtomicItem, Atomics, Chunk, GridMemory, Scatter, Segment, Tile2d, WholeGrid};
    pub use platform::GridState;

    /// # Safety
    /// The entry's first call of it: all threads of all blocks get there, no phase runs, and there is no other `WholeGrid`. `state` is this
    /// launch's own and zero, and all blocks are on the device at the same time.
    #[inline(always)]
    #[must_use]
    pub unsafe fn whole_grid(threads: u32, state: *mut GridState) -> WholeGrid {
        // SAFETY: the caller's.
        WholeGrid::new(unsafe { platform::GridCrew::new(threads, state) })
    }

    /// # Safety
    /// `data` has `len` elements that nobody but this grid uses while the kernel runs.
    #[inline(always)]
    pub unsafe fn grid_memory<'a, T: bytemuck::Pod>(data: *mut T, len: u32) -> GridMemory<'a, T> {
        // SAFETY: the caller's.
        unsafe { GridMemory::new(data, len) }
    }

    /// # Safety
    /// The entry's first call of it: all threads of the block get there, no phase runs, and there is no other `Block`.
    #[inline(always)]
    #[must_use]
    pub unsafe fn block<const DIMENSIONS: u32>(threads: u32) -> Block {
        Block::new(platform::block_index::<DIMENSIONS>(), platform::Crew::new(threads))
    }

    /// # Safety
    /// `data` has `offsets[grid size]` elements, offsets never fall, and there is one for every block and one more.
    #[inline(always)]
    pub unsafe fn segment<'a, T: bytemuck::Pod, A: Access>(
        block: u32,
        data: *mut T,
        offsets: *const u32,
    ) -> Segment<'a, T, A> {
        // SAFETY: the caller's.
        unsafe { Segment::new(data, offsets.add(block as usize)) }
    }

    /// # Safety
    /// `data` has `len` elements, of which nobody else uses those of block `block`; the first one of those is there.
    #[inline(always)]
    pub unsafe fn chunk<'a, T: bytemuck::Pod, const N: usize, A: Access>(
        block: u32,
        data: *mut T,
        len: u32,
    ) -> Chunk<'a, T, N, A> {
        // SAFETY: the caller's.
        unsafe { Chunk::new(block, data, len) }
    }

    /// # Safety
    /// `data` has `rows * columns` elements, of which nobody else uses those of tile (x, y); its first one is there.
    #[inline(always)]
    pub unsafe fn tile_2d<'a, T: bytemuck::Pod, const ROWS: usize, const COLUMNS: usize, A: Access>(
        [x, y, _]: [u32; 3],
        data: *mut T,
        rows: u32,
        columns: u32,
    ) -> Tile2d<'a, T, ROWS, COLUMNS, A> {
        // SAFETY: the caller's.
        unsafe { Tile2d::new(x, y, data, [rows, columns]) }
    }

    /// # Safety
    /// `data` has `len` elements that others touch by atomic operations alone while the kernel runs.
    #[inline(always)]
    pub unsafe fn atomics<'a, T: AtomicItem, S: AllBlocks>(data: *mut T, len: u32) -> Atomics<'a, T, S> {
        // SAFETY: the caller's.
        unsafe { Atomics::new(data, len) }
    }

    /// # Safety
    /// `data` has `len` elements that others touch by this type alone while the kernel runs.
    #[inline(always)]
    pub unsafe fn scatter<'a, T: bytemuck::Pod>(data: *mut T, len: u32) -> Scatter<'a, T> {
        // SAFETY: the caller's.
        unsafe { Scatter::new(data, len) }
    }

    /// # Safety
    /// `data` has `len` elements that nothing writes while the kernel runs; it is aligned and not null even when
    /// `len` is 0.
    #[inline(always)]
    pub unsafe fn slice<'a, T>(data: *const T, len: u64) -> &'a [T] {
        // SAFETY: the caller's.
        unsafe { core::slice::from_raw_parts(data, len as usize) }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::Block;
    use crate::access::Access;
    use crate::launch::{Host, Offsets, Segments};
    use crate::platform::{Crew, GridCrew, Order};
    use crate::scope::AllBlocks;
    use crate::{AtomicItem, Atomics, Chunk, Grid, GridMemory, Scatter, Segment, Tile2d, WholeGrid};
    use bytemuck::Pod;
    use cuda_layout::DeviceLayout;
    use std::marker::PhantomData;

    /// A block that a core runs.
    #[derive(Clone, Copy)]
    pub struct BlockOnCpu {
        pub(crate) index: u32,
        pub(crate) grid: Grid,
        pub(crate) order: Order,
    }

    impl BlockOnCpu {
        /// Whether nobody asked for another order.
        #[inline(always)]
        #[must_use]
        pub fn is_in_rising_order(self) -> bool {
            self.order.is_rising()
        }

        /// The same block in the order that the compiler knows.
        #[inline(always)]
        #[must_use]
        pub fn in_rising_order(self) -> Self {
            Self { order: Order::RISING, ..self }
        }

        /// Its number.
        #[inline(always)]
        #[must_use]
        pub fn index(self) -> u32 {
            self.index
        }

        /// The block for the kernel.
        #[inline(always)]
        #[must_use]
        pub fn block(self, threads: u32) -> Block {
            Block::new(self.index, Crew::new(threads, self.grid, self.order))
        }

        /// All blocks for a kernel whose blocks meet.
        #[inline(always)]
        #[must_use]
        pub fn whole_grid(self, threads: u32) -> WholeGrid {
            WholeGrid::new(GridCrew::new(threads, self.grid, self.order))
        }
    }

    /// A ragged buffer that blocks on several cores take their segments from.
    pub struct CpuSegments<'a, T> {
        data: *mut T,
        offsets: &'a Offsets,
        owner: PhantomData<&'a mut [T]>,
    }

    // SAFETY: what it hands out is disjoint, by the contract of `segment`.
    unsafe impl<T: Send> Sync for CpuSegments<'_, T> {}
    // SAFETY: unique access to plain data.
    unsafe impl<T: Send> Send for CpuSegments<'_, T> {}

    impl<'a, T: DeviceLayout> CpuSegments<'a, T> {
        /// # Panics
        /// When the buffer is shorter than its offsets say; a launch has checked that.
        #[must_use]
        pub fn new(segments: Segments<'a, Host, T>) -> Self {
            assert!(segments.data.len() >= segments.offsets.end() as usize, "checked before launch");
            Self { data: segments.data.as_mut_ptr(), offsets: segments.offsets, owner: PhantomData }
        }

        /// # Safety
        /// No other segment of this index lives.
        #[inline(always)]
        #[must_use]
        pub unsafe fn segment<A: Access>(&self, block: u32) -> Segment<'_, T, A> {
            let pair = &self.offsets.as_slice()[block as usize..block as usize + 2];
            // SAFETY: within the buffer, and disjoint from other indices' segments because offsets never fall.
            unsafe { Segment::new(self.data, pair.as_ptr()) }
        }
    }

    /// A buffer or a matrix that blocks on several cores take their parts from.
    pub struct CpuOutput<'a, T> {
        data: *mut T,
        /// Rows and columns; a buffer is one column.
        size: [u32; 2],
        owner: PhantomData<&'a mut [T]>,
    }

    // SAFETY: what it hands out is disjoint, by the contracts of `chunk` and `tile_2d`.
    unsafe impl<T: Send> Sync for CpuOutput<'_, T> {}
    // SAFETY: unique access to plain data.
    unsafe impl<T: Send> Send for CpuOutput<'_, T> {}

    impl<'a, T: Pod> CpuOutput<'a, T> {
        /// A matrix of `columns` columns, or a buffer with 1. A launch has checked that it has 32-bit many elements in
        /// whole rows.
        #[must_use]
        pub fn new(data: &'a mut [T], columns: u32) -> Self {
            let rows = data.len().checked_div(columns as usize).unwrap_or(0) as u32;
            Self { data: data.as_mut_ptr(), size: [rows, columns], owner: PhantomData }
        }

        /// # Safety
        /// No other part of this block lives, and the launch has exactly the blocks that the chunks take.
        #[inline(always)]
        #[must_use]
        pub unsafe fn chunk<const N: usize, A: Access>(&self, block: BlockOnCpu) -> Chunk<'_, T, N, A> {
            // SAFETY: the caller's; chunks of different blocks are disjoint.
            unsafe { Chunk::new(block.index, self.data, self.size[0]) }
        }

        /// # Safety
        /// No other memory of this buffer lives.
        #[inline(always)]
        #[must_use]
        pub unsafe fn grid_memory(&self) -> GridMemory<'_, T> {
            // SAFETY: the caller's.
            unsafe { GridMemory::new(self.data, self.size[0]) }
        }

        /// # Safety
        /// As for [`chunk`](Self::chunk), with the grid that the tiles take.
        #[inline(always)]
        #[must_use]
        pub unsafe fn tile_2d<const ROWS: usize, const COLUMNS: usize, A: Access>(
            &self,
            block: BlockOnCpu,
        ) -> Tile2d<'_, T, ROWS, COLUMNS, A> {
            let [x, y, _] = block.grid.index_3d(block.index);
            // SAFETY: the caller's; tiles of different blocks are disjoint.
            unsafe { Tile2d::new(x, y, self.data, self.size) }
        }
    }

    /// What all blocks update. A launch has checked that it has 32-bit many elements.
    #[must_use]
    pub fn atomics<T: AtomicItem, S: AllBlocks>(data: &mut [T]) -> Atomics<'_, T, S> {
        // SAFETY: unique access to plain data, which is handed on as atomic operations.
        unsafe { Atomics::new(data.as_mut_ptr(), data.len() as u32) }
    }

    /// Where all blocks write, each element once. A launch has checked that it has 32-bit many elements.
    #[must_use]
    pub fn scatter<T: Pod>(data: &mut [T]) -> Scatter<'_, T> {
        // SAFETY: unique access to plain data, which is handed on for each element's one writer.
        unsafe { Scatter::new(data.as_mut_ptr(), data.len() as u32) }
    }
}

/// What `shared_array!` is on a host, where no kernel gets to it.
#[cfg(not(target_arch = "nvptx64"))]
#[must_use]
pub fn no_shared_array<T>() -> *mut T {
    panic!("`shared_array!` is for the GPU only: it was reached on the host")
}
