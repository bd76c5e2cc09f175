//! Warps and their phases.

mod rows;

use crate::block::thread::Thread;
use crate::bounds::crosses_lanes;
use crate::platform::{self, Crew, LaneStorage};
use crate::seal::INSIDE;
use bytemuck::Pod;

/// A warp: 32 neighbouring threads of a block, in a phase of [`Block::warps`](crate::Block::warps).
///
/// It is to its lanes what a [`Block`](crate::Block) is to its threads. Code that holds a `&mut Warp` is the same for all
/// lanes of the warp, and may differ between warps. Only closures of the warp's phases see values that differ between lanes,
/// and they can hold neither the warp nor the block. So all lanes reach every vote and every shuffle. A warp's loops and
/// branches depend only on what all of its lanes know: results of [`ballot`](Self::ballot), [`reduce`](Self::reduce) and the
/// like.
///
/// A lane that panics ends, and its values are undefined. So each operation with a warp-wide result first checks that all lanes
/// are alive; otherwise all of them end. A loop whose length depends on such results therefore ends, too.
///
/// # Examples
///
/// Votes and shuffles:
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 32)]
/// fn tell(block: &mut Block, out: &mut Chunk<u32, 12>) {
///     out.fill_by_lanes(block, 12, |warp, _| {
///         let x = warp.per_lane(|lane| lane.index() / 2); // 0, 0, 1, 1, .. 15, 15
///         let votes = warp.ballot(&x, |_, x| *x < 2);
///         let found = [warp.any(&x, |_, x| *x == 9), warp.all(&x, |_, x| *x == 9)].map(u32::from);
///         let count = warp.count(&x, |_, x| *x % 2 == 1);
///         let (sum, last) = (warp.reduce(&x, |a, b| a + b), warp.broadcast(&x, 31));
///         let (up, down) = (warp.shuffle_up(&x, 1), warp.shuffle_down(&x, 1));
///         let (crossed, turned) = (warp.shuffle_xor(&x, 16), warp.shuffle(&x, |lane| 31 - lane.index()));
///         let scanned = (warp.inclusive_scan(&x, |a, b| a + b), warp.exclusive_scan(&x, 0, |a, b| a + b));
///         let same = warp.match_any(&x);
///         let mut shown = warp.map((&up, &down, &crossed), |_, (up, down, crossed)| [*up, *down, *crossed]);
///         warp.each_with(&mut shown, (&turned, &same), |_, shown, (turned, same)| {
///             *shown = [shown[0] + 100 * shown[1] + 10_000 * shown[2], *turned, *same];
///         });
///         let of = warp.broadcast(&shown, 2);
///         let sums = [warp.broadcast(&scanned.0, 5), warp.broadcast(&scanned.1, 5)];
///         warp.per_lane(|lane| match lane.index() {
///             k @ 0..=1 => [votes, count][k as usize],
///             k @ 2..=3 => found[k as usize - 2],
///             k @ 4..=5 => [sum, last][k as usize - 4],
///             k @ 6..=8 => of[k as usize - 6],
///             k @ 9..=10 => sums[k as usize - 9],
///             _ => 0,
///         })
///     });
/// }
/// # fn main() {
/// let mut out = [0; 12];
/// tell::launch(&CpuExecutor::new(), 1, tell::Args { out: &mut out }).unwrap();
/// assert_eq!(out[..6], [0b1111, 16, 1, 0, 240, 15]);
/// // Lane 2: 0 from below, 1 from above, 9 from lane 18; 14 from lane 29; lanes 2 and 3 have its value.
/// assert_eq!(out[6..9], [90_100, 14, 0b1100]);
/// assert_eq!(out[9..], [6, 4, 0]); // 0 + 0 + 1 + 1 + 2 + 2, and without the last
/// # }
/// ```
pub struct Warp {
    index: u32,
    crew: Crew,
}

/// A lane of a warp inside a phase. The phase's closure gets it. See [`Warp`] for examples.
#[derive(Clone, Copy)]
pub struct Lane {
    index: u32,
    thread: Thread,
}

impl Lane {
    /// Index of this lane in its warp, from 0 to 31.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }

    /// This lane's thread.
    #[inline(always)]
    #[must_use]
    pub fn thread(self) -> Thread {
        self.thread
    }
}

