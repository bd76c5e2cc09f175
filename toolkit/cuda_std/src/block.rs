//! A thread block and its phases.

#[cfg(test)]
mod barriers;
pub(crate) mod grid;
pub mod scope;
pub(crate) mod team;
pub(crate) mod thread;
pub(crate) mod whole_grid;

pub use grid::{Grid, Wait};
pub use team::{PerMember, Team};
pub use thread::{PerThread, Thread};
pub use whole_grid::{GridMemory, GridView, WholeGrid};

use crate::bounds::{MAX_LENGTH, check_index, check_length, crosses_warps};
use crate::buffers::elements::Elements;
use crate::platform::{self, Crew, Scan};
use crate::warp::{PerLane, Warp};
use bytemuck::Pod;

/// A thread block, outside of any phase.
///
/// Code that holds a `&mut Block` is the same for all threads of the block. Only closures of phases see values that differ
/// between threads. Such a closure can neither hold the block nor change a captured local. So a phase inside a phase does not
/// compile, and every thread reaches every barrier.
///
/// ```compile_fail,E0500
/// # use cuda_std::prelude::*;
/// fn nested(block: &mut Block, out: &mut Segment<f32>) {
///     let n = out.len();
///     out.fill(block, n, |_| block.reduce(n, 0.0, |_| 1.0, |a, b| a + b));
/// }
/// ```
/// ```compile_fail,E0594
/// # use cuda_std::prelude::*;
/// fn thread_dependent_loop(block: &mut Block) {
///     let mut last = 0;
///     let mut state = block.per_thread(|_| 0u32);
///     block.each(&mut state, |t, _| last = t.index());
///     for _ in 0..last { /* a different number of turns in every thread */ }
/// }
/// ```
///
/// # Barriers
///
/// There is a barrier wherever threads must wait for others, and nowhere else:
///
/// - *After* a phase that writes, so that all threads see the new values. A [`WriteOnly`](crate::access::WriteOnly) output
///   cannot be read, so it needs no barrier.
/// - *Before* a phase that writes, so that all threads have read the old values. Reading needs no block, so a block does not
///   know when it happens. But it knows whether the memory can have readers. There is no barrier if there are none: for a shared
///   array that has had no [`Tile`](crate::Tile), for a `WriteOnly` output, and for the half of a
///   [`DoubleBuffer`](crate::DoubleBuffer) that is written next.
/// - *Inside* a reduction, between its two levels. Reductions alternate between two arrays for the results of warps. A thread
///   that writes one array has passed the barrier of the other array's reduction. All threads had read the first array before
///   they reached that barrier. Nothing else reads the arrays, so a reduction needs no barrier before it.
///
/// After a barrier that publishes data, threads check whether a thread of the block has panicked, and end if so.
/// [`meet`](Block::meet) does not wait for the result of the check, so threads end one tile later.
///
/// # Examples
///
/// Values of a block, and results of all of its threads:
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64, grid = 2)]
/// fn about(block: &mut Block, out: &mut Chunk<u32, 8>, x: &[u32]) {
///     let n = x.len() as u32;
///     let [column, row, _] = block.index_3d();
///     assert!(block.index() == column + block.grid().x * row);
///     let sum = block.reduce(n, 0, |i| x.at(i), |a, b| a + b);
///     let same = block.reduce_ahead(n, 0, |i| x.at(i), |a, b| a + b);
///     let odd = block.count(n, |i| x.at(i) % 2 == 1);
///     let found = [block.any(n, |i| x.at(i) == 0), block.all(n, |i| x.at(i) > 0)].map(u32::from);
///     let values = [block.threads(), column, row, sum, same, odd, found[0], found[1]];
///     out.fill(block, 8, |i| values[i as usize]);
/// }
/// # fn main() {
/// let mut out = [0; 32];
/// about::launch(&CpuExecutor::new(), (2, 2), about::Args { out: &mut out, x: &[1, 2, 3, 5] }).unwrap();
/// // Block 2 is the one at (0, 1).
/// assert_eq!(out[16..24], [64, 0, 1, 11, 11, 3, 0, 1]);
/// # }
/// ```
///
/// Values of threads, in registers, and of warps:
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn threads(block: &mut Block, out: &mut Chunk<u32, 4>, met: &Atomics<u32>) {
///     let mut own = block.per_thread(|thread: Thread| thread.index());
///     block.each(&mut own, |_, value| *value *= 2);
///     block.warps_with(&mut own, |warp, lanes| {
///         let most = warp.reduce(lanes, |a, b| a.max(b));
///         warp.each(lanes, |_, value| *value = most);
///     });
///     let sum = block.reduce_threads(&own, 0, |_, value| *value, |a, b| a + b);
///     let low = block.count_threads(&own, |_, value| *value == 62);
///     let (any, all) = (block.any_thread(&own, |_, v| *v == 0), block.all_threads(&own, |_, v| *v > 0));
///     // Each warp, once.
///     block.warps(|warp| {
///         let lanes = warp.per_lane(|lane| lane.thread());
///         warp.map(&lanes, |lane, thread| if lane.index() == 0 { met.add(*thread, 0, 1); });
///     });
///     out.fill(block, 4, |i| [sum, low, u32::from(any), u32::from(all)][i as usize]);
/// }
/// # fn main() {
/// let (mut out, mut met) = ([0; 4], [0]);
/// threads::launch(&CpuExecutor::new(), 1, threads::Args { out: &mut out, met: &mut met }).unwrap();
/// assert_eq!((out, met), ([32 * 62 + 32 * 126, 32, 0, 1], [2]));
/// # }
/// ```
pub struct Block {
    index: u32,
    crew: Crew,
    /// The half that the next reduction takes for the results of warps. After any other barrier it is the first half, so the compiler
    /// nearly always knows it.
    half: platform::GroupsHalf,
}

impl Block {
    #[inline(always)]
    pub(crate) fn new(index: u32, crew: Crew) -> Self {
        Self { index, crew, half: platform::GroupsHalf::FIRST }
    }

    /// Number of this block in the grid, counted with x fastest.
    #[inline(always)]
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The block's position in the grid: x, y and z.
    #[inline(always)]
    #[must_use]
    pub fn index_3d(&self) -> [u32; 3] {
        self.crew.index_3d(self.index)
    }

    /// The number of blocks in the launch.
    #[inline(always)]
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.crew.grid()
    }

    /// Number of threads in a block, from the kernel's attribute: a multiple of 32, at most 1024.
    #[inline(always)]
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.crew.threads()
    }

    /// The threads, for a phase that begins.
    #[inline(always)]
    pub(crate) fn phase(&mut self) -> Crew {
        self.crew.next_phase()
    }

    /// Gives every thread its own value.
    #[inline(always)]
    pub fn per_thread<T>(&mut self, init: impl Fn(Thread) -> T + Sync) -> PerThread<T> {
        PerThread(platform::PerThreadStorage::new(self.phase(), |index| init(Thread::new(index))))
    }

    /// Runs `f` in every thread on the thread's own value.
    #[inline(always)]
    pub fn each<T>(&mut self, state: &mut PerThread<T>, f: impl Fn(Thread, &mut T) + Sync) {
        state.0.each(self.phase(), |index, value| f(Thread::new(index), value));
    }

    /// As [`each`](Self::each), but `f` also gets the thread's value of another state.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn sums(block: &mut Block, out: &mut Chunk<u32, 32>) {
    ///     let step = block.per_thread(|thread| thread.index());
    ///     let mut sum = block.per_thread(|_| 100);
    ///     block.each_with(&mut sum, &step, |_, sum, step| *sum += *step);
    ///     out.write(block, 0, &sum, |_, sum| *sum);
    /// }
    /// # fn main() {
    /// # let mut out = [0; 32];
    /// # sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out }).unwrap();
    /// # assert_eq!([out[0], out[31]], [100, 131]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn each_with<T, S>(
        &mut self,
        state: &mut PerThread<T>,
        other: &PerThread<S>,
        f: impl Fn(Thread, &mut T, &S) + Sync,
    ) {
        state.0.each(self.phase(), |index, value| f(Thread::new(index), value, other.0.own(index)));
    }

    /// One thread computes a value, such as the result of an atomic operation, and all threads get it. This takes one barrier. Values
    /// have the types of [`reduce`](Self::reduce).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Blocks take parts of 32 elements in the order in which they run.
    /// #[kernel(threads = 32)]
    /// fn by_ticket(block: &mut Block, out: &Atomics<u32>, next: &Atomics<u32>) {
    ///     let ticket = block.once(|thread| next.add(thread, 0, 1));
    ///     block.for_each(32, |thread, i| out.store(thread, 32 * ticket + i, ticket));
    /// }
    /// # fn main() {
    /// let (mut out, mut next) = ([9; 96], [0]);
    /// by_ticket::launch(&CpuExecutor::new(), 3, by_ticket::Args { out: &mut out, next: &mut next }).unwrap();
    /// assert_eq!((out[31], out[32], out[95], next), (0, 1, 2, [3]));
    /// # }
    /// ```
    #[inline(always)]
    pub fn once<T: Pod>(&mut self, value: impl Fn(Thread) -> T + Sync) -> T {
        crosses_warps::<T>();
        platform::block_broadcast(self.crew.next_phase(), self.half.next(), 0, |index| value(Thread::new(index)))
    }

    /// Gives all threads the value of thread `from`. This takes one barrier. Values have the types of [`reduce`](Self::reduce).
    ///
    /// # Panics
    /// If there is no such thread.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 64)]
    /// fn of_one(block: &mut Block, out: &mut Chunk<u32, 64>, from: u32) {
    ///     let own = block.per_thread(|thread| 10 * thread.index());
    ///     let value = block.broadcast(&own, from);
    ///     out.fill(block, 64, |_| value);
    /// }
    /// # fn main() {
    /// let mut out = [0; 64];
    /// of_one::launch(&CpuExecutor::new(), 1, of_one::Args { out: &mut out, from: 37 }).unwrap();
    /// assert_eq!(out, [370; 64]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn broadcast<T: Pod>(&mut self, state: &PerThread<T>, from: u32) -> T {
        crosses_warps::<T>();
        check_index(from, self.threads());
        platform::block_broadcast(self.crew.next_phase(), self.half.next(), from, |index| *state.0.own(index))
    }

    /// Runs `f(thread, i)` for every `i` below `n`, between two barriers, for atomic operations on
    /// [`Atomics`](crate::Atomics).
    ///
    /// # Panics
    /// When `n` is above `u32::MAX - 1024`.
    #[inline(always)]
    #[track_caller]
    pub fn for_each(&mut self, n: u32, f: impl Fn(Thread, u32) + Sync) {
        check_length(n, MAX_LENGTH);
        self.open(true);
        let crew = self.phase();
        platform::each_index(crew, n, |i| f(Thread::of_index(crew, i), i));
        self.close(true);
    }

    /// Reduces `value(0), .. value(n - 1)`. All threads get the result, which is `identity` for `n == 0`.
    ///
    /// The order of the operations depends only on `n`, not on the number of threads. There are 1024 slots. Slot `s` combines the
    /// values `s, s + 1024, s + 2048, ..` in this order. Then every 32 neighbouring slots are combined with strides 16, 8, 4, 2, 1,
    /// with the lower one as the left operand. The 32 results are combined in the same way. Slots without a value hold `identity`,
    /// which must be neutral.
    ///
    /// # Panics
    /// When `n` is above `u32::MAX - 1024`.
    ///
    /// This takes one barrier. A value has at most 32 bytes, in 32-bit words. Other values do not compile, neither for a GPU nor for
    /// CPU cores:
    ///
    /// ```compile_fail,E0080
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 64)]
    /// fn half_a_word(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u16]) {
    ///     let most = block.reduce(x.len() as u32, 0u16, |i| x.at(i), |a, b| a.max(b));
    ///     out.fill(block, 1, |_| u32::from(most));
    /// }
    /// # fn main() {
    /// half_a_word::launch(&CpuExecutor::new(), 1, half_a_word::Args { out: &mut [0; 1][..], x: &[] }).unwrap();
    /// # }
    /// ```
    /// ```compile_fail,E0080
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 64)]
    /// fn sixteen(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32]) {
    ///     let sums = block.reduce(1, [0u32; 16], |i| [x.at(i); 16], |a, b| [a[0] + b[0]; 16]);
    ///     out.fill(block, 1, |i| sums[i as usize]);
    /// }
    /// # fn main() {
    /// sixteen::launch(&CpuExecutor::new(), 1, sixteen::Args { out: &mut [0; 1][..], x: &[1] }).unwrap();
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce<T: Pod>(
        &mut self,
        n: u32,
        identity: T,
        value: impl Fn(u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        self.reduced(n, identity, value, combine)
    }

    /// The result of [`reduce`](Self::reduce), faster for a small `value` that loads from memory: a thread computes four values at
    /// a time, so that their loads overlap. The compiler inlines `value` several times.
    #[inline(always)]
    pub fn reduce_ahead<T: Pod>(
        &mut self,
        n: u32,
        identity: T,
        value: impl Fn(u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        crosses_warps::<T>();
        platform::block_reduce::<true, T>(self.crew.next_phase(), self.half.next(), n, identity, value, combine)
    }

    /// Reduces the results of `value` for every thread's own value. The tree is that of [`reduce`](Self::reduce) over the threads'
    /// indices, so it depends on the number of threads.
    #[inline(always)]
    pub fn reduce_threads<S, T: Pod>(
        &mut self,
        state: &PerThread<S>,
        identity: T,
        value: impl Fn(Thread, &S) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        let value = |index| value(Thread::new(index), state.0.own(index));
        self.reduced(self.threads(), identity, value, combine)
    }

    /// The number of indices below `n` that satisfy `ask`. This and the following five methods take one barrier each.
    #[inline(always)]
    pub fn count(&mut self, n: u32, ask: impl Fn(u32) -> bool + Sync) -> u32 {
        self.reduce(n, 0, |i| u32::from(ask(i)), u32::wrapping_add)
    }

    /// Whether any index below `n` satisfies `ask`.
    #[inline(always)]
    pub fn any(&mut self, n: u32, ask: impl Fn(u32) -> bool + Sync) -> bool {
        self.reduce(n, 0, |i| u32::from(ask(i)), |a, b| a | b) != 0
    }

    /// Whether all indices below `n` satisfy `ask`.
    #[inline(always)]
    pub fn all(&mut self, n: u32, ask: impl Fn(u32) -> bool + Sync) -> bool {
        !self.any(n, |i| !ask(i))
    }

    /// The number of threads for which `ask` returns true.
    #[inline(always)]
    pub fn count_threads<S>(&mut self, state: &PerThread<S>, ask: impl Fn(Thread, &S) -> bool + Sync) -> u32 {
        self.reduce_threads(state, 0, |thread, own| u32::from(ask(thread, own)), u32::wrapping_add)
    }

    /// Whether `ask` returns true for any thread.
    #[inline(always)]
    pub fn any_thread<S>(&mut self, state: &PerThread<S>, ask: impl Fn(Thread, &S) -> bool + Sync) -> bool {
        self.reduce_threads(state, 0, |thread, own| u32::from(ask(thread, own)), |a, b| a | b) != 0
    }

    /// Whether `ask` returns true for all threads.
    #[inline(always)]
    pub fn all_threads<S>(&mut self, state: &PerThread<S>, ask: impl Fn(Thread, &S) -> bool + Sync) -> bool {
        !self.any_thread(state, |thread, own| !ask(thread, own))
    }

    /// Runs `f` once in every warp. `f` stores results by atomic operations; phases such as
    /// [`BlockMemory::write_by_warp`](crate::BlockMemory::write_by_warp) write one result for each warp.
    #[inline(always)]
    pub fn warps(&mut self, f: impl Fn(&mut Warp) + Sync) {
        let crew = self.phase();
        platform::each_warp(crew, |index| f(&mut Warp::new(index, crew)));
    }

    /// Runs `f` once in every warp, on the values of its 32 threads.
    #[inline(always)]
    pub fn warps_with<T>(&mut self, state: &mut PerThread<T>, f: impl Fn(&mut Warp, &mut PerLane<T>) + Sync) {
        let crew = self.phase();
        state.0.each_warp(crew, |index, own| f(&mut Warp::new(index, crew), PerLane::of(own)));
    }

    /// Called before a phase that writes. Waits for threads that may still be reading or writing the memory, if there are any.
    #[inline(always)]
    pub(crate) fn open(&mut self, claimed: bool) {
        if claimed {
            platform::barrier();
            self.half = platform::GroupsHalf::FIRST;
        }
    }

    /// Called after a phase that writes. Publishes the new values to all threads, if they can be read.
    #[inline(always)]
    pub(crate) fn close(&mut self, readable: bool) {
        if readable {
            platform::publish();
            self.half = platform::GroupsHalf::FIRST;
        }
    }

    /// A reduction. The elements that `value` writes are readable when it ends.
    #[inline(always)]
    pub(crate) fn reduced<T: Pod>(
        &mut self,
        n: u32,
        identity: T,
        value: impl Fn(u32) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> T {
        crosses_warps::<T>();
        platform::block_reduce::<false, T>(self.crew.next_phase(), self.half.next(), n, identity, value, combine)
    }

    /// A scan. If there are elements, it ends with a barrier. It stores the results of warps where reductions do, and has read them
    /// before that barrier, so the next reduction may take the same half.
    #[inline(always)]
    pub(crate) fn scanned<M: Elements>(
        &mut self,
        n: u32,
        memory: &M,
        how: Scan<M::Item>,
        value: impl Fn(u32) -> M::Item,
        combine: impl Fn(M::Item, M::Item) -> M::Item,
    ) -> M::Item {
        crosses_warps::<M::Item>();
        platform::block_scan(self.crew.next_phase(), self.half, n, memory, how, value, combine)
    }
}
