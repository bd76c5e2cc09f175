//! Teams: a few neighbouring lanes of a warp that work on one element together.

use crate::bounds::{check_length, crosses_lanes};
use crate::buffers::segment::View;
use crate::platform;
use bytemuck::Pod;

/// A team of `L` threads inside a phase; `L` is 1, 2, 4, 8, 16 or 32.
///
/// All threads of a team run the element's closure alike; only [`reduce`](Self::reduce) divides work among them. (This is
/// the middle level of a team policy with vector lanes, as in Kokkos.) Teams do not wait for each other, and a team may
/// branch or loop on values that only it has computed.
///
/// `fill_by_team` and similar methods of [`BlockMemory`](crate::BlockMemory::fill_by_team) make teams and have examples.
/// Teams of eight compile, teams of six do not:
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn by_eight(block: &mut Block, out: &mut Chunk<u32, 8>) {
///     let n = out.len();
///     out.fill_by_team::<8>(block, n, |_, i| i);
/// }
/// # fn main() {
/// by_eight::launch(&CpuExecutor::new(), 1, by_eight::Args { out: &mut [0; 8][..] }).unwrap();
/// # }
/// ```
///
/// ```compile_fail,E0080
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn by_six(block: &mut Block, out: &mut Chunk<u32, 8>) {
///     let n = out.len();
///     out.fill_by_team::<6>(block, n, |_, i| i);
/// }
/// # fn main() {
/// by_six::launch(&CpuExecutor::new(), 1, by_six::Args { out: &mut [0; 8][..] }).unwrap();
/// # }
/// ```
///
/// Enforced by the compiler: a team stays in the closure that received it, and starts no reduction inside its own
/// reduction, where its threads are in different iterations.
pub struct Team<const L: u32>(());

/// A value for each thread of a [`Team`], made by [`Team::per_member`].
pub struct PerMember<T, const L: u32>(platform::MemberStorage<T>);

impl<const L: u32> Team<L> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        whole_teams::<L>();
        Self(())
    }

    /// Folds `step` over `0..m`. All threads of the team receive the result.
    ///
    /// The order of the operations depends only on `m` and `L`. Slot `s` of `L` starts from `identity` and takes the steps
    /// `s, s + L, s + 2 L, ..` in this order. Then the slots are combined with strides `L/2, .. 2, 1`, with the lower one
    /// as the left operand. On the device a slot is a lane; on a CPU the slots form one vector.
    ///
    /// `T` has 16 bits, or consists of 32-bit words. If a thread of the block has panicked, the team ends here: no result
    /// uses a dead thread's value, and no loop waits for it.
    ///
    /// # Panics
    /// When `m` is above `u32::MAX - 1024`.
    ///
    /// See [`BlockMemory::fill_by_team`](crate::BlockMemory::fill_by_team) and [`Tile`](crate::Tile) for examples. Smaller values do not compile:
    ///
    /// ```compile_fail,E0080
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 64)]
    /// fn bytes(block: &mut Block, out: &mut Chunk<u8, 64>) {
    ///     out.fill_by_team::<8>(block, 1, |team, _| team.reduce(8, 0u8, |a, k| a | k as u8, |a, b| a | b));
    /// }
    /// # fn main() {
    /// bytes::launch(&CpuExecutor::new(), 1, bytes::Args { out: &mut [0; 1][..] }).unwrap();
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce<T: Pod>(
        &mut self,
        m: u32,
        identity: T,
        step: impl Fn(T, u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        crosses_lanes::<T>();
        platform::team_reduce::<L, T>(m, identity, step, combine)
    }

    /// Like [`reduce`](Self::reduce), with the same result, for a `step` that contains loops.
    ///
    /// In `reduce`, a CPU core processes several indices at a time, which takes several copies of the code of `step`. Here
    /// there is one copy, inlined into the surrounding code.
    #[inline(always)]
    pub fn reduce_long<T: Pod>(
        &mut self,
        m: u32,
        identity: T,
        step: impl Fn(T, u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        crosses_lanes::<T>();
        platform::team_reduce_long::<L, T>(m, identity, step, combine)
    }

    /// The same as `reduce(m, identity, |sums, j| add(sums, part(j, a.get(j), b.get(j))), combine)`, for many `j`.
    ///
    /// A CPU core computes the parts of several `j` at a time if `part` has no branch and cannot panic. So the elements come
    /// without a check of each index: `a` and `b` are checked once. It may call `part` more often than needed, and drop the
    /// results.
    ///
    /// # Panics
    /// If `a` or `b` has fewer than `m` elements.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Element `i`: how many of the first 100 numbers are below `i`, and the sum of their weights.
    /// #[kernel(threads = 64)]
    /// fn below(block: &mut Block, out: &mut Chunk<[f32; 2], 3>, x: &[f32], weights: &[f32]) {
    ///     let (x, weights) = (View::of(x), View::of(weights));
    ///     out.fill_by_team::<8>(block, 3, |team, i| {
    ///         team.reduce_parts(
    ///             100,
    ///             (x, weights),
    ///             [0.0; 2],
    ///             |_, x, weight| if x < i as f32 { [1.0, weight] } else { [0.0; 2] },
    ///             |[n, sum], [one, weight]| [n + one, sum + weight],
    ///             |a, b| [a[0] + b[0], a[1] + b[1]],
    ///         )
    ///     });
    /// }
    /// # fn main() {
    /// let x: Vec<f32> = (0..100).map(|k| (k % 4) as f32).collect();
    /// let mut out = [[0.0; 2]; 3];
    /// below::launch(&CpuExecutor::new(), 1, below::Args { out: &mut out, x: &x, weights: &[0.5; 100] }).unwrap();
    /// assert_eq!(out, [[0.0, 0.0], [25.0, 12.5], [50.0, 25.0]]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn reduce_parts<A: Pod, B: Pod, const P: usize, const S: usize>(
        &mut self,
        m: u32,
        (a, b): (View<A>, View<B>),
        identity: [f32; S],
        part: impl Fn(u32, A, B) -> [f32; P] + Sync,
        add: impl Fn([f32; S], [f32; P]) -> [f32; S] + Sync,
        combine: impl Fn([f32; S], [f32; S]) -> [f32; S] + Sync,
    ) -> [f32; S] {
        platform::frozen(&part);
        platform::frozen(&add);
        check_length(m, a.len());
        check_length(m, b.len());
        // SAFETY: checked.
        unsafe { platform::team_reduce_parts::<L, A, B, P, S>(m, (a, b), identity, part, add, combine) }
    }

    /// Sums to which every `j` adds a few words, and a near one more. The same as this, for many `j`:
    ///
    /// ```text
    /// reduce(m, identity, |sums, j| {
    ///     let (is_near, words) = of_all(j, a.get(j));
    ///     let sums = add_of_all(sums, words);
    ///     if is_near { add(sums, part(j, a.get(j), b.get(j))) } else { sums }
    /// }, combine)
    /// ```
    ///
    /// A CPU core computes several `j` at a time if the closures have no branch and cannot panic. If one of these is near, it adds
    /// the parts of all of them. So **`add` of the part of a `j` that is not near must change nothing**: adding -0.0 keeps every
    /// number. It may call the closures more often than needed, and drop the results. `a` and `b` are checked once.
    ///
    /// # Panics
    /// If `a` or `b` has fewer than `m` elements.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Element `i`: the sum of all distances from `i`, and the weights of the numbers closer than 2.
    /// #[kernel(threads = 64)]
    /// fn around(block: &mut Block, out: &mut Chunk<[f32; 2], 3>, x: &[f32], weights: &[f32]) {
    ///     let (x, weights) = (View::of(x), View::of(weights));
    ///     out.fill_by_team::<8>(block, 3, |team, i| {
    ///         let distance = |x: f32| (x - i as f32).abs();
    ///         team.reduce_near_parts(
    ///             100,
    ///             (x, weights),
    ///             [0.0; 2],
    ///             (|_, x| (distance(x) < 2.0, [distance(x)]), |[far, near], [x]| [far + x, near]),
    ///             (
    ///                 |_, x, weight| [if distance(x) < 2.0 { weight } else { -0.0 }],
    ///                 |[far, near], [weight]| [far, near + weight],
    ///             ),
    ///             |a, b| [a[0] + b[0], a[1] + b[1]],
    ///         )
    ///     });
    /// }
    /// # fn main() {
    /// let x: Vec<f32> = (0..100).map(|k| k as f32).collect();
    /// let mut out = [[0.0; 2]; 3];
    /// around::launch(&CpuExecutor::new(), 1, around::Args { out: &mut out, x: &x, weights: &[0.5; 100] }).unwrap();
    /// assert_eq!(out, [[4950.0, 1.0], [4852.0, 1.5], [4756.0, 1.5]]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn reduce_near_parts<A: Pod, B: Pod, const W: usize, const P: usize, const S: usize>(
        &mut self,
        m: u32,
        (a, b): (View<A>, View<B>),
        identity: [f32; S],
        (of_all, add_of_all): (
            impl Fn(u32, A) -> (bool, [f32; W]) + Sync,
            impl Fn([f32; S], [f32; W]) -> [f32; S] + Sync,
        ),
        (part, add): (impl Fn(u32, A, B) -> [f32; P] + Sync, impl Fn([f32; S], [f32; P]) -> [f32; S] + Sync),
        combine: impl Fn([f32; S], [f32; S]) -> [f32; S] + Sync,
    ) -> [f32; S] {
        platform::frozen(&of_all);
        platform::frozen(&add_of_all);
        platform::frozen(&part);
        platform::frozen(&add);
        check_length(m, a.len());
        check_length(m, b.len());
        let (of_all, near) = ((of_all, add_of_all), (part, add));
        // SAFETY: checked.
        unsafe { platform::team_reduce_near_parts::<L, A, B, W, P, S>(m, (a, b), identity, of_all, near, combine) }
    }

    /// Asks `ask(k)` for every `k` below `L`, each in one thread of the team. All threads get the answers: bit `k` is set if
    /// `ask(k)` is true.
    ///
    /// A CPU core asks for several `k` at a time if `ask` has no branch and cannot panic.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Element `i`: the first of 64 numbers that is above `i`, found eight at a time. A team stops where it has found one.
    /// #[kernel(threads = 64)]
    /// fn first_above(block: &mut Block, out: &mut Chunk<u32, 3>, x: &[u32]) {
    ///     out.fill_by_team::<8>(block, 3, |team, i| {
    ///         let mut first = 0;
    ///         while first < 64 {
    ///             let above = team.votes(|k| x.at(first + k) > i);
    ///             if above != 0 {
    ///                 return first + above.trailing_zeros();
    ///             }
    ///             first += 8;
    ///         }
    ///         first
    ///     });
    /// }
    /// # fn main() {
    /// let x: Vec<u32> = (0..64).map(|k| k / 10).collect();
    /// let mut out = [0; 3];
    /// first_above::launch(&CpuExecutor::new(), 1, first_above::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out, [10, 20, 30]);
    /// # }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn votes(&mut self, ask: impl Fn(u32) -> bool + Sync) -> u32 {
        platform::frozen(&ask);
        platform::team_votes::<L>(ask)
    }

    /// A value for each thread of the team: thread `k` keeps `value(k)`. A team that finds its elements step by step adds them up
    /// in these values by [`each`](Self::each), and then [combines](Self::combine) them.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Element `i`: the sum of the rows of eight numbers whose first number is `i`.
    /// #[kernel(threads = 64)]
    /// fn sums(block: &mut Block, out: &mut Chunk<u32, 3>, x: &[u32]) {
    ///     let rows = x.len() as u32 / 8;
    ///     out.fill_by_team::<8>(block, 3, |team, i| {
    ///         let mut sums = team.per_member(|_| 0);
    ///         for row in (0..rows).filter(|row| x.at(8 * row) == i) {
    ///             team.each(&mut sums, |k, sum| *sum += x.at(8 * row + k));
    ///         }
    ///         team.combine(&sums, |a, b| a + b)
    ///     });
    /// }
    /// # fn main() {
    /// let x: Vec<u32> = (0..32).map(|k| k / 8 % 3).collect();
    /// let mut out = [0; 3];
    /// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out, [0, 8, 16]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn per_member<T: Pod>(&mut self, value: impl Fn(u32) -> T + Sync) -> PerMember<T, L> {
        platform::frozen(&value);
        PerMember(platform::MemberStorage::new::<L>(value))
    }

    /// Lets `change(k, value)` change the value of each thread `k`. See [`per_member`](Self::per_member) for an example.
    #[inline(always)]
    pub fn each<T: Pod>(&mut self, values: &mut PerMember<T, L>, change: impl Fn(u32, &mut T) + Sync) {
        platform::frozen(&change);
        values.0.each::<L>(change);
    }

    /// Combines the values of all threads with strides `L/2, .. 2, 1`, with the lower one as the left operand, as
    /// [`reduce`](Self::reduce) does with its slots. See [`per_member`](Self::per_member) for an example.
    #[inline(always)]
    pub fn combine<T: Pod>(&mut self, values: &PerMember<T, L>, combine: impl Fn(T, T) -> T + Sync) -> T {
        crosses_lanes::<T>();
        platform::frozen(&combine);
        values.0.combine::<L>(combine)
    }
}

/// Stops the build if a warp cannot be divided into teams of `L` threads.
#[inline(always)]
pub(crate) fn whole_teams<const L: u32>() {
    const { assert!(L.is_power_of_two() && L <= 32, "a team has 1, 2, 4, 8, 16 or 32 threads") };
}