/// One value for every lane of a warp: registers on the device, 32 values on a CPU. Only phases of the warp see it.
///
/// Enforced by the compiler: a lane sees its own value, and sees others' values only through the warp's phases. All lanes reach
/// these, and every lane always has a value. Checked at run time: all lanes are alive; see [`Warp`].
///
/// See [`Warp`] for examples.
#[repr(transparent)]
pub struct PerLane<T>(pub(crate) LaneStorage<T>);

impl<T> PerLane<T> {
    /// The threads' values as the values of their warp's lanes.
    #[inline(always)]
    pub(crate) fn of(storage: &mut LaneStorage<T>) -> &mut Self {
        // SAFETY: it is its storage.
        unsafe { &mut *(&raw mut *storage).cast::<Self>() }
    }
}

/// Values that lanes read together: one [`PerLane`], or two or three. Each lane sees its own values.
///
/// Keep values separate, such as the coordinates of a point: then a CPU core processes several lanes at a time.
///
/// Closures of phases then get `(&a, &b)` instead of `&a`. The example of [`Warp`] has pairs and triples.
pub trait Lanes: sealed::Lanes {}

impl<L: sealed::Lanes> Lanes for L {}

pub(crate) mod sealed {
    use super::PerLane;
    use crate::seal::Inside;

    pub trait Lanes: Copy {
        /// The part that one lane sees.
        type Item;

        /// The value of the calling lane `lane`.
        fn of(self, lane: u32, inside: Inside) -> Self::Item;
    }

    impl<'a, T> Lanes for &'a PerLane<T> {
        type Item = &'a T;

        #[inline(always)]
        fn of(self, lane: u32, _: Inside) -> &'a T {
            self.0.own(lane)
        }
    }

    impl<A: Lanes, B: Lanes> Lanes for (A, B) {
        type Item = (A::Item, B::Item);

        #[inline(always)]
        fn of(self, lane: u32, inside: Inside) -> Self::Item {
            (self.0.of(lane, inside), self.1.of(lane, inside))
        }
    }

    impl<A: Lanes, B: Lanes, C: Lanes> Lanes for (A, B, C) {
        type Item = (A::Item, B::Item, C::Item);

        #[inline(always)]
        fn of(self, lane: u32, inside: Inside) -> Self::Item {
            (self.0.of(lane, inside), self.1.of(lane, inside), self.2.of(lane, inside))
        }
    }
}

impl Warp {
    #[inline(always)]
    pub(crate) fn new(index: u32, crew: Crew) -> Self {
        Self { index, crew }
    }

    /// Index of this warp in its block.
    #[inline(always)]
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The threads, for a phase that is about to begin.
    #[inline(always)]
    pub(crate) fn phase(&mut self) -> Crew {
        self.crew.next_phase()
    }

    #[inline(always)]
    pub(crate) fn lane(&self) -> impl Fn(u32) -> Lane + Copy + Sync + use<> {
        let first = self.index.wrapping_mul(32);
        move |index| Lane { index, thread: Thread::new(first.wrapping_add(index)) }
    }

    /// Gives every lane its own value.
    #[inline(always)]
    pub fn per_lane<T>(&mut self, init: impl Fn(Lane) -> T + Sync) -> PerLane<T> {
        let lane = self.lane();
        PerLane(LaneStorage::new(self.crew.next_phase(), self.index, |index| init(lane(index))))
    }

    /// Runs `f` in every lane on the lane's own value.
    #[inline(always)]
    pub fn each<T>(&mut self, state: &mut PerLane<T>, f: impl Fn(Lane, &mut T) + Sync) {
        let lane = self.lane();
        state.0.each(self.crew.next_phase(), self.index, |index, value| f(lane(index), value));
    }

    /// Runs `f` in every lane on the lane's own value, with other values to read.
    #[inline(always)]
    pub fn each_with<T, L: Lanes>(
        &mut self,
        state: &mut PerLane<T>,
        others: L,
        f: impl Fn(Lane, &mut T, L::Item) + Sync,
    ) {
        let lane = self.lane();
        state
            .0
            .each(self.crew.next_phase(), self.index, |index, value| f(lane(index), value, others.of(index, INSIDE)));
    }

    /// Applies `f` to every lane's value or values.
    #[inline(always)]
    pub fn map<L: Lanes, U>(&mut self, values: L, f: impl Fn(Lane, L::Item) -> U + Sync) -> PerLane<U> {
        let lane = self.lane();
        PerLane(LaneStorage::new(self.crew.next_phase(), self.index, |index| f(lane(index), values.of(index, INSIDE))))
    }

    /// Asks every lane; bit `i` is the answer of lane `i`.
    #[inline(always)]
    pub fn ballot<L: Lanes>(&mut self, values: L, ask: impl Fn(Lane, L::Item) -> bool + Sync) -> u32 {
        let lane = self.lane();
        platform::ballot(self.crew.next_phase(), self.index, |index| ask(lane(index), values.of(index, INSIDE)))
    }

    /// Asks every lane several questions, which have numbers. Shorter than as many [`ballot`](Self::ballot)s.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn digits(block: &mut Block, out: &mut Chunk<u32, 1>) {
    ///     out.fill_by_warp(block, 1, |warp, _| {
    ///         let lanes = warp.per_lane(|lane| lane.index());
    ///         let [ones, twos] = warp.ballots(&lanes, |_, lane, digit| lane >> digit & 1 == 1);
    ///         ones & twos
    ///     });
    /// }
    /// # fn main() {
    /// # let mut out = [0; 1];
    /// # digits::launch(&CpuExecutor::new(), 1, digits::Args { out: &mut out }).unwrap();
    /// assert_eq!(out, [0x8888_8888]); // lanes 3, 7, 11, ...
    /// # }
    /// ```
    #[inline(always)]
    pub fn ballots<L: Lanes, const N: usize>(
        &mut self,
        values: L,
        ask: impl Fn(Lane, L::Item, u32) -> bool + Sync,
    ) -> [u32; N] {
        let lane = self.lane();
        let ask = |index, question| ask(lane(index), values.of(index, INSIDE), question);
        platform::ballots(self.crew.next_phase(), self.index, ask)
    }

    /// As [`ballot`](Self::ballot), without a check for dead lanes, for results on which no branch depends yet.
    #[inline(always)]
    pub(crate) fn ballot_for_list<L: Lanes>(&mut self, values: L, ask: impl Fn(Lane, L::Item) -> bool) -> u32 {
        let lane = self.lane();
        platform::ballot_of_any(self.crew.next_phase(), self.index, |index| ask(lane(index), values.of(index, INSIDE)))
    }

    /// Whether `ask` returns true in any lane.
    #[inline(always)]
    pub fn any<L: Lanes>(&mut self, values: L, ask: impl Fn(Lane, L::Item) -> bool + Sync) -> bool {
        self.ballot(values, ask) != 0
    }

    /// Asks every lane about each bit of some words, by its number: bit `b` of word `w` has the number `32 * w + b`. Returns the
    /// bits for which `ask` returns true in any lane.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn divided(block: &mut Block, out: &mut Chunk<u32, 1>) {
    ///     out.fill_by_warp(block, 1, |warp, _| {
    ///         let factor = warp.per_lane(|lane| if lane.index() == 7 { 3 } else { 5 });
    ///         let [first, second] = warp.any_of_bits([0xff00, 0b111], &factor, |_, factor, number| number % factor == 0);
    ///         first | second
    ///     });
    /// }
    /// # fn main() {
    /// # let mut out = [0; 1];
    /// # divided::launch(&CpuExecutor::new(), 1, divided::Args { out: &mut out }).unwrap();
    /// // 9, 10, 12 and 15 of the first word; 33 of the second.
    /// assert_eq!(out, [1 << 9 | 1 << 10 | 1 << 12 | 1 << 15 | 1 << (33 - 32)]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn any_of_bits<L: Lanes, const N: usize>(
        &mut self,
        bits: [u32; N],
        values: L,
        ask: impl Fn(Lane, L::Item, u32) -> bool + Sync,
    ) -> [u32; N] {
        let lane = self.lane();
        let ask = |index, number| ask(lane(index), values.of(index, INSIDE), number);
        platform::any_of_bits(self.crew.next_phase(), self.index, bits, ask)
    }

    /// As [`any_of_bits`](Self::any_of_bits), but returns the number of those bits for which `ask` returns true in no lane.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn undivided(block: &mut Block, out: &mut Chunk<u32, 1>) {
    ///     out.fill_by_warp(block, 1, |warp, _| {
    ///         let factor = warp.per_lane(|lane| if lane.index() == 7 { 3 } else { 5 });
    ///         warp.count_none_of_bits([0xff00, 0b111], &factor, |_, factor, number| number % factor == 0)
    ///     });
    /// }
    /// # fn main() {
    /// # let mut out = [0; 1];
    /// # undivided::launch(&CpuExecutor::new(), 1, undivided::Args { out: &mut out }).unwrap();
    /// // 8, 11, 13 and 14 of the first word; 32 and 34 of the second.
    /// assert_eq!(out, [6]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn count_none_of_bits<L: Lanes, const N: usize>(
        &mut self,
        bits: [u32; N],
        values: L,
        ask: impl Fn(Lane, L::Item, u32) -> bool + Sync,
    ) -> u32 {
        let lane = self.lane();
        let ask = |index, number| ask(lane(index), values.of(index, INSIDE), number);
        platform::count_none_of_bits(self.crew.next_phase(), self.index, bits, ask)
    }

    /// Whether `ask` returns true in all lanes.
    #[inline(always)]
    pub fn all<L: Lanes>(&mut self, values: L, ask: impl Fn(Lane, L::Item) -> bool + Sync) -> bool {
        self.ballot(values, ask) == u32::MAX
    }

    /// The number of lanes in which `ask` returns true.
    #[inline(always)]
    pub fn count<L: Lanes>(&mut self, values: L, ask: impl Fn(Lane, L::Item) -> bool + Sync) -> u32 {
        self.ballot(values, ask).count_ones()
    }

    /// Gives every lane the value of lane `from(lane)`, counted modulo 32.
    ///
    /// A value that crosses lanes has 16 bits, or consists of at most 32 words of 32 bits. The same holds for the following
    /// methods.
    #[inline(always)]
    pub fn shuffle<T: Pod>(&mut self, values: &PerLane<T>, from: impl Fn(Lane) -> u32 + Sync) -> PerLane<T> {
        crosses_lanes::<T>();
        let lane = self.lane();
        PerLane(values.0.shuffle(self.crew.next_phase(), self.index, |index| from(lane(index))))
    }

    /// Gives every lane the value of the lane `delta` (modulo 32) below it. The first lanes keep their own.
    #[inline(always)]
    pub fn shuffle_up<T: Pod>(&mut self, values: &PerLane<T>, delta: u32) -> PerLane<T> {
        crosses_lanes::<T>();
        PerLane(values.0.shuffle_up(delta))
    }

    /// Gives every lane the value of the lane `delta` (modulo 32) above it. The last lanes keep their own.
    #[inline(always)]
    pub fn shuffle_down<T: Pod>(&mut self, values: &PerLane<T>, delta: u32) -> PerLane<T> {
        crosses_lanes::<T>();
        PerLane(values.0.shuffle_down(delta))
    }

    /// Gives every lane the value of the lane whose index differs in the bits of `mask` (modulo 32).
    #[inline(always)]
    pub fn shuffle_xor<T: Pod>(&mut self, values: &PerLane<T>, mask: u32) -> PerLane<T> {
        crosses_lanes::<T>();
        PerLane(values.0.shuffle_xor(mask))
    }

    /// Gives all lanes the value of one lane, counted modulo 32.
    #[inline(always)]
    pub fn broadcast<T: Pod>(&mut self, values: &PerLane<T>, lane: u32) -> T {
        crosses_lanes::<T>();
        values.0.broadcast(lane)
    }

    /// Combines the values of all lanes with strides 16, 8, 4, 2, 1. The lower lane's value is the left operand.
    #[inline(always)]
    pub fn reduce<T: Pod>(&mut self, values: &PerLane<T>, combine: impl Fn(T, T) -> T + Sync) -> T {
        crosses_lanes::<T>();
        values.0.reduce(combine)
    }

    /// The wrapping sum of all lanes' numbers.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn sum(block: &mut Block, out: &mut Chunk<u32, 1>) {
    ///     out.fill_by_warp(block, 1, |warp, _| {
    ///         let x = warp.per_lane(|lane| lane.index() + 1);
    ///         warp.sum(&x)
    ///     });
    /// }
    /// # fn main() {
    /// # let mut out = [0; 1];
    /// # sum::launch(&CpuExecutor::new(), 1, sum::Args { out: &mut out }).unwrap();
    /// assert_eq!(out, [33 * 16]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn sum(&mut self, values: &PerLane<u32>) -> u32 {
        let _ = self.crew.next_phase();
        values.0.sum()
    }

    /// The smallest of all lanes' numbers, for each of the `N` numbers of a value. The sign of a zero is unspecified, and so is
    /// the result if a number is NaN.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// A bounding box.
    /// #[kernel(threads = 32)]
    /// fn bounds(block: &mut Block, out: &mut Chunk<f32, 2>, x: &[f32]) {
    ///     out.fill_by_lanes(block, 2, |warp, _| {
    ///         let own = warp.per_lane(|lane| x.at(lane.index()));
    ///         let own = warp.map(&own, |_, x| [*x, -x]);
    ///         let [low, high] = warp.smallest(&own);
    ///         warp.per_lane(|lane| if lane.index() == 0 { low } else { -high })
    ///     });
    /// }
    /// # fn main() {
    /// # let mut out = [0.0; 2];
    /// let x: Vec<f32> = (0..32).map(|i| (i * 5 % 32) as f32 - 7.0).collect();
    /// # bounds::launch(&CpuExecutor::new(), 1, bounds::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out, [-7.0, 24.0]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn smallest<const N: usize>(&mut self, values: &PerLane<[f32; N]>) -> [f32; N] {
        let _ = self.crew.next_phase();
        values.0.smallest()
    }

    /// Combines each lane's value with those of all lanes below it, with strides 1, 2, 4, 8, 16. The lower lane's value is the
    /// left operand.
    #[inline(always)]
    pub fn inclusive_scan<T: Pod>(&mut self, values: &PerLane<T>, combine: impl Fn(T, T) -> T + Sync) -> PerLane<T> {
        crosses_lanes::<T>();
        PerLane(values.0.inclusive_scan(combine))
    }

    /// Gives each lane the result of [`inclusive_scan`](Self::inclusive_scan) of the lane below, and the first lane `identity`.
    #[inline(always)]
    pub fn exclusive_scan<T: Pod + Sync>(
        &mut self,
        values: &PerLane<T>,
        identity: T,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> PerLane<T> {
        let scanned = self.inclusive_scan(values, combine);
        let mut shifted = self.shuffle_up(&scanned, 1);
        self.each(&mut shifted, |lane, value| {
            if lane.index() == 0 {
                *value = identity;
            }
        });
        shifted
    }

    /// Gives every lane the set of lanes that have its value, as bits.
    #[inline(always)]
    pub fn match_any(&mut self, values: &PerLane<u32>) -> PerLane<u32> {
        PerLane(values.0.match_any())
    }

    /// Gives every lane the set of lanes whose values have the same `BITS` lowest bits, as bits. This is faster than
    /// [`match_any`](Self::match_any): one vote for each bit. There are at most 8, since the assembler keeps the votes' operands in
    /// predicates, of which a chip has seven.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn alike(block: &mut Block, out: &mut Chunk<u32, 32>) {
    ///     out.fill_by_lanes(block, 32, |warp, _| {
    ///         let x = warp.per_lane(|lane| lane.index());
    ///         warp.match_bits::<3>(&x)
    ///     });
    /// }
    /// # fn main() {
    /// # let mut out = [0; 32];
    /// # alike::launch(&CpuExecutor::new(), 1, alike::Args { out: &mut out }).unwrap();
    /// assert_eq!((out[0], out[31]), (0x0101_0101, 0x8080_8080));
    /// # }
    /// ```
    #[inline(always)]
    pub fn match_bits<const BITS: u32>(&mut self, values: &PerLane<u32>) -> PerLane<u32> {
        const { assert!(BITS <= 8, "at most 8 bits; `match_any` compares all of them") };
        PerLane(values.0.match_bits::<BITS>())
    }

    /// Waits for the lanes of the warp: what a lane does after this to atomic memory of its block comes after what any lane did to it
    /// before.
    ///
    /// See [`update_atomic_by_warp`](crate::BlockMemory::update_atomic_by_warp) for an example.
    #[inline(always)]
    pub fn meet(&mut self) {
        let _ = self.crew.next_phase();
        platform::meet_warp();
    }

    /// The common value of all lanes, if they have the same.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn agree(block: &mut Block, out: &mut Chunk<u32, 2>) {
    ///     out.fill_by_warp(block, 2, |warp, i| {
    ///         let x = warp.per_lane(|lane| 7 + lane.index() * i);
    ///         warp.match_all(&x).unwrap_or(0)
    ///     });
    /// }
    /// # fn main() {
    /// # let mut out = [1; 2];
    /// # agree::launch(&CpuExecutor::new(), 1, agree::Args { out: &mut out }).unwrap();
    /// assert_eq!(out, [7, 0]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn match_all(&mut self, values: &PerLane<u32>) -> Option<u32> {
        let first = self.broadcast(values, 0);
        self.all(values, |_, value| *value == first).then_some(first)
    }
}
